"""Silent nodes whose kept work is given up without their word, and what follows when they return.

An operator declares a node lost, or its fence command reports that it is off. Either may be wrong, so
the boot that was given up is remembered: when it speaks again, its work is stopped at once and the
node is cordoned until an operator has looked at it.
"""

from collections.abc import Mapping
from typing import Any, Final

import structlog

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.inventory.models import Node
from portal.workloads.operations import node_state
from portal.workloads.state.reconcile import Proof
from scheduler.core.model.states import LossKind, NodeContact, NodeHold
from wire.facts import NodeFault

RETURNED_AFTER_LOST: Final = "returned_after_lost"
FENCE_UNCONFIRMED: Final = "fence_unconfirmed"

_PROOFS: Final = {LossKind.DECLARED: Proof.DECLARED_LOST, LossKind.FENCED: Proof.FENCED}

logger = structlog.get_logger(__name__)


def give_up_node(node: Node, kind: LossKind, *, actor: Actor) -> None:
    """End all work of a silent node without its word; the caller has called `lock_node`."""
    node_state.end_work_of_node(node, _PROOFS[kind], actor=actor)
    Node.objects.filter(pk=node.pk).update(
        lost_as=kind.value,
        lost_boot_id=node.boot_id,
        returned_at=None,
        fence_at=None,
        awaits_report=False,
    )
    node.refresh_from_db()
    node_state.update_node_state(node, NodeContact.LOST)


def record_return(node: Node, boot_id: str) -> None:
    """Note that a node is heard whose work was given up; the caller has called `lock_node`.

    Another boot than the one that was given up proves that this one is over.
    """
    if not node.lost_as:
        return
    if boot_id != node.lost_boot_id:
        _forget(node)
    elif node.returned_at is None:
        node.returned_at, node.hold = now(), node.hold or NodeHold.CORDON.value
        Node.objects.filter(pk=node.pk).update(returned_at=node.returned_at, hold=node.hold)
        logger.error("node.returned_after_lost", node=node.name, lost_as=node.lost_as)
        audit.record_event(
            actor=Actor.system(f"node:{node.name}"),
            action="node.return_after_lost",
            object_type="node",
            object_id=node.pk,
            params={"name": node.name, "lost_as": node.lost_as},
        )


def acknowledge_return(node: Node) -> None:
    """Forget the return of a node that an operator has put back into service."""
    if node.returned_at is not None:
        _forget(node)


def find_loss_faults(node: Node) -> list[Mapping[str, Any]]:
    """Return the faults of a node that came back after its work was given up."""
    if node.returned_at is None:
        return []
    codes = [RETURNED_AFTER_LOST]
    if node.lost_as == LossKind.FENCED:
        codes.append(FENCE_UNCONFIRMED)
    return [NodeFault(code=code, is_blocking=True).model_dump() for code in codes]


def _forget(node: Node) -> None:
    node.lost_as, node.lost_boot_id, node.returned_at = "", "", None
    Node.objects.filter(pk=node.pk).update(lost_as="", lost_boot_id="", returned_at=None)
