"""Work of people who may not submit any more does not start, whatever it waited for."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DomainError
from portal.identity.models import User, UserKind
from portal.identity.services import update_person
from portal.tenancy import members
from portal.tenancy import services as tenancy
from portal.tenancy.models import Membership
from portal.workloads.models import Allocation, JobArray, Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state import lifecycle
from scheduler.core.cycle import run_cycle
from scheduler.core.model.plan import EvictionCause
from scheduler.runtime.loop import run_once
from tests.builders.at_once import at_once
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.scenes import Scene, a_scene, assert_sound, cancel
from tests.builders.workloads import a_workload
from tests.plans import apply_plan
from tests.portal.workloads.idle.test_idle import a_notebook, parked
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
REASON = "owner_may_not_submit"
SYSTEM = Actor.system("test")


def state_of(work: Workload) -> str:
    work.refresh_from_db()
    return work.state


def why(work: Workload) -> list[str]:
    """Return the reasons that its page gives after a pass."""
    run_once()
    work.refresh_from_db()
    kind = "environments" if work.kind == "environment" else "jobs"
    answer = json_of(browser(a_user(role="auditor")).get(f"{API}/{kind}/{work.pk}"))
    return [reason["code"] for reason in answer["reasons"]]


def leave(scene: Scene) -> None:
    members.remove_member(actor=SYSTEM, group_id=scene.group.pk, user_id=scene.owner.pk)


def come_back(scene: Scene) -> None:
    members.add_member(
        actor=SYSTEM, group_id=scene.group.pk, username=scene.owner.username, role="developer"
    )


def set_active(user: User, *, is_active: bool) -> None:
    user.is_active = is_active
    update_person(user, ["is_active"])


def set_role(scene: Scene, role: str) -> None:
    members.change_member(actor=SYSTEM, group_id=scene.group.pk, user_id=scene.owner.pk, role=role)


def a_robot(scene: Scene) -> None:
    """Let the work of the scene be a robot's."""
    scene.owner = tenancy.create_robot(actor=SYSTEM, group_id=scene.group.pk, name="ci")


def from_above(scene: Scene) -> None:
    """Let the owner have the role in the organisation instead."""
    Membership.objects.filter(user=scene.owner).update(group=a_root())


def as_admin(scene: Scene) -> None:
    """Let the owner be an administrator of the platform instead of a member."""
    Membership.objects.filter(user=scene.owner).delete()
    scene.owner.platform_role = "platform_admin"
    update_person(scene.owner, ["platform_role"])


def as_nobody(scene: Scene) -> None:
    scene.owner.platform_role = "operator"
    update_person(scene.owner, ["platform_role"])


