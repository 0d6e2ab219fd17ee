"""Published placement policies to compare with: random, best-fit and FGD.

As in the simulator of Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), with two details that
the paper leaves out: scores are cut to whole numbers, and of equal scores the first node in a fixed
order is taken, here that of the node table's rows. FGD knows the whole list of tasks beforehand.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from scheduler.core.placement.node_table import Ints, Mask, NodeTable
from scheduler.core.placement.placer import Choice
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

_NEVER: Final = -1
_MAX_CPU: Final = 128_000
_MAX_CARDS: Final = 8 * MILLI_PER_GPU
_TYPICAL_PCT: Final = 95

Floats = NDArray[np.float64]


class ReferencePolicy(Protocol):
    """Chooses a place for one task after the other; the caller takes it."""

    def choose(self, shape: Shape) -> Choice | None:
        """Return where it goes; None only if it fits nowhere."""


class _Ranked(ABC):
    """Scores per shape that are worked out again only for the nodes that have changed."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self._suits: dict[Shape, Mask] = {}
        self._scores: dict[Shape, Ints] = {}
        self._cards: dict[Shape, Ints] = {}
        self._seen: dict[Shape, int] = {}

    def choose(self, shape: Shape) -> Choice | None:
        """Return the first of the best nodes."""
        scores = self._fresh(shape)
        node = int(scores.argmax())
        if scores[node] == _NEVER:
            return None
        if shape.gpu_milli:
            return Choice(node, (int(self._cards[shape][node]),))
        return Choice(node, _first_whole(self._table, node, shape))

    def _fresh(self, shape: Shape) -> Ints:
        table = self._table
        if shape not in self._scores:
            self._suits[shape] = table.suitable_cards(shape)
            self._scores[shape] = np.full(table.size, _NEVER, np.int64)
            self._cards[shape] = np.zeros(table.size, np.int64)
        nodes = np.flatnonzero(table.changed_at > self._seen.get(shape, -1))
        if len(nodes):
            usable = _usable(table, shape, nodes, self._suits[shape])
            roomy = _roomy(table, shape, nodes, usable)
            self._scores[shape][nodes] = _NEVER
            nodes, usable = nodes[roomy], usable[roomy]
            score, card = self._score(shape, nodes, usable)
            self._scores[shape][nodes] = score
            self._cards[shape][nodes] = card
            self._seen[shape] = table.version
        return self._scores[shape]

    @abstractmethod
    def _score(self, shape: Shape, nodes: Ints, usable: Mask) -> tuple[Ints, Ints]:
        """Return a score from 0 to 100 for each node, and the card that a share would use."""


class BestFit(_Ranked):
    """Least left over on the node, both CPU and compute; shares on the fullest card."""

    @override
    def _score(self, shape: Shape, nodes: Ints, usable: Mask) -> tuple[Ints, Ints]:
        free = self._table.free[nodes]
        cpu = (self._table.cpu[nodes] - shape.cpu_milli) / _MAX_CPU * 0.5
        compute = (free.sum(axis=1) - shape.total_milli) / _MAX_CARDS * 0.5
        card = np.where(usable, free, 2 * MILLI_PER_GPU).argmin(axis=1)
        return ((1.0 - (cpu + compute)) * 100.0).astype(np.int64), card


