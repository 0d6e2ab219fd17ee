"""One pool as the placement kernel sees it: arrays that follow the capacities of its nodes.

The capacities are immutable values, which undo well; the arrays make a decision among thousands of
nodes fast. They hold the same facts: a node whose value changed is copied again before the next use.

A slice is a share of its card: one of eight is 125 thousandths, and all eight are the whole card. A
card that is not cut as its pool says takes nothing new.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from scheduler.core.capacity.node_capacity import CardCapacity, Devices, NodeCapacity
from scheduler.core.model.cached_content import CachedContent
from scheduler.core.model.card_kind import is_chosen
from scheduler.core.model.entities import (
    AcceleratorId,
    NodeId,
    NodeView,
    Placement,
    PoolView,
    Request,
)
from scheduler.core.model.mig import choose_slots, slot_mask
from scheduler.core.placement.demand import DemandMix
from scheduler.core.placement.locality import Locality
from scheduler.core.placement.node_table import CardSpec, Ints, Mask, NodeSpec, NodeTable
from scheduler.core.placement.placer import Choice, Placer
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape


@dataclass(frozen=True, slots=True)
class PoolInventory:
    """What does not change about a pool: its settings and its nodes."""

    pool: PoolView
    nodes: Mapping[NodeId, NodeView]
    cached: Mapping[str, CachedContent]
    """What nodes have copies of, by name."""


class PoolMatrix:
    """The node table of one pool, brought up to date with the capacities whenever it is used."""

    def __init__(
        self,
        capacities: Mapping[NodeId, NodeCapacity],
        inventory: PoolInventory,
        changed: set[NodeId],
        demand: DemandMix | None = None,
        *,
        lending: bool = False,
        base: "PoolMatrix | None" = None,
    ) -> None:
        """Copy the capacities; the caller adds to `changed` the nodes whose capacity changes later.

        `lending` shows the pool as borrowers may use it: untouched cards only, each as a whole.
        `base` is a matrix of the same nodes and cards, from which only what differs is copied.
        """
        pool = inventory.pool
        self.capacities: Final = capacities
        self._changed = changed
        self._lending = lending
        self.slices_per_card: Final = 1 if lending else max(pool.slices_per_card, 1)
        """Into how many parts each card is cut, for the work that uses this matrix."""
        self._cut = pool.slices_per_card
        self._has_profiles = any(
            card.view.mig_profiles for capacity in capacities.values() for card in capacity.cards
        )
        self.nodes: Final = tuple(sorted(capacities))
        self._row: Final = {node: row for row, node in enumerate(self.nodes)}
        if base is None:
            self._table = NodeTable(
                [self._spec(capacities[node], inventory) for node in self.nodes]
            )
        else:
            self._table = base.table.copy()
            changed.update(
                node for node in self.nodes if capacities[node] is not base.capacities[node]
            )
        switches = sorted({inventory.nodes[node].switch for node in self.nodes} | {""})
        self.switch: Final = np.array(
            [switches.index(inventory.nodes[node].switch) for node in self.nodes], np.int64
        )
        """The switch of each node as a number; 0 is not known."""
        self._placer: Final = Placer(self._table, demand, pool.policy.packing)
        self._shapes: dict[Request, Shape | None] = {}
        self._suited: dict[Shape, Mask] = {}
        self._locality: Final = Locality(inventory.cached, self._row)

    @property
    def table(self) -> NodeTable:
        """The arrays, up to date."""
        self._refresh_changed()
        return self._table

    @cached_property
    def models(self) -> frozenset[str]:
        """The models of its cards."""
        return frozenset(kind.model for kind in self._table.kinds[1:])

    def count_chosen(self, request: Request) -> int:
        """Return how many of its cards the request chooses by kind, free or not."""
        return sum(
            is_chosen(card.view, request)
            for capacity in self.capacities.values()
            for card in capacity.cards
        )

    def counting_shape(self, request: Request) -> Shape | None:
        """Return the shape whose suitable cards count for the request, if only for its reasons.

        More slices than a card has are no valid shape, but the cards in question are known.
        """
        if request.slices > self.slices_per_card > 1:
            return self.shape(replace(request, slices=1))
        return self.shape(request)

    def shape(self, request: Request) -> Shape | None:
        """Return the shape of one replica, or None if this pool's cards cannot be given that way."""
        if request not in self._shapes:
            self._shapes[request] = shape_of(request, self.slices_per_card, lending=self._lending)
        return self._shapes[request]

    def suitable_cards(self, shape: Shape) -> Mask:
        """Return (nodes, cards): the cards that the shape could ever have."""
        if shape not in self._suited:
            self._suited[shape] = self._table.suitable_cards(shape)
        return self._suited[shape]

    @contextmanager
    def avoiding(self, avoid: frozenset[NodeId | AcceleratorId]) -> Iterator[None]:
        """Treat these cards as taken inside the block; nodes to avoid are masked by `all_but`."""
        nodes: list[NodeId] = []
        if not avoid <= self._row.keys():
            cards = self._nodes_of_cards.items()
            nodes = [node for node, found in cards if not avoid.isdisjoint(found)]
        self._refresh_changed()
        for node in nodes:
            self._refresh(node, avoid)
        try:
            yield
        finally:
            self._changed.update(nodes)

    def all_but(self, avoid: frozenset[NodeId | AcceleratorId]) -> Mask:
        """Return the mask of all nodes but these."""
        mask = np.ones(len(self.nodes), np.bool_)
        mask[[row for node, row in self._row.items() if node in avoid]] = False
        return mask

    def only_nodes(self, nodes: frozenset[NodeId]) -> Mask:
        """Return the mask of these nodes alone, as far as the pool has them."""
        mask = np.zeros(len(self.nodes), np.bool_)
        mask[[self._row[node] for node in nodes if node in self._row]] = True
        return mask

    def locality(self, contents: tuple[str, ...]) -> Ints | None:
        """Return how much of the contents each node has; None where that makes no difference."""
        return self._locality.of(contents) if contents else None

    def choose(
        self, request: Request, allowed: Mask | None = None, locality: Ints | None = None
    ) -> Placement | None:
        """Return the best placement of a single replica, or None."""
        shape = self.shape(request)
        if shape is None:
            return None
        self._refresh_changed()
        choice = self._placer.choose(shape, allowed, locality)
        if choice is None:
            return None
        capacity = self.capacities[self.nodes[choice.node]]
        return Placement(capacity.node, self._devices(request, capacity, choice.cards))

    def fill(
        self, request: Request, replicas: int, allowed: Mask, locality: Ints | None = None
    ) -> tuple[int, tuple[Placement, ...]]:
        """Return the best node for so many replicas, by its row, and their placements there.

        Every allowed node must have capacity for them.

        Raises:
            ValueError: none has.
        """
        shape = self.shape(request)
        several = shape if shape is None or shape.gpu_milli else _for_replicas(shape, replicas)
        best = None if several is None else self._placer.choose(several, allowed, locality)
        if shape is None or best is None:
            raise ValueError("no node has capacity for so many replicas")
        row = best.node
        return row, self._filled(request, shape, row, replicas)

    def _filled(
        self, request: Request, shape: Shape, row: int, replicas: int
    ) -> tuple[Placement, ...]:
        """Place the replicas on one node, one after the other, and take them back again."""
        capacity = self.capacities[self.nodes[row]]
        only = np.zeros(len(self.nodes), np.bool_)
        only[row] = True
        taken: list[Choice] = []
        placements: list[Placement] = []
        for _ in range(replicas):
            choice = self._placer.choose(shape, only)
            if choice is None:
                break
            devices = self._devices(request, capacity, choice.cards)
            self._table.allocate(row, shape, choice.cards)
            taken.append(choice)
            capacity = capacity.after_allocating(
                devices, 0, 0, request.gpu_milli, request.gpu_memory_mib
            )
            self._set_free_slices(row, capacity)
            placements.append(Placement(capacity.node, devices))
        for choice in reversed(taken):
            self._table.release(row, shape, choice.cards)
        self._set_free_slices(row, self.capacities[self.nodes[row]])
        return tuple(placements)

    def _set_free_slices(self, row: int, capacity: NodeCapacity) -> None:
        """Copy which memory slices of MIG cards are free."""
        if self._has_profiles:
            self._table.free_slices[row, : len(capacity.cards)] = [
                slot_mask(card.free_slots) for card in capacity.cards
            ]

    def count_replicas(self, request: Request) -> Ints:
        """Return how many replicas of the request each node could take, at most all of them."""
        shape = self.shape(request)
        if shape is None:
            return np.zeros(len(self.nodes), np.int64)
        table = self.table
        counts: Ints = np.full(len(self.nodes), request.replicas, np.int64)
        if shape.gpus:
            whole = (self.suitable_cards(shape) & (table.free == MILLI_PER_GPU)).sum(axis=1)
            counts = np.minimum(counts, whole // shape.gpus)
        elif shape.gpu_milli:
            if shape.mig_profile:
                by_card = np.where(self.suitable_cards(shape), table.count_mig_instances(shape), 0)
            else:
                by_card = np.where(self.suitable_cards(shape), table.free // shape.gpu_milli, 0)
            if shape.gpu_memory_mib:
                by_card = np.minimum(by_card, table.free_mib // shape.gpu_memory_mib)
            counts = np.minimum(counts, by_card.sum(axis=1))
        if shape.cpu_milli:
            counts = np.minimum(counts, table.cpu // shape.cpu_milli)
        if shape.memory_mib:
            counts = np.minimum(counts, table.memory // shape.memory_mib)
        return np.maximum(counts, 0)

    def _refresh_changed(self) -> None:
        for node in self._changed:
            self._refresh(node)
        self._changed.clear()

    def _refresh(self, node: NodeId, avoid: Collection[str] = ()) -> None:
        """Copy what is free on a node; cards to avoid count as taken."""
        capacity, row = self.capacities[node], self._row[node]
        self._table.set_free(
            row,
            capacity.cpu_milli,
            capacity.memory_mib,
            [0 if card.view.id in avoid else self._free(card) for card in capacity.cards],
            [card.view.memory_mib - card.shared_mib for card in capacity.cards],
        )
        self._set_free_slices(row, capacity)

    @cached_property
    def _nodes_of_cards(self) -> Mapping[NodeId, frozenset[AcceleratorId]]:
        """The cards of each node, to find the nodes of cards to avoid."""
        return {
            node: frozenset(card.view.id for card in capacity.cards)
            for node, capacity in self.capacities.items()
        }

    def _free(self, card: CardCapacity) -> int:
        """Return the free thousandths of a card."""
        if card.view.slices != self._cut:
            return 0
        if self._lending:
            return MILLI_PER_GPU if card.is_untouched and not card.view.mig_profiles else 0
        if self._cut == 1:
            return MILLI_PER_GPU - card.shared_milli if card.free_slots else 0
        return len(card.free_slots) * (MILLI_PER_GPU // self.slices_per_card)

    def _spec(self, capacity: NodeCapacity, inventory: PoolInventory) -> NodeSpec:
        node = inventory.nodes[capacity.node]
        return NodeSpec(
            cpu_milli=capacity.cpu_milli,
            memory_mib=capacity.memory_mib,
            switch=node.switch,
            cpu_total_milli=node.cpu_milli,
            memory_total_mib=node.memory_mib,
            cards=tuple(
                CardSpec(
                    model=card.view.model,
                    memory_mib=card.view.memory_mib,
                    free_milli=self._free(card),
                    free_memory_mib=card.view.memory_mib - card.shared_mib,
                    island=card.view.island,
                    allows_whole=card.view.slices == self._cut,
                    allows_shares=card.view.slices == self._cut and not self._lending,
                    mig_profiles=card.view.mig_profiles,
                    free_slices=slot_mask(card.free_slots) if card.view.mig_profiles else 0,
                    features=card.view.features,
                    bandwidth_gbps=card.view.bandwidth_gbps,
                )
                for card in capacity.cards
            ),
        )

    def _devices(self, request: Request, capacity: NodeCapacity, cards: tuple[int, ...]) -> Devices:
        """Return the devices on the cards at these positions."""
        chosen = [capacity.cards[position] for position in cards]
        if self._lending:
            return tuple(
                (card.view.id, slot) for card in chosen for slot in sorted(card.free_slots)
            )
        if request.mig_profile:
            card = chosen[0]
            slots = choose_slots(card.view.mig_profiles, request.mig_profile, card.free_slots)
            return tuple((card.view.id, slot) for slot in slots)
        if request.slices:
            card = chosen[0]
            return tuple((card.view.id, slot) for slot in sorted(card.free_slots)[: request.slices])
        return tuple((card.view.id, 0) for card in chosen)


@lru_cache(maxsize=4096)
def shape_of(request: Request, slices: int, *, lending: bool = False) -> Shape | None:
    """Return the request as the kernel's shape, in a pool that cuts its cards into `slices`."""
    cards, share = request.gpus, request.gpu_milli
    if request.slices:
        if slices == 1 or request.slices > slices:
            return None
        whole = request.slices == slices
        cards, share = (1, 0) if whole else (0, request.slices * (MILLI_PER_GPU // slices))
    elif ((cards or share) and slices > 1) or (share and lending):
        return None
    return Shape(
        cpu_milli=request.cpu_milli,
        memory_mib=request.memory_mib,
        gpus=cards,
        gpu_milli=share,
        gpu_memory_mib=request.gpu_memory_mib,
        mig_profile=request.mig_profile,
        mig_slices=request.slices if request.mig_profile else 0,
        models=request.gpu_models,
        min_card_memory_mib=request.gpu_memory_min_mib,
        max_card_memory_mib=request.max_card_memory_mib,
        features=request.gpu_features,
        min_bandwidth_gbps=request.gpu_bandwidth_min_gbps,
    )


def _for_replicas(shape: Shape, count: int) -> Shape:
    return Shape(
        cpu_milli=shape.cpu_milli * count,
        memory_mib=shape.memory_mib * count,
        gpus=shape.gpus * count,
        mig_profile=shape.mig_profile,
        mig_slices=shape.mig_slices,
        models=shape.models,
        min_card_memory_mib=shape.min_card_memory_mib,
        max_card_memory_mib=shape.max_card_memory_mib,
        features=shape.features,
        min_bandwidth_gbps=shape.min_bandwidth_gbps,
    )
