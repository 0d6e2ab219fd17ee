"""A cluster played forward by its own plans: who is told to leave is gone by the next cycle."""

from dataclasses import replace

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import PendingWorkload, RunningWorkload, WorkloadId
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.counting import after, recounted
from tests.scheduler.fairness.worlds import LONG_AGO, NOW


def settled(snapshot: Snapshot, cycles_max: int) -> Snapshot:
    """Return the cluster once a cycle neither places nor evicts; nothing arrives or ends.

    Raises AssertionError if that takes more than so many cycles: somebody goes to and fro.
    """
    for _ in range(cycles_max):
        plan = run_cycle(snapshot, NOW)
        if not plan.starts and not plan.evictions:
            return snapshot
        snapshot = applied(snapshot, plan)
    raise AssertionError(f"not at rest after {cycles_max} cycles")


def applied(snapshot: Snapshot, plan: Plan) -> Snapshot:
    """Return the cluster once all of a plan has happened and counts as long ago."""
    snapshot = after(snapshot, plan)
    for_whom = {evict.workload: evict.beneficiary for evict in plan.evictions}
    stay = tuple(
        replace(run, started_at=LONG_AGO) for run in snapshot.running if run.id not in for_whom
    )
    waiting = {work.id for work in snapshot.pending}
    back = tuple(
        _queued_again(run, for_whom[run.id]) for run in snapshot.running if run.id in for_whom
    )
    pending = tuple(
        work if work.evicted_for in waiting else replace(work, evicted_for=None)
        for work in (*snapshot.pending, *back)
    )
    return recounted(replace(snapshot, running=stay, pending=pending))


def _queued_again(run: RunningWorkload, yields_to: WorkloadId | None) -> PendingWorkload:
    return PendingWorkload(
        id=run.id,
        pool=run.pool,
        group=run.group,
        user=run.user,
        priority=run.priority,
        submitted_at=run.submitted_at,
        request=run.request,
        version=run.version + 1,
        time_limit_s=3600,
        preemptible=run.preemptible,
        evicted_for=yields_to,
        traits=run.traits,
    )
