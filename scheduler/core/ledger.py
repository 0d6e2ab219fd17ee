"""The cluster while it is decided on: nested views of its capacity, its quotas and its work.

    installed ⊇ enforcing ⊇ usable ⊇ free ⊇ unreserved

`installed` is what the site owns, `enforcing` what keeps tenants apart as its pool demands,
`usable` what takes work today, `free` what no work holds, and `unreserved` what is free and not
reserved for blocked work. Work is placed in `unreserved`; the largest view in which it does *not*
fit is the reason why it waits.

The portal makes a ledger from a snapshot for each cycle. A simulator makes one and reports to it
what happens (`enqueue`, `withdraw`, `update`, `release`); `decide` may be called on it repeatedly.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from scheduler.core.capacity.learned_demand import LearnedDemand
from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.capacity.reserved_devices import ReservedCapacity
from scheduler.core.capacity.reserved_views import ReservedViews
from scheduler.core.capacity.views import CapacityView, CapacityViewBuilder, ViewsByPool
from scheduler.core.model.advance_reservations import AdvanceReservationView
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    NodeId,
    PendingWorkload,
    Placement,
    PoolId,
    Request,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import NodeState
from scheduler.core.model.undo_log import Mark, UndoLog
from scheduler.core.ordering.fair_share_state import (
    FairShareState,
    compute_entitlements,
    start_record_of,
)
from scheduler.core.quotas.aside import AsideTable, count_asides
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.quotas.quota_book import QuotaBook
from scheduler.core.timeline.node_reservation import NodeReservation
from scheduler.core.timeline.pool_timeline import GangStart, PoolTimeline, TimelineCache


@dataclass(frozen=True, slots=True)
class Reservation:
    """A start that is promised to waiting work (Slurm: a backfill reservation)."""

    workload: PendingWorkload
    start: GangStart


class Ledger:
    """A mutable copy of a snapshot; every change of it can be undone until the next decision."""

    def __init__(self, snapshot: Snapshot, learned_demand: LearnedDemand | None = None) -> None:
        """Copy the snapshot; it is never written to."""
        self._undo_log = UndoLog()
        self._snapshot: Final = snapshot
        self.now = snapshot.taken_at
        """The moment of the present decision."""
        self.clock: Final = snapshot.clock
        """The site's clock, for calendars."""
        self.pools: Final = {pool.id: pool for pool in snapshot.pools}
        self._views: Final = CapacityViewBuilder(snapshot)
        self.learned_demand: Final = learned_demand or LearnedDemand(snapshot)
        """The demand that each pool expects."""
        self.free: Final = self._views.build_free(self.learned_demand.by_pool)
        self.unreserved: Final = {pool: view.copy() for pool, view in self.free.items()}
        self.pool_of: Final = {node: pool for pool, view in self.free.items() for node in view}
        """The pool that owns each node that takes work."""
        self._reserved_views: Final = ReservedViews(snapshot, self.free, self.unreserved)
        self.silent_nodes: Final = frozenset(
            node.id for node in snapshot.nodes if node.state is NodeState.LOST
        )
        """Nodes whose work cannot be stopped now."""
        self.quotas: Final = QuotaBook(snapshot, self._undo_log)
        self.pending: Final = {workload.id: workload for workload in snapshot.pending}
        self.running: Final = {workload.id: workload for workload in snapshot.running}
        self.usage = snapshot.usage
        """Decayed past use as of `now`."""
        self.first_blocked: Final[dict[PoolId, PendingWorkload]] = {}
        """The first blocked workload of each pool, for which capacity and quota are reserved."""
        self.reservations: Final[dict[PoolId, tuple[Reservation, ...]]] = {}
        """The reserved starts of each pool, from the head of its queue."""
        self.running_on: Final = _running_on(self.running.values())
        """The work that holds something on each node."""
        self.timeline_cache: Final = TimelineCache()
        """What was computed about the future of each node."""
        self.stopping: Final = {work.id: work for work in snapshot.running if work.stopping}
        """Work that has been given notice."""
        self._start_records: Final = {
            work.id: start_record_of(work, self.pools[work.pool]) for work in snapshot.running
        }
        """Running work that may still be charged the entry penalty."""
        self.released: Final[dict[WorkloadId, RunningWorkload]] = {}
        """Work that was released, tentatively or not, since the decision began."""
        self._reserved_nodes: Final[dict[NodeId, None]] = {}
        """Nodes of which something free is reserved; a dictionary, so that writes can be undone."""

    @cached_property
    def installed(self) -> ViewsByPool:
        """What the site owns, as if nothing ran and everything were healthy."""
        return self._views.build_installed(self.free)

    @cached_property
    def enforcing(self) -> ViewsByPool:
        """What of it keeps tenants apart as its pool demands."""
        return self._views.build_enforcing(self.free)

    @cached_property
    def usable(self) -> ViewsByPool:
        """What takes work today, as if nothing ran."""
        return self._views.build_usable(self.free)

    @cached_property
    def _entitled(self) -> Mapping[GroupId, int]:
        return compute_entitlements(self._snapshot)

    @property
    def reserved(self) -> ReservedCapacity:
        """What advance reservations keep."""
        return self._reserved_views.reserved

    def fair_shares(self) -> FairShares:
        """Return the fair share of every group and what it holds at this moment."""
        return FairShares.from_snapshot(
            replace(
                self._snapshot,
                pending=tuple(self.pending.values()),
                running=tuple(self.running.values()),
            )
        )

    def fair_share_state(self) -> FairShareState:
        """Return the fair-share state of every group and member at this moment."""
        return FairShareState.from_snapshot(
            replace(
                self._snapshot,
                taken_at=self.now,
                quotas=self.quotas.rows(),
                usage=self.usage,
            ),
            self._entitled,
            # A single waiting workload is compared with no other.
            self._start_records.values() if len(self.pending) > 1 else (),
        )

    def begin_decision(self, now: Millis) -> None:
        """Make everything so far final, and drop the reservations of the last decision."""
        self._undo_log.commit()
        self.now = now
        self.quotas.set_now(now)
        self._renew_reserved()
        for node in self._reserved_nodes:
            pool = self.pool_of[node]
            self.unreserved[pool][node] = self.free[pool][node]
        self._reserved_nodes.clear()
        self.released.clear()
        past = now - self._snapshot.fair_share.entry_penalty_s * 1000
        # Beyond the penalty's own length, measured use has replaced it.
        charged_in_full = [
            work
            for work, record in self._start_records.items()
            if record.started_at is not None and record.started_at <= past
        ]
        for workload in charged_in_full:
            del self._start_records[workload]
        self.first_blocked.clear()
        self.reservations.clear()

    def enqueue(self, workload: PendingWorkload) -> None:
        """Add a waiting workload: it is new, was requeued, or waits in a changed form."""
        if workload.attained_gpu_s == 0 and workload.id not in self.pending:
            self.learned_demand.learn(workload)
        self._undo_log.write(self.pending, workload.id, workload)

    def withdraw(self, workload: WorkloadId) -> PendingWorkload:
        """Take a waiting workload out of the queue."""
        return self._undo_log.remove(self.pending, workload)

    def capacity_for(
        self, workload: PendingWorkload, pool: PoolId, *, backfills: bool = False
    ) -> CapacityView:
        """Return what the workload may use of a pool: all but what advance reservations keep from it.

        It is what is unreserved; with `backfills`, what is free.
        """
        level = self.reserved.level(workload, pool, self.now)
        return self._reserved_views.at_level(pool, level, backfills=backfills)

    def timeline(
        self, pool: PoolId, cache: TimelineCache | None = None, options_max: int | None = None
    ) -> PoolTimeline:
        """Return the pool from now on; with a cache of other ends, by these."""
        kept = self.timeline_cache.kept.find(self.reserved, pool, self.now)
        return PoolTimeline(
            self.free[pool],
            self.running_on,
            cache or self.timeline_cache,
            reserved=kept,
            options_max=options_max,
        )

    def inside(self, reservation: AdvanceReservationView) -> CapacityView:
        """Return what work of an open advance reservation may use of its devices."""
        return self._reserved_views.inside(reservation)

    def allocate(
        self,
        workload: PendingWorkload,
        placements: Iterable[Placement],
        ends_by: Millis | None = None,
    ) -> None:
        """Give the workload its devices: it no longer waits, and they are no longer free.

        It holds them until its time limit, or until `ends_by` if that is earlier.
        """
        running = as_running(workload, tuple(placements), self.now, ends_by)
        for placement in running.placements:
            self._shift(workload.request, placement, NodeCapacity.after_allocating)
        self.quotas.charge(running)
        if workload.id in self.pending:
            self._undo_log.remove(self.pending, workload.id)
        self._undo_log.write(self.running, workload.id, running)
        self._hold(running)

    def update(self, workload: RunningWorkload) -> None:
        """Replace a running workload by what is known now: its start, its ends, its last checkpoint."""
        self._release(self.running[workload.id])
        self._undo_log.write(self.running, workload.id, workload)
        self._hold(workload)

    def release(self, workload: WorkloadId) -> RunningWorkload:
        """Free what a running workload holds, capacity and quotas; return it as it was."""
        ended = self._undo_log.remove(self.running, workload)
        for placement in ended.placements:
            if placement.node in self.pool_of:  # else the node takes no work today: in no view
                self._shift(ended.request, placement, NodeCapacity.after_releasing)
        self._release(ended)
        self.quotas.refund(ended)
        self._undo_log.write(self.released, workload, ended)
        return ended

    def add_reservation(self, reservation: Reservation) -> None:
        """Promise a start; for the first blocked workload of a pool its quota is reserved too."""
        pool = reservation.workload.pool
        if pool not in self.first_blocked:
            self._undo_log.write(self.first_blocked, pool, reservation.workload)
        self._undo_log.write(
            self.reservations, pool, (*self.reservations.get(pool, ()), reservation)
        )

    def withhold(self, part: NodeReservation) -> None:
        """Take what is reserved of a node out of the unreserved view."""
        view = self.unreserved[self.pool_of[part.node]]
        left = view[part.node].after_allocating(
            part.devices, part.cpu_milli, part.memory_mib, part.gpu_milli, part.gpu_memory_mib
        )
        self._undo_log.write(self._reserved_nodes, part.node, None)
        self._undo_log.write(view, part.node, left)

    def drop_reservations(self) -> None:
        """Make everything reserved available again, until `undo` or new reservations."""
        for node in tuple(self._reserved_nodes):
            pool = self.pool_of[node]
            self._undo_log.write(self.unreserved[pool], node, self.free[pool][node])
            self._undo_log.remove(self._reserved_nodes, node)
        for pool in tuple(self.first_blocked):
            self._undo_log.remove(self.first_blocked, pool)
            self._undo_log.remove(self.reservations, pool)

    @contextmanager
    def as_of(self, moment: Millis) -> Iterator[None]:
        """Look at the same work and capacity at a later moment."""
        now, self.now = self.now, moment
        try:
            yield
        finally:
            self.now = now

    def mark(self) -> Mark:
        """Return the present state as a mark for `undo`."""
        return self._undo_log.mark()

    def undo(self, mark: Mark) -> None:
        """Take back everything written since the mark."""
        self._undo_log.undo(mark)

    def _renew_reserved(self) -> None:
        """Bring advance reservations up to the present moment."""
        if self.reserved.set_now(self.now):
            self._reserved_views.clear()
        if not self.reserved:
            self.quotas.keep_aside = None
            return
        held = {
            device
            for work in self.running.values()
            for placement in work.placements
            for device in placement.devices
        }
        aside = {
            pool.id: count_asides(self.reserved.upcoming_in(pool.id), pool, self.now, held)
            for pool in self.pools.values()
        }

        table = AsideTable(aside, lambda work: self.reserved.level(work, work.pool, self.now))
        self.quotas.keep_aside = table.kept_from

    def _shift(
        self, request: Request, placement: Placement, how: Callable[..., NodeCapacity]
    ) -> None:
        """Take one replica's amounts out of `free` and `unreserved`, or give them back."""
        node = placement.node
        pool = self.pool_of[node]
        free, unreserved = self.free[pool], self.unreserved[pool]
        amounts = (request.cpu_milli, request.memory_mib, request.gpu_milli, request.gpu_memory_mib)
        before, before_unreserved = free[node], unreserved[node]
        after = how(before, placement.devices, *amounts)
        self._undo_log.write(free, node, after)
        # Where nothing is reserved both views share one value: one change serves both.
        if before_unreserved is not before:
            after = how(before_unreserved, placement.devices, *amounts)
        self._undo_log.write(unreserved, node, after)

    def _hold(self, work: RunningWorkload) -> None:
        self._undo_log.write(
            self._start_records, work.id, start_record_of(work, self.pools[work.pool])
        )
        if work.stopping:
            self._undo_log.write(self.stopping, work.id, work)
        for node in {placement.node for placement in work.placements}:
            self._undo_log.write(self.running_on, node, (*self.running_on.get(node, ()), work))

    def _release(self, work: RunningWorkload) -> None:
        if work.id in self._start_records:
            self._undo_log.remove(self._start_records, work.id)
        if work.id in self.stopping:
            self._undo_log.remove(self.stopping, work.id)
        for node in {placement.node for placement in work.placements}:
            rest = tuple(other for other in self.running_on[node] if other.id != work.id)
            self._undo_log.write(self.running_on, node, rest)


