"""GPU use and budgets for the snapshot: what the tables have, and what is not counted yet."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from uuid import UUID

from django.db.models import Sum

from portal.common.clock import to_millis
from portal.quotas.models import Budget
from portal.site.days import SiteDays
from portal.tenancy.selectors import paths_for_system
from portal.workloads.models import DailyGpuUse, DecayedGpuUse
from portal.workloads.snapshot.running import LiveAllocation
from scheduler.core.model.entities import BudgetView, GroupId, Millis, PoolId, UsageView, UserId
from scheduler.core.quotas.decayed_usage import decay

_PER_SECOND = 1_000_000
"""Thousandths of a GPU × milliseconds in a GPU-second."""


def load_usage(
    held: Collection[LiveAllocation], moment: datetime, half_life_s: int
) -> tuple[UsageView, ...]:
    """Return the decayed GPU use of every member, as of this moment."""
    amounts: Counter[tuple[str, str]] = Counter()
    rows = DecayedGpuUse.objects.values_list("group", "user", "gpu_milli_ms", "at")
    for group, user, amount, at in rows:
        elapsed_s = max(int((moment - at).total_seconds()), 0)
        amounts[str(group), str(user)] = decay(amount, elapsed_s, half_life_s)
    for item in held:
        amounts[item.group, item.user] += _uncounted(item, moment)
    return tuple(
        UsageView(GroupId(group), UserId(user), amount // _PER_SECOND)
        for (group, user), amount in sorted(amounts.items())
        if amount >= _PER_SECOND
    )


def load_budgets(
    held: Collection[LiveAllocation],
    moment: datetime,
    days: SiteDays,
    rows: Iterable[Budget] | None = None,
) -> tuple[BudgetView, ...]:
    """Return budgets, all or these, with what is used of each in its present period."""
    rows = list(Budget.objects.order_by("id") if rows is None else rows)
    if not rows:
        return ()
    paths = paths_for_system()
    used_since: dict[date, Mapping[tuple[UUID, UUID], int]] = {}
    found = []
    for row in rows:
        first, ends_at = days.current_period(row.period, moment)
        if first not in used_since:
            used_since[first] = _used_since(first, held, moment)
        used = sum(
            amount
            for (group, pool), amount in used_since[first].items()
            if row.group_id in paths.get(group, ()) and row.pool_id in (None, pool)
        )
        found.append(
            BudgetView(
                group=GroupId(str(row.group_id)),
                pool=PoolId(str(row.pool_id)) if row.pool_id else None,
                limit=row.gpu_hours * 3600,
                used=used // _PER_SECOND,
                ends_at=Millis(to_millis(ends_at)),
            )
        )
    return tuple(found)


def _used_since(
    first: date, held: Collection[LiveAllocation], moment: datetime
) -> Mapping[tuple[UUID, UUID], int]:
    """Return the GPU use of each group in each pool since a day; live work counts in its own pool."""
    used: Counter[tuple[UUID, UUID]] = Counter()
    rows = DailyGpuUse.objects.filter(day__gte=first).values("group", "pool")
    for row in rows.annotate(sum=Sum("gpu_milli_ms")).order_by("group", "pool"):
        used[row["group"], row["pool"]] = row["sum"]
    for item in held:
        used[UUID(item.group), UUID(item.pool)] += _uncounted(item, moment)
    return used


def _uncounted(item: LiveAllocation, moment: datetime) -> int:
    return item.total_gpu_milli * max(to_millis(moment) - item.uncounted_since, 0)
