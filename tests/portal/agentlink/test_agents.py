"""Two agents with one identity on one boot: a copied folder, which no boot id tells apart."""

from copy import copy
from datetime import timedelta

import pytest

from portal.agentlink import admission
from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.inventory.models import Node, NodeKey
from portal.workloads.state.silence import AgentVerdict, KnownAgent, judge_agent
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import ScriptedNode, running
from wire.messages import Desired, Refused
from wire.opening import LinkOpening

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def two_agents(*, name_folders: bool) -> tuple[Scene, ScriptedNode, ScriptedNode]:
    """Return a node with running work, and the agent that was started from a copy of its folder."""
    scene = a_scene()
    job = scene.work()
    (held,) = scene.place(job)
    first = scene.links[0]
    if name_folders:
        first.instance = "first"
    first.beat()
    first.beat(containers=[running(held)])
    second = copy(first)
    second.seq, second.applied = first.seq + 1000, -1
    second.instance = "copy" if name_folders else ""
    return scene, first, second


def speak(agent: ScriptedNode) -> Desired | Refused:
    """Let an agent send its next heartbeat, and go by the answer as agents do."""
    agent.seq += 1
    answer = agent.repeat(agent.message(agent.seq))
    if isinstance(answer, Desired):
        agent.applied = answer.seq
    elif answer.code == "stale_seq":
        agent.seq = max(agent.seq, int(answer.detail))
    return answer


def test_second_agent_gets_nothing_while_the_first_is_heard() -> None:
    scene, first, second = two_agents(name_folders=True)
    for _ in range(3):
        refused = speak(second)
        assert isinstance(refused, Refused)
        assert refused.code == "another_agent_runs"
        assert isinstance(speak(first), Desired)
    assert [event.action for event in AuditEvent.objects.all()] == ["node.second_agent"]
    assert Node.objects.get(pk=first.node.pk).state == "ready"
    assert scene.links[0].beat(containers=()) is not None


def test_second_agent_opens_no_link_while_the_first_is_heard() -> None:
    _, first, second = two_agents(name_folders=True)
    second_header = LinkOpening(second.boot_id, second.instance, was_answered=False).to_header()
    first_header = LinkOpening(first.boot_id, first.instance, was_answered=True).to_header()
    node = first.node.pk
    assert not admission.admit_agent(node, second_header)
    assert admission.admit_agent(node, first_header)
    assert admission.admit_agent(node, "")
    with freeze(now() + timedelta(seconds=15)):
        assert admission.admit_agent(node, second_header)


def test_folder_that_was_moved_is_heard_once_the_old_one_is_silent() -> None:
    _, _, second = two_agents(name_folders=True)
    assert isinstance(speak(second), Refused)
    with freeze(now() + timedelta(seconds=15)):
        assert isinstance(speak(second), Desired)
    assert Node.objects.get(pk=second.node.pk).instance == "copy"


@pytest.mark.parametrize("name_folders", [True, False], ids=["named", "agents of before"])
def test_two_agents_that_were_both_given_replies_are_shut_out(name_folders: bool) -> None:
    _, first, second = two_agents(name_folders=name_folders)
    NodeKey.objects.create(node=first.node, digest="k", expires_at=now() + timedelta(days=1))
    with freeze(now() + timedelta(seconds=15)):
        assert isinstance(speak(second), Desired)
        said = [speak(first) for _ in range(3)]
    assert [isinstance(item, Refused) and item.code for item in said] == [
        "stale_seq",
        "stale_seq",
        "identity_used_twice",
    ]
    assert not NodeKey.objects.exists()
    assert Node.objects.get(pk=first.node.pk).hold == "quarantine"


def test_late_message_of_an_agent_that_is_dead_proves_nothing() -> None:
    """It may have counted on from an older copy of its state file, beyond what its successor has."""
    _, first, second = two_agents(name_folders=False)
    second.seq = first.seq
    assert isinstance(speak(second), Desired)
    late = [first.message(first.seq + ahead) for ahead in range(5, 10)]
    for message in late:
        answer = first.repeat(message)
        assert isinstance(answer, Refused)
        assert answer.code == "stale_seq"
    assert isinstance(speak(second), Desired)


def test_agent_that_is_restarted_is_heard_at_once() -> None:
    _, first, again = two_agents(name_folders=True)
    again.instance = first.instance
    for _ in range(3):
        assert isinstance(speak(again), Desired)


def test_first_replies_that_are_lost_make_no_second_agent() -> None:
    """Some heartbeats name no reply, and then one names the reply to the first of them."""
    _, _, again = two_agents(name_folders=False)
    first_seq = again.seq + 1
    for _ in range(3):
        assert isinstance(speak(again), Desired)
        again.applied = -1
    again.applied = first_seq
    assert isinstance(speak(again), Desired)


@pytest.mark.parametrize(
    ("instance", "seq", "applied", "verdict"),
    [
        ("first", 11, 10, AgentVerdict.KNOWN),
        ("first", 9, 3, AgentVerdict.KNOWN),
        ("", 11, 10, AgentVerdict.KNOWN),
        ("copy", 11, -1, AgentVerdict.SECOND),
        ("copy", 9, -1, AgentVerdict.SECOND),
        ("copy", 11, 3, AgentVerdict.EARLIER),
        ("", 11, 3, AgentVerdict.EARLIER),
        ("", 51, 3, AgentVerdict.TWO_HOSTS),
    ],
)
def test_who_has_sent_a_heartbeat(
    instance: str, seq: int, applied: int, verdict: AgentVerdict
) -> None:
    known = KnownAgent("first", since_seq=5, last_seq=10, challenge_seq=50, is_heard=True)
    assert judge_agent(known, instance, seq, applied) is verdict
