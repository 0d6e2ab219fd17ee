"""Nodes of a partition as rows: new ones are added, and what Slurm says of them becomes their columns."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import structlog

from portal.execution.backends import SLURM
from portal.inventory.models import Node, Pool
from portal.slurm.names import card_uuid, node_name
from portal.slurm.values import ClusterNode
from scheduler.core.model.states import NodeState
from wire.facts import AcceleratorFacts

logger = structlog.get_logger(__name__)

TAKES_WORK: Final = frozenset(
    {"idle", "mixed", "allocated", "completing", "planned", "allocated+", "reserved"}
)
"""States in which a node of Slurm takes jobs, now or once others have ended."""
AWAY: Final = "slurm_node_away"
"""Fault of a node that takes no jobs; the detail is Slurm's state, and the reason that it gives."""
MILLI: Final = 1000
_TEXT_MAX: Final = 200


def ensure_nodes(pool: Pool, found: Iterable[ClusterNode]) -> Mapping[str, Node]:
    """Return the node of each node of Slurm; one whose name another pool has is left out."""
    nodes = {node_name(item.name): item for item in found}
    rows = {row.name: row for row in Node.objects.select_related("pool").filter(name__in=nodes)}
    for name in nodes.keys() - rows.keys():
        rows[name] = Node.objects.create(name=name, pool=pool, runtime=SLURM)
    for name, row in rows.items():
        if row.pool_id != pool.pk:
            logger.error("slurm.node_of_another_pool", node=name, pool=row.pool.name)
    return {
        nodes[name].name: row
        for name, row in sorted(rows.items())
        if row.pool_id == pool.pk and row.state != NodeState.RETIRED
    }


def columns_of(node: ClusterNode) -> dict[str, Any]:
    """Return the columns of a node that Slurm tells."""
    return {
        "address": node.address[:_TEXT_MAX],
        "runtime": SLURM,
        "cpu_milli": node.cpus * MILLI,
        "memory_mib": node.memory_mib,
        "faults": list(_faults(node)),
    }


def _faults(node: ClusterNode) -> Iterator[dict[str, Any]]:
    if node.state in TAKES_WORK:
        return
    detail = f"{node.state}: {node.reason}" if node.reason else node.state
    yield {
        "code": AWAY,
        "detail": detail[:_TEXT_MAX],
        "is_blocking": True,
        "free_mib": None,
        "size_mib": None,
    }


def cards_of(site: str, node: ClusterNode, memory_mib: int) -> tuple[AcceleratorFacts, ...]:
    """Return the GPUs of a node: as many as it counts, each of its type."""
    kinds = [kind for kind, count in sorted(node.gpus.items()) for _ in range(count)]
    return tuple(
        AcceleratorFacts(
            uuid=card_uuid(site, node.name, index),
            index=index,
            vendor="slurm",
            model=kind or "gpu",
            memory_mib=memory_mib,
        )
        for index, kind in enumerate(kinds)
    )
