"""What the doctor of a node finds on its host: taken from its agent, shown to those who run nodes."""

from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.notifications import invalidate_nodes
from portal.inventory.models import NodeChecks
from portal.inventory.selectors import node_visible_to
from portal.tenancy import policies
from wire.node_checks import ChecksTaken, NodeChecksReport


def receive_checks(node_id: UUID, report: NodeChecksReport) -> ChecksTaken:
    """Keep the newest report of a node, and tell its page."""
    checks = [item.model_dump() for item in report.checks]
    row = NodeChecks(node_id=node_id, checks=checks, reported_at=now())
    NodeChecks.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["node"],
        update_fields=["checks", "reported_at"],
    )
    invalidate_nodes([node_id])
    return ChecksTaken()


def checks_visible_to(actor: Actor, node_id: UUID) -> NodeChecks | None:
    """Return the last report of a node in service; None if it has sent none.

    Raises:
        NotFoundError: there is no such node in service.
        DeniedError: the actor does not operate nodes.
    """
    policies.require(actor, Action.NODE_MANAGE, None)
    return NodeChecks.objects.filter(node=node_visible_to(actor, node_id)).first()
