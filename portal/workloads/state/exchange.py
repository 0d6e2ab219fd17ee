"""A report of a node that is being answered, as each subject that takes part sees it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from portal.common.actor import Actor
from portal.execution.desired import Desired
from portal.execution.report import Report
from portal.inventory.models import Node
from portal.workloads.state import lifecycle
from portal.workloads.state.allocations import NodeAllocations
from portal.workloads.state.reconcile import reconcile_node


@dataclass(slots=True)
class Exchange:
    """One report of a node and the reply to it, in one transaction with its work locked."""

    node: Node
    """As it was before this report, until all have taken part."""
    report: Report
    work: NodeAllocations
    """What is live on it: at first as it was before the report."""
    reply: Desired = field(default_factory=Desired)
    """The parts of those that have taken part already."""
    columns: dict[str, Any] = field(default_factory=dict)
    """Columns of the node that are written at the end."""

    @property
    def actor(self) -> Actor:
        """Return the node, as whose act changes are noted."""
        return Actor.system(f"node:{self.node.name}")


Handler = Callable[[Exchange], Desired | None]
"""What one subject does about a report; returns its part of the reply."""


def settle_report(exchange: Exchange) -> Desired:
    """Write what the report proves of the work, and acknowledge the ends that it names."""
    found = reconcile_node(exchange.work.held_allocations(), exchange.report)
    exchange.work = lifecycle.apply_reconciliation(exchange.work, found, actor=exchange.actor)
    return Desired(acks=found.acks)
