"""A latency service near its target gets GPUs that others of its group hold beyond what they are promised."""

from datetime import datetime, timedelta

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
from portal.serving_usage.services import record_report
from portal.workloads.models import Workload
from scheduler.core.model.states import WorkloadState
from scheduler.scaling.shares import EASY_MS
from tests.builders.scenes import assert_sound
from tests.builders.serving import ServingSite, a_serving_site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
AT_ONCE = {"min_runtime_s": 0, "grace_s": 0}
STEP = timedelta(seconds=30)


@pytest.fixture
def site() -> ServingSite:
    """Four GPUs, on which work may be evicted as soon as it runs."""
    return a_serving_site(cards=4, policy=AT_ONCE)


def batch_on_all(site: ServingSite) -> Service:
    """Return a throughput service that may be at one replica, and has all four GPUs."""
    body = {"name": "batch", "quality": "throughput", "target_ms": None}
    service = site.create(**body, replicas_min=1, replicas_max=4)
    site.act(service, "scale", replicas=4)
    site.settle(2)
    return service


def report(service: Service, at: datetime, *, opened: int, took_ms: int) -> None:
    """Report thirty seconds up to a moment, with as many answers as open requests in each."""
    taken = new_histogram()
    for _ in range(opened):
        taken.record_value(took_ms * 1000)
    rows = tuple(
        SecondOfLoad(
            service.pk,
            at.replace(microsecond=0) - timedelta(seconds=back),
            opened,
            0,
            arrivals=opened,
            completed=opened,
            latency=encode_histogram(taken),
        )
        for back in range(30, 0, -1)
    )
    record_report(LoadReport(new_id(), "gateway-1", rows))


def priorities(site: ServingSite, service: Service) -> list[int]:
    return sorted(row.workload.priority for row in site.live(service))


def running(site: ServingSite, service: Service) -> int:
    return sum(row.workload.state == WorkloadState.RUNNING for row in site.live(service))


def steps(service: Service) -> list[str]:
    rows = ScalingStep.objects.filter(service=service).order_by("id")
    return [code for code in rows.values_list("code", flat=True) if code.startswith("share_")]


def test_it_takes_from_a_throughput_service_keeps_what_is_promised_and_gives_back(
    site: ServingSite,
) -> None:
    batch = batch_on_all(site)
    chat = site.create(replicas_min=0, replicas_max=3)
    site.contend()
    assert priorities(site, batch) == [-100, -100, -100, 0]
    site.act(chat, "scale", replicas=1)
    begin = now()

    for number in range(6):
        with freeze(begin + number * STEP):
            report(chat, now(), opened=40, took_ms=3_000)
            site.contend()

    chat.refresh_from_db()
    assert chat.replicas_wanted == 3
    assert (running(site, chat), running(site, batch)) == (3, 1)
    taken = ScalingStep.objects.get(service=chat, code__in=["share_near_target", "share_crowded"])
    assert taken.params["waiting"] >= 1
    assert set(steps(batch)) == {"share_given"}
    shown = site.show(batch)["share"]
    assert (shown["claims_since"], shown["given"]) == (None, 3)
    assert site.show(chat)["share"]["claims_since"] is not None
    assert_sound()

    quiet = begin + 6 * STEP + timedelta(milliseconds=EASY_MS)
    site.act(chat, "scale", replicas_max=1)
    for number in range(8):
        with freeze(quiet + number * STEP):
            report(chat, now(), opened=1, took_ms=10)
            site.contend()

    assert (running(site, chat), running(site, batch)) == (1, 3)
    assert steps(chat)[-1] == "share_easy"
    assert steps(batch)[-1] == "share_back"
    assert_sound()


def test_without_load_near_its_target_it_waits_for_what_comes_free(site: ServingSite) -> None:
    batch = batch_on_all(site)
    chat = site.create(replicas_min=0, replicas_max=3)
    site.act(chat, "scale", replicas=2)

    site.contend(3)

    assert (running(site, chat), running(site, batch)) == (0, 4)
    assert priorities(site, chat) == [-100, -100]
    assert steps(chat) == []


def test_what_is_promised_comes_from_the_spare_replicas_of_a_service_that_is_never_evicted(
    site: ServingSite,
) -> None:
    early = site.create(name="early", replicas_min=1, replicas_max=4, drain_s=0)
    site.act(early, "scale", replicas=4)
    site.settle(2)
    late = site.create(name="late", replicas_min=2, replicas_max=2)

    site.contend(8)

    assert (running(site, early), running(site, late)) == (2, 2)
    assert steps(early) == ["share_yielded", "share_yielded"]
    assert not Workload.objects.filter(evictions__gt=0).exists()
    assert_sound()
