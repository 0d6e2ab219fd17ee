"""What the overview keeps for a while, who refreshes it, and what is always of the moment; on PostgreSQL."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.common.clock import freeze, now
from portal.overview.held_gpus import IDLE_FACTS_FOR
from portal.overview.near_limits import BUDGET_USES_FOR
from portal.overview.selectors import RECENT_FOR
from portal.overview.tasks import refresh_live_facts, refresh_recent_use
from portal.quotas.models import Budget
from tests.builders.scenes import a_scene
from tests.portal.overview.scene import HOUR, admin, measured, overview, partitions_at, run_at
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    cache.clear()


def test_what_celery_found_out_is_not_asked_for_again_until_it_is_old() -> None:
    scene = a_scene(nodes=1, cards=2)
    reader, at = admin(), now()
    partitions_at(at)
    held = run_at(scene, at - HOUR, cards=(0,))

    def asked(address: str) -> tuple[str, int]:
        with CaptureQueriesContext(connection) as captured:
            shown = json_of(browser(reader).get(f"{API}/{address}"))
        texts = " ".join(query["sql"] for query in captured)
        return texts, shown["held"]["idle_milli"] if "held" in shown else 0

    refresh_live_facts()
    refresh_recent_use()
    measured(held, 0, at - 20 * MINUTE, at)
    texts, idle = asked("overview")
    assert (idle, "telemetry_work_minute" in texts) == (0, False)
    assert "telemetry_work_hour" not in asked("overview/recent")[0]
    with freeze(at + IDLE_FACTS_FOR + timedelta(seconds=1)):
        texts, idle = asked("overview")
    assert (idle, "telemetry_work_minute" in texts) == (1000, True)
    with freeze(at + RECENT_FOR + timedelta(seconds=1)):
        assert "telemetry_work_hour" in asked("overview/recent")[0]


def test_limits_of_budgets_are_those_of_now_while_their_use_is_kept() -> None:
    scene = a_scene(nodes=1, cards=2)
    reader, at = admin(), now()
    run_at(scene, at - timedelta(minutes=58), cards=(0,))

    def near() -> list[tuple[str, int]]:
        rows = overview(reader, "/near-limits")["limits"]
        return [(row["resource"], row["limit"]) for row in rows if row["kind"] == "budget"]

    with freeze(at):
        budget = Budget.objects.create(group=scene.group, period="month", gpu_hours=1)
        assert near() == [("month", 3600)]
        Budget.objects.filter(pk=budget.pk).update(gpu_hours=2)
        assert near() == []
        Budget.objects.create(group=scene.group, period="week", gpu_hours=1)
        assert near() == [("week", 3600)]
    with freeze(at + BUDGET_USES_FOR + 55 * MINUTE):
        assert near() == [("week", 3600), ("month", 7200)]
