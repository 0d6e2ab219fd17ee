"""Whether a node is heard: the only writer of node states and leases."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.poke import SCHEDULER, poke
from portal.inventory.models import Node
from portal.workloads import bell, holdings, lifecycle
from portal.workloads.settle import node_lost
from scheduler.core.states import NODE_TRANSITIONS, NodeState

logger = structlog.get_logger(__name__)
SWEEP = Actor.system("sweep")

_LOCK_CLASS: Final = 0x4E4F4445
"""Name space of the advisory locks below: the letters NODE."""

RETURNS: Final = frozenset({NodeState.JOINING, NodeState.UNREADY, NodeState.LOST})
"""States that end with the next heartbeat."""


def take_turn(node_id: UUID) -> None:
    """Wait until no other transaction judges this node.

    An advisory lock, because the row itself may only be locked after workloads and quotas: a
    placement does it in that order.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_LOCK_CLASS, str(node_id)]
        )


def heard(node: Node, *, seq: int, lease: timedelta, **columns: Any) -> None:
    """Note a heartbeat that is being answered: the node is back, and its lease runs anew."""
    moment = now()
    state = NodeState(node.state)
    is_back = state in RETURNS
    node.state = NodeState.READY.value if is_back else node.state
    Node.objects.filter(pk=node.pk).update(
        state=node.state,
        last_seq=seq,
        last_seen_at=moment,
        lease_until=moment + lease,
        **columns,
    )
    if is_back:
        poke(SCHEDULER)
        bell.ring([bell.NODES])


def unheard(node_id: UUID, *, silence: timedelta) -> None:
    """Judge a node by its silence: unready at first, lost once lease and grace are over.

    What it held is then given up, because its own watchdog has ended it.
    """
    take_turn(node_id)
    node = Node.objects.get(pk=node_id)
    moment = now()
    if node.last_seen_at is None or node.lease_until is None:
        return
    if node.lease_until <= moment:
        work = holdings.lock_node_work(node_id)
        lifecycle.lose(work, node_lost(work.held()), actor=SWEEP)
        _change_state(node, NodeState.LOST)
    elif node.last_seen_at + silence <= moment:
        _change_state(node, NodeState.UNREADY)


def _change_state(node: Node, target: NodeState) -> None:
    if target in NODE_TRANSITIONS[NodeState(node.state)]:
        Node.objects.filter(pk=node.pk, state=node.state).update(state=target.value)
        bell.ring([bell.NODES])
        logger.warning("node.silent", node=node.name, state=target.value)
