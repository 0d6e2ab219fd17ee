"""What goes before the fair order: deserved shares, and work for which victims are stopping.

Both keep the given order among the work that they put first, and among the rest.
"""

from collections.abc import Collection, Mapping, Sequence

from scheduler.core.model.entities import (
    GroupId,
    NodeId,
    PendingWorkload,
    PoolId,
    PoolView,
    RunningWorkload,
)
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.quotas.claims import DeservedLeft, deserved_left
from scheduler.core.quotas.quota_book import QuotaBook


def split_off_deserved(
    queue: tuple[PendingWorkload, ...], quotas: QuotaBook, pools: Mapping[PoolId, PoolView]
) -> tuple[Sequence[PendingWorkload], Sequence[PendingWorkload]]:
    """Return the work for which its group could reclaim, which goes before everything else, and the rest.

    The group would get it by evictions anyway. First in the queue, it gets what comes free by
    itself, and less work is evicted. A group's own order is kept: nothing of it goes first behind
    its first work that exceeds its share.
    """
    if not quotas.ceilings.promises_gpus:
        return (), queue
    left: dict[GroupId, DeservedLeft] = {}
    first: list[PendingWorkload] = []
    rest: list[PendingWorkload] = []
    over: set[tuple[GroupId, PoolId]] = set()
    for workload in queue:
        pool, group = pools[workload.pool], workload.group
        own = left.get(group)
        if own is None:
            own = left[group] = deserved_left(quotas.ceilings.rows_of(group))
        if workload.held or not pool.policy.reclaim or (group, pool.id) in over:
            rest.append(workload)
        elif own.covers(pool.id, gpu_milli := total_gpu_milli(workload, pool)):
            own.take(pool.id, gpu_milli)
            first.append(workload)
        else:
            over.add((group, pool.id))
            rest.append(workload)
    return first, rest


def put_beneficiaries_first(
    queue: tuple[PendingWorkload, ...],
    stopping: Collection[RunningWorkload],
    pool_of: Mapping[NodeId, PoolId],
) -> tuple[PendingWorkload, ...]:
    """Put work for which other work is stopping, or was evicted, before everything else.

    Otherwise the victims, or work that came in between, would take the capacity that comes free.
    While borrowers leave a pool, its own work starts in the order of submission: work that counts
    on their leaving is not overtaken by later work, so it waits for one eviction notice at most.
    """
    beneficiaries = {work.stopping_for for work in stopping} | {work.evicted_for for work in queue}
    if not stopping and beneficiaries <= {None}:
        return queue
    pool_of_work = {work.id: work.pool for work in queue if work.id in beneficiaries}
    # A borrower that leaves for work of another pool returns nothing to the lender.
    lenders = {
        pool
        for work in stopping
        for pool in pools_under(work, pool_of) - {work.pool}
        if work.stopping_for is None or pool_of_work.get(work.stopping_for, pool) == pool
    }
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
