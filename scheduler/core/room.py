"""What is left on a node: immutable values, so that a tentative decision costs nothing to drop."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from scheduler.core.entities import (
    AcceleratorId,
    AcceleratorView,
    NodeId,
    NodeView,
    PoolId,
    Request,
)
from scheduler.core.snapshot import Snapshot
from scheduler.core.states import AcceleratorState, NodeState

Devices = tuple[tuple[AcceleratorId, int], ...]
RoomsByPool = dict[PoolId, dict[NodeId, "Room"]]


@dataclass(frozen=True, slots=True)
class Card:
    """One card and its free slots."""

    view: AcceleratorView
    free: frozenset[int]

    @property
    def untouched(self) -> bool:
        """Tell whether nobody holds any part of it."""
        return len(self.free) == self.view.slices


@dataclass(frozen=True, slots=True)
class Room:
    """Free CPU, host memory and cards of one node."""

    node: NodeId
    cpu: int
    memory: int
    cards: tuple[Card, ...] = ()
    """In the order of their index; only cards that may take work."""

    def whole_cards(self, request: Request | None = None) -> tuple[Card, ...]:
        """Return the exclusive cards that are free and suit the request."""
        return tuple(
            card
            for card in self.cards
            if not card.view.shared and card.free and _suits(card, request)
        )

    def cut_cards(self, request: Request | None = None) -> tuple[Card, ...]:
        """Return the suitable cards that are cut into slices, full ones included."""
        return tuple(card for card in self.cards if card.view.shared and _suits(card, request))

    def without(self, devices: Devices, cpu: int, memory: int) -> "Room":
        """Return what is left after these devices, CPU and memory are taken."""
        taken: dict[AcceleratorId, set[int]] = defaultdict(set)
        for accelerator, slot in devices:
            taken[accelerator].add(slot)
        cards = tuple(
            replace(card, free=card.free - taken[card.view.id]) if card.view.id in taken else card
            for card in self.cards
        )
        return Room(self.node, self.cpu - cpu, self.memory - memory, cards)

    def with_back(self, devices: Devices, cpu: int, memory: int) -> "Room":
        """Return what is there once these are given back; a card that broke meanwhile is not."""
        given: dict[AcceleratorId, set[int]] = defaultdict(set)
        for accelerator, slot in devices:
            given[accelerator].add(slot)
        cards = tuple(
            replace(card, free=card.free | given[card.view.id]) if card.view.id in given else card
            for card in self.cards
        )
        return Room(self.node, self.cpu + cpu, self.memory + memory, cards)


def installed_rooms(snapshot: Snapshot) -> RoomsByPool:
    """Return every node as if nothing ran and everything were healthy: what the site owns."""
    owned = frozenset(NodeState) - {NodeState.RETIRED}
    fitted = frozenset(AcceleratorState) - {AcceleratorState.GONE}
    return _rooms(snapshot, owned, fitted, _empty)


def usable_rooms(snapshot: Snapshot) -> RoomsByPool:
    """Return the nodes and cards that take work today, as if nothing ran on them."""
    return _rooms(snapshot, _TAKES_WORK, _HEALTHY, _empty)


def free_rooms(snapshot: Snapshot) -> RoomsByPool:
    """Return what nobody holds, on the nodes and cards that take work."""
    return _rooms(snapshot, _TAKES_WORK, _HEALTHY, _as_it_is)


_TAKES_WORK: Final = frozenset({NodeState.READY})
_HEALTHY: Final = frozenset({AcceleratorState.OK})


def _empty(node: NodeView, views: Iterable[AcceleratorView]) -> Room:
    cards = tuple(Card(view, frozenset(range(view.slices))) for view in views)
    return Room(node.id, node.cpu, node.memory, cards)


def _as_it_is(node: NodeView, views: Iterable[AcceleratorView]) -> Room:
    cards = tuple(Card(view, frozenset(range(view.slices)) - view.taken) for view in views)
    return Room(node.id, node.cpu - node.cpu_used, node.memory - node.memory_used, cards)


def _rooms(
    snapshot: Snapshot,
    nodes: frozenset[NodeState],
    cards: frozenset[AcceleratorState],
    furnish: Callable[[NodeView, Iterable[AcceleratorView]], Room],
) -> RoomsByPool:
    """Group nodes by pool. A node belongs to the pool of its cards, broken ones included."""
    on_node: dict[NodeId, list[AcceleratorView]] = defaultdict(list)
    for view in sorted(snapshot.accelerators, key=lambda view: (view.index, view.id)):
        on_node[view.node].append(view)
    rooms: RoomsByPool = {pool.id: {} for pool in snapshot.pools}
    for node in sorted(snapshot.nodes, key=lambda node: node.id):
        views = on_node[node.id]
        if views and node.state in nodes:
            rooms[views[0].pool][node.id] = furnish(
                node, [view for view in views if view.state in cards]
            )
    return rooms


def _suits(card: Card, request: Request | None) -> bool:
    """Tell whether a card is one of those that the request accepts."""
    if request is None:
        return True
    is_of_a_model = not request.models or card.view.model in request.models
    return is_of_a_model and card.view.memory_mib >= request.card_mib
