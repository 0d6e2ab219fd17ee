"""Which work nodes may expect, by how much CPU they have beside their cards.

If nobody wasted anything, work that wants little CPU would be on the nodes that have little, and
work that wants much on those that have much. So demand is laid beside the nodes, both in the order
of CPU per compute: what lies beside a node is what it may expect.
"""

import numpy as np

from scheduler.core.placement.node_table import Ints, NodeTable
from scheduler.core.placement.shape import MILLI_PER_GPU


def group_node_types(fleet: NodeTable) -> tuple[Ints, Ints, Ints]:
    """Return the sorts of nodes that are installed, the sort of each node, and their numbers.

    A sort is (milli-CPU, MiB, cards, kind of the first card).
    """
    rows = np.stack(
        [fleet.cpu_total, fleet.memory_total, fleet.installed, fleet.kind[:, 0]], axis=1
    )
    sorts, sort, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return sorts, sort.reshape(-1), counts


def expected_cpu(sorts: Ints, counts: Ints, need: Ints, demand: Ints) -> Ints:
    """Return (sorts,): CPU per compute of the work to expect, in the unit of `need` (M,).

    It is half way between what lies beside the sort and the average, as the mix is never exact.
    `demand` (M,) is compute in all.
    """
    cards = sorts[:, 2] * counts
    average = int((need * demand).sum()) // max(int(demand.sum()), 1)
    by_need = np.argsort(need, kind="stable")
    until = demand[by_need].cumsum()
    total, capacity = int(until[-1]), max(int(cards.sum()), 1)
    ratio = sorts[:, 0] * MILLI_PER_GPU // np.maximum(sorts[:, 2], 1)
    beside: Ints = np.full(len(sorts), average, np.int64)
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
