"""The queue of a pool as people see it, and the policy that orders it."""

from datetime import timedelta
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import from_millis, now, to_millis
from portal.fleet import pool_queue
from portal.inventory.models import Node, Pool
from portal.inventory.policy import parse_pool_policy, with_defaults
from portal.workloads.models import Allocation, PoolQueue, SchedulerPass, Workload
from scheduler.core.model.policy import PoolPolicy, QueueRule
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.workloads import a_workload, an_allocation
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

HOUR = timedelta(hours=1)
IN_AN_HOUR = to_millis(now()) + 3_600_000
EXPECTED = {"earliest": IN_AN_HOUR, "latest": IN_AN_HOUR + 60_000, "basis": "limits"}


def found(pool: Pool, *line: Workload) -> None:
    """Let the last pass have found this order, each with the same answer."""
    reason = {"code": "insufficient_now", "params": {"resource": "gpus"}}
    PoolQueue.objects.create(
        pool=pool,
        workloads=[row.pk for row in reversed(line)],
        positions=list(range(len(line), 0, -1)),
        answer_of=[0] * len(line),
        answers=[{"reasons": [reason], "expected": EXPECTED}],
        decided_at=now(),
    )


def test_the_queue_is_shown_in_order_and_other_tenants_work_without_names() -> None:
    mine, theirs = a_group(), a_group()
    me, other = a_member(mine), a_member(theirs)
    pool = a_pool()
    first = a_workload(other, theirs, pool, gpus=8)
    second = a_workload(me, mine, pool, gpus=2)
    found(pool, first, second)

    queue = json_of(browser(me).get(f"{API}/pools/{pool.pk}/queue"))

    assert queue["waiting_total"] == 2
    ahead, own = queue["waiting"]
    assert (ahead["position"], ahead["work"]["gpus"], ahead["work"]["mine"]) == (1, 8, False)
    assert [ahead["work"][name] for name in ("id", "name", "owner", "group")] == [None] * 4
    assert (own["position"], own["work"]["name"], own["work"]["mine"]) == (2, second.name, True)
    assert own["reasons"][0]["code"] == "insufficient_now"
    assert own["expected_start"]["basis"] == "limits"
    assert (own["expected_start"]["sure_percent"], own["expected_start"]["estimates"]) == (None, 0)


def test_a_promised_start_is_in_the_queue_and_on_the_page_of_the_work() -> None:
    group = a_group()
    me = a_member(group)
    pool = a_pool()
    node = a_node(pool, "gpu-1")
    work = a_workload(me, group, pool, gpus=8)
    found(pool, work)
    promise: dict[str, Any] = {
        "workload": str(work.pk),
        "pool": str(pool.pk),
        "starts_at": IN_AN_HOUR,
        "nodes": [[str(node.pk), 1]],
        "is_promised": True,
    }
    SchedulerPass.objects.create(reservations=[promise])

    queue = json_of(browser(me).get(f"{API}/pools/{pool.pk}/queue"))
    detail = json_of(browser(me).get(f"{API}/jobs/{work.pk}"))

    [reserved] = queue["reservations"]
    assert reserved["work"]["name"] == work.name
    assert detail["reservation"] == {
        "starts_at": from_millis(IN_AN_HOUR).isoformat().replace("+00:00", "Z"),
        "nodes": [{"node": {"id": str(node.pk), "name": "gpu-1"}, "replicas": 1}],
    }
    assert reserved["starts_at"] == detail["reservation"]["starts_at"]


def test_guests_are_marked_in_the_pool_that_lends_and_in_their_own() -> None:
    group = a_group()
    me = a_member(group)
    home, lender = a_pool("training"), a_pool("development")
    node = a_node(lender, "gpu-dev")
    work = a_workload(me, group, home, gpus=1, state="running", preemptible=True)
    an_allocation(work, node, on=[(node.accelerators.get(index=0), 0)])

    [shown] = json_of(browser(me).get(f"{API}/nodes"))["results"]
    assert [holder["lent"] for holder in shown["accelerators"][0]["holders"]] == [True]
    for pool in (home, lender):
        [guest] = json_of(browser(me).get(f"{API}/pools/{pool.pk}/queue"))["running"]
        assert guest["lender"]["name"] == "development"
        assert guest["pool"]["name"] == "training"
        assert guest["nodes"] == ["gpu-dev"]


def test_running_work_is_in_the_order_of_its_starts_with_its_nodes_by_rank() -> None:
    group, pool, elsewhere = a_group(), a_pool(), a_pool()
    me = a_member(group)
    first, second, far = a_node(pool, "gpu-1"), a_node(pool, "gpu-2"), a_node(elsewhere, "far")
    at = now()

    def running(name: str, on: Pool, *nodes: Node, **columns: Any) -> None:
        work = a_workload(me, group, on, name=name, replicas=len(nodes), **columns)
        for rank, node in enumerate(nodes):
            an_allocation(work, node, rank=rank)

    running("young", pool, first, state="running", started_at=at)
    running("setting-up", pool, first, state="starting")
    running("old", pool, second, first, state="running", started_at=at - 2 * HOUR)
    running("abroad", pool, far, state="running", started_at=at - HOUR)
    running("other", elsewhere, far, state="running", started_at=at)
    running("half-a-guest", elsewhere, far, first, state="running", started_at=at + HOUR)
    gone = an_allocation(a_workload(me, group, pool, state="running", started_at=at), first)
    Allocation.objects.filter(pk=gone.pk).update(state="released", released_at=gone.created_at)

    answer = json_of(browser(me).get(f"{API}/pools/{pool.pk}/queue"))["running"]

    shown = [(row["work"]["name"], row["state"], row["nodes"]) for row in answer]
    assert shown == [
        ("old", "running", ["gpu-2", "gpu-1"]),
        ("abroad", "running", ["far"]),
        ("young", "running", ["gpu-1"]),
        ("half-a-guest", "running", ["gpu-1"]),
        ("setting-up", "starting", ["gpu-1"]),
    ]
    lenders = [row["lender"] and row["lender"]["name"] for row in answer]
    assert lenders == [None, elsewhere.name, None, pool.name, None]
    assert answer[2]["started_at"] == at.isoformat().replace("+00:00", "Z")
    assert answer[2]["ends_at"] == (at + HOUR).isoformat().replace("+00:00", "Z")
    assert (answer[4]["started_at"], answer[4]["ends_at"]) == (None, None)


