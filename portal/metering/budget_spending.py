"""What budgets of money have spent: the days of their period, each at the price of its day."""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple
from uuid import UUID

from django.db.models import Sum

from portal.metering.models import MeterProgress, UsageDay
from portal.quotas import budgets
from portal.quotas.budgets import Spending
from portal.quotas.models import Budget
from portal.quotas.prices import PriceList, load_prices_for_system
from portal.site.selectors import settings_for_system
from portal.tenancy.selectors import paths_for_system


class _Held(NamedTuple):
    """GPU time of one model in one group and pool on one day."""

    day: date
    group: UUID
    pool: UUID
    model: str
    gpu_milli_ms: int


def count_spending() -> None:
    """Count what every budget of money has spent in its present period, as far as the meter has come.

    Called wherever that changes, in the same transaction, so that budgets and usage reports agree.
    """
    rows = list(Budget.objects.exclude(money_micros=None).order_by("id"))
    progress = MeterProgress.objects.first()
    if not rows or progress is None:
        return
    days, until = settings_for_system().days, progress.until
    first = {row.pk: days.current_period(row.period, until)[0] for row in rows}
    held, paths = _load_held(min(first.values())), paths_for_system()
    prices = load_prices_for_system()
    counted = [
        _spending(
            row,
            first[row.pk],
            [
                item
                for item in held
                if item.day >= first[row.pk]
                and row.group_id in paths.get(item.group, ())
                and row.pool_id in (None, item.pool)
            ],
            prices,
        )
        for row in rows
    ]
    budgets.save_spending(counted, until)


def _load_held(first: date) -> list[_Held]:
    rows = UsageDay.objects.filter(day__gte=first, gpu_milli_ms__gt=0)
    sums = rows.values_list("day", "group_id", "pool_id", "model")
    return [_Held(*row) for row in sums.annotate(Sum("gpu_milli_ms")).order_by()]


def _spending(row: Budget, first: date, held: Iterable[_Held], prices: PriceList) -> Spending:
    cost, unpriced = 0, set[str]()
    for item in held:
        part = prices.cost(item.model, item.day, row.currency, item.gpu_milli_ms)
        if part is None:
            unpriced.add(item.model)
        cost += part or 0
    return Spending(row.pk, first, cost, sorted(unpriced))
