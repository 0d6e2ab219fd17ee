"""What the page of a node tells of its past: acts of people and of its agent, and its alarms."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from portal.alarms.kinds import AlarmKind
from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.inventory.models import Accelerator
from portal.overview.node_history import EVENTS_MAX
from portal.workloads.operations import nodes
from tests.builders.machines import a_node
from tests.builders.people import a_user
from tests.builders.scenes import a_scene
from tests.portal.alarms.scenes import NOON, evaluate_at, faulty_card, only_rule
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_staff_reads_what_was_done_to_a_node_and_what_was_wrong_with_it() -> None:
    scene = a_scene()
    node, other = scene.nodes[0], a_node(scene.pool)
    operator = a_user(role="operator")
    actor = Actor.system("test")
    with freeze(NOON - timedelta(hours=1)):
        nodes.cordon_node(actor=actor, node_id=node.pk)
        nodes.cordon_node(actor=actor, node_id=other.pk)
    only_rule(AlarmKind.GPU_FAULT)
    faulty_card(scene)
    evaluate_at(NOON)
    card = Accelerator.objects.get(node=node, index=1)
    with freeze(NOON + timedelta(minutes=5)):
        nodes.retest_card(actor=actor, node_id=node.pk, card_id=card.pk)
    Accelerator.objects.filter(node=node).update(state="ok", fault="")
    cleared = NOON + timedelta(minutes=20)
    evaluate_at(cleared - timedelta(minutes=10))
    evaluate_at(cleared)
    shown = json_of(browser(operator).get(f"{API}/nodes/{node.pk}/history"))["events"]
    assert [item["code"] for item in shown] == ["card.retest", "gpu_fault", "node.cordon"]
    retest, fault, cordon = shown
    assert (retest["is_act"], retest["card"], retest["actor_name"]) == (True, 1, "test")
    assert (fault["is_act"], fault["card"], fault["detail"]) == (False, 1, "xid_79")
    assert fault["at"].startswith("2030-05-15T12:00:00")
    assert fault["ended_at"] is not None
    assert (cordon["card"], cordon["ended_at"], cordon["actor_kind"]) == (None, None, "system")


def test_another_version_of_the_agent_is_an_event() -> None:
    scene = a_scene()
    node, link = scene.nodes[0], scene.links[0]
    link.beat()
    assert not AuditEvent.objects.filter(action="node.change_agent").exists()
    link.agent_version = "9.1"
    link.beat()
    link.beat()
    url = f"{API}/nodes/{node.pk}/history"
    [event] = json_of(browser(a_user(role="auditor")).get(url))["events"]
    assert (event["code"], event["detail"]) == ("node.change_agent", "9.1")


def test_the_history_is_bounded_without_routine_and_not_for_everybody(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    node = a_scene().nodes[0]
    for number in range(EVENTS_MAX + 5):
        action = "node.rotate_key" if number % 2 else "node.move"
        params = {"name": node.name, "to": f"pool-{number}"}
        for _ in range(1 + (action == "node.move")):
            record_event(
                actor=Actor.system("test"),
                action=action,
                object_type="node",
                object_id=node.pk,
                params=params,
            )
    url = f"{API}/nodes/{node.pk}/history"
    client = browser(a_user(role="operator"))
    with django_assert_max_num_queries(8):
        shown = json_of(client.get(url))["events"]
    assert len(shown) == EVENTS_MAX
    assert (shown[0]["code"], shown[0]["detail"]) == ("node.move", f"pool-{EVENTS_MAX + 4}")
    problem_of(browser(a_user()).get(url), 403, "denied")
