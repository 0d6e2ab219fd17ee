"""Gangs: placed, failed and tried again as one."""

import pytest

from portal.inventory.models import Node
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Workload
from tests.portal.agentlink.fake_node import finished, running
from tests.portal.workloads.scenes import a_scene, cancel
from wire.messages import ExitCause

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
