"""Hold, release, requeue, begin times and dependencies, by the API and the sweep."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.common.ids import new_id
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Dependency, Workload, WorkloadEvent
from portal.workloads.sweep import run_sweep
from scheduler.core.model.states import WorkloadState
from scheduler.runtime.loop import run_once
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.builders.workloads import a_workload
from tests.rest import browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    an_image("python")
    return a_scene()


def a_job(scene: Scene, **changes: object) -> dict[str, object]:
    return {
        "name": "train",
        "group": str(scene.group.pk),
        "pool": scene.pool.name,
        "image": "python",
        "command": ["true"],
        "gpus": 1,
        "cpu_milli": 100,
        "memory_mib": 64,
        **changes,
    }


def submit(client: APIClient, scene: Scene, **changes: object) -> Any:
    return client.post("/api/v1/jobs", a_job(scene, **changes), format="json")


def submitted(client: APIClient, scene: Scene, **changes: object) -> Workload:
    answer = submit(client, scene, **changes)
    assert answer.status_code == 202, answer.json()
    return Workload.objects.get(pk=answer.json()["id"])


def act(client: APIClient, work: Workload, verb: str) -> Any:
    return client.post(f"/api/v1/jobs/{work.pk}/{verb}", {}, format="json")


def reasons(client: APIClient, work: Workload) -> list[dict[str, Any]]:
    """Return why a job waits, after a pass of the scheduler."""
    run_once()
    answer = client.get(f"/api/v1/jobs/{work.pk}").json()
    return answer["reasons"] if answer["state"] == "queued" else []


def run_to(work: Workload, state: str) -> None:
    """Walk a queued job through its states."""
    for step in ("placing", "starting", "running", "stopping", state):
        column = "started_at" if step == "running" else "finished_at" if step == state else ""
        moment = {column: now()} if column else {}
        Workload.objects.filter(pk=work.pk).update(state=step, **moment)
        if step == state:
            return


def sweep() -> None:
    run_sweep(heartbeat=timedelta(seconds=5))


def state_of(work: Workload) -> str:
    work.refresh_from_db()
    return work.state


def test_held_work_waits_until_it_is_released(scene: Scene) -> None:
    client = browser(scene.owner)
    work = submitted(client, scene, held=True)
    assert client.get(f"/api/v1/jobs/{work.pk}").json()["held_by"] == "user"

    assert reasons(client, work) == [{"code": "held_by_user", "params": {}}]
    assert act(client, work, "release").status_code == 202
    run_once()

    assert state_of(work) == "placing"
    assert list(WorkloadEvent.objects.filter(workload=work, cause="released")) != []
    assert_sound()


def test_queued_work_can_be_held_later(scene: Scene) -> None:
    client = browser(scene.owner)
    work = submitted(client, scene)

    answer = act(client, work, "hold")

    assert (answer.status_code, answer.json()["held_by"]) == (202, "user")
    run_once()
    assert state_of(work) == "queued"
    assert AuditEvent.objects.filter(action="job.hold", object_id=str(work.pk)).exists()


ACTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "held": ("post", "/hold", {}),
    "pool": ("patch", "", {"pool": "another"}),
    "size": ("patch", "", {"gpus": 5}),
    "priority": ("patch", "", {"priority": "low"}),
    "cancelled": ("post", "/cancel", {}),
}


@pytest.mark.parametrize("act_name", ACTS)
def test_what_the_last_pass_said_ends_with_what_changes_it(scene: Scene, act_name: str) -> None:
    client = browser(scene.owner)
    a_node(a_pool("another"))
    for _ in range(3):
        submitted(client, scene, gpus=4)
    work = Workload.objects.order_by("submitted_at").last()
    assert work is not None
    assert reasons(client, work)[0]["code"] == "insufficient_now"
    verb, path, body = ACTS[act_name]

    answer = getattr(client, verb)(f"/api/v1/jobs/{work.pk}{path}", body, format="json")

    assert answer.status_code in {200, 202}, answer.json()
    for row in (answer.json(), client.get(f"/api/v1/jobs/{work.pk}").json()):
        assert (row["reasons"], row["position"], row["expected_start"]) == ([], None, None)
        assert row["reservation"] is None
    listed = client.get("/api/v1/workloads?state=queued").json()["results"]
    assert not any(row["reasons"] for row in listed if row["id"] == str(work.pk))
    board = client.get(f"/api/v1/pools/{scene.pool.pk}/queue").json()
    assert str(work.pk) not in json.dumps(board)


def test_what_the_last_pass_said_of_held_work_ends_with_its_release(scene: Scene) -> None:
    client = browser(scene.owner)
    work = submitted(client, scene, held=True)
    assert reasons(client, work) == [{"code": "held_by_user", "params": {}}]

    released = act(client, work, "release")

    assert (released.json()["reasons"], released.json()["position"]) == ([], None)


def test_only_queued_work_is_held(scene: Scene) -> None:
    client = browser(scene.owner)
    work = submitted(client, scene)
    run_once()

    answer = act(client, work, "hold")

    assert (answer.status_code, answer.json()["code"]) == (409, "not_queued")


@pytest.mark.parametrize(
    ("holder", "releaser", "may"),
    [
        ("operator", "owner", False),
        ("operator", "group_admin", False),
        ("group_admin", "owner", False),
        ("group_admin", "operator", True),
        ("group_admin", "group_admin", True),
        ("owner", "group_admin", True),
        ("owner", "operator", True),
    ],
)
def test_a_hold_is_released_by_the_same_or_a_stronger_right(
    scene: Scene, holder: str, releaser: str, may: bool
) -> None:
    people = {
        "owner": browser(scene.owner),
        "group_admin": browser(a_member(scene.group, role="group_admin")),
        "operator": browser(a_user(role="operator")),
    }
    work = submitted(people["owner"], scene)
    assert act(people[holder], work, "hold").status_code == 202
    expected = "held_by_user" if holder == "owner" else f"held_by_{holder}"
    assert reasons(people["owner"], work)[0]["code"] == expected

    answer = act(people[releaser], work, "release")

    work.refresh_from_db()
    assert (answer.status_code, work.held_by == "") == (202 if may else 403, may)
    if not may:
        assert answer.json()["code"] == "held_by_other"
        assert answer.json()["params"] == {"by": holder}


def test_a_weaker_hold_does_not_replace_a_stronger_one(scene: Scene) -> None:
    client = browser(scene.owner)
    work = submitted(client, scene)
    act(browser(a_user(role="operator")), work, "hold")

    answer = act(client, work, "hold")

    assert (answer.status_code, answer.json()["held_by"]) == (202, "operator")


def test_others_may_neither_hold_nor_requeue(scene: Scene) -> None:
    client = browser(scene.owner)
    work = submitted(client, scene)
    colleague = browser(a_member(scene.group))
    stranger = browser(a_member(a_group("elsewhere")))

    for verb in ("hold", "release", "requeue"):
        assert act(colleague, work, verb).status_code == 403
        assert act(stranger, work, verb).status_code == 404


def test_requeued_work_keeps_its_id_and_age(scene: Scene) -> None:
    client = browser(scene.owner)
    work = submitted(client, scene)
    scene.place(work, scene.placement(cards=(0,)))
    before = Workload.objects.get(pk=work.pk)

    answer = act(client, work, "requeue")

    assert answer.status_code == 202, answer.json()
    after = Workload.objects.get(pk=work.pk)
    assert (after.state, after.cause, after.epoch) == ("queued", "requeued", before.epoch)
    assert (after.submitted_at, after.retries, after.evictions) == (before.submitted_at, 0, 0)
    assert scene.held(after) == []  # no node was sent it: released at once
    run_once()
    after.refresh_from_db()
    assert (after.state, after.epoch) == ("placing", before.epoch + 1)
    assert_sound()


def test_only_what_runs_and_may_run_twice_is_requeued(scene: Scene) -> None:
    client = browser(scene.owner)
    waiting = submitted(client, scene, held=True)
    once = submitted(client, scene, restart={"rule": "never"})
    scene.place(once, scene.placement(cards=(0,)))

    refused = [act(client, work, "requeue") for work in (waiting, once)]

    assert [(a.status_code, a.json()["code"]) for a in refused] == [
        (409, "not_running"),
        (409, "must_not_repeat"),
    ]


def test_work_begins_no_earlier_than_asked_for(scene: Scene) -> None:
    client = browser(scene.owner)
    begins = now() + timedelta(hours=2)
    work = submitted(client, scene, not_before=begins.isoformat())

    (reason,) = reasons(client, work)

    assert reason == {
        "code": "waiting_for_begin_time",
        "params": {"begins_at": int(begins.timestamp() * 1000)},
    }
    expected = client.get(f"/api/v1/jobs/{work.pk}").json()["expected_start"]
    assert abs(datetime.fromisoformat(expected["earliest"]) - begins) < timedelta(minutes=2)
    Workload.objects.filter(pk=work.pk).update(not_before=now() - timedelta(seconds=1))
    run_once()
    assert state_of(work) == "placing"


def test_a_begin_time_is_bounded(scene: Scene) -> None:
    answer = submit(
        browser(scene.owner), scene, not_before=(now() + timedelta(days=400)).isoformat()
    )

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "too_far")


@pytest.mark.parametrize(
    ("kind", "open_until", "code"),
    [
        ("after", "running", "dependency_not_started"),
        ("after_ok", "succeeded", "dependency_not_succeeded"),
        ("after_any", "failed", "dependency_not_ended"),
        ("after_any", "succeeded", "dependency_not_ended"),
    ],
)
def test_work_waits_for_what_it_depends_on(
    scene: Scene, kind: str, open_until: str, code: str
) -> None:
    client = browser(scene.owner)
    first = submitted(client, scene, held=True)
    second = submitted(client, scene, dependencies=[{"type": kind, "id": str(first.pk)}])

    assert reasons(client, second) == [{"code": code, "params": {"jobs": 1}}]
    shown = client.get(f"/api/v1/jobs/{second.pk}").json()["dependencies"]
    assert shown == [
        {
            "type": kind,
            "id": str(first.pk),
            "is_array": False,
            "name": "train",
            "is_satisfied": False,
        }
    ]
    run_to(first, open_until)
    run_once()

    assert state_of(second) == "placing"
    sweep()
    assert Dependency.objects.filter(settled_at=None).count() == 0


def test_what_waits_for_a_success_that_cannot_come_is_cancelled(scene: Scene) -> None:
    client = browser(scene.owner)
    first = submitted(client, scene, held=True)
    second = submitted(client, scene, dependencies=[{"type": "after_ok", "id": str(first.pk)}])
    third = submitted(client, scene, dependencies=[{"type": "after_ok", "id": str(second.pk)}])
    run_to(first, "failed")

    sweep()
    sweep()

    assert (state_of(second), second.cause) == ("cancelled", "dependency_never_satisfied")
    assert second.cause_params == {"job": str(first.pk)}
    assert state_of(third) == "cancelled"
    assert Dependency.objects.filter(settled_at=None).count() == 0


def test_what_can_never_succeed_any_more_is_refused_at_once(scene: Scene) -> None:
    client = browser(scene.owner)
    first = submitted(client, scene, held=True)
    run_to(first, "failed")

    answer = submit(client, scene, dependencies=[{"type": "after_ok", "id": str(first.pk)}])

    assert (answer.status_code, answer.json()["code"]) == (422, "dependency_never_satisfied")
    assert (
        submit(client, scene, dependencies=[{"type": "after_any", "id": str(first.pk)}]).status_code
        == 202
    )


def test_only_what_the_actor_sees_can_be_named(scene: Scene) -> None:
    elsewhere = a_group("elsewhere")
    stranger = a_member(elsewhere)
    theirs = a_workload(stranger, elsewhere, scene.pool)
    client = browser(scene.owner)

    for key in (theirs.pk, new_id()):
        answer = submit(client, scene, dependencies=[{"type": "after", "id": str(key)}])
        assert (answer.status_code, answer.json()["code"]) == (422, "unknown_dependency")


def test_the_number_of_dependencies_is_bounded(scene: Scene) -> None:
    asked = [{"type": "after", "id": str(new_id())} for _ in range(65)]

    answer = submit(browser(scene.owner), scene, dependencies=asked)

    assert answer.status_code == 400


def test_a_dry_run_knows_the_begin_time(scene: Scene) -> None:
    body = a_job(scene, kind="training", not_before=(now() + timedelta(hours=1)).isoformat())
    body = {name: value for name, value in body.items() if name not in ("name", "command")}

    answer = browser(scene.owner).post("/api/v1/workloads/dry-run", body, format="json").json()

    assert answer["verdict"] == "waits"
    assert [reason["code"] for reason in answer["reasons"]] == ["waiting_for_begin_time"]
    assert answer["expected_start"] is not None


def test_a_hold_that_comes_between_plan_and_commit_wins(scene: Scene) -> None:
    work = scene.work()
    Workload.objects.filter(pk=work.pk).update(held_by="user")

    with pytest.raises(PlacementRefusedError) as refused:
        scene.place(work, scene.placement())

    assert refused.value.code == "held_by_user"
    assert WorkloadState(state_of(work)) is WorkloadState.QUEUED
