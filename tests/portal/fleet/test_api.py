"""Pools and nodes as people see them."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from portal.common.clock import now
from portal.common.notifications import ROWS_MAX
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.workloads import a_workload, an_allocation
from tests.rest import API, browser, json_of, problem_of, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_pool_counts_free_slices_and_cards_from_the_rows() -> None:
    group = a_group()
    owner = a_member(group)
    pool = a_pool(slices=8)
    node = a_node(pool, cards=2)
    first = node.accelerators.get(index=0)
    work = a_workload(owner, group, pool, state="running", slices=3)
    an_allocation(work, node, on=[(first, 0), (first, 1), (first, 2)])
    a_workload(owner, group, pool, slices=1)
    shown = json_of(browser(owner).get(f"{API}/pools/{pool.pk}"))
    assert shown["capacity"] == {
        "nodes": 1,
        "gpus_total": 2,
        "gpus_free": 1,
        "gpus_lost": 0,
        "slices_total": 16,
        "slices_free": 13,
        "largest_free": 8,
        "waiting": 1,
        "is_simulated": True,
        "model": "Simulated 32GB",
        "memory_mib": 32768,
    }
    assert shown["limits"] == {
        "gpus_max": 0,
        "slices_max": 8,
        "gpu_memory_mib_max": 0,
        "burst_pct": 100,
        "profiles": [],
        "cpu_milli_max": 96000,
        "memory_mib_max": 524288,
        "replicas_max": 64,
    }


def test_cards_of_a_silent_node_are_not_free() -> None:
    pool = a_pool()
    a_node(pool, cards=8, state="unready")
    a_node(pool, cards=4)
    [shown] = json_of(browser(a_user()).get(f"{API}/pools"))["results"]
    assert shown["capacity"]["gpus_total"] == 12
    assert shown["capacity"]["gpus_free"] == 4
    assert shown["capacity"]["largest_free"] == 4
    assert shown["limits"]["gpus_max"] == 8


def test_holders_of_other_groups_show_only_that_a_slot_is_taken() -> None:
    mine, theirs = a_group(), a_group()
    me, other = a_member(mine), a_member(theirs)
    pool = a_pool(slices=8)
    node = a_node(pool, cards=1)
    card = node.accelerators.get()
    an_allocation(a_workload(me, mine, pool, slices=1), node, on=[(card, 0)])
    an_allocation(a_workload(other, theirs, pool, slices=1), node, on=[(card, 1)])
    shown = json_of(browser(me).get(f"{API}/nodes/{node.pk}"))
    own, foreign = shown["accelerators"][0]["holders"]
    assert own["mine"] is True
    assert own["owner"]["username"] == me.username
    assert foreign == {
        "slot": 1,
        "mine": False,
        "visible": False,
        "lent": False,
        "workload_id": None,
        "workload_name": None,
        "owner": None,
    }
    assert shown["cpu_used_milli"] == 2000
    assert shown["containers_held"] == 2
    assert shown["address"] == ""


def test_an_operator_sees_every_holder_and_the_address() -> None:
    group = a_group()
    owner = a_member(group)
    pool = a_pool()
    node = a_node(pool, cards=1)
    an_allocation(a_workload(owner, group, pool, gpus=1), node, on=[(node.accelerators.get(), 0)])
    operator = a_user(role="operator")
    shown = json_of(browser(operator).get(f"{API}/nodes/{node.pk}"))
    assert shown["address"] == "127.0.0.1"
    assert shown["accelerators"][0]["holders"][0]["workload_name"]


@pytest.mark.parametrize("what", ["pools", "nodes"])
def test_lists_take_the_same_queries_for_one_row_and_for_many(
    what: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    group = a_group()
    owner = a_member(group)
    for _ in range(6):
        pool = a_pool(slices=8)
        node = a_node(pool, cards=3)
        for card in node.accelerators.all():
            an_allocation(a_workload(owner, group, pool, slices=1), node, on=[(card, 0)])
    client = browser(owner)
    with django_assert_max_num_queries(8):
        shown = json_of(client.get(f"{API}/{what}"))
    assert len(shown["results"]) == 6


def test_the_nodes_that_changed_are_listed_by_their_ids() -> None:
    pool = a_pool()
    one, other, _ = (a_node(pool, cards=2) for _ in range(3))
    gone = a_node(pool, state="retired")
    client = browser(a_user())
    asked = ",".join(str(each) for each in (one.pk, other.pk, gone.pk, pool.pk))
    shown = json_of(client.get(f"{API}/nodes?ids={asked}"))["results"]
    assert {each["name"] for each in shown} == {one.name, other.name}
    assert shown[0]["models"] == [{"name": "Simulated 32GB", "known": None}]
    for wrong in ("", "1", f"{one.pk},", ",".join([str(one.pk)] * (ROWS_MAX + 1))):
        problem_of(client.get(f"{API}/nodes?ids={wrong}"), 400, "invalid_input")


def test_a_known_model_is_described_once_for_all_cards_of_a_node() -> None:
    node = a_node(a_pool(), cards=3)
    node.accelerators.filter(index__lt=2).update(model="NVIDIA H100 80GB HBM3")
    [known, unknown] = json_of(browser(a_user()).get(f"{API}/nodes/{node.pk}"))["models"]
    assert known["known"]["memory_mib"] == 81920
    assert known["name"] == known["known"]["name"]
    assert unknown == {"name": "Simulated 32GB", "known": None}


def test_operator_invites_a_node_and_a_developer_may_not() -> None:
    pool = a_pool()
    wish = {"node_name": "gpu-9", "pool": str(pool.pk)}
    made = json_of(
        browser(a_user(role="operator")).post(f"{API}/nodes/join-tokens", wish, "json"), 201
    )
    assert made["token"].startswith("berthjoin_")
    refused = browser(a_user()).post(f"{API}/nodes/join-tokens", wish, "json")
    problem_of(refused, 403, "denied")


def test_operators_cordon_drain_and_retire_and_others_may_not() -> None:
    node = a_node(a_pool())
    url = f"{API}/nodes/{node.pk}"
    operator, auditor = browser(a_user(role="operator")), browser(a_user(role="auditor"))
    for act in ("cordon", "drain", "uncordon", "retire"):
        assert auditor.post(f"{url}/{act}").status_code == 403
    assert json_of(operator.post(f"{url}/cordon"))["state"] == "cordoned"
    problem_of(operator.post(f"{url}/retire"), 409, "node_not_drained")
    drained = json_of(operator.post(f"{url}/drain", {"within_s": 600, "stops_all": True}, "json"))
    assert (drained["state"], drained["hold"], drained["drain_stops"]) == ("drained", "drain", True)
    assert json_of(operator.post(f"{url}/uncordon"))["state"] == "ready"
    operator.post(f"{url}/drain")
    assert operator.post(f"{url}/retire").status_code == 204
    assert operator.get(url).status_code == 404
    problem_of(operator.post(f"{url}/uncordon"), 409, "node_state_forbids")


def test_operators_declare_a_silent_node_lost_by_its_name_and_others_may_not() -> None:
    node = a_node(a_pool())
    url = f"{API}/nodes/{node.pk}/declare-lost"
    operator, auditor = browser(a_user(role="operator")), browser(a_user(role="auditor"))
    body = {"name": node.name}
    assert auditor.post(url, body, "json").status_code == 403
    problem_of(operator.post(url, body, "json"), 409, "node_not_silent")
    past = now() - timedelta(minutes=5)
    type(node).objects.filter(pk=node.pk).update(
        state="lost", boot_id="b", last_seen_at=past, lease_until=past
    )
    problem_of(operator.post(url, {"name": "another"}, "json"), 422, "name_not_repeated")
    shown = json_of(operator.post(url, body, "json"))
    assert (shown["state"], shown["lost_as"], shown["faults"]) == ("lost", "declared", [])
    assert shown["silent_since"] is not None


def test_operators_have_a_card_judged_anew_and_see_one_that_its_node_has_lost() -> None:
    node = a_node(a_pool(), cards=3)
    lost, away, _ = node.accelerators.order_by("index")
    for card, fault in ((lost, "xid_79"), (away, "gpu_removed")):
        card.state, card.fault = "gone", fault
        card.save()
    url = f"{API}/nodes/{node.pk}"
    operator, auditor = browser(a_user(role="operator")), browser(a_user(role="auditor"))
    assert auditor.post(f"{url}/cards/{lost.pk}/retest").status_code == 403
    before = json_of(operator.get(url))
    assert [item["fault"] for item in before["accelerators"]] == ["xid_79", ""]
    after = json_of(operator.post(f"{url}/cards/{lost.pk}/retest"))
    assert [item["is_retest_due"] for item in after["accelerators"]] == [True, False]
    problem_of(operator.post(f"{url}/cards/{node.pk}/retest"), 404, "not_found")


def test_config_is_public_and_honest() -> None:
    a_node(a_pool())
    shown = json_of(stranger().get(f"{API}/config"))
    assert shown["is_simulated"] is True
    assert shown["is_isolated"] is False
    assert shown["runtimes"] == ["process"]


def test_readiness_names_the_part_that_fails() -> None:
    a_node(a_pool(), state="lost")
    shown = json_of(stranger().get("/readyz"))
    assert shown == {
        "status": "degraded",
        "database": True,
        "redis": True,
        "scheduler_age_s": None,
        "silent_nodes": 1,
    }
    assert stranger().get("/livez").status_code == 204


@pytest.mark.parametrize("wrong", [{"within_s": "60"}, {"within_s": -1}, {"stops_all": "yes"}])
def test_a_drain_takes_numbers_and_truth_values_only(wrong: dict[str, object]) -> None:
    node = a_node(a_pool(), cards=1)
    answer = browser(a_user(role="operator")).post(f"{API}/nodes/{node.pk}/drain", wrong, "json")
    problem_of(answer, 400, "invalid_input")
    node.refresh_from_db()
    assert node.hold == ""
