"""Job arrays, by the API, the scheduler and the sweep."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.common.clock import now
from portal.quotas.models import GroupLimit
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import JobArray, Workload, WorkloadEvent
from portal.workloads.sweep import run_sweep
from scheduler.runtime.loop import run_once
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.rest import browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    an_image("python")
    return a_scene()


def an_array(scene: Scene, array: str, **changes: object) -> dict[str, object]:
    return {
        "name": "sweep",
        "group": str(scene.group.pk),
        "pool": scene.pool.name,
        "image": "python",
        "command": ["true"],
        "gpus": 1,
        "cpu_milli": 100,
        "memory_mib": 64,
        "array": array,
        **changes,
    }


def submit(
    client: APIClient, scene: Scene, array: str, key: str | None = None, **changes: Any
) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    body = an_array(scene, array, **changes)
    return client.post("/api/v1/job-arrays", body, format="json", headers=headers)


def submitted(client: APIClient, scene: Scene, array: str, **changes: Any) -> JobArray:
    answer = submit(client, scene, array, **changes)
    assert answer.status_code == 202, answer.json()
    return JobArray.objects.get(pk=answer.json()["id"])


def act(client: APIClient, array: JobArray, verb: str) -> Any:
    return client.post(f"/api/v1/job-arrays/{array.pk}/{verb}", {}, format="json")


def states(array: JobArray) -> dict[str, int]:
    return dict(Counter(array.tasks.values_list("state", flat=True)))


def test_one_request_queues_a_job_for_each_index(scene: Scene) -> None:
    client = browser(scene.owner)

    answer = submit(client, scene, "0-8:2,20%3")

    shown = answer.json()
    assert (shown["indexes"], shown["size"], shown["running_max"]) == ("0-8:2,20", 6, 3)
    assert (shown["states"], answer["Location"]) == (
        {"queued": 6},
        f"/api/v1/job-arrays/{shown['id']}",
    )
    tasks = Workload.objects.filter(array=shown["id"]).order_by("id")
    assert [task.array_index for task in tasks] == [0, 2, 4, 6, 8, 20]
    assert str(tasks[0].pk) == shown["head_id"]
    assert {(task.spec["command"][0], task.version) for task in tasks} == {("true", 0)}
    assert WorkloadEvent.objects.filter(workload__array=shown["id"]).count() == 6
    task = client.get(f"/api/v1/jobs/{tasks[1].pk}").json()
    assert (task["array_id"], task["array_index"]) == (shown["id"], 2)
    assert task["array"]["size"] == 6
    assert_sound()


def test_a_repetition_with_the_same_key_queues_nothing_more(scene: Scene) -> None:
    client = browser(scene.owner)

    first, second = (submit(client, scene, "0-99", key="nightly") for _ in range(2))

    assert first.json() == second.json()
    assert second["Idempotent-Replayed"] == "true"
    assert Workload.objects.count() == 100


def test_every_task_counts_as_queued_work(scene: Scene) -> None:
    GroupLimit.objects.create(group=scene.group, pending_per_user_max=10)
    client = browser(scene.owner)
    submitted(client, scene, "0-5")

    refused = submit(client, scene, "0-4")

    assert (refused.status_code, refused.json()["code"]) == (409, "array_over_pending")
    assert refused.json()["params"] == {"tasks": 5, "limit": 10, "used": 6}
    assert submit(client, scene, "0-3").status_code == 202


def test_programs_of_all_tasks_together_are_bounded(scene: Scene) -> None:
    answer = submit(browser(scene.owner), scene, "0-9999", command=["true", "x" * 8000])

    assert (answer.status_code, answer.json()["code"]) == (422, "array_program_too_large")


@pytest.mark.parametrize("array", ["", "x", "5-3", "0-10000", "0-9%0"])
def test_malformed_indexes_name_their_field(scene: Scene, array: str) -> None:
    answer = submit(browser(scene.owner), scene, array)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == "/array"


def test_a_list_shows_an_array_as_one_row_with_counts(scene: Scene) -> None:
    client = browser(scene.owner)
    array = submitted(client, scene, "0-9")
    scene.work()
    run_once()  # 8 cards

    rows = client.get("/api/v1/jobs?collapsed=true").json()["results"]

    assert len(rows) == 2
    (row,) = [row for row in rows if row["array_id"]]
    assert (row["array"]["id"], row["array"]["size"]) == (str(array.pk), 10)
    assert sum(row["array"]["states"].values()) == 10
    assert len(client.get(f"/api/v1/jobs?array={array.pk}").json()["results"]) == 10
    placed = client.get("/api/v1/jobs?collapsed=true&state=placing").json()["results"]
    assert str(array.pk) in {row["array_id"] for row in placed}
    ended = client.get("/api/v1/jobs?collapsed=true&active=false").json()["results"]
    assert ended == []


def test_a_list_of_many_arrays_costs_as_many_queries_as_one(
    scene: Scene, django_assert_max_num_queries: Any
) -> None:
    client = browser(scene.owner)
    for _ in range(5):
        submitted(client, scene, "0-20", held=True)
    client.get("/api/v1/jobs?collapsed=true")

    with django_assert_max_num_queries(16):
        rows = client.get("/api/v1/jobs?collapsed=true").json()["results"]

    assert [row["array"]["states"] for row in rows] == [{"queued": 21}] * 5


def test_no_more_tasks_run_at_once_than_the_array_allows(scene: Scene) -> None:
    client = browser(scene.owner)
    array = submitted(client, scene, "0-9%3")

    run_once()

    assert states(array) == {"placing": 3, "queued": 7}
    waiting = array.tasks.filter(state="queued").order_by("id").first()
    assert waiting is not None
    answer = client.get(f"/api/v1/jobs/{waiting.pk}").json()
    assert answer["reasons"] == [{"code": "array_task_limit", "params": {"used": 3, "limit": 3}}]
    assert_sound()


def test_the_limit_is_checked_again_at_commit(scene: Scene) -> None:
    array = submitted(browser(scene.owner), scene, "0-3%1")
    first, second = array.tasks.order_by("id")[:2]
    scene.place(first, scene.placement(cards=(0,)))

    with pytest.raises(PlacementRefusedError) as refused:
        scene.place(second, scene.placement(cards=(1,)))

    assert (refused.value.code, refused.value.params) == (
        "array_task_limit",
        {"used": 1, "limit": 1},
    )


def test_one_call_cancels_what_is_queued_and_what_runs(scene: Scene) -> None:
    client = browser(scene.owner)
    array = submitted(client, scene, "0-9")
    run_once()
    assert states(array)["placing"] == 8

    answer = act(client, array, "cancel")

    assert answer.status_code == 202
    assert answer.json()["states"] == {"cancelled": 10}
    assert_sound()
    assert act(client, array, "cancel").status_code == 202


def test_one_call_holds_and_releases_every_queued_task(scene: Scene) -> None:
    client = browser(scene.owner)
    operator = browser(a_user(role="operator"))
    array = submitted(client, scene, "0-4")

    assert act(operator, array, "hold").json()["holds"] == {"operator": 5}
    refused = act(client, array, "release")
    assert (refused.status_code, refused.json()["code"]) == (403, "held_by_other")
    run_once()
    assert states(array) == {"queued": 5}
    assert act(operator, array, "release").json()["holds"] == {}
    run_once()

    assert states(array) == {"placing": 5}
    assert_sound()


def test_an_array_is_seen_and_controlled_as_its_jobs_are(scene: Scene) -> None:
    array = submitted(browser(scene.owner), scene, "0-1", held=True)
    colleague = browser(a_member(scene.group))
    stranger = browser(a_member(a_group("elsewhere")))

    assert colleague.get(f"/api/v1/job-arrays/{array.pk}").status_code == 200
    assert stranger.get(f"/api/v1/job-arrays/{array.pk}").status_code == 404
    for verb in ("cancel", "hold", "release"):
        assert act(colleague, array, verb).status_code == 403
        assert act(stranger, array, verb).status_code == 404


def test_work_can_depend_on_all_tasks_of_an_array(scene: Scene) -> None:
    client = browser(scene.owner)
    first = submitted(client, scene, "0-2", held=True)
    on = [{"type": "after_ok", "id": str(first.pk)}]
    second = submitted(client, scene, "0-1", dependencies=on)
    for state in ("placing", "starting", "running"):
        first.tasks.update(state=state, started_at=now(), finished_at=now())
    first.tasks.filter(array_index__lt=2).update(state="succeeded")
    run_once()
    assert states(second) == {"queued": 2}
    shown = client.get(f"/api/v1/job-arrays/{second.pk}").json()["dependencies"]
    assert [(item["is_array"], item["is_satisfied"]) for item in shown] == [(True, False)]

    first.tasks.filter(array_index=2).update(state="succeeded")
    run_once()

    assert states(second) == {"placing": 2}


def test_an_array_that_waits_for_a_success_that_cannot_come_is_cancelled(scene: Scene) -> None:
    client = browser(scene.owner)
    first = submitted(client, scene, "0-2", held=True)
    on = [{"type": "after_ok", "id": str(first.pk)}]
    second = submitted(client, scene, "0-4", dependencies=on)
    task = first.tasks.get(heads_array=True)
    client.post(f"/api/v1/jobs/{task.pk}/cancel", {}, format="json")

    run_sweep(heartbeat=timedelta(seconds=5))

    assert states(second) == {"cancelled": 5}
    causes = set(second.tasks.values_list("cause", flat=True))
    assert causes == {"dependency_never_satisfied"}
