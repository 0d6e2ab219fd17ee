"""Gangs: placed, failed and tried again as one."""

import pytest

from portal.common.clock import freeze, now, to_millis
from portal.inventory.models import Node
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from tests.builders.scenes import a_scene, cancel
from tests.builders.scripted_node import finished, running
from wire.words import ExitCause

pytestmark = pytest.mark.django_db


def test_gang_fails_as_one() -> None:
    scene = a_scene(nodes=2)
    job = scene.work(replicas=2)
    one, two = scene.place(job, scene.placement(0), scene.placement(1))
    for link, held in zip(scene.links, (one, two), strict=True):
        link.beat()
        link.beat(containers=[running(held)])
    job.refresh_from_db()
    assert job.state == "running"

    scene.links[0].beat(finished=[finished(one, 7)])

    job.refresh_from_db()
    assert (job.state, job.outcome, job.exit_code) == ("stopping", "failed", 7)
    assert scene.links[1].beat(containers=[running(two)]).containers == ()
    scene.links[1].beat(finished=[finished(two, -15, ExitCause.STOPPED)])
    job.refresh_from_db()
    assert (job.state, job.exit_code, job.cause) == ("failed", 7, "exited")


def test_gang_runs_only_when_every_rank_does_and_succeeds_with_the_last() -> None:
    scene = a_scene(nodes=2)
    job = scene.work(replicas=2)
    one, two = scene.place(job, scene.placement(0), scene.placement(1))
    scene.links[0].beat()
    scene.links[1].beat()
    scene.links[0].beat(finished=[finished(one)])
    job.refresh_from_db()
    assert job.state == "starting"

    scene.links[1].beat(containers=[running(two)])
    job.refresh_from_db()
    assert job.state == "running"
    scene.links[1].beat(finished=[finished(two)])

    job.refresh_from_db()
    assert job.state == "succeeded"


def test_gang_retry_is_not_placeable_until_every_old_rank_is_gone() -> None:
    scene = a_scene(nodes=2)
    job = scene.work(replicas=2)
    Workload.objects.filter(pk=job.pk).update(retries_max=1)
    one, two = scene.place(job, scene.placement(0), scene.placement(1))
    for link, held in zip(scene.links, (one, two), strict=True):
        link.beat()
        link.beat(containers=[running(held)])

    scene.links[0].beat(finished=[finished(one, 1)])

    job.refresh_from_db()
    assert (job.state, job.retries) == ("queued", 1)
    with pytest.raises(PlacementRefusedError, match="waiting_for_eviction"):
        scene.place(job, scene.placement(0), scene.placement(1))
    scene.links[1].beat(containers=[running(two)])
    scene.links[1].beat(finished=[finished(two, -15, ExitCause.STOPPED)])
    again = scene.place(job, scene.placement(0), scene.placement(1))
    assert {item.epoch for item in again} == {2}
    for link, held in zip(scene.links, again, strict=True):
        link.beat()
        link.beat(finished=[finished(held, 1)])
    job.refresh_from_db()
    assert (job.state, job.retries) == ("failed", 1)


def test_cancelled_retry_waits_for_the_old_rank() -> None:
    scene = a_scene(nodes=2)
    job = scene.work(replicas=2)
    Workload.objects.filter(pk=job.pk).update(retries_max=1)
    one, two = scene.place(job, scene.placement(0), scene.placement(1))
    for link, held in zip(scene.links, (one, two), strict=True):
        link.beat()
        link.beat(containers=[running(held)])
    scene.links[0].beat(finished=[finished(one, 1)])

    cancel(job)

    assert job.state == "stopping"
    scene.links[1].beat(containers=[running(two)])
    scene.links[1].beat(finished=[finished(two, -15, ExitCause.STOPPED)])
    job.refresh_from_db()
    assert job.state == "cancelled"


def test_infrastructure_ends_use_up_no_retry() -> None:
    scene = a_scene()
    job = scene.work()
    for cause in (ExitCause.LEASE_ENDED, ExitCause.VANISHED):
        (held,) = scene.place(job)
        scene.links[0].beat()
        scene.links[0].beat(finished=[finished(held, None, cause)])
        job.refresh_from_db()
        assert (job.state, job.retries, job.cause) == ("queued", 0, cause.value)


def test_gang_is_told_how_its_ranks_meet() -> None:
    scene = a_scene(nodes=2)
    job = scene.work(replicas=2)
    first, _ = scene.place(job, scene.placement(0), scene.placement(1))
    Node.objects.filter(pk=first.node_id).update(address="10.0.0.7")

    (desired,) = scene.links[1].beat().containers

    assert desired.spec.master_address == "10.0.0.7"
    assert (desired.spec.rank, desired.spec.ranks) == (1, 2)
    assert desired.spec.hosts == ("10.0.0.7", "127.0.0.1")
    assert (desired.spec.ranks_here, desired.spec.local_rank, desired.spec.restart) == (1, 0, 0)


def test_ranks_on_one_node_are_counted_and_so_is_every_start() -> None:
    scene = a_scene(nodes=2)
    job = scene.work(replicas=3)
    for attempt in range(2):
        held = scene.place(job, scene.placement(1), scene.placement(0), scene.placement(1))
        found = {item.spec.rank: item.spec for item in scene.links[1].beat().containers}

        assert {rank: (spec.ranks_here, spec.local_rank) for rank, spec in found.items()} == {
            0: (2, 0),
            2: (2, 1),
        }
        assert {spec.restart for spec in found.values()} == {attempt}
        scene.links[0].beat(finished=[finished(held[1], None, ExitCause.NODE_FAULT)])
        ends = [finished(item, None, ExitCause.STOPPED) for item in (held[0], held[2])]
        scene.links[1].beat(finished=ends)
        job.refresh_from_db()


def test_a_failed_gang_waits_for_its_pause_before_it_is_placed_again() -> None:
    scene = a_scene()
    job = scene.work()
    rule = {"rule": "on_failure", "pause_s": 600}
    Workload.objects.filter(pk=job.pk).update(retries_max=2, restart=rule)
    (held,) = scene.place(job)
    scene.links[0].beat()

    scene.links[0].beat(finished=[finished(held, 1)])

    job.refresh_from_db()
    assert (job.state, job.retries) == ("queued", 1)
    assert job.retry_at is not None
    assert 590 < (job.retry_at - now()).total_seconds() <= 600
    (waiting,) = load_snapshot().pending
    assert [reason.as_json() for reason in waiting.held] == [
        {"code": "waiting_to_retry", "params": {"retry_at": to_millis(job.retry_at)}}
    ]
    with freeze(job.retry_at):
        (waiting,) = load_snapshot().pending
    assert waiting.held == ()


def test_what_must_not_run_twice_fails_when_its_node_is_lost() -> None:
    scene = a_scene(nodes=2)
    job = scene.work(replicas=2)
    Workload.objects.filter(pk=job.pk).update(restart={"rule": "never"})
    one, two = scene.place(job, scene.placement(0), scene.placement(1))
    for link, held in zip(scene.links, (one, two), strict=True):
        link.beat()
        link.beat(containers=[running(held)])

    scene.links[0].beat(finished=[finished(one, None, ExitCause.NODE_FAULT)])

    job.refresh_from_db()
    assert (job.state, job.outcome, job.cause) == ("stopping", "failed", "node_fault")
