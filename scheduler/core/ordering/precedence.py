"""What goes before the fair order: deserved shares, and work for which victims are stopping.

Both keep the given order among the work that they put first, and among the rest.
"""

from collections.abc import Collection, Mapping

from scheduler.core.model.entities import (
    GroupId,
    NodeId,
    PendingWorkload,
    PoolId,
    PoolView,
    RunningWorkload,
    total_gpu_milli,
)
from scheduler.core.quotas.claims import deserved_left
from scheduler.core.quotas.quota_book import QuotaBook


def put_deserved_first(
    queue: tuple[PendingWorkload, ...], quotas: QuotaBook, pools: Mapping[PoolId, PoolView]
) -> tuple[PendingWorkload, ...]:
    """Put work that its group could reclaim before everything else.

    The group would get it by evictions anyway. First in the queue, it gets what comes free by
    itself, and less work is evicted. A group's own order is kept: nothing of it goes first behind
    its first work that exceeds its share.
    """
    left = {group: own for group, own in deserved_left(quotas.rows()).items() if own.has_any}
    if not left:
        return queue
    first: list[PendingWorkload] = []
    rest: list[PendingWorkload] = []
    over: set[tuple[GroupId, PoolId]] = set()
    for workload in queue:
        pool, own = pools[workload.pool], left.get(workload.group)
        place = workload.group, workload.pool
        if own is None or workload.held or not pool.policy.reclaim or place in over:
            rest.append(workload)
        elif own.covers(pool.id, gpu_milli := total_gpu_milli(workload, pool)):
            own.take(pool.id, gpu_milli)
            first.append(workload)
        else:
            over.add(place)
            rest.append(workload)
    return (*first, *rest)


def put_beneficiaries_first(
    queue: tuple[PendingWorkload, ...],
    running: Collection[RunningWorkload],
    pool_of: Mapping[NodeId, PoolId],
) -> tuple[PendingWorkload, ...]:
    """Put work for which other work is stopping, or was evicted, before everything else.

    Otherwise the victims, or work that came in between, would take the capacity that comes free.
    While borrowers leave a pool, its own work starts in the order of submission: work that counts
    on their leaving is not overtaken by later work, so it waits for one eviction notice at most.
    """
    leaving = [work for work in running if work.stopping]
    beneficiaries = {work.stopping_for for work in leaving} | {work.evicted_for for work in queue}
    if not leaving and beneficiaries <= {None}:
        return queue
    lenders = {pool for work in leaving for pool in pools_under(work, pool_of) if pool != work.pool}
    by_age = sorted(
        (work for work in queue if work.pool in lenders),
        key=lambda work: (work.submitted_at, work.id),
    )
    rest = [work for work in queue if work.pool not in lenders]
    first = [work for work in rest if work.id in beneficiaries]
    return (*by_age, *first, *(work for work in rest if work.id not in beneficiaries))


def pools_under(work: RunningWorkload, pool_of: Mapping[NodeId, PoolId]) -> set[PoolId]:
    """Return the pools on whose nodes the work runs."""
    owners = {pool_of.get(placement.node) for placement in work.placements}
    return {pool for pool in owners if pool is not None}
