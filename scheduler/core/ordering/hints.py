"""Order hints: how run times order the work of one member that priority leaves equal.

The hint of a pool is either age, or shortest first. Shortest first finishes most work soonest, but
alone it would never start long work while short work keeps coming. Therefore everything that has
waited for longer than the pool's patience goes before everything that has not, oldest first: from
then on nothing that comes later can pass it, and a promised start cannot be taken from it.
"""

from scheduler.core.entities import Millis, PendingWorkload
from scheduler.core.policy import OrderHint, PoolPolicy

Hint = tuple[int, int]


def hint_of(workload: PendingWorkload, policy: PoolPolicy, now: Millis) -> Hint:
    """Return the rank of a workload among its owner's work of equal priority; the least is first."""
    if policy.order is OrderHint.AGE:
        return 0, workload.submitted_at
    if now - workload.submitted_at > policy.patience_s * 1000:
        return 0, workload.submitted_at
    return 1, card_seconds(workload)


def card_seconds(workload: PendingWorkload) -> int:
    """Return what the workload is expected to use: run time times cards, in thousandths of a card.

    Work without cards counts as a thousandth of one.
    """
    request = workload.request
    seconds = workload.time_limit_s if workload.expected_s is None else workload.expected_s
    milli = request.cards * 1000 + request.slices * 125 + request.share
    return min(seconds, workload.time_limit_s) * max(milli, 1) * request.replicas
