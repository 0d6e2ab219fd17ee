"""Changes after submission: what may change in which state, and what each change is held to."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.quotas.models import Budget, GroupLimit, MemberLimit
from portal.workloads.models import Allocation, JobArray, SchedulerPass, Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state import lifecycle
from portal.workloads.sweep import run_sweep
from scheduler.runtime.loop import run_once
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

HOUR = 3600
SYSTEM = Actor.system("test")
PLURALS = {"training": "jobs", "environment": "environments"}


def patch(user: User, work: Workload, **changes: object) -> Any:
    path = f"{API}/{PLURALS[work.kind]}/{work.pk}"
    return browser(user).patch(path, changes, format="json")


def notes(work: Workload) -> list[str]:
    return [event.cause for event in work.events.order_by("id") if event.cause]


def a_running(scene: Scene, cards: tuple[int, ...] = (0,), **asked: object) -> Workload:
    work = scene.work(gpus=len(cards), **asked)
    (held,) = scene.place(work, scene.placement(cards=cards))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    work.refresh_from_db()
    return work


def test_waiting_work_changes_priority_time_and_pool() -> None:
    scene = a_scene()
    other = a_pool("other")
    a_node(other, memory_mib=512)
    work = scene.work(gpus=1)
    until = now() + timedelta(days=1)

    shown = json_of(
        patch(
            scene.owner,
            work,
            version=work.version,
            priority="high",
            priority_until=until.isoformat(),
            time_limit_s=2 * HOUR,
        )
    )

    assert (shown["priority"], shown["time_limit_s"]) == ("high", 2 * HOUR)
    assert shown["version"] == work.version + 1
    problem_of(patch(scene.owner, work, pool="other"), 422, "never_fits")
    work.refresh_from_db()
    assert (work.pool, work.priority, work.priority_until) == (scene.pool, 100, until)
    assert other.pk != work.pool_id
    assert notes(work) == ["priority_changed", "time_limit_changed"]
    (act,) = AuditEvent.objects.filter(action="workload.change")
    assert act.params["before"]["time_limit_s"] == HOUR
    assert act.params["after"]["time_limit_s"] == 2 * HOUR


def test_waiting_work_moves_to_another_pool_that_could_run_it() -> None:
    scene = a_scene()
    other = a_pool("other")
    a_node(other)
    work = scene.work(gpus=1)

    shown = json_of(patch(scene.owner, work, pool="other"))

    assert shown["pool"]["name"] == "other"
    assert [item.pool for item in load_snapshot().pending] == [str(other.pk)]
    Pool.objects.filter(pk=scene.pool.pk).update(time_limit_s_max=1800)
    problem_of(patch(scene.owner, work, pool=scene.pool.name), 422, "time_limit_too_long")
    json_of(patch(scene.owner, work, pool=scene.pool.name, time_limit_s=1800))


def test_the_next_pass_decides_on_the_new_values() -> None:
    scene = a_scene(cards=4)
    work = scene.work(gpus=4)
    load_snapshot()  # read and kept by version

    json_of(patch(scene.owner, work, gpus=2, time_limit_s=2 * HOUR))

    (pending,) = load_snapshot().pending
    assert (pending.request.gpus, pending.time_limit_s) == (2, 2 * HOUR)
    assert pending.version == work.version + 1


def test_a_plan_made_before_the_change_is_refused() -> None:
    scene = a_scene()
    work = scene.work(gpus=1)
    before = work.version
    json_of(patch(scene.owner, work, time_limit_s=2 * HOUR))

    work.refresh_from_db()

    assert work.version == before + 1
    problem_of(patch(scene.owner, work, version=before, priority="low"), 409, "changed_meanwhile")


def test_a_repetition_changes_nothing() -> None:
    scene = a_scene()
    work = scene.work(gpus=1)
    json_of(patch(scene.owner, work, version=0, priority="high"))

    shown = json_of(patch(scene.owner, work, version=0, priority="high"))

    assert shown["version"] == 1
    assert notes(work) == ["priority_changed"]


def test_a_key_acts_once() -> None:
    scene = a_scene()
    work = scene.work(gpus=1)
    client = browser(scene.owner)
    client.credentials(HTTP_IDEMPOTENCY_KEY="once")
    path = f"{API}/jobs/{work.pk}"

    json_of(client.patch(path, {"priority": "high"}, format="json"))
    json_of(patch(scene.owner, work, priority="low"))
    again = json_of(client.patch(path, {"priority": "high"}, format="json"))

    assert again["priority"] == "high"
    work.refresh_from_db()
    assert work.priority == -100


def test_what_gives_a_gpu_is_replaced_as_a_whole() -> None:
    scene = a_scene(slices=8)
    work = scene.work(kind="environment", state="suspended", slices=4)
    image = an_image("torch")

    json_of(patch(scene.owner, work, slices=2, cpu_milli=2000, memory_mib=2048, image=image.name))

    work.refresh_from_db()
    assert (work.slices, work.cpu_milli, work.memory_mib) == (2, 2000, 2048)
    assert work.image == image
    assert notes(work) == ["size_changed", "image_changed"]
    problem_of(patch(scene.owner, work, gpus=1), 422, "pool_gives_slices")
    problem_of(patch(scene.owner, work, memory_mib=1 << 24), 422, "never_fits")


def test_a_quota_that_could_never_grant_it_refuses() -> None:
    scene = a_scene()
    a_quota(scene.group, ceiling=2000)
    work = scene.work(gpus=1)

    problem_of(patch(scene.owner, work, gpus=3), 422, "quota_ceiling")
    json_of(patch(scene.owner, work, gpus=2))


def test_running_work_gets_more_time_at_once() -> None:
    scene = a_scene()
    work = a_running(scene)
    at = work.started_at
    assert at is not None

    shown = json_of(patch(scene.owner, work, time_limit_s=2 * HOUR))

    assert shown["ends_at"] is not None
    work.refresh_from_db()
    assert work.time_limit_s == 2 * HOUR
    (known,) = load_snapshot().running
    assert known.ends_at == int((at + timedelta(hours=2)).timestamp() * 1000)
    held = Allocation.objects.get()
    for after, state in ((HOUR + 1, "running"), (2 * HOUR + 1, "stopping")):
        with freeze(at + timedelta(seconds=after)):
            scene.links[0].beat(containers=[running(held)])
            run_sweep(heartbeat=timedelta(seconds=5))
        work.refresh_from_db()
        assert work.state == state
    assert_sound()


def test_of_running_work_nothing_else_changes() -> None:
    scene = a_scene()
    work = a_running(scene)

    problem_of(patch(scene.owner, work, gpus=2), 409, "only_time_limit")
    problem_of(patch(scene.owner, work, priority="high", time_limit_s=7200), 409, "only_time_limit")
    work.refresh_from_db()
    assert work.time_limit_s == HOUR


def test_a_limit_that_has_passed_is_no_way_to_stop() -> None:
    scene = a_scene()
    work = a_running(scene)
    assert work.started_at is not None

    with freeze(work.started_at + timedelta(minutes=30)):
        problem_of(patch(scene.owner, work, time_limit_s=60), 422, "time_limit_passed")
        json_of(patch(scene.owner, work, time_limit_s=2400))


@pytest.mark.parametrize("state", ["stopping", "succeeded", "cancelled"])
def test_ended_work_does_not_change(state: str) -> None:
    scene = a_scene()
    work = scene.work(state=state)

    problem_of(patch(scene.owner, work, time_limit_s=7200), 409, "not_changeable")


def test_work_that_still_holds_devices_keeps_its_size() -> None:
    scene = a_scene()
    work = a_running(scene)
    with transaction.atomic():
        lifecycle.displace_workload(
            lifecycle.lock_workload(work.pk), cause="preempted", grace_s=60, actor=SYSTEM
        )

    problem_of(patch(scene.owner, work, gpus=2), 409, "earlier_attempt_holds")
    json_of(patch(scene.owner, work, time_limit_s=7200))


def test_the_policy_bounds_the_owner_more_than_a_group_admin() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    MemberLimit.objects.create(group=scene.group, user=scene.owner, time_limit_s_max=2 * HOUR)
    GroupLimit.objects.create(group=scene.group, time_limit_s_max=3 * HOUR, extension_s_max=HOUR)
    work = a_running(scene)

    refused = problem_of(
        patch(scene.owner, work, time_limit_s=3 * HOUR), 422, "time_limit_too_long"
    )
    assert refused["params"]["max"] == 2 * HOUR
    json_of(patch(head, work, time_limit_s=4 * HOUR))
    refused = problem_of(patch(head, work, time_limit_s=5 * HOUR), 422, "time_limit_too_long")
    assert refused["params"]["max"] == 4 * HOUR
    json_of(patch(a_user(role="platform_admin"), work, time_limit_s=50 * 24 * HOUR))


def test_a_group_admin_does_not_consent_to_own_work() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    GroupLimit.objects.create(group=scene.group, time_limit_s_max=HOUR)
    work = a_running(scene)
    Workload.objects.filter(pk=work.pk).update(owner=head)

    problem_of(patch(head, work, time_limit_s=2 * HOUR), 422, "time_limit_too_long")


def test_a_budget_bounds_an_extension() -> None:
    scene = a_scene()
    work = a_running(scene, cards=(0, 1))
    Budget.objects.create(group=scene.group, period="month", gpu_hours=5)

    problem_of(patch(scene.owner, work, time_limit_s=3 * HOUR), 422, "quota_budget")
    json_of(patch(scene.owner, work, time_limit_s=2 * HOUR))


def a_promise(scene: Scene, user: User, group: Any) -> Workload:
    """Queue work that needs the whole node, so that a pass reserves a start for it."""
    other = Scene(scene.pool, scene.nodes, group, user, scene.links)
    waiting = other.work(gpus=8)
    run_once()
    assert SchedulerPass.objects.get().reservations
    return waiting


def test_a_promise_to_another_group_is_not_broken_silently() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    work = a_running(scene)
    stranger = a_group()
    a_promise(scene, a_member(stranger), stranger)

    problem_of(patch(scene.owner, work, time_limit_s=2 * HOUR), 409, "would_delay_reservation")
    problem_of(patch(head, work, time_limit_s=2 * HOUR), 409, "would_delay_reservation")
    json_of(patch(scene.owner, work, time_limit_s=HOUR // 2))
    json_of(patch(a_user(role="platform_admin"), work, time_limit_s=2 * HOUR))


def test_a_promise_inside_the_group_is_its_admins_to_move() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    work = a_running(scene)
    a_promise(scene, a_member(scene.group), scene.group)

    problem_of(patch(scene.owner, work, time_limit_s=2 * HOUR), 409, "would_delay_reservation")
    json_of(patch(head, work, time_limit_s=2 * HOUR))


def test_an_extension_that_delays_nothing_is_nobodys_concern() -> None:
    scene = a_scene(nodes=2)
    work = a_running(scene)
    longer = scene.work(gpus=8)
    scene.place(longer, scene.placement(1, cards=tuple(range(8))))
    Workload.objects.filter(pk=longer.pk).update(time_limit_s=10 * HOUR)
    stranger = a_group()
    Scene(scene.pool, scene.nodes, stranger, a_member(stranger)).work(gpus=8, replicas=2)
    run_once()

    json_of(patch(scene.owner, work, time_limit_s=2 * HOUR))


def test_only_those_who_control_the_work_change_it() -> None:
    scene = a_scene()
    work = scene.work(gpus=1)

    problem_of(patch(a_member(scene.group), work, priority="low"), 403, "denied")
    problem_of(patch(a_member(scene.group, "viewer"), work, priority="low"), 403, "denied")
    problem_of(patch(a_member(a_group()), work, priority="low"), 404, "not_found")
    problem_of(patch(a_user(role="operator"), work, priority="low"), 403, "denied")
    json_of(patch(a_member(scene.group, "group_admin"), work, priority="low"))
    client = pipeline(scene.owner, "workload.view")
    answer = client.patch(f"{API}/jobs/{work.pk}", {"priority": "high"}, format="json")
    problem_of(answer, 403, "scope_missing")


def test_roles_have_a_highest_priority() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    GroupLimit.objects.create(group=a_root(), developer_priority_max=0)
    GroupLimit.objects.create(group=scene.group)
    work = scene.work(gpus=1)

    refused = problem_of(patch(scene.owner, work, priority="high"), 422, "priority_too_high")
    assert refused["params"] == {"priority": "normal"}
    json_of(patch(scene.owner, work, priority="low"))
    json_of(patch(head, work, priority="high"))
    json_of(patch(scene.owner, work, priority="high", time_limit_s=1800))  # it has that one already
    MemberLimit.objects.create(group=scene.group, user=head, priority_max=-100)
    json_of(patch(scene.owner, work, priority="normal"))
    problem_of(patch(head, work, priority="high"), 422, "priority_too_high")


@pytest.mark.parametrize("state", ["queued", "running", "suspended", "failed"])
def test_a_name_changes_in_every_state_and_says_so(state: str) -> None:
    scene = a_scene()
    work = scene.work(name="first", state=state)
    assert json_of(patch(scene.owner, work, name="second"))["name"] == "second"
    (event,) = work.events.all()
    assert (event.cause, event.params) == ("renamed", {"before": "first", "after": "second"})


def test_a_task_has_the_name_of_its_array() -> None:
    scene = a_scene()
    array = JobArray.objects.create(
        name="sweep", owner=scene.owner, group=scene.group, indexes="0", size=1
    )
    task = scene.work(name="sweep", array=array, array_index=0, heads_array=True)
    problem_of(patch(scene.owner, task, name="other"), 409, "task_of_array")
