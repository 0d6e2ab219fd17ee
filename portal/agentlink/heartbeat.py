"""The server's half of the node protocol: one heartbeat in, the full desired state out."""

from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction

from portal.agentlink import desired, facts
from portal.catalog import selectors as catalog
from portal.common.actor import Actor
from portal.common.clock import millis, now
from portal.inventory.models import Node
from portal.workloads import disks, holdings, idle, lifecycle, nodes
from portal.workloads.settle import Ended, NodeReport, Seen, Settlement, settle
from scheduler.core.states import NodeState
from wire.messages import Ack, Desired, Heartbeat, Refused
from wire.versions import SUPPORTED_VERSIONS
from wire.words import Terms

IMAGES_MAX = 64
IMAGE_LENGTH_MAX = 200
"""What a message can carry."""
CLOCK_SKEW_MAX_MS = 24 * 3600 * 1000
"""Times further ahead of ours are not believed."""

MISSED_MAX = 3
"""Answers in a row that a node may have missed; each of its heartbeats names the last it acted on."""

logger = structlog.get_logger(__name__)


@transaction.atomic
def receive(node_id: UUID, heartbeat: Heartbeat) -> Desired | Refused:
    """Settle a heartbeat and answer it; one that is repeated or late changes nothing.

    The reply may be sent only after this transaction has committed: it is what binds.
    """
    if heartbeat.protocol not in SUPPORTED_VERSIONS:
        return Refused(code="unsupported_protocol", detail=_spoken(heartbeat.protocol))
    nodes.take_turn(node_id)
    node = Node.objects.select_related("pool").filter(pk=node_id).first()
    if node is None or node.state == NodeState.RETIRED:
        return Refused(code="node_unknown")
    if refusal := _refusal(node, heartbeat):
        return refusal
    work = holdings.lock_node_work(node_id)
    settlement = settle(work.held(), _report(heartbeat))
    speaker = Actor.system(f"node:{node.name}")
    left = lifecycle.observe(work, settlement, actor=speaker)
    if told := _told(heartbeat):
        idle.heard(left, told, actor=speaker)
        left = left.read_anew()
    disks.tell(left, node, [fault.model_dump() for fault in heartbeat.facts.faults])
    reply = _promise(left, heartbeat.seq, _acks(settlement), _images(heartbeat))
    return reply.model_copy(update={"retests": _note_node(node, heartbeat)})


def _spoken(version: int) -> str:
    """Say in the agent's log what is to be done."""
    least, most = min(SUPPORTED_VERSIONS), max(SUPPORTED_VERSIONS)
    whom = "agent" if version < least else "portal"
    return f"the agent speaks {version}, the portal {least} to {most}: upgrade the {whom}"


def _refusal(node: Node, heartbeat: Heartbeat) -> Refused | None:
    """Tell why this heartbeat changes nothing: it is old, or not the only host of this node."""
    if nodes.has_second_host(node, heartbeat.boot_id, heartbeat.applied):
        nodes.quarantine(node)
        return Refused(code="identity_used_twice")
    if node.boot_id not in ("", heartbeat.boot_id):
        # What runs under the lease of the earlier boot may be another host: wait for its end.
        if node.lease_until is not None and node.lease_until > now():
            nodes.note_rival(node, heartbeat.boot_id)
            return Refused(code="earlier_boot_has_lease", detail=node.lease_until.isoformat())
        node.rival_boot_id = heartbeat.boot_id
        nodes.give_up(node)
    if heartbeat.seq <= node.last_seq:
        return Refused(code="stale_seq", detail=str(node.last_seq))
    return None


def _promise(
    work: holdings.NodeWork, seq: int, acks: tuple[Ack, ...], images: tuple[str, ...]
) -> Desired:
    """Bind what the reply names and remember what it leaves out."""
    wanted = work.wanted()
    holdings.bind(wanted)
    kept = {item.pk for item in wanted}
    left_out = [item for item in work.allocations if item.pk not in kept]
    holdings.mark_unwanted(left_out, seq)
    return Desired(
        seq=seq,
        containers=desired.containers(work, wanted, secret_key=settings.SECRET_KEY),
        acks=acks,
        images=images,
        graces=tuple(
            desired.grace(work.workloads[item.workload_id], item, item.stop_grace_s)
            for item in left_out
            if item.stop_grace_s is not None
        ),
        terms=Terms(
            heartbeat_ms=round(settings.HEARTBEAT_S * 1000),
            lease_ttl_ms=round(settings.LEASE_TTL_S * 1000),
            lease_grace_ms=round(settings.LEASE_GRACE_S * 1000),
        ),
    )


def _images(heartbeat: Heartbeat) -> tuple[str, ...]:
    """Return what a node should fetch beforehand; only an engine can."""
    if heartbeat.facts.runtime != "docker":
        return ()
    return catalog.references(IMAGES_MAX, IMAGE_LENGTH_MAX)


def _note_node(node: Node, heartbeat: Heartbeat) -> dict[str, int]:
    """Write down what a node says of itself; return which of its cards are to be judged anew."""
    lease = timedelta(seconds=settings.LEASE_TTL_S + settings.LEASE_GRACE_S)
    columns = facts.node_columns(heartbeat.facts)
    if node.boot_id != heartbeat.boot_id:
        columns |= {"boot_id": heartbeat.boot_id, "rival_boot_id": "", "rival_seq": -1}
    is_deaf = 0 <= heartbeat.applied < heartbeat.seq - MISSED_MAX
    nodes.heard(node, seq=heartbeat.seq, lease=lease, is_deaf=is_deaf, **columns)
    return facts.record_cards(node, heartbeat.facts.accelerators)


def _report(heartbeat: Heartbeat) -> NodeReport:
    """Translate the message into the words of the pure decision."""
    return NodeReport(
        applied=heartbeat.applied,
        seen=tuple(
            Seen(
                allocation=item.allocation,
                epoch=item.epoch,
                phase=item.phase.value,
                port=item.port,
                detail=item.detail,
                progress_pct=item.progress_pct,
                isolation=item.isolation.value if item.isolation else "",
                started_at=_believed(item.started_at),
                checkpointed_at=_believed(item.checkpointed_at),
            )
            for item in heartbeat.containers
        ),
        ended=tuple(
            Ended(
                allocation=item.allocation,
                epoch=item.epoch,
                cause=item.cause.value,
                exit_code=item.exit_code,
                started_at=_believed(item.started_at),
                finished_at=_believed(item.finished_at),
                detail=item.detail,
                checkpointed_at=_believed(item.checkpointed_at),
            )
            for item in heartbeat.finished
        ),
        tombstones=tuple((item.allocation, item.epoch) for item in heartbeat.tombstones),
    )


def _told(heartbeat: Heartbeat) -> tuple[idle.Told, ...]:
    """Return what a node says of notebooks that it looks at."""
    return tuple(
        idle.Told(
            allocation=item.allocation,
            epoch=item.epoch,
            idle_ms=item.idle_ms,
            mark=item.use_mark,
            by=item.used_by,
            cards=item.cards.value,
            words=item.cards_words,
        )
        for item in heartbeat.containers
        if item.idle_ms is not None
    )


def _believed(moment: int | None) -> int | None:
    """Drop a time that lies far in the future: no store could hold some of them."""
    if moment is None or moment > millis(now()) + CLOCK_SKEW_MAX_MS:
        return None
    return moment


def _acks(settlement: Settlement) -> tuple[Ack, ...]:
    return tuple(Ack(allocation=name, epoch=epoch) for name, epoch in settlement.acks)
