"""Nodes of a cluster as rows: new ones are added, and their GPUs are counted cards."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import structlog

from portal.inventory.models import Node, Pool
from scheduler.core.model.states import NodeState
from wire.facts import AcceleratorFacts

logger = structlog.get_logger(__name__)

NODE_NAME_MAX: Final = 63
"""Characters of the name of a host."""
DETAIL_MAX: Final = 200
"""Characters of what a cluster says of a node or of an end."""
_UNFIT: Final = re.compile("[^a-z0-9_-]+")


def node_name(name: str) -> str:
    """Return the portal's name of a node of a cluster: that of a host, without dots."""
    return _UNFIT.sub("-", name.lower())[:NODE_NAME_MAX]


def ensure_nodes(pool: Pool, backend: str, names: Iterable[str]) -> Mapping[str, Node]:
    """Return the row of each node of a cluster; one whose name another pool has is left out."""
    known = {node_name(name): name for name in names}
    rows = {row.name: row for row in Node.objects.select_related("pool").filter(name__in=known)}
    for name in known.keys() - rows.keys():
        rows[name] = Node.objects.create(name=name, pool=pool, runtime=backend)
    for name, row in rows.items():
        if row.pool_id != pool.pk:
            logger.error("cluster.node_of_another_pool", node=name, pool=row.pool.name)
    return {
        known[name]: row
        for name, row in sorted(rows.items())
        if row.pool_id == pool.pk and row.state != NodeState.RETIRED
    }


def unjoined_names(pool: Pool, names: Iterable[str]) -> list[str]:
    """Return the nodes of a cluster whose names nodes of other pools have: they are left out."""
    rows = Node.objects.filter(name__in=map(node_name, names)).exclude(pool=pool)
    return sorted(rows.values_list("name", flat=True))


def blocking_fault(code: str, detail: str) -> dict[str, Any]:
    """Return the fault of a node to which a cluster gives no work."""
    return {
        "code": code,
        "detail": detail[:DETAIL_MAX],
        "is_blocking": True,
        "free_mib": None,
        "size_mib": None,
    }


def counted_cards(
    backend: str, site: str, node: str, models: Iterable[str], memory_mib: int
) -> tuple[AcceleratorFacts, ...]:
    """Return the GPUs of a node, one for each model named; each names a place, not a device."""
    return tuple(
        AcceleratorFacts(
            uuid=f"{backend.upper()}-{site}-{node}-{index}"[:64],
            index=index,
            vendor=backend,
            model=model or "gpu",
            memory_mib=memory_mib,
        )
        for index, model in enumerate(models)
    )
