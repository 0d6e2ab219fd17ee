"""Promised starts between passes: written, kept by every later pass, and moved only with a cause."""

from collections.abc import Iterator
from typing import Any

import pytest

from portal.common.clock import freeze, now
from portal.workloads.models import PoolQueue, SchedulerPass, Workload
from portal.workloads.operations.nodes import cordon_node
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.cycle import run_cycle
from scheduler.runtime import plan_applier
from scheduler.runtime.loop import run_once
from tests.builders.people import a_user, an_actor
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
TEN_MINUTES_S = 600


@pytest.fixture
def scene() -> Iterator[Scene]:
    """Two nodes of two GPUs; on the first runs work that has ten minutes, on the second an hour."""
    with freeze(now().replace(microsecond=0)):
        made = a_scene(nodes=2, cards=2)
        for node, limit_s in enumerate((TEN_MINUTES_S, 3600)):
            holder = made.work(gpus=2, time_limit_s=limit_s, preemptible=False)
            (held,) = made.place(holder, made.placement(node, cards=(0, 1)))
            made.links[node].beat()
            made.links[node].beat(containers=[running(held)])
        yield made


@pytest.fixture
def waiting(scene: Scene) -> Workload:
    """Work that waits for two GPUs, and has been promised those of the first node."""
    work = scene.work(gpus=2, preemptible=False)
    run_once()
    return work


def promised_to(work: Workload) -> Any:
    (found,) = (
        each
        for each in SchedulerPass.objects.get().reservations
        if each["workload"] == str(work.pk) and each["is_promised"]
    )
    return found


def shown(work: Workload) -> Any:
    return json_of(browser(work.owner).get(f"{API}/jobs/{work.pk}"))


def test_later_work_takes_no_promised_start(scene: Scene, waiting: Workload) -> None:
    before = promised_to(waiting)
    scene.work(gpus=2, priority=1, preemptible=False)

    run_once()

    assert promised_to(waiting) == before
    assert shown(waiting)["moved_starts"] == []
    assert shown(waiting)["reservation"]["starts_at"] is not None


def test_a_pass_that_explains_nothing_keeps_what_is_promised(
    scene: Scene, waiting: Workload
) -> None:
    before, queue = promised_to(waiting), PoolQueue.objects.get()
    later = scene.work(gpus=2, preemptible=False)
    snapshot = load_snapshot()
    plan = run_cycle(snapshot, snapshot.taken_at)

    plan_applier.commit_rest(plan, snapshot, undecided=frozenset(), is_explained=False)

    assert promised_to(waiting) == before
    assert later.pk not in PoolQueue.objects.get(pk=queue.pk).workloads


def test_a_start_that_moves_shows_both_times_and_the_cause(scene: Scene, waiting: Workload) -> None:
    before = shown(waiting)["reservation"]["starts_at"]
    operator = an_actor(a_user(role="platform_admin"))

    cordon_node(actor=operator, node_id=scene.nodes[0].pk)
    run_once()

    (moved,) = shown(waiting)["moved_starts"]
    assert (moved["was"], moved["cause"]) == (before, "node")
    assert moved["starts_at"] is None or moved["starts_at"] > before


def test_moves_end_with_the_wait(scene: Scene, waiting: Workload) -> None:
    operator = an_actor(a_user(role="platform_admin"))
    cordon_node(actor=operator, node_id=scene.nodes[0].pk)
    run_once()
    assert len(SchedulerPass.objects.get().moved) == 1
    spare = a_scene(cards=2)
    Workload.objects.filter(pk=waiting.pk).update(pool=spare.pool)

    run_once()

    waiting.refresh_from_db()
    assert waiting.state == "placing"
    assert SchedulerPass.objects.get().moved == []
    assert shown(waiting)["moved_starts"] == []
    assert_sound()
