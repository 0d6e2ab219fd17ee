"""What advance reservations keep from work: which devices, for whom, and until when.

Work is kept from the devices of every reservation whose next window begins before the work has
certainly left. So what is kept grows with how long the work may stay, in steps: level `n` keeps the
devices of the `n` reservations that begin first. Before its first window opens, a reservation keeps
its devices from its own group too, so that they are free at its start.

With each device goes its part of the node's CPU and memory, for as long as the device is free.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Final

from scheduler.core.capacity.node_capacity import Devices, NodeCapacity, free_devices
from scheduler.core.capacity.notice import stay_s
from scheduler.core.model.advance_reservations import AdvanceReservationView, ReservationId
from scheduler.core.model.entities import (
    AcceleratorId,
    Millis,
    NodeId,
    PendingWorkload,
    PoolId,
    RunningWorkload,
)
from scheduler.core.model.snapshot import Snapshot

_PHASES_MAX: Final = 64
"""Steps of a pool's future that are looked at; after them all of its windows are waited for."""

_NONE: Final[frozenset[ReservationId]] = frozenset()


@dataclass(frozen=True, slots=True)
class NodePart:
    """What one device gets of its node."""

    cpu_milli: int = 0
    memory_mib: int = 0


@dataclass(frozen=True, slots=True)
class BlockedPhase:
    """A stretch of time in which a start is kept from the devices of some reservations."""

    start: Millis
    end: Millis | None
    """None: no later window changes it."""
    reservations: frozenset[ReservationId]


class ReservedCapacity:
    """The advance reservations of a snapshot at one moment, by pool and by node."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Sort what the snapshot has; `set_now` says which windows are over."""
        self._all: Final = snapshot.reservations
        self._paths: Final = {group.id: group.path or (group.id,) for group in snapshot.groups}
        self._policies: Final = {pool.id: pool.policy for pool in snapshot.pools}
        self._parts: Final = _parts_of_nodes(snapshot) if self._all else {}
        self._pools: dict[PoolId, _PoolReservations] = {}
        self._by_id: Final = {each.id: each for each in self._all}
        self._on_node: Final = _reservations_by_node(self._all)
        self.set_now(snapshot.taken_at)

    def __bool__(self) -> bool:
        """Return whether any window is open or yet to come."""
        return bool(self._pools)

    def set_now(self, now: Millis) -> bool:
        """Forget what is over by now; return whether other devices are kept than before."""
        found: defaultdict[PoolId, list[AdvanceReservationView]] = defaultdict(list)
        for each in self._all:
            if each.next_window(now) is not None:
                found[each.pool].append(each)
        before = {pool: held.key for pool, held in self._pools.items()}
        self._pools = {pool: _PoolReservations(held, now) for pool, held in found.items()}
        return before != {pool: held.key for pool, held in self._pools.items()}

    def is_for(
        self, reservation: AdvanceReservationView, work: PendingWorkload | RunningWorkload
    ) -> bool:
        """Return whether the reservation is for this work: its group, and its user if users are named."""
        if work.pool != reservation.pool:
            return False
        if reservation.users and work.user not in reservation.users:
            return False
        return reservation.group in self._paths.get(work.group, ())

    def upcoming_in(self, pool: PoolId) -> Sequence[AdvanceReservationView]:
        """Return the reservations of a pool that are open or yet to come, by their next start."""
        held = self._pools.get(pool)
        return held.reservations if held else ()

    def open_in(self, pool: PoolId, now: Millis) -> Sequence[AdvanceReservationView]:
        """Return those that are open."""
        return [each for each in self.upcoming_in(pool) if each.is_open(now)]

    def get(self, reservation: ReservationId) -> AdvanceReservationView:
        """Return a reservation."""
        return self._by_id[reservation]

    def stay_s(self, workload: PendingWorkload, pool: PoolId) -> int | None:
        """Return for how long a device must be its own, if it starts in that pool; None is permanent."""
        return stay_s(workload, self._policies[pool])

    def level(self, workload: PendingWorkload, pool: PoolId, now: Millis) -> int:
        """Return how many of the pool's reservations, by their next start, it is kept from."""
        held = self._pools.get(pool)
        if held is None:
            return 0
        key = (workload.preemptible, workload.traits, workload.time_limit_s, now)
        level = held.levels.get(key)
        if level is None:
            stay_s = self.stay_s(workload, pool)
            level = len(held.starts)
            if stay_s is not None:
                level = bisect_left(held.starts, now + stay_s * 1000)
            held.levels[key] = level
        return level

    def kept_at(self, pool: PoolId, level: int) -> Sequence[AdvanceReservationView]:
        """Return the reservations that a level of a pool keeps from work."""
        return self.upcoming_in(pool)[:level]

    def without_level(self, pool: PoolId, level: int, capacity: NodeCapacity) -> NodeCapacity:
        """Return the capacity of a node without the devices that a level keeps."""
        held = self._pools.get(pool)
        devices = held.devices_at(level).get(capacity.node) if held else None
        return self._without(devices, capacity) if devices else capacity

    def without(
        self, reservations: frozenset[ReservationId], capacity: NodeCapacity
    ) -> NodeCapacity:
        """Return the capacity of a node without the devices of these reservations."""
        devices = self.devices_on(capacity.node, reservations)
        return self._without(devices, capacity) if devices else capacity

    def devices_on(
        self, node: NodeId, reservations: Iterable[ReservationId]
    ) -> frozenset[tuple[AcceleratorId, int]]:
        """Return the devices of these reservations on a node."""
        return frozenset(
            (card, slot)
            for each in self.on_node(node).intersection(reservations)
            for at, card, slot in self._by_id[each].devices
            if at == node
        )

    def on_node(self, node: NodeId) -> frozenset[ReservationId]:
        """Return the reservations that have devices on a node."""
        return self._on_node.get(node, _NONE)

    def part_of(self, node: NodeId) -> NodePart:
        """Return the CPU and memory that go with each device of a node."""
        return self._parts.get(node, NodePart())

    def inside(
        self, reservation: AdvanceReservationView, free: NodeCapacity, unreserved: NodeCapacity
    ) -> NodeCapacity:
        """Return what work of the reservation may use of a node: its devices, and CPU for them.

        The CPU is the part of its free devices, or what no promised start needs if that is more.
        """
        mine = self.devices_on(free.node, (reservation.id,))
        cards = tuple(
            card._replace(
                free_slots=frozenset(
                    slot for slot in card.free_slots if (card.view.id, slot) in mine
                )
            )
            for card in free.cards
        )
        count = sum(len(card.free_slots) for card in cards)
        part = self.part_of(free.node)
        return NodeCapacity(
            free.node,
            min(free.cpu_milli, max(part.cpu_milli * count, unreserved.cpu_milli)),
            min(free.memory_mib, max(part.memory_mib * count, unreserved.memory_mib)),
            cards,
        )

    def phases(self, pool: PoolId, stay_s: int | None, now: Millis) -> Sequence[BlockedPhase]:
        """Return from when to when a start for so long is kept from which reservations' devices."""
        held = self._pools.get(pool)
        return held.phases(stay_s, now) if held else ()

    def _without(
        self, devices: Iterable[tuple[AcceleratorId, int]], capacity: NodeCapacity
    ) -> NodeCapacity:
        free = free_devices(devices, capacity)
        if not free:
            return capacity
        part = self.part_of(capacity.node)
        return capacity.after_allocating(
            free,
            min(part.cpu_milli * len(free), max(capacity.cpu_milli, 0)),
            min(part.memory_mib * len(free), max(capacity.memory_mib, 0)),
        )


