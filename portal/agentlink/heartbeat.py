"""The server's half of the node protocol: one heartbeat in, the complete desired state out."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from portal.agentlink.admission import admit_heartbeat
from portal.agentlink.node_update import update_node
from portal.agentlink.translation import complete_report, read_report, to_reply
from portal.execution.desired import DesiredState
from portal.execution.report import Report
from portal.workloads.operations import recovery
from portal.workloads.state.adoption import RECOVERY_ACTOR
from portal.workloads.state.allocations import lock_node_allocations
from portal.workloads.state.exchange import Exchange, Subjects
from wire import messages
from wire.messages import Heartbeat, Refused
from wire.words import Terms


@dataclass(frozen=True, slots=True)
class HeartbeatReceiver:
    """Answers heartbeats: admits each, lets the subjects take part, and updates its node."""

    subjects: Subjects

    def receive(self, node_id: UUID, heartbeat: Heartbeat) -> messages.Desired | Refused:
        """Apply a heartbeat and return the reply; a repeated or late one changes nothing.

        One that shows that the database was restored from a backup begins a recovery first.
        """
        report = read_report(heartbeat)
        self.subjects.begin(node_id, report)
        try:
            answer = self._answer(node_id, heartbeat, report)
        except recovery.DatabaseIsOlderError as error:
            recovery.begin_recovery(actor=RECOVERY_ACTOR, noticed_on=str(error))
            answer = self._answer(node_id, heartbeat, report)
        if isinstance(answer, Refused):
            return answer
        reply, terms = answer
        return to_reply(heartbeat.seq, self.subjects.finish(node_id, report, reply), terms)

    @transaction.atomic
    def _answer(
        self, node_id: UUID, heartbeat: Heartbeat, report: Report
    ) -> tuple[DesiredState, Terms] | Refused:
        """Return what the node is to run, and the times that hold; or why it is not answered.

        It may be sent only after this transaction has committed, because it binds allocations.
        """
        node = admit_heartbeat(node_id, heartbeat)
        if isinstance(node, Refused):
            return node
        recovery.require_present_database(node, heartbeat.boot_id, report.applied)
        work = lock_node_allocations(node_id)
        exchange = Exchange(node, complete_report(report, node, heartbeat.boot_id), work)
        self.subjects.answer(exchange)
        part, terms = update_node(exchange, heartbeat)
        return exchange.reply.with_part(part), terms
