"""Work that a budget keeps waiting is told when that ends; work that none lasts for is told so at once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from portal.common.clock import freeze, now, to_millis
from portal.quotas.models import Budget, GpuPrice
from portal.site.selectors import settings_for_system
from portal.workloads.submission.dry_run import run_dry
from portal.workloads.submission.refusals import find_refusals
from scheduler.core.dry_run import DryRunOutcome
from scheduler.core.model.entities import PendingWorkload
from scheduler.core.model.plan import StartRange
from scheduler.core.model.reasons import ReasonCode
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

HOUR_S = 3600
NOON = datetime(2030, 5, 15, 4, tzinfo=UTC)
"""Of the site, eight hours east of Greenwich, on a Wednesday."""


@pytest.fixture
def scene() -> Scene:
    return a_scene(cards=8)


def ends_of(period: str) -> tuple[int, int]:
    """Return the ends of the present and of the next period, in milliseconds."""
    days, moment = settings_for_system().days, now()
    first = days.current_period(period, moment)[1]
    return to_millis(first), to_millis(days.current_period(period, first)[1])


def asked_of(scene: Scene, *, gpus: int, time_limit_s: int) -> PendingWorkload:
    return replace(scene.pending(gpus=gpus), time_limit_s=time_limit_s)


def expected(scene: Scene, **asked: Any) -> StartRange:
    result = run_dry(asked_of(scene, **asked), "training").result
    assert result.outcome is DryRunOutcome.WAITS
    assert ReasonCode.QUOTA_BUDGET in {reason.code for reason in result.reasons}
    assert result.expected is not None
    return result.expected


@pytest.mark.parametrize("period", ["day", "week", "month"])
def test_work_larger_than_a_period_is_expected_at_its_end(scene: Scene, period: str) -> None:
    """Six GPUs may be used for ten minutes of it: the last ten, or all that is left."""
    Budget.objects.create(group=scene.group, period=period, gpu_hours=1)
    with freeze(NOON):
        this, following = ends_of(period)
        latest = expected(scene, gpus=6, time_limit_s=60 * 24 * HOUR_S).latest
        assert latest == this - 600_000 < following
    with freeze(NOON.replace(hour=15, minute=55)):
        # Five minutes before midnight of the site.
        result = run_dry(asked_of(scene, gpus=6, time_limit_s=24 * HOUR_S), "training").result
        ends_today = ends_of(period)[0] == ends_of("day")[0]
        outcome = DryRunOutcome.STARTS_NOW if ends_today else DryRunOutcome.WAITS
        assert result.outcome is outcome


def test_work_for_which_no_period_lasts_is_refused_and_says_what_would_do(scene: Scene) -> None:
    Budget.objects.create(group=scene.group, period="day", money_micros=1_000, currency="CNY")
    model = scene.nodes[0].accelerators.first()
    assert model is not None
    GpuPrice.objects.create(
        model=model.model,
        valid_from=(now() - timedelta(days=40)).date(),
        hourly_micros=10_000_000,
        currency="CNY",
    )
    [reason] = find_refusals(asked_of(scene, gpus=6, time_limit_s=24 * HOUR_S))
    assert reason.code is ReasonCode.NEVER_FITS_BUDGET
    assert reason.params["requested"] == "1,440.00 CNY"
    assert find_refusals(asked_of(scene, gpus=1, time_limit_s=0)) == ()

    job = {
        "name": "run",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": an_image().name,
        "command": ["true"],
        "gpus": 6,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "time_limit_s": 24 * HOUR_S,
    }
    client = browser(scene.owner)
    for language, words in (("en", "lasts for no such work"), ("zh-CN", "任何周期都不够")):
        answer = client.post(
            f"{API}/jobs", job, format="json", headers={"Accept-Language": language}
        )
        detail = problem_of(answer, 422, "never_fits_budget")["detail"]
        assert words in detail
        assert "1,440.00 CNY" in detail
