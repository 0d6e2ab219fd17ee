"""The server's half of the node protocol: one heartbeat in, the complete desired state out."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import connection, transaction

from portal.agentlink import desired, facts
from portal.agentlink.reports import read_report
from portal.catalog import selectors as catalog
from portal.catalog.registries import hosts_with_login_for_system
from portal.common.actor import Actor
from portal.common.model_rows import ModelRows
from portal.common.site_config import get_site_config
from portal.environments.images import image_builds, image_saves
from portal.inventory.models import Node, Pool
from portal.site.selectors import settings_for_system
from portal.workloads.idle import activity
from portal.workloads.operations import disk_pressure, node_loss, node_state, recovery
from portal.workloads.state import allocations, lifecycle
from portal.workloads.state.adoption import RECOVERY_ACTOR
from portal.workloads.state.reconcile import (
    AttemptKey,
    Reconciliation,
    reconcile_node,
)
from portal.workloads.state.silence import AgentVerdict, BootVerdict, KnownAgent, judge_agent
from scheduler.core.model.states import NodeState
from wire.images import IMAGES_MAX
from wire.messages import (
    Ack,
    Desired,
    DesiredContainer,
    Heartbeat,
    Refused,
    StopGrace,
    UnknownContainer,
)
from wire.opening import LinkOpening
from wire.values import TEXT_MAX
from wire.versions import SUPPORTED_VERSIONS
from wire.words import Terms

MISSED_MAX = 3
"""Replies in a row that a node may miss; each heartbeat names the last one that it applied."""

logger = structlog.get_logger(__name__)


def admit_agent(node_id: UUID, opening: str) -> bool:
    """Return whether an agent may open the link of a node: not a second one beside one that is heard."""
    agent = LinkOpening.from_header(opening)
    if agent is None:
        return True
    with transaction.atomic():
        node_state.lock_node(node_id)
        node = _load_node(node_id)
        if node is None or agent.boot_id != node.boot_id:
            return True
        applied = node.last_seq if agent.was_answered else -1
        verdict = judge_agent(_known_agent(node), agent.instance, node.last_seq, applied)
        if verdict is AgentVerdict.SECOND:
            node_state.record_rival_agent(node, agent.instance)
        return verdict is not AgentVerdict.SECOND


def receive_heartbeat(node_id: UUID, heartbeat: Heartbeat) -> Desired | Refused:
    """Apply a heartbeat and return the reply; a repeated or late one changes nothing.

    One that shows that the database was restored from a backup begins a recovery first.
    """
    image_saves.record_reports(node_id, heartbeat.image_saves)
    try:
        reply = _receive_heartbeat(node_id, heartbeat)
    except recovery.DatabaseIsOlderError as error:
        recovery.begin_recovery(actor=RECOVERY_ACTOR, noticed_on=str(error))
        reply = _receive_heartbeat(node_id, heartbeat)
    if isinstance(reply, Refused) or not heartbeat.facts.saves_images:
        return reply
    builds = _builds(reply) if heartbeat.facts.builds_images else {}
    orders = image_builds.reply_orders(node_id, builds, get_site_config())
    return reply.model_copy(update={"image_saves": orders})


def _builds(reply: Desired) -> dict[UUID, int]:
    """Return which builds a node is to run, with their epochs; others it would save at once."""
    return {
        UUID(item.spec.workload): item.epoch for item in reply.containers if item.spec.builds_image
    }


@transaction.atomic
def _receive_heartbeat(node_id: UUID, heartbeat: Heartbeat) -> Desired | Refused:
    """Apply a heartbeat and return the reply.

    It may be sent only after this transaction has committed, because it binds allocations.
    """
    if heartbeat.protocol not in SUPPORTED_VERSIONS:
        return Refused(code="unsupported_protocol", detail=_protocol_detail(heartbeat.protocol))
    node_state.lock_node(node_id)
    node = _load_node(node_id)
    if node is None or node.state == NodeState.RETIRED:
        return Refused(code="node_unknown")
    if refusal := _refusal(node, heartbeat):
        return refusal
    recovery.require_present_database(node, boot_id=heartbeat.boot_id, applied=heartbeat.applied)
    work = allocations.lock_node_allocations(node_id)
    report = read_report(heartbeat, node)
    held = {(item.wire_name, item.epoch) for item in work.allocations}
    unknown = recovery.record_report(node, report, held, seq=heartbeat.seq)
    settlement = reconcile_node(work.held_allocations(), report)
    node_actor = Actor.system(f"node:{node.name}")
    left = lifecycle.apply_reconciliation(work, settlement, actor=node_actor)
    if node.awaits_report:
        recovery.requeue_unstarted(left, actor=node_actor)
    if reports := _idle_reports(heartbeat):
        activity.record_use_reports(left, reports, actor=node_actor)
        left = left.reload()
    disk_pressure.record_disk_pressure(
        left, node, [fault.model_dump() for fault in heartbeat.facts.faults]
    )
    # Read once: the lease that the reply grants is the one that the server waits for.
    lease_ttl = settings_for_system().lease_ttl
    reply = _build_reply(node, left, heartbeat, _acks(settlement), unknown.left_alone, lease_ttl)
    retests = _update_node(node, heartbeat, lease_ttl, runs_forgotten=unknown.is_any)
    return reply.model_copy(update={"retests": retests})


_NODES: Final = ModelRows(Node, "node")
_POOLS: Final = ModelRows(Pool, "pool")
_NODE_WITH_POOL: Final = _NODES.fill(
    _POOLS.fill("""
