"""Preempt: inside one group, higher priority and the next time slice go before running work.

*Priority*: a workload may evict work of its own group that has a lower priority. In its own pool that
frees capacity. Anywhere else, on borrowed cards or in another pool, it frees what a quota of the
group counts: so lower priority never holds a quota that higher priority could start with.

*Time slicing* (Slurm's gang scheduling, Gandiva's time-slicing): where a pool's `turn_s` is set,
running preemptible work is ranked as if it waited (`ordering/job_order.py`), and may be evicted
after `turn_s` for waiting work of its own group and priority that ranks before it. The order is
total, and running never improves a rank, so two workloads never evict each other again and again;
and every attempt runs for at least `turn_s`.
"""

from itertools import takewhile

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import Holders, is_evictable, make_candidate
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, PoolId, RunningWorkload, WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.core.ordering.job_order import JobRank, rank_running, rank_waiting

_Ranked = list[tuple[tuple[JobRank, WorkloadId], RunningWorkload]]


def find_lower_priority(
    workload: PendingWorkload, holders: Holders, ledger: Ledger
) -> tuple[EvictionCandidate, ...]:
    """Return the work of the same group that has a lower priority than the workload.

    The pools of both must allow it, and the other's own pool says for how long it is protected.
    """
    if not ledger.pools[workload.pool].policy.preemption:
        return ()
    return tuple(
        make_candidate(work, EvictionCause.PREEMPTED, ledger)
        for work in holders
        if work.group == workload.group
        and work.priority < workload.priority
        and _allows_preemption(work, ledger)
    )


def _allows_preemption(work: RunningWorkload, ledger: Ledger) -> bool:
    policy = ledger.pools[work.pool].policy
    return policy.preemption and is_evictable(work, ledger, policy.min_runtime_s)


class TimeSlices:
    """Running work whose time slice is over, the last in rank first; ranked once for each pool."""

    def __init__(self) -> None:
        """Rank nothing until a pool is asked about."""
        self._ranked: dict[PoolId, _Ranked] = {}

    def find_expired(
        self, workload: PendingWorkload, holders: Holders, ledger: Ledger
    ) -> tuple[EvictionCandidate, ...]:
        """Return the work that ranks behind the workload and has run for its time slice."""
        policy = ledger.pools[workload.pool].policy
        if policy.turn_s == 0:
            return ()
        if workload.pool not in self._ranked:
            self._ranked[workload.pool] = _rank_expired(workload.pool, holders, ledger)
        rank = rank_waiting(workload, policy), workload.id
        behind = takewhile(lambda row: row[0] > rank, self._ranked[workload.pool])
        # Here the place in the order counts as the loss: the last in rank is evicted first.
        return tuple(
            EvictionCandidate(work, EvictionCause.PREEMPTED, lost=place)
            for place, (_, work) in enumerate(behind)
            if work.id in ledger.running
            and (work.group, work.priority) == (workload.group, workload.priority)
        )


def _rank_expired(pool: PoolId, holders: Holders, ledger: Ledger) -> _Ranked:
    policy = ledger.pools[pool].policy
    rows = [
        ((rank_running(work, policy, ledger.now), work.id), work)
        for work in holders
        if work.pool == pool
        and work.started_at is not None
        and work.started_at <= ledger.now - policy.turn_s * 1000
        and is_evictable(work, ledger, policy.turn_s)
    ]
    return sorted(rows, key=lambda row: row[0], reverse=True)
