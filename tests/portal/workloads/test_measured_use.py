"""Advice by the API: what telemetry has measured of earlier runs, and only of work like it."""

from datetime import timedelta
from typing import Any

import pytest

from portal.common.clock import now, to_millis
from portal.execution.samples import ContainerUse, NodeSample
from portal.telemetry import services as telemetry
from portal.workloads.models import Allocation, MeasuredUse, Workload
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene, a_scene
from tests.builders.workloads import an_allocation
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def told(attempt: Allocation, *uses: tuple[int, int | None]) -> tuple[NodeSample, ...]:
    """Return one sample a second, each (MiB, percent) of the card."""
    begin = now() - timedelta(seconds=len(uses))
    return tuple(
        NodeSample(
            at=to_millis(begin + timedelta(seconds=number)),
            containers=(
                ContainerUse(
                    allocation=attempt.wire_name,
                    epoch=attempt.epoch,
                    cpu_ms=0,
                    memory_mib=1,
                    gpu_memory_mib=mib,
                    gpu_utilisation_pct=pct,
                ),
            ),
        )
        for number, (mib, pct) in enumerate(uses)
    )


def measured(
    scene: Scene, *uses: tuple[int, int | None], state: str = "succeeded", **asked: Any
) -> Workload:
    """Save a run that was measured and has ended."""
    node = scene.nodes[0]
    work = scene.work(**{"state": "running", "gpus": 1, **asked})
    attempt = an_allocation(work, node)
    telemetry.record_samples(node.pk, told(attempt, *uses))
    ended = now()
    Allocation.objects.filter(pk=attempt.pk).update(
        state="released", started_at=ended - timedelta(seconds=60), released_at=ended
    )
    Workload.objects.filter(pk=work.pk).update(state=state, command_digest="d")
    return work


def small_pool(name: str = "slices") -> None:
    """Save a pool whose slices have an eighth of a card, with room."""
    a_node(a_pool(name, slices=8), cards=1)


def asked(scene: Scene, **change: object) -> Any:
    body = {
        "kind": "training",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "gpus": 1,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        **change,
    }
    answer = browser(scene.owner).post(f"{API}/workloads/dry-run", body, format="json")
    return json_of(answer)["advice"]


USE = [(2000, 10)] * 9 + [(3000, 20)]


def test_a_dry_run_says_what_would_be_enough_and_from_what_it_knows() -> None:
    scene = a_scene(cards=1)
    small_pool()
    for _ in range(3):
        measured(scene, *USE)
    advice = asked(scene)
    [part] = advice.pop("enough")
    assert advice == {
        "runs": 3,
        "peak_gpu_memory_mib": 3000,
        "busy_pct": 20,
        "requested_gpu_memory_mib": 32768,
        "requested_gpu_milli": 1000,
    }
    assert (part["code"], part["pool"]["name"], part["slices"]) == ("slices_enough", "slices", 2)
    assert (part["total_gpu_memory_mib"], part["total_gpu_milli"]) == (8192, 250)
    assert (part["verdict"], part["expected_start"]) == ("starts_now", None)
    assert Workload.objects.count() == 3
    body = {name: part[name] for name in ("gpus", "slices", "gpu_milli", "gpu_memory_mib")}
    assert asked(scene, pool="slices", **body) is None


def test_a_sample_that_comes_twice_counts_once() -> None:
    scene = a_scene(cards=1)
    attempt = an_allocation(scene.work(state="running", gpus=1), scene.nodes[0])
    message = told(attempt, (100, 10), (300, 30))
    for _ in range(2):
        telemetry.record_samples(scene.nodes[0].pk, message)
    use = MeasuredUse.objects.get(allocation=attempt)
    assert (use.memory_samples, use.peak_mib, use.busy_samples, use.peak_pct) == (2, 300, 2, 30)


def test_what_is_enough_leaves_room_above_the_peak_and_not_above_the_mean() -> None:
    scene = a_scene(cards=1)
    small_pool()
    for _ in range(3):
        measured(scene, *[(4, 36)] * 9, (4, 60))
    advice = asked(scene)
    [part] = advice["enough"]
    assert (advice["busy_pct"], part["slices"]) == (60, 6)
    measured(scene, *[(4, 36)] * 9, (4, 86))
    assert asked(scene) is None


def test_runs_that_say_nothing_are_left_out() -> None:
    scene = a_scene(cards=1)
    small_pool()
    measured(scene, *USE)
    measured(scene, *USE, state="failed")
    measured(scene, *USE[:5])
    measured(scene, *[(2000, None)] * 10)
    measured(scene, *USE, gpus=0, kind="environment", slices=0)
    other = Scene(scene.pool, scene.nodes, scene.group, a_member(scene.group))
    measured(other, *USE)
    elsewhere = a_group()
    measured(Scene(scene.pool, scene.nodes, elsewhere, scene.owner), *USE)
    measured(scene, *USE)
    assert asked(scene) is None
    measured(scene, *USE)
    assert asked(scene)["runs"] == 3


def test_of_the_same_command_one_run_is_enough() -> None:
    scene = a_scene(cards=1)
    small_pool()
    done = measured(scene, *USE)
    work = scene.work(gpus=1)
    address = f"{API}/workloads/{work.pk}/advice"
    client = browser(scene.owner)
    assert json_of(client.get(address)) == {"advice": None}
    Workload.objects.filter(pk=work.pk).update(command_digest="d", image=done.image)
    assert json_of(client.get(address))["advice"]["runs"] == 1
    assert json_of(browser(a_member(scene.group, "viewer")).get(address))["advice"]["runs"] == 1
    problem_of(browser(a_member(a_group())).get(address), 404, "not_found")


def test_advice_does_not_ask_more_of_the_database_for_more_runs(
    django_assert_max_num_queries: Any,
) -> None:
    scene = a_scene(cards=1)
    for number in range(3):
        small_pool(f"slices-{number}")
    for _ in range(6):
        measured(scene, *USE)
    with django_assert_max_num_queries(52):
        advice = asked(scene)
    assert (advice["runs"], len(advice["enough"])) == (5, 3)
