"""How much CPU per GPU the work of each type of node is expected to need.

In the best assignment, work that needs little CPU per GPU runs on the nodes that have little, and
work that needs much on those that have much. So nodes and demand are both sorted by CPU per GPU and
matched: the demand in the same place as a node is what the node may expect.
"""

import numpy as np

from scheduler.core.placement.node_table import Ints, NodeTable
from scheduler.core.placement.shape import MILLI_PER_GPU


def group_node_types(table: NodeTable) -> tuple[Ints, Ints, Ints]:
    """Return the types of nodes that are installed, the type of each node, and their counts.

    A type is (milli-CPU, MiB, cards, kind of the first card).
    """
    rows = np.stack(
        [table.cpu_total, table.memory_total, table.installed, table.kind[:, 0]], axis=1
    )
    types, type_of_node, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return types, type_of_node.reshape(-1), counts


def expected_cpu(types: Ints, counts: Ints, need: Ints, demand: Ints) -> Ints:
    """Return (types,): the CPU per milli-GPU of the work to expect, in the unit of `need` (M,).

    It is half way between the matched demand and the average, because a learned mix is never exact.
    `demand` (M,) is the milli-GPUs of each shape in all.
    """
    cards = types[:, 2] * counts
    average = int((need * demand).sum()) // max(int(demand.sum()), 1)
    by_need = np.argsort(need, kind="stable")
    until = demand[by_need].cumsum()
    total, capacity = int(until[-1]), max(int(cards.sum()), 1)
    ratio = types[:, 0] * MILLI_PER_GPU // np.maximum(types[:, 2], 1)
    beside: Ints = np.full(len(types), average, np.int64)
    begin = 0
    for level in np.unique(ratio[cards > 0]).tolist():
        here = (ratio == level) & (cards > 0)
        end = begin + int(cards[here].sum())
        low, high = total * begin // capacity, total * end // capacity
        taken = np.clip(until, low, high) - np.clip(until - demand[by_need], low, high)
        if high > low:
            beside[here] = int((taken * need[by_need]).sum()) // (high - low)
        begin = end
    half: Ints = (beside + average) >> 1
    return half
