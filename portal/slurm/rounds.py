"""One round of a pool whose work Slurm runs: read, judge, report, plan, act."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import structlog

from portal.common.clock import now
from portal.execution.backends import SLURM
from portal.execution.desired import DesiredState
from portal.foreign.attempts import JobKey, RefuseAttempt, parse_attempt
from portal.foreign.nodes import DETAIL_MAX, ensure_nodes
from portal.foreign.reporting import NodeWord, begin_recovery_if_restored, report_node
from portal.foreign.rounds import RETRY_S, RoundParts, run_alone
from portal.inventory.models import Node
from portal.slurm import judging, nodes, planning, records
from portal.slurm.client import SlurmClient, SlurmRefusedError
from portal.slurm.commands import CommandError, ShellCommands
from portal.slurm.log_shipping import ship_logs
from portal.slurm.models import SlurmPartition
from portal.slurm.reading import UnreadableError
from portal.slurm.values import (
    AttemptRecord,
    Cancel,
    ClusterNode,
    ClusterView,
    Drop,
    JobEnd,
    Order,
    Signal,
    SubmitJob,
)
from wire.words import ExitCause

logger = structlog.get_logger(__name__)

REFUSED: Final = "slurm_refused"
STOPPED_EARLY: Final = "stopped_before_start"


@dataclass(frozen=True, slots=True)
class SlurmRounds:
    """Runs rounds, as composed."""

    parts: RoundParts
    retry_s: int = RETRY_S

    def run_all(self) -> None:
        """Run a round of each pool, one after the other."""
        rows = SlurmPartition.objects.select_related("pool").filter(pool__backend=SLURM)
        for partition in rows.order_by("id"):
            commands = ShellCommands(partition.host, partition.conf)
            terms = records.terms_of(partition, partition.pool)
            self.run(partition, SlurmClient(commands, terms))

    def run(self, partition: SlurmPartition, client: SlurmClient) -> bool:
        """Run one round, unless another worker is at it; return whether the cluster answered."""
        return run_alone(
            partition.pool.name,
            records.PartitionClaims(partition),
            _PoolRound(self.parts, partition, client).run,
            retry_s=self.retry_s,
        )


@dataclass(slots=True)
class _PoolRound:
    parts: RoundParts
    partition: SlurmPartition
    client: SlurmClient

    def run(self) -> None:
        unsettled = records.load_unsettled(self.partition)
        view = self._read(unsettled)
        queued = [job.key for job in view.queue]
        before = {**records.load_attempts(self.partition, queued), **unsettled}
        judged = judging.judge(before.values(), view)
        rows = ensure_nodes(self.partition.pool, SLURM, (item.name for item in view.nodes))
        if judged.unrecorded:
            begin_recovery_if_restored(rows.values(), self.partition.pool.name)
        # After that: once they have rows, nothing shows the restore any more.
        records.save(self.partition, judged.records.values(), before)
        replies = {
            item.name: self._exchange(rows[item.name], item, judged.records, view.at)
            for item in view.nodes
            if item.name in rows
        }
        done = self._acknowledged(judged.records, replies)
        self._act(replies, judged.records, view)
        more = ship_logs(self.client, self.parts.store_log, judged.records.values(), rows)
        records.settle(self.partition, [key for key in done if key not in more])
        records.forget_old(self.partition)

    def _read(self, known: Mapping[JobKey, AttemptRecord]) -> ClusterView:
        """Read the queue first: what ends between the two reads is in the accounting then."""
        found, queue = self.client.nodes(), self.client.queue()
        live = {job.id for job in queue if judging.is_live(job)}
        due = [it for it in known.values() if it.end is None and it.job_id not in live]
        try:
            accounting = self.client.accounting(due)
        except CommandError as error:
            logger.warning("slurm.no_accounting", pool=self.partition.pool.name, error=str(error))
            accounting = None
        at = int(now().timestamp())
        return ClusterView(at, found, queue, accounting)

    def _exchange(
        self, row: Node, seen: ClusterNode, known: Mapping[JobKey, AttemptRecord], at: int
    ) -> DesiredState:
        """Report one node, and return the reply."""
        memory_mib = self.partition.gpu_memory_mib
        word = NodeWord(
            SLURM,
            nodes.columns_of(seen),
            nodes.cards_of(self.partition.site, seen, memory_mib),
            judging.seen_on(seen.name, known.values(), at),
            judging.ended_on(seen.name, known.values(), at),
        )
        return report_node(self.parts, row, word)

    def _acknowledged(
        self, known: Mapping[JobKey, AttemptRecord], replies: Mapping[str, DesiredState]
    ) -> list[JobKey]:
        acks = {key for reply in replies.values() for key in reply.acks}
        return [
            record.key
            for record in known.values()
            if judging.is_acknowledged(record, acks, replies)
        ]

    def _act(
        self,
        replies: Mapping[str, DesiredState],
        known: Mapping[JobKey, AttemptRecord],
        view: ClusterView,
    ) -> None:
        containers = (it for reply in replies.values() for it in reply.containers)
        wanted = [parse_attempt(it.key)[0] for it in containers]
        past = records.load_attempts(self.partition, wanted)
        everything = {**past, **known}
        for order in planning.plan(replies, everything, view):
            self._do(order, everything, view.at)

    def _do(self, order: Order, known: Mapping[JobKey, AttemptRecord], at: int) -> None:
        match order:
            case SubmitJob():
                self._submit(order, at)
            case RefuseAttempt(key, where, detail):
                self._end(AttemptRecord(key, where, at), ExitCause.START_FAILED, detail, at)
            case Drop(key):
                self._end(known[key], ExitCause.STOPPED, STOPPED_EARLY, at)
            case Signal(key, job_id, name, stop_at):
                self._save(replace(known[key], stop_at=stop_at))
                if name:
                    self.client.signal(job_id, name)
            case Cancel(job_id, key):
                if key is not None and known[key].stop_at is None:
                    self._save(replace(known[key], stop_at=at))
                self.client.cancel(job_id)

    def _submit(self, order: SubmitJob, at: int) -> None:
        """Submit a job: it is recorded before, so that nothing that was taken is unknown."""
        record = AttemptRecord(order.key, order.nodes, submitted_at=at)
        self._save(record)
        try:
            job_id = self.client.submit(order)
        except SlurmRefusedError as error:
            self._end(record, ExitCause.START_FAILED, f"{REFUSED}: {error}", at)
        except (CommandError, UnreadableError) as error:
            logger.warning("slurm.submission_in_doubt", key=str(order.key), error=str(error))
        else:
            self._save(replace(record, job_id=job_id, state="PENDING"))

    def _end(self, record: AttemptRecord, cause: ExitCause, detail: str, at: int) -> None:
        end = JobEnd(cause.value, None, None, at, detail[:DETAIL_MAX])
        self._save(replace(record, end=end))

    def _save(self, record: AttemptRecord) -> None:
        records.save(self.partition, (record,), {})