@dataclass(slots=True)
class _PoolReservations:
    """The reservations of one pool that are not over, by their next start."""

    reservations: list[AdvanceReservationView]
    now: Millis
    starts: list[Millis] = field(init=False)
    levels: dict[tuple[object, ...], int] = field(init=False, default_factory=dict)
    """Levels of work that were asked for, by everything that they depend on."""
    _devices: dict[int, Mapping[NodeId, Devices]] = field(init=False, default_factory=dict)
    _phases: dict[int | None, Sequence[BlockedPhase]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Sort by the next start."""
        ranked = sorted((self._next_start(each), each.id, each) for each in self.reservations)
        self.reservations = [each for _, _, each in ranked]
        self.starts = [start for start, _, _ in ranked]

    @property
    def key(self) -> tuple[ReservationId, ...]:
        """What the devices of each level depend on."""
        return tuple(each.id for each in self.reservations)

    def _next_start(self, reservation: AdvanceReservationView) -> Millis:
        window = reservation.next_window(self.now)
        return window.start if window else self.now

    def devices_at(self, level: int) -> Mapping[NodeId, Devices]:
        """Return the devices that a level keeps, by node."""
        if level not in self._devices:
            found: defaultdict[NodeId, dict[tuple[AcceleratorId, int], None]] = defaultdict(dict)
            for each in self.reservations[:level]:
                for node, card, slot in each.devices:
                    found[node][card, slot] = None
            self._devices[level] = {node: tuple(devices) for node, devices in found.items()}
        return self._devices[level]

    def phases(self, stay_s: int | None, now: Millis) -> Sequence[BlockedPhase]:
        """Return the phases of starts that stay for so long, from now on."""
        if stay_s not in self._phases:
            self._phases[stay_s] = tuple(self._find_phases(stay_s, now))
        return self._phases[stay_s]

    def _find_phases(self, stay_s: int | None, now: Millis) -> Iterable[BlockedPhase]:
        """Go through the moments at which a device is kept, or given back, in order."""
        blocks = [
            (
                now if stay_s is None else max(window.start - stay_s * 1000 + 1, now),
                window.end,
                each.id,
            )
            for each in self.reservations
            for window in each.windows
            if window.end > now
        ]
        edges = sorted({now, *(edge for start, end, _ in blocks for edge in (start, end))})
        last = edges[-1]
        for start, end in islice(pairwise(edges), _PHASES_MAX):
            kept = frozenset(each for begin, over, each in blocks if begin <= start < over)
            yield BlockedPhase(Millis(start), Millis(end), kept)
        yield BlockedPhase(Millis(last), None, frozenset())


def _reservations_by_node(
    reservations: Iterable[AdvanceReservationView],
) -> Mapping[NodeId, frozenset[ReservationId]]:
    found: defaultdict[NodeId, set[ReservationId]] = defaultdict(set)
    for each in reservations:
        for node, _, _ in each.devices:
            found[node].add(each.id)
    return {node: frozenset(ids) for node, ids in found.items()}


def _parts_of_nodes(snapshot: Snapshot) -> Mapping[NodeId, NodePart]:
    slots: defaultdict[NodeId, int] = defaultdict(int)
    for card in snapshot.accelerators:
        slots[card.node] += card.slices
    return {
        node.id: NodePart(node.cpu_milli // slots[node.id], node.memory_mib // slots[node.id])
        for node in snapshot.nodes
        if slots[node.id]
    }
