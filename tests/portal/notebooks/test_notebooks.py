from typing import Any

import pytest

from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.notebooks import services
from portal.tenancy.actors import load_actor
from portal.workloads.models import Allocation, Workload
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from tests.rest import browser
from wire.words import ExitCause

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene(slices=8)


def actor_of(scene: Scene) -> Actor:
    return load_actor(scene.owner)


def test_stop_and_start_are_repeatable(scene: Scene) -> None:
    notebook = scene.work(kind="environment")
    actor = actor_of(scene)

    for _ in range(2):
        stopped = services.stop_notebook(actor=actor, workload_id=notebook.pk)
        assert stopped.state == "suspended"
    for _ in range(2):
        started = services.start_notebook(actor=actor, workload_id=notebook.pk)
        assert started.state == "queued"
    for _ in range(2):
        deleted = services.delete_notebook(actor=actor, workload_id=notebook.pk)
        assert deleted.state == "cancelled"
    with pytest.raises(ConflictError, match="not_startable"):
        services.start_notebook(actor=actor, workload_id=notebook.pk)
    with pytest.raises(ConflictError, match="already_ended"):
        services.stop_notebook(actor=actor, workload_id=notebook.pk)


def test_delete_while_stopping_wins(scene: Scene) -> None:
    notebook = scene.work(kind="environment", slices=1)
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=8899)])
    actor = actor_of(scene)
    services.stop_notebook(actor=actor, workload_id=notebook.pk)

    services.delete_notebook(actor=actor, workload_id=notebook.pk)
    services.stop_notebook(actor=actor, workload_id=notebook.pk)
    scene.links[0].beat(finished=[finished(held, -15, ExitCause.STOPPED)])

    notebook.refresh_from_db()
    assert notebook.state == "cancelled"


def test_rest_from_creation_to_the_way_in(scene: Scene) -> None:
    image = an_image("jupyter")
    client = browser(scene.owner)
    body = {
        "name": "我的笔记本",
        "group": str(scene.group.pk),
        "image": "jupyter",
        "slices": 2,
        "cpu_milli": 2000,
        "memory_mib": 4096,
    }
    created: Any = client.post("/api/v1/environments", body, format="json")
    assert created.status_code == 202, created.json()
    shown = created.json()
    assert (shown["pool"]["name"], shown["image"]["name"]) == (scene.pool.name, image.name)
    where = created["Location"]
    assert client.post(f"{where}/tickets").json()["code"] == "not_ready"
    notebook = Workload.objects.get(pk=shown["id"])
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(3, 4)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=9000)])

    shown = client.get(where).json()

    assert (shown["state"], shown["is_ready"], shown["runtime"]) == ("running", True, "process")
    assert [step["step"] for step in shown["timeline"]] == [
        "queued",
        "placing",
        "starting",
        "ready",
    ]
    assert [device["slot"] for device in shown["allocations"][0]["devices"]] == [3, 4]
    ticket = client.post(f"{where}/tickets")
    assert ticket.status_code == 201
    assert ticket.json()["url"].startswith("http://localhost:8001/open?ticket=")
    assert client.post(f"{where}/stop").json()["state"] == "stopping"
    assert client.delete(where).status_code == 202
    assert client.get(where.replace("environments", "jobs")).status_code == 404


def test_notebook_that_runs_and_does_not_answer_yet_is_shown_as_one_that_starts(
    scene: Scene,
) -> None:
    notebook = scene.work(kind="environment", slices=1)
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0,)))
    client, where = browser(scene.owner), f"/api/v1/environments/{notebook.pk}"
    waiting = running(held).model_copy(update={"ready": False, "detail": "waiting_for_http"})
    scene.links[0].beat()
    scene.links[0].beat(containers=[waiting])

    shown = client.get(where).json()
    (allocation,) = shown["allocations"]
    assert (shown["state"], shown["is_ready"]) == ("starting", False)
    assert (allocation["phase"], allocation["detail"]) == ("starting", "waiting_for_http")
    assert client.post(f"{where}/tickets").json()["code"] == "not_ready"

    told = {"ready": True, "ready_ms": 0, "running_ms": 60_000}
    scene.links[0].beat(containers=[running(held, port=9000).model_copy(update=told)])

    shown = client.get(where).json()
    (allocation,) = shown["allocations"]
    assert (shown["state"], shown["is_ready"]) == ("running", True)
    assert (allocation["phase"], allocation["detail"]) == ("running", "")
    row = Allocation.objects.get(pk=held.pk)
    assert row.ready_at == row.started_at
    notebook.refresh_from_db()
    assert notebook.started_at == row.ready_at, "not with its container, a minute before"
