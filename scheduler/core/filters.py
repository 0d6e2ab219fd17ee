"""Hard constraints: how often a request fits into a room, one rule per kind of capacity.

A new constraint is one more `Rule`. Each rule speaks for one replica on one node; gangs are
built from the number of replicas that every rule allows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from scheduler.core.entities import Request
from scheduler.core.room import Room


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of capacity. `largest` is the most that a single replica could get in the room."""

    resource: str
    requested: Callable[[Request], int]
    largest: Callable[[Room, Request], int]
    total: Callable[[Room, Request], int]
    """Everything of it that is free in the room, usable by one replica or not."""
    replicas: Callable[[Room, Request], int]


@dataclass(frozen=True, slots=True)
class Shortfall:
    """The first rule that no room satisfies, with its numbers."""

    resource: str
    requested: int
    largest: int
    total: int

    @property
    def is_in_devices(self) -> bool:
        """Tell whether cards or slices are short, not CPU or memory."""
        return self.resource in _DEVICES

    @property
    def is_fragmented(self) -> bool:
        """Tell whether enough is free, only not in one piece."""
        return self.is_in_devices and self.total >= self.requested


def _count_cards(room: Room, request: Request) -> int:
    return len(room.whole_cards(request))


def _largest_slices(room: Room, request: Request) -> int:
    return max((len(card.free) for card in room.cut_cards(request)), default=0)


def _count_slices(room: Room, request: Request) -> int:
    return sum(len(card.free) for card in room.cut_cards(request))


def _replicas_by_slices(room: Room, request: Request) -> int:
    return sum(len(card.free) // request.slices for card in room.cut_cards(request))


RULES: Final = (
    Rule(
        "cards",
        requested=lambda request: request.cards,
        largest=_count_cards,
        total=_count_cards,
        replicas=lambda room, request: _count_cards(room, request) // request.cards,
    ),
    Rule(
        "slices",
        requested=lambda request: request.slices,
        largest=_largest_slices,
        total=_count_slices,
        replicas=_replicas_by_slices,
    ),
    Rule(
        "cpu",
        requested=lambda request: request.cpu,
        largest=lambda room, _: room.cpu,
        total=lambda room, _: room.cpu,
        replicas=lambda room, request: room.cpu // request.cpu,
    ),
    Rule(
        "memory",
        requested=lambda request: request.memory,
        largest=lambda room, _: room.memory,
        total=lambda room, _: room.memory,
        replicas=lambda room, request: room.memory // request.memory,
    ),
)
_DEVICES: Final = frozenset({"cards", "slices"})


def replicas_that_fit(request: Request, room: Room) -> int:
    """Return how many replicas of the request the room could take, at most all of them."""
    fitting = request.replicas
    for rule in RULES:
        if rule.requested(request) > 0:
            fitting = min(fitting, rule.replicas(room, request))
        if fitting <= 0:
            return 0
    return fitting


def shortfall(request: Request, rooms: Iterable[Room]) -> Shortfall | None:
    """Return what keeps the request from these rooms, or None if all replicas fit.

    The rules are applied one after the other to the rooms that passed so far, and the first that
    leaves none is named: "4 cards are free on n1, but only 2 CPUs beside them" reads as CPU.
    """
    everywhere = candidates = tuple(rooms)
    for rule in RULES:
        requested = rule.requested(request)
        if requested == 0:
            continue
        passing = tuple(room for room in candidates if rule.largest(room, request) >= requested)
        if not passing:
            largest = max((rule.largest(room, request) for room in candidates), default=0)
            total = sum(rule.total(room, request) for room in candidates)
            return Shortfall(rule.resource, requested, max(largest, 0), max(total, 0))
        candidates = passing
    placeable = sum(replicas_that_fit(request, room) for room in everywhere)
    if placeable < request.replicas:
        return Shortfall("replicas", request.replicas, placeable, placeable)
    return None
