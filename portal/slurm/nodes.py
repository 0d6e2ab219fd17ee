"""What Slurm says of a node, as the columns of its row and its cards: pure."""

from collections.abc import Iterator
from typing import Any, Final

from portal.execution.backends import SLURM
from portal.foreign.nodes import blocking_fault, counted_cards
from portal.slurm.values import ClusterNode
from wire.facts import AcceleratorFacts

TAKES_WORK: Final = frozenset(
    {"idle", "mixed", "allocated", "completing", "planned", "allocated+", "reserved"}
)
"""States in which a node of Slurm takes jobs, now or once others have ended."""
AWAY: Final = "slurm_node_away"
"""Fault of a node that takes no jobs; the detail is Slurm's state, and the reason that it gives."""
MILLI: Final = 1000
_TEXT_MAX: Final = 200


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
    if node.state not in TAKES_WORK:
        yield blocking_fault(AWAY, f"{node.state}: {node.reason}" if node.reason else node.state)


def cards_of(site: str, node: ClusterNode, memory_mib: int) -> tuple[AcceleratorFacts, ...]:
    """Return the GPUs of a node: as many as it counts, each of its type."""
    kinds = [kind for kind, count in sorted(node.gpus.items()) for _ in range(count)]
    return counted_cards(SLURM, site, node.name, kinds, memory_mib)
