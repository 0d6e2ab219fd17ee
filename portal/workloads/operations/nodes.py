"""What operators do to nodes: cordon, drain, uncordon, retire, declare lost, and retest a card.

| action | new work | running work | ends |
|---|---|---|---|
| cordon | none | keeps running | never by itself |
| drain | none | is waited for, at most until the deadline | `drained` when nothing is left |
| uncordon | again | keeps running | |
| retest a card | | | when its node has tested it again |
| retire | none | there is none: only drained and lost nodes | the key is removed |
| declare lost | | is given up: only of silent nodes | when the node is heard, it is stopped there |
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.common.notifications import (
    invalidate_nodes,
    wake_nodes,
    wake_scheduler,
)
from portal.common.site_config import get_site_config
from portal.inventory.models import Accelerator, Node
from portal.tenancy import policies
from portal.workloads.models import Allocation
from portal.workloads.operations import node_loss, node_state
from portal.workloads.state import lifecycle
from portal.workloads.system_actors import SWEEP_ACTOR
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.states import (
    LIVE_ALLOCATION,
    PLACED,
    AcceleratorState,
    LossKind,
    NodeHold,
    NodeState,
)

NODE_DRAINED: Final = "node_drained"


@dataclass(frozen=True, slots=True)
class DrainOptions:
    """How long a drain waits, and what it does then."""

    within_s: int | None = None
    """Seconds until preemptible work is moved; None waits indefinitely."""
    stops_all: bool = False
    """Whether all other work is then stopped: notebooks are suspended, jobs queued again."""


@transaction.atomic
def cordon_node(*, actor: Actor, node_id: UUID) -> None:
    """Place no new work on a node; running work continues."""
    _set_hold(actor, node_id, NodeHold.CORDON, DrainOptions(), "node.cordon")


@transaction.atomic
def drain_node(*, actor: Actor, node_id: UUID, how: DrainOptions | None = None) -> None:
    """Place no new work on a node; it is drained when none is left on it."""
    _set_hold(actor, node_id, NodeHold.DRAIN, how or DrainOptions(), "node.drain")


@transaction.atomic
def uncordon_node(*, actor: Actor, node_id: UUID) -> None:
    """Allow new work on a cordoned, draining or drained node again."""
    node = _set_hold(actor, node_id, NodeHold.NONE, DrainOptions(), "node.uncordon")
    node_loss.acknowledge_return(node)
    wake_scheduler()


@transaction.atomic
def retire_node(*, actor: Actor, node_id: UUID) -> None:
    """Retire a drained or lost node permanently: its keys are removed, its agent is refused."""
    node = _lock_node(actor, node_id)
    state = NodeState(node.state)
    if state is NodeState.RETIRED:
        return
    is_idle = not Allocation.objects.filter(node=node, state__in=LIVE_ALLOCATION).exists()
    if state not in (NodeState.DRAINED, NodeState.LOST) or not is_idle:
        raise ConflictError("node_not_drained", state=node.state)
    node_state.retire_node_row(node)
    _audit(actor, node, "node.retire", {"from": state.value})
    wake_nodes([node_id])


@transaction.atomic
def declare_node_lost(*, actor: Actor, node_id: UUID, name: str) -> None:
    """Give up the work of a silent node: an operator knows that nothing of it runs any more.

    Raises:
        InvalidError: `name` does not repeat the node's name.
        ConflictError: the node is heard, or was heard a moment ago.
    """
    node = _lock_node(actor, node_id)
    if name != node.name:
        raise InvalidError("name_not_repeated", pointer="/name", node=node.name)
    is_lease_over = node.lease_until is not None and node.lease_until <= now()
    if node.state == NodeState.RETIRED or not is_lease_over:
        raise ConflictError("node_not_silent", state=node.state)
    if node.lost_as and node.returned_at is None:
        return
    node_loss.give_up_node(node, LossKind.DECLARED, actor=actor)
    silent_since = node.last_seen_at.isoformat() if node.last_seen_at else ""
    _audit(actor, node, "node.declare_lost", {"silent_since": silent_since})
    wake_scheduler()


@transaction.atomic
def retest_card(*, actor: Actor, node_id: UUID, card_id: UUID) -> None:
    """Request that its node retests a card that is out of service.

    The request stays until the node has carried it out; a second request until then changes nothing.
    """
    node = _lock_node(actor, node_id)
    card = Accelerator.objects.filter(pk=card_id, node=node).first()
    if card is None:
        raise NotFoundError("accelerator")
    if card.state == AcceleratorState.OK:
        raise ConflictError("card_is_ok", card=card.uuid)
    if card.is_retest_due:
        return
    number = card.retests_done + 1
    Accelerator.objects.filter(pk=card.pk).update(retests_asked=number)
    params = {"node": node.name, "uuid": card.uuid, "state": card.state, "fault": card.fault}
    audit.record_event(
        actor=actor,
        action="card.retest",
        object_type="accelerator",
        object_id=card.pk,
        params=params,
    )
    invalidate_nodes([node_id])
    wake_nodes([node_id])


def _set_hold(actor: Actor, node_id: UUID, hold: NodeHold, how: DrainOptions, action: str) -> Node:
    node = _lock_node(actor, node_id)
    if node.state == NodeState.RETIRED or node.hold == NodeHold.QUARANTINE:
        raise ConflictError("node_state_forbids", state=node.hold or node.state)
    moment = now()
    until = None if how.within_s is None else moment + timedelta(seconds=how.within_s)
    wanted = {"hold": hold.value, "drain_until": until, "drain_stops": how.stops_all}
    if all(getattr(node, name) == value for name, value in wanted.items()):
        return node
    params = {"from": node.state, "within_s": how.within_s, "stops_all": how.stops_all}
    # This locks the row: a placement that was committed before is seen, a later one is refused.
    Node.objects.filter(pk=node_id).update(**wanted)
    for name, value in wanted.items():
        setattr(node, name, value)
    silence = timedelta(seconds=3 * get_site_config().heartbeat_s)
    node_state.update_node_state(node, node_state.assess_contact(node, moment, silence=silence))
    _audit(actor, node, action, params if hold is NodeHold.DRAIN else {"from": params["from"]})
    return node


def _lock_node(actor: Actor, node_id: UUID) -> Node:
    policies.require(actor, Action.NODE_MANAGE, None)
    node_state.lock_node(node_id)
    node = Node.objects.filter(pk=node_id).first()
    if node is None:
        raise NotFoundError("node")
    return node


def _audit(actor: Actor, node: Node, action: str, params: dict[str, Any]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="node",
        object_id=node.pk,
        params={"name": node.name, **params},
    )


def find_past_deadline() -> list[UUID]:
    """Return the workloads on nodes whose drain has reached its deadline."""
    return list(_past_deadline().order_by("workload").values_list("workload", flat=True).distinct())


def displace_from_node(workload_id: UUID) -> None:
    """Stop one workload on a node whose drain has reached its deadline.

    Jobs and preemptible notebooks are queued again, other notebooks are suspended.
    """
    workload = lifecycle.lock_workload(workload_id)
    if not _past_deadline().filter(workload=workload_id).exists():
        return
    if workload.terms.is_kept and not workload.preemptible:
        lifecycle.request_stop(
            workload, outcome=workload.terms.after_stop, cause=NODE_DRAINED, actor=SWEEP_ACTOR
        )
        return
    grace_s = int(workload.pool.policy.get("grace_s", PoolPolicy().grace_s))
    lifecycle.displace_workload(workload, cause=NODE_DRAINED, grace_s=grace_s, actor=SWEEP_ACTOR)


def _past_deadline() -> QuerySet[Allocation]:
    return Allocation.objects.filter(
        Q(workload__preemptible=True) | Q(node__drain_stops=True),
        state__in=LIVE_ALLOCATION,
        node__hold=NodeHold.DRAIN,
        node__drain_until__lte=now(),
        workload__state__in=PLACED,
        workload__epoch=F("epoch"),
    )