SELECT {node}, {pool}
FROM inventory_node node JOIN inventory_pool pool ON pool.id = node.pool_id WHERE node.id = %s
""")
)


def _load_node(node_id: UUID) -> Node | None:
    with connection.cursor() as cursor:
        cursor.execute(_NODE_WITH_POOL, [node_id])
        found = cursor.fetchone()
    if found is None:
        return None
    node = _NODES.build(found[: _NODES.width])
    node.pool = _POOLS.build(found[_NODES.width :])
    return node


def _protocol_detail(version: int) -> str:
    """Return the advice for the agent's log."""
    least, most = min(SUPPORTED_VERSIONS), max(SUPPORTED_VERSIONS)
    older = "agent" if version < least else "portal"
    return f"the agent speaks {version}, the portal {least} to {most}: upgrade the {older}"


def _refusal(node: Node, heartbeat: Heartbeat) -> Refused | None:
    """Return why this heartbeat is refused: it is old, or a second host uses this identity."""
    if node_state.has_second_host(node, heartbeat.boot_id, heartbeat.applied):
        node_state.quarantine_node(node)
        return Refused(code="identity_used_twice")
    if node.boot_id not in ("", heartbeat.boot_id) and (refusal := _refuse_boot(node, heartbeat)):
        return refusal
    if heartbeat.boot_id == node.boot_id and (refusal := _refuse_agent(node, heartbeat)):
        return refusal
    if heartbeat.seq <= node.last_seq:
        return Refused(code="stale_seq", detail=str(node.last_seq))
    return None


def _refuse_agent(node: Node, heartbeat: Heartbeat) -> Refused | None:
    """Return why a heartbeat of the known boot is refused: another agent uses this identity."""
    match judge_agent(_known_agent(node), heartbeat.instance, heartbeat.seq, heartbeat.applied):
        case AgentVerdict.SECOND:
            node_state.record_rival_agent(node, heartbeat.instance)
            return Refused(code="another_agent_runs")
        case AgentVerdict.EARLIER:
            return Refused(code="stale_seq", detail=str(node_state.challenge_agent(node)))
        case AgentVerdict.TWO_HOSTS:
            node_state.quarantine_node(node)
            return Refused(code="identity_used_twice")
        case AgentVerdict.KNOWN:
            return None


def _known_agent(node: Node) -> KnownAgent:
    return KnownAgent(
        node.instance,
        node.agent_since_seq,
        node.last_seq,
        node.challenge_seq,
        is_heard=node_state.is_agent_heard(node),
    )


def _refuse_boot(node: Node, heartbeat: Heartbeat) -> Refused | None:
    """Return why a heartbeat of another boot is refused; None once nothing of the known one is left."""
    match node_state.judge_new_boot(node, heartbeat.facts.machine_id):
        case BootVerdict.WAIT:
            node_state.record_rival_boot(node, heartbeat.boot_id)
            until = node.lease_until.isoformat() if node.lease_until else ""
            return Refused(code="earlier_boot_has_lease", detail=until)
        case BootVerdict.UNPROVEN:
            node_state.record_rival_boot(node, heartbeat.boot_id)
            return Refused(code="earlier_boot_has_work")
        case BootVerdict.SECOND_HOST:
            node.rival_boot_id = heartbeat.boot_id
            node_state.quarantine_node(node)
            return Refused(code="identity_used_twice")
        case BootVerdict.LEASE_OVER | BootVerdict.REBOOTED:
            return None


