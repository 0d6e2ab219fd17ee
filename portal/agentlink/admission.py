"""Whose heartbeats are answered: of two agents, boots or hosts with one identity only one's."""

from typing import Final
from uuid import UUID

from django.db import connection, transaction

from portal.common.model_rows import ModelRows
from portal.execution.backends import AGENTS
from portal.inventory.models import Node, Pool
from portal.workloads.operations import node_state
from portal.workloads.state.silence import AgentVerdict, BootVerdict, KnownAgent, judge_agent
from scheduler.core.model.states import NodeState
from wire.messages import Heartbeat, Refused
from wire.opening import LinkOpening
from wire.versions import SUPPORTED_VERSIONS


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


def admit_heartbeat(node_id: UUID, heartbeat: Heartbeat) -> Node | Refused:
    """Lock a node and return it, with its pool; or return why this heartbeat of it is refused."""
    if heartbeat.protocol not in SUPPORTED_VERSIONS:
        return Refused(code="unsupported_protocol", detail=_protocol_detail(heartbeat.protocol))
    node_state.lock_node(node_id)
    node = _load_node(node_id)
    if node is None or node.state == NodeState.RETIRED or node.pool.backend != AGENTS:
        return Refused(code="node_unknown")
    return _refusal(node, heartbeat) or node


def _protocol_detail(version: int) -> str:
    """Return the advice for the agent's log."""
    least, most = min(SUPPORTED_VERSIONS), max(SUPPORTED_VERSIONS)
    older = "agent" if version < least else "portal"
    return f"the agent speaks {version}, the portal {least} to {most}: upgrade the {older}"


def _refusal(node: Node, heartbeat: Heartbeat) -> Refused | None:
    """Return why a heartbeat is refused: it is old, or a second host or agent uses this identity."""
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
