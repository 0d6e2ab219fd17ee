"""Where the replicas of one workload go: all of them, or none.

Replicas prefer one node, then the nodes of one switch, then as few nodes as possible, and on each
the cards of one NVLink island. Which of several such nodes it is, the placement kernel says.
"""

from collections.abc import Iterator

import numpy as np

from scheduler.core.capacity.pool_matrix import PoolMatrix
from scheduler.core.model.entities import AcceleratorId, NodeId, Placement, Request
from scheduler.core.placement.node_table import Ints, Mask


def place_gang(
    request: Request, yard: PoolMatrix, avoid: frozenset[NodeId | AcceleratorId] = frozenset()
) -> tuple[Placement, ...] | None:
    """Return one placement per rank in rank order, or None if not all of them fit.

    Nodes and cards to avoid are used only if the gang cannot do without them.
    """
    if request.home_node is not None:
        return _place(request, yard, yard.only_node(request.home_node))
    if avoid:
        with yard.avoiding(avoid):
            elsewhere = _place(request, yard, yard.all_but(avoid))
        if elsewhere is not None:
            return elsewhere
    return _place(request, yard, None)


def _place(
    request: Request, yard: PoolMatrix, allowed: Mask | None
) -> tuple[Placement, ...] | None:
    if request.replicas == 1:
        placement = yard.choose(request, allowed)
        return None if placement is None else (placement,)
    counts = yard.count_replicas(request)
    if allowed is not None:
        counts = np.where(allowed, counts, 0)
    if int(counts.sum()) < request.replicas:
        return None
    return tuple(_fill(request, yard, _on_one_switch(request.replicas, yard, counts)))


def _fill(request: Request, yard: PoolMatrix, counts: Ints) -> Iterator[Placement]:
    """Fill the roomiest nodes first, and finish on the one that the remaining ranks fit best."""
    missing = request.replicas
    while missing:
        most = min(missing, int(counts.max()))
        row, placements = yard.fill(request, most, counts >= most)
        yield from placements
        counts = counts.copy()
        counts[row] = 0
        missing -= most


def _on_one_switch(replicas: int, yard: PoolMatrix, counts: Ints) -> Ints:
    """Leave only the nodes of one switch, if one has room for all and no single node has."""
    if int(counts.max()) >= replicas:
        return counts
    room = np.zeros(int(yard.switch.max()) + 1, np.int64)
    np.add.at(room, yard.switch, counts)
    room[0] = 0
    enough = np.flatnonzero(room >= replicas)
    if not len(enough):
        return counts
    best = min(
        (int(switch) for switch in enough),
        key=lambda switch: (
            _nodes_needed(replicas, counts[yard.switch == switch]),
            int(room[switch]),
            switch,
        ),
    )
    return np.where(yard.switch == best, counts, 0)


def _nodes_needed(replicas: int, counts: Ints) -> int:
    """Return on how few nodes all replicas fit."""
    filled = np.cumsum(np.sort(counts)[::-1])
    return int(np.searchsorted(filled, replicas)) + 1
