"""The packing score: how much of a node the expected demand could still use.

For every typical shape m of the mix, `use[n, m]` is how many milli-GPUs of node n work of that shape
could still use: what its cards hold in whole multiples of the shape, as far as the node's CPU and
memory reach. A placement takes capacity away from many shapes at once; it is best where it costs the
least *relative* capacity, weighted by demand:

    value(n) = sum over m of price[m] * use[n, m]  +  alive * max over common m of use[n, m]
    price[m] ~ arrivals of m * sqrt(milli-GPUs of m) / capacity for m of the empty pool

The sum is the gradient of `sum of demand * log(capacity)`, the barrier function of online packing:
what only few nodes can take (eight cards of one node, a rare model) is expensive long before it runs
out. The maximum is what the node can be used for at all; what it loses there is a fragment in the
sense of Weng et al., "Beware of Fragmentation" (FGD, USENIX ATC 2023). The card of a share is
chosen, besides, by the best cutting patterns of all expected shares (`cutting_stock.py`).

How far CPU reaches is computed for a blend of the shape and of what the type of node may expect,
because no node ever gets work of one shape only (`expected_cpu.py`). All prices follow from the mix
and from what is installed, not from what is free, so a decision does not depend on the history of
the pool.
"""

from collections import Counter
from collections.abc import Sequence
from math import isqrt
from typing import Final

import numpy as np

from scheduler.core.placement.cutting_stock import residual_values
from scheduler.core.placement.demand import PARTS, TypicalShape
from scheduler.core.placement.expected_cpu import expected_cpu, group_node_types
from scheduler.core.placement.node_table import Ints, NodeTable
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

_UNIT: Final = 20
"""Binary digits behind the point of ratios between CPU or memory and milli-GPUs."""
_COMMON_PCT: Final = 80
"""The most frequent shapes that make up so much of the arrivals are common."""
_SCALE: Final = 1 << 16
"""The sum of all prices."""
_ALIVE: Final = _SCALE
"""The value of a milli-GPU that the best common shape could use."""
_WHOLE_CARD: Final = 12 * MILLI_PER_GPU * _SCALE
"""The value of a whole card to shares: their cutting pattern outweighs every other cost."""
_SHARES_FEW: Final = 32
"""With so few shares in a pool, the rest of a card may never be filled."""
_ANYTHING: Final = (TypicalShape(Shape(gpus=1), PARTS),)
"""The demand while nothing is known: whole cards are kept whole."""


