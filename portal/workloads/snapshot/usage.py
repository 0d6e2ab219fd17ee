"""GPU use and budgets for the snapshot: what the tables have, and what is not counted yet."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from portal.common.clock import to_millis
from portal.quotas.models import Budget
from portal.quotas.prices import load_prices_for_system
from portal.site.days import SiteDays
from portal.workloads.gpu_accounting import MILLI_MS_PER_GPU_S, budget_uses_for_system
from portal.workloads.snapshot.money import load_money, load_price_views
from portal.workloads.snapshot.running import LiveAllocation, fetch_rows
from scheduler.core.model.entities import (
    BudgetView,
    GroupId,
    Millis,
    PoolId,
    UsageView,
    UserId,
    WorkloadId,
)
from scheduler.core.quotas.decayed_usage import decay


class HeldGpus(Protocol):
    """A live allocation as far as its GPU use depends on it."""

    @property
    def group(self) -> GroupId:
        """Of its workload."""

    @property
    def pool(self) -> PoolId:
        """Of its workload."""

    @property
    def total_gpu_milli(self) -> int:
        """What it holds."""

    @property
    def uncounted_since(self) -> Millis:
        """Its use since then is in no table yet."""


# Integers instead of moments and texts instead of keys: there is a row for each member.
_DECAYED: Final = """
SELECT group_id::text, user_id::text, gpu_milli_ms,
    greatest(floor(extract(epoch FROM %(now)s - at)), 0)::bigint
FROM workloads_decayedgpuuse
"""
# OFFSET 0: without it, PostgreSQL reads all work of the past to join the little that runs.
_LIVE: Final = """
SELECT work.group_id::text, work.owner_id::text, sum(held.total_gpu_milli * greatest(
        floor(extract(epoch FROM %(now)s::timestamptz) * 1000)::bigint
        - floor(extract(epoch FROM coalesce(held.accounted_until, held.created_at)) * 1000)::bigint,
    0))::bigint,
    array_agg(held.workload_id::text) FILTER (
        WHERE work.state <> 'running' OR coalesce(work.started_at > %(since)s, true))
FROM workloads_allocation held
CROSS JOIN LATERAL (
    SELECT found.group_id, found.owner_id, found.state, found.started_at
    FROM workloads_workload found WHERE found.id = held.workload_id OFFSET 0
) work
WHERE held.state IN ('reserved', 'bound', 'lost') GROUP BY work.group_id, work.owner_id
"""

Member = tuple[GroupId, UserId]


def load_usage(
    uncounted: Mapping[Member, int], moment: datetime, half_life_s: int
) -> tuple[UsageView, ...]:
    """Return the decayed GPU use of every member, as of this moment.

    `uncounted` is what live allocations have used and no table has yet.
    """
    amounts: Counter[Member] = Counter()
    for group, user, amount, elapsed_s in fetch_rows(_DECAYED, {"now": moment}):
        amounts[group, user] = decay(amount, elapsed_s, half_life_s)
    amounts.update(uncounted)
    return tuple(
        UsageView(group, user, amount // MILLI_MS_PER_GPU_S)
        for (group, user), amount in sorted(amounts.items())
        if amount >= MILLI_MS_PER_GPU_S
    )


def count_uncounted(held: Collection[LiveAllocation], moment: datetime) -> Mapping[Member, int]:
    """Return the use by members that no table has yet."""
    amounts: Counter[Member] = Counter()
    at = to_millis(moment)
    for item in held:
        amounts[item.group, item.user] += _uncounted(item, at)
    return amounts


class LiveUse(NamedTuple):
    """What live work means for fair share."""

    uncounted: Mapping[Member, int]
    """Use that no table has yet."""
    started: Sequence[WorkloadId]
    """What has not started, or not before a moment."""


def load_live_use(moment: datetime, since: datetime) -> LiveUse:
    """Return the use of live work, and which of it has started since, without reading each."""
    rows = fetch_rows(_LIVE, {"now": moment, "since": since})
    return LiveUse(
        {(group, user): amount for group, user, amount, _ in rows},
        [work for *_, started in rows for work in started or ()],
    )


def load_budgets(
    held: Collection[HeldGpus],
    moment: datetime,
    days: SiteDays,
    rows: Iterable[Budget] | None = None,
) -> tuple[BudgetView, ...]:
    """Return budgets, all or these, with what is used of each in its present period."""
    if rows is None:
        rows = Budget.objects.select_related("spending").order_by("id")
    rows, at = list(rows), to_millis(moment)
    in_hours = [row for row in rows if row.money_micros is None]
    uncounted: Counter[tuple[GroupId, PoolId]] = Counter()
    for item in held if in_hours else ():
        uncounted[item.group, item.pool] += _uncounted(item, at)
    live = {(UUID(group), UUID(pool)): amount for (group, pool), amount in uncounted.items()}
    hours = dict(
        zip(
            [row.pk for row in in_hours],
            budget_uses_for_system(in_hours, moment, days, live) if in_hours else (),
            strict=True,
        )
    )
    money = load_money([row for row in rows if row.money_micros is not None], moment, days)
    return tuple(
        BudgetView(
            group=GroupId(str(row.group_id)),
            pool=PoolId(str(row.pool_id)) if row.pool_id else None,
            limit=_limit_of(row),
            used=hours[row.pk] if row.money_micros is None else money[row.pk].used_micros,
            ends_at=Millis(to_millis(days.current_period(row.period, moment)[1])),
            later_ends=days.later_ends(row.period, moment),
            currency=row.currency,
            prices=money[row.pk].prices if row.pk in money else (),
        )
        for row in rows
    )


def load_unused_budgets_for_system(moment: datetime, days: SiteDays) -> tuple[BudgetView, ...]:
    """Return all budgets as at the beginning of a period."""
    rows = list(Budget.objects.order_by("id"))
    in_money = [row for row in rows if row.money_micros is not None]
    prices = load_price_views(in_money, moment, days, load_prices_for_system()) if in_money else {}
    return tuple(
        BudgetView(
            group=GroupId(str(row.group_id)),
            pool=PoolId(str(row.pool_id)) if row.pool_id else None,
            limit=_limit_of(row),
            used=0,
            ends_at=Millis(to_millis(days.current_period(row.period, moment)[1])),
            later_ends=days.later_ends(row.period, moment),
            currency=row.currency,
            prices=prices.get(row.pk, ()),
        )
        for row in rows
    )


def _limit_of(row: Budget) -> int:
    """Return the limit in GPU-seconds, or in millionths of the currency."""
    return (row.gpu_hours or 0) * 3600 if row.money_micros is None else row.money_micros


def _uncounted(item: HeldGpus, at: int) -> int:
    return item.total_gpu_milli * max(at - item.uncounted_since, 0)
