"""Budgets of money for the snapshot: what the meter has counted, what came since, and prices.

The meter writes down what each budget has spent, a minute ago at most. What was held since then is
read from the ledger, at the price of the present day.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from portal.inventory.gpu_models import model_name
from portal.inventory.models import Accelerator, Pool
from portal.quotas.budgets import spending_of
from portal.quotas.models import Budget
from portal.quotas.prices import PriceList, ceil_cost, load_prices_for_system
from portal.site.days import SiteDays
from portal.tenancy.selectors import paths_for_system
from portal.workloads.snapshot.running import fetch_rows
from scheduler.core.model.entities import PoolId, PriceView
from scheduler.core.model.states import AcceleratorState

_SINCE: Final = """
SELECT work.group_id, held.pool_id, card.model, sum(part.counted_milli * greatest(
    floor(extract(epoch FROM least(part.released_at, held.billed_until, %(now)s)) * 1000)::bigint
    - floor(extract(epoch FROM greatest(part.held_from, %(since)s)) * 1000)::bigint, 0))::bigint
FROM workloads_allocation held
JOIN workloads_workload work ON work.id = held.workload_id
JOIN workloads_allocationdevice part ON part.allocation_id = held.id
JOIN inventory_accelerator card ON card.id = part.accelerator_id
WHERE (held.released_at IS NULL OR held.released_at > %(since)s)
    AND (part.released_at IS NULL OR part.released_at > %(since)s)
GROUP BY 1, 2, 3
"""
_MS: Final = timedelta(milliseconds=1)


class MoneyUse(NamedTuple):
    """What is spent of one budget, in millionths, and what its work costs by the hour."""

    used_micros: int
    prices: tuple[PriceView, ...]


class _HeldSince(NamedTuple):
    group: UUID
    pool: UUID
    model: str
    gpu_milli_ms: int


def load_money(rows: Sequence[Budget], moment: datetime, days: SiteDays) -> dict[UUID, MoneyUse]:
    """Return the spending and the prices of budgets of money; without any, that is no query."""
    if not rows:
        return {}
    prices, paths = load_prices_for_system(), paths_for_system()
    views = load_price_views(rows, moment, days, prices)
    today = days.day_of(moment)
    since: dict[datetime, list[_HeldSince]] = {}
    found = {}
    for row in rows:
        first, _ = days.current_period(row.period, moment)
        counted = spending_of(row, first)
        begins = days.midnight(first)
        if counted is not None:
            begins = max(counted.counted_until, begins)
        if begins not in since:
            since[begins] = _load_since(begins, moment)
        more = sum(
            prices.cost(item.model, today, row.currency, item.gpu_milli_ms) or 0
            for item in since[begins]
            if row.group_id in paths.get(item.group, ()) and row.pool_id in (None, item.pool)
        )
        spent = int(counted.cost) if counted else 0
        found[row.pk] = MoneyUse(ceil_cost(spent + more), views[row.pk])
    return found


def load_price_views(
    rows: Iterable[Budget], moment: datetime, days: SiteDays, prices: PriceList
) -> dict[UUID, tuple[PriceView, ...]]:
    """Return the prices of each budget of money: the highest until its period ends, of each model that it counts."""
    pools, today = _load_models(), days.day_of(moment)
    found = {}
    for row in rows:
        last = days.day_of(days.current_period(row.period, moment)[1] - _MS)
        found[row.pk] = tuple(_price_views(row, pools, prices, (today, last)))
    return found


def _load_since(since: datetime, moment: datetime) -> list[_HeldSince]:
    rows = fetch_rows(_SINCE, {"since": since, "now": moment})
    return [
        _HeldSince(group, pool, model_name(model), amount) for group, pool, model, amount in rows
    ]


def _load_models() -> dict[UUID, set[str]]:
    """Return the models that work of each pool may get: its own, and those of where it may borrow."""
    cards = Accelerator.objects.exclude(state=AcceleratorState.GONE).order_by()
    models: dict[UUID | None, set[str]] = defaultdict(set)
    for pool_id, model in cards.values_list("pool_id", "model").distinct():
        models[pool_id].add(model_name(model))
    pools = list(Pool.objects.order_by("id"))
    names = {pool.name: pool.pk for pool in pools}
    return {
        pool.pk: models[pool.pk].union(
            *(models[names[name]] for name in pool.policy.get("fall_back", ()) if name in names)
        )
        for pool in pools
    }


def _price_views(
    row: Budget, pools: dict[UUID, set[str]], prices: PriceList, between: tuple[date, date]
) -> Iterable[PriceView]:
    for pool_id, models in pools.items():
        if row.pool_id in (None, pool_id):
            for model in sorted(models):
                hourly = prices.dearest(model, *between, row.currency)
                yield PriceView(PoolId(str(pool_id)), model, hourly)
