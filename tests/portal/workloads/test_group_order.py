"""Admins of a group order its own waiting work; work of other groups keeps its places."""

from datetime import timedelta
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.identity.models import User
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.ordering.fair_share_state import FairShareState
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.runtime.loop import run_once
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.scenes import Scene, a_scene, cancel
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene(cards=1)


@pytest.fixture
def head(scene: Scene) -> User:
    return a_member(scene.group, "group_admin")


def put(user: User, work: Workload, place: str) -> Any:
    return browser(user).post(f"{API}/workloads/{work.pk}/place", {"place": place}, format="json")


def three(scene: Scene) -> list[Workload]:
    """Save three jobs of the group, a minute after each other."""
    started, found = now(), []
    for minutes in range(3):
        with freeze(started + timedelta(minutes=minutes)):
            found.append(scene.work(gpus=1))
    return found


def line() -> list[str]:
    snapshot = load_snapshot()
    return [
        work.id for work in sort_queue(snapshot.pending, FairShareState.from_snapshot(snapshot))
    ]


def ids(*work: Workload) -> list[str]:
    return [str(each.pk) for each in work]


def test_the_head_puts_work_first_last_and_back(scene: Scene, head: User) -> None:
    one, two, three_ = three(scene)
    assert line() == ids(one, two, three_)

    assert json_of(put(head, three_, "first"), 202)["id"] == str(three_.pk)
    assert line() == ids(three_, one, two)
    json_of(put(head, two, "first"), 202)
    assert line() == ids(two, three_, one)
    json_of(put(head, three_, "last"), 202)
    assert line() == ids(two, one, three_)
    for work in (two, three_):
        json_of(put(head, work, "usual"), 202)
    json_of(put(head, one, "usual"), 202)
    assert line() == ids(one, two, three_)

    acts = AuditEvent.objects.filter(action="workload.order").order_by("id")
    said = [act.params["place"] for act in acts]
    assert said == ["first", "first", "last", "usual", "usual"]
    causes = two.events.order_by("id").values_list("cause", flat=True)
    assert list(causes)[-2:] == ["placed_first", "placed_usual"]


def test_the_engine_starts_what_was_put_first_and_others_keep_their_turn(
    scene: Scene, head: User
) -> None:
    other = a_group()
    member = a_member(other)
    before = a_workload(member, other, scene.pool, gpus=1)
    one, two, late = three(scene)
    places = [each == str(before.pk) for each in line()]

    json_of(put(head, late, "first"), 202)

    assert [each == str(before.pk) for each in line()] == places
    cancel(before)
    run_once()
    late.refresh_from_db()
    assert late.state == "placing"
    assert set(Workload.objects.filter(state="queued")) == {one, two}


def test_priority_goes_before_the_place(scene: Scene, head: User) -> None:
    one, urgent, late = three(scene)
    Workload.objects.filter(pk=urgent.pk).update(priority=100)
    json_of(put(head, late, "first"), 202)
    assert line() == ids(urgent, late, one)


def test_all_tasks_of_an_array_go_together(scene: Scene, head: User) -> None:
    an_image("python")
    alone = scene.work(gpus=1)
    body = {
        "name": "sweep",
        "image": "python",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "command": ["true"],
        "gpus": 1,
        "cpu_milli": 100,
        "memory_mib": 64,
        "array": "0-2",
    }
    made = json_of(browser(scene.owner).post(f"{API}/job-arrays", body, format="json"), 202)
    tasks = list(Workload.objects.filter(array=made["id"]).order_by("array_index"))
    assert line()[0] == str(alone.pk)
    json_of(put(head, tasks[1], "first"), 202)
    assert line()[-1] == str(alone.pk)


def test_who_may_and_when(scene: Scene, head: User) -> None:
    one, *_ = three(scene)
    for user in (scene.owner, a_member(scene.group), a_member(scene.group, "viewer")):
        problem_of(put(user, one, "first"), 403, "denied")
    problem_of(put(a_user(role="auditor"), one, "first"), 403, "denied")
    problem_of(put(a_member(a_group(), "group_admin"), one, "first"), 404, "not_found")
    problem_of(put(head, one, "second"), 400, "invalid_input")
    for user in (a_member(a_root(), "group_admin"), a_user(role="operator")):
        json_of(put(user, one, "last"), 202)
    cancel(one)
    problem_of(put(head, one, "first"), 409, "not_queued")
