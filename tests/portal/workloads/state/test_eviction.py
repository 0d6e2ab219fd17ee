"""Eviction: notice, grace, stop, and the same workload back in the queue; on real PostgreSQL."""

import pytest
from django.db.models import F

from portal.common.errors import DomainError
from portal.workloads.errors import EvictionRefusedError
from portal.workloads.models import Allocation, Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state import lifecycle
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause, Plan, PlannedEviction, PlannedReservation
from scheduler.core.model.reasons import ReasonCode
from scheduler.runtime import plan_applier
from tests.builders.at_once import at_once
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound, cancel, passed
from tests.builders.scripted_node import finished, running

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def evict(
    work: Workload,
    beneficiary: Workload | None = None,
    *,
    version: int | None = None,
    grace_s: int = 45,
) -> None:
    lifecycle.evict_workload(
        workload_id=WorkloadId(str(work.pk)),
        version=work.version if version is None else version,
        cause=EvictionCause.RECLAIMED,
        beneficiary=None if beneficiary is None else WorkloadId(str(beneficiary.pk)),
        grace_s=grace_s,
    )
    work.refresh_from_db()


def a_running(scene: Scene, **asked: object) -> tuple[Workload, Allocation]:
    """Bring a preemptible workload with one card to `running`."""
    work = scene.work(gpus=1, preemptible=True, **asked)
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    work.refresh_from_db()
    held.refresh_from_db()
    return work, held


def test_evicted_work_waits_as_it_was_until_its_containers_are_gone() -> None:
    scene = a_scene(cards=1)
    quota = a_quota(scene.group, ceiling=None)
    work, held = a_running(scene, priority=100)
    before = (work.pk, work.submitted_at, work.priority, work.retries)
    beneficiary = scene.work(gpus=1)

    evict(work, beneficiary)

    assert (work.state, work.cause, work.evictions) == ("queued", "reclaimed", 1)
    assert (work.pk, work.submitted_at, work.priority, work.retries) == before
    reply = scene.links[0].beat(containers=[running(held)])
    assert reply.containers == ()
    assert [(item.allocation, item.seconds) for item in reply.graces] == [(held.wire_name, 45)]
    snapshot = load_snapshot()
    waiting = {item.id: item for item in snapshot.pending}[WorkloadId(str(work.pk))]
    assert [reason.code for reason in waiting.held] == [ReasonCode.WAITING_FOR_EVICTION]
    (leaving,) = snapshot.running
    assert (leaving.id, leaving.stopping) == (str(work.pk), True)
    assert waiting.evicted_for == leaving.stopping_for == str(beneficiary.pk)
    quota.refresh_from_db()
    assert quota.used == 1000  # not free before the node's word

    scene.links[0].beat(finished=[finished(held, 143)])

    work.refresh_from_db()
    quota.refresh_from_db()
    assert (work.state, work.retries, quota.used) == ("queued", 0, 0)
    assert load_snapshot().running == ()
    (again,) = scene.place(work, scene.placement(cards=(0,)))
    assert (again.epoch, work.evicted_for) == (held.epoch + 1, None)
    assert passed(work) == ["placing", "starting", "running", "queued", "placing"]
    assert_sound()


def test_work_that_leaves_for_nobody_in_particular_is_seen_leaving() -> None:
    scene = a_scene(cards=1)
    work, _ = a_running(scene)

    evict(work)

    (leaving,) = load_snapshot().running
    assert (leaving.id, leaving.stopping, leaving.stopping_for) == (str(work.pk), True, None)


def test_work_of_which_no_node_was_told_leaves_at_once() -> None:
    scene = a_scene()
    work = scene.work(gpus=1, preemptible=True)
    scene.place(work, scene.placement(cards=(0,)))

    evict(work)

    assert (work.state, scene.held(work)) == ("queued", [])
    assert_sound()


@pytest.mark.parametrize("case", ["not_preemptible", "version", "ended", "beneficiary_gone"])
def test_an_eviction_that_no_longer_holds_changes_nothing(case: str) -> None:
    scene = a_scene()
    work, _ = a_running(scene)
    beneficiary = scene.work(gpus=1)
    version = work.version
    if case == "not_preemptible":
        Workload.objects.filter(pk=work.pk).update(preemptible=False)
    elif case == "version":
        version -= 1
    elif case == "ended":
        cancel(work)
        version = work.version
    else:
        cancel(beneficiary)
    work.refresh_from_db()
    before = (work.state, work.version)

    with pytest.raises(EvictionRefusedError):
        evict(work, beneficiary, version=version)

    work.refresh_from_db()
    assert (work.state, work.version, work.evictions) == (*before, 0)
    assert_sound()


def test_one_of_many_evictions_at_once_counts() -> None:
    scene = a_scene()
    work, _ = a_running(scene)
    version = work.version

    def act(_: int) -> str:
        try:
            evict(Workload.objects.get(pk=work.pk), version=version)
        except DomainError as error:
            return error.code
        return "ok"

    outcomes = at_once(8, act)

    work.refresh_from_db()
    assert outcomes.count("ok") == 1
    assert (work.evictions, work.events.filter(cause="reclaimed").count()) == (1, 1)
    assert_sound()


def test_the_applier_gives_notice_to_each_alone() -> None:
    scene = a_scene(cards=2)
    work, _ = a_running(scene)
    gone = scene.work(gpus=1, preemptible=True)
    snapshot = load_snapshot()
    evictions = tuple(
        PlannedEviction(
            WorkloadId(str(item.pk)), item.version, EvictionCause.PREEMPTED, None, grace_s=5
        )
        for item in (gone, work)
    )

    plan = Plan(snapshot.taken_at, evictions=evictions)
    evicted = plan_applier.commit_rest(plan, snapshot, undecided=())

    work.refresh_from_db()
    gone.refresh_from_db()
    assert evicted == 1
    assert (work.cause, gone.evictions) == ("preempted", 0)


@pytest.mark.parametrize("is_explained", [True, False])
def test_of_what_leaves_for_one_workload_all_is_stopped_or_nothing(is_explained: bool) -> None:
    scene = a_scene(cards=2)
    first, second = scene.work(gpus=1, preemptible=True), scene.work(gpus=1, preemptible=True)
    for card, work in enumerate((first, second)):
        scene.place(work, scene.placement(cards=(card,)))
    beneficiary = scene.work(gpus=2)

    def stop_both(changes: int = 0) -> int:
        snapshot = load_snapshot()
        cards = tuple((card.node, card.id, 0) for card in snapshot.accelerators)
        nodes, whom = ((cards[0][0], 1),), WorkloadId(str(beneficiary.pk))
        cleared = PlannedReservation(
            whom, snapshot.pools[0].id, snapshot.taken_at, nodes, cards, is_cleared=True
        )
        evictions = tuple(
            PlannedEviction(item.id, item.version, EvictionCause.PREEMPTED, whom, grace_s=5)
            for item in snapshot.running
        )
        plan = Plan(snapshot.taken_at, evictions=evictions, reservations=(cleared,))
        Workload.objects.filter(pk=second.pk).update(version=F("version") + changes)
        return plan_applier.commit_rest(plan, snapshot, undecided=(), is_explained=is_explained)

    assert stop_both(changes=1) == 0
    assert set(Workload.objects.values_list("evictions", flat=True)) == {0}
    assert load_snapshot().published == ()
    assert stop_both() == 2
    assert [each.is_cleared for each in load_snapshot().published] == [True]
    assert_sound()
