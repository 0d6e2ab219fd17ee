"""Work that takes turns: who has had his turn makes way for who comes before him.

Where a pool's `turn_s` is set, running preemptible work is ranked as if it waited (`ordering/hints`)
and gives way to waiting work of its own group and priority that ranks before it. The order is total
and nobody's rank gets better by running, so two of them never take the same place from each other
again and again; and every turn lasts at least `turn_s`.
"""

from itertools import takewhile

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import Holders, is_evictable
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    Millis,
    PendingWorkload,
    PoolId,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.plan import EvictionCause
from scheduler.core.ordering.job_order import JobRank, rank_running, rank_waiting

_Ranked = list[tuple[tuple[JobRank, WorkloadId], RunningWorkload]]


class TimeSlices:
    """Who has had a turn, from the last of all; ranked once for each pool and decision."""

    def __init__(self) -> None:
        """Rank nobody before somebody asks."""
        self._ranked: dict[PoolId, _Ranked] = {}

    def find_expired(
        self, workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
    ) -> tuple[EvictionCandidate, ...]:
        """Return the work that ranks behind the workload and has had its turn, the last first."""
        policy = ledger.pools[workload.pool].policy
        if policy.turn_s == 0:
            return ()
        if workload.pool not in self._ranked:
            self._ranked[workload.pool] = _ranked(workload.pool, holders, ledger, now)
        rank = rank_waiting(workload, policy), workload.id
        behind = takewhile(lambda row: row[0] > rank, self._ranked[workload.pool])
        return tuple(
            EvictionCandidate(work, EvictionCause.PREEMPTED, place)
            for place, (_, work) in enumerate(behind)
            if work.id in ledger.running
            and (work.group, work.priority) == (workload.group, workload.priority)
        )


def _ranked(pool: PoolId, holders: Holders, ledger: Ledger, now: Millis) -> _Ranked:
    policy = ledger.pools[pool].policy
    began = now - policy.turn_s * 1000
    rows = [
        ((rank_running(work, policy, now), work.id), work)
        for work in holders
        if work.pool == pool
        and work.started_at is not None
        and work.started_at <= began
        and is_evictable(work, ledger, now, policy.turn_s)
    ]
    return sorted(rows, key=lambda row: row[0], reverse=True)
