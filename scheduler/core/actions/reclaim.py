"""Reclaim: a group takes back what other groups use beyond their share; work inside a share is safe.

Whether one group may take from another is decided by `quotas.reclaim_rule.can_reclaim`, for each
victim, with the victims before it gone.

What it deserves, a group takes back from any group that is above its own share. The surplus is not
promised to anyone: there, a group takes back only from groups whose weight entitles them to none of
it. Among all others the order of the queue evens the surplus out as work ends. Evictions would move
work to and fro, because that order follows past use, and a fair share only the present.
"""

from collections.abc import Callable
from functools import partial

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import Holders, is_evictable, lost_gpu_milli_s
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import GroupId, PendingWorkload, WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.policy import OVER_QUOTA_WEIGHTS
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.quotas.claims import deserved_left
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.quotas.reclaim_rule import can_reclaim, stays_within_deserved


def find_reclaimable(
    workload: PendingWorkload,
    holders: Holders,
    ledger: Ledger,
    shares: Callable[[], FairShares],
) -> tuple[EvictionCandidate, ...]:
    """Return the work of other groups that the workload's group may reclaim.

    `shares` returns the fair shares of this moment; it is called only if something might be
    reclaimed, because dividing a pool takes a while.
    """
    policy = ledger.pools[workload.pool].policy
    others = [
        work for work in holders if work.pool == workload.pool and work.group != workload.group
    ]
    if not policy.reclaim or not _might_reclaim(workload, others, ledger):
        return ()
    test = _ReclaimTest(workload, ledger, shares())
    losers = {group for group in {work.group for work in others} if test.may_lose(group)}
    return tuple(
        EvictionCandidate(
            work,
            EvictionCause.RECLAIMED,
            lost_gpu_milli_s(work, ledger),
            partial(test.may_lose, work.group),
        )
        for work in others
        if work.group in losers and is_evictable(work, ledger, policy.reclaim_min_runtime_s)
    )


def _might_reclaim(workload: PendingWorkload, others: Holders, ledger: Ledger) -> bool:
    """Return, from the quotas alone, whether a reclaim is possible."""
    gpu_milli = total_gpu_milli(workload, ledger.pools[workload.pool])
    own = deserved_left(ledger.quotas.ceilings.rows_of(workload.group))
    if own.covers(workload.pool, gpu_milli):
        return bool(others)
    return any(
        ledger.quotas.takes_only_leftovers(group, workload.pool)
        for group in {work.group for work in others}
    )


class _ReclaimTest:
    """Answers which groups may lose work, while victims are tentatively evicted and restored.

    The answer depends on nothing but the set of victims that are gone and on the group, so both the
    shares after each set and the answers are remembered.
    """

    def __init__(self, workload: PendingWorkload, ledger: Ledger, shares: FairShares) -> None:
        self._workload, self._ledger = workload, ledger
        self._gone_before = set(ledger.released)
        self._answers: dict[tuple[frozenset[WorkloadId], GroupId], bool] = {}
        self._cost = ledger.quotas.demand.total(workload)
        self._shares: dict[frozenset[WorkloadId], FairShares] = {frozenset(): shares}
        self._is_within_deserved = stays_within_deserved(
            shares, workload.group, self._cost, workload.pool
        )

    def may_lose(self, group: GroupId) -> bool:
        """Return whether the group may lose some of its work now."""
        if not self._is_within_deserved and not self._takes_only_leftovers(group):
            return False
        gone = [
            work
            for name, work in self._ledger.released.items()
            if name not in self._gone_before and name not in self._ledger.running
        ]
        question = frozenset(work.id for work in gone), group
        if question not in self._answers:
            workload = self._workload
            self._answers[question] = can_reclaim(
                self._shares_without(gone), workload.group, group, self._cost, workload.pool
            )
        return self._answers[question]

    def _takes_only_leftovers(self, group: GroupId) -> bool:
        share = self._shares[frozenset()].share_of(group, self._workload.pool)
        return OVER_QUOTA_WEIGHTS[share.weight] == 0

    def _shares_without(self, gone: Holders) -> FairShares:
        key = frozenset(work.id for work in gone)
        if key not in self._shares:
            last, before = gone[-1], self._shares_without(gone[:-1])
            home, borrowed = self._ledger.quotas.demand.at_home_and_borrowed(last)
            self._shares[key] = before.with_allocation(
                last.group, last.pool, home, times=-1, borrowed=borrowed
            )
        return self._shares[key]
