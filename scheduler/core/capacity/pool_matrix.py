"""The rooms of one pool as the placement kernel sees them: arrays that follow the rooms.

A slice of a card is a share of it: one of eight is 125 thousandths, and all eight are the whole
card. A card whose cut is no longer that of its pool takes nothing new.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from scheduler.core.capacity.node_capacity import CardCapacity, Devices, NodeCapacity
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
from scheduler.core.placement.node_table import CardSpec, Ints, Mask, NodeSpec, NodeTable
from scheduler.core.placement.placer import Choice, Placer
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape


@dataclass(frozen=True, slots=True)
class PoolInventory:
    """What does not change about the rooms of a pool."""

    pool: PoolView
    nodes: Mapping[NodeId, NodeView]


class PoolMatrix:
    """One pool for the kernel. Made on first use; catches up with the rooms when it is asked."""

    def __init__(
        self,
        rooms: Mapping[NodeId, NodeCapacity],
        site: PoolInventory,
        changed: set[NodeId],
        mix: DemandMix | None = None,
        *,
        lent: bool = False,
        like: "PoolMatrix | None" = None,
    ) -> None:
        """Copy the rooms; `changed` names those that are not as they were any more.

        `like` is another view of the same nodes and cards, of which only what differs is copied.
        """
        pool = site.pool
        self.capacity: Final = rooms
        self._changed = changed
        self._lent = lent
        self.slices_per_card: Final = 1 if lent else max(pool.slices_per_card, 1)
        """Into how many parts each card is cut, as those see it who may use this yard."""
        self._cut = pool.slices_per_card
        self._has_profiles = any(
            card.view.mig_profiles for room in rooms.values() for card in room.cards
        )
        self.nodes: Final = tuple(sorted(rooms))
        self._row: Final = {node: row for row, node in enumerate(self.nodes)}
        if like is None:
            self._fleet = NodeTable([self._spec(rooms[node], site) for node in self.nodes])
        else:
            self._fleet = like.table.copy()
            changed.update(node for node in self.nodes if rooms[node] is not like.capacity[node])
        switches = sorted({site.nodes[node].switch for node in self.nodes} | {""})
        self.switch: Final = np.array(
            [switches.index(site.nodes[node].switch) for node in self.nodes], np.int64
        )
        """The switch of each node as a number; 0 is not known."""
        self._placer: Final = Placer(self._fleet, mix, pool.policy.packing)
        self._shapes: dict[Request, Shape | None] = {}
        self._suited: dict[Shape, Mask] = {}

    @property
    def table(self) -> NodeTable:
        """The arrays, as the rooms are now."""
        self._catch_up()
        return self._fleet

    @cached_property
    def models(self) -> frozenset[str]:
        """The models of its cards."""
        return frozenset(model for model, mib in self._fleet.kinds if mib >= 0)

    def counting_shape(self, request: Request) -> Shape | None:
        """Return a shape of which the cards are those that count for the request.

        A replica that wants more than a whole card has no shape, but cards that suit it.
        """
        if request.slices > self.slices_per_card > 1:
            return self.shape(replace(request, slices=1))
        return self.shape(request)

    def shape(self, request: Request) -> Shape | None:
        """Return what one replica asks for, or None if the cards of this pool are not for it."""
        if request not in self._shapes:
            self._shapes[request] = shape_of(request, self.slices_per_card, lent=self._lent)
        return self._shapes[request]

    def suitable_cards(self, shape: Shape) -> Mask:
        """Return the cards (nodes, cards) that the shape could ever have."""
        if shape not in self._suited:
            self._suited[shape] = self._fleet.suitable_cards(shape)
        return self._suited[shape]

    @contextmanager
    def avoiding(self, avoid: frozenset[NodeId | AcceleratorId]) -> Iterator[None]:
        """Let none of these cards be chosen inside the block; nodes are the business of `all_but`."""
        nodes: list[NodeId] = []
        if not avoid <= self._row.keys():
            cards = self._nodes_of_cards.items()
            nodes = [node for node, found in cards if not avoid.isdisjoint(found)]
        self._catch_up()
        for node in nodes:
            self._renew(node, avoid)
        try:
            yield
        finally:
            self._changed.update(nodes)

    def all_but(self, avoid: frozenset[NodeId | AcceleratorId]) -> Mask:
        """Return the nodes that are not among these."""
        mask = np.ones(len(self.nodes), np.bool_)
        mask[[row for node, row in self._row.items() if node in avoid]] = False
        return mask

    def only_node(self, node: NodeId) -> Mask:
        """Return this node alone; none where it is not among these."""
        mask = np.zeros(len(self.nodes), np.bool_)
        if node in self._row:
            mask[self._row[node]] = True
        return mask

    def choose(self, request: Request, allowed: Mask | None = None) -> Placement | None:
        """Return the best place of a single replica."""
        shape = self.shape(request)
        if shape is None:
            return None
        self._catch_up()
        choice = self._placer.choose(shape, allowed)
        if choice is None:
            return None
        room = self.capacity[self.nodes[choice.node]]
        return Placement(room.node, self._devices(request, room, choice.cards))

    def fill(
        self, request: Request, replicas: int, allowed: Mask
    ) -> tuple[int, tuple[Placement, ...]]:
        """Return the best node for so many replicas, by its row, and their placements there.

        Every node that is allowed has room for them.

        Raises:
            ValueError: none has.
        """
        shape = self.shape(request)
        several = shape if shape is None or shape.gpu_milli else _for_replicas(shape, replicas)
        best = None if several is None else self._placer.choose(several, allowed)
        if shape is None or best is None:
            raise ValueError("no node has room for so many replicas")
        row = best.node
        return row, self._filled(request, shape, row, replicas)

    def _filled(
        self, request: Request, shape: Shape, row: int, replicas: int
    ) -> tuple[Placement, ...]:
        """Try the replicas on one node, one after the other."""
        room = self.capacity[self.nodes[row]]
        only = np.zeros(len(self.nodes), np.bool_)
        only[row] = True
        taken: list[Choice] = []
        placements: list[Placement] = []
        for _ in range(replicas):
            choice = self._placer.choose(shape, only)
            if choice is None:
                break
            devices = self._devices(request, room, choice.cards)
            self._fleet.allocate(row, shape, choice.cards)
            taken.append(choice)
            room = room.after_allocating(devices, 0, 0, request.gpu_milli, request.gpu_memory_mib)
            self._open(row, room)
            placements.append(Placement(room.node, devices))
        for choice in reversed(taken):
            self._fleet.release(row, shape, choice.cards)
        self._open(row, self.capacity[self.nodes[row]])
        return tuple(placements)

    def _open(self, row: int, room: NodeCapacity) -> None:
        """Tell the kernel which slices of cards that are cut in hardware are free."""
        if self._has_profiles:
            self._fleet.free_slices[row, : len(room.cards)] = [
                slot_mask(card.free_slots) for card in room.cards
            ]

    def count_replicas(self, request: Request) -> Ints:
        """Return how many replicas of the request each node could take, at most all of them."""
        shape = self.shape(request)
        if shape is None:
            return np.zeros(len(self.nodes), np.int64)
        fleet = self.table
        counts: Ints = np.full(len(self.nodes), request.replicas, np.int64)
        if shape.gpus:
            whole = (self.suitable_cards(shape) & (fleet.free == MILLI_PER_GPU)).sum(axis=1)
            counts = np.minimum(counts, whole // shape.gpus)
        elif shape.gpu_milli:
            if shape.mig_profile:
                by_card = np.where(self.suitable_cards(shape), fleet.count_mig_instances(shape), 0)
            else:
                by_card = np.where(self.suitable_cards(shape), fleet.free // shape.gpu_milli, 0)
            if shape.gpu_memory_mib:
                by_card = np.minimum(by_card, fleet.free_mib // shape.gpu_memory_mib)
            counts = np.minimum(counts, by_card.sum(axis=1))
        if shape.cpu_milli:
            counts = np.minimum(counts, fleet.cpu // shape.cpu_milli)
        if shape.memory_mib:
            counts = np.minimum(counts, fleet.memory // shape.memory_mib)
        return np.maximum(counts, 0)

    def _catch_up(self) -> None:
        for node in self._changed:
            self._renew(node)
        self._changed.clear()

    def _renew(self, node: NodeId, avoid: Collection[str] = ()) -> None:
        """Tell the kernel what is free on a node; cards to avoid count as taken."""
        room, row = self.capacity[node], self._row[node]
        self._fleet.set_free(
            row,
            room.cpu_milli,
            room.memory_mib,
            [0 if card.view.id in avoid else self._free(card) for card in room.cards],
            [card.view.memory_mib - card.shared_mib for card in room.cards],
        )
        self._open(row, room)

    @cached_property
    def _nodes_of_cards(self) -> Mapping[NodeId, frozenset[AcceleratorId]]:
        """The cards of each node, for those who avoid some of them."""
        return {
            node: frozenset(card.view.id for card in room.cards)
            for node, room in self.capacity.items()
        }

    def _free(self, card: CardCapacity) -> int:
        """Return the free thousandths of a card."""
        if card.view.slices != self._cut:
            return 0
        if self._lent:
            return MILLI_PER_GPU if card.is_untouched and not card.view.mig_profiles else 0
        if self._cut == 1:
            return MILLI_PER_GPU - card.shared_milli if card.free_slots else 0
        return len(card.free_slots) * (MILLI_PER_GPU // self.slices_per_card)

    def _spec(self, room: NodeCapacity, site: PoolInventory) -> NodeSpec:
        node = site.nodes[room.node]
        return NodeSpec(
            cpu_milli=room.cpu_milli,
            memory_mib=room.memory_mib,
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
                    allows_shares=card.view.slices == self._cut and not self._lent,
                    mig_profiles=card.view.mig_profiles,
                    free_slices=slot_mask(card.free_slots) if card.view.mig_profiles else 0,
                )
                for card in room.cards
            ),
        )

    def _devices(self, request: Request, room: NodeCapacity, cards: tuple[int, ...]) -> Devices:
        """Name the devices on cards of these positions."""
        chosen = [room.cards[position] for position in cards]
        if self._lent:
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


def shape_of(request: Request, slices: int, *, lent: bool = False) -> Shape | None:
    """Return the request as the kernel's shape, in a pool that cuts its cards into `slices`."""
    cards, share = request.gpus, request.gpu_milli
    if request.slices:
        if slices == 1 or request.slices > slices:
            return None
        whole = request.slices == slices
        cards, share = (1, 0) if whole else (0, request.slices * (MILLI_PER_GPU // slices))
    elif ((cards or share) and slices > 1) or (share and lent):
        return None
    return Shape(
        cpu_milli=request.cpu_milli,
        memory_mib=request.memory_mib,
        gpus=cards,
        gpu_milli=share,
        gpu_memory_mib=request.gpu_memory_mib,
        mig_profile=request.mig_profile,
        mig_slices=request.slices if request.mig_profile else 0,
        models=request.models,
        min_card_memory_mib=request.min_card_memory_mib,
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
    )
