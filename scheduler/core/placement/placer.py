"""The placer: which node and which cards, the feasible place that costs the expected demand least.

For every shape the placer keeps the score of each node. A change touches one node, so the next
decision rescores only the nodes that have changed since: that makes it fast.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from scheduler.core.model.policy import Packing
from scheduler.core.placement.demand import DemandMix
from scheduler.core.placement.locality import COMPLETE
from scheduler.core.placement.node_table import Ints, Mask, NodeTable
from scheduler.core.placement.scarcity import ScarcityPricing
from scheduler.core.placement.scoring import PackingScore
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

_NEVER: Final = -(1 << 62)
"""The score of a node without capacity for the shape."""
_STEP: Final = 16
"""Binary digits of a milli-GPU of average price: costs closer than that count as equal, and then the
first node is taken."""
_BLOCK: Final = 256
"""Nodes that are scored together: what is computed of more does not stay in a processor's cache."""
_LOCAL_WORTH: Final = MILLI_PER_GPU
"""What it is worth that a node has all the work's contents, in milli-GPUs of average price: as much as a
GPU. To break into an idle node costs more, another node that is in use costs less."""
_IDLE: Final = 2 * MILLI_PER_GPU
"""What spreading counts for a thousandth of a node's GPUs: more than for all of its CPUs."""
_ANY_CARD: Final[Ints] = np.zeros(1, np.int64)
"""The card of work that uses no share of one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A node and cards of it, by their positions in the node table."""

    node: int
    cards: tuple[int, ...]


class _Scores:
    """The scores of one shape: one for each node, and for shares the card to use."""

    def __init__(self, table: NodeTable, shape: Shape) -> None:
        self.suits: Mask = table.suitable_cards(shape)
        self.alone: Ints = np.full(table.size, _NEVER, np.int64)
        """Scores without the price of scarce cards."""
        self.score: Ints = self.alone
        """Scores with it; the same array where nothing is scarce by what the mix expects."""
        self.card: Ints = np.zeros(table.size, np.int64)
        self.seen = -1
        """Clock of the fleet at the last poll; -1 has seen nothing."""
        self.version = -1
        """Version of the mix that the scores are for."""
        self.levels: tuple[int, ...] = ()
        """The scarcity levels that the scores are for."""


