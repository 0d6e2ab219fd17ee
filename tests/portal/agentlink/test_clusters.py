"""Ray and Dask jobs on the wire: one secret for all ranks of an attempt, and agents that know them."""

from typing import Any

import pytest

from portal.workloads.models import Workload
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of
from wire.messages import ContainerSpec
from wire.versions import CLUSTERS_SINCE, PROTOCOL_VERSION

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene(nodes=2)


def sent(scene: Scene, node: int, protocol: int = PROTOCOL_VERSION) -> ContainerSpec:
    """Return what a node is sent for its only container."""
    link = scene.links[node]
    message = link.message(link.seq + 1).model_copy(update={"protocol": protocol})
    link.seq += 1
    (container,) = link.repeat(message).containers  # type: ignore[union-attr]
    return container.spec


def a_job(scene: Scene, **spec: Any) -> Workload:
    job = a_workload(scene.owner, scene.group, scene.pool, replicas=2)
    Workload.objects.filter(pk=job.pk).update(spec={"command": ["true"], **spec})
    return job


def test_ranks_of_an_attempt_share_a_secret_that_others_do_not_have(scene: Scene) -> None:
    job = a_job(scene, launcher="dask")
    Workload.objects.filter(pk=job.pk).update(retries_max=1)
    held = scene.place(job, scene.placement(0), scene.placement(1))
    first, second = sent(scene, 0), sent(scene, 1)

    assert first.launcher == second.launcher == "dask"
    assert first.cluster_token == second.cluster_token
    assert len(first.cluster_token) == 64

    for link, rank in zip(scene.links, held, strict=True):
        link.beat()
        link.beat(finished=[finished(rank, 7)])
    scene.place(job, scene.placement(0), scene.placement(1))
    assert sent(scene, 0).cluster_token == sent(scene, 1).cluster_token != first.cluster_token


def test_other_jobs_have_none(scene: Scene) -> None:
    scene.place(a_job(scene, launcher="mpi"), scene.placement(0), scene.placement(1))

    spec = sent(scene, 0)

    assert (spec.launcher, spec.cluster_token) == ("mpi", "")


@pytest.mark.parametrize("launcher", ["accelerate", "deepspeed"])
def test_launchers_of_frameworks_are_torchrun_to_older_agents(scene: Scene, launcher: str) -> None:
    scene.place(a_job(scene, launcher=launcher), scene.placement(0), scene.placement(1))

    spec = sent(scene, 0)

    assert (spec.launcher, spec.framework) == ("torchrun", launcher)


def test_an_agent_that_is_too_old_fails_to_start_it(scene: Scene) -> None:
    scene.place(a_job(scene, launcher="ray"), scene.placement(0), scene.placement(1))

    spec = sent(scene, 0, CLUSTERS_SINCE - 1)

    assert (spec.launcher, spec.cluster_token) == ("plain", "")
    assert [item.name for item in spec.datasets] == ["clusters-need-a-newer-agent"]


@pytest.mark.parametrize("launcher", ["ray", "dask", "accelerate", "deepspeed"])
def test_a_submission_names_it_and_reads_it_back(scene: Scene, launcher: str) -> None:
    client = browser(scene.owner)
    body = {
        "name": "sweep",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "image": str(scene.work().image_id),
        "command": ["true"],
        "replicas": 2,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "launcher": launcher,
    }

    made = json_of(client.post(f"{API}/jobs", body, format="json"), 202)
    refused = client.post(f"{API}/jobs", {**body, "notice_signal": "SIGUSR1"}, format="json")

    assert json_of(client.get(f"{API}/jobs/{made['id']}"))["spec"]["launcher"] == launcher
    assert json_of(refused, 400)["errors"][0]["code"] == "signal_ends_launcher"
