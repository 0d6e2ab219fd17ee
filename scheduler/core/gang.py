"""Where the replicas of one workload go: all of them, or none.

Replicas prefer one node, then as few nodes as possible, then the best score on each.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from scheduler.core.entities import NodeId, Placement, Request
from scheduler.core.filters import replicas_that_fit
from scheduler.core.room import Card, Devices, Room
from scheduler.core.scoring import Score, score


@dataclass(frozen=True, slots=True)
class _Option:
    """How many replicas one room could take."""

    room: Room
    replicas: int


def place_gang(
    request: Request, rooms: Iterable[Room], avoid: frozenset[NodeId] = frozenset()
) -> tuple[Placement, ...] | None:
    """Return one placement per rank in rank order, or None if not all of them fit.

    Nodes to avoid are used only if the gang cannot do without them.
    """
    options = [_Option(room, replicas_that_fit(request, room)) for room in rooms]
    wanted = [option for option in options if option.room.node not in avoid]
    return _spread(request, wanted) or (_spread(request, options) if avoid else None)


def choose_devices(request: Request, room: Room) -> Devices:
    """Return the devices of one more replica, or where it does not fit the best part of them.

    Whole cards are taken by lowest index; slices come from the fullest card that has enough.
    """
    if request.cards > 0:
        cards = room.whole_cards(request)[: request.cards]
        return tuple((card.view.id, 0) for card in cards)
    cut = room.cut_cards(request)
    if request.slices > 0 and cut:
        enough = [card for card in cut if len(card.free) >= request.slices]
        card = min(enough, key=_free_slots) if enough else max(cut, key=_free_slots)
        return tuple((card.view.id, slot) for slot in sorted(card.free)[: request.slices])
    return ()


def _spread(request: Request, options: list[_Option]) -> tuple[Placement, ...] | None:
    """Fill the roomiest nodes first, and finish on the one that the remaining ranks fit best."""
    if sum(option.replicas for option in options) < request.replicas:
        return None
    placements: tuple[Placement, ...] = ()
    while missing := request.replicas - len(placements):
        most = min(missing, max(option.replicas for option in options))
        roomy = [option for option in options if option.replicas >= most]
        best = min(roomy, key=lambda option: _preference(request, option.room, most))
        placements += _fill(request, best.room, most)[0]
        options = [option for option in options if option is not best]
    return placements


def _preference(request: Request, room: Room, replicas: int) -> tuple[Score, NodeId]:
    _, after = _fill(request, room, replicas)
    return score(request, room, after), room.node


def _fill(request: Request, room: Room, replicas: int) -> tuple[tuple[Placement, ...], Room]:
    """Return the placements of so many replicas in the room, and the room after them."""
    placements = []
    for _ in range(replicas):
        devices = choose_devices(request, room)
        placements.append(Placement(room.node, devices))
        room = room.without(devices, request.cpu, request.memory)
    return tuple(placements), room


def _free_slots(card: Card) -> int:
    return len(card.free)
