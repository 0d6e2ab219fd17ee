"""Back ends under test: one row each, with a machine that keeps what every back end must keep.

The machine takes and returns plain values. A row says how they reach the portal: `agents` sends them as
frames of the node protocol, `plain` hands them over as they are, as a back end beside `agentlink` would.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from django.db import transaction

from portal.common.site_config import get_site_config
from portal.config.node_reports import SUBJECTS, receive_heartbeat
from portal.execution import desired
from portal.execution.backends import AGENTS
from portal.execution.capabilities import Capabilities
from portal.execution.desired import DesiredState, WantedContainer
from portal.execution.report import AttemptKey, EndedContainer, Report, SeenContainer
from portal.inventory.models import Node, Pool
from portal.site.selectors import settings_for_system
from portal.workloads.models import Allocation
from portal.workloads.operations import node_state
from portal.workloads.state.allocations import lock_node_allocations
from portal.workloads.state.exchange import Exchange
from tests.builders.scripted_node import facts_of
from wire import messages
from wire.codec import decode_from_agent, encode
from wire.messages import ContainerReport, FinishedReport, Heartbeat, Refused, Tombstone
from wire.versions import PROTOCOL_VERSION
from wire.words import Phase

FINISHED_AT: Final = 1_700_000_000_000


@dataclass
class Machine:
    """One node: fences by epoch, and reports ends until they are acknowledged."""

    node: Node
    send: Callable[["Machine", Report], DesiredState]
    can: Capabilities = field(default_factory=Capabilities)
    seq: int = 0
    applied: int = -1
    running: dict[AttemptKey, str] = field(default_factory=dict)
    """Phases of what is there."""
    unready: set[AttemptKey] = field(default_factory=set)
    """What of that has not answered its probe."""
    wanted: dict[AttemptKey, WantedContainer] = field(default_factory=dict)
    ended: dict[AttemptKey, EndedContainer] = field(default_factory=dict)
    tombstones: set[AttemptKey] = field(default_factory=set)
    highest: dict[str, int] = field(default_factory=dict)
    reply: DesiredState = field(default_factory=DesiredState)

    def exchange(self, *, is_heard: bool = True, hears: bool = True) -> None:
        """Report once and act on the reply; either way may lose it."""
        self.seq += 1
        report = Report(
            seq=self.seq,
            applied=self.applied,
            seen=tuple(
                SeenContainer(*key, phase, is_ready=key not in self.unready)
                for key, phase in self.running.items()
            ),
            ended=tuple(self.ended.values()),
            tombstones=tuple(sorted(self.tombstones)),
            capabilities=self.can,
        )
        if is_heard:
            reply = self.send(self, report)
            if hears:
                self.reply = reply
                self._act()

    def come_up(self, held: Allocation) -> None:
        """Let a container run."""
        self.running[key_of(held)] = Phase.RUNNING.value

    def end(self, held: Allocation, code: int = 0) -> None:
        """Let the program of a container end."""
        self._end(key_of(held), "exited", code)

    def stop(self, held: Allocation) -> None:
        """End a container that is not desired any more, once its grace is over."""
        self._end(key_of(held), "stopped", -15)

    def forget(self, held: Allocation) -> None:
        """Lose a container in a crash: all that is left is the proof that it was here."""
        del self.running[key_of(held)]
        self.tombstones.add(key_of(held))

    def restart(self) -> None:
        """Restart what speaks for the node: what runs goes on, and what was heard is forgotten."""
        self.applied, self.reply, self.wanted = -1, DesiredState(), {}

    def _end(self, key: AttemptKey, cause: str, code: int) -> None:
        del self.running[key]
        self.ended[key] = EndedContainer(*key, cause, code)

    def _act(self) -> None:
        self.applied = self.seq
        self.wanted = {item.key: item for item in self.reply.containers}
        for key in self.reply.acks:
            self.ended.pop(key, None)
            self.tombstones.discard(key)
        for name, epoch in self.wanted:
            if epoch > self.highest.get(name, 0):
                self.highest[name] = epoch
                self.running[name, epoch] = Phase.STARTING.value


def key_of(held: Allocation) -> AttemptKey:
    """Return the attempt of an allocation."""
    return held.wire_name, held.epoch


# --- Agents: frames of the node protocol ---------------------------------------------------------


def send_heartbeat(machine: Machine, report: Report) -> DesiredState:
    """Report as an agent does; read the reply back from its frame."""
    heartbeat = Heartbeat(
        protocol=PROTOCOL_VERSION,
        boot_id="boot-1",
        seq=report.seq,
        applied=report.applied,
        facts=facts_of(machine.node).model_copy(update=_facts(machine.can)),
        containers=tuple(
            ContainerReport(
                allocation=it.allocation,
                epoch=it.epoch,
                phase=Phase(it.phase),
                ready=it.is_ready,
            )
            for it in report.seen
        ),
        finished=tuple(
            FinishedReport(
                allocation=it.allocation,
                epoch=it.epoch,
                cause=it.cause,
                exit_code=it.exit_code,
                finished_at=FINISHED_AT,
            )
            for it in report.ended
        ),
        tombstones=tuple(Tombstone(allocation=it, epoch=epoch) for it, epoch in report.tombstones),
    )
    received = decode_from_agent(encode(heartbeat))
    assert isinstance(received, Heartbeat)
    reply = receive_heartbeat(machine.node.pk, received)
    assert not isinstance(reply, Refused), reply
    return _read(reply)


def _facts(can: Capabilities) -> Mapping[str, Any]:
    runtime = "docker" if can.pulls_images else "process"
    return {
        "runtime": runtime,
        "saves_images": can.saves_images,
        "builds_images": can.builds_images,
    }


def _read(reply: messages.Desired) -> DesiredState:
    """Return what the suite asks of a reply, in plain values again."""
    return DesiredState(
        containers=tuple(
            WantedContainer(it.allocation, it.epoch, _spec(it.spec), it.devices)
            for it in reply.containers
        ),
        unknown=tuple((it.allocation, it.epoch) for it in reply.unknown),
        acks=tuple((it.allocation, it.epoch) for it in reply.acks),
        graces=tuple(desired.GrantedGrace(**dict(it)) for it in reply.graces),
        images=reply.images,
        saves=tuple(desired.ImageSaveOrder(**dict(it)) for it in reply.image_saves),
    )


def _spec(spec: messages.ContainerSpec) -> desired.WorkSpec:
    return desired.WorkSpec(**dict(spec))


# --- A back end that speaks plain values ---------------------------------------------------------


def hand_over(machine: Machine, report: Report) -> DesiredState:
    """Report without a wire: admitted by its number alone, with the lease of every node."""
    node_id = machine.node.pk
    SUBJECTS.begin(node_id, report)
    lease = settings_for_system().lease_ttl + timedelta(seconds=get_site_config().lease_grace_s)
    with transaction.atomic():
        node_state.lock_node(node_id)
        node = Node.objects.select_related("pool").get(pk=node_id)
        exchange = Exchange(node, report, lock_node_allocations(node_id))
        SUBJECTS.answer(exchange)
        columns = exchange.columns | {"boot_id": "plain"}
        node_state.record_heartbeat(node, seq=report.seq, lease=lease, is_deaf=False, **columns)
    return SUBJECTS.finish(node_id, report, exchange.reply)


@dataclass(frozen=True, slots=True)
class BackendUnderTest:
    """One back end: its name in `Pool.backend`, and how its machines report."""

    name: str
    send: Callable[[Machine, Report], DesiredState]

    def machines(self, pool: Pool, nodes: list[Node]) -> list[Machine]:
        """Return the machines of a pool of this back end."""
        Pool.objects.filter(pk=pool.pk).update(backend=self.name)
        return [Machine(node, self.send) for node in nodes]


BACKENDS: Final = (BackendUnderTest(AGENTS, send_heartbeat), BackendUnderTest("plain", hand_over))
