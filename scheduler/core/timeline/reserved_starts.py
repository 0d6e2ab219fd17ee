"""The starts that are reserved for waiting work, and what is set aside for each.

A *reservation* is the earliest start that time limits allow. What it needs and does not certainly get
by then is taken out of `unreserved`: work that ends before may still use it (backfill). A *cleared*
start is one for which other work was given notice. What that work leaves, and what was free beside it,
is for nobody else: it is taken out of `free` too.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Final

from scheduler.core.capacity.node_capacity import Devices, NodeCapacity
from scheduler.core.capacity.views import ViewsByPool
from scheduler.core.model.entities import (
    AcceleratorId,
    Millis,
    NodeId,
    PendingWorkload,
    Placement,
    PoolId,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.timeline.node_reservation import UNKNOWN_FROM, NodeReservation
from scheduler.core.timeline.pool_timeline import GangStart

_STATE: Final = "state"
_NEVER_PROMISED: Final = Millis(0)


@dataclass(frozen=True, slots=True)
class Reservation:
    """A start that is promised to waiting work (Slurm: a backfill reservation)."""

    workload: PendingWorkload
    start: GangStart
    withheld: tuple[NodeReservation, ...] = ()
    """What is set aside for it from now on."""
    published: PlannedReservation | None = None
    """The same start as an earlier plan had it; None is a new one."""
    is_cleared: bool = False
    """Other work was stopped for it."""
    is_certain: bool = True
    """Only time keeps it from starting, not what is guaranteed to other groups."""
    keeps_quotas: bool = True
    """Quotas must have room for it: not if it is known that they may not."""
    promised_for: Millis = _NEVER_PROMISED
    """The moment that is promised; the start may be earlier."""

    @property
    def was_promised(self) -> bool:
        """Return whether an earlier plan has promised it."""
        return self.published is not None and self.published.is_promised

    def is_promised(self, now: Millis) -> bool:
        """Return whether it has a time that can be promised."""
        return self.is_certain and self.start.at < UNKNOWN_FROM and self.promised_for > now

    def parts(self) -> Iterator[NodeReservation]:
        """Yield all that each replica will hold."""
        request = self.workload.request
        for place in self.placements():
            yield NodeReservation(
                place.node,
                place.devices,
                request.cpu_milli,
                request.memory_mib,
                request.gpu_milli,
                request.gpu_memory_mib,
            )

    def placements(self) -> tuple[Placement, ...]:
        """Return its devices, one placement for each replica."""
        return tuple(
            Placement(node, devices)
            for node, replicas in self.start.nodes
            for devices in _divide(self._devices_on(node), replicas, self.workload)
        )

    def uses_devices_of(self, work: RunningWorkload) -> bool:
        """Return whether the work holds a device that the start will use."""
        pinned = self.start.pinned or frozenset()
        return any(
            (place.node, *device) in pinned for place in work.placements for device in place.devices
        )

    def _devices_on(self, node: NodeId) -> list[tuple[AcceleratorId, int]]:
        return sorted((card, slot) for at, card, slot in self.start.pinned or () if at == node)


def _divide(
    devices: list[tuple[AcceleratorId, int]], replicas: int, workload: PendingWorkload
) -> Iterator[Devices]:
    """Yield the devices of each replica; shares may be on one card."""
    if workload.request.gpu_milli:
        yield from ((devices[rank % len(devices)],) for rank in range(replicas))
        return
    each = len(devices) // replicas
    yield from (tuple(devices[rank * each : (rank + 1) * each]) for rank in range(replicas))


class ReservedStarts:
    """The reserved starts of every pool; every change but `begin` can be undone."""

    def __init__(
        self,
        free: ViewsByPool,
        unreserved: ViewsByPool,
        pool_of: Mapping[NodeId, PoolId],
        undo_log: UndoLog,
    ) -> None:
        """Reserve nothing yet."""
        self._free, self._unreserved, self._pool_of = free, unreserved, pool_of
        self._undo_log = undo_log
        self.by_pool: Final[dict[PoolId, tuple[Reservation, ...]]] = {}
        """From the first that was promised."""
        self.cleared: Final[dict[WorkloadId, Reservation]] = {}
        self.first_blocked: Final[dict[PoolId, PendingWorkload]] = {}
        """The first blocked workload of each pool."""
        self._state = {_STATE: 0}
        self._states = count(1)
        self._nodes: Final[dict[NodeId, None]] = {}
        """Nodes of which something free is reserved; a dictionary, so that writes can be undone."""

    def __bool__(self) -> bool:
        """Return whether any start is reserved."""
        return bool(self.by_pool or self.cleared)

    def __iter__(self) -> Iterator[Reservation]:
        """Yield the cleared starts, then the others by pool."""
        yield from self.cleared.values()
        for _, reservations in sorted(self.by_pool.items()):
            yield from reservations

    @property
    def state(self) -> int:
        """A number that changes with what is reserved, and with an undo back."""
        return self._state[_STATE]

    def capacities(self, pool: PoolId) -> Mapping[NodeId, NodeCapacity]:
        """Return what is free of the nodes of a pool, with what is kept for cleared starts."""
        free = self._free[pool]
        kept = [
            part
            for each in self.cleared.values()
            for part in each.withheld
            if self._pool_of[part.node] == pool
        ]
        if not kept:
            return free
        capacities = dict(free)
        for part in kept:
            capacities[part.node] = give_back(part, capacities[part.node])
        return capacities

    def begin(self) -> None:
        """Reserve nothing any more; this is final."""
        for each in self.cleared.values():
            self._return(each)
        self.cleared.clear()
        for node in self._nodes:
            self._renew(node, ())
        self._nodes.clear()
        self.by_pool.clear()
        self.first_blocked.clear()
        self._undo_log.commit()

    def add(self, reservation: Reservation) -> None:
        """Reserve a start behind those that the pool has."""
        pool = reservation.workload.pool
        self._undo_log.write(self.by_pool, pool, (*self.by_pool.get(pool, ()), reservation))
        for part in reservation.withheld:
            self._undo_log.write(self._nodes, part.node, None)
            view = self._unreserved[self._pool_of[part.node]]
            self._undo_log.write(view, part.node, take(part, view[part.node]))
        self._changed(pool)

    def add_cleared(self, reservation: Reservation) -> None:
        """Keep a cleared start from everybody else."""
        self._undo_log.write(self.cleared, reservation.workload.id, reservation)
        for part in reservation.withheld:
            self._shift(part, take)
        self._changed(reservation.workload.pool)

    def find(self, workload: WorkloadId, pool: PoolId) -> Reservation | None:
        """Return the reserved start of a workload of the pool."""
        if found := self.cleared.get(workload):
            return found
        return next(
            (each for each in self.by_pool.get(pool, ()) if each.workload.id == workload), None
        )

    def remove(self, reservation: Reservation) -> None:
        """Reserve this start no longer."""
        pool = reservation.workload.pool
        if reservation.is_cleared:
            self._undo_log.remove(self.cleared, reservation.workload.id)
            self._return(reservation)
        else:
            rest = tuple(each for each in self.by_pool[pool] if each is not reservation)
            if rest:
                self._undo_log.write(self.by_pool, pool, rest)
            else:
                self._undo_log.remove(self.by_pool, pool)
            for node in dict.fromkeys(part.node for part in reservation.withheld):
                self._renew(node, rest)
        self._changed(pool)

    def swap(self, old: Reservation, new: Reservation) -> None:
        """Put a reservation of the same start in the place of another."""
        pool = old.workload.pool
        row = tuple(new if each is old else each for each in self.by_pool[pool])
        self._undo_log.write(self.by_pool, pool, row)
        self._changed(pool)

    def forget(self, workload: PendingWorkload) -> None:
        """Reserve nothing for the workload: it starts."""
        if reserved := self.find(workload.id, workload.pool):
            self.remove(reserved)

    def drop(self, *, only_new: bool = False) -> tuple[Reservation, ...]:
        """Remove every reserved start that is not cleared, or only those that are new; return them."""
        dropped = tuple(
            each
            for reservations in self.by_pool.values()
            for each in reservations
            if each.published is None or not only_new
        )
        for each in reversed(dropped):
            self.remove(each)
        return dropped

    def _changed(self, pool: PoolId) -> None:
        self._undo_log.write(self._state, _STATE, next(self._states))
        left = (
            *self.by_pool.get(pool, ()),
            *(each for each in self.cleared.values() if each.workload.pool == pool),
        )
        if left and pool not in self.first_blocked:
            self._undo_log.write(self.first_blocked, pool, left[0].workload)
        elif pool in self.first_blocked and all(
            each.workload.id != self.first_blocked[pool].id for each in left
        ):
            self._undo_log.remove(self.first_blocked, pool)
            if left:
                self._undo_log.write(self.first_blocked, pool, left[0].workload)

    def _return(self, reservation: Reservation) -> None:
        for part in reservation.withheld:
            self._shift(part, give_back)

    def _renew(self, node: NodeId, reservations: tuple[Reservation, ...]) -> None:
        """Take out of what is free of a node what these reservations withhold."""
        pool = self._pool_of[node]
        left = self._free[pool][node]
        for each in reservations:
            for part in each.withheld:
                left = take(part, left) if part.node == node else left
        self._undo_log.write(self._unreserved[pool], node, left)

    def _shift(
        self, part: NodeReservation, how: Callable[[NodeReservation, NodeCapacity], NodeCapacity]
    ) -> None:
        """Take a part out of both views, or give it back."""
        free, unreserved = (
            views[self._pool_of[part.node]] for views in (self._free, self._unreserved)
        )
        before, before_unreserved = free[part.node], unreserved[part.node]
        after = how(part, before)
        self._undo_log.write(free, part.node, after)
        # Where nothing is reserved both views share one value.
        left = after if before_unreserved is before else how(part, before_unreserved)
        self._undo_log.write(unreserved, part.node, left)


def take(part: NodeReservation, capacity: NodeCapacity) -> NodeCapacity:
    """Return the capacity of its node without a part."""
    return capacity.after_allocating(
        part.devices, part.cpu_milli, part.memory_mib, part.gpu_milli, part.gpu_memory_mib
    )


def give_back(part: NodeReservation, capacity: NodeCapacity) -> NodeCapacity:
    """Return the capacity of its node with a part again."""
    return capacity.after_releasing(
        part.devices, part.cpu_milli, part.memory_mib, part.gpu_milli, part.gpu_memory_mib
    )
