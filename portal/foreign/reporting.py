"""A node of a cluster reports as an agent does, and has its reply once that is committed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction

from portal.execution.capabilities import RUNTIMES
from portal.execution.desired import DesiredState
from portal.execution.report import EndedContainer, Report, SeenContainer
from portal.foreign.rounds import RoundParts
from portal.inventory.models import Node
from portal.workloads.operations import node_state, recovery
from portal.workloads.state.adoption import RECOVERY_ACTOR
from portal.workloads.state.allocations import lock_node_allocations
from portal.workloads.state.exchange import Exchange
from wire.facts import AcceleratorFacts

LEASE: Final = timedelta(days=400)
"""No lease ends what runs on a cluster: nothing there stops it when the portal is not heard."""


@dataclass(frozen=True, slots=True)
class NodeWord:
    """What a cluster shows of one node and of the portal's work on it."""

    backend: str
    columns: Mapping[str, Any]
    cards: Iterable[AcceleratorFacts]
    seen: tuple[SeenContainer, ...] = ()
    ended: tuple[EndedContainer, ...] = ()
    seq_min: int = 0
    """The report has a higher number than this."""


def report_node(parts: RoundParts, row: Node, word: NodeWord) -> DesiredState:
    """Report one node, and return the reply, which is committed."""
    report = Report(
        applied=row.last_seq,
        seq=max(row.last_seq, word.seq_min) + 1,
        seen=word.seen,
        ended=word.ended,
        capabilities=RUNTIMES[word.backend],
    )
    parts.subjects.begin(row.pk, report)
    with transaction.atomic():
        node_state.lock_node(row.pk)
        node = Node.objects.select_related("pool").get(pk=row.pk)
        exchange = Exchange(node, report, lock_node_allocations(row.pk))
        parts.subjects.answer(exchange)
        # One boot for ever: what a restart of the node ends, the cluster itself tells.
        columns = exchange.columns | {**word.columns, "boot_id": word.backend}
        node_state.record_heartbeat(node, seq=report.seq, lease=LEASE, is_deaf=False, **columns)
        parts.update_cards(node, word.cards)
    return parts.subjects.finish(row.pk, report, exchange.reply)


def begin_recovery_if_restored(rows: Iterable[Node], pool: str) -> None:
    """Begin a recovery, as what the cluster has shows that the database is older.

    Not while the nodes were never heard, or await a report: then it is known already.
    """
    heard = [row for row in rows if row.last_seq >= 0]
    if heard and not any(row.awaits_report for row in heard):
        recovery.begin_recovery(actor=RECOVERY_ACTOR, noticed_on=pool)
