"""A node that keeps the protocol, over a server that is called directly: no agent, no socket."""

from dataclasses import dataclass, field

from portal.config.node_reports import receive_heartbeat
from tests.builders.scripted_node import ScriptedNode
from wire.messages import ContainerReport, Desired, DesiredContainer, FinishedReport, Tombstone
from wire.words import ExitCause, Phase

FINISHED_AT = 1_700_000_000_000


@dataclass
class HonestNode:
    """A node that keeps the protocol: fences by epoch, reports until acknowledged."""

    link: ScriptedNode
    running: dict[str, ContainerReport] = field(default_factory=dict)
    ended: list[FinishedReport] = field(default_factory=list)
    tombstones: list[Tombstone] = field(default_factory=list)
    highest: dict[str, int] = field(default_factory=dict)
    applied: int = -1

    def exchange(self, *, is_heard: bool = True, hears: bool = True) -> None:
        """Send one heartbeat; either way may lose it."""
        self.link.seq += 1
        message = self.link.message(
            self.link.seq,
            containers=tuple(self.running.values()),
            finished=tuple(self.ended),
            tombstones=tuple(self.tombstones),
            applied=self.applied,
        )
        if not is_heard:
            return
        reply = receive_heartbeat(self.link.node.pk, message)
        assert isinstance(reply, Desired)
        if hears:
            self._act_on(reply)

    def _act_on(self, reply: Desired) -> None:
        self.applied = reply.seq
        acked = {(ack.allocation, ack.epoch) for ack in reply.acks}
        self.ended = [end for end in self.ended if (end.allocation, end.epoch) not in acked]
        self.tombstones = [t for t in self.tombstones if (t.allocation, t.epoch) not in acked]
        wanted = {(item.allocation, item.epoch): item for item in reply.containers}
        for report in list(self.running.values()):
            if (report.allocation, report.epoch) not in wanted:
                self.end(report, ExitCause.STOPPED, -15)
        for item in wanted.values():
            self._start(item)

    def _start(self, item: DesiredContainer) -> None:
        if item.epoch > self.highest.get(item.allocation, 0):
            self.highest[item.allocation] = item.epoch
            self.running[item.allocation] = ContainerReport(
                allocation=item.allocation, epoch=item.epoch, phase=Phase.STARTING
            )

    def advance(self, report: ContainerReport) -> None:
        """Let a container come up."""
        self.running[report.allocation] = report.model_copy(
            update={"phase": Phase.RUNNING, "port": 8888}
        )

    def end(self, report: ContainerReport, cause: ExitCause, code: int | None) -> None:
        """Let a container end, with a report."""
        del self.running[report.allocation]
        self.ended.append(
            FinishedReport(
                allocation=report.allocation,
                epoch=report.epoch,
                cause=cause,
                exit_code=code,
                finished_at=FINISHED_AT,
            )
        )

    def forget(self, report: ContainerReport) -> None:
        """Lose a container in a crash: all that is left is the proof that it was here."""
        del self.running[report.allocation]
        self.tombstones.append(Tombstone(allocation=report.allocation, epoch=report.epoch))
