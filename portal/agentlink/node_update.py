"""What a heartbeat that is answered changes of its node and the node's cards."""

from datetime import timedelta
from typing import Final

from portal.agentlink import facts
from portal.common.site_config import get_site_config
from portal.execution.desired import DesiredState
from portal.site.selectors import settings_for_system
from portal.workloads.operations import node_loss, node_state, recovery
from portal.workloads.state.exchange import Exchange
from wire.messages import Heartbeat
from wire.words import Terms

MISSED_MAX: Final = 3
"""Replies in a row that a node may miss; each heartbeat names the last one that it applied."""


def update_node(exchange: Exchange, heartbeat: Heartbeat) -> tuple[DesiredState, Terms]:
    """Update the node and its cards; return the pending retest orders, and the lease that it has now."""
    node, columns = exchange.node, exchange.columns
    # Read once: the lease that the reply grants is the one that the server waits for.
    lease_ttl, site = settings_for_system().lease_ttl, get_site_config()
    columns |= facts.to_node_columns(heartbeat.facts) | {"agent_protocol": heartbeat.protocol}
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
    lease = lease_ttl + timedelta(seconds=site.lease_grace_s)
    node_state.record_heartbeat(node, seq=heartbeat.seq, lease=lease, is_deaf=is_deaf, **columns)
    unknown = recovery.cards_of_unknown_work(node) if node.runs_forgotten else ()
    cards = heartbeat.facts.accelerators
    retests = facts.update_cards(node, cards, held_by_unknown=unknown)
    terms = Terms(
        heartbeat_ms=round(site.heartbeat_s * 1000),
        lease_ttl_ms=round(lease_ttl.total_seconds() * 1000),
        lease_grace_ms=round(site.lease_grace_s * 1000),
    )
    return DesiredState(retests=retests), terms
