"""Submissions to pools whose nodes have not joined yet, as in the first seconds of a new platform."""

from typing import Any

import pytest

from portal.inventory.models import Accelerator, Node, Pool
from portal.workloads.models import Workload
from scheduler.runtime.loop import run_once
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
WAITS = {"code": "pool_has_no_nodes_yet", "params": {"pool": "new"}}


def never(_: Pool) -> None:
    """No node has ever joined."""


def retired(pool: Pool) -> None:
    a_node(pool, state="retired")


def gone(pool: Pool) -> None:
    a_node(pool)
    Accelerator.objects.update(state="gone")


@pytest.fixture(params=[never, retired, gone], ids=lambda case: case.__name__)
def pool(request: pytest.FixtureRequest) -> Pool:
    made = a_pool("new")
    request.param(made)
    return made


@pytest.fixture
def client() -> Any:
    an_image("python")
    return browser(a_member(a_group("lab")))


def body(**asked: object) -> dict[str, object]:
    return {
        "name": "early",
        "group": "lab",
        "pool": "new",
        "image": "python",
        "command": ["true"],
        "gpus": 8,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        **asked,
    }


@pytest.mark.parametrize(
    "asked", [{"gpus": 8}, {"gpus": 1, "gpu_models": ["NVIDIA H100 80GB HBM3"]}, {"replicas": 4}]
)
def test_work_waits_for_the_first_node_and_the_dry_run_says_so(
    pool: Pool, client: Any, asked: dict[str, object]
) -> None:
    tried = {**body(**asked), "kind": "training"}
    dry = client.post(f"{API}/workloads/dry-run", tried, format="json")
    shown = json_of(dry)
    assert (shown["verdict"], shown["reasons"]) == ("waits", [WAITS])

    job = json_of(client.post(f"{API}/jobs", body(**asked), format="json"), 202)
    run_once()

    waiting = json_of(client.get(f"{API}/jobs/{job['id']}"))
    assert (waiting["state"], waiting["reasons"]) == ("queued", [WAITS])


def test_it_starts_on_the_node_that_joins(pool: Pool, client: Any) -> None:
    job = json_of(client.post(f"{API}/jobs", body(), format="json"), 202)
    run_once()
    a_node(pool)

    run_once()

    assert Workload.objects.get(pk=job["id"]).state == "placing"


def test_what_fits_on_no_node_of_a_pool_with_nodes_is_refused(client: Any) -> None:
    pool = a_pool("new")
    a_node(pool, cards=4)
    Node.objects.update(state="lost")

    problem_of(client.post(f"{API}/jobs", body(), format="json"), 422, "never_fits")
    json_of(client.post(f"{API}/jobs", body(gpus=4), format="json"), 202)


def test_what_is_wrong_with_any_hardware_is_refused_all_the_same(pool: Pool, client: Any) -> None:
    problem_of(
        client.post(f"{API}/jobs", body(gpus=0, slices=2), format="json"), 422, "pool_gives_gpus"
    )


def test_a_pool_of_partitions_says_that_they_are_not_known_yet(client: Any) -> None:
    Pool.objects.filter(pk=a_pool("new", slices=8).pk).update(mode="mig")
    asked = body(gpus=0, mig_profile="1g.10gb")

    problem_of(client.post(f"{API}/jobs", asked, format="json"), 409, "profiles_not_known_yet")


@pytest.mark.parametrize(
    ("path", "kind", "more"),
    [
        ("jobs", "training", {}),
        ("environments", "environment", {"command": None}),
        ("services", "replica", {"quality": "throughput"}),
    ],
)
def test_without_a_pool_for_the_kind_the_refusal_names_the_kind(
    path: str, kind: str, more: dict[str, object], client: Any
) -> None:
    asked = body(pool=None, gpus=1, **more)
    given = {name: value for name, value in asked.items() if value is not None}

    problem = problem_of(client.post(f"{API}/{path}", given, "json"), 422, "no_pool_serves_this")

    assert problem["params"] == {"kind": kind}
