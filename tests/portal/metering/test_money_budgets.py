"""Budgets of money: what they have spent is what usage reports say, and their end is that of any budget."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.metering.services import update_usage
from portal.quotas.models import Budget, BudgetSpending, GpuPrice
from portal.site.services import change_settings
from portal.telemetry.services import maintain_partitions
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, Workload
from portal.workloads.snapshot.loader import load_site
from tests.builders.people import a_group, a_user
from tests.builders.scenes import Scene, a_scene, cancel
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

NOON: Final = datetime(2030, 5, 15, 12, tzinfo=UTC)
"""At the site, in Shanghai, it is 20:00."""
HOUR: Final = timedelta(hours=1)
MODEL: Final = "Simulated 32GB"
UNIT: Final = 1_000_000


@pytest.fixture
def scene() -> Scene:
    return a_scene()


def a_price(hourly_micros: int, day: date = date(2030, 5, 1), **more: str) -> None:
    GpuPrice.objects.create(
        **{"model": MODEL, "currency": "CNY", **more},
        valid_from=day,
        hourly_micros=hourly_micros,
    )


def a_budget(scene: Scene, money: int, **more: Any) -> Budget:
    given = {"group": scene.group, "period": "month", "currency": "CNY", **more}
    return Budget.objects.create(money_micros=money, **given)


def start(scene: Scene, gpus: int, time_limit_s: int = 36_000, first: int = 0) -> Workload:
    with freeze(NOON):
        work = scene.work(submitted_at=NOON, gpus=gpus, time_limit_s=time_limit_s)
        scene.place(work, scene.placement(cards=tuple(range(first, first + gpus))))
        live = [
            running(held)
            for held in Allocation.objects.filter(released_at=None).order_by("created_at")
        ]
        scene.links[0].beat(containers=live[:-1])
        scene.links[0].beat(containers=live)
    return work


def measure(at: datetime) -> None:
    with freeze(at):
        update_usage()


def shown(scene: Scene, at: datetime) -> Mapping[str, Any]:
    with freeze(at):
        (row,) = json_of(browser(scene.owner).get(f"{API}/budgets"))
    return dict(row)


def reported(scene: Scene, at: datetime) -> list[Mapping[str, str]]:
    with freeze(at):
        query = f"first_day=2030-05-01&last_day=2030-05-31&group={scene.group.pk}"
        costs = json_of(browser(a_user(role="auditor")).get(f"{API}/usage?{query}"))
    return list(costs["total"]["costs"])


def test_what_is_spent_is_what_the_usage_report_says_across_a_change_of_price(
    scene: Scene,
) -> None:
    a_price(3_333_333)
    # From midnight of the site on, which is four hours after noon in UTC.
    a_price(7_777_777, date(2030, 5, 16))
    a_budget(scene, 1000 * UNIT)
    start(scene, gpus=3)

    row: Mapping[str, Any] = {}
    for at in (NOON + timedelta(minutes=7), NOON + 4 * HOUR, NOON + timedelta(hours=7, seconds=1)):
        measure(at)
        row = shown(scene, at)
        (cost,) = reported(scene, at)
        assert f"{row['used'] / UNIT:.2f}" == cost["amount"]
        assert datetime.fromisoformat(row["counted_until"]) == at
    assert row["used"] == round(3 * (4 * 3.333333 + (3 + 1 / 3600) * 7.777777), 2) * UNIT


def test_a_new_price_shows_in_budget_and_report_at_once(scene: Scene) -> None:
    a_price(UNIT)
    a_budget(scene, 1000 * UNIT)
    start(scene, gpus=1)
    measure(NOON + HOUR)
    admin = browser(a_user(role="platform_admin"))
    body = {"model": MODEL, "valid_from": "2030-05-15", "hourly_micros": 5 * UNIT}
    with freeze(NOON + HOUR):
        json_of(admin.post(f"{API}/gpu-prices", body, format="json"), 201)
    assert shown(scene, NOON + HOUR)["used"] == 5 * UNIT
    assert reported(scene, NOON + HOUR) == [{"currency": "CNY", "amount": "5.00"}]


def test_at_its_end_nothing_starts_that_would_cost_more_and_what_runs_goes_on(
    scene: Scene,
) -> None:
    a_price(2 * UNIT)
    a_budget(scene, 10 * UNIT)
    first = start(scene, gpus=1, time_limit_s=3600)
    with freeze(NOON):
        too_long = scene.work(gpus=2, time_limit_s=2 * 3600 + 1)
        with pytest.raises(PlacementRefusedError) as refused:
            scene.place(too_long, scene.placement(cards=(1, 2)))
        cancel(too_long)
    assert refused.value.code == "quota_budget"
    start(scene, gpus=2, time_limit_s=2 * 3600 - 1, first=1)
    first.refresh_from_db()
    assert first.state == "running"


def test_what_the_meter_has_not_counted_yet_counts_at_the_start_of_work(scene: Scene) -> None:
    a_price(2 * UNIT)
    a_budget(scene, 8 * UNIT)
    start(scene, gpus=1, time_limit_s=3 * 3600)
    # The meter has not run since noon; three hours are spent, for which 6 of 8 are gone.
    at = NOON + 3 * HOUR
    row = shown(scene, at)
    assert (row["used"], row["counted_until"]) == (0, None)
    with freeze(at):
        work = scene.work(gpus=1, time_limit_s=3600 + 1)
        with pytest.raises(PlacementRefusedError):
            scene.place(work, scene.placement(cards=(3,)))


def test_a_model_without_a_price_is_named_and_does_not_start(scene: Scene) -> None:
    a_price(UNIT, currency="EUR")
    a_budget(scene, 100 * UNIT)
    with freeze(NOON):
        work = scene.work(gpus=1)
        with pytest.raises(PlacementRefusedError) as refused:
            scene.place(work, scene.placement(cards=(0,)))
    assert refused.value.code == "budget_no_price"
    assert shown(scene, NOON)["unpriced"] == [MODEL]


def test_a_new_period_begins_at_nothing_before_the_meter_has_run(scene: Scene) -> None:
    a_price(UNIT)
    row = a_budget(scene, 5 * UNIT, period="day")
    start(scene, gpus=1)
    measure(NOON + 2 * HOUR)
    assert shown(scene, NOON + 2 * HOUR)["used"] == 2 * UNIT
    # Midnight of the site is at 16:00 UTC.
    at = NOON + 4 * HOUR + timedelta(seconds=1)
    assert (shown(scene, at)["used"], BudgetSpending.objects.get().budget_id) == (0, row.pk)
    measure(NOON + 5 * HOUR)
    assert shown(scene, NOON + 5 * HOUR)["used"] == UNIT


def test_budgets_of_money_are_near_their_limit_from_nine_tenths_on(scene: Scene) -> None:
    a_price(UNIT)
    a_budget(scene, 10 * UNIT)
    operator = browser(a_user(role="operator"))
    start(scene, gpus=3, time_limit_s=3 * 3600)
    maintain_partitions()

    def near(at: datetime) -> list[Any]:
        measure(at)
        with freeze(at):
            return list(json_of(operator.get(f"{API}/overview/near-limits"))["limits"])

    assert near(NOON + 2 * HOUR) == []
    (row,) = near(NOON + 3 * HOUR)
    assert (row["kind"], row["currency"], row["used"], row["limit"]) == (
        "budget",
        "CNY",
        9 * UNIT,
        10 * UNIT,
    )


def test_a_budget_is_in_hours_or_in_money_of_the_site_and_the_audit_says_which(
    scene: Scene,
) -> None:
    admin = browser(a_user(role="platform_admin"))
    body = {"group": str(scene.group.pk), "period": "month"}

    def put(**more: object) -> Any:
        return admin.put(f"{API}/budgets", {**body, **more}, format="json")

    problem_of(put(), 422, "budget_unit")
    problem_of(put(gpu_hours=1, money_micros=1), 422, "budget_unit")
    json_of(put(gpu_hours=7))
    row = json_of(put(money_micros=1_500_000))
    assert (row["gpu_hours"], row["money_micros"], row["currency"]) == (None, 1_500_000, "CNY")
    change_settings(actor=Actor.system("test"), changes={"currency": "EUR"})
    BudgetSpending.objects.create(
        budget=Budget.objects.get(), first_day=NOON, counted_until=NOON, cost=1
    )
    assert json_of(put(money_micros=2))["currency"] == "EUR"
    assert not BudgetSpending.objects.exists()
    said = AuditEvent.objects.filter(action="budget.set").order_by("id")
    assert [each.params.get("gpu_hours") or each.params["money"] for each in said] == [
        7,
        "1.50",
        "0.000002",
    ]


def test_a_submission_asks_for_prices_at_most_because_of_budgets_of_money(scene: Scene) -> None:
    """And for models that pools have; all submissions of a second share the answers."""

    def asked() -> int:
        with CaptureQueriesContext(connection) as seen:
            load_site()
        return len(seen)

    asked()
    before = asked()
    a_price(UNIT)
    a_budget(scene, 5 * UNIT)
    a_budget(scene, 0, period="week", group=a_group())
    assert asked() <= before + 3
    assert [(each.limit, len(each.prices)) for each in load_site().budgets] == [
        (5 * UNIT, 1),
        (0, 1),
    ]
