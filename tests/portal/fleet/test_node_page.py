"""What the page of a node shows beside its cards: the work on it, and the checks of its host."""

import pytest
from django.db.models import F
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from portal.agentlink import enrolment
from portal.inventory.models import Node
from portal.workloads.models import Allocation, AllocationDevice
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.workloads import a_workload, an_allocation
from tests.rest import API, browser, json_of, problem_of, stranger
from wire.node_checks import NodeCheck, NodeChecksReport
from wire.words import CheckLevel

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_work_on_a_node_names_what_each_replica_holds() -> None:
    group = a_group()
    owner = a_member(group)
    pool = a_pool(slices=8)
    node, other = a_node(pool, cards=2), a_node(pool, cards=1)
    first = node.accelerators.get(index=0)
    work = a_workload(owner, group, pool, name="train", slices=2, replicas=2, cpu_milli=3000)
    an_allocation(work, node, on=[(first, 5), (first, 4)])
    an_allocation(work, other, rank=1)
    ended = an_allocation(a_workload(owner, group, pool), node)
    Allocation.objects.filter(pk=ended.pk).update(state="released", released_at=ended.created_at)
    [shown] = json_of(browser(owner).get(f"{API}/nodes/{node.pk}/work"))["results"]
    assert shown["work"] == {
        "id": str(work.pk),
        "name": "train",
        "owner": {
            "id": str(owner.pk),
            "username": owner.username,
            "display_name": owner.display_name,
        },
        "group": {
            "id": str(group.pk),
            "name": group.name,
            "title_en": group.title_en,
            "title_zh": group.title_zh,
        },
        "mine": True,
        "kind": "training",
        "gpus": 0,
        "slices": 2,
        "replicas": 2,
        "preemptible": False,
    }
    assert (shown["rank"], shown["cpu_milli"], shown["memory_mib"]) == (0, 3000, 1024)
    part = {"uuid": first.uuid, "index": 0, "slices": 8, "gpu_milli": 0}
    assert shown["devices"] == [
        {**part, "slot": slot, "memory_mib": first.slice_mib} for slot in (4, 5)
    ]
    AllocationDevice.objects.update(released_at=F("held_from"), claim_mode=None)
    [parked] = json_of(browser(owner).get(f"{API}/nodes/{node.pk}/work"))["results"]
    assert parked["devices"] == []


def test_work_of_other_groups_on_a_node_has_no_names() -> None:
    mine, theirs = a_group(), a_group()
    me, other = a_member(mine), a_member(theirs)
    pool = a_pool()
    node = a_node(pool, cards=1)
    an_allocation(a_workload(other, theirs, pool, gpus=1), node, on=[(node.accelerators.get(), 0)])
    url = f"{API}/nodes/{node.pk}/work"
    [foreign] = json_of(browser(me).get(url))["results"]
    work = foreign["work"]
    assert [work[name] for name in ("id", "name", "owner", "group")] == [None] * 4
    assert (work["mine"], work["kind"]) == (False, "training")
    assert [item["index"] for item in foreign["devices"]] == [0]
    [seen] = json_of(browser(a_user(role="operator")).get(url))["results"]
    assert seen["work"]["owner"]["username"] == other.username


def test_work_on_a_node_takes_the_same_queries_for_one_and_for_many(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    group = a_group()
    owner = a_member(group)
    pool = a_pool(slices=8)
    node = a_node(pool, cards=2)
    for card in node.accelerators.all():
        for slot in range(8):
            an_allocation(a_workload(owner, group, pool, slices=1), node, on=[(card, slot)])
    client = browser(owner)
    with django_assert_max_num_queries(7):
        assert len(json_of(client.get(f"{API}/nodes/{node.pk}/work"))["results"]) == 16
    gone = a_node(pool, state="retired")
    problem_of(client.get(f"{API}/nodes/{gone.pk}/work"), 404, "not_found")


def report_checks(node: Node, *checks: NodeCheck) -> None:
    """Report as the agent of a node does."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {enrolment._new_key(node)}")
    body = NodeChecksReport(checks=checks).model_dump()
    assert json_of(client.post("/node/v1/checks", body, format="json")) == {}


def test_operators_read_what_the_doctor_of_a_node_last_found() -> None:
    node = a_node(a_pool())
    url = f"{API}/nodes/{node.pk}/checks"
    operator = browser(a_user(role="operator"))
    assert json_of(operator.get(url)) == {"reported_at": None, "checks": []}
    bad = NodeCheck(code="clock", level=CheckLevel.FAIL, en="40 s off", zh="差 40 秒", fix="ntp")
    good = NodeCheck(code="root", level=CheckLevel.OK, en="root", zh="以 root 运行")
    report_checks(node, bad)
    report_checks(node, good, bad)
    shown = json_of(operator.get(url))
    assert shown["checks"] == [
        {"code": "root", "level": "ok", "en": "root", "zh": "以 root 运行", "fix": ""},
        {"code": "clock", "level": "fail", "en": "40 s off", "zh": "差 40 秒", "fix": "ntp"},
    ]
    assert shown["reported_at"] is not None
    problem_of(browser(a_user()).get(url), 403, "denied")
    problem_of(browser(a_user(role="auditor")).get(url), 403, "denied")


def test_checks_are_taken_from_nodes_only_and_only_if_they_are_well_formed() -> None:
    node = a_node(a_pool())
    assert stranger().post("/node/v1/checks", {}, format="json").status_code == 401
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {enrolment._new_key(node)}")
    wrong = {"checks": [{"code": "clock", "level": "grave", "en": "", "zh": ""}]}
    problem_of(client.post("/node/v1/checks", wrong, format="json"), 422, "bad_message")
