"""What many threads do at once on real PostgreSQL: exactly what was allowed, never more."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.common.errors import DomainError
from portal.inventory.models import Node
from portal.quotas.models import Budget, GroupLimit, Quota, UserUse
from portal.quotas.services import recount_quotas
from portal.workloads import services
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, Workload, WorkloadEvent
from portal.workloads.operations import node_state
from portal.workloads.state.transitions import move_workload
from portal.workloads.submission.admission import Submission
from scheduler.core.model.entities import Request
from scheduler.core.model.states import WorkloadState
from tests.builders.at_once import at_once
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_root, an_actor
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound, cancel
from tests.builders.scripted_node import finished, running

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

THREADS = 64


def outcome_of(act: Callable[[], object]) -> str:
    try:
        act()
    except DomainError as error:
        return error.code
    return "ok"


def a_submission(
    scene: Scene, image: str, kind: str = "training", *, slices: int = 0
) -> Submission:
    return Submission(
        kind=kind,
        name="work",
        group=scene.group.name,
        image=image,
        pool=scene.pool.name,
        request=Request(cpu_milli=1000, memory_mib=1024, slices=slices),
    )


def test_64_placements_at_once_admit_exactly_the_quota() -> None:
    scene = a_scene(nodes=8)
    quotas = [
        a_quota(scene.group, ceiling=6000),
        a_quota(scene.group, ceiling=9000, pool=scene.pool),
        a_quota(a_root(), ceiling=50_000),
        a_quota(scene.group, "cpu", ceiling=40_000),
    ]
    works = [scene.work(gpus=1) for _ in range(THREADS)]
    spots = [scene.placement(node, cards=(card,)) for node in range(8) for card in range(8)]

    outcomes = at_once(THREADS, lambda i: outcome_of(lambda: scene.place(works[i], spots[i])))

    assert Counter(outcomes) == {"ok": 6, "quota_ceiling": 58}
    for quota in quotas:
        quota.refresh_from_db()
    assert [quota.used for quota in quotas] == [6000, 6000, 6000, 6000]
    assert Allocation.objects.count() == 6
    assert recount_quotas() == 0
    assert_sound()


def test_a_budget_promises_no_hour_twice_under_concurrency() -> None:
    scene = a_scene(nodes=2)
    Budget.objects.create(group=a_root(), period="month", gpu_hours=5)
    Budget.objects.create(group=scene.group, pool=scene.pool, period="month", gpu_hours=3)
    works = [scene.work(gpus=1) for _ in range(16)]  # an hour each
    spots = [scene.placement(i // 8, cards=(i % 8,)) for i in range(16)]

    def place(number: int) -> str:
        with freeze(datetime(2030, 5, 16, 4, tzinfo=UTC)):
            return outcome_of(lambda: scene.place(works[number], spots[number]))

    assert Counter(at_once(16, place)) == {"ok": 3, "quota_budget": 13}
    assert Allocation.objects.count() == 3


def test_user_ceiling_holds_in_every_ancestor_under_concurrency() -> None:
    scene = a_scene(nodes=8)
    a_quota(a_root(), ceiling=None, user_ceiling=3000)
    a_quota(scene.group, ceiling=None, user_ceiling=5000)
    works = [scene.work(gpus=1) for _ in range(32)]
    spots = [scene.placement(node, cards=(card,)) for node in range(4) for card in range(8)]

    outcomes = at_once(32, lambda i: outcome_of(lambda: scene.place(works[i], spots[i])))

    assert Counter(outcomes) == {"ok": 3, "quota_user_ceiling": 29}
    assert set(UserUse.objects.values_list("used", flat=True)) == {3000}
    assert_sound()


def test_placements_and_ends_of_many_groups_never_deadlock_and_counters_stay_exact() -> None:
    scene = a_scene(nodes=2)
    a_quota(a_root(), ceiling=100_000)
    groups = [a_group() for _ in range(4)]
    for group in groups:
        a_quota(group, ceiling=None)
        a_quota(group, "cpu", ceiling=None, pool=scene.pool)
    scenes = [
        Scene(scene.pool, scene.nodes, group, a_member(group), scene.links) for group in groups
    ]
    first = [scenes[i % 4].work(gpus=1) for i in range(16)]
    for i, work in enumerate(first):
        scene.place(work, scene.placement(i // 8, cards=(i % 8,)))
    for link in scene.links:
        link.beat()
    held = [Allocation.objects.get(workload=work) for work in first]

    def act(number: int) -> str:
        if number < 2:
            mine = [item for item in held if item.node_id == scene.nodes[number].pk]
            scene.links[number].beat(finished=[finished(item) for item in mine])
            return "ok"
        return outcome_of(lambda: cancel(first[number % 16]))

    assert set(at_once(18, act)) == {"ok"}
    for link in scene.links:
        link.beat()
    assert not Allocation.objects.exclude(state="released").exists()
    assert set(Quota.objects.values_list("used", flat=True)) == {0}
    assert_sound()


def test_one_card_has_one_holder_whoever_is_first() -> None:
    scene = a_scene()
    works = [scene.work(gpus=1) for _ in range(16)]

    outcomes = at_once(
        16,
        lambda i: outcome_of(lambda: scene.place(works[i], scene.placement(cards=(0,)))),
    )

    assert Counter(outcomes) == {"ok": 1, "insufficient_now": 15}
    assert_sound()


def test_one_workload_is_placed_once_by_many_loops() -> None:
    scene = a_scene()
    work = scene.work(gpus=1)

    outcomes = at_once(
        8, lambda i: outcome_of(lambda: scene.place(work, scene.placement(cards=(i,))))
    )

    assert outcomes.count("ok") == 1
    work.refresh_from_db()
    assert work.epoch == 1
    assert_sound()


def test_64_submissions_at_once_admit_exactly_the_pending_limit() -> None:
    scene = a_scene()
    image = an_image()
    GroupLimit.objects.create(group=scene.group, pending_per_user_max=7)
    actor = an_actor(scene.owner)
    submission = a_submission(scene, image.name)

    outcomes = at_once(
        THREADS,
        lambda _: outcome_of(lambda: services.submit_workload(actor=actor, submission=submission)),
    )

    assert Counter(outcomes) == {"ok": 7, "user_counter": 57}
    assert Workload.objects.count() == WorkloadEvent.objects.count() == 7


def test_notebooks_of_one_user_are_bounded_under_concurrency() -> None:
    scene = a_scene(slices=8)
    image = an_image()
    actor = an_actor(scene.owner)
    submission = a_submission(scene, image.name, "environment", slices=1)

    outcomes = at_once(
        THREADS,
        lambda _: outcome_of(lambda: services.submit_workload(actor=actor, submission=submission)),
    )

    assert Counter(outcomes) == {"ok": 5, "user_counter": 59}


def test_running_limit_is_exact() -> None:
    scene = a_scene(nodes=2)
    GroupLimit.objects.create(group=scene.group, running_per_user_max=3)
    works = [scene.work(gpus=1) for _ in range(16)]
    spots = [scene.placement(node, cards=(card,)) for node in range(2) for card in range(8)]

    outcomes = at_once(16, lambda i: outcome_of(lambda: scene.place(works[i], spots[i])))

    assert Counter(outcomes) == {"ok": 3, "user_counter": 13}


@pytest.mark.parametrize("round_", range(5))
def test_cancel_against_finish_ends_once_and_frees_once(round_: int) -> None:
    scene = a_scene()
    quota = a_quota(scene.group, ceiling=1000)
    work = scene.work(gpus=1)
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    node = scene.links[0]
    node.beat()
    node.beat(containers=[running(held)])

    at_once(2, lambda i: cancel(work) if i else node.beat(finished=[finished(held)]))

    work.refresh_from_db()
    quota.refresh_from_db()
    assert work.state in {"succeeded", "cancelled"}
    assert quota.used == 0
    assert_sound()


@pytest.mark.parametrize("round_", range(5))
def test_stop_against_the_first_reply(round_: int) -> None:
    scene = a_scene()
    work = scene.work()
    scene.place(work)
    node = scene.links[0]

    at_once(2, lambda i: cancel(work) if i else node.beat())

    work.refresh_from_db()
    if work.state == "stopping":
        node.beat()
        node.beat(finished=[])
        node.beat()
        work.refresh_from_db()
    assert work.state == "cancelled"
    assert scene.held(work) == []


def test_heartbeats_of_one_node_take_turns() -> None:
    scene = a_scene()
    work = scene.work()
    (held,) = scene.place(work)
    node = scene.links[0]
    node.beat()
    message = node.message(2, finished=[finished(held)])

    replies = at_once(8, lambda _: node.repeat(message))

    assert Counter(type(reply).__name__ for reply in replies) == {"Desired": 1, "Refused": 7}
    assert WorkloadEvent.objects.filter(workload=work, to_state="succeeded").count() == 1


def test_loss_of_a_node_against_its_return() -> None:
    scene = a_scene()
    work = scene.work()
    scene.place(work)
    node = scene.links[0]
    node.beat()
    Node.objects.filter(pk=node.node.pk).update(
        lease_until="2000-01-01T00:00:00Z", last_seen_at="2000-01-01T00:00:00Z"
    )

    def lose() -> None:
        with transaction.atomic():
            node_state.expire_silent_node(node.node.pk, silence=timedelta(seconds=15))

    at_once(2, lambda i: lose() if i else node.beat())

    work.refresh_from_db()
    node.node.refresh_from_db()
    assert (node.node.state, work.state) in {
        ("ready", "placing"),
        ("ready", "queued"),
        ("lost", "queued"),
    }
    assert_sound()


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("succeeded", "queued"),
        ("failed", "running"),
        ("cancelled", "queued"),
        ("queued", "running"),
        ("running", "placing"),
        ("suspended", "running"),
        ("stopping", "queued"),
    ],
)
def test_database_refuses_illegal_edges(source: str, target: str) -> None:
    scene = a_scene()
    work = scene.work(state=source)

    with pytest.raises(IntegrityError, match="illegal workload transition"), transaction.atomic():
        Workload.objects.filter(pk=work.pk).update(state=target)


def test_database_refuses_a_falling_epoch_and_a_second_life() -> None:
    scene = a_scene()
    work = scene.work()
    (held,) = scene.place(work)
    cancel(work)

    with pytest.raises(IntegrityError, match="only rises"), transaction.atomic():
        Workload.objects.filter(pk=work.pk).update(epoch=0)
    with pytest.raises(IntegrityError, match="illegal allocation"), transaction.atomic():
        Allocation.objects.filter(pk=held.pk).update(state="bound", released_at=None)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        WorkloadEvent.objects.filter(workload=work).delete()


def test_move_on_an_old_memory_of_the_row_is_refused() -> None:
    scene = a_scene()
    work = scene.work()
    old = Workload.objects.get(pk=work.pk)
    with transaction.atomic():
        move_workload(work, WorkloadState.CANCELLED, actor=Actor.system("test"))

    assert (
        outcome_of(lambda: move_workload(old, WorkloadState.CANCELLED, actor=Actor.system("test")))
        == "changed_meanwhile"
    )


def test_refused_placement_changes_nothing() -> None:
    scene = a_scene()
    quota = a_quota(scene.group, ceiling=5000)
    work = scene.work(gpus=2, replicas=2)
    bad = scene.placement(cards=(0, 1)), scene.placement(cards=(1, 2))

    with pytest.raises(PlacementRefusedError):
        scene.place(work, *bad)

    quota.refresh_from_db()
    work.refresh_from_db()
    assert (quota.used, work.state, work.epoch, work.version) == (0, "queued", 0, 0)
    assert not Allocation.objects.exists()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"state": "unready"}, "node_unavailable"),
        ({"state": "draining"}, "node_unavailable"),
        ({"cpu_milli": 500}, "insufficient_now"),
        ({"memory_mib": 1000}, "insufficient_now"),
    ],
)
def test_node_that_cannot_take_it_refuses(change: dict[str, object], code: str) -> None:
    scene = a_scene()
    Node.objects.filter(pk=scene.nodes[0].pk).update(**change)
    work = scene.work()

    assert outcome_of(lambda: scene.place(work)) == code
