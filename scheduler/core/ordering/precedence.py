"""What goes before the fair order: a group's deserved share, and work that others already leave for.

Both leave the order as it is among the work that they put first, and among the rest.
"""

from collections.abc import Collection, Mapping, Sequence

from scheduler.core.model.entities import NodeId, PendingWorkload, PoolId, PoolView, RunningWorkload
from scheduler.core.model.resources import Resource
from scheduler.core.ordering.fair_share_state import total_gpu_milli
from scheduler.core.quotas.quota_book import QuotaBook


def put_deserved_first(
    queue: Sequence[PendingWorkload], quotas: QuotaBook, pools: Mapping[PoolId, PoolView]
) -> Sequence[PendingWorkload]:
    """Put what a group could reclaim before everything else, in the order in which it stands.

    It would get it anyway: so it gets what comes free by itself, and less work is stopped for it.
    A group's own order is kept: behind work that is more than its share nothing of it goes first.
    """
    owed = {
        (row.group, row.pool): most - row.used
        for row in quotas.rows()
        if row.pool is not None
        and row.resource is Resource.GPU
        and pools[row.pool].policy.reclaim
        and (most := max(row.deserved, row.guarantee)) > row.used
    }
    if not owed:
        return queue
    first: list[PendingWorkload] = []
    rest: list[PendingWorkload] = []
    for workload in queue:
        key = workload.group, workload.pool
        if workload.held or key not in owed:
            rest.append(workload)
        elif (left := owed.pop(key) - total_gpu_milli(workload, pools[workload.pool])) >= 0:
            owed[key] = left
            first.append(workload)
        else:
            rest.append(workload)
    return (*first, *rest)


def put_beneficiaries_first(
    queue: Sequence[PendingWorkload],
    running: Collection[RunningWorkload],
    pool_of: Mapping[NodeId, PoolId],
) -> tuple[PendingWorkload, ...]:
    """Put work for which other work is leaving, or has left, before everything else.

    While guests leave a pool, its own work starts in the order in which it came: who counted on
    what comes free is not overtaken by who comes later, so nobody waits longer than one notice.
    """
    leaving = [work for work in running if work.stopping]
    promised = {work.stopping_for for work in leaving} | {work.evicted_for for work in queue}
    if not leaving and promised <= {None}:
        return tuple(queue)
    called = {pool for work in leaving for pool in pools_under(work, pool_of) if pool != work.pool}
    by_age = sorted(
        (work for work in queue if work.pool in called),
        key=lambda work: (work.submitted_at, work.id),
    )
    rest = [work for work in queue if work.pool not in called]
    first = [work for work in rest if work.id in promised]
    return (*by_age, *first, *(work for work in rest if work.id not in promised))


def pools_under(work: RunningWorkload, pool_of: Mapping[NodeId, PoolId]) -> set[PoolId]:
    """Return the pools on whose nodes the work runs."""
    owners = {pool_of.get(placement.node) for placement in work.placements}
    return {pool for pool in owners if pool is not None}
