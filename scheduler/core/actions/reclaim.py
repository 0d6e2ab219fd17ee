"""A group takes back what others have borrowed of its share; work inside a share is safe.

Who may take from whom is one question, `shares.may_reclaim`. It is asked for each victim on its
own, with those before it gone.

What a group deserves it takes from whoever is above his share. The surplus is nobody's: there a
group takes back only from those whose weight gives them no part in it. Among all others the order
of the queue evens the surplus out as work ends; evictions would send work to and fro, because that
order looks at past use and a fair share only at the present.
"""

from collections.abc import Callable
from functools import partial

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import Holders, gpu_milli_of, is_evictable, lost_gpu_milli_s
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    QuotaView,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.policy import OVER_QUOTA_WEIGHTS
from scheduler.core.model.resources import Resource
from scheduler.core.quotas.fair_share import FairShares, can_reclaim, total_demand


def find_reclaimable(
    workload: PendingWorkload,
    holders: Holders,
    ledger: Ledger,
    now: Millis,
    shares: Callable[[], FairShares],
) -> tuple[EvictionCandidate, ...]:
    """Return the work of other groups on what the workload's group may take back.

    `shares` are those of the present moment; nobody asks for them where nothing can be reclaimed.
    """
    policy = ledger.pools[workload.pool].policy
    others = [
        work for work in holders if work.pool == workload.pool and work.group != workload.group
    ]
    if not policy.reclaim or not _might_reclaim(workload, others, ledger):
        return ()
    balance = _ReclaimTest(workload, others, ledger, shares())
    above = {group for group in {work.group for work in others} if balance.may_lose(group)}
    return tuple(
        EvictionCandidate(
            work,
            EvictionCause.RECLAIMED,
            lost_gpu_milli_s(work, ledger, now),
            partial(balance.may_lose, work.group),
        )
        for work in others
        if work.group in above and is_evictable(work, ledger, now, policy.min_runtime_s)
    )


def _might_reclaim(workload: PendingWorkload, others: Holders, ledger: Ledger) -> bool:
    """Tell from the quotas alone whether it is worth asking: dividing a pool takes a while."""
    cards = gpu_milli_of(workload, ledger)
    own = _own_gpu_quota(workload, ledger)
    if own is not None and own.used + cards <= max(own.deserved, own.guarantee):
        return bool(others)
    return any(
        ledger.quotas.takes_only_leftovers(group, workload.pool)
        for group in {work.group for work in others}
    )


def _own_gpu_quota(work: PendingWorkload | RunningWorkload, ledger: Ledger) -> QuotaView | None:
    """Return the card quota of the work's own group in its pool."""
    for row in ledger.quotas.rows_over(work):
        if (row.group, row.pool, row.resource) == (work.group, work.pool, Resource.GPU):
            return row
    return None


class _ReclaimTest:
    """Answers, while victims leave and come back, whether one more may leave."""

    def __init__(
        self, workload: PendingWorkload, others: Holders, ledger: Ledger, shares: FairShares
    ) -> None:
        self._workload, self._ledger = workload, ledger
        self._others = {work.id for work in others}
        self._answers: dict[tuple[frozenset[WorkloadId], GroupId], bool] = {}
        self._cost = total_demand(workload, ledger.pools[workload.pool])
        self._shares: dict[frozenset[WorkloadId], FairShares] = {frozenset(): shares}
        own = shares.share_of(workload.group, workload.pool)
        self._is_within_deserved = own.allocated + self._cost.gpu <= own.deserved

    def may_lose(self, group: GroupId) -> bool:
        """Tell whether the group may lose some of its work now."""
        if not self._is_within_deserved and not self._takes_leftovers(group):
            return False
        gone = [
            work
            for name, work in self._ledger.released.items()
            if name in self._others and name not in self._ledger.running
        ]
        question = frozenset(work.id for work in gone), group
        if question not in self._answers:
            workload = self._workload
            self._answers[question] = can_reclaim(
                self._after(gone), workload.group, group, self._cost, workload.pool
            )
        return self._answers[question]

    def _takes_leftovers(self, group: GroupId) -> bool:
        return (
            OVER_QUOTA_WEIGHTS[
                self._shares[frozenset()].share_of(group, self._workload.pool).weight
            ]
            == 0
        )

    def _after(self, gone: Holders) -> FairShares:
        key = frozenset(work.id for work in gone)
        if key not in self._shares:
            pool = self._ledger.pools[gone[-1].pool]
            before = self._after(gone[:-1])
            cost = total_demand(gone[-1], pool)
            self._shares[key] = before.with_allocation(gone[-1].group, pool.id, cost, times=-1)
        return self._shares[key]
