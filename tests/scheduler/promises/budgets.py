"""What the budgets of a played world have given, counted from all attempts."""

from collections.abc import Mapping

from scheduler.core.model.entities import BudgetView, Millis, PoolId, PoolView
from scheduler.core.model.request_cost import total_gpu_milli
from tests.scheduler.promises.history import Attempt, History
from tests.scheduler.promises.rules import BEGIN
from tests.scheduler.promises.worlds import Budget

_PERIODS_AHEAD = 4
_MILLI_MS = 1_000_000


def budgets_of(
    history: History, pools: Mapping[PoolId, PoolView], now: Millis
) -> tuple[BudgetView, ...]:
    """Return every budget of the world as the platform knows it at this moment."""
    found = []
    for budget in history.world.budgets:
        length = budget.period_s * 1000
        begins = BEGIN + (now - BEGIN) // length * length
        used = used_between(budget, history, pools, begins, now)
        ends = [Millis(begins + length * number) for number in range(1, _PERIODS_AHEAD)]
        found.append(
            BudgetView(budget.group, None, budget.limit, used, ends[0], later_ends=tuple(ends[1:]))
        )
    return tuple(found)


def used_between(
    budget: Budget,
    history: History,
    pools: Mapping[PoolId, PoolView],
    begins: int,
    until: int,
    *,
    only_open_ends: bool = False,
) -> int:
    """Return the GPU-seconds that a budget counts between two moments, rounded down."""
    paths = {group.id: group.path for group in history.world.site.groups}
    return (
        sum(
            _held_ms(attempt, begins, until) * total_gpu_milli(work, pools[work.pool])
            for attempt in history.attempts
            if budget.group in paths[(work := attempt.job.workload).group]
            and (work.traits.open_end or not only_open_ends)
        )
        // _MILLI_MS
    )


def _held_ms(attempt: Attempt, begins: int, until: int) -> int:
    left_at = until if attempt.left_at is None else min(attempt.left_at, until)
    return max(left_at - max(attempt.placed_at, begins), 0)