def _build_reply(
    node: Node,
    work: allocations.NodeAllocations,
    heartbeat: Heartbeat,
    acks: tuple[Ack, ...],
    unknown: tuple[AttemptKey, ...],
    lease_ttl: timedelta,
) -> Desired:
    """Bind the allocations that the reply names, and mark those that it leaves out."""
    config = get_site_config()
    wanted = work.wanted_allocations()
    allocations.bind_allocations(wanted)
    kept = {item.pk for item in wanted}
    left_out = [item for item in work.allocations if item.pk not in kept]
    allocations.mark_unwanted(left_out, heartbeat.seq)
    graces = (
        desired.build_stop_grace(work.workloads[item.workload_id], item, item.stop_grace_s)
        for item in left_out
        if item.stop_grace_s is not None
    )
    containers = desired.build_containers(
        work, wanted, node=node, site=config, protocol=heartbeat.protocol
    )
    images = _images_ahead(heartbeat)
    return Desired(
        seq=heartbeat.seq,
        containers=containers,
        unknown=tuple(UnknownContainer(allocation=name, epoch=epoch) for name, epoch in unknown),
        acks=acks,
        images=images,
        login_hosts=_login_hosts(heartbeat, images, containers),
        graces=(*graces, *_stop_at_once(work, heartbeat, unknown)),
        terms=Terms(
            heartbeat_ms=round(config.heartbeat_s * 1000),
            lease_ttl_ms=round(lease_ttl.total_seconds() * 1000),
            lease_grace_ms=round(config.lease_grace_s * 1000),
        ),
    )


def _stop_at_once(
    work: allocations.NodeAllocations, heartbeat: Heartbeat, unknown: tuple[AttemptKey, ...]
) -> Iterator[StopGrace]:
    """Yield an order to kill for each container that the portal has given up: another may run."""
    held = {*unknown, *((item.wire_name, item.epoch) for item in work.allocations)}
    for item in heartbeat.containers:
        if (item.allocation, item.epoch) not in held:
            yield StopGrace(allocation=item.allocation, epoch=item.epoch, seconds=0)


def _pulls_images(heartbeat: Heartbeat) -> bool:
    """Tell whether the node has an engine; without one nothing is pulled."""
    return heartbeat.facts.runtime == "docker"


def _images_ahead(heartbeat: Heartbeat) -> tuple[str, ...]:
    """Return the images that a node should pull ahead of use."""
    if not _pulls_images(heartbeat):
        return ()
    return catalog.references_to_prefetch_for_system(IMAGES_MAX, TEXT_MAX)


def _login_hosts(
    heartbeat: Heartbeat, images: tuple[str, ...], containers: tuple[DesiredContainer, ...]
) -> tuple[str, ...]:
    """Return the registries from which this node pulls with a login of the portal."""
    if not _pulls_images(heartbeat):
        return ()
    return hosts_with_login_for_system((*images, *(item.spec.image for item in containers)))


def _update_node(
    node: Node, heartbeat: Heartbeat, lease_ttl: timedelta, *, runs_forgotten: bool
) -> dict[str, int]:
    """Update the node and its cards; return the pending retest orders."""
    lease = lease_ttl + timedelta(seconds=get_site_config().lease_grace_s)
    columns = facts.to_node_columns(heartbeat.facts)
    columns |= {
        "agent_protocol": heartbeat.protocol,
        "awaits_report": False,
        "runs_forgotten": runs_forgotten,
    }
    node_loss.record_return(node, heartbeat.boot_id)
    facts.record_agent_change(node, columns["agent_version"])
    if node.boot_id != heartbeat.boot_id:
        columns |= {"boot_id": heartbeat.boot_id, "rival_boot_id": "", "rival_seq": -1}
    if node.instance != heartbeat.instance:
        columns |= {"instance": heartbeat.instance, "rival_instance": ""}
    is_deaf = 0 <= heartbeat.applied < heartbeat.seq - MISSED_MAX
    if heartbeat.applied < 0 and (node.has_applied or node.agent_since_seq < 0):
        columns |= {"agent_since_seq": heartbeat.seq, "challenge_seq": -1}
    columns["has_applied"] = heartbeat.applied >= 0
    node_state.record_heartbeat(node, seq=heartbeat.seq, lease=lease, is_deaf=is_deaf, **columns)
    unknown = recovery.cards_of_unknown_work(node) if runs_forgotten else ()
    return facts.update_cards(node, heartbeat.facts.accelerators, held_by_unknown=unknown)


def _idle_reports(heartbeat: Heartbeat) -> tuple[activity.UseReport, ...]:
    """Return the idleness of the notebooks that the node watches."""
    return tuple(
        activity.UseReport(
            allocation=item.allocation,
            epoch=item.epoch,
            idle_ms=item.idle_ms,
            use_mark=item.use_mark,
            used_by=item.used_by,
            gpu_state=item.cards.value,
            detail=item.cards_words,
        )
        for item in heartbeat.containers
        if item.idle_ms is not None
    )


def _acks(settlement: Reconciliation) -> tuple[Ack, ...]:
    return tuple(Ack(allocation=name, epoch=epoch) for name, epoch in settlement.acks)
