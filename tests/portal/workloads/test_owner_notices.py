"""Owners are notified of what happened to their work: each event once, many together, by the ways they chose."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.common.translations import LANGUAGES
from portal.identity.models import Notice, User
from portal.notices.inbox import choose_shown, describe_notice
from portal.notices.kinds import NOTICE_KINDS, QUIET
from portal.workloads.changes import change_workload
from portal.workloads.models import JobArray, NoticedEvents, Workload, WorkloadEvent
from portal.workloads.owner_notices import SETTLED_AFTER, WAITED, notify_owners
from portal.workloads.state import lifecycle
from portal.workloads.state.transitions import build_event
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.states import WorkloadState
from tests.builders.people import a_user, an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
NOW = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def scene() -> Scene:
    """A cluster whose log was read before anything happened; its member has every notice on."""
    found = a_scene()
    notify_owners()
    choose_shown(user_id=found.owner.pk, off=[])
    return found


def told(scene: Scene) -> list[tuple[str, dict[str, Any]]]:
    """Return what the member is told of by the next run."""
    before = set(Notice.objects.values_list("pk", flat=True))
    notify_owners()
    fresh = Notice.objects.exclude(pk__in=before).filter(user=scene.owner).order_by("id")
    return [(notice.code, notice.params) for notice in fresh]


def codes(scene: Scene) -> list[str]:
    return [code for code, _ in told(scene)]


def start(scene: Scene, work: Workload) -> None:
    held = scene.place(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(item) for item in held])
    work.refresh_from_db()
    assert work.state == "running"


def end(scene: Scene, work: Workload, code: int) -> None:
    scene.links[0].beat(finished=[finished(item, code) for item in scene.held(work)])
    work.refresh_from_db()


def stop(work: Workload, outcome: WorkloadState, cause: str, actor: Actor) -> None:
    with transaction.atomic():
        locked = lifecycle.lock_workload(work.pk)
        lifecycle.request_stop(locked, outcome=outcome, cause=cause, actor=actor)


def test_each_step_of_a_job_is_told_once(scene: Scene) -> None:
    work = scene.work(name="fine-tune")
    assert codes(scene) == []
    start(scene, work)
    assert codes(scene) == ["work_started"]
    end(scene, work, 0)
    [(code, params)] = told(scene)
    assert (code, params["work"], params["path"]) == (
        "work_succeeded",
        "fine-tune",
        f"/jobs/{work.pk}",
    )
    assert codes(scene) == []


def test_failure_says_its_exit_code_and_leads_to_the_page(scene: Scene) -> None:
    work = scene.work(name="fine-tune", restart={"rule": "never"})
    start(scene, work)
    end(scene, work, 7)
    notify_owners()
    notice = Notice.objects.get(code="work_exited")
    assert notice.path == f"/jobs/{work.pk}"
    assert describe_notice(notice, "en") == "fine-tune failed with exit code 7"
    assert describe_notice(notice, "zh-CN") == "fine-tune 失败，退出码 7"


@pytest.mark.parametrize(
    ("outcome", "cause", "code", "text"),
    [
        (WorkloadState.FAILED, "out_of_memory", "work_failed", "Out of memory"),
        (WorkloadState.EXPIRED, "time_limit", "work_expired", "time limit"),
        (WorkloadState.CANCELLED, "owner_left", "work_cancelled", "may not submit"),
    ],
)
def test_end_is_told_with_its_cause_in_words(
    scene: Scene, outcome: WorkloadState, cause: str, code: str, text: str
) -> None:
    work = scene.work()
    start(scene, work)
    stop(work, outcome, cause, Actor.system("sweep"))
    end(scene, work, 143)
    notify_owners()
    notice = Notice.objects.get(code=code)
    assert text in describe_notice(notice, "en")


def test_own_acts_are_no_news(scene: Scene) -> None:
    stop(scene.work(), WorkloadState.CANCELLED, "requested", an_actor(scene.owner))
    assert codes(scene) == []


@pytest.mark.parametrize("is_own", [True, False])
def test_change_by_somebody_else_is_told_with_what_changed(scene: Scene, is_own: bool) -> None:
    work = scene.work(gpus=1)
    notify_owners()
    by = scene.owner if is_own else a_user(role="platform_admin")
    changes = {"time_limit_s": 7200, "priority": 0}
    change_workload(actor=an_actor(by), workload_id=work.pk, kind="training", changes=changes)
    notify_owners()
    said = [describe_notice(notice, "en") for notice in Notice.objects.filter(user=scene.owner)]
    assert any("Time limit changed from" in text and "2 h" in text for text in said) != is_own
    assert is_own == (said == [])


def test_evicted_work_is_told_by_its_own_kind(scene: Scene) -> None:
    work = scene.work(preemptible=True)
    start(scene, work)
    notify_owners()
    lifecycle.evict_workload(
        workload_id=WorkloadId(str(work.pk)),
        version=work.version,
        cause=EvictionCause.RECLAIMED,
        beneficiary=None,
        grace_s=0,
    )
    [(code, params)] = told(scene)
    assert (code, params["cause"]) == ("work_evicted", "reclaimed")


@pytest.mark.parametrize(
    ("cause", "code"), [("node_lost", "work_lost"), ("node_drained", "work_requeued")]
)
def test_work_that_is_queued_again_says_why(scene: Scene, cause: str, code: str) -> None:
    work = scene.work()
    start(scene, work)
    notify_owners()
    with transaction.atomic():
        locked = lifecycle.lock_workload(work.pk)
        lifecycle.requeue_workload(locked, cause=cause, actor=Actor.system("sweep"))
    assert codes(scene) == [code]


def test_many_of_one_owner_share_a_notice(scene: Scene) -> None:
    for _ in range(4):
        stop(scene.work(), WorkloadState.FAILED, "start_failed", Actor.system("sweep"))
    [(code, params)] = told(scene)
    assert (code, params["count"], params["path"]) == ("works_failed", 4, "/jobs")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_notice_about_work_has_its_words(scene: Scene, language: str) -> None:
    for kind in (
        "started",
        "succeeded",
        "failed",
        "evictions",
        "requeued",
        "changed",
        "lost",
        "waiting",
    ):
        for code in NOTICE_KINDS[kind] - {"work_braked"}:
            params = {"work": "w", "count": 4, "cause": "preempted", "exit_code": 1, "path": "/"}
            text = describe_notice(Notice(code=code, params=params), language)
            assert text not in ("", code)
            assert "{" not in text


def test_quiet_kinds_come_once_they_are_turned_on() -> None:
    scene = a_scene()
    notify_owners()
    work = scene.work(restart={"rule": "never"})
    start(scene, work)
    end(scene, work, 1)
    assert codes(scene) == ["work_exited"]
    choose_shown(user_id=scene.owner.pk, off=QUIET - {"started"})
    start(scene, scene.work())
    assert codes(scene) == ["work_started"]


def test_failures_can_be_turned_off(scene: Scene) -> None:
    choose_shown(user_id=scene.owner.pk, off=["failed"])
    stop(scene.work(), WorkloadState.FAILED, "start_failed", Actor.system("sweep"))
    assert codes(scene) == []
    assert User.objects.get(pk=scene.owner.pk).inbox_turned == sorted({"failed"} | QUIET)


def test_long_wait_is_told_once(scene: Scene) -> None:
    with freeze(NOW):
        scene.work()
        scene.work(held_by="user")
        scene.work(not_before=NOW + 3 * WAITED)
    for later, expected in [
        (WAITED - timedelta(seconds=1), []),
        (WAITED, ["work_waits"]),
        (WAITED + timedelta(minutes=1), []),
    ]:
        with freeze(NOW + later):
            assert codes(scene) == expected


def test_event_that_is_committed_late_is_told(scene: Scene) -> None:
    """Numbers are given before transactions end: a lower one may be seen after a higher one."""
    first, second = scene.work(name="first"), scene.work(name="second")
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('workloads_workloadevent', 'id'))")
        (number,) = cursor.fetchone()
    stop(second, WorkloadState.FAILED, "start_failed", Actor.system("sweep"))
    assert [params["work"] for _, params in told(scene)] == ["second"]
    event = build_event(first, "queued", Actor.system("sweep"))
    event.pk, event.to_state, event.cause = number, "failed", "start_failed"
    event.save(force_insert=True)
    assert [params["work"] for _, params in told(scene)] == ["first"]
    assert codes(scene) == []


def test_what_is_settled_needs_no_list(scene: Scene) -> None:
    with freeze(NOW):
        stop(scene.work(), WorkloadState.FAILED, "start_failed", Actor.system("sweep"))
        assert codes(scene) == ["work_failed"]
        assert NoticedEvents.objects.get().later
    with freeze(NOW + 2 * SETTLED_AFTER):
        assert codes(scene) == []
        progress = NoticedEvents.objects.get()
    newest = WorkloadEvent.objects.latest("id").pk
    assert (progress.until, progress.later) == (newest, [])


def test_who_has_left_is_told_nothing(scene: Scene) -> None:
    left = a_user()
    work = scene.work()
    Workload.objects.filter(pk=work.pk).update(owner=left)
    User.objects.filter(pk=left.pk).update(is_active=False)
    work.refresh_from_db()
    stop(work, WorkloadState.FAILED, "start_failed", Actor.system("sweep"))
    notify_owners()
    assert not Notice.objects.exists()


def test_tasks_of_an_array_share_a_notice_that_leads_to_it(scene: Scene) -> None:
    array = JobArray.objects.create(
        name="sweep", owner=scene.owner, group=scene.group, indexes="0-1", size=2
    )
    for index in range(2):
        task = scene.work(array=array, array_index=index)
        stop(task, WorkloadState.FAILED, "start_failed", Actor.system("sweep"))
    [(code, params)] = told(scene)
    assert (code, params["count"], params["path"]) == (
        "works_failed",
        2,
        f"/jobs/arrays/{array.pk}",
    )
