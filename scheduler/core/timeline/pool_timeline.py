"""When a gang fits on real placements: nodes and devices, as running work ends.

Free capacity of a node only grows as its work ends, so the moments at which it can take one, two or
more replicas follow from its own work alone; the gang starts with the latest of the moments that it
needs. Exact, and cheap to repeat: a node that did not change is not walked again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from scheduler.core.capacity.filters import count_replicas
from scheduler.core.capacity.node_capacity import NodeCapacity, is_suitable
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId, Request, RunningWorkload
from scheduler.core.timeline.node_reservation import (
    FREE_NOW,
    FREE_SOON,
    UNKNOWN_FROM,
    NodeReservation,
    Release,
    Releases,
    TimePoint,
    apply_release,
    free_devices,
    part_reserved_now,
    reserve_on_node,
)

DAY_MS: Final = 24 * 3600 * 1000
Avoided = frozenset[NodeId | AcceleratorId]
_NOTHING: Final[Avoided] = frozenset()
EndTimeOf = Callable[[RunningWorkload], TimePoint]


@dataclass(frozen=True, slots=True)
class GangStart:
    """Where and when a gang fits."""

    at: TimePoint
    nodes: tuple[tuple[NodeId, int], ...]
    """(node, replicas)."""
    avoided: Avoided = _NOTHING
    """Cards of these nodes that it does without, because the workload avoids them."""

    def starts_at(self, now: Millis) -> Millis:
        """Return the moment of the start, by the limits of what runs."""
        return to_millis(self.at, now)

    def certain_at(self, now: Millis) -> Millis:
        """Return the moment that others may count on not coming before: now, if it may move."""
        return now if self.at >= UNKNOWN_FROM else Millis(max(self.at, now))


def to_millis(at: TimePoint, now: Millis) -> Millis:
    """Return the time that an `At` means at `now`; work over its limit ends now."""
    return Millis(now + at - UNKNOWN_FROM if at >= UNKNOWN_FROM else max(at, now))


def end_after(start: TimePoint, seconds: int, now: Millis) -> TimePoint:
    """Return when something ends that takes so long from its start on."""
    return (max(start, now) if start > FREE_NOW else now) + seconds * 1000


def end_by_limit(work: RunningWorkload) -> TimePoint:
    """Return when the work ends at the latest."""
    if work.stopping:
        return FREE_SOON
    if work.ends_at is None:
        return UNKNOWN_FROM + (work.time_limit_s * 1000 if work.time_limit_s else DAY_MS)
    return work.ends_at


def end_by_prediction(work: RunningWorkload) -> TimePoint:
    """Return when the work is expected to end; for display and hints, never for a promise."""
    return end_by_limit(work) if work.expected_end is None or work.stopping else work.expected_end


class TimelineCache:
    """What was worked out about nodes before; good for as long as a node's values are the same."""

    def __init__(self, end_of: EndTimeOf = end_by_limit) -> None:
        """Start empty."""
        self._end_of = end_of
        self._endings: dict[NodeId, tuple[tuple[RunningWorkload, ...], Releases]] = {}
        self._times: dict[
            Request, dict[NodeId, tuple[NodeCapacity, Releases, tuple[TimePoint, ...]]]
        ] = {}

    def releases(self, node: NodeId, held: tuple[RunningWorkload, ...]) -> Releases:
        """Return what the holders of a node give back, by time."""
        known = self._endings.get(node)
        if known is not None and known[0] is held:
            return known[1]
        endings = _by_time(
            ending for work in held for ending in _ending(work, node, self._end_of(work))
        )
        self._endings[node] = (held, endings)
        return endings

    def replica_times(
        self, request: Request, room: NodeCapacity, endings: Releases
    ) -> tuple[TimePoint, ...]:
        """Return from when on the room takes one, two, … replicas."""
        known = self._times.setdefault(request, {})
        row = known.get(room.node)
        if row is not None and row[0] is room and row[1] is endings:
            return row[2]
        times = replica_times(request, room, endings)
        known[room.node] = (room, endings, times)
        return times


