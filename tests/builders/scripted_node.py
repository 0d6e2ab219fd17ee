"""A node of which a test chooses every report: it sends them with a rising `seq`, without an agent."""

from collections.abc import Iterable

from portal.config.node_reports import receive_heartbeat
from portal.inventory.models import Node
from portal.workloads.models import Allocation
from wire.facts import AcceleratorFacts, NodeFacts, NodeFault
from wire.messages import ContainerReport, Desired, FinishedReport, Heartbeat, Refused, Tombstone
from wire.versions import PROTOCOL_VERSION
from wire.words import ExitCause, Phase

NOW_MS = 1_700_000_000_000


class ScriptedNode:
    """The link end of one node row."""

    def __init__(self, node: Node) -> None:
        """Speak for this node from `seq` 1 on."""
        self.node = node
        self.seq = 0
        self.applied = -1
        self.boot_id = "boot-1"
        self.instance = ""
        self.machine_id = f"dmi:{node.name}"
        self.faults: tuple[NodeFault, ...] = ()
        self.agent_version = "test"

    def beat(
        self,
        *,
        containers: Iterable[ContainerReport] = (),
        finished: Iterable[FinishedReport] = (),
        tombstones: Iterable[Tombstone] = (),
        applied: int | None = None,
    ) -> Desired:
        """Send the next heartbeat and act on its reply."""
        self.seq += 1
        message = self.message(
            self.seq,
            containers=containers,
            finished=finished,
            tombstones=tombstones,
            applied=applied,
        )
        reply = receive_heartbeat(self.node.pk, message)
        assert isinstance(reply, Desired), reply
        self.applied = reply.seq
        return reply

    def repeat(self, message: Heartbeat) -> Desired | Refused:
        """Send a message as it is."""
        return receive_heartbeat(self.node.pk, message)

    def message(
        self,
        seq: int,
        *,
        containers: Iterable[ContainerReport] = (),
        finished: Iterable[FinishedReport] = (),
        tombstones: Iterable[Tombstone] = (),
        applied: int | None = None,
    ) -> Heartbeat:
        """Return a heartbeat without sending it."""
        return Heartbeat(
            protocol=PROTOCOL_VERSION,
            boot_id=self.boot_id,
            instance=self.instance,
            seq=seq,
            applied=self.applied if applied is None else applied,
            facts=facts_of(self.node).model_copy(
                update={
                    "faults": self.faults,
                    "machine_id": self.machine_id,
                    "agent_version": self.agent_version,
                }
            ),
            containers=tuple(containers),
            finished=tuple(finished),
            tombstones=tuple(tombstones),
        )


def facts_of(node: Node) -> NodeFacts:
    """Return the facts that repeat what the rows already say."""
    return NodeFacts(
        hostname=node.name,
        agent_version="test",
        runtime="process",
        isolated=False,
        cpu_milli=node.cpu_milli,
        memory_mib=node.memory_mib,
        address="127.0.0.1",
        accelerators=tuple(
            AcceleratorFacts(
                uuid=card.uuid,
                index=card.index,
                vendor=card.vendor,
                model=card.model,
                memory_mib=card.memory_mib,
                profiles=card.mig_profiles,
                simulated=True,
            )
            for card in node.accelerators.order_by("index")
        ),
    )


def running(allocation: Allocation, *, port: int | None = None) -> ContainerReport:
    """Report a container that runs."""
    return report(allocation, Phase.RUNNING, port=port)


def starting(allocation: Allocation) -> ContainerReport:
    """Report a container that starts."""
    return report(allocation, Phase.STARTING)


def report(allocation: Allocation, phase: Phase, *, port: int | None = None) -> ContainerReport:
    """Report a container in a phase."""
    return ContainerReport(
        allocation=allocation.wire_name, epoch=allocation.epoch, phase=phase, port=port
    )


def finished(
    allocation: Allocation, code: int | None = 0, cause: ExitCause = ExitCause.EXITED
) -> FinishedReport:
    """Report an end."""
    return FinishedReport(
        allocation=allocation.wire_name,
        epoch=allocation.epoch,
        cause=cause,
        exit_code=code,
        started_at=NOW_MS,
        finished_at=NOW_MS + 1000,
    )


def tombstone(allocation: Allocation) -> Tombstone:
    """Report that nothing is left of an attempt."""
    return Tombstone(allocation=allocation.wire_name, epoch=allocation.epoch)
