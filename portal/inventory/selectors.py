"""Reads of pools and nodes. Everybody signed in sees them; what runs on them is another matter."""

from uuid import UUID

from django.db.models import QuerySet

from portal.common.errors import NotFoundError
from portal.inventory.models import Node, Pool
from scheduler.core.states import NodeState


def pools() -> QuerySet[Pool]:
    """Return all pools."""
    return Pool.objects.all()


def pool_by_id(pool_id: UUID) -> Pool:
    """Return one pool."""
    pool = pools().filter(pk=pool_id).first()
    if pool is None:
        raise NotFoundError("pool")
    return pool


def nodes() -> QuerySet[Node]:
    """Return the nodes that are in service, with their pools and cards."""
    in_service = Node.objects.exclude(state=NodeState.RETIRED)
    return in_service.select_related("pool").prefetch_related("accelerators")


def node_by_id(node_id: UUID) -> Node:
    """Return one node in service."""
    node = nodes().filter(pk=node_id).first()
    if node is None:
        raise NotFoundError("node")
    return node