class PoolTimeline:
    """The rooms of one pool from now on. `occupy` adds what is expected to start."""

    def __init__(
        self,
        rooms: Mapping[NodeId, NodeCapacity],
        held: Mapping[NodeId, tuple[RunningWorkload, ...]],
        memory: TimelineCache,
    ) -> None:
        """Take the free rooms and, for each node, who holds what of it."""
        self._memory = memory
        self._rooms = dict(rooms)
        self._endings: dict[NodeId, Releases] = {
            node: memory.releases(node, held[node]) if node in held else () for node in self._rooms
        }

    def earliest_start(self, request: Request, avoid: Avoided = _NOTHING) -> GangStart | None:
        """Return the earliest start of all replicas together; None if the nodes are too few.

        Nodes and cards to avoid are used only if the gang cannot do without them.
        """
        if avoid and request.home_node is None:
            elsewhere = self._earliest(
                request, [node for node in self._rooms if node not in avoid], avoid
            )
            if elsewhere is not None:
                return elsewhere
        homes = [node for node in self._rooms if request.home_node in (None, node)]
        return self._earliest(request, homes)

    def occupy(self, request: Request, start: GangStart, until: TimePoint) -> None:
        """Let the gang hold its nodes from its start until then; nothing fits in before it."""
        for node, replicas in start.nodes:
            room, endings = self._at(node, start.avoided)
            for claim in reserve_on_node(request, replicas, room, endings, start.at):
                self._take(claim, until)

    def reserved_now(self, request: Request, start: GangStart) -> Iterator[NodeReservation]:
        """Yield what must stay free from now on for this start."""
        for node, replicas in start.nodes:
            room, endings = self._at(node, start.avoided)
            for claim in reserve_on_node(request, replicas, room, endings, start.at):
                yield part_reserved_now(claim, room, endings, start.at)

    def _at(self, node: NodeId, without: Avoided = _NOTHING) -> tuple[NodeCapacity, Releases]:
        room = self._rooms[node]
        if without and any(card.view.id in without for card in room.cards):
            cards = tuple(card for card in room.cards if card.view.id not in without)
            room = room._replace(cards=cards)
        return room, self._endings[node]

    def _take(self, claim: NodeReservation, until: TimePoint) -> None:
        """Take a claim out of what is free and of what comes free, and give it back at the end.

        CPU, memory and shares are taken at once, and so may be less than nothing until then.
        """
        room, endings = self._at(claim.node)
        mine = claim.devices if claim.gpu_milli else free_devices(claim.devices, room)
        taken = frozenset(() if claim.gpu_milli else claim.devices)
        self._rooms[claim.node] = room.after_allocating(
            mine, claim.cpu_milli, claim.memory_mib, claim.gpu_milli, claim.gpu_memory_mib
        )
        later = [
            replace(ending, devices=tuple(d for d in ending.devices if d not in taken))
            if taken.intersection(ending.devices)
            else ending
            for ending in endings
        ]
        given = Release(
            until,
            claim.devices,
            claim.cpu_milli,
            claim.memory_mib,
            claim.gpu_milli,
            claim.gpu_memory_mib,
        )
        self._endings[claim.node] = _by_time([*later, given])

    def _earliest(
        self, request: Request, nodes: Iterable[NodeId], without: Avoided = _NOTHING
    ) -> GangStart | None:
        times = {node: found for node in nodes if (found := self._times(request, node, without))}
        moments = sorted(at for found in times.values() for at in found)
        if len(moments) < request.replicas:
            return None
        at = moments[request.replicas - 1]
        options = [
            (sum(1 for each in found if each <= at), node)
            for node, found in times.items()
            if found[0] <= at
        ]
        return GangStart(at, self._nodes(request, options, without), without)

    def _times(self, request: Request, node: NodeId, without: Avoided) -> tuple[TimePoint, ...]:
        room, endings = self._at(node, without)
        if room is not self._rooms[node]:
            return replica_times(request, room, endings)
        return self._memory.replica_times(request, room, endings)

    def _nodes(
        self, request: Request, options: list[tuple[int, NodeId]], without: Avoided
    ) -> tuple[tuple[NodeId, int], ...]:
        """Take the fewest nodes, of those the ones that lack least, and of those the tightest."""
        chosen: list[tuple[NodeId, int]] = []
        missing = request.replicas
        while missing > 0:
            most = min(missing, max(replicas for replicas, _ in options))
            roomy = [(replicas, node) for replicas, node in options if replicas >= most]
            _, best = min(roomy, key=lambda option: self._cost(request, most, without, *option))
            chosen.append((best, most))
            missing -= most
            options = [(replicas, node) for replicas, node in options if node != best]
        return tuple(chosen)

    def _cost(
        self, request: Request, most: int, without: Avoided, replicas: int, node: NodeId
    ) -> tuple[int, int, int, int, NodeId]:
        room, _ = self._at(node, without)
        return (*count_missing(request, most, room), replicas, node)


