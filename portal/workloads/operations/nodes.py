"""What operators do to nodes: cordon, drain, take back, retire.

| act | new work | what runs | ends |
|---|---|---|---|
| cordon | none | goes on | never by itself |
| drain | none | is waited for, at most until the deadline | `drained` when nothing is left |
| uncordon | again | goes on | |
| retest a card | | | when its node has judged it anew |
| retire | none | there is none: only drained and lost nodes | the key is dead |
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, NotFoundError
from portal.common.notifications import (
    NODES_TOPIC,
    invalidate_topics,
    wake_nodes,
    wake_scheduler,
)
from portal.common.site_config import get_site_config
from portal.inventory.models import Accelerator, Node
from portal.tenancy import policies
from portal.workloads.models import Allocation
from portal.workloads.operations import node_state
from scheduler.core.model.states import LIVE_ALLOCATION, AcceleratorState, NodeHold, NodeState


@dataclass(frozen=True, slots=True)
class DrainOptions:
    """How long a drain waits, and what it does then."""

    within_s: int | None = None
    """Seconds until work that may be moved is moved; None waits for ever."""
    stops_all: bool = False
    """Whether the rest is then stopped: notebooks are suspended, jobs queued again."""


@transaction.atomic
def cordon_node(*, actor: Actor, node_id: UUID) -> None:
    """Give a node nothing new, and leave alone what it runs."""
    _set_hold(actor, node_id, NodeHold.CORDON, DrainOptions(), "node.cordon")


@transaction.atomic
def drain_node(*, actor: Actor, node_id: UUID, how: DrainOptions | None = None) -> None:
    """Give a node nothing new, and wait until nothing of it lives."""
    _set_hold(actor, node_id, NodeHold.DRAIN, how or DrainOptions(), "node.drain")


@transaction.atomic
def uncordon_node(*, actor: Actor, node_id: UUID) -> None:
    """Let a cordoned, draining or drained node take work again."""
    _set_hold(actor, node_id, NodeHold.NONE, DrainOptions(), "node.uncordon")
    wake_scheduler()


@transaction.atomic
def retire_node(*, actor: Actor, node_id: UUID) -> None:
    """Take a node out of service for good: its key is dead, and its agent is told so."""
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
def retest_card(*, actor: Actor, node_id: UUID, card_id: UUID) -> None:
    """Have a card that was taken out of service judged anew, by what its node sees of it then.

    The order stands until the node has carried it out; to give it again meanwhile changes nothing.
    """
    node = _lock_node(actor, node_id)
    card = Accelerator.objects.filter(pk=card_id, node=node).first()
    if card is None:
        raise NotFoundError("accelerator")
    if card.state == AcceleratorState.OK:
        raise ConflictError("card_is_ok", card=card.uuid)
    if card.retests_asked > card.retests_done:
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
    invalidate_topics([NODES_TOPIC])
    wake_nodes([node_id])


def _set_hold(actor: Actor, node_id: UUID, hold: NodeHold, how: DrainOptions, action: str) -> None:
    node = _lock_node(actor, node_id)
    if node.state == NodeState.RETIRED or node.hold == NodeHold.QUARANTINE:
        raise ConflictError("node_state_forbids", state=node.hold or node.state)
    moment = now()
    until = None if how.within_s is None else moment + timedelta(seconds=how.within_s)
    wanted = {"hold": hold.value, "drain_until": until, "drain_stops": how.stops_all}
    if all(getattr(node, name) == value for name, value in wanted.items()):
        return
    params = {"from": node.state, "within_s": how.within_s, "stops_all": how.stops_all}
    # The row is locked from here on: a placement that came first is seen, a later one is refused.
    Node.objects.filter(pk=node_id).update(**wanted)
    for name, value in wanted.items():
        setattr(node, name, value)
    silence = timedelta(seconds=3 * get_site_config().heartbeat_s)
    node_state.update_node_state(node, node_state.assess_contact(node, moment, silence=silence))
    _audit(actor, node, action, params if hold is NodeHold.DRAIN else {"from": params["from"]})


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
