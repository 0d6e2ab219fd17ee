"""Gang placement: all replicas of a workload, or none.

Replicas are placed on one node if possible, else on the nodes of one switch, else on as few nodes as
possible, and on each on the cards of one NVLink island. The placement kernel chooses among equals.
"""

from collections.abc import Iterator

import numpy as np

from scheduler.core.capacity.pool_matrix import PoolMatrix
from scheduler.core.model.entities import AcceleratorId, NodeId, Placement, Request
from scheduler.core.placement.node_table import Ints, Mask


def place_gang(
    request: Request,
    matrix: PoolMatrix,
    avoid: frozenset[NodeId | AcceleratorId] = frozenset(),
    contents: tuple[str, ...] = (),
) -> tuple[Placement, ...] | None:
    """Return one placement per rank in rank order, or None if not all of them fit.

    Nodes and cards to avoid are used only if the gang cannot do without them; nodes that have copies of
    the contents are preferred.
    """
    if request.home_nodes:
        return _place(request, matrix, matrix.only_nodes(request.home_nodes), contents)
    if avoid:
        with matrix.avoiding(avoid):
            elsewhere = _place(request, matrix, matrix.all_but(avoid), contents)
        if elsewhere is not None:
            return elsewhere
    return _place(request, matrix, None, contents)


def _place(
    request: Request, matrix: PoolMatrix, allowed: Mask | None, contents: tuple[str, ...]
) -> tuple[Placement, ...] | None:
    locality = matrix.locality(contents)
    if request.replicas == 1:
        placement = matrix.choose(request, allowed, locality)
        return None if placement is None else (placement,)
    counts = matrix.count_replicas(request)
    if allowed is not None:
        counts = np.where(allowed, counts, 0)
    if int(counts.sum()) < request.replicas:
        return None
    near = _on_one_switch(request.replicas, matrix, counts)
    return tuple(_fill(request, matrix, near, locality))


def _fill(
    request: Request, matrix: PoolMatrix, counts: Ints, locality: Ints | None
) -> Iterator[Placement]:
    """Fill the nodes that take most replicas first, and end on the best one for the remaining ranks."""
    missing = request.replicas
    while missing:
        most = min(missing, int(counts.max()))
        row, placements = matrix.fill(request, most, counts >= most, locality)
        yield from placements
        counts = counts.copy()
        counts[row] = 0
        missing -= most


def _on_one_switch(replicas: int, matrix: PoolMatrix, counts: Ints) -> Ints:
    """Keep only the nodes of one switch, if one has capacity for all and no single node has."""
    if int(counts.max()) >= replicas:
        return counts
    capacity = np.zeros(int(matrix.switch.max()) + 1, np.int64)
    np.add.at(capacity, matrix.switch, counts)
    capacity[0] = 0
    enough = np.flatnonzero(capacity >= replicas)
    if not len(enough):
        return counts
    best = min(
        (int(switch) for switch in enough),
        key=lambda switch: (
            _nodes_needed(replicas, counts[matrix.switch == switch]),
            int(capacity[switch]),
            switch,
        ),
    )
    return np.where(matrix.switch == best, counts, 0)


def _nodes_needed(replicas: int, counts: Ints) -> int:
    """Return on how few nodes all replicas fit."""
    filled = np.cumsum(np.sort(counts)[::-1])
    return int(np.searchsorted(filled, replicas)) + 1
