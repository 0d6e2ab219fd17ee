"""Many placements in one transaction: the same promises as one by one, on real PostgreSQL."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from portal.common.redis_client import get_redis_client
from portal.inventory.models import Node
from portal.quotas import changes as quotas
from portal.quotas.models import Budget, GroupLimit
from portal.quotas.services import recount_quotas
from portal.workloads import services
from portal.workloads.models import Allocation, Workload
from portal.workloads.operations import nodes
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state import commit
from scheduler.core.cycle import run_cycle
from scheduler.core.model.plan import Plan, PlannedStart
from scheduler.core.model.snapshot import Snapshot
from scheduler.runtime.loop import run_once
from tests.builders.at_once import at_once
from tests.builders.machines import an_image
from tests.builders.people import a_user, an_actor
from tests.builders.scenes import a_quota, a_scene, assert_sound
from tests.plans import apply_plan
from tests.portal.workloads.state.test_races import a_submission

Execute = Callable[..., object]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def planned() -> tuple[Plan, Snapshot]:
    snapshot = load_snapshot()
    return run_cycle(snapshot, snapshot.taken_at), snapshot


def states() -> Counter[str]:
    return Counter(Workload.objects.values_list("state", flat=True))


def test_a_batch_takes_no_more_statements_than_a_single_placement() -> None:
    scene = a_scene(nodes=5)
    a_quota(scene.group, ceiling=None, user_ceiling=100_000)
    for _ in range(40):
        scene.work(gpus=1)
    plan, _ = planned()

    with CaptureQueriesContext(connection) as single:
        commit.commit_placements(plan.starts[:1])
    with CaptureQueriesContext(connection) as batch:
        refused = commit.commit_placements(plan.starts[1:])

    assert len(batch) <= len(single)
    assert refused == {}
    assert states() == {"placing": 40}
    assert_sound()


def test_in_a_batch_a_limit_stops_exactly_what_is_beyond_it() -> None:
    scene = a_scene(nodes=2)
    quota = a_quota(scene.group, ceiling=None)
    GroupLimit.objects.create(group=scene.group, running_per_user_max=9)
    for _ in range(8):
        scene.work(gpus=1)
    plan, _ = planned()
    quota.ceiling = 5000
    quota.save(update_fields=["ceiling"])

    refused = commit.commit_placements(plan.starts)

    quota.refresh_from_db()
    assert quota.used == 5000
    assert Counter(error.code for error in refused.values()) == {"quota_ceiling": 3}
    assert refused.keys() == {place.workload for place in plan.starts[5:]}
    assert_sound()


def test_a_node_drained_between_plan_and_commit_refuses_its_own_only() -> None:
    scene = a_scene(nodes=2, cards=2)
    for _ in range(4):
        scene.work(gpus=1)
    plan, snapshot = planned()
    drained = scene.nodes[0]
    nodes.drain_node(actor=an_actor(a_user(role="operator")), node_id=drained.pk)

    applied = apply_plan(plan, snapshot)

    assert (applied.placed, len(applied.refused)) == (2, 2)
    assert not Allocation.objects.filter(node=drained).exists()
    assert_sound()


def test_a_card_named_twice_in_a_batch_is_given_once() -> None:
    scene = a_scene(cards=2)
    first, second = scene.work(gpus=1), scene.work(gpus=1)
    spot = scene.placement(cards=(0,))
    places = [PlannedStart(str(work.pk), 0, (spot,)) for work in (first, second)]  # type: ignore[arg-type]

    refused = commit.commit_placements(places)

    assert {key: error.code for key, error in refused.items()} == {
        str(second.pk): "insufficient_now"
    }
    assert states() == {"placing": 1, "queued": 1}
    assert_sound()


def test_a_batch_that_the_database_refuses_is_tried_in_halves() -> None:
    scene = a_scene(cards=8)
    bad = [scene.work(gpus=1) for _ in range(8)][5].pk
    plan, snapshot = planned()
    batches = 0

    def break_the_sixth(execute: Execute, sql: str, params: object, *args: object) -> object:
        nonlocal batches
        if "INSERT INTO workloads_allocation (" in sql:
            batches += 1
            if str(bad) in str(params):
                raise DatabaseError("planted")
        return execute(sql, params, *args)

    with connection.execute_wrapper(break_the_sixth):
        applied = apply_plan(plan, snapshot)

    assert (applied.placed, set(map(str, applied.refused))) == (7, {str(bad)})
    assert batches == 7  # all, and down to the one by halves
    assert states() == {"placing": 7, "queued": 1}
    assert_sound()


@pytest.mark.parametrize("gpus", [0, 1])
def test_budgets_are_locked_for_work_with_gpus_only(gpus: int) -> None:
    scene = a_scene(cards=1)
    Budget.objects.create(group=scene.group, period="month", gpu_hours=1000)
    scene.work(gpus=gpus, cpu_milli=100)
    plan, snapshot = planned()

    with CaptureQueriesContext(connection) as queries:
        applied = apply_plan(plan, snapshot)

    assert applied.placed == 1
    assert any("quotas_budget" in query["sql"] for query in queries) == bool(gpus)


def test_64_submitters_while_quotas_change_and_nodes_drain_never_break_a_promise() -> None:
    scene = a_scene(nodes=4)
    image = an_image()
    quota = a_quota(scene.group, "cpu", ceiling=4000)
    submission = a_submission(scene, image.name)
    actor, admin = an_actor(scene.owner), an_actor(a_user(role="platform_admin"))

    def act(number: int) -> None:
        if number < 56:
            services.submit_workload(actor=actor, submission=submission)
        elif number < 60:
            run_once()
        elif number < 62:
            quotas.change_quota(actor=admin, quota_id=quota.pk, changes={"ceiling": 9000})
        else:
            nodes.drain_node(actor=admin, node_id=scene.nodes[number - 62].pk)

    at_once(64, act)
    get_redis_client().flushdb()
    for _ in range(3):
        run_once()

    assert Workload.objects.count() == 56
    assert states() == {"placing": 9, "queued": 47}
    assert Node.objects.filter(hold="drain").count() == 2
    assert recount_quotas() == 0
    assert_sound()
