"""When a gang fits on real nodes and devices, as running work ends.

The free capacity of a node only grows as its work ends, so the times at which it can take one, two
or more replicas follow from its own work alone; a gang starts at the latest of the times that it
needs. That is exact, and cheap to repeat: times of a node that did not change are cached.

Devices that advance reservations keep are left out in turn: between two moments at which a window
keeps more or less of them, what is kept stays the same (`ReservedCapacity.phases`), so the earliest
start is sought in one such phase after the other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from scheduler.core.capacity.filters import count_replicas, count_whole_gpu_replicas
from scheduler.core.capacity.node_capacity import NodeCapacity, free_devices
from scheduler.core.model.advance_reservations import ReservationId
from scheduler.core.model.card_kind import is_card_suitable
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId, Request, RunningWorkload
from scheduler.core.timeline.kept_devices import KeptDevices
from scheduler.core.timeline.node_reservation import (
    FREE_NOW,
    FREE_SOON,
    UNKNOWN_FROM,
    NodeReservation,
    Release,
    Releases,
    TimePoint,
    apply_release,
    part_reserved_now,
    reserve_on_node,
    to_millis,
)

DAY_MS: Final = 24 * 3600 * 1000
Avoided = frozenset[NodeId | AcceleratorId]
Kept = frozenset[ReservationId]
_NOTHING: Final[Avoided] = frozenset()
EndTimeOf = Callable[[RunningWorkload], TimePoint]


@dataclass(frozen=True, slots=True)
class GangStart:
    """Where and when a gang fits."""

    at: TimePoint
    nodes: tuple[tuple[NodeId, int], ...]
    """(node, replicas)."""
    avoided: Avoided = _NOTHING
    """Nodes and cards that it leaves out, because the workload avoids them."""
    kept: Kept = frozenset()
    """Advance reservations of which it leaves out the devices."""

    def starts_at(self, now: Millis) -> Millis:
        """Return the time of the start, by the limits of what runs."""
        return to_millis(self.at, now)

    def certain_at(self, now: Millis) -> Millis:
        """Return the time before which it certainly does not start: now, if that is not known."""
        return now if self.at >= UNKNOWN_FROM else Millis(max(self.at, now))


def end_after(start: TimePoint, seconds: int, now: Millis) -> TimePoint:
    """Return when work ends that takes so many seconds from its start."""
    return (max(start, now) if start > FREE_NOW else now) + seconds * 1000


def end_by_limit(work: RunningWorkload) -> TimePoint:
    """Return when the work ends at the latest."""
    if work.stopping:
        return FREE_SOON
    if work.ends_at is None:
        return UNKNOWN_FROM + (work.time_limit_s * 1000 if work.time_limit_s else DAY_MS)
    return work.ends_at


def end_by_prediction(work: RunningWorkload) -> TimePoint:
    """Return when the work is expected to end; for display and hints, never for a reservation."""
    return end_by_limit(work) if work.expected_end is None or work.stopping else work.expected_end


class TimelineCache:
    """What is known of each node's future, valid as long as the very same values are passed in."""

    def __init__(self, end_of: EndTimeOf = end_by_limit) -> None:
        """Start empty."""
        self._end_of = end_of
        self._releases: dict[NodeId, tuple[tuple[RunningWorkload, ...], Releases]] = {}
        self._times: dict[
            Request, dict[tuple[NodeId, Kept], tuple[NodeCapacity, Releases, tuple[TimePoint, ...]]]
        ] = {}

    def releases(self, node: NodeId, held: tuple[RunningWorkload, ...]) -> Releases:
        """Return what the holders of a node release, by time."""
        known = self._releases.get(node)
        if known is not None and known[0] is held:
            return known[1]
        releases = _by_time(
            release for work in held for release in _releases_of(work, node, self._end_of(work))
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
        reserved: KeptDevices | None = None,
    ) -> None:
        """Take what is free now and, for each node, the work that holds something on it.

        `reserved` is what advance reservations keep of the pool.
        """
        self._cache = cache
        self._reserved = reserved
        self._capacities = dict(capacities)
        self._releases: dict[NodeId, Releases] = {
            node: cache.releases(node, held[node]) if node in held else ()
            for node in self._capacities
        }

    def earliest_start(
        self, request: Request, avoid: Avoided = _NOTHING, stay_s: int = 0
    ) -> GangStart | None:
        """Return the earliest start of all replicas together; None if the nodes are too few.

        Nodes and cards to avoid are used only if the gang cannot do without them. Devices that an
        advance reservation needs within `stay_s` of the start are not used.
        """
        first = self._earliest_avoiding(request, avoid)
        if first is None or self._reserved is None:
            return first
        for phase in self._reserved.phases(stay_s):
            if phase.end is not None and phase.end <= self._reserved.to_millis(first.at):
                continue
            found = self._earliest_avoiding(request, avoid, phase.reservations)
            if found is None:
                continue
            if self._reserved.to_millis(found.at) < phase.start:
                found = replace(found, at=phase.start)
            if phase.end is None or self._reserved.to_millis(found.at) < phase.end:
                return found
        return None

    def _earliest_avoiding(
        self, request: Request, avoid: Avoided, kept: Kept = frozenset()
    ) -> GangStart | None:
        if avoid and request.home_node is None:
            elsewhere = self._earliest(
                request, [node for node in self._capacities if node not in avoid], avoid, kept
            )
            if elsewhere is not None:
                return elsewhere
        homes = [node for node in self._capacities if request.home_node in (None, node)]
        return self._earliest(request, homes, _NOTHING, kept)

    def occupy(self, request: Request, start: GangStart, until: TimePoint) -> None:
        """Count the gang as holding its nodes from its start until then; nothing fits in before it."""
        for node, replicas in start.nodes:
            capacity, releases = self._at(node, start.avoided, start.kept)
            for reservation in reserve_on_node(request, replicas, capacity, releases, start.at):
                self._take(reservation, until)

    def reserved_now(self, request: Request, start: GangStart) -> Iterator[NodeReservation]:
        """Yield what must stay reserved from now on for this start."""
        for node, replicas in start.nodes:
            capacity, releases = self._at(node, start.avoided, start.kept)
            for reservation in reserve_on_node(request, replicas, capacity, releases, start.at):
                yield part_reserved_now(reservation, capacity, releases, start.at)

    def _at(
        self, node: NodeId, without: Avoided = _NOTHING, kept: Kept = frozenset()
    ) -> tuple[NodeCapacity, Releases]:
        capacity, releases = self._capacities[node], self._releases[node]
        if kept and self._reserved is not None:
            capacity, releases = self._reserved.without(kept, capacity, releases)
        if without and any(card.view.id in without for card in capacity.cards):
            cards = tuple(card for card in capacity.cards if card.view.id not in without)
            capacity = capacity._replace(cards=cards)
        return capacity, releases

    def _take(self, reservation: NodeReservation, until: TimePoint) -> None:
        """Take a reservation out of what is free and what will be released, until its end.

        CPU, memory and shares are taken at once, so they may be negative in between.
        """
        capacity, releases = self._at(reservation.node)
        mine = (
            reservation.devices
            if reservation.gpu_milli
            else free_devices(reservation.devices, capacity)
        )
        taken = frozenset(() if reservation.gpu_milli else reservation.devices)
        self._capacities[reservation.node] = capacity.after_allocating(
            mine,
            reservation.cpu_milli,
            reservation.memory_mib,
            reservation.gpu_milli,
            reservation.gpu_memory_mib,
        )
        later = [
            replace(release, devices=tuple(d for d in release.devices if d not in taken))
            if taken.intersection(release.devices)
            else release
            for release in releases
        ]
        given = Release(
            until,
            reservation.devices,
            reservation.cpu_milli,
            reservation.memory_mib,
            reservation.gpu_milli,
            reservation.gpu_memory_mib,
        )
        self._releases[reservation.node] = _by_time([*later, given])

    def _earliest(
        self, request: Request, nodes: Iterable[NodeId], without: Avoided, kept: Kept
    ) -> GangStart | None:
        times = {
            node: found for node in nodes if (found := self._times(request, node, without, kept))
        }
        moments = sorted(at for found in times.values() for at in found)
        if len(moments) < request.replicas:
            return None
        at = moments[request.replicas - 1]
        options = [
            (sum(1 for each in found if each <= at), node)
            for node, found in times.items()
            if found[0] <= at
        ]
        chosen = self._nodes(request, options, without, kept)
        return GangStart(at, chosen, without, kept)

    def _times(
        self, request: Request, node: NodeId, without: Avoided, kept: Kept
    ) -> tuple[TimePoint, ...]:
        capacity, releases = self._at(node, without, kept)
        if without and capacity is not self._capacities[node]:
            return replica_times(request, capacity, releases)
        return self._cache.replica_times(request, capacity, releases, kept)

    def _nodes(
        self,
        request: Request,
        options: list[tuple[int, NodeId]],
        without: Avoided,
        kept: Kept,
    ) -> tuple[tuple[NodeId, int], ...]:
        """Take the fewest nodes, of those the ones with least missing now, and of those the tightest."""
        chosen: list[tuple[NodeId, int]] = []
        missing = request.replicas
        while missing > 0:
            most = min(missing, max(replicas for replicas, _ in options))
            roomy = [(replicas, node) for replicas, node in options if replicas >= most]
            _, best = min(
                roomy, key=lambda option: self._cost(request, most, (without, kept), *option)
            )
            chosen.append((best, most))
            missing -= most
            options = [(replicas, node) for replicas, node in options if node != best]
        return tuple(chosen)

    def _cost(
        self,
        request: Request,
        most: int,
        left_out: tuple[Avoided, Kept],
        replicas: int,
        node: NodeId,
    ) -> tuple[int, int, int, int, NodeId]:
        capacity, _ = self._at(node, *left_out)
        return (*count_missing(request, most, capacity), replicas, node)