def test_only_the_head_is_shown_and_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_queue, "ROWS_MAX", 2)
    group, pool = a_group(), a_pool()
    me = a_member(group)
    line = [a_workload(me, group, pool) for _ in range(3)]
    found(pool, *line)
    node = a_node(pool)
    for minutes in range(3):
        work = a_workload(
            me, group, pool, state="running", started_at=now() - HOUR + timedelta(minutes=minutes)
        )
        line.append(work)
        an_allocation(work, node)

    queue = json_of(browser(me).get(f"{API}/pools/{pool.pk}/queue"))

    assert queue["waiting_total"] == 3
    assert [row["work"]["id"] for row in queue["waiting"]] == [str(row.pk) for row in line[:2]]
    assert [row["work"]["id"] for row in queue["running"]] == [str(row.pk) for row in line[3:5]]


class TestPolicy:
    """Everybody may read the rules; a platform administrator sets them."""

    def test_rules_are_shown_beside_the_defaults(self) -> None:
        pool = a_pool()
        pool.policy = {"queue": "strict"}
        pool.save()
        answer = json_of(browser(a_user()).get(f"{API}/pools/{pool.pk}/policy"))
        assert answer["defaults"] == with_defaults({})
        assert answer["policy"] == {**with_defaults({}), "queue": "strict"}

    def test_what_is_set_is_what_the_engine_decides_by(self) -> None:
        pool, other = a_pool("one"), a_pool("two")
        admin = a_user(role="platform_admin")
        rules = {**with_defaults({}), "queue": "strict", "fall_back": ["two"], "grace_s": 30}
        answer = self._put(admin, pool, rules)
        assert json_of(answer)["policy"] == rules
        pool.refresh_from_db()
        assert pool.policy == {"queue": "strict", "fall_back": ["two"], "grace_s": 30}
        ids = {"one": str(pool.pk), "two": str(other.pk)}
        assert parse_pool_policy(pool.policy, ids) == PoolPolicy(
            queue=QueueRule.STRICT, fall_back=(str(other.pk),), grace_s=30
        )
        assert AuditEvent.objects.get(action="pool.policy").params["before"] == {}

    def test_others_may_not_set_them(self) -> None:
        pool = a_pool()
        for user in (a_member(a_group(), "group_admin"), a_user(role="auditor")):
            problem_of(self._put(user, pool, with_defaults({})), 403, "denied")

    @pytest.mark.parametrize(
        ("change", "pointer"),
        [
            ({"grace_s": -1}, "/grace_s"),
            ({"queue": "random"}, "/queue"),
            ({"preemption": 1}, "/preemption"),
            ({"lending": {"windows": [{"start": 10_080, "end": 0}]}}, "/lending/windows/0/start"),
            ({"lending": {"to_pools": ["nowhere"]}}, "/lending/to_pools"),
            ({"lending": {"bound_s": 59}}, "/lending/bound_s"),
            ({"fall_back": ["pool"]}, "/fall_back"),
            ({"idle_warn_s": 7200}, "/idle_warn_s"),
            ({"idle_stop_s": 3600}, "/idle_stop_s"),
            ({"idle_release_s": 0, "idle_stop_s": 1800}, "/idle_warn_s"),
        ],
    )
    def test_nonsense_is_refused_at_its_field(self, change: dict[str, Any], pointer: str) -> None:
        pool = a_pool("pool")
        rules = with_defaults({})
        lending = {**rules["lending"], **change.pop("lending", {})}
        answer = self._put(
            a_user(role="platform_admin"), pool, {**rules, **change, "lending": lending}
        )
        assert answer.status_code in (400, 422), answer.content
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
        pool.refresh_from_db()
        assert pool.policy == {}

    @staticmethod
    def _put(user: Any, pool: Pool, rules: dict[str, Any]) -> Any:
        return browser(user).put(f"{API}/pools/{pool.pk}/policy", rules, format="json")


def test_work_on_hold_has_no_place_in_the_queue() -> None:
    group, pool = a_group(), a_pool()
    me = a_member(group)
    held = a_workload(me, group, pool, gpus=2, held_by="user")
    PoolQueue.objects.create(
        pool=pool,
        workloads=[held.pk],
        positions=[1],
        answer_of=[0],
        answers=[{"reasons": [{"code": "held_by_user", "params": {}}], "expected": None}],
        decided_at=now(),
    )

    (row,) = json_of(browser(me).get(f"{API}/pools/{pool.pk}/queue"))["waiting"]

    assert (row["position"], row["reasons"][0]["code"]) == (None, "held_by_user")
