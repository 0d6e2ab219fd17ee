"""Work that says it is saved, and the past as a file."""

from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from portal.common.clock import freeze, to_millis
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state import lifecycle
from portal.workloads.sweep import run_sweep
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.policy import PoolPolicy
from scheduler.whatif.past import read_past
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.builders.scripted_node import NOW_MS, finished, running
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

NOON = datetime(2030, 5, 15, 12, tzinfo=UTC)


def a_running(scene: Scene) -> Workload:
    work = scene.work(gpus=1, preemptible=True)
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    work.refresh_from_db()
    return work


def test_the_owner_says_that_running_work_is_saved() -> None:
    scene = a_scene()
    work = a_running(scene)
    version = work.version

    with freeze(NOON):
        answer = json_of(browser(scene.owner).post(f"{API}/workloads/{work.pk}/checkpoint"))

    assert answer["checkpointed_at"].startswith("2030-05-15T12:00:00")
    work.refresh_from_db()
    assert (work.checkpointed_at, work.version) == (NOON, version)
    (view,) = load_snapshot().running
    assert view.checkpointed_at == to_millis(NOON)


def test_the_node_tells_when_the_work_says_so_by_its_file() -> None:
    scene = a_scene()
    work = a_running(scene)
    (held,) = scene.held(work)

    for at, expected in (
        (NOW_MS, NOW_MS),
        (NOW_MS - 5_000, NOW_MS),
        (NOW_MS + 7_000, NOW_MS + 7_000),
    ):
        report = running(held).model_copy(update={"checkpointed_at": at})
        scene.links[0].beat(containers=[report])
        work.refresh_from_db()
        assert work.checkpointed_at is not None
        assert to_millis(work.checkpointed_at) == expected


def test_the_last_act_of_work_may_be_to_save_itself() -> None:
    scene = a_scene()
    work = a_running(scene)
    (held,) = scene.held(work)

    end = finished(held, 1).model_copy(update={"checkpointed_at": NOW_MS + 900})
    scene.links[0].beat(finished=[end])

    work.refresh_from_db()
    assert work.checkpointed_at is not None
    assert (work.state, to_millis(work.checkpointed_at)) == ("failed", NOW_MS + 900)


def test_a_moment_in_our_future_is_taken_for_now() -> None:
    scene = a_scene()
    work = a_running(scene)
    (held,) = scene.held(work)

    with freeze(NOON):
        ahead = running(held).model_copy(update={"checkpointed_at": to_millis(NOON) + 60_000})
        scene.links[0].beat(containers=[ahead])

    work.refresh_from_db()
    assert work.checkpointed_at == NOON


def test_work_saves_itself_during_its_notice() -> None:
    scene = a_scene()
    work = a_running(scene)
    work.refresh_from_db()
    lifecycle.evict_workload(
        workload_id=WorkloadId(str(work.pk)),
        version=work.version,
        cause=EvictionCause.PREEMPTED,
        beneficiary=None,
        grace_s=60,
    )

    answer = browser(scene.owner).post(f"{API}/workloads/{work.pk}/checkpoint")

    assert answer.status_code == 200, answer.json()
    work.refresh_from_db()
    assert (work.state, work.checkpointed_at is not None) == ("queued", True)


@pytest.mark.parametrize(
    ("chosen", "notice_s", "signal"),
    [("SIGTERM", 0, ""), ("none", 40, ""), ("SIGUSR1", 40, "SIGUSR1")],
)
def test_evicted_work_is_warned_as_it_asked(chosen: str, notice_s: int, signal: str) -> None:
    scene = a_scene()
    work = a_running(scene)
    Workload.objects.filter(pk=work.pk).update(spec={"notice_signal": chosen})
    lifecycle.evict_workload(
        workload_id=WorkloadId(str(work.pk)),
        version=work.version,
        cause=EvictionCause.PREEMPTED,
        beneficiary=None,
        grace_s=60,
    )
    (held,) = scene.held(work)

    (grace,) = scene.links[0].beat(containers=[running(held)]).graces

    assert (grace.seconds, grace.notice_s, grace.signal) == (60, notice_s, signal)
    assert grace.reason == "preempted"


def test_work_over_its_time_limit_is_warned_too() -> None:
    scene = a_scene()
    work = a_running(scene)
    (held,) = scene.held(work)
    limit = timedelta(seconds=(work.time_limit_s or 0) + 1)

    assert work.started_at is not None
    with freeze(work.started_at + limit):
        run_sweep(heartbeat=timedelta(days=1))
        (grace,) = scene.links[0].beat(containers=[running(held)]).graces

    assert (grace.reason, grace.seconds) == ("time_limit", PoolPolicy().grace_s)


def test_nobody_else_and_nothing_else_is_saved() -> None:
    scene = a_scene()
    work = a_running(scene)
    waiting = scene.work(gpus=1)
    address = f"{API}/workloads/{work.pk}/checkpoint"

    problem_of(browser(a_member(scene.group)).post(address), 403, "denied")
    problem_of(browser(a_member(a_group())).post(address), 404, "not_found")
    queued = browser(scene.owner).post(f"{API}/workloads/{waiting.pk}/checkpoint")
    problem_of(queued, 409, "not_running")

    work.refresh_from_db()
    assert work.checkpointed_at is None


def test_the_past_is_written_for_the_simulator(tmp_path: Path) -> None:
    scene = a_scene()
    a_quota(scene.group, ceiling=6000)
    with freeze(NOON):
        work = a_running(scene)
    (held,) = scene.held(work)
    with freeze(NOON + timedelta(seconds=1)):
        scene.links[0].beat(finished=[finished(held)])
    scene.work(gpus=1)
    old = scene.work(gpus=1, state="cancelled")
    Workload.objects.filter(pk=old.pk).update(submitted_at=old.submitted_at - timedelta(days=40))

    call_command("dump_history", str(tmp_path / "past"), stdout=StringIO())

    site, past = read_past((tmp_path / "past").read_text(encoding="utf-8").splitlines())
    (one,) = past
    assert (one.workload.id, one.ran_s, one.started_at) == (str(work.pk), 1, to_millis(NOON))
    assert one.workload.request.gpus == 1
    assert len(site.accelerators) == 8
    assert [(row.ceiling, row.used) for row in site.quotas] == [(6000, 0)]
