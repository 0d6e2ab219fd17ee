"""Liveness of nodes: heartbeats, leases and what follows; the only writer of node states.

What operators do to nodes is in `operations.nodes`; the state itself is derived by
`scheduler.core.model.states.derive_node_state` alone.
"""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import connection

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now, to_millis
from portal.common.notifications import (
    NODES_TOPIC,
    invalidate_nodes,
    invalidate_topics,
    wake_scheduler,
)
from portal.common.site_config import get_site_config
from portal.inventory.models import Node, NodeKey
from portal.site.values import LEASE_TTL_S_MAX
from portal.workloads.models import Allocation
from portal.workloads.state import allocations, lifecycle
from portal.workloads.state.reconcile import Proof, end_silent
from portal.workloads.state.silence import (
    CHALLENGE_GAP,
    BootVerdict,
    KnownBoot,
    judge_boot,
)
from portal.workloads.system_actors import SWEEP_ACTOR
from scheduler.core.model.states import (
    LIVE_ALLOCATION,
    NodeContact,
    NodeHold,
    NodeState,
    derive_node_state,
)

logger = structlog.get_logger(__name__)

_LOCK_CLASS: Final = 0x4E4F4445
"""Name space of the advisory locks below: the letters NODE."""

# Written out, because every heartbeat of every node runs it.
_SEEN: Final = """
UPDATE inventory_node SET last_seq = %s, last_seen_at = %s, lease_until = %s WHERE id = %s
"""


def lock_node(node_id: UUID) -> None:
    """Lock a node against other transactions that report or change its state.

    It is an advisory lock: the row itself may only be locked after workloads and quotas, as a commit
    of placements does.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_LOCK_CLASS, str(node_id)]
        )


def record_heartbeat(
    node: Node, *, seq: int, lease: timedelta, is_deaf: bool, **columns: Any
) -> None:
    """Save a heartbeat that is being answered: the lease of the node runs again from now.

    A node that is deaf sends heartbeats and gets none of the replies: it counts as silent.
    """
    moment = now()
    # An agent that misses this reply goes by an earlier one, which may have promised more.
    promised = min(node.lease_until or moment, moment + _longest_lease())
    until = max(moment + lease, promised)
    seen: dict[str, Any] = {"last_seq": seq, "last_seen_at": moment, "lease_until": until}
    with connection.cursor() as cursor:
        cursor.execute(_SEEN, [*seen.values(), node.pk])
    changed = {name: value for name, value in columns.items() if getattr(node, name) != value}
    if changed:
        Node.objects.filter(pk=node.pk).update(**changed)
    for name, value in (seen | changed).items():
        setattr(node, name, value)
    update_node_state(node, NodeContact.SILENT if is_deaf else NodeContact.HEARD)


def expire_silent_node(node_id: UUID, *, silence: timedelta) -> None:
    """Update the state of a silent node: unready at first, lost once lease and grace are over.

    What may be replaced has ended then: the node's own watchdog has stopped it. What is kept continues.
    """
    lock_node(node_id)
    node = Node.objects.get(pk=node_id)
    moment = now()
    if node.last_seen_at is None or node.lease_until is None:
        return
    if node.last_seen_at > moment:
        # The clock was set back: silence counts from now.
        node.last_seen_at = moment
        node.lease_until = min(node.lease_until, moment + _longest_lease())
        node.save(update_fields=["last_seen_at", "lease_until"])
    if node.lease_until <= moment:
        end_work_of_node(node, Proof.LEASE_OVER)
        update_node_state(node, NodeContact.LOST)
    elif node.last_seen_at + silence <= moment:
        update_node_state(node, NodeContact.SILENT)


def _longest_lease() -> timedelta:
    """Return how long work may run after any answered heartbeat, whatever the site's setting was then."""
    return timedelta(seconds=LEASE_TTL_S_MAX + get_site_config().lease_grace_s)


def end_work_of_node(node: Node, proof: Proof, *, actor: Actor = SWEEP_ACTOR) -> None:
    """End the work on a silent node that this proof concerns; the caller has called `lock_node`.

    It counts up to the last word of the node, or to the end of the lease where that has ended it.
    """
    work = allocations.lock_node_allocations(node.pk)
    ended = node.lease_until if proof is Proof.LEASE_OVER else node.last_seen_at
    finished_at = None if ended is None else to_millis(ended)
    ends = end_silent(work.held_allocations(), proof, finished_at)
    lifecycle.lose_node_work(work, ends, actor=actor)


def judge_new_boot(node: Node, machine_id: str) -> BootVerdict:
    """Return what a heartbeat of another boot means; end the work that the lease has ended.

    What a reboot of the same machine ends is read from the heartbeat: some may have ended before.
    """
    held = allocations.lock_node_allocations(node.pk).held_allocations()
    known = KnownBoot(
        node.machine_id,
        is_lease_over=node.lease_until is None or node.lease_until <= now(),
        holds_kept=any(not item.ends_with_lease for item in held),
        is_restored=node.awaits_report,
    )
    verdict = judge_boot(known, machine_id)
    if verdict is BootVerdict.LEASE_OVER:
        end_work_of_node(node, Proof.NEW_BOOT)
    return verdict


