"""The size of a service follows its load, and stays where nobody reports it."""

from datetime import timedelta

import pytest

from portal.common.clock import freeze, now
from portal.common.ids import new_id
from portal.serving.models import ScalingStep, Service
from portal.serving_usage.loads import (
    LoadReport,
    SecondOfLoad,
    encode_histogram,
    new_histogram,
)
from portal.serving_usage.selectors import loads_for_system
from portal.serving_usage.services import record_report
from tests.builders.serving import ServingSite, a_serving_site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def site() -> ServingSite:
    return a_serving_site()


def report(
    service: Service,
    seconds: int,
    *,
    in_flight: int = 0,
    held: int = 0,
    took_ms: int = 100,
    waiting_age_ms: int = 0,
) -> None:
    """Report so many seconds up to now with the same load."""
    taken = new_histogram()
    for _ in range(in_flight):
        taken.record_value(took_ms * 1000)
    begin = now().replace(microsecond=0) - timedelta(seconds=seconds)
    rows = tuple(
        SecondOfLoad(
            service.pk,
            begin + timedelta(seconds=number),
            in_flight,
            held,
            arrivals=in_flight,
            completed=in_flight,
            waiting_age_ms=waiting_age_ms,
            latency=encode_histogram(taken),
        )
        for number in range(seconds)
    )
    record_report(LoadReport(new_id(), "gateway-1", rows))


def wanted(service: Service) -> int:
    service.refresh_from_db()
    return service.replicas_wanted


def test_without_reports_a_service_keeps_its_size(site: ServingSite) -> None:
    service = site.create(replicas_min=1, replicas_max=4)
    site.act(service, "scale", replicas=3)

    site.settle(2)

    assert wanted(service) == 3


def test_more_open_requests_than_its_replicas_carry_start_more_and_the_log_says_why(
    site: ServingSite,
) -> None:
    service = site.create(replicas_min=1, replicas_max=8)
    site.settle(2)

    with freeze(now()):
        report(service, 60, in_flight=40)
        site.settle(2)

    assert wanted(service) > 1
    step = ScalingStep.objects.filter(service=service).earliest("id")
    assert step.before == 1 < step.after
    assert step.code in {"step", "more_load"}
    assert {"open", "replicas"} <= step.params.keys()


def test_a_server_that_tells_its_queue_no_more_keeps_the_size_and_the_log_says_so_once(
    site: ServingSite,
) -> None:
    service = site.create(replicas_min=1, replicas_max=8)
    site.settle(2)

    with freeze(now()):
        report(service, 60, in_flight=40, waiting_age_ms=10_001)
        site.settle(2)

    assert wanted(service) == 1
    (step,) = ScalingStep.objects.filter(service=service)
    assert (step.code, step.before, step.after) == ("stale_waiting", 1, 1)
    assert step.params == {"age_ms": 10_001, "limit_ms": 10_000}


def test_two_processes_that_ask_the_same_servers_count_their_queue_once(site: ServingSite) -> None:
    service = site.create()
    at = now().replace(microsecond=0)
    for process, waiting, silent_ms in (("a", 3, 0), ("b", 2, 11_000)):
        second = SecondOfLoad(service.pk, at, 4, 0, waiting=waiting, waiting_age_ms=silent_ms)
        record_report(LoadReport(new_id(), process, (second,)))

    (merged,) = loads_for_system([service.pk], at, at + timedelta(seconds=1))

    assert (merged.in_flight, merged.waiting, merged.waiting_age_ms) == (8, 3, 0)


def test_a_service_at_zero_starts_for_whoever_waits(site: ServingSite) -> None:
    service = site.create(replicas_min=0, replicas_max=2)
    site.act(service, "scale", replicas=0)
    site.settle(3)
    assert site.show(service)["status"] in {"at_zero", "starting", "ready"}
    report(service, 3, held=2)

    site.settle(2)

    assert wanted(service) >= 1
    assert ScalingStep.objects.filter(service=service).latest("id").code == "from_zero"
    assert len(site.live(service)) == wanted(service)


def test_a_quiet_service_that_may_be_at_zero_goes_there(site: ServingSite) -> None:
    service = site.create(replicas_min=0, replicas_max=2, zero_after_s=60, drain_s=0)
    site.settle(2)
    begin = now()
    for minutes in range(4):
        with freeze(begin + timedelta(minutes=minutes)):
            report(service, 30)
            site.settle()

    assert wanted(service) == 0
    assert ScalingStep.objects.filter(service=service).latest("id").code == "to_zero"


def test_a_service_of_fixed_size_is_left_alone(site: ServingSite) -> None:
    service = site.create(replicas_min=2, replicas_max=2)
    report(service, 60, in_flight=500)

    site.settle(2)

    assert wanted(service) == 2
    assert not ScalingStep.objects.filter(service=service).exists()


def carried(site: ServingSite, service: Service) -> tuple[int, bool]:
    """Return what a replica is believed to carry, and whether that was learned."""
    shown = site.show(service)["capacity"]
    return shown["open_requests"], shown["answers"] > 0


def test_what_a_replica_carries_is_learned_from_its_own_answers(site: ServingSite) -> None:
    service = site.create(replicas_min=1, replicas_max=2)
    site.settle(2)
    assert carried(site, service) == (8, False)
    begin = now()

    report(service, 20, in_flight=12, took_ms=900)
    site.settle()
    assert carried(site, service) == (15, True)  # it met the target at 12: a little more is tried

    with freeze(begin + timedelta(seconds=30)):
        report(service, 20, in_flight=28, took_ms=1_500)  # by two replicas now
        site.settle()
    assert carried(site, service) == (12, True)

    site.change(service, command=["serve", "--port={port}", "--quick"])
    site.settle()
    assert carried(site, service) == (8, False)


def test_what_was_held_or_could_not_meet_its_target_alone_teaches_nothing(
    site: ServingSite,
) -> None:
    service = site.create(replicas_min=1, replicas_max=2)
    site.settle(2)
    begin = now()

    report(service, 20, in_flight=12, held=1, took_ms=900)
    site.settle()
    assert carried(site, service) == (8, False)

    with freeze(begin + timedelta(seconds=30)):
        report(service, 20, in_flight=1, took_ms=4_000)
        site.settle()
    assert carried(site, service) == (8, False)
