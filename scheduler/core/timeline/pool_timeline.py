"""When a gang fits on real nodes and devices, as running work ends.

The free capacity of a node only grows as its work ends, so the times at which it can take one, two
or more replicas follow from its own work alone; a gang starts at the latest of the times that it
needs. That is exact, and cheap to repeat: times of a node that did not change are cached.

Devices that advance reservations keep are left out in turn: between two moments at which a window
keeps more or less of them, what is kept stays the same (`ReservedCapacity.phases`), so the earliest
start is sought in one such phase after the other.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from scheduler.core.capacity.node_capacity import NodeCapacity, free_devices
from scheduler.core.model.advance_reservations import ReservationId, ReservedDevice
from scheduler.core.model.entities import (
    AcceleratorId,
    Millis,
    NodeId,
    Request,
    RunningWorkload,
)
from scheduler.core.timeline.kept_devices import KeptDevices, KeptDevicesCache
from scheduler.core.timeline.node_reservation import (
    FREE_NOW,
    FREE_SOON,
    NEVER,
    UNKNOWN_FROM,
    NodeReservation,
    Release,
    Releases,
    TimePoint,
    leave_releases,
    part_reserved_now,
    reserve_on_node,
    to_millis,
)
from scheduler.core.timeline.replica_times import (
    count_missing,
    first_card_times,
    releases_of,
    replica_times,
    sort_by_time,
    time_key,
)

DAY_MS: Final = 24 * 3600 * 1000
Avoided = frozenset[NodeId | AcceleratorId]
Kept = frozenset[ReservationId]
LeftOut = tuple[Avoided, Kept]
Pinned = frozenset[ReservedDevice]
_NOTHING: Final[Avoided] = frozenset()
EndTimeOf = Callable[[RunningWorkload], TimePoint]


class GangStart(NamedTuple):
    """Where and when a gang fits."""

    at: TimePoint
    nodes: tuple[tuple[NodeId, int], ...]
    """(node, replicas)."""
    avoided: Avoided = _NOTHING
    """Nodes and cards that it leaves out, because the workload avoids them."""
    kept: Kept = frozenset()
    """Advance reservations of which it leaves out the devices."""
    pinned: Pinned | None = None
    """The only devices that it uses; None is any."""

    def starts_at(self, now: Millis) -> Millis:
        """Return the time of the start, by the limits of what runs."""
        return to_millis(self.at, now)

    def certain_at(self, now: Millis) -> Millis:
        """Return the time before which it certainly does not start: now, if that is not known."""
        return now if self.at >= UNKNOWN_FROM else Millis(max(self.at, now))


def end_after(start: TimePoint, seconds: int | None, now: Millis) -> TimePoint:
    """Return when work ends that takes so many seconds from its start; None is an open end."""
    if seconds is None:
        return NEVER
    return (max(start, now) if start > FREE_NOW else now) + seconds * 1000


def end_by_limit(work: RunningWorkload) -> TimePoint:
    """Return when the work has left at the latest; an open end is `NEVER`."""
    if work.is_overdue:
        return UNKNOWN_FROM + DAY_MS
    if work.stopping:
        return FREE_SOON if work.leaves_by is None else work.leaves_by
    if work.is_open_ended:
        return NEVER
    if work.ends_at is None:
        return UNKNOWN_FROM + (work.time_limit_s * 1000 if work.time_limit_s else DAY_MS)
    return work.ends_at if work.leaves_by is None else work.leaves_by


def end_by_prediction(work: RunningWorkload) -> TimePoint:
    """Return when the work is expected to end; for display and hints, never for a reservation."""
    if work.expected_end is None or work.stopping or work.is_open_ended:
        return end_by_limit(work)
    return work.expected_end


class TimelineCache:
    """What is known of each node's future, valid as long as the very same values are passed in."""

    def __init__(self, end_of: EndTimeOf = end_by_limit) -> None:
        """Start empty."""
        self._end_of = end_of
        self.kept: Final = KeptDevicesCache()
        self._releases: dict[NodeId, tuple[tuple[RunningWorkload, ...], Releases]] = {}
        self._times: dict[
            Request, dict[tuple[NodeId, Kept], tuple[NodeCapacity, Releases, tuple[TimePoint, ...]]]
        ] = {}

    def releases(self, node: NodeId, held: tuple[RunningWorkload, ...]) -> Releases:
        """Return what the holders of a node release, by time."""
        known = self._releases.get(node)
        if known is not None and known[0] is held:
            return known[1]
        releases = sort_by_time(
            release
            for work in held
            if (end := self._end_of(work)) < NEVER
            for release in releases_of(work, node, end)
        )
        self._releases[node] = (held, releases)
        return releases

    def replica_times(
        self,
        request: Request,
        capacity: NodeCapacity,
        releases: Releases,
        kept: Kept = frozenset(),
    ) -> tuple[TimePoint, ...]:
        """Return from when on the node takes one, two, … replicas.

        `kept` names the advance reservations without whose devices the node is given.
        """
        known, key = self._times.setdefault(request, {}), (capacity.node, kept)
        row = known.get(key)
        if row is not None and row[0] is capacity and row[1] is releases:
            return row[2]
        times = replica_times(request, capacity, releases)
        known[key] = (capacity, releases, times)
        return times