def has_second_host(node: Node, boot_id: str, applied: int) -> bool:
    """Return whether two hosts send heartbeats for this node, given the heartbeat of one of them.

    A boot that is over sends none. So if the boot that holds the lease has applied a reply that was
    sent after another boot had sent a heartbeat, both are running.
    """
    return bool(node.rival_boot_id) and boot_id == node.boot_id and applied > node.rival_seq


def record_rival_boot(node: Node, boot_id: str) -> None:
    """Save that another boot of this node has sent a heartbeat while the lease of this one runs."""
    if node.rival_boot_id != boot_id:
        Node.objects.filter(pk=node.pk).update(rival_boot_id=boot_id, rival_seq=node.last_seq)
        logger.warning("node.other_boot", node=node.name, boot_id=boot_id)


def is_agent_heard(node: Node) -> bool:
    """Return whether the agent that holds the lease was heard within the last three heartbeats."""
    silence = timedelta(seconds=3 * get_site_config().heartbeat_s)
    return node.last_seen_at is not None and now() < node.last_seen_at + silence


def challenge_agent(node: Node) -> int:
    """Return what an agent of before must count on from, if it is alive."""
    if node.challenge_seq < 0:
        node.challenge_seq = node.last_seq + CHALLENGE_GAP
        Node.objects.filter(pk=node.pk).update(challenge_seq=node.challenge_seq)
        logger.warning("node.earlier_agent", node=node.name)
    return node.challenge_seq


def record_rival_agent(node: Node, instance: str) -> None:
    """Save that a second agent of the known boot has sent a heartbeat; once for each."""
    if node.rival_instance == instance:
        return
    Node.objects.filter(pk=node.pk).update(rival_instance=instance)
    logger.error("node.second_agent", node=node.name, instance=instance)
    audit.record_event(
        actor=Actor.system(f"node:{node.name}"),
        action="node.second_agent",
        object_type="node",
        object_id=node.pk,
        params={"name": node.name},
    )


def quarantine_node(node: Node) -> None:
    """Take the identity from a node that two hosts use: both lose the link and their lease.

    It is not known on which of them the work runs: what may be replaced is placed again after lease
    and grace, what is kept once an operator has declared the node lost.
    """
    NodeKey.objects.filter(node=node).delete()
    Node.objects.filter(pk=node.pk).update(hold=NodeHold.QUARANTINE.value)
    node.hold = NodeHold.QUARANTINE.value
    update_node_state(node, NodeContact.SILENT)
    logger.error("node.identity_used_twice", node=node.name)
    audit.record_event(
        actor=Actor.system(f"node:{node.name}"),
        action="node.quarantine",
        object_type="node",
        object_id=node.pk,
        params={"name": node.name, "boots": [node.boot_id, node.rival_boot_id]},
    )


def retire_node_row(node: Node) -> None:
    """Retire a node: remove its keys, so that no host can send heartbeats for it again."""
    NodeKey.objects.filter(node=node).delete()
    Node.objects.filter(pk=node.pk).update(
        state=NodeState.RETIRED.value, lease_until=None, awaits_report=False
    )
    invalidate_topics([NODES_TOPIC])


def update_node_state(node: Node, contact: NodeContact) -> None:
    """Derive the state of a node again and save it; the caller has called `lock_node`."""
    before = NodeState(node.state)
    if before is NodeState.RETIRED:
        return
    hold = NodeHold(node.hold)
    # Whether anything is left matters only while the node is drained.
    is_drained = hold is NodeHold.DRAIN and not _has_live_allocations(node)
    is_blocked = any(fault["is_blocking"] for fault in node.faults)
    after = derive_node_state(hold, contact, is_blocked=is_blocked, is_empty=is_drained)
    if after is before:
        return
    Node.objects.filter(pk=node.pk, state=before).update(state=after.value)
    node.state = after.value
    logger.info("node.state", node=node.name, before=before.value, after=after.value)
    invalidate_nodes([node.pk])
    if after is NodeState.READY:
        wake_scheduler()


def _has_live_allocations(node: Node) -> bool:
    return Allocation.objects.filter(node=node, state__in=LIVE_ALLOCATION).exists()


def silent_since(node: Node) -> datetime | None:
    """Return when a node was heard last that is not heard now; None for one that is heard."""
    if node.state == NodeState.RETIRED:
        return None
    silence = timedelta(seconds=3 * get_site_config().heartbeat_s)
    contact = assess_contact(node, now(), silence=silence)
    is_silent = contact in (NodeContact.SILENT, NodeContact.LOST)
    return node.last_seen_at if is_silent else None


def assess_contact(node: Node, moment: datetime, *, silence: timedelta) -> NodeContact:
    """Return what is known of the contact with a node at this moment."""
    if node.state == NodeState.JOINING:
        return NodeContact.NEVER
    if node.state == NodeState.LOST:
        return NodeContact.LOST
    is_silent = node.last_seen_at is not None and node.last_seen_at + silence <= moment
    return NodeContact.SILENT if is_silent else NodeContact.HEARD
