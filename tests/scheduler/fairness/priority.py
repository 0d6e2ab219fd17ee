"""No lower priority of a group keeps what its higher priority needs and could start with."""

from dataclasses import replace

from scheduler.core.actions.victims import is_evictable
from scheduler.core.cycle import run_cycle
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, PoolId, RunningWorkload, WorkloadId
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.counting import recounted


def plan_of(snapshot: Snapshot) -> Plan:
    return run_cycle(snapshot, snapshot.taken_at)


def lower_priority_leaves_wherever_it_runs(snapshot: Snapshot) -> None:
    """At home, on lent cards, where it fell back to, and under quotas of one pool or of all.

    Only what runs in a pool of its own that lends cards is not evicted so that others may borrow.
    """
    ledger = Ledger(snapshot)
    for work in snapshot.pending:
        alone = replace(snapshot, pending=(work,))
        lower = [run for run in snapshot.running if _must_yield(run, work, ledger)]
        place = _starts_in(alone, lower, ledger)
        if place not in {None, work.pool}:
            lower = [run for run in lower if run.pool != place]
            place = _starts_in(alone, lower, ledger)
        if place is None or len(lower) > ledger.pools[work.pool].policy.victims_max:
            continue
        plan = plan_of(alone)
        names = [run.id for run in lower]
        assert plan.starts or plan.evictions, f"{names} keep what {work.id} could start with"


def _starts_in(alone: Snapshot, gone: list[RunningWorkload], ledger: Ledger) -> PoolId | None:
    """Return in which pool the waiting work would start without these; None if it would not."""
    starts = plan_of(_without(alone, {run.id for run in gone})).starts
    return ledger.pool_of[starts[0].placements[0].node] if starts else None


def _must_yield(run: RunningWorkload, work: PendingWorkload, ledger: Ledger) -> bool:
    policies = ledger.pools[run.pool].policy, ledger.pools[work.pool].policy
    return (
        run.group == work.group
        and run.priority < work.priority
        and all(policy.preemption for policy in policies)
        and is_evictable(run, ledger, policies[0].min_runtime_s)
    )


def _without(snapshot: Snapshot, gone: set[WorkloadId]) -> Snapshot:
    stay = tuple(run for run in snapshot.running if run.id not in gone)
    return recounted(replace(snapshot, running=stay))
