"""The loader: one moment, a fixed number of queries, everything that a decision needs."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.common.clock import freeze, now, to_millis
from portal.inventory.models import Node
from portal.quotas.models import GroupLimit, UserUse
from portal.workloads.models import Allocation, Workload
from portal.workloads.snapshot.loader import load_site, load_snapshot
from scheduler.core.cycle import run_cycle
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.snapshot_codec import decode_snapshot, encode_snapshot
from tests.builders.machines import an_image
from tests.builders.people import a_root
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.builders.workloads import an_allocation

pytestmark = pytest.mark.django_db(transaction=True)
QUERIES_MAX = 25


def running_on(scene: Scene, index: int, **asked: object) -> Workload:
    """Save a running workload that holds one card, or slot 0 of it."""
    work = scene.work(state="running", gpus=1, **asked)
    work.epoch = 1
    work.save(update_fields=["epoch"])
    card = scene.nodes[0].accelerators.get(index=index)
    an_allocation(work, scene.nodes[0], on=[(card, 0)])
    return work


@pytest.fixture
def seldom_learned(set_site: Callable[..., None]) -> None:
    """Learn run times as seldom as an installation does, unlike other tests."""
    set_site(run_times_learned_every_s=300)


def queries_of(load: Callable[[], Snapshot]) -> int:
    with CaptureQueriesContext(connection) as queries:
        load()
    return sum(query["sql"] not in {"BEGIN", "COMMIT"} for query in queries)


@pytest.mark.usefixtures("seldom_learned")
def test_the_number_of_queries_does_not_grow_with_the_work() -> None:
    scene = a_scene()
    load_snapshot()
    when_empty = queries_of(load_snapshot)
    for index in range(4):
        running_on(scene, index)
        scene.work(gpus=1)
    a_quota(scene.group, ceiling=6000)

    with_owners = when_empty + 1  # who may still submit is asked of those who have work
    assert queries_of(load_snapshot) == with_owners + 1 <= QUERIES_MAX
    assert queries_of(load_snapshot) == with_owners
    assert queries_of(load_site) < QUERIES_MAX


@pytest.mark.usefixtures("seldom_learned")
def test_what_has_changed_since_the_last_load_is_seen() -> None:
    scene = a_scene()
    changes, stays = scene.work(gpus=1), scene.work(gpus=1)
    before = {str(view.id): view for view in load_snapshot().pending}
    Workload.objects.filter(pk=changes.pk).update(priority=70)
    an_allocation(stays, scene.nodes[0], on=[])

    held = {str(view.id): view for view in load_snapshot().pending}
    Allocation.objects.filter(workload=stays).delete()
    after = {str(view.id): view for view in load_snapshot().pending}

    assert (before[str(changes.pk)].priority, after[str(changes.pk)].priority) == (0, 70)
    assert held[str(stays.pk)].held != ()
    assert after[str(stays.pk)] == before[str(stays.pk)]


def test_a_raised_priority_and_a_pause_end_by_themselves() -> None:
    scene = a_scene()
    work = scene.work(gpus=1, priority=50)
    soon = now() + timedelta(minutes=1)
    Workload.objects.filter(pk=work.pk).update(priority_until=soon, retry_at=soon)

    (before,) = load_snapshot().pending
    with freeze(soon):
        (after,) = load_snapshot().pending

    assert (before.priority, len(before.held)) == (50, 1)
    assert (after.priority, after.held) == (0, ())


def test_what_runs_is_counted_on_its_node_and_card() -> None:
    scene = a_scene(nodes=1, cards=2)
    scene.pool.cpu_overcommit_pct = 400
    scene.pool.save()
    work = running_on(scene, 1, cpu_milli=3000, memory_mib=2048)
    started = now()
    Workload.objects.filter(pk=work.pk).update(started_at=started)

    snapshot = load_snapshot()

    (node,) = snapshot.nodes
    assert (node.cpu_milli, node.cpu_used_milli, node.memory_used_mib) == (96_000 * 4, 3000, 2048)
    taken = {card.index: card.taken_slots for card in snapshot.accelerators}
    assert taken == {0: frozenset(), 1: frozenset({0})}
    (running,) = snapshot.running
    assert running.ends_at == to_millis(started) + 3600 * 1000
    assert [slot for _, slot in running.placements[0].devices] == [0]


def test_quotas_come_with_their_tree_and_their_users() -> None:
    scene = a_scene()
    quota = a_quota(scene.group, ceiling=6000, user_ceiling=2000, pool=scene.pool)
    UserUse.objects.create(quota=quota, user=scene.owner, used=1000)
    a_quota(a_root(), "cpu", ceiling=None)

    snapshot = load_snapshot()

    group = next(view for view in snapshot.groups if view.name == scene.group.name)
    assert group.path == (str(a_root().pk), str(scene.group.pk))
    by_resource = {row.resource.value: row for row in snapshot.quotas}
    assert by_resource["gpu"].user_ceiling == 2000
    assert (by_resource["cpu"].pool, by_resource["cpu"].ceiling) == (None, None)
    (use,) = snapshot.user_use
    assert (use.user, use.pool, use.used) == (str(scene.owner.pk), str(scene.pool.pk), 1000)


def test_running_work_of_waiting_users_is_counted_where_it_is_limited() -> None:
    scene = a_scene()
    GroupLimit.objects.create(group=scene.group, running_per_user_max=2)
    running_on(scene, 0)
    scene.work(gpus=1)

    (counters,) = load_snapshot().counters

    assert (counters.running, counters.running_max) == (1, 2)


def test_requeued_work_waits_until_its_old_attempt_is_gone() -> None:
    scene = a_scene()
    work = running_on(scene, 0)
    Workload.objects.filter(pk=work.pk).update(state="queued")

    snapshot = load_snapshot()

    (pending,) = snapshot.pending
    assert pending.held == (Reason(ReasonCode.WAITING_FOR_EVICTION, {"allocations": 1}),)
    (leaving,) = snapshot.running
    assert (leaving.id, leaving.stopping, leaving.stopping_for) == (pending.id, True, None)
    assert sum(len(card.taken_slots) for card in snapshot.accelerators) == 1
    assert run_cycle(snapshot, snapshot.taken_at).starts == ()


@pytest.mark.parametrize(
    ("cause", "is_avoided"), [("vanished", True), ("start_failed", True), ("exited", False)]
)
def test_a_node_that_failed_the_last_attempt_is_avoided(cause: str, *, is_avoided: bool) -> None:
    scene = a_scene()
    work = running_on(scene, 0)
    Allocation.objects.update(state="released", released_at=now(), exit_cause=cause)
    Workload.objects.filter(pk=work.pk).update(state="queued")

    (pending,) = load_snapshot().pending

    assert pending.avoid == ({str(scene.nodes[0].pk)} if is_avoided else set())


LOCAL = [{"code": "storage_local", "detail": "", "is_blocking": False}]


@pytest.mark.parametrize(
    ("faults", "states", "is_home"),
    [
        (LOCAL, [], True),
        (LOCAL, ["unready", "lost"], True),
        (LOCAL, ["draining", "drained", "retired"], False),
        ([], [], False),
    ],
)
def test_a_notebook_goes_back_to_the_node_that_has_its_files(
    faults: list[object], states: list[str], *, is_home: bool
) -> None:
    scene = a_scene(nodes=2)
    work = running_on(scene, 0)
    Allocation.objects.update(state="released", released_at=now(), started_at=now())
    Workload.objects.filter(pk=work.pk).update(state="queued", kind="environment")
    node = Node.objects.filter(pk=scene.nodes[0].pk)
    node.update(faults=faults)
    for state in states:
        node.update(state=state)

    (pending,) = load_snapshot().pending

    assert pending.request.home_nodes == ({str(scene.nodes[0].pk)} if is_home else set())


def test_all_queries_see_the_same_moment() -> None:
    scene = a_scene()
    intruder = ThreadPoolExecutor(max_workers=1)
    seen: list[str] = []

    def intrude() -> None:
        Node.objects.update(state="unready")
        connection.close()

    def between(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        result = execute(sql, *args)
        if "workloads_allocationdevice" in sql and not seen:
            seen.append(sql)
            intruder.submit(intrude).result()
        return result

    with connection.execute_wrapper(between):
        snapshot = load_snapshot()

    assert seen
    assert Node.objects.get(pk=scene.nodes[0].pk).state == "unready"
    assert snapshot.nodes[0].state == "ready"


def test_a_loaded_snapshot_survives_its_json_form() -> None:
    scene = a_scene(slices=4)
    scene.work(slices=2)
    a_quota(scene.group, ceiling=6000)
    snapshot = load_snapshot()

    assert decode_snapshot(json.loads(json.dumps(encode_snapshot(snapshot)))) == snapshot


def test_a_thousand_queued_workloads_are_all_answered() -> None:
    scene = a_scene(nodes=4)
    image = an_image()
    Workload.objects.bulk_create(
        Workload(
            kind="training",
            name=f"work-{number}",
            owner=scene.owner,
            group=scene.group,
            pool=scene.pool,
            image=image,
            gpus=1 + number % 8,
            cpu_milli=1000,
            memory_mib=1024,
            time_limit_s=3600,
            submitted_at=now() + timedelta(milliseconds=number),
        )
        for number in range(1000)
    )
    a_quota(scene.group, ceiling=20_000)

    snapshot = load_snapshot()
    plan = run_cycle(snapshot, snapshot.taken_at)

    assert len(plan.starts) + len(plan.holds) == 1000
