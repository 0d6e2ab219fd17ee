"""What Kubernetes says of a node, as the columns of its row and its cards: pure."""

from typing import Any, Final

from portal.execution.backends import KUBERNETES
from portal.foreign.nodes import DETAIL_MAX, blocking_fault, counted_cards
from portal.kubernetes.values import KubeNode
from wire.facts import AcceleratorFacts

AWAY: Final = "kubernetes_node_away"
"""Fault of a node that takes no work; the detail is why, in Kubernetes' words."""
GONE: Final = "kubernetes_node_gone"
"""Fault of a node that the cluster does not know any more."""
NOT_SELECTED: Final = "kubernetes_node_not_selected"
"""Fault of a node that lacks the labels of the pool."""


def columns_of(node: KubeNode | None) -> dict[str, Any]:
    """Return the columns of a node that Kubernetes tells; None is one that it does not know."""
    if node is None:
        return {"runtime": KUBERNETES, "faults": [blocking_fault(GONE, "")]}
    return {
        "address": node.address[:DETAIL_MAX],
        "runtime": KUBERNETES,
        "cpu_milli": node.cpu_milli,
        "memory_mib": node.memory_mib,
        "faults": _faults(node),
    }


def _faults(node: KubeNode) -> list[dict[str, Any]]:
    if node.is_lost or node.away:
        return [blocking_fault(AWAY, node.away or "out-of-service")]
    return [] if node.is_selected else [blocking_fault(NOT_SELECTED, "")]


def cards_of(site: str, node: KubeNode | None, memory_mib: int) -> tuple[AcceleratorFacts, ...]:
    """Return the GPUs of a node, as many as it counts."""
    if node is None:
        return ()
    models = [node.model] * node.gpus
    return counted_cards(KUBERNETES, site, node.name, models, node.gpu_memory_mib or memory_mib)