Act = Callable[[Scene], object]
WAYS: dict[str, tuple[Act, Act, Act]] = {
    "removed from the group": (lambda _: None, leave, come_back),
    "deactivated": (
        lambda _: None,
        lambda scene: set_active(scene.owner, is_active=False),
        lambda scene: set_active(scene.owner, is_active=True),
    ),
    "only a viewer": (
        lambda _: None,
        lambda scene: set_role(scene, "viewer"),
        lambda scene: set_role(scene, "group_admin"),
    ),
    "no role above": (
        from_above,
        lambda scene: Membership.objects.filter(user=scene.owner).update(role="viewer"),
        lambda scene: Membership.objects.filter(user=scene.owner).update(role="developer"),
    ),
    "no administrator any more": (as_admin, as_nobody, as_admin),
    "a deactivated robot": (
        a_robot,
        lambda scene: tenancy.set_robot_active(
            actor=SYSTEM, robot_id=scene.owner.pk, is_active=False
        ),
        lambda scene: tenancy.set_robot_active(
            actor=SYSTEM, robot_id=scene.owner.pk, is_active=True
        ),
    ),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_work_waits_without_the_right_and_starts_when_it_returns(way: tuple[Act, Act, Act]) -> None:
    arrive, lose, regain = way
    scene = a_scene()
    arrive(scene)
    work = scene.work(gpus=1)
    lose(scene)

    assert why(work) == [REASON]
    assert state_of(work) == "queued"

    regain(scene)
    run_once()
    assert state_of(work) == "placing"
    assert_sound()


def test_a_role_in_one_group_is_none_in_another() -> None:
    scene = a_scene()
    work = scene.work(gpus=1)
    elsewhere = scene.work(gpus=1)
    other = a_group(members={scene.owner: "group_admin"})
    Workload.objects.filter(pk=elsewhere.pk).update(group=other)
    leave(scene)

    run_once()

    assert (state_of(work), state_of(elsewhere)) == ("queued", "placing")


def begin_time(scene: Scene, work: Workload) -> None:
    Workload.objects.filter(pk=work.pk).update(not_before=now() - timedelta(seconds=1))


def released_hold(scene: Scene, work: Workload) -> None:
    Workload.objects.filter(pk=work.pk).update(held_by="user")
    head = browser(a_member(scene.group, "group_admin"))
    leave(scene)
    json_of(head.post(f"{API}/jobs/{work.pk}/release", {}, format="json"), 202)


def evicted(scene: Scene, work: Workload) -> None:
    Workload.objects.filter(pk=work.pk).update(preemptible=True)
    scene.place(work, scene.placement(cards=(0,)))
    lifecycle.evict_workload(
        workload_id=str(work.pk),  # type: ignore[arg-type]
        version=work.version,
        cause=EvictionCause.RECLAIMED,
        beneficiary=None,
        grace_s=0,
    )


def requeued(scene: Scene, work: Workload) -> None:
    scene.place(work, scene.placement(cards=(0,)))
    head = browser(a_member(scene.group, "group_admin"))
    json_of(head.post(f"{API}/jobs/{work.pk}/requeue", {}, format="json"), 202)


def failed_once(scene: Scene, work: Workload) -> None:
    Workload.objects.filter(pk=work.pk).update(retry_at=now() - timedelta(seconds=1), retries=1)


def tasks(scene: Scene, work: Workload) -> None:
    array = JobArray.objects.create(
        name="sweep", owner=scene.owner, group=scene.group, indexes="0-1", size=2
    )
    Workload.objects.filter(pk=work.pk).update(array=array, array_index=0, heads_array=True)
    a_workload(scene.owner, scene.group, scene.pool, array=array, array_index=1)


def notebook(scene: Scene, work: Workload) -> None:
    Workload.objects.filter(pk=work.pk).update(kind="environment")


def more_time(scene: Scene, work: Workload) -> None:
    """Grant it more, as an approved request does."""
    admin = browser(a_user(role="platform_admin"))
    leave(scene)
    json_of(admin.patch(f"{API}/jobs/{work.pk}", {"time_limit_s": 7200}, format="json"))


WAITED: list[Callable[[Scene, Workload], None]] = [
    *(begin_time, released_hold, evicted, requeued, failed_once, tasks, notebook, more_time),
]


@pytest.mark.parametrize("wait", WAITED, ids=lambda wait: wait.__name__)
def test_it_does_not_start_whatever_it_waited_for(wait: Callable[[Scene, Workload], None]) -> None:
    scene = a_scene()
    work = scene.work(gpus=1)
    wait(scene, work)
    Membership.objects.filter(user=scene.owner).delete()

    run_once()

    assert not Allocation.objects.filter(state__in=["reserved", "bound"]).exists()
    assert REASON in why(work)
    come_back(scene)
    run_once()
    assert set(Workload.objects.values_list("state", flat=True)) == {"placing"}
    assert_sound()


def test_work_that_waits_for_another_does_not_start_when_that_ends() -> None:
    scene = a_scene()
    client = browser(scene.owner)
    image = an_image("python").name
    body = {"group": scene.group.name, "pool": scene.pool.name, "image": image, "cpu_milli": 100}
    body |= {"memory_mib": 64, "command": ["true"]}
    first = json_of(client.post(f"{API}/jobs", body | {"name": "first"}, format="json"), 202)
    after = {"dependencies": [{"id": first["id"], "type": "after_any"}]}
    second = json_of(
        client.post(f"{API}/jobs", body | after | {"name": "second"}, format="json"), 202
    )
    leave(scene)
    cancel(Workload.objects.get(pk=first["id"]))

    assert why(Workload.objects.get(pk=second["id"])) == [REASON]


def test_a_plan_from_before_is_refused_at_its_commit() -> None:
    scene = a_scene()
    stays = a_member(scene.group)
    work, other = scene.work(gpus=1), a_workload(stays, scene.group, scene.pool, gpus=1)
    snapshot = load_snapshot()
    plan = run_cycle(snapshot, snapshot.taken_at)
    assert len(plan.starts) == 2
    leave(scene)

    applied = apply_plan(plan, snapshot)

    assert applied.refused == {str(work.pk)}
    assert (state_of(work), state_of(other)) == ("queued", "placing")
    assert_sound()


@pytest.mark.parametrize("way", ["removed", "deactivated"])
def test_nothing_starts_once_the_right_is_gone_however_close_the_race(way: str) -> None:
    scene = a_scene(nodes=4)
    works = [scene.work(gpus=1) for _ in range(24)]
    started_by_then = []

    def act(number: int) -> str:
        if number == 12:
            leave(scene) if way == "removed" else set_active(scene.owner, is_active=False)
            started_by_then.append(Allocation.objects.count())
            return "gone"
        try:
            scene.place(works[number], scene.placement(number // 8, cards=(number % 8,)))
        except DomainError as error:
            return error.code
        return "started"

    outcomes = at_once(24, act)

    assert set(outcomes) <= {"gone", "started", REASON}
    assert Allocation.objects.count() == outcomes.count("started") == started_by_then[0]
    assert_sound()


def test_a_notebook_of_somebody_who_left_is_not_started_again() -> None:
    scene = a_scene()
    notebook = scene.work(kind="environment", state="suspended")
    head = browser(a_member(scene.group, "group_admin"))
    leave(scene)

    refused = head.post(f"{API}/environments/{notebook.pk}/start")
    problem_of(refused, 409, "owner_may_not_start")

    come_back(scene)
    json_of(head.post(f"{API}/environments/{notebook.pk}/start"), 202)
    run_once()
    assert state_of(notebook) == "placing"


def test_a_parked_notebook_of_somebody_who_left_gets_no_cards_back() -> None:
    notebook = a_notebook()
    parked(notebook)
    notebook.s += 100
    notebook.use()
    notebook.beat()
    with notebook.at():
        snapshot = load_snapshot()
        plan = run_cycle(snapshot, snapshot.taken_at)
        assert len(plan.starts) == 1
        Membership.objects.all().delete()
        applied = apply_plan(plan, snapshot)
        assert len(applied.refused) == 1
        run_once()
    assert notebook.row.gpu_state == "requested"
    with notebook.at():
        Membership.objects.create(
            user=notebook.scene.owner, group=notebook.scene.group, role="developer"
        )
        run_once()
    assert notebook.row.gpu_state == "restoring"


def test_a_robot_is_deactivated_by_heads_of_its_group_only() -> None:
    group = a_group()
    robot = tenancy.create_robot(actor=SYSTEM, group_id=group.pk, name="ci")
    address, off = f"{API}/robots/{robot.pk}", {"is_active": False}

    shown = browser(a_member(group, "group_admin")).patch(address, off, format="json")
    assert json_of(shown)["is_active"] is False
    robot.refresh_from_db()
    assert (robot.is_active, robot.kind) == (False, UserKind.ROBOT)
    problem_of(browser(a_member(group)).patch(address, off, format="json"), 403, "denied")
    elsewhere = browser(a_member(a_group(), "group_admin"))
    problem_of(elsewhere.patch(address, off, format="json"), 404, "not_found")
    person = f"{API}/robots/{a_user().pk}"
    admin = browser(a_user(role="platform_admin"))
    problem_of(admin.patch(person, off, format="json"), 404, "not_found")