class PackingScore:
    """The prices for one version of the mix, and the value of each node by them.

    Arrays are (N nodes, M typical shapes); the common ones come first. The values follow the node
    table as it changes.
    """

    def __init__(self, table: NodeTable, typical: Sequence[TypicalShape]) -> None:
        known = [each for each in typical if each.shape.total_milli] or list(_ANYTHING)
        shapes = [each.shape for each in known]
        parts: Ints = np.array([each.parts for each in known], np.int64)
        milli: Ints = np.array([shape.total_milli for shape in shapes], np.int64)
        self._table = table
        cpu: Ints = np.array([shape.cpu_milli for shape in shapes], np.int64)
        memory: Ints = np.array([shape.memory_mib for shape in shapes], np.int64)
        self._cpu, self._memory = cpu, memory
        self._common = 1 + int((parts.cumsum() * 100 < parts.sum() * _COMMON_PCT).sum())
        types, self._type, counts = group_node_types(table)
        allowed = _allowed(table, shapes)[types[:, 3]]
        own = (cpu << _UNIT) // milli
        around = expected_cpu(types, counts, own, parts * milli)
        alone = _inverse(own)[: self._common] * allowed[:, : self._common]
        beside = _inverse((own + 3 * around[:, None]) >> 2) * allowed
        self._cpu_reach: Ints = np.hstack([alone, beside])
        """(types, common + M): milli-GPUs per CPU, for the common shapes alone on a node, and for
        all shapes beside what such a node may expect (a quarter own need, three quarters that)."""
        self._memory_reach: Ints = _inverse((memory << _UNIT) // milli)
        # What cards hold is looked up by what is free on each: a share or a single GPU by the amount
        # free, several GPUs by the number of whole cards. That number is counted like a further shape,
        # in a last column.
        many: Ints = np.array([max(shape.gpus, 1) for shape in shapes], np.int64)
        free: Ints = np.arange(MILLI_PER_GPU + 1, dtype=np.int64)[:, None]
        self._usable_by_free: Ints = np.hstack(
            [
                np.where(many > 1, 0, free // np.minimum(milli, MILLI_PER_GPU) * milli),
                free == MILLI_PER_GPU,
            ]
        )
        whole: Ints = np.arange(table.free.shape[1] + 1, dtype=np.int64)[:, None]
        self._usable_by_whole: Ints = np.where(many > 1, whole // many * milli, 0)
        capacity = self._capacity_when_empty(types, counts)
        self._price: Ints = _prices(parts, milli, capacity)
        self._residual = _residuals(known, int(table.installed.sum()) * MILLI_PER_GPU)
        self._usable_on_cards: Ints = np.zeros((table.size, len(shapes) + 1), np.int64)
        self._current: Ints = np.zeros(table.size, np.int64)
        self._seen_version = -1

    def _capacity_when_empty(self, types: Ints, counts: Ints) -> Ints:
        """Return (M,): how many milli-GPUs each shape could use of the empty pool."""
        cards = types[:, 2]
        single = self._usable_by_free[MILLI_PER_GPU, :-1]
        held = cards[:, None] * single + self._usable_by_whole[cards]
        fits = (types[:, :1] >= self._cpu) & (types[:, 1:2] >= self._memory)
        by_cpu = types[:, :1] * self._cpu_reach[:, self._common :]
        reach = np.minimum(by_cpu, types[:, 1:2] * self._memory_reach) >> _UNIT
        capacity: Ints = (np.minimum(held, reach) * fits * counts[:, None]).sum(axis=0)
        return capacity

    def change_for_gpus(self, shape: Shape, nodes: Ints) -> Ints:
        """Return (n,): the change of value if each node gave whole cards to the shape."""
        lost = self._usable_by_free[MILLI_PER_GPU] * -shape.gpus
        return self._change(shape, nodes, lost)

    def change_for_share(self, shape: Shape, nodes: Ints, free: Ints) -> Ints:
        """Return (n,): the same for a share of a card with so much free on each of these nodes."""
        left = free - shape.gpu_milli
        lost = self._usable_by_free.take(left, axis=0)
        lost -= self._usable_by_free.take(free, axis=0)
        change = self._change(shape, nodes, lost)
        change += self._residual.take(left) - self._residual.take(free)
        return change

    def _change(self, shape: Shape, nodes: Ints, lost: Ints) -> Ints:
        """Return (n,): the change of value if each node gave the shape a place.

        `lost` (n, M + 1) or (M + 1,) is what its cards then hold less, as negative numbers. Nodes that
        have changed get their current values in the same computation, because most of what a few nodes
        cost is the calls, not the numbers.
        """
        changed = self._note_changes()
        every, old = np.concatenate((changed, nodes)), len(changed)
        cpu, memory = self._table.cpu.take(every), self._table.memory.take(every)
        held = self._usable_on_cards.take(every, axis=0)
        cpu[old:] -= shape.cpu_milli
        memory[old:] -= shape.memory_mib
        held[old:] += lost
        usable = self._usable_by_whole.take(held[:, -1], axis=0)
        usable += held[:, :-1]
        value = self._value(every, cpu, memory, usable)
        self._current[changed] = value[:old]
        change: Ints = value[old:] - self._current.take(nodes)
        return change

    def _note_changes(self) -> Ints:
        """Return the nodes that have changed since the last call; what their cards hold is counted."""
        table = self._table
        changed: Ints = (table.changed_at > self._seen_version).nonzero()[0]
        self._seen_version = table.version
        held = self._usable_by_free.take(table.free.take(changed, axis=0), axis=0)
        self._usable_on_cards[changed] = np.add.reduce(held, axis=1)
        return changed

    def _value(self, nodes: Ints, cpu: Ints, memory: Ints, held: Ints) -> Ints:
        """Return (n,) values of nodes with so much CPU and memory, whose cards hold `held` (n, M).

        Memory suffices for none of a shape if CPU or memory is too little for a single one.
        """
        few = self._common
        cpu_left = np.maximum(cpu, 0)[:, None]
        memory_left = np.maximum(memory, 0)[:, None]
        by_cpu = self._cpu_reach.take(self._type.take(nodes), axis=0)
        by_cpu *= cpu_left
        by_cpu >>= _UNIT
        by_memory = memory_left * self._memory_reach
        by_memory >>= _UNIT
        by_memory *= (cpu_left >= self._cpu) & (memory_left >= self._memory)
        held = np.minimum(held, by_memory)
        best: Ints = np.maximum.reduce(np.minimum(held[:, :few], by_cpu[:, :few]), axis=1)
        best *= _ALIVE
        best += np.minimum(held, by_cpu[:, few:]) @ self._price
        return best


def _allowed(table: NodeTable, shapes: Sequence[Shape]) -> Ints:
    """Return (kinds, M): 1 where the shape may have cards of that kind."""
    allowed: Ints = np.array([table.allowed_kinds(shape) for shape in shapes], np.int64).T
    return allowed


def _residuals(typical: Sequence[TypicalShape], table: int) -> Ints:
    """Return (MILLI_PER_GPU + 1,): the value of each rest of a card, in a pool of so many milli-GPUs.

    It counts the less, the fewer shares the pool will ever hold: on two cards no work may come that
    fills the rest which was left for it.
    """
    sizes: Counter[int] = Counter()
    for each in typical:
        if each.shape.gpu_milli:
            sizes[each.shape.gpu_milli] += each.parts
    asked = sum(each.parts * each.shape.total_milli for each in typical)
    shares = table * sizes.total() // asked
    return residual_values(sizes, _WHOLE_CARD) * shares // (shares + _SHARES_FEW)


def _inverse(need: Ints) -> Ints:
    """Return milli-GPUs per unit of a resource from units per milli-GPU, at most 64."""
    inverse: Ints = (1 << 2 * _UNIT) // np.maximum(need, 1 << _UNIT - 6)
    return inverse


def _prices(parts: Ints, milli: Ints, capacity: Ints) -> Ints:
    """Return (M,) prices that add up to about `_SCALE`; a shape without any capacity has none."""
    root: Ints = np.array([isqrt(int(each) << 10) for each in milli], np.int64)
    weight: Ints = np.where(capacity > 0, (parts * root << 12) // (capacity + MILLI_PER_GPU), 0)
    prices: Ints = weight * _SCALE // max(int(weight.sum()), 1)
    return prices
