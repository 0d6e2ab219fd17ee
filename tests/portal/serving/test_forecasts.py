"""Demand by the hour is forecast from a service's own past, kept, and starts replicas before the load comes."""

from datetime import timedelta

import pytest

from portal.common.clock import freeze, now
from portal.serving.forecasts import expected_demand, forecast_of, forecast_services
from portal.serving.models import ScalingStep, Service
from portal.serving_usage.models import ServiceHour
from portal.workloads.models import Allocation
from scheduler.forecast.choice import NAIVE
from scheduler.scaling.values import InputAges
from tests.builders.serving import ServingSite, a_serving_site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
BUSY, QUIET = 36_000, 360
HOUR = timedelta(hours=1)


@pytest.fixture
def site() -> ServingSite:
    return a_serving_site()


def remember(service: Service, days: int, *, odd: bool = False) -> None:
    """Keep so many days up to this hour, busy in the hour after this one; or busy in other hours each day."""
    this_hour = now().replace(minute=0, second=0, microsecond=0)
    ServiceHour.objects.bulk_create(
        ServiceHour(
            service_id=service.pk,
            hour=this_hour - back * HOUR,
            arrivals=BUSY if (back + (back // 24 * 7 if odd else 0)) % 24 == 23 else QUIET,
        )
        for back in range(1, days * 24 + 1)
    )


def busy_soon(site: ServingSite) -> Service:
    """Return a service of one replica that will be busy from the next hour on, as each day."""
    service = site.create(replicas_min=1, replicas_max=4)
    site.settle(2)
    remember(service, 10)
    return service


def test_a_service_with_a_past_is_forecast_once_an_hour_and_the_api_shows_it(
    site: ServingSite,
) -> None:
    with freeze(now().replace(minute=20)):
        service = busy_soon(site)
        assert site.show(service)["forecast"] is None

        assert (forecast_services(), forecast_services()) == (1, 0)

        shown = site.show(service)["forecast"]
        assert shown["is_trusted"]
        assert [hour["middle"] for hour in shown["hours"][:3]] == [QUIET, BUSY, QUIET]
        assert all(hour["low"] <= hour["middle"] <= hour["high"] for hour in shown["hours"])
        assert NAIVE in {each["model"] for each in shown["accuracy"]}
        with freeze(now() + HOUR):
            assert forecast_services() == 1


def test_replicas_start_before_the_hour_in_which_they_are_needed(site: ServingSite) -> None:
    begin = now().replace(minute=20, second=0, microsecond=0)
    with freeze(begin):
        service = busy_soon(site)
        Allocation.objects.update(created_at=begin - timedelta(minutes=1))  # a start takes a minute
        forecast_services()
        site.report(service, {})
    with freeze(begin + timedelta(seconds=2)):
        site.settle()
        service.refresh_from_db()
        assert service.replicas_wanted == 1

    with freeze(begin + timedelta(minutes=39, seconds=30)):
        site.report(service, {})
    with freeze(begin + timedelta(minutes=39, seconds=32)):
        site.settle(2)

        service.refresh_from_db()
        assert service.replicas_wanted > 1
        step = ScalingStep.objects.get(service=service, code="forecast")
        assert step.params["high_milli"] >= BUSY * 1000 // 3600
        assert all(row.workload.priority <= 0 for row in site.live(service))


def test_a_past_that_says_little_is_shown_and_starts_nothing(site: ServingSite) -> None:
    with freeze(now().replace(minute=59, second=30)):
        service = site.create(replicas_min=1, replicas_max=4)
        site.settle(2)
        remember(service, 10, odd=True)

        assert forecast_services() == 1

        assert not site.show(service)["forecast"]["is_trusted"]
        assert expected_demand(forecast_of(service), 3_600_000) is None


def test_without_three_days_nothing_is_forecast_and_neither_are_services_of_one_size(
    site: ServingSite,
) -> None:
    new = site.create(name="new", replicas_min=1, replicas_max=2)
    fixed = site.create(name="fixed", replicas_min=1, replicas_max=1)
    remember(new, 2)
    remember(fixed, 10)

    assert forecast_services() == 0


def test_beyond_its_hours_a_forecast_says_nothing(site: ServingSite) -> None:
    service = busy_soon(site)
    forecast_services()
    row = forecast_of(service)

    assert expected_demand(row, 0) is not None
    with freeze(now() + timedelta(hours=24)):
        assert expected_demand(row, 0) is None
    assert InputAges(0, 0).forecast_limit_ms < 24 * 3_600_000
