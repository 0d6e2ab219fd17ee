"""Reads of pools and nodes. Everybody signed in sees them; what runs on them is another matter."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar
from uuid import UUID

import structlog
from django.db.models import QuerySet

from portal.common.errors import NotFoundError
from portal.inventory.models import Node, Pool
from portal.inventory.policy import policy_of
from scheduler.core.isolation import Isolation
from scheduler.core.policy import PoolPolicy
from scheduler.core.states import NodeState

logger = structlog.get_logger(__name__)

P = TypeVar("P", bound=str)
_NOBODY: Final[Mapping[str, Any]] = MappingProxyType({})


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


def rules_of(name: str, stored: Mapping[str, Any], ids: Mapping[str, P] = _NOBODY) -> PoolPolicy:
    """Return a pool's rules as the engine reads them; where they cannot be read, the defaults."""
    try:
        return policy_of(stored, ids)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        logger.exception("pool.policy_unreadable", pool=name, error=str(error))
        return PoolPolicy()


def enforced_by(told: Iterable[str], *, is_simulated: bool) -> frozenset[Isolation] | None:
    """Return what a card enforces between tenants; None is anything.

    Words of a newer agent are not known here and left out.
    """
    if is_simulated:
        return None
    return frozenset(word for word in Isolation if word.value in told)
