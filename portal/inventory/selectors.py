"""Reads of pools and nodes. Everybody signed in sees them; what runs on them is another matter."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar
from uuid import UUID

import structlog
from django.db.models import QuerySet

from portal.common.errors import NotFoundError
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.policy import parse_pool_policy
from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.mig import MigProfiles, MigProfileSpec
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.states import AcceleratorState, NodeState

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


def read_policy(name: str, stored: Mapping[str, Any], ids: Mapping[str, P] = _NOBODY) -> PoolPolicy:
    """Return a pool's rules as the engine reads them; where they cannot be read, the defaults."""
    try:
        return parse_pool_policy(stored, ids)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        logger.exception("pool.policy_unreadable", pool=name, error=str(error))
        return PoolPolicy()


def enforced_isolation(
    told: Iterable[str], *, is_simulated: bool
) -> frozenset[IsolationLevel] | None:
    """Return what a card enforces between tenants; None is anything.

    Words of a newer agent are not known here and left out.
    """
    if is_simulated:
        return None
    return frozenset(word for word in IsolationLevel if word.value in told)


def parse_mig_profiles(stored: Iterable[Mapping[str, Any]]) -> MigProfiles:
    """Return what a card can be cut into in hardware, as it is stored with the card."""
    return tuple(
        MigProfileSpec(
            name=item["name"],
            memory_mib=item["memory_mib"],
            compute=item["compute"],
            size=item["size"],
            starts=tuple(item["starts"]),
        )
        for item in stored
    )


def pool_mig_profiles_for_system(pool: Pool) -> MigProfiles:
    """Return every profile that cards of a pool can be cut into, smallest first.

    Where two models have one name for different sizes, the wider one counts.
    """
    cards = Accelerator.objects.filter(pool=pool, mode=Pool.Mode.MIG)
    present = cards.exclude(state=AcceleratorState.GONE).order_by("id")
    found: dict[str, MigProfileSpec] = {}
    for stored in present.values_list("mig_profiles", flat=True):
        for profile in parse_mig_profiles(stored):
            known = found.setdefault(profile.name, profile)
            if profile.size > known.size:
                found[profile.name] = profile
    return tuple(sorted(found.values(), key=lambda item: (item.size, item.compute, item.name)))
