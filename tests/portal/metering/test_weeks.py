"""Sums of weeks stand for their days: which days may be read so, and that the answers are the same."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from portal.common.ids import new_id
from portal.metering.models import UsageDay
from portal.metering.selectors import AMOUNTS, UsageQuestion, usage_visible_to
from portal.metering.spans import split_days
from portal.quotas.models import GpuPrice
from portal.quotas.prices import load_prices_for_system
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.usage import used

FIRST, LAST = date(2030, 3, 28), date(2030, 5, 17)
"""A Thursday and a Friday."""
CHANGES = (date(2030, 4, 1), date(2030, 4, 17))
"""Of the price: on a Monday and on a Wednesday."""


def monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


@pytest.mark.parametrize("granularity", ["total", "day", "week", "month"])
def test_weeks_and_days_are_all_days_that_are_asked_for_once(granularity: str) -> None:
    spans = split_days(FIRST, LAST, granularity, CHANGES)

    of_weeks = [week + timedelta(days=n) for week in spans.weeks for n in range(7)]
    every = [FIRST + timedelta(days=n) for n in range((LAST - FIRST).days + 1)]
    assert sorted([*of_weeks, *spans.days]) == every


def test_weeks_lie_within_the_days_and_the_periods_and_have_one_price() -> None:
    whole = [date(2030, 4, day) for day in (1, 8, 22)]

    assert split_days(FIRST, LAST, "week", CHANGES).weeks == [
        *whole, date(2030, 4, 29), date(2030, 5, 6)
    ]  # fmt: skip
    assert split_days(FIRST, LAST, "month", CHANGES).weeks == [*whole, date(2030, 5, 6)]
    assert split_days(FIRST, LAST, "day", CHANGES).weeks == []
    assert split_days(date(2030, 4, 1), date(2030, 4, 7), "total", ()).weeks == [date(2030, 4, 1)]
    assert split_days(date(2030, 4, 1), date(2030, 4, 6), "total", ()).weeks == []
    assert split_days(date(2030, 4, 2), date(2030, 4, 8), "total", ()).weeks == []
    assert split_days(date.max, date.max, "total", ()).days == [date.max]


def by_hand(asked: UsageQuestion, days: list[UsageDay]) -> dict[Any, Any]:
    """Return what the question's answer is, by period and key, from the rows of days alone."""
    prices, found = load_prices_for_system(), dict[Any, Any]()
    periods: dict[str, Callable[[date], date]] = {
        "total": lambda _: asked.first_day,
        "day": lambda day: day,
        "week": monday,
        "month": lambda day: day.replace(day=1),
    }
    for row in days:
        in_time = asked.first_day <= row.day <= asked.last_day
        if (
            not in_time
            or asked.model not in (None, row.model)
            or asked.kind not in (None, row.kind)
        ):
            continue
        key = "" if asked.group_by == "none" else str(getattr(row, _FIELD_OF[asked.group_by]))
        at = periods[asked.granularity](row.day), key
        amounts, costs, carbon = found.setdefault(at, ([0] * 10, defaultdict(int), [None]))
        for place, name in enumerate(AMOUNTS):
            amounts[place] += getattr(row, name)
        if (price := prices.find(row.model, row.day)) is not None:
            costs[price.currency] += price.hourly_micros * row.gpu_milli_ms
        if row.carbon_mg is not None:
            carbon[0] = (carbon[0] or 0) + row.carbon_mg
    return found


_FIELD_OF = {"group": "group_id", "user": "user_id", "model": "model", "kind": "kind"}


@pytest.mark.django_db
@pytest.mark.parametrize("granularity", ["total", "day", "week", "month"])
@pytest.mark.parametrize("group_by", ["none", "group", "user", "model", "kind"])
def test_answers_are_the_sums_of_days_across_weeks_months_and_prices(
    granularity: str, group_by: str
) -> None:
    groups, pool = [a_group("vision"), a_group("speech")], new_id()
    people = [a_member(groups[0]), a_member(groups[1])]
    for place, valid_from in enumerate(CHANGES):
        GpuPrice.objects.create(
            model="H100", valid_from=valid_from, hourly_micros=1_000_001 + place, currency="CNY"
        )
    for number in range(0, (LAST - FIRST).days + 12, 2):
        for place, (person, group) in enumerate(zip(people, groups, strict=True)):
            used(
                person,
                group,
                1 + number % 5 + place,
                day=FIRST - timedelta(days=6 - number),
                pool=pool,
                model="H100" if number % 3 else "A100",
                kind="training" if number % 4 else "environment",
                energy_mj=number,
                carbon_mg=None if place else number,
            )
    actor, days = an_actor(a_user(role="auditor")), list(UsageDay.objects.all())

    for first in (FIRST, date(2030, 4, 1), date(2030, 4, 9)):
        whole = UsageQuestion(
            first_day=first, last_day=LAST, granularity=granularity, group_by=group_by
        )
        for asked in (whole, replace(whole, model="H100"), replace(whole, kind="training")):
            shown = usage_visible_to(actor, asked)
            answer = {
                (row.period, row.key): (row.amounts, row.costs, [row.carbon_mg])
                for row in shown.rows
            }
            assert answer == by_hand(asked, days)
