"""What operators do to nodes, and what faults, silence and returns make of it."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product

import pytest
from django.db import IntegrityError, connection, transaction

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.common.ids import new_id
from portal.config.node_reports import receive_heartbeat
from portal.inventory.models import Node, NodeKey
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, Workload
from portal.workloads.operations import nodes
from portal.workloads.sweep import run_sweep
from scheduler.core.model.states import (
    NODE_TRANSITIONS,
    NodeContact,
    NodeHold,
    NodeState,
    derive_node_state,
)
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_user, an_actor
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.builders.scripted_node import finished, running
from wire.facts import NodeFault
from wire.words import ExitCause

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

HEARTBEAT = timedelta(seconds=5)
Act = Callable[[], None]


def an_operator() -> Actor:
    return an_actor(a_user(role="operator"))


def state_of(scene: Scene, node: int = 0) -> str:
    return str(Node.objects.values_list("state", flat=True).get(pk=scene.nodes[node].pk))


def a_running(
    scene: Scene, beside: Allocation | None = None, **asked: object
) -> tuple[Workload, Allocation]:
    work = scene.work(**asked)
    (held,) = scene.place(work)
    others = [running(beside)] if beside else []
    scene.links[0].beat(containers=others)
    scene.links[0].beat(containers=[*others, running(held)])
    work.refresh_from_db()
    return work, held


def test_drain_waits_for_what_runs_and_then_is_over() -> None:
    scene = a_scene()
    work, held = a_running(scene)
    node, link = scene.nodes[0], scene.links[0]
    nodes.drain_node(actor=an_operator(), node_id=node.pk)

    assert state_of(scene) == "draining"
    with pytest.raises(PlacementRefusedError):
        scene.place(scene.work())
    assert len(link.beat(containers=[running(held)]).containers) == 1
    assert state_of(scene) == "draining"
    link.beat(finished=[finished(held)])

    work.refresh_from_db()
    assert (state_of(scene), work.state) == ("drained", "succeeded")
    nodes.uncordon_node(actor=an_operator(), node_id=node.pk)
    assert state_of(scene) == "ready"
    assert_sound()


def test_cordon_never_ends_and_outlasts_silence() -> None:
    scene = a_scene()
    work, _ = a_running(scene)
    nodes.cordon_node(actor=an_operator(), node_id=scene.nodes[0].pk)

    assert state_of(scene) == "cordoned"
    with pytest.raises(PlacementRefusedError):
        scene.place(scene.work())
    for later, state in ((16, "unready"), (46, "lost")):
        with freeze(now() + timedelta(seconds=later)):
            run_sweep(heartbeat=HEARTBEAT)
        assert state_of(scene) == state
    scene.links[0].beat()
    assert state_of(scene) == "cordoned"
    work.refresh_from_db()
    assert work.state == "queued"


def test_drained_node_may_be_switched_off_without_alarm() -> None:
    scene = a_scene()
    scene.links[0].beat()
    nodes.drain_node(actor=an_operator(), node_id=scene.nodes[0].pk)
    assert state_of(scene) == "drained"
    with freeze(now() + timedelta(hours=1)):
        run_sweep(heartbeat=HEARTBEAT)
        assert state_of(scene) == "drained"
        nodes.uncordon_node(actor=an_operator(), node_id=scene.nodes[0].pk)
        assert state_of(scene) == "unready"


def test_past_the_deadline_preemptible_work_moves_and_the_rest_waits() -> None:
    scene = a_scene()
    movable, held = a_running(scene, preemptible=True)
    fixed, other = a_running(scene, held)
    how = nodes.DrainOptions(within_s=60)
    nodes.drain_node(actor=an_operator(), node_id=scene.nodes[0].pk, how=how)
    run_sweep(heartbeat=HEARTBEAT)
    movable.refresh_from_db()
    assert movable.state == "running"

    with freeze(now() + timedelta(seconds=61)):
        scene.links[0].beat(containers=[running(held), running(other)])
        run_sweep(heartbeat=HEARTBEAT)
        movable.refresh_from_db()
        fixed.refresh_from_db()
        assert (movable.state, movable.cause, movable.retries) == ("queued", "node_drained", 0)
        assert (fixed.state, state_of(scene)) == ("running", "draining")
        reply = scene.links[0].beat(containers=[running(held), running(other)])
    assert [item.allocation for item in reply.containers] == [other.wire_name]
    assert [item.allocation for item in reply.graces] == [held.wire_name]
    assert_sound()


def test_a_drain_that_stops_all_suspends_notebooks_and_queues_jobs_again() -> None:
    scene = a_scene()
    job, held = a_running(scene)
    notebook, other = a_running(scene, held, kind="environment")
    how = nodes.DrainOptions(within_s=0, stops_all=True)
    nodes.drain_node(actor=an_operator(), node_id=scene.nodes[0].pk, how=how)
    run_sweep(heartbeat=HEARTBEAT)
    ends = [finished(held, -15, ExitCause.STOPPED), finished(other, -15, ExitCause.STOPPED)]
    scene.links[0].beat(finished=ends)

    job.refresh_from_db()
    notebook.refresh_from_db()
    assert (job.state, notebook.state, state_of(scene)) == ("queued", "suspended", "drained")
    assert_sound()


def test_a_blocking_fault_keeps_new_work_away_while_it_lasts() -> None:
    scene = a_scene()
    _, held = a_running(scene)
    link = scene.links[0]
    link.faults = (NodeFault(code="disk_full", detail="/var/lib/docker"),)
    assert len(link.beat(containers=[running(held)]).containers) == 1
    assert state_of(scene) == "unready"
    assert Node.objects.get().faults[0]["code"] == "disk_full"
    nodes.cordon_node(actor=an_operator(), node_id=scene.nodes[0].pk)
    nodes.uncordon_node(actor=an_operator(), node_id=scene.nodes[0].pk)
    assert state_of(scene) == "unready"
    link.faults = (NodeFault(code="image_disk_low", is_blocking=False),)
    link.beat(containers=[running(held)])
    assert state_of(scene) == "ready"


def test_only_drained_and_lost_nodes_retire_and_their_key_dies() -> None:
    scene = a_scene(nodes=2)
    operator = an_operator()
    a_running(scene)
    for node in scene.nodes:
        NodeKey.objects.create(node=node, digest=str(node.pk), expires_at=now() + HEARTBEAT)
    with pytest.raises(ConflictError):
        nodes.retire_node(actor=operator, node_id=scene.nodes[0].pk)
    nodes.drain_node(actor=operator, node_id=scene.nodes[0].pk)
    with pytest.raises(ConflictError):
        nodes.retire_node(actor=operator, node_id=scene.nodes[0].pk)
    nodes.drain_node(actor=operator, node_id=scene.nodes[1].pk)
    nodes.retire_node(actor=operator, node_id=scene.nodes[1].pk)

    assert [state_of(scene, number) for number in (0, 1)] == ["draining", "retired"]
    assert list(NodeKey.objects.values_list("node", flat=True)) == [scene.nodes[0].pk]
    answer = scene.links[1].repeat(scene.links[1].message(7))
    assert answer.model_dump()["code"] == "node_unknown"
    acts = AuditEvent.objects.order_by("id").values_list("action", flat=True)
    assert list(acts) == ["node.drain", "node.drain", "node.retire"]


def test_acts_need_the_right_and_a_node() -> None:
    node = a_node(a_pool())
    acts = (nodes.cordon_node, nodes.drain_node, nodes.uncordon_node, nodes.retire_node)
    for act in acts:
        with pytest.raises(DeniedError):
            act(actor=an_actor(a_user(role="auditor")), node_id=node.pk)
        with pytest.raises(NotFoundError):
            act(actor=an_operator(), node_id=new_id())
    assert not AuditEvent.objects.exists()


def test_the_database_refuses_every_other_edge_of_a_node() -> None:
    pool = a_pool()
    for source, target in product(NodeState, NodeState):
        node = a_node(pool, state=source, cards=0)
        is_legal = source == target or target in NODE_TRANSITIONS[source]
        try:
            with transaction.atomic():
                Node.objects.filter(pk=node.pk).update(state=target.value)
        except IntegrityError:
            assert not is_legal, (source, target)
        else:
            assert is_legal, (source, target)
    assert connection.is_usable()


def test_every_word_that_a_node_can_get_is_a_legal_next_one() -> None:
    """Whatever holds, hearing, faults and work say: from every state in service the word is legal."""
    in_service = set(NodeState) - {NodeState.RETIRED, NodeState.JOINING}
    for hold, hearing in product(NodeHold, set(NodeContact) - {NodeContact.NEVER}):
        for is_blocked, is_empty in product((True, False), repeat=2):
            word = derive_node_state(hold, hearing, is_blocked=is_blocked, is_empty=is_empty)
            for state in in_service:
                assert word == state or word in NODE_TRANSITIONS[state]
            assert (word is NodeState.READY) == (
                hold is NodeHold.NONE and hearing is NodeContact.HEARD and not is_blocked
            )


def test_two_hosts_with_one_identity_are_both_shut_out() -> None:
    """The second host gets nothing while the first one's lease runs; then neither is trusted."""
    scene = a_scene(nodes=2, silence="replace")
    work, held = a_running(scene)
    first, row = scene.links[0], scene.nodes[0]
    NodeKey.objects.create(node=row, digest="k", expires_at=now() + timedelta(days=1))

    def second_speaks() -> str:
        message = first.message(first.seq + 100).model_copy(update={"boot_id": "boot-2"})
        return str(receive_heartbeat(row.pk, message).model_dump()["code"])

    assert second_speaks() == "earlier_boot_has_lease"
    assert len(first.beat(containers=[running(held)]).containers) == 1  # it may not know yet
    first.seq += 1
    answer = first.repeat(first.message(first.seq, containers=[running(held)]))

    assert answer.model_dump()["code"] == "identity_used_twice"
    assert not NodeKey.objects.exists()
    row.refresh_from_db()
    assert (row.state, row.hold) == ("unready", "quarantine")
    assert AuditEvent.objects.get().action == "node.quarantine"
    with pytest.raises(ConflictError):
        nodes.uncordon_node(actor=an_operator(), node_id=row.pk)
    with freeze(now() + timedelta(seconds=46)):
        run_sweep(heartbeat=HEARTBEAT)
    work.refresh_from_db()
    assert (state_of(scene), work.state, work.epoch) == ("lost", "queued", 1)


def test_a_rebooted_host_is_heard_when_the_lease_of_its_earlier_boot_is_over() -> None:
    scene = a_scene(silence="replace")
    work, held = a_running(scene)
    link = scene.links[0]
    link.boot_id, link.applied = "boot-2", -1
    early = link.repeat(link.message(link.seq + 1))
    assert early.model_dump()["code"] == "earlier_boot_has_lease"
    work.refresh_from_db()
    assert work.state == "running"

    with freeze(now() + timedelta(seconds=46)):
        link.seq += 1
        assert link.beat().containers == ()
    work.refresh_from_db()
    held.refresh_from_db()
    assert (work.state, work.cause) == ("queued", "node_rebooted")
    assert (held.state, held.exit_cause) == ("released", "node_rebooted")
    assert (state_of(scene), Node.objects.get().rival_boot_id) == ("ready", "")
    assert_sound()


def test_a_node_that_hears_no_answers_gets_no_new_work() -> None:
    scene = a_scene()
    link = scene.links[0]
    link.beat()
    for missed in range(5):
        link.beat(applied=1)
        assert state_of(scene) == ("unready" if missed >= 3 else "ready")
    link.beat()
    assert state_of(scene) == "ready"
