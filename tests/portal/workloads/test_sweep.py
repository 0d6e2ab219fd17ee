from datetime import timedelta

import pytest

from portal.common.clock import freeze, now
from portal.inventory.models import Node
from portal.quotas.models import Quota, UserUse
from portal.quotas.services import recount_quotas
from portal.workloads.models import Allocation, Workload
from portal.workloads.sweep import UNREPORTED_MAX, run_sweep
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound
from tests.builders.scripted_node import finished, running, starting
from wire.words import ExitCause

pytestmark = pytest.mark.django_db

HEARTBEAT = timedelta(seconds=5)


def swept(work: Workload, after: timedelta = timedelta()) -> Workload:
    with freeze(now() + after):
        run_sweep(heartbeat=HEARTBEAT)
    work.refresh_from_db()
    return work


def a_running(scene: Scene, **asked: object) -> tuple[Workload, Allocation]:
    work = scene.work(**asked)
    (held,) = scene.place(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    work.refresh_from_db()
    return work, held


def keep_alive(scene: Scene, after: timedelta, held: Allocation) -> None:
    with freeze(now() + after):
        scene.links[0].beat(containers=[running(held)])


def test_job_over_its_time_limit_expires() -> None:
    scene = a_scene()
    work, held = a_running(scene)
    limit = timedelta(seconds=work.time_limit_s or 0)
    keep_alive(scene, limit - timedelta(seconds=1), held)
    assert swept(work, limit - timedelta(seconds=1)).state == "running"
    keep_alive(scene, limit + timedelta(seconds=1), held)

    swept(work, limit + timedelta(seconds=1))

    assert (work.state, work.outcome, work.cause) == ("stopping", "expired", "time_limit")
    scene.links[0].beat(finished=[finished(held, -15, ExitCause.STOPPED)])
    work.refresh_from_db()
    assert (work.state, work.cause, work.exit_code) == ("expired", "time_limit", None)


def test_notebook_over_its_time_limit_is_suspended() -> None:
    scene = a_scene()
    work, held = a_running(scene, kind="environment")
    limit = timedelta(seconds=(work.time_limit_s or 0) + 1)
    keep_alive(scene, limit, held)

    swept(work, limit)

    assert (work.state, work.outcome) == ("stopping", "suspended")


def test_silence_is_judged_step_by_step() -> None:
    scene = a_scene(silence="replace")
    work, _ = a_running(scene)
    node = Node.objects.filter(pk=scene.nodes[0].pk)

    def state() -> str:
        return node.values_list("state", flat=True).get()

    assert (swept(work, timedelta(seconds=14)).state, state()) == ("running", "ready")
    assert (swept(work, timedelta(seconds=16)).state, state()) == ("running", "unready")
    assert (swept(work, timedelta(seconds=44)).state, state()) == ("running", "unready")
    assert (swept(work, timedelta(seconds=46)).state, state()) == ("queued", "lost")
    events = work.events.count()
    assert swept(work, timedelta(seconds=60)).events.count() == events
    assert_sound()


def test_placement_that_lands_on_a_lost_node_is_given_up() -> None:
    scene = a_scene(silence="replace")
    work, _ = a_running(scene)
    Node.objects.filter(pk=scene.nodes[0].pk).update(state="lost")

    swept(work, timedelta(seconds=46))

    assert work.state == "queued"


def test_work_that_its_node_never_reports_is_queued_again_without_a_second_copy() -> None:
    scene = a_scene()
    work = scene.work()
    scene.place(work)
    scene.links[0].beat()
    with freeze(now() + UNREPORTED_MAX):
        scene.links[0].beat()

    assert swept(work, UNREPORTED_MAX - timedelta(seconds=1)).state == "placing"
    assert swept(work, UNREPORTED_MAX + timedelta(seconds=1)).state == "queued"
    assert len(scene.held(work)) == 1  # Until the node proves that it cannot start any more.
    scene.links[0].beat()
    scene.links[0].beat()
    assert scene.held(work) == []


def test_slow_start_that_is_reported_is_left_alone() -> None:
    scene = a_scene()
    work = scene.work()
    (held,) = scene.place(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[starting(held)])
    with freeze(now() + 10 * UNREPORTED_MAX):
        scene.links[0].beat(containers=[starting(held)])

    assert swept(work, 10 * UNREPORTED_MAX).state == "starting"


@pytest.mark.parametrize(
    ("state", "outcome", "after"),
    [("stopping", "cancelled", "cancelled"), ("running", "", "queued"), ("placing", "", "queued")],
)
def test_work_without_an_owner_gets_one(state: str, outcome: str, after: str) -> None:
    scene = a_scene()
    work = scene.work(state=state)
    Workload.objects.filter(pk=work.pk).update(outcome=outcome)

    assert swept(work).state == after


def test_recount_sets_counters_right() -> None:
    scene = a_scene()
    quota = a_quota(scene.group, "cpu", ceiling=5000)
    work = scene.work()
    scene.place(work)
    Quota.objects.update(used=4711)
    UserUse.objects.update(used=1)

    assert recount_quotas() == 1
    assert recount_quotas() == 0

    quota.refresh_from_db()
    assert quota.used == UserUse.objects.get().used == 1000
