"""A report of a node that is being answered, as each subject that takes part sees it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from portal.common.actor import Actor
from portal.execution.desired import DesiredState
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
    reply: DesiredState = field(default_factory=DesiredState)
    """The parts of those that have taken part already."""
    columns: dict[str, Any] = field(default_factory=dict)
    """Columns of the node that are written at the end."""

    @property
    def actor(self) -> Actor:
        """Return the node, as whose act changes are noted."""
        return Actor.system(f"node:{self.node.name}")


@dataclass(frozen=True, slots=True)
class Subjects:
    """Who takes part when a node reports: functions of the subjects, each with its part of the reply."""

    before: tuple[Callable[[UUID, Report], None], ...]
    """Called first, each in transactions of its own, also for a report that is refused then."""
    inside: tuple[Callable[[Exchange], DesiredState | None], ...]
    """Called in order in the one transaction that has locked the node and its work."""
    after: tuple[Callable[[UUID, Report, DesiredState], DesiredState], ...]
    """Called once that is committed, each in a transaction of its own."""

    def begin(self, node_id: UUID, report: Report) -> None:
        """Let those take part that come before the transaction."""
        for take in self.before:
            take(node_id, report)

    def answer(self, exchange: Exchange) -> None:
        """Let those take part that share the caller's transaction; the reply waits for its commit."""
        for take_part in self.inside:
            exchange.reply = exchange.reply.with_part(take_part(exchange))

    def finish(self, node_id: UUID, report: Report, reply: DesiredState) -> DesiredState:
        """Let those take part that come after the commit; return the whole reply."""
        for add in self.after:
            reply = reply.with_part(add(node_id, report, reply))
        return reply


def settle_report(exchange: Exchange) -> DesiredState:
    """Write what the report proves of the work, and acknowledge the ends that it names."""
    found = reconcile_node(exchange.work.held_allocations(), exchange.report)
    exchange.work = lifecycle.apply_reconciliation(exchange.work, found, actor=exchange.actor)
    return DesiredState(acks=found.acks)