def count_missing(request: Request, replicas: int, capacity: NodeCapacity) -> tuple[int, int, int]:
    """Return how much a node lacks now for so many replicas: devices, CPU, memory."""
    cpu = max(request.cpu_milli * replicas - capacity.cpu_milli, 0)
    memory = max(request.memory_mib * replicas - capacity.memory_mib, 0)
    if request.gpus:
        return max(request.gpus * replicas - len(capacity.whole_cards(request)), 0), cpu, memory
    one = replace(request, replicas=replicas, cpu_milli=0, memory_mib=0)
    missing = replicas - count_replicas(one, capacity)
    if missing == 0:
        return 0, cpu, memory
    if request.gpu_milli:
        return (
            missing * request.gpu_milli
            - max((-card.shared_milli for card in capacity.cards), default=0),
            cpu,
            memory,
        )
    most = max((len(card.free_slots) for card in capacity.sliced_cards(request)), default=0)
    return max(missing * request.slices - most, 1), cpu, memory


def replica_times(
    request: Request, capacity: NodeCapacity, releases: Releases
) -> tuple[TimePoint, ...]:
    """Return from when on the node takes one, two, … replicas, at most all of them."""
    if request.gpus and not any(release.gpu_milli for release in releases):
        return _times_of_cards(request, capacity, releases)
    times = [FREE_NOW] * count_replicas(request, capacity)
    for release in releases:
        if len(times) >= request.replicas:
            break
        capacity = apply_release(capacity, release)
        times += [release.at] * (count_replicas(request, capacity) - len(times))
    return tuple(times)


def _times_of_cards(
    request: Request, capacity: NodeCapacity, releases: Releases
) -> tuple[TimePoint, ...]:
    """Count whole cards instead of releasing them one by one: the same answer, much faster."""
    suitable = {
        card.view.id
        for card in capacity.cards
        if card.view.slices == 1 and is_card_suitable(card.view, request)
    }
    cards, cpu, memory = len(capacity.whole_cards(request)), capacity.cpu_milli, capacity.memory_mib
    times = [FREE_NOW] * count_whole_gpu_replicas(request, cards, cpu, memory)
    for release in releases:
        if len(times) >= request.replicas:
            break
        cards += sum(1 for card, _ in release.devices if card in suitable)
        cpu += release.cpu_milli
        memory += release.memory_mib
        times += [release.at] * (count_whole_gpu_replicas(request, cards, cpu, memory) - len(times))
    return tuple(times)


def _releases_of(work: RunningWorkload, node: NodeId, at: TimePoint) -> Iterator[Release]:
    """Yield what the work holds on a node: each share by itself, everything else at once."""
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


def _by_time(releases: Iterable[Release]) -> Releases:
    return tuple(sorted(releases, key=lambda release: (release.at, release.devices)))