class PoolTimeline:
    """The capacity of one pool from now on; `occupy` adds what is expected to start."""

    def __init__(
        self,
        capacities: Mapping[NodeId, NodeCapacity],
        held: Mapping[NodeId, tuple[RunningWorkload, ...]],
        cache: TimelineCache,
        *,
        reserved: KeptDevices | None = None,
        options_max: int | None = None,
    ) -> None:
        """Take what is free now and, for each node, the work that holds something on it.

        `reserved` is what advance reservations keep of the pool. `options_max` bounds the nodes that one start is compared on where many would do as early.
        """
        self._cache = cache
        self._reserved = reserved
        self._options_max = options_max
        self.visits = 0
        """Nodes that were looked at: what this timeline has cost."""
        self._by_first_time: dict[tuple[Request | int, Kept], list[tuple[TimePoint, NodeId]]] = {}
        """Heaps of the nodes by when they may take a first replica of a request, or so many cards.
        What is occupied makes that later: an entry is checked when it comes to the top."""
        self._card_times: dict[NodeId, dict[Kept, tuple[TimePoint, ...]]] = {}
        """From when on one, two or more exclusive cards of a node are free, whatever else is."""
        self._capacities = dict(capacities)
        self._releases: dict[NodeId, Releases] = {
            node: cache.releases(node, held[node]) if node in held else ()
            for node in self._capacities
        }

    def earliest_start(
        self, request: Request, avoid: Avoided = _NOTHING, stay_s: int | None = 0
    ) -> GangStart | None:
        """Return the earliest start of all replicas together; None if the nodes are too few.

        Nodes and cards to avoid are used only if the gang cannot do without them. Devices that an
        advance reservation needs within `stay_s` of the start, None is permanent, are not used.
        """
        first = self._earliest_avoiding(request, avoid)
        if first is None or self._reserved is None:
            return first
        for phase in self._reserved.phases(stay_s):
            if phase.end is not None and phase.end <= self._reserved.to_millis(first.at):
                continue
            if phase.start <= self._reserved.to_millis(first.at) and not self._reserved.keeps_any(
                phase.reservations, first.nodes
            ):
                return first
            found = self._earliest_avoiding(request, avoid, phase.reservations)
            if found is None:
                continue
            if self._reserved.to_millis(found.at) < phase.start:
                found = found._replace(at=phase.start)
            if phase.end is None or self._reserved.to_millis(found.at) < phase.end:
                return found
        return None

    def start_on(
        self,
        request: Request,
        nodes: tuple[tuple[NodeId, int], ...],
        pinned: Pinned,
        stay_s: int | None = 0,
    ) -> GangStart | None:
        """Return the earliest start on these nodes and devices; None if some take no work.

        An advance reservation that needs one of them within `stay_s` of the start is waited for.
        """
        at: TimePoint = FREE_NOW
        for node, replicas in nodes:
            if node not in self._capacities:
                return None
            mine = request if replicas == request.replicas else replace(request, replicas=replicas)
            times = replica_times(mine, *self._at(node, pinned=pinned))
            if len(times) < replicas:
                return None
            at = max(at, times[replicas - 1])
        allowed = at if self._reserved is None else self._reserved.allowed_at(at, pinned, stay_s)
        return None if allowed is None else GangStart(allowed, nodes, pinned=pinned)

    def pin(self, request: Request, start: GangStart) -> GangStart:
        """Return the start with the devices that it will use; a start on nodes unheard of keeps its own."""
        if any(node not in self._capacities for node, _ in start.nodes):
            return start
        pinned = frozenset(
            (part.node, card, slot)
            for part in self.parts(request, start)
            for card, slot in part.devices
        )
        return start._replace(pinned=pinned)

    def _earliest_avoiding(
        self, request: Request, avoid: Avoided, kept: Kept = frozenset()
    ) -> GangStart | None:
        if avoid and not request.home_nodes:
            elsewhere = self._earliest(
                request, [node for node in self._capacities if node not in avoid], avoid, kept
            )
            if elsewhere is not None:
                return elsewhere
        if not request.home_nodes:
            return self._earliest_anywhere(request, kept)
        homes = [node for node in self._capacities if node in request.home_nodes]
        return self._earliest(request, homes, _NOTHING, kept)

    def cards_free_at(self, request: Request, start: GangStart, now: Millis) -> Millis:
        """Return when the nodes of a start have its cards free, unknown ends taken as estimated.

        Points order every unknown end after all known ones, so a start that needs both kinds is
        not before the later of the two in time.
        """
        latest = now
        for node, replicas in start.nodes:
            points = first_card_times(*self._at(node, start.avoided, start.kept))
            times = sorted(to_millis(point, now) for point in points)
            needed = times[: request.gpus * replicas]
            latest = max(latest, *needed)
        return latest

    def occupy(self, request: Request, start: GangStart, until: TimePoint) -> None:
        """Count the gang as holding its nodes from its start until then; nothing fits in before it."""
        for part in tuple(self.parts(request, start)):
            self.take(part, start.at, until)

    def parts(self, request: Request, start: GangStart) -> Iterator[NodeReservation]:
        """Yield all that the gang holds from its start on, by node; of nodes unheard of nothing."""
        for node, replicas in start.nodes:
            if node not in self._capacities:
                continue
            capacity, releases = self._at(node, start.avoided, start.kept, start.pinned)
            yield from reserve_on_node(request, replicas, capacity, releases, start.at)

    def reserved_now(self, request: Request, start: GangStart) -> Iterator[NodeReservation]:
        """Yield what must stay reserved from now on for this start."""
        for part in self.parts(request, start):
            capacity, releases = self._at(part.node, start.avoided, start.kept)
            yield part_reserved_now(part, capacity, releases, start.at)

    def _at(
        self,
        node: NodeId,
        without: Avoided = _NOTHING,
        kept: Kept = frozenset(),
        pinned: Pinned | None = None,
    ) -> tuple[NodeCapacity, Releases]:
        capacity, releases = self._capacities[node], self._releases[node]
        if kept and self._reserved is not None:
            capacity, releases = self._reserved.without(kept, capacity, releases)
        if without and any(card.view.id in without for card in capacity.cards):
            cards = tuple(card for card in capacity.cards if card.view.id not in without)
            capacity = capacity._replace(cards=cards)
        return (capacity, releases) if pinned is None else _only(pinned, capacity, releases)

    def take(self, reservation: NodeReservation, at: TimePoint, until: TimePoint) -> None:
        """Take a reservation out of what is free and what is released by its start, until its end.

        Devices are taken where they come free. CPU and memory come from what is released by the
        start, the rest from what is free, which may be negative in between.
        """
        node = reservation.node
        capacity, releases = self._at(node)
        share = reservation.gpu_milli
        mine = reservation.devices if share else free_devices(reservation.devices, capacity)
        taken = frozenset(() if share else reservation.devices)
        left, cpu, memory = leave_releases(releases, taken, at, reservation)
        self._capacities[node] = capacity.after_allocating(
            mine, cpu, memory, share, reservation.gpu_memory_mib
        )
        if until < NEVER:
            given = Release(
                until,
                reservation.devices,
                reservation.cpu_milli,
                reservation.memory_mib,
                reservation.gpu_milli,
                reservation.gpu_memory_mib,
            )
            insort(left, given, key=time_key)
        self._releases[node] = tuple(left)
        self._card_times.pop(node, None)

    def _earliest(
        self, request: Request, nodes: Iterable[NodeId], without: Avoided, kept: Kept
    ) -> GangStart | None:
        times = {
            node: found for node in nodes if (found := self._times(request, node, (without, kept)))
        }
        moments = sorted(at for found in times.values() for at in found)
        return self._start_at(request, times, moments, (without, kept))

    def _earliest_anywhere(self, request: Request, kept: Kept) -> GangStart | None:
        """Return the same of all nodes, looking only at those that come free first."""
        kind, left_out = (request.gpus or request, kept), (_NOTHING, kept)
        heap = self._by_first_time.get(kind)
        if heap is None:
            heap = [(self._soonest(request, node, kept), node) for node in self._capacities]
            self._by_first_time[kind] = heap
            heapify(heap)
        times: dict[NodeId, tuple[TimePoint, ...]] = {}
        moments: list[TimePoint] = []
        looked = []
        while heap and not self._is_enough(request, heap[0][0], moments, len(times)):
            at, node = heappop(heap)
            soonest = self._soonest(request, node, kept)
            if soonest > at:
                if soonest < NEVER:
                    heappush(heap, (soonest, node))
                continue
            looked.append((at, node))
            if found := self._times(request, node, left_out):
                times[node] = found
                moments = sorted([*moments, *found])
        for entry in looked:
            heappush(heap, entry)
        self.visits += len(looked)
        return self._start_at(request, times, moments, left_out)

    def _soonest(self, request: Request, node: NodeId, kept: Kept) -> TimePoint:
        """Return a time before which the node takes no replica, exact but for whole cards."""
        if not request.gpus:
            found = self._times(request, node, (_NOTHING, kept))
            return found[0] if found else NEVER
        if kept and self._reserved is not None:
            kept = self._reserved.on_node(node, kept)
        known = self._card_times.setdefault(node, {})
        times = known.get(kept)
        if times is None:
            times = known[kept] = first_card_times(*self._at(node, _NOTHING, kept))
        return times[request.gpus - 1] if len(times) >= request.gpus else NEVER

    def _is_enough(
        self, request: Request, at: TimePoint, moments: list[TimePoint], looked: int
    ) -> bool:
        """Return whether no node that takes work from `at` on can make the start earlier or better."""
        if len(moments) < request.replicas:
            return False
        last = moments[request.replicas - 1]
        return at > last or (
            at == last and self._options_max is not None and looked >= self._options_max
        )

    def _start_at(
        self,
        request: Request,
        times: Mapping[NodeId, tuple[TimePoint, ...]],
        moments: list[TimePoint],
        left_out: LeftOut,
    ) -> GangStart | None:
        """Return the start once enough replicas fit, given the sorted moments at which one more does."""
        if len(moments) < request.replicas:
            return None
        at = moments[request.replicas - 1]
        options = [
            (sum(1 for each in found if each <= at), node)
            for node, found in times.items()
            if found[0] <= at
        ]
        return GangStart(at, self._nodes(request, options, left_out), *left_out)

    def _times(self, request: Request, node: NodeId, left_out: LeftOut) -> tuple[TimePoint, ...]:
        without, kept = left_out
        if kept and self._reserved is not None:
            kept = self._reserved.on_node(node, kept)
        capacity, releases = self._at(node, without, kept)
        if without and capacity is not self._capacities[node]:
            return replica_times(request, capacity, releases)
        return self._cache.replica_times(request, capacity, releases, kept)

    def _nodes(
        self, request: Request, options: list[tuple[int, NodeId]], left_out: LeftOut
    ) -> tuple[tuple[NodeId, int], ...]:
        """Take the fewest nodes, of those the ones with least missing now, and of those the tightest."""
        chosen: list[tuple[NodeId, int]] = []
        missing = request.replicas
        while missing > 0:
            most = min(missing, max(replicas for replicas, _ in options))
            roomy = [(replicas, node) for replicas, node in options if replicas >= most]
            best = roomy[0][1]
            if len(roomy) > 1:
                _, best = min(
                    roomy, key=lambda option: self._cost(request, most, left_out, *option)
                )
            chosen.append((best, most))
            missing -= most
            options = [(replicas, node) for replicas, node in options if node != best]
        return tuple(chosen)

    def _cost(
        self, request: Request, most: int, left_out: LeftOut, replicas: int, node: NodeId
    ) -> tuple[int, int, int, int, NodeId]:
        capacity, _ = self._at(node, *left_out)
        return (*count_missing(request, most, capacity), replicas, node)


def _only(
    pinned: Pinned, capacity: NodeCapacity, releases: Releases
) -> tuple[NodeCapacity, Releases]:
    """Return a node as if it had no other devices."""
    mine = {(card, slot) for node, card, slot in pinned if node == capacity.node}
    own = {card for card, _ in mine}
    cards = tuple(
        card._replace(
            free_slots=frozenset(slot for slot in card.free_slots if (card.view.id, slot) in mine)
        )
        for card in capacity.cards
        if card.view.id in own
    )
    rest = tuple(
        release
        if mine.issuperset(release.devices)
        else release._replace(devices=tuple(each for each in release.devices if each in mine))
        for release in releases
    )
    return capacity._replace(cards=cards), rest
