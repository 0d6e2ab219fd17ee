"""The cluster while it is decided on: four nested views of the same rooms, quotas and work.

    installed ⊇ enforcing ⊇ usable ⊇ free ⊇ open

`installed` is what the site owns, `usable` what is healthy today, `free` what nobody holds, and
`open` what is free and not kept for a workload that is first in line. Work is placed in `open`;
the largest view in which it does *not* fit is the reason why it waits.

The portal makes a ledger from a snapshot for each cycle. A simulator makes one and tells it what
happens: `arrive`, `withdraw`, `revise`, `end`; `decide` may be called on it again and again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from scheduler.core.capacity.learned_demand import LearnedDemand
from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.capacity.views import CapacityViewBuilder, ViewsByPool
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
from scheduler.core.model.undo_log import Mark, UndoLog
from scheduler.core.ordering.fair_share_state import (
    FairShareState,
    compute_entitlements,
    start_record_of,
)
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.quotas.quota_book import QuotaBook
from scheduler.core.timeline.node_reservation import NodeReservation
from scheduler.core.timeline.pool_timeline import GangStart, TimelineCache


@dataclass(frozen=True, slots=True)
class Reservation:
    """A start that is promised to waiting work."""

    workload: PendingWorkload
    start: GangStart


class Ledger:
    """A mutable copy of a snapshot; every change of it can be undone until the next decision."""

    def __init__(self, snapshot: Snapshot, mixes: LearnedDemand | None = None) -> None:
        """Copy the snapshot; it is never written to."""
        self._journal = UndoLog()
        self._snapshot: Final = snapshot
        self.now = snapshot.taken_at
        """The moment of the present decision."""
        self.utc_offset_min: Final = snapshot.fair_share.utc_offset_min
        """The site's clock, for calendars."""
        self.pools: Final = {pool.id: pool for pool in snapshot.pools}
        self._furniture: Final = CapacityViewBuilder(snapshot)
        self.learned_demand: Final = mixes or LearnedDemand(snapshot)
        """What each pool expects to be asked for."""
        self.free: Final = self._furniture.build_free(self.learned_demand.by_pool)
        self.unreserved: Final = {pool: rooms.copy() for pool, rooms in self.free.items()}
        self.pool_of: Final = {node: pool for pool, rooms in self.free.items() for node in rooms}
        """The pool that owns each node that takes work."""
        self.quotas: Final = QuotaBook(snapshot, self._journal)
        self.pending: Final = {workload.id: workload for workload in snapshot.pending}
        self.running: Final = {workload.id: workload for workload in snapshot.running}
        self.usage = snapshot.usage
        """Decayed past use as of `now`."""
        self.first_blocked: Final[dict[PoolId, PendingWorkload]] = {}
        """The first blocked workload of each pool, for which room and quota are kept."""
        self.reservations: Final[dict[PoolId, tuple[Reservation, ...]]] = {}
        """The starts that are promised in each pool, from the head of its queue."""
        self.running_on: Final = _running_on(self.running.values())
        """Who holds something on each node."""
        self.timeline_cache: Final = TimelineCache()
        """What was worked out about the nodes' future."""
        self.stopping: Final = {work.id: work for work in snapshot.running if work.stopping}
        """Who has been told to leave."""
        self._young: Final = {
            work.id: start_record_of(work, self.pools[work.pool]) for work in snapshot.running
        }
        """Running work that may still be charged the entry penalty."""
        self.released: Final[dict[WorkloadId, RunningWorkload]] = {}
        """What was ended, tentatively or not, since the decision began."""
        self._closed: Final[dict[NodeId, None]] = {}
        """Nodes of which something free is not open."""

    @cached_property
    def installed(self) -> ViewsByPool:
        """What the site owns, as if nothing ran and everything were healthy."""
        return self._furniture.build_installed(self.free)

    @cached_property
    def enforcing(self) -> ViewsByPool:
        """What of it keeps tenants apart as its pool demands."""
        return self._furniture.build_enforcing(self.free)

    @cached_property
    def usable(self) -> ViewsByPool:
        """What takes work today, as if nothing ran."""
        return self._furniture.build_usable(self.free)

    @cached_property
    def _entitled(self) -> Mapping[GroupId, int]:
        return compute_entitlements(self._snapshot)

    def fair_shares(self) -> FairShares:
        """Return what every group is entitled to and holds at this moment."""
        return FairShares.from_snapshot(
            replace(
                self._snapshot,
                pending=tuple(self.pending.values()),
                running=tuple(self.running.values()),
            )
        )

    def fair_share_state(self) -> FairShareState:
        """Return where every group and member stands at this moment."""
        return FairShareState.from_snapshot(
            replace(
                self._snapshot,
                taken_at=self.now,
                quotas=self.quotas.rows(),
                usage=self.usage,
            ),
            self._entitled,
            # Work that waits alone is compared with nobody.
            self._young.values() if len(self.pending) > 1 else (),
        )

    def begin_decision(self, now: Millis) -> None:
        """Make everything so far final, and open the room that the last decision kept."""
        self._journal.commit()
        self.now = now
        self.quotas.set_now(now)
        for node in self._closed:
            pool = self.pool_of[node]
            self.unreserved[pool][node] = self.free[pool][node]
        self._closed.clear()
        self.released.clear()
        past = now - self._snapshot.fair_share.entry_penalty_s * 1000
        grown = [
            work
            for work, entry in self._young.items()
            if entry.started_at is not None and entry.started_at <= past
        ]
        for workload in grown:
            del self._young[workload]
        self.first_blocked.clear()
        self.reservations.clear()

    def enqueue(self, workload: PendingWorkload) -> None:
        """Let a workload wait: it is new, was queued again, or waits in a changed form."""
        if workload.attained_gpu_s == 0 and workload.id not in self.pending:
            self.learned_demand.learn(workload)
        self._journal.write(self.pending, workload.id, workload)

    def withdraw(self, workload: WorkloadId) -> PendingWorkload:
        """Take a waiting workload out of the queue."""
        return self._journal.remove(self.pending, workload)

    def allocate(self, workload: PendingWorkload, placements: Iterable[Placement]) -> None:
        """Start the workload: it no longer waits, and what it holds is neither free nor open."""
        running = as_running(workload, tuple(placements), self.now)
        for placement in running.placements:
            self._shift(workload.request, placement, NodeCapacity.after_allocating)
        self.quotas.charge(running)
        if workload.id in self.pending:
            self._journal.remove(self.pending, workload.id)
        self._journal.write(self.running, workload.id, running)
        self._hold(running)

    def update(self, workload: RunningWorkload) -> None:
        """Note what is known now of a running workload: that it began, its ends, its last save."""
        self._release(self.running[workload.id])
        self._journal.write(self.running, workload.id, workload)
        self._hold(workload)

    def release(self, workload: WorkloadId) -> RunningWorkload:
        """Free what a running workload holds, rooms and quotas; return it as it was."""
        ended = self._journal.remove(self.running, workload)
        for placement in ended.placements:
            if placement.node in self.pool_of:  # else it takes no work today, and is in no view
                self._shift(ended.request, placement, NodeCapacity.after_releasing)
        self._release(ended)
        self.quotas.refund(ended)
        self._journal.write(self.released, workload, ended)
        return ended

    def add_reservation(self, kept: Reservation) -> None:
        """Promise a start; the first of a pool is the one for which its quota is kept too."""
        pool = kept.workload.pool
        if pool not in self.first_blocked:
            self._journal.write(self.first_blocked, pool, kept.workload)
        self._journal.write(self.reservations, pool, (*self.reservations.get(pool, ()), kept))

    def withhold(self, claim: NodeReservation) -> None:
        """Keep this much of what is free on a node from work that would be in the way."""
        rooms = self.unreserved[self.pool_of[claim.node]]
        left = rooms[claim.node].after_allocating(
            claim.devices, claim.cpu_milli, claim.memory_mib, claim.gpu_milli, claim.gpu_memory_mib
        )
        self._journal.write(self._closed, claim.node, None)
        self._journal.write(rooms, claim.node, left)

    def drop_reservations(self) -> None:
        """Open all room that is kept, until `undo` or until it is kept anew."""
        for node in tuple(self._closed):
            pool = self.pool_of[node]
            self._journal.write(self.unreserved[pool], node, self.free[pool][node])
            self._journal.remove(self._closed, node)
        for pool in tuple(self.first_blocked):
            self._journal.remove(self.first_blocked, pool)
            self._journal.remove(self.reservations, pool)

    def mark(self) -> Mark:
        """Return the present moment, to come back to."""
        return self._journal.mark()

    def undo(self, mark: Mark) -> None:
        """Forget everything decided since the mark."""
        self._journal.undo(mark)

    def _shift(
        self, request: Request, placement: Placement, how: Callable[..., NodeCapacity]
    ) -> None:
        """Take one replica's amounts out of both views, or give them back."""
        node = placement.node
        pool = self.pool_of[node]
        free, opened = self.free[pool], self.unreserved[pool]
        amounts = (request.cpu_milli, request.memory_mib, request.gpu_milli, request.gpu_memory_mib)
        before, beside = free[node], opened[node]
        after = how(before, placement.devices, *amounts)
        self._journal.write(free, node, after)
        if beside is not before:
            after = how(beside, placement.devices, *amounts)
        self._journal.write(opened, node, after)

    def _hold(self, work: RunningWorkload) -> None:
        self._journal.write(self._young, work.id, start_record_of(work, self.pools[work.pool]))
        if work.stopping:
            self._journal.write(self.stopping, work.id, work)
        for node in {placement.node for placement in work.placements}:
            self._journal.write(self.running_on, node, (*self.running_on.get(node, ()), work))

    def _release(self, work: RunningWorkload) -> None:
        if work.id in self._young:
            self._journal.remove(self._young, work.id)
        if work.id in self.stopping:
            self._journal.remove(self.stopping, work.id)
        for node in {placement.node for placement in work.placements}:
            rest = tuple(other for other in self.running_on[node] if other.id != work.id)
            self._journal.write(self.running_on, node, rest)


def _running_on(running: Iterable[RunningWorkload]) -> dict[NodeId, tuple[RunningWorkload, ...]]:
    held: dict[NodeId, list[RunningWorkload]] = defaultdict(list)
    for work in running:
        for node in {placement.node for placement in work.placements}:
            held[node].append(work)
    return {node: tuple(works) for node, works in held.items()}


def as_running(
    workload: PendingWorkload, placements: tuple[Placement, ...], now: Millis
) -> RunningWorkload:
    """Return the workload as it holds its place from now on; its ends count as if it began now."""
    limit = workload.time_limit_s
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
    )