def count_missing(request: Request, replicas: int, room: NodeCapacity) -> tuple[int, int, int]:
    """Return how much a room lacks now for so many replicas: devices, CPU, memory."""
    cpu = max(request.cpu_milli * replicas - room.cpu_milli, 0)
    memory = max(request.memory_mib * replicas - room.memory_mib, 0)
    if request.gpus:
        return max(request.gpus * replicas - len(room.whole_cards(request)), 0), cpu, memory
    one = replace(request, replicas=replicas, cpu_milli=0, memory_mib=0)
    missing = replicas - count_replicas(one, room)
    if missing == 0:
        return 0, cpu, memory
    if request.gpu_milli:
        return (
            missing * request.gpu_milli
            - max((-card.shared_milli for card in room.cards), default=0),
            cpu,
            memory,
        )
    most = max((len(card.free_slots) for card in room.sliced_cards(request)), default=0)
    return max(missing * request.slices - most, 1), cpu, memory


def replica_times(request: Request, room: NodeCapacity, endings: Releases) -> tuple[TimePoint, ...]:
    """Return from when on the room takes one, two, … replicas, at most all of them."""
    if request.gpus and not any(ending.gpu_milli for ending in endings):
        return _times_of_cards(request, room, endings)
    times = [FREE_NOW] * count_replicas(request, room)
    for ending in endings:
        if len(times) >= request.replicas:
            break
        room = apply_release(room, ending)
        times += [ending.at] * (count_replicas(request, room) - len(times))
    return tuple(times)


def _times_of_cards(
    request: Request, room: NodeCapacity, endings: Releases
) -> tuple[TimePoint, ...]:
    """Count whole cards instead of moving them about: the same answer, much sooner."""
    every = {
        card.view.id for card in room.cards if card.view.slices == 1 and is_suitable(card, request)
    }
    cards, cpu, memory = len(room.whole_cards(request)), room.cpu_milli, room.memory_mib
    times = [FREE_NOW] * _count(request, cards, cpu, memory)
    for ending in endings:
        if len(times) >= request.replicas:
            break
        cards += sum(1 for card, _ in ending.devices if card in every)
        cpu += ending.cpu_milli
        memory += ending.memory_mib
        times += [ending.at] * (_count(request, cards, cpu, memory) - len(times))
    return tuple(times)


def _count(request: Request, cards: int, cpu: int, memory: int) -> int:
    fitting = min(request.replicas, cards // request.gpus)
    if request.cpu_milli:
        fitting = min(fitting, cpu // request.cpu_milli)
    if request.memory_mib:
        fitting = min(fitting, memory // request.memory_mib)
    return max(fitting, 0)


def _ending(work: RunningWorkload, node: NodeId, at: TimePoint) -> Iterator[Release]:
    """Yield what the work holds on a node; each share by itself, the rest at once."""
    request = work.request
    mine = [placement for placement in work.placements if placement.node == node]
    if request.gpu_milli:
        for placement in mine:
            yield Release(
                at,
                placement.devices,
                request.cpu_milli,
                request.memory_mib,
                request.gpu_milli,
                request.gpu_memory_mib,
            )
        return
    devices = tuple(device for placement in mine for device in placement.devices)
    yield Release(at, devices, request.cpu_milli * len(mine), request.memory_mib * len(mine))


def _by_time(endings: Iterable[Release]) -> Releases:
    return tuple(sorted(endings, key=lambda ending: (ending.at, ending.devices)))
