"""What advance reservations keep of one pool, as its timeline looks at it."""

from collections.abc import Collection, Sequence
from typing import Final

from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.capacity.reserved_devices import BlockedPhase, ReservedCapacity
from scheduler.core.model.advance_reservations import ReservationId, ReservedDevice
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId, PoolId
from scheduler.core.timeline.node_reservation import Release, Releases, TimePoint, to_millis

_State = tuple[NodeCapacity, Releases]


class KeptDevices:
    """The devices that reservations of a pool keep, by the time of a start; answers are remembered."""

    def __init__(self, reserved: ReservedCapacity, pool: PoolId, now: Millis) -> None:
        """Look at one pool at one moment."""
        self._reserved: Final = reserved
        self._pool: Final = pool
        self.now: Final = now
        """The moment that it was made for."""
        self._known: dict[tuple[NodeId, frozenset[ReservationId]], tuple[_State, _State]] = {}

    def to_millis(self, at: TimePoint) -> Millis:
        """Return the time that a point means."""
        return to_millis(at, self.now)

    def phases(self, stay_s: int | None) -> Sequence[BlockedPhase]:
        """Return from when to when a start for so long is kept from which devices."""
        return self._reserved.phases(self._pool, stay_s, self.now)

    def keeps_any(
        self, kept: frozenset[ReservationId], nodes: Sequence[tuple[NodeId, int]]
    ) -> bool:
        """Return whether one of these reservations has a device on one of the nodes."""
        return any(self.on_node(node, kept) for node, _ in nodes)

    def allowed_at(
        self, at: TimePoint, pinned: Collection[ReservedDevice], stay_s: int | None
    ) -> TimePoint | None:
        """Return from when on, at `at` or later, work may stay so long on these devices; None is never."""
        for phase in self.phases(stay_s):
            if phase.end is not None and phase.end <= self.to_millis(at):
                continue
            if not any(
                (card, slot) in self._reserved.devices_on(node, phase.reservations)
                for node, card, slot in pinned
            ):
                return at if phase.start <= self.to_millis(at) else phase.start
        return None

    def on_node(self, node: NodeId, kept: frozenset[ReservationId]) -> frozenset[ReservationId]:
        """Return those of the reservations that have a device on the node."""
        return self._reserved.on_node(node) & kept

    def without(
        self, kept: frozenset[ReservationId], capacity: NodeCapacity, releases: Releases
    ) -> _State:
        """Return a node without these devices, neither free now nor released later."""
        key = (capacity.node, kept)
        known = self._known.get(key)
        if known is not None and known[0][0] is capacity and known[0][1] is releases:
            return known[1]
        devices = self._reserved.devices_on(capacity.node, kept)
        left = capacity, releases
        if devices:
            rest = tuple(self._release_without(devices, release, capacity) for release in releases)
            left = self._reserved.without(kept, capacity), rest
        self._known[key] = (capacity, releases), left
        return left

    def _release_without(
        self,
        devices: frozenset[tuple[AcceleratorId, int]],
        release: Release,
        capacity: NodeCapacity,
    ) -> Release:
        """Return a release without these devices, and without their part of the node."""
        count = sum(device in devices for device in release.devices)
        if not count:
            return release
        part = self._reserved.part_of(capacity.node)
        return release._replace(
            devices=tuple(device for device in release.devices if device not in devices),
            cpu_milli=max(release.cpu_milli - part.cpu_milli * count, 0),
            memory_mib=max(release.memory_mib - part.memory_mib * count, 0),
        )


class KeptDevicesCache:
    """What reservations keep of each pool, as long as it is asked for one moment."""

    def __init__(self) -> None:
        """Start empty."""
        self._known: dict[PoolId, KeptDevices] = {}

    def find(self, reserved: ReservedCapacity, pool: PoolId, now: Millis) -> KeptDevices | None:
        """Return what is kept of a pool, now and later; None if nothing is."""
        if not reserved.upcoming_in(pool):
            return None
        if pool not in self._known or self._known[pool].now != now:
            self._known[pool] = KeptDevices(reserved, pool, now)
        return self._known[pool]
