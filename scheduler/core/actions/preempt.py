"""Inside one group the higher priority goes first, also over what already runs."""

from scheduler.core.actions.node_victims import Candidate
from scheduler.core.actions.victims import Holders, lost, may_stop
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload
from scheduler.core.model.plan import EvictionCause


def lower_priority(
    workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
) -> tuple[Candidate, ...]:
    """Return the work of the same group and pool that the workload's priority may displace."""
    policy = ledger.pools[workload.pool].policy
    if not policy.preemption:
        return ()
    return tuple(
        Candidate(work, EvictionCause.PREEMPTED, lost(work, ledger, now))
        for work in holders
        if work.pool == workload.pool
        and work.group == workload.group
        and work.priority < workload.priority
        and may_stop(work, ledger, now, policy.min_runtime_s)
    )
