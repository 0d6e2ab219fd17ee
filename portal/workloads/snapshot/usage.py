"""GPU use and budgets for the snapshot: what the tables have, and what is not counted yet."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.db.models import Q

from portal.common.clock import to_millis
from portal.quotas.models import Budget
from portal.site.days import SiteDays
from portal.workloads.gpu_accounting import MILLI_MS_PER_GPU_S, budget_uses_for_system
from portal.workloads.models import DecayedGpuUse
from portal.workloads.snapshot.money import load_money
from portal.workloads.snapshot.running import LiveAllocation
from scheduler.core.model.entities import BudgetView, GroupId, Millis, PoolId, UsageView, UserId
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


def load_usage(
    held: Collection[LiveAllocation], moment: datetime, half_life_s: int
) -> tuple[UsageView, ...]:
    """Return the decayed GPU use of every member, as of this moment."""
    amounts: Counter[tuple[str, str]] = Counter()
    rows = DecayedGpuUse.objects.values_list("group", "user", "gpu_milli_ms", "at")
    for group, user, amount, counted_at in rows:
        elapsed_s = max(int((moment - counted_at).total_seconds()), 0)
        amounts[str(group), str(user)] = decay(amount, elapsed_s, half_life_s)
    at = to_millis(moment)
    for item in held:
        amounts[item.group, item.user] += _uncounted(item, at)
    return tuple(
        UsageView(GroupId(group), UserId(user), amount // MILLI_MS_PER_GPU_S)
        for (group, user), amount in sorted(amounts.items())
        if amount >= MILLI_MS_PER_GPU_S
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
            limit=(row.gpu_hours or 0) * 3600 if row.money_micros is None else row.money_micros,
            used=hours[row.pk] if row.money_micros is None else money[row.pk].used_micros,
            ends_at=Millis(to_millis(days.current_period(row.period, moment)[1])),
            currency=row.currency,
            prices=money[row.pk].prices if row.pk in money else (),
        )
        for row in rows
    )


def load_empty_budgets(moment: datetime, days: SiteDays) -> tuple[BudgetView, ...]:
    """Return the budgets of nothing, of which nobody needs to know what is used."""
    rows = Budget.objects.filter(Q(gpu_hours=0) | Q(money_micros=0)).order_by("id")
    return tuple(
        BudgetView(
            group=GroupId(str(row.group_id)),
            pool=PoolId(str(row.pool_id)) if row.pool_id else None,
            limit=0,
            used=0,
            ends_at=Millis(to_millis(days.current_period(row.period, moment)[1])),
        )
        for row in rows
    )


def _uncounted(item: HeldGpus, at: int) -> int:
    return item.total_gpu_milli * max(at - item.uncounted_since, 0)