class Placer:
    """Chooses places in one node table; equal tables, mixes and histories give equal choices."""

    def __init__(
        self, table: NodeTable, mix: DemandMix | None = None, packing: Packing = Packing.PACK
    ) -> None:
        self.table = table
        self.mix = mix or DemandMix()
        self._packing = packing
        self._scores: dict[Shape, _Scores] = {}
        self._packing_score: PackingScore | None = None
        """Made by the first decision: many tables are only counted, never placed in."""
        self._scarcity: ScarcityPricing | None = None
        self._version = self.mix.version

    def choose(
        self, shape: Shape, allowed: Mask | None = None, locality: Ints | None = None
    ) -> Choice | None:
        """Return the best place for one replica, or None if no (allowed) node has capacity.

        Nothing is taken. `allowed` is a mask of N nodes; `locality` (N,) is how many thousandths of what
        the work needs each has on its disk.
        """
        if not self.table.size:
            return None
        scores = self._updated_scores(shape)
        score = scores.score
        if allowed is not None:
            score = np.where(allowed, score, _NEVER)
        ranked = score if locality is None else score + self._worth(shape, locality)
        node = int(ranked.argmax())
        if score[node] == _NEVER:
            return None
        return Choice(node, self._cards(shape, node, scores))

    def _worth(self, shape: Shape, locality: Ints) -> Ints:
        """Return (N,): what locality is worth, in the units of the shape's scores."""
        if self._packing is Packing.SPREAD:
            return locality * _IDLE // np.maximum(self.table.installed, 1)
        if shape.mig_profile:
            # Scores count slices that stay usable: copies decide among equals.
            return locality // COMPLETE
        return locality * _LOCAL_WORTH // COMPLETE

    def _updated_scores(self, shape: Shape) -> _Scores:
        if self.mix.version != self._version:
            self._packing_score = self._scarcity = None
            self._version = self.mix.version
        scores = self._scores.get(shape)
        if scores is None:
            scores = self._scores[shape] = _Scores(self.table, shape)
        if scores.version != self._version:
            scores.version, scores.seen = self._version, -1
        if scores.seen != self.table.version:
            dirty = (self.table.changed_at > scores.seen).nonzero()[0]
            self._rescore_all(shape, scores, dirty)
            self._charge(shape, scores, dirty)
            scores.seen = self.table.version
        return scores

    def _rescore_all(self, shape: Shape, scores: _Scores, nodes: Ints) -> None:
        """Rescore nodes; of many, one idle node stands for all idle ones that are built like it."""
        if len(nodes) <= _BLOCK:
            self._rescore(shape, scores, nodes)
            return
        idle = self.table.is_idle(nodes)
        alike = nodes[idle]
        _, first, which = np.unique(self.table.build[alike], return_index=True, return_inverse=True)
        one_of_each = np.concatenate((nodes[~idle], alike[first]))
        for begin in range(0, len(one_of_each), _BLOCK):
            self._rescore(shape, scores, one_of_each[begin : begin + _BLOCK])
        scores.alone[alike] = scores.alone[alike[first]][which]
        scores.card[alike] = scores.card[alike[first]][which]

    def _rescore(self, shape: Shape, scores: _Scores, nodes: Ints) -> None:
        table = self.table
        fits = (table.cpu.take(nodes) >= shape.cpu_milli) & (
            table.memory.take(nodes) >= shape.memory_mib
        )
        usable = table.free.take(nodes, axis=0) >= (shape.gpu_milli or MILLI_PER_GPU)
        usable &= scores.suits.take(nodes, axis=0)
        if shape.gpu_memory_mib:
            usable &= table.free_mib.take(nodes, axis=0) >= shape.gpu_memory_mib
        if shape.mig_profile:
            usable &= table.count_mig_instances(shape, nodes) > 0
        if shape.total_milli:
            fits &= usable.sum(axis=1) >= max(shape.gpus, 1)
        scores.alone[nodes] = _NEVER
        nodes, usable = nodes.compress(fits), usable.compress(fits, axis=0)
        if not len(nodes):
            return
        if self._packing is Packing.SPREAD:
            score, card = self._spread(nodes, usable)
        else:
            score, card = self._pack(shape, nodes, usable)
        scores.alone[nodes] = score
        scores.card[nodes] = card

    def _charge(self, shape: Shape, scores: _Scores, nodes: Ints) -> None:
        """Subtract what a place costs the expected work that can use no other cards."""
        if self._packing is Packing.SPREAD or not self.mix.constrained:
            scores.score = scores.alone
            return
        if scores.score is scores.alone:
            scores.score = scores.alone.copy()
        scores.score[nodes] = scores.alone[nodes]
        if self._scarcity is None:
            self._scarcity = ScarcityPricing(self.table, self.mix.constrained)
        scarcity = self._scarcity
        scarcity.update()
        if scores.levels != scarcity.levels:
            scores.levels = scarcity.levels
            scores.score[:] = scores.alone
            nodes = np.arange(self.table.size)
        nodes = nodes[scores.alone[nodes] != _NEVER]
        if any(scores.levels) and len(nodes):
            scores.score[nodes] -= scarcity.cost(shape, nodes, scores.card[nodes])

    def _spread(self, nodes: Ints, usable: Mask) -> tuple[Ints, Ints]:
        """Score by how little of the node, and on it of the card, is used: GPUs first, then CPU."""
        table = self.table
        free = table.free[nodes]
        idle = free.sum(axis=1) // np.maximum(table.installed[nodes], 1)
        cpu = table.cpu[nodes] * MILLI_PER_GPU // np.maximum(table.cpu_total[nodes], 1)
        return idle * _IDLE + cpu, np.where(usable, free, -1).argmax(axis=1)

    def _pack(self, shape: Shape, nodes: Ints, usable: Mask) -> tuple[Ints, Ints]:
        """Score by how little the place takes from what the expected demand could use."""
        if self._packing_score is None:
            self._packing_score = PackingScore(self.table, self.mix.typical)
        packing = self._packing_score
        if not shape.gpu_milli:
            return packing.change_for_gpus(shape, nodes) >> _STEP, _ANY_CARD
        if shape.mig_profile:
            cost = np.where(usable, -self.table.mig_losses(shape, nodes), _NEVER)
            card = cost.argmax(axis=1)
            return cost[np.arange(len(nodes)), card], card
        free = self.table.free.take(nodes, axis=0)
        rows, columns = _first_of_equals(usable, free).nonzero()
        cost = np.full(usable.shape, _NEVER, np.int64)
        cost[rows, columns] = packing.change_for_share(shape, nodes.take(rows), free[rows, columns])
        card = cost.argmax(axis=1)
        return cost[np.arange(len(nodes)), card] >> _STEP, card

    def _cards(self, shape: Shape, node: int, scores: _Scores) -> tuple[int, ...]:
        """Return the cards to use on a node that has capacity.

        Whole cards come from one NVLink island if one has enough: the one with fewest left over.
        """
        if shape.gpu_milli:
            return (int(scores.card[node]),)
        if not shape.gpus:
            return ()
        free: list[int] = []
        by_island: dict[int, list[int]] = {}
        cards = zip(
            scores.suits[node].tolist(),
            self.table.free[node].tolist(),
            self.table.island[node].tolist(),
            strict=True,
        )
        for card, (is_suited, milli, island) in enumerate(cards):
            if is_suited and milli == MILLI_PER_GPU:
                free.append(card)
                by_island.setdefault(island, []).append(card)
        best = free
        for _, mine in sorted(by_island.items()):
            if len(mine) >= shape.gpus and (best is free or len(mine) < len(best)):
                best = mine
        return tuple(best[: shape.gpus])


def _first_of_equals(usable: Mask, free: Ints) -> Mask:
    """Return (n, G): the usable cards but those beside a usable one to the left with as much free.

    These cost the same as that one, which is taken before them.
    """
    first = usable.copy()
    first[:, 1:] &= (free[:, 1:] != free[:, :-1]) | ~usable[:, :-1]
    return first
