"""What operators make of pools: new ones, other cuts, nodes that move, removal."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.inventory.models import Accelerator, Node, Pool
from portal.workloads.models import Workload
from scheduler.core.model.states import NodeHold
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import a_quota
from tests.builders.workloads import a_workload, an_allocation
from tests.rest import API, browser, json_of, openapi, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

NEW: dict[str, Any] = {
    "name": "slices",
    "title_en": "Slices",
    "title_zh": "切片池",
    "purpose": "development",
    "mode": "shared",
    "slices_per_card": 8,
    "slice_mib": 4096,
    "default_time_limit_s": 3600,
    "time_limit_s_max": 7200,
}


@pytest.fixture
def operator() -> APIClient:
    return browser(a_user(role="operator"))


def drained(pool: Pool, cards: int = 2) -> Node:
    """Save a node that has been emptied."""
    node = a_node(pool, cards=cards, state="drained")
    Node.objects.filter(pk=node.pk).update(hold=NodeHold.DRAIN.value)
    return node


def cuts(node: Node) -> set[tuple[str, int, int]]:
    """Return how the cards of a node are cut."""
    return set(node.accelerators.values_list("mode", "slices", "slice_mib"))


def test_a_pool_is_made_for_services_and_changed_to_another_purpose(operator: APIClient) -> None:
    made = json_of(operator.post(f"{API}/pools", {**NEW, "purpose": "inference"}, "json"), 201)
    assert made["purpose"] == "inference"

    pool = f"{API}/pools/{made['id']}"
    changed = json_of(operator.patch(pool, {"purpose": "training"}, "json"))

    assert changed["purpose"] == "training"


def test_a_pool_for_services_takes_jobs_that_name_it_and_none_by_default() -> None:
    pool, group = a_pool("old"), a_group("lab")
    a_node(pool)
    an_image("python")
    Pool.objects.update(purpose=Pool.Purpose.INFERENCE)
    asked = {
        "name": "first",
        "group": "lab",
        "image": "python",
        "command": ["true"],
        "cpu_milli": 100,
        "memory_mib": 64,
    }
    member = browser(a_member(group))
    taken = json_of(member.post(f"{API}/jobs", {**asked, "pool": "old"}, "json"), 202)
    assert taken["pool"]["name"] == "old"
    problem_of(member.post(f"{API}/jobs", asked, "json"), 422, "no_pool_serves_this")


def test_the_document_says_what_each_purpose_means() -> None:
    shapes = openapi()["components"]["schemas"]
    words = shapes["PoolOutput"]["properties"]["purpose"]["description"]
    assert all(f"`{purpose}`" in words for purpose in shapes["PurposeEnum"]["enum"])
    assert shapes["PurposeEnum"]["enum"] == ["development", "training", "inference"]


@pytest.mark.parametrize(
    ("mode", "slices", "slice_mib"),
    [("exclusive", 1, 0), ("shared", 1, 0), ("shared", 10, 2048), ("mig", 8, 10240)],
)
def test_an_operator_makes_a_pool_of_each_kind(
    operator: APIClient, mode: str, slices: int, slice_mib: int
) -> None:
    wish = {**NEW, "mode": mode, "slices_per_card": slices, "slice_mib": slice_mib}
    answer = operator.post(f"{API}/pools", wish, "json")
    made = json_of(answer, 201)
    assert (made["mode"], made["slices_per_card"], made["is_open"]) == (mode, slices, True)
    assert answer["Location"] == f"{API}/pools/{made['id']}"
    assert AuditEvent.objects.get().action == "pool.create"
    problem_of(operator.post(f"{API}/pools", wish, "json"), 409, "pool_name_taken")


def test_a_new_pool_keeps_tenants_apart_as_its_operator_says(operator: APIClient) -> None:
    strict = json_of(operator.post(f"{API}/pools", {**NEW, "isolation": "cgroup"}, "json"), 201)
    usual = {**NEW, "name": "usual", "isolation": "timeslice"}
    json_of(operator.post(f"{API}/pools", usual, "json"), 201)
    assert strict["isolation"] == "cgroup"
    assert dict(Pool.objects.values_list("name", "policy")) == {
        "slices": {"isolation": "cgroup"},
        "usual": {},
    }
    wrong = {**NEW, "name": "wrong", "isolation": "exclusive"}
    problem_of(operator.post(f"{API}/pools", wrong, "json"), 400, "invalid_input")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"slices_per_card": 3}, "pool_cut_unknown"),
        ({"mode": "exclusive"}, "pool_cut_unknown"),
        ({"mode": "mig", "slices_per_card": 2}, "pool_cut_unknown"),
        ({"slice_mib": 0}, "slice_needs_memory"),
        ({"slices_per_card": 1}, "slice_without_cut"),
        ({"default_time_limit_s": 7201}, "default_above_longest"),
        ({"name": "Not A Slug"}, "invalid_input"),
        ({"cpu_overcommit_pct": 99}, "invalid_input"),
    ],
)
def test_a_pool_that_makes_no_sense_is_refused(
    operator: APIClient, wrong: dict[str, Any], code: str
) -> None:
    problem_of(
        operator.post(f"{API}/pools", {**NEW, **wrong}, "json"),
        400 if code == "invalid_input" else 422,
        code,
    )
    assert not Pool.objects.exists()


@pytest.mark.parametrize("role", ["", "auditor"])
def test_others_may_look_only(role: str) -> None:
    pool, node = a_pool(), drained(a_pool())
    client = browser(a_user(role=role))
    for answer in (
        client.post(f"{API}/pools", NEW, "json"),
        client.patch(f"{API}/pools/{pool.pk}", {"is_open": False}, "json"),
        client.delete(f"{API}/pools/{pool.pk}"),
        client.post(f"{API}/nodes/{node.pk}/move", {"pool": str(pool.pk)}, "json"),
    ):
        problem_of(answer, 403, "denied")
    pool.refresh_from_db()
    assert pool.is_open


def test_what_a_pool_is_can_be_changed_while_it_works(operator: APIClient) -> None:
    pool = a_pool(slices=8)
    a_node(pool)
    wish = {"title_zh": "新名", "is_open": False, "time_limit_s_max": 9 * 3600}
    shown = json_of(operator.patch(f"{API}/pools/{pool.pk}", wish, "json"))
    assert {name: shown[name] for name in wish} == wish
    told = AuditEvent.objects.get(action="pool.change")
    assert told.params["before"]["is_open"] is True
    problem_of(
        operator.patch(f"{API}/pools/{pool.pk}", {"time_limit_s_max": 60}, "json"),
        422,
        "default_above_longest",
    )


def test_cards_are_cut_anew_only_when_all_nodes_are_drained(operator: APIClient) -> None:
    pool = a_pool(slices=8)
    empty, busy = drained(pool), a_node(pool)
    wish = {"slices_per_card": 4, "slice_mib": 8192}
    refused = problem_of(operator.patch(f"{API}/pools/{pool.pk}", wish, "json"), 409, "drain_first")
    assert refused["params"] == {"node": busy.name, "state": "ready"}
    assert cuts(empty) == {("shared", 8, 4096)}
    Node.objects.filter(pk=busy.pk).update(state="drained")
    json_of(operator.patch(f"{API}/pools/{pool.pk}", wish, "json"))
    assert cuts(empty) == cuts(busy) == {("shared", 4, 8192)}


def test_a_cut_that_cards_are_too_small_for_changes_nothing(operator: APIClient) -> None:
    pool = a_pool(slices=8)
    node = drained(pool)
    wish = {"slice_mib": 8192}
    refused = operator.patch(f"{API}/pools/{pool.pk}", wish, "json")
    assert problem_of(refused, 409, "card_too_small")["params"]["needs_mib"] == 65536
    pool.refresh_from_db()
    assert (pool.slice_mib, cuts(node)) == (4096, {("shared", 8, 4096)})


@pytest.mark.parametrize("state", ["queued", "suspended"])
def test_cards_are_not_cut_anew_under_work_that_was_asked_for_in_slices(
    operator: APIClient, state: str
) -> None:
    pool, group = a_pool(slices=8), a_group()
    drained(pool)
    a_workload(a_member(group), group, pool, kind="environment", state=state, slices=1)
    wish = {"mode": "exclusive", "slices_per_card": 1, "slice_mib": 0}
    problem_of(operator.patch(f"{API}/pools/{pool.pk}", wish, "json"), 409, "pool_has_work")


def test_a_drained_node_moves_with_its_cards_and_they_are_cut_as_the_new_pool_says(
    operator: APIClient,
) -> None:
    here, there = a_pool(), a_pool(slices=8)
    node = drained(here)
    shown = json_of(operator.post(f"{API}/nodes/{node.pk}/move", {"pool": str(there.pk)}, "json"))
    assert (shown["pool"]["name"], shown["state"]) == (there.name, "drained")
    assert cuts(node) == {("shared", 8, 4096)}
    assert set(Accelerator.objects.values_list("pool", flat=True)) == {there.pk}
    assert AuditEvent.objects.get(action="node.move").params["from"] == here.name


def test_a_node_that_works_or_is_not_proven_empty_does_not_move(operator: APIClient) -> None:
    here, there, group = a_pool(), a_pool(), a_group()
    ready, leaving = a_node(here, cards=1), drained(here)
    work = a_workload(a_member(group), group, here, state="stopping", gpus=1)
    an_allocation(work, leaving, on=[(leaving.accelerators.get(index=0), 0)])
    for node in (ready, leaving):
        answer = operator.post(f"{API}/nodes/{node.pk}/move", {"pool": str(there.pk)}, "json")
        problem_of(answer, 409, "drain_first")
        assert Node.objects.get(pk=node.pk).pool == here


def test_a_node_that_alone_has_the_files_of_a_notebook_does_not_move(operator: APIClient) -> None:
    here, there, group = a_pool(slices=8), a_pool(slices=8), a_group()
    node = drained(here)
    local = {"code": "storage_local", "detail": "", "is_blocking": False}
    Node.objects.filter(pk=node.pk).update(faults=[local])
    work = a_workload(a_member(group), group, here, kind="environment", state="running", slices=1)
    held = an_allocation(work, node, on=[(node.accelerators.get(index=0), 0)])
    held.devices.all().delete()
    held.state, held.started_at, held.released_at = "released", held.created_at, held.created_at
    held.save()
    Workload.objects.filter(pk=work.pk).update(state="suspended")
    answer = operator.post(f"{API}/nodes/{node.pk}/move", {"pool": str(there.pk)}, "json")
    assert problem_of(answer, 409, "node_keeps_files")["params"]["count"] == 1
    Workload.objects.filter(pk=work.pk).update(state="cancelled")
    json_of(operator.post(f"{API}/nodes/{node.pk}/move", {"pool": str(there.pk)}, "json"))


def test_a_pool_is_removed_only_when_nothing_is_in_it(operator: APIClient) -> None:
    pool, group = a_pool(), a_group()
    address = f"{API}/pools/{pool.pk}"
    quota = a_quota(group, ceiling=1, pool=pool)
    problem_of(operator.delete(address), 409, "pool_has_quotas")
    quota.delete()
    other = a_pool()
    Pool.objects.filter(pk=other.pk).update(policy={"fall_back": [pool.name]})
    problem_of(operator.delete(address), 409, "pool_is_named")
    Pool.objects.filter(pk=other.pk).update(policy={})
    node = drained(pool)
    problem_of(operator.delete(address), 409, "pool_has_nodes")
    json_of(operator.post(f"{API}/nodes/{node.pk}/move", {"pool": str(other.pk)}, "json"))
    work = a_workload(a_member(group), group, pool)
    problem_of(operator.delete(address), 409, "pool_has_work")
    Workload.objects.filter(pk=work.pk).update(state="cancelled")
    problem_of(operator.delete(address), 409, "pool_has_past")
    work.delete()
    assert operator.delete(address).status_code == 204
    assert not Pool.objects.filter(pk=pool.pk).exists()
    assert AuditEvent.objects.filter(action="pool.remove", object_id=pool.pk).exists()
    problem_of(operator.delete(address), 404, "not_found")
