"""Ended work is deleted with its folders, and what it used stays counted."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.identity.models import User
from portal.metering.models import WorkStart
from portal.metering.services import update_usage
from portal.quotas.models import GroupLimit
from portal.workloads.models import Dependency, JobArray, Workload, WorkloadEvent
from portal.workloads.retention import RetainedFolder, remove_expired_folders
from tests.builders.machines import a_node
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.scenes import Scene, a_scene
from tests.builders.workloads import an_allocation
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def an_ended(scene: Scene, state: str = "succeeded", **asked: Any) -> Workload:
    ended = now()
    started = ended - timedelta(hours=1)
    work = scene.work(state=state, **asked)
    Workload.objects.filter(pk=work.pk).update(started_at=started, finished_at=ended)
    return work


def delete(user: User, work: Workload) -> Any:
    return browser(user).delete(f"{API}/workloads/{work.pk}")


def listed(user: User) -> set[str]:
    return {row["id"] for row in json_of(browser(user).get(f"{API}/workloads"))["results"]}


@pytest.mark.parametrize(
    ("kind", "state"),
    [("training", "failed"), ("training", "cancelled"), ("environment", "cancelled")],
)
def test_deleted_work_is_nowhere_and_stays_counted(kind: str, state: str) -> None:
    scene = a_scene()
    work, other = an_ended(scene, state, kind=kind), an_ended(scene)
    update_usage()
    started = WorkStart.objects.count()
    events = WorkloadEvent.objects.count()

    assert delete(scene.owner, work).status_code == 204

    assert listed(scene.owner) == {str(other.pk)}
    for gone in (f"{API}/workloads/{work.pk}", f"{API}/workloads/{work.pk}/events"):
        assert browser(scene.owner).get(gone).status_code == 404
    assert delete(scene.owner, work).status_code == 404
    update_usage()
    assert (WorkStart.objects.count(), WorkloadEvent.objects.count()) == (started, events)
    act = AuditEvent.objects.get(action="workload.remove")
    assert (act.object_id, act.params["name"]) == (str(work.pk), work.name)


@pytest.mark.parametrize("state", ["queued", "running", "stopping", "suspended"])
def test_only_ended_work_is_deleted(state: str) -> None:
    scene = a_scene()
    work = scene.work(state=state)
    problem_of(delete(scene.owner, work), 409, "not_ended")
    assert listed(scene.owner) == {str(work.pk)}


def test_what_a_node_may_still_hold_is_not_deleted() -> None:
    scene = a_scene()
    work = an_ended(scene, "failed")
    an_allocation(work, a_node(scene.pool))
    problem_of(delete(scene.owner, work), 409, "still_on_node")


def test_what_waiting_work_needs_is_not_deleted() -> None:
    scene = a_scene()
    made = an_ended(scene)
    first, waits = an_ended(scene), scene.work()
    reads = scene.work(files=[f"input:{made.pk}"])
    Dependency.objects.create(workload=waits, on_workload=first, type="after_ok")
    for needed in (made, first):
        problem_of(delete(scene.owner, needed), 409, "outputs_needed")
    Workload.objects.filter(pk__in=[waits.pk, reads.pk]).update(state="cancelled")
    for needed in (made, first):
        assert delete(scene.owner, needed).status_code == 204


def test_nobody_else_deletes_it_but_an_admin_of_the_group() -> None:
    scene = a_scene()
    work = an_ended(scene)
    assert delete(a_member(scene.group), work).status_code == 403
    assert delete(a_member(a_group()), work).status_code == 404
    assert delete(a_member(scene.group, "group_admin"), work).status_code == 204


def test_deleted_outputs_go_with_the_next_tidying_and_others_stay(tmp_path: Path) -> None:
    scene = a_scene()
    deleted, kept = an_ended(scene), an_ended(scene)
    for work in (deleted, kept):
        (tmp_path / "outputs" / str(work.pk)).mkdir(parents=True)
    outputs = RetainedFolder("outputs", timedelta(days=90))
    assert remove_expired_folders(tmp_path, [outputs]) == 0
    delete(scene.owner, deleted)
    assert remove_expired_folders(tmp_path, [outputs]) == 1
    assert [entry.name for entry in (tmp_path / "outputs").iterdir()] == [str(kept.pk)]


def an_array(scene: Scene, *states: str) -> JobArray:
    array = JobArray.objects.create(
        name="sweep", owner=scene.owner, group=scene.group, indexes="0-9", size=len(states)
    )
    for index, state in enumerate(states):
        scene.work(
            state=state, array=array, array_index=index, heads_array=index == 0, name="sweep"
        )
    return array


def test_an_array_is_deleted_as_a_whole_when_every_task_has_ended() -> None:
    scene = a_scene()
    array, client = an_array(scene, "succeeded", "running"), browser(scene.owner)
    path = f"{API}/job-arrays/{array.pk}"
    problem_of(client.delete(path), 409, "not_ended")
    first, last = array.tasks.order_by("array_index")
    problem_of(delete(scene.owner, first), 409, "task_of_array")
    Workload.objects.filter(pk=last.pk).update(state="failed")
    (row,) = json_of(client.get(f"{API}/workloads?collapsed=true"))["results"]
    assert row["actions"] == ["remove"]

    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == 404
    assert listed(scene.owner) == set()


def test_the_waiting_tasks_of_an_array_change_together() -> None:
    scene = a_scene()
    array, client = (
        an_array(scene, "running", "queued", "queued"),
        browser(a_user(role="platform_admin")),
    )
    path = f"{API}/job-arrays/{array.pk}"
    shown = json_of(
        client.patch(path, {"name": "night", "running_max": 1, "priority": "high"}, format="json")
    )
    assert (shown["name"], shown["running_max"]) == ("night", 1)
    tasks = array.tasks.order_by("array_index")
    assert [(task.name, task.priority) for task in tasks] == [
        ("night", 0),
        ("night", tasks[1].priority),
        ("night", tasks[1].priority),
    ]
    assert tasks[1].priority > 0
    changed = WorkloadEvent.objects.filter(cause="priority_changed")
    assert changed.count() == 2
    client.patch(path, {"priority": "high"}, format="json")
    assert changed.count() == 2


def test_an_array_is_not_raised_above_what_its_owner_may_give() -> None:
    scene = a_scene()
    GroupLimit.objects.create(group=a_root(), developer_priority_max=0)
    array = an_array(scene, "queued")
    path = f"{API}/job-arrays/{array.pk}"
    problem_of(
        browser(scene.owner).patch(path, {"priority": "high"}, format="json"),
        422,
        "priority_too_high",
    )
    assert array.tasks.get().priority == 0
