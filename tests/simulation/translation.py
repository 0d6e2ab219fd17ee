"""What a simulated agent sends and receives, in the messages of the wire."""

from collections.abc import Sequence
from typing import NamedTuple

from nodeagent.core.commands import SendHeartbeat
from nodeagent.core.events import Replied
from nodeagent.core.state import ContainerKey, DesiredEntry, GracePeriod, RunLimit
from portal.execution.report import EndedContainer, Report, SeenContainer
from scheduler.core.model.entities import NodeId
from tests.simulation.bugs import Bugs
from tests.simulation.loop import SECOND
from wire.facts import AcceleratorFacts, NodeFacts
from wire.messages import (
    ContainerReport,
    Desired,
    DesiredContainer,
    FinishedReport,
    Heartbeat,
    Tombstone,
)
from wire.versions import PROTOCOL_VERSION
from wire.words import Device, ExitCause, Phase


class Sender(NamedTuple):
    """Which of the agents with a node's identity sends."""

    boot_id: str
    machine_id: str
    folder: str


def heartbeat_of(
    beat: SendHeartbeat,
    node: NodeId,
    sender: Sender,
    cards: Sequence[AcceleratorFacts],
    bugs: Bugs,
) -> Heartbeat:
    """Return the message of a heartbeat."""
    graves = () if bugs.no_tombstones else beat.tombstones
    return Heartbeat(
        protocol=PROTOCOL_VERSION,
        boot_id=sender.boot_id,
        instance=sender.folder,
        seq=beat.seq,
        applied=beat.applied,
        facts=NodeFacts(
            hostname=node,
            agent_version="simulated",
            runtime="process",
            isolated=False,
            cpu_milli=96_000,
            memory_mib=524_288,
            address="127.0.0.1",
            accelerators=tuple(cards),
            machine_id=sender.machine_id,
        ),
        containers=tuple(
            ContainerReport(
                allocation=item.key.allocation,
                epoch=item.key.epoch,
                phase=Phase(item.phase.value),
                port=item.port,
                devices=item.devices if item.key in beat.unknown else (),
            )
            for item in beat.containers
        ),
        finished=tuple(
            FinishedReport(
                allocation=item.key.allocation,
                epoch=item.key.epoch,
                cause=ExitCause(item.cause.value),
                exit_code=item.exit_code,
                finished_at=item.finished_at,
            )
            for item in beat.finished
        ),
        tombstones=tuple(Tombstone(allocation=key[0], epoch=key[1]) for key in graves),
    )


def reply_of(reply: Desired, bugs: Bugs) -> Replied:
    """Return the event of a reply."""
    return Replied(
        reply.seq,
        tuple(_desired(item, bugs) for item in reply.containers),
        tuple(ContainerKey(item.allocation, item.epoch) for item in reply.acks),
        {
            ContainerKey(item.allocation, item.epoch): GracePeriod(
                item.seconds * SECOND, item.notice_s * SECOND, reason=item.reason
            )
            for item in reply.graces
        },
        unknown=frozenset(ContainerKey(item.allocation, item.epoch) for item in reply.unknown),
    )


def report_of(heartbeat: Heartbeat, *, is_new_boot: bool) -> Report:
    """Return a heartbeat as `reconcile_node` takes it."""
    return Report(
        applied=heartbeat.applied,
        is_new_boot=is_new_boot,
        seen=tuple(
            SeenContainer(c.allocation, c.epoch, c.phase, c.port) for c in heartbeat.containers
        ),
        ended=tuple(
            EndedContainer(f.allocation, f.epoch, f.cause, f.exit_code) for f in heartbeat.finished
        ),
        tombstones=tuple((t.allocation, t.epoch) for t in heartbeat.tombstones),
    )


def _desired(item: DesiredContainer, bugs: Bugs) -> DesiredEntry:
    devices = tuple(
        Device(_card_name(d.uuid, item, bugs), d.memory_mib, slot=d.slot, slices=d.slices)
        for d in item.devices
    )
    limit = None
    if item.limit is not None and not bugs.no_limit_in_silence:
        limit = RunLimit(
            item.limit.remaining_s * SECOND,
            item.limit.grace_s * SECOND,
            item.limit.notice_s * SECOND,
        )
    key = ContainerKey(item.allocation, item.epoch)
    return DesiredEntry(key, devices, "", silence=item.silence, limit=limit)


def _card_name(card: str, item: DesiredContainer, bugs: Bugs) -> str:
    """Return the card's name; the planted bug makes every holder's card look like its own."""
    return f"{card}#{item.allocation}@{item.epoch}" if bugs.ignores_devices else card
