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
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
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
from scheduler.core.model.plan import MoveCause
from scheduler.core.model.policy import Overheads
from scheduler.core.model.reasons import Reason
from scheduler.core.model.running import as_running, is_overdue
from scheduler.core.model.site_clock import SiteClock
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
from scheduler.core.timeline.later_states import LaterStates
from scheduler.core.timeline.node_reservation import FREE_NOW
from scheduler.core.timeline.pool_timeline import PoolTimeline, TimelineCache, end_after
from scheduler.core.timeline.reserved_starts import Reservation, ReservedStarts


class Ledger:
    """A mutable copy of a snapshot; every change of it can be undone until the next decision."""

    looks_ahead = False
    """Whether it shows what will be once others have had their notice and left."""

    def __init__(self, snapshot: Snapshot, learned_demand: LearnedDemand | None = None) -> None:
        """Copy the snapshot; it is never written to."""
        self._undo_log = UndoLog()
        self._snapshot: Final = snapshot
        self.now = snapshot.taken_at
        """The moment of the present decision."""
        self.pools: Final = {pool.id: pool for pool in snapshot.pools}
        self._views: Final = CapacityViewBuilder(snapshot)
        self.learned_demand: Final = learned_demand or LearnedDemand(snapshot)
        """The demand that each pool expects."""
        self.free: Final = self._views.build_free(self.learned_demand.by_pool)
        self.unreserved: Final = {pool: view.copy() for pool, view in self.free.items()}
        self.pool_of: Final = {node: pool for pool, view in self.free.items() for node in view}
        """The pool that owns each node that takes work."""
        self._reserved_views: Final = ReservedViews(snapshot, self.free, self.unreserved)
        self.quotas: Final = QuotaBook(snapshot, self._undo_log)
        self.pending: Final = {workload.id: workload for workload in snapshot.pending}
        self.running: Final = {workload.id: workload for workload in snapshot.running}
        self.usage = snapshot.usage
        """Decayed past use as of `now`."""
        self.starts: Final = ReservedStarts(
            self.free, self.unreserved, self.pool_of, self._undo_log
        )
        """The starts that are reserved for waiting work."""
        self.deserved: AbstractSet[WorkloadId] = frozenset()
        """Waiting work for which its group could reclaim, in the present decision."""
        self.move_causes: Final[dict[WorkloadId, MoveCause]] = {}
        """Why the present decision could not keep promised starts."""
        self.published = snapshot.published
        """The reserved starts of the last plan."""
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
        self.later: Final = LaterStates(self)
        """What quotas will have to hold when a reserved start happens."""

    @property
    def clock(self) -> SiteClock:
        """The site's clock, for calendars."""
        return self._snapshot.clock

    @property
    def overheads(self) -> Overheads:
        """What work takes of its devices beside limits and graces."""
        return self._snapshot.overheads

    @cached_property
    def silent_nodes(self) -> AbstractSet[NodeId]:
        """Nodes whose work cannot be stopped now."""
        return _nodes_in(NodeState.LOST, self._snapshot)

    @cached_property
    def unheard_nodes(self) -> AbstractSet[NodeId]:
        """Nodes that are not heard at the moment: they take no work."""
        return _nodes_in(NodeState.UNREADY, self._snapshot)

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
        self.starts.begin()
        self.later.clear()
        self.move_causes.clear()
        self.released.clear()
        for work in tuple(self.stopping.values()):
            if not work.is_overdue and is_overdue(work, now):
                self.update(replace(work, is_overdue=True))
        past = now - self._snapshot.fair_share.entry_penalty_s * 1000
        # Beyond the penalty's own length, measured use has replaced it.
        charged_in_full = [
            work
            for work, record in self._start_records.items()
            if record.started_at is not None and record.started_at <= past
        ]
        for workload in charged_in_full:
            del self._start_records[workload]

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
        level = self.reserved.level(workload, pool, self._begins(pool))
        return self._reserved_views.at_level(pool, level, backfills=backfills)

    def _begins(self, pool: PoolId) -> Millis:
        """Return when work would begin that is placed now: after the notice of others, if they must leave."""
        if not self.looks_ahead:
            return self.now
        leaving_s = self.pools[pool].policy.grace_s + self.overheads.settling_s
        return Millis(self.now + leaving_s * 1000)

    def timeline(
        self, pool: PoolId, cache: TimelineCache | None = None, options_max: int | None = None
    ) -> PoolTimeline:
        """Return the pool from now on; with a cache of other ends, by these.

        Every cleared start happens on it.
        """
        kept = self.timeline_cache.kept.find(self.reserved, pool, self.now)
        timeline = PoolTimeline(
            self.starts.capacities(pool),
            self.running_on,
            cache or self.timeline_cache,
            reserved=kept,
            options_max=options_max,
        )
        for each in self.starts.cleared.values():
            until = end_after(each.start.at, self.stays_s(each.workload), self.now)
            for part in each.parts():
                if self.pool_of[part.node] == pool:
                    timeline.take(part, each.start.at, until)
        return timeline

    def refusals(self, workload: PendingWorkload, *, borrowed: bool = False) -> tuple[Reason, ...]:
        """Return the limits that keep it from starting: now, or when a promised start happens."""
        found = self.quotas.refusals(workload, borrowed=borrowed)
        for later in () if found else self.later.beside(workload):
            if found := self.quotas.refusals(workload, later=later, borrowed=borrowed):
                break
        return found

    def refusals_inside(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return the same inside an advance reservation."""
        found = self.quotas.refusals_inside(workload)
        for later in () if found else self.later.beside(workload):
            if found := self.quotas.refusals_inside(workload, later):
                break
        return found

    def refusals_at(
        self, reservation: Reservation, *, borrowed: bool = False
    ) -> tuple[Reason, ...]:
        """Return the limits that keep a reserved start from happening at its time."""
        found: tuple[Reason, ...] = ()
        for is_exact in (False, True):
            later = self.later.at_start_of(reservation, is_exact=is_exact)
            found = self.quotas.refusals(reservation.workload, later=later, borrowed=borrowed)
            if not found:
                break
        return found

    def narrow(self, workload: PendingWorkload) -> Request | None:
        """Return the request for the cards that quotas leave it, now and at each promised start."""
        request = self.quotas.narrow(workload)
        for later in self.later.beside(workload):
            if request is None:
                break
            if request is not workload.request:
                workload = replace(workload, request=request)
            request = self.quotas.narrow(workload, later)
        return request

    def as_running(
        self, workload: PendingWorkload, placements: tuple[Placement, ...]
    ) -> RunningWorkload:
        """Return the workload as it would hold these devices from now on."""
        return as_running(workload, placements, self.now)

    def stays_s(self, workload: PendingWorkload) -> int | None:
        """Return how long the workload may hold its devices, with all that its limit does not count.

        None is an open end.
        """
        if workload.time_limit_s is None:
            return None
        return workload.time_limit_s + self._around_s(workload)

    def has_left_by(self, moment: Millis, workload: PendingWorkload) -> bool:
        """Return whether the workload has certainly left by then if it starts now."""
        return end_after(FREE_NOW, self.stays_s(workload), self.now) <= moment

    def is_leaving(self, work: RunningWorkload) -> bool:
        """Return whether the work has been given notice, and will have left in time.

        What is on a silent node, or overdue, has not: nobody knows when it leaves.
        """
        return work.stopping and not (work.is_overdue or self.is_silent(work))

    def is_silent(self, work: RunningWorkload) -> bool:
        """Return whether some of the work is on a silent node."""
        return bool(self.silent_nodes) and any(
            placement.node in self.silent_nodes for placement in work.placements
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

        It holds them until its time limit, or until `ends_by` if that is earlier. Nothing stays
        reserved for it.
        """
        self.starts.forget(workload)
        around_s = self._around_s(workload)
        running = as_running(workload, tuple(placements), self.now, ends_by, around_s)
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

    def _around_s(self, workload: PendingWorkload) -> int:
        """Return how long it may hold its devices before it has started and once it must end."""
        overheads, grace_s = self.overheads, self.pools[workload.pool].policy.grace_s
        around_s = overheads.starting_s + overheads.settling_s
        return around_s + grace_s * overheads.has_grace_at_limit

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

        table = AsideTable(
            aside, lambda work: self.reserved.level(work, work.pool, self._begins(work.pool))
        )
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


def _nodes_in(state: NodeState, snapshot: Snapshot) -> AbstractSet[NodeId]:
    return frozenset(node.id for node in snapshot.nodes if node.state is state)


def _running_on(running: Iterable[RunningWorkload]) -> dict[NodeId, tuple[RunningWorkload, ...]]:
    held: dict[NodeId, list[RunningWorkload]] = defaultdict(list)
    for work in running:
        for node in {placement.node for placement in work.placements}:
            held[node].append(work)
    return {node: tuple(works) for node, works in held.items()}
