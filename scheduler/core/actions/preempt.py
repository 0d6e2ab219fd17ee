"""Inside one group the higher priority goes first, also over what already runs."""

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import Holders, is_evictable, lost_gpu_milli_s
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload
from scheduler.core.model.plan import EvictionCause


def find_lower_priority(
    workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
) -> tuple[EvictionCandidate, ...]:
    """Return the work of the same group and pool that the workload's priority may displace."""
    policy = ledger.pools[workload.pool].policy
    if not policy.preemption:
        return ()
    return tuple(
        EvictionCandidate(work, EvictionCause.PREEMPTED, lost_gpu_milli_s(work, ledger, now))
        for work in holders
        if work.pool == workload.pool
        and work.group == workload.group
        and work.priority < workload.priority
        and is_evictable(work, ledger, now, policy.min_runtime_s)
    )