class Fgd(_Ranked):
    """Fragmentation gradient descent: the least growth of what typical tasks could not use."""

    def __init__(self, table: NodeTable, tasks: Sequence[Shape]) -> None:
        super().__init__(table)
        typical = _typical(tasks)
        self._total = sum(count for _, count in typical)
        steps = sorted({0, *(cpu for (cpu, *_), _ in typical)})
        self._steps: Ints = np.array(steps, np.int64)
        width = table.free.shape[1]
        self._one: Ints = np.zeros((len(table.kinds), len(steps), MILLI_PER_GPU + 1), np.int64)
        self._many: Ints = np.zeros((len(table.kinds), len(steps), width + 1), np.int64)
        for (cpu, cards, share, models), count in typical:
            step = steps.index(cpu)
            for code, kind in enumerate(table.kinds):
                if not code or (models and kind.model not in models) or not (cards or share):
                    continue
                if cards > 1:
                    self._many[code, step:, cards:] += count
                else:
                    self._one[code, step:, share or MILLI_PER_GPU :] += count
        self._one *= np.arange(MILLI_PER_GPU + 1)
        self._many *= np.arange(width + 1) * MILLI_PER_GPU

    def _usable_by_typical(self, kind: Ints, cpu: Ints, free: Ints) -> Ints:
        """Return (n,): the idle compute that typical tasks could use, summed over their counts."""
        step = np.searchsorted(self._steps, cpu, side="right") - 1
        whole = (free == MILLI_PER_GPU).sum(axis=1)
        one = self._one[kind[:, None], step[:, None], free].sum(axis=1)
        used: Ints = one + self._many[kind, step, whole]
        return used

    @override
    def _score(self, shape: Shape, nodes: Ints, usable: Mask) -> tuple[Ints, Ints]:
        table = self._table
        free, kind, cpu = table.free[nodes], table.kind[nodes, 0], table.cpu[nodes]
        before = self._usable_by_typical(kind, cpu, free)
        if shape.gpu_milli:
            rows, cards = np.nonzero(usable)
            after = free[rows]
            after[np.arange(len(rows)), cards] -= shape.gpu_milli
        else:
            rows, cards = np.arange(len(nodes)), np.zeros(len(nodes), np.int64)
            taken = usable & (usable.cumsum(axis=1) <= shape.gpus)
            after = np.where(taken, 0, free) if shape.gpus else free
        change = (
            self._usable_by_typical(kind[rows], cpu[rows] - shape.cpu_milli, after) - before[rows]
        )
        shrink = (change + shape.total_milli * self._total) / self._total
        points = (100.0 / (1.0 + np.exp(-shrink / MILLI_PER_GPU))).astype(np.int64)
        scores = np.full(usable.shape, _NEVER, np.int64)
        scores[rows, cards] = points
        best = scores.argmax(axis=1)
        return scores[np.arange(len(nodes)), best], best


class Random:
    """Any node that has room, and for a share any card of it that has."""

    def __init__(self, table: NodeTable, seed: int) -> None:
        self._table = table
        self._draw = np.random.default_rng(seed)
        self._suits: dict[Shape, Mask] = {}

    def choose(self, shape: Shape) -> Choice | None:
        """Draw one of the nodes with room."""
        table = self._table
        if shape not in self._suits:
            self._suits[shape] = table.suitable_cards(shape)
        every = np.arange(table.size)
        usable = _usable(table, shape, every, self._suits[shape])
        nodes = np.flatnonzero(_roomy(table, shape, every, usable))
        if not len(nodes):
            return None
        node = int(self._draw.choice(nodes))
        if shape.gpu_milli:
            return Choice(node, (int(self._draw.choice(np.flatnonzero(usable[node]))),))
        return Choice(node, _first_whole(table, node, shape))


def _typical(
    tasks: Sequence[Shape],
) -> list[tuple[tuple[int, int, int, frozenset[str]], int]]:
    """Return the most frequent tasks, memory aside, that make up 95 % of all, with counts."""
    counts = Counter((task.cpu_milli, task.gpus, task.gpu_milli, task.models) for task in tasks)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], *_descending(item[0])))
    kept: list[tuple[tuple[int, int, int, frozenset[str]], int]] = []
    covered = 0
    for task, count in ranked:
        if covered * 100 >= len(tasks) * _TYPICAL_PCT:
            break
        kept.append((task, count))
        covered += count
    return kept


def _descending(task: tuple[int, int, int, frozenset[str]]) -> tuple[int, int, int, str]:
    cpu, cards, share, models = task
    milli = share or (MILLI_PER_GPU if cards else 0)
    return -cpu, -milli, -(cards or bool(share)), "|".join(sorted(models))


def _usable(table: NodeTable, shape: Shape, nodes: Ints, suits: Mask) -> Mask:
    usable: Mask = suits[nodes] & (table.free[nodes] >= (shape.gpu_milli or MILLI_PER_GPU))
    return usable


def _roomy(table: NodeTable, shape: Shape, nodes: Ints, usable: Mask) -> Mask:
    roomy: Mask = (table.cpu[nodes] >= shape.cpu_milli) & (table.memory[nodes] >= shape.memory_mib)
    if shape.total_milli:
        roomy &= usable.sum(axis=1) >= max(shape.gpus, 1)
    return roomy


def _first_whole(table: NodeTable, node: int, shape: Shape) -> tuple[int, ...]:
    free = np.flatnonzero(table.free[node] == MILLI_PER_GPU)
    return tuple(int(card) for card in free[: shape.gpus])
