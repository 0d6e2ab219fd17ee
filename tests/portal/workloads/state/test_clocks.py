"""The clock of PostgreSQL is set back, clocks of nodes are wrong: nothing ends before it began."""

from datetime import timedelta

import pytest
from django.db.models import F

from portal.common.clock import freeze, now, to_millis
from portal.inventory.models import Node
from portal.site.values import LEASE_TTL_S_MAX
from portal.workloads.idle.gpu_release import release_gpus
from portal.workloads.models import Allocation, AllocationDevice, DailyGpuUse, Workload
from portal.workloads.state import queued_work
from portal.workloads.state.allocations import lock_node_allocations
from portal.workloads.sweep import run_sweep
from portal.workloads.system_actors import SWEEP_ACTOR
from tests.builders.scenes import Scene, a_scene, assert_sound, cancel
from tests.builders.scripted_node import finished, running

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
HEARTBEAT = timedelta(seconds=5)
LONGEST = timedelta(seconds=LEASE_TTL_S_MAX + 60)


def a_running(scene: Scene) -> tuple[Workload, Allocation]:
    work = scene.work(gpus=1)
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    work.refresh_from_db()
    return work, held


def assert_nothing_ends_before_it_began() -> None:
    assert not Workload.objects.filter(finished_at__lt=F("started_at")).exists()
    assert not Allocation.objects.filter(finished_at__lt=F("started_at")).exists()
    assert not Allocation.objects.filter(released_at__lt=F("created_at")).exists()
    assert not AllocationDevice.objects.filter(released_at__lt=F("held_from")).exists()
    assert not DailyGpuUse.objects.filter(gpu_milli_ms__lt=0).exists()


def test_work_that_ends_after_the_clock_was_set_back_has_lasted_no_time() -> None:
    scene = a_scene()
    work, held = a_running(scene)

    with freeze(now() - HOUR):
        scene.links[0].beat(finished=[finished(held)])

    work.refresh_from_db()
    assert (work.state, work.finished_at) == ("succeeded", work.started_at)
    assert_nothing_ends_before_it_began()
    assert_sound()


def test_gpus_that_are_released_after_the_clock_was_set_back_were_held_for_no_time() -> None:
    scene = a_scene()
    work, _ = a_running(scene)
    (held,) = lock_node_allocations(scene.nodes[0].pk).allocations

    with freeze(now() - HOUR):
        release_gpus(work, held)

    held.refresh_from_db()
    assert held.released_gpu_milli_ms == 0
    assert_nothing_ends_before_it_began()


def test_queued_work_that_ran_before_can_be_cancelled_after_the_clock_was_set_back() -> None:
    work = a_scene().work()
    Workload.objects.filter(pk=work.pk).update(started_at=now())

    with freeze(now() - HOUR):
        queued_work.cancel_queued(
            [work.pk], work, cause="requested", params="{}", actor=SWEEP_ACTOR
        )

    work.refresh_from_db()
    assert (work.state, work.finished_at) == ("cancelled", work.started_at)


@pytest.mark.parametrize("skew", [-HOUR, HOUR])
def test_the_clock_of_a_node_cannot_put_an_end_before_its_start_or_ahead_of_now(
    skew: timedelta,
) -> None:
    scene = a_scene()
    work, held = a_running(scene)
    begun = running(held).model_copy(update={"started_at": to_millis(now() + skew)})
    scene.links[0].beat(containers=[begun])
    reported = Allocation.objects.get(pk=held.pk).started_at
    scene.links[0].beat(containers=[begun])

    cancel(work)
    scene.links[0].beat(finished=[finished(held)])

    held.refresh_from_db()
    assert held.started_at == reported
    assert held.started_at is not None
    assert held.finished_at is not None
    assert held.started_at <= held.finished_at <= now()


def test_a_lease_is_never_longer_than_any_that_was_granted() -> None:
    """Rows that another clock wrote hold nothing for longer than the site could have promised."""
    scene = a_scene()
    scene.links[0].beat()
    Node.objects.update(lease_until=now() + HOUR)

    scene.links[0].beat()

    assert not Node.objects.filter(lease_until__gt=now() + LONGEST).exists()


def test_a_node_last_heard_in_the_future_is_silent_from_now_on() -> None:
    scene = a_scene()
    scene.links[0].beat()
    ahead = {"last_seen_at": now() + HOUR, "lease_until": now() + HOUR + HEARTBEAT}
    Node.objects.update(**ahead)

    run_sweep(heartbeat=HEARTBEAT)
    silent = Node.objects.get()
    assert silent.last_seen_at is not None
    assert silent.last_seen_at <= now()
    assert silent.state == "ready"
    with freeze(now() + LONGEST):
        run_sweep(heartbeat=HEARTBEAT)
    assert Node.objects.get().state == "lost"