def _running_on(running: Iterable[RunningWorkload]) -> dict[NodeId, tuple[RunningWorkload, ...]]:
    held: dict[NodeId, list[RunningWorkload]] = defaultdict(list)
    for work in running:
        for node in {placement.node for placement in work.placements}:
            held[node].append(work)
    return {node: tuple(works) for node, works in held.items()}


def as_running(
    workload: PendingWorkload,
    placements: tuple[Placement, ...],
    now: Millis,
    ends_by: Millis | None = None,
) -> RunningWorkload:
    """Return the workload as it holds its place from now on; its ends count as if it began now.

    It ends at `ends_by` at the latest.
    """
    limit = workload.time_limit_s
    if ends_by is not None:
        limit = min(limit, max(ends_by - now, 0) // 1000)
    expected = limit if workload.expected_s is None else min(workload.expected_s, limit)
    return RunningWorkload(
        id=workload.id,
        pool=workload.pool,
        group=workload.group,
        user=workload.user,
        kind=workload.kind,
        priority=workload.priority,
        request=workload.request,
        placements=placements,
        ends_at=Millis(now + limit * 1000),
        version=workload.version,
        submitted_at=workload.submitted_at,
        expected_end=Millis(now + expected * 1000),
        preemptible=workload.preemptible,
        attained_gpu_s=workload.attained_gpu_s,
        time_limit_s=limit,
        array=workload.array,
    )
