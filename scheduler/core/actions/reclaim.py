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

from scheduler.core.clearing import Candidate
from scheduler.core.entities import GroupId, Millis, PendingWorkload, RunningWorkload, WorkloadId
from scheduler.core.ledger import Ledger
from scheduler.core.plan import EvictionCause
from scheduler.core.policy import WEIGHTS
from scheduler.core.shares import Shares, may_reclaim, total_demand
from scheduler.core.victims import Holders, lost, may_stop


def borrowed_share(
    workload: PendingWorkload,
    holders: Holders,
    ledger: Ledger,
    now: Millis,
    shares: Callable[[], Shares],
) -> tuple[Candidate, ...]:
    """Return the work of other groups on what the workload's group may take back.

    `shares` are those of the present moment; nobody asks for them where nothing can be reclaimed.
    """
    policy = ledger.pools[workload.pool].policy
    others = [
        work
        for work in holders
        if work.pool == workload.pool
        and work.group != workload.group
        and may_stop(work, ledger, now, policy.min_runtime_s)
    ]
    if not policy.reclaim or not others:
        return ()
    balance = _Balance(workload, others, ledger, shares())
    return tuple(
        Candidate(work, EvictionCause.RECLAIMED, lost(work, ledger, now), partial(balance, work))
        for work in others
        if balance(work)
    )


class _Balance:
    """Answers, while victims leave and come back, whether one more may leave."""

    def __init__(
        self, workload: PendingWorkload, others: Holders, ledger: Ledger, shares: Shares
    ) -> None:
        self._workload, self._ledger = workload, ledger
        self._others = {work.id for work in others}
        self._answers: dict[tuple[frozenset[WorkloadId], GroupId], bool] = {}
        self._cost = total_demand(workload, ledger.pools[workload.pool])
        self._shares: dict[frozenset[WorkloadId], Shares] = {frozenset(): shares}
        own = shares.of_group(workload.group, workload.pool)
        self._is_within_deserved = own.allocated + self._cost.gpu <= own.deserved

    def __call__(self, victim: RunningWorkload) -> bool:
        ledger = self._ledger
        gone = [
            work
            for name, work in ledger.ended.items()
            if name in self._others and name not in ledger.running
        ]
        question = frozenset(work.id for work in gone), victim.group
        if question not in self._answers:
            self._answers[question] = self._may_lose(victim.group, self._after(gone))
        return self._answers[question]

    def _may_lose(self, group: GroupId, shares: Shares) -> bool:
        workload = self._workload
        weight = shares.of_group(group, workload.pool).weight
        return (self._is_within_deserved or WEIGHTS[weight] == 0) and may_reclaim(
            shares, workload.group, group, self._cost, workload.pool
        )

    def _after(self, gone: Holders) -> Shares:
        key = frozenset(work.id for work in gone)
        if key not in self._shares:
            pool = self._ledger.pools[gone[-1].pool]
            before = self._after(gone[:-1])
            cost = total_demand(gone[-1], pool)
            self._shares[key] = before.moved(gone[-1].group, pool.id, cost, times=-1)
        return self._shares[key]
