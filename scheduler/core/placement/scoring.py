"""What free room is worth to the demand that is expected: the yardstick of packing.

For every typical shape m of the mix, `use[n, m]` is how much compute of node n work of that shape
could still use: what its cards hold in whole multiples of the shape, as far as the node's CPU and
memory reach. A placement takes room away from many shapes at once; it is best where it costs the
least *relative* room, weighted by demand:

    worth(n) = sum over m of price[m] * use[n, m]  +  alive * max over common m of use[n, m]
    price[m] ~ arrivals of m * sqrt(compute of m) / room for m in the empty fleet

The sum is the gradient of `sum of demand * log(room)`, the barrier of online packing: what only few
nodes can take (eight cards of one node, a rare model) is dear, long before it is refused. The
maximum is what the node can still earn at all; what it loses there is dead, a fragment in the sense
of Weng et al., "Beware of Fragmentation" (USENIX ATC 2023). A share is cut from a card, besides, as
the best patterns of all expected shares would have it (`offcuts.py`).

How far CPU reaches is judged for work that lies between the shape and what such a node may expect,
because no node ever gets work of one shape only: nodes with little CPU per card expect the work
that wants little of it (`expect.py`). All of it follows from the mix and from what is installed,
not from what is free, so that a decision never depends on how the fleet came to be as it is.
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
"""Binary digits behind the point of ratios between CPU or memory and compute."""
_COMMON_PCT: Final = 80
"""The most frequent shapes that make up so much of the arrivals are common."""
_SCALE: Final = 1 << 16
"""All prices together."""
_ALIVE: Final = _SCALE
"""What a milli-card is worth that the best common shape could use."""
_WHOLE_CARD: Final = 12 * MILLI_PER_GPU * _SCALE
"""What a whole card is worth to shares: their patterns come before what else is lost or kept."""
_SHARES_FEW: Final = 32
"""A fleet that holds no more shares than that cannot count on a rest being filled later."""
_ANYTHING: Final = (TypicalShape(Shape(gpus=1), PARTS),)
"""Before anything is known, whole cards are kept whole."""


class PackingScore:
    """Prices for one version of the mix, and per node what follows from them.

    Arrays are (N nodes, M typical shapes); the common ones come first. What nodes hold is followed
    as the fleet changes.
    """

    def __init__(self, fleet: NodeTable, typical: Sequence[TypicalShape]) -> None:
        known = [each for each in typical if each.shape.total_milli] or list(_ANYTHING)
        shapes = [each.shape for each in known]
        parts: Ints = np.array([each.parts for each in known], np.int64)
        milli: Ints = np.array([shape.total_milli for shape in shapes], np.int64)
        self._fleet = fleet
        self._cpu: Ints = np.array([shape.cpu_milli for shape in shapes], np.int64)
        self._memory: Ints = np.array([shape.memory_mib for shape in shapes], np.int64)
        self._common = 1 + int((parts.cumsum() * 100 < parts.sum() * _COMMON_PCT).sum())
        sorts, self._sort, counts = group_node_types(fleet)
        allowed = _allowed(fleet, shapes)[sorts[:, 3]]
        own = (self._cpu << _UNIT) // milli
        around = expected_cpu(sorts, counts, own, parts * milli)
        alone = _inverse(own)[: self._common] * allowed[:, : self._common]
        beside = _inverse((own + 3 * around[:, None]) >> 2) * allowed
        self._cpu_reach: Ints = np.hstack([alone, beside])
        """(sorts, common + M): compute per CPU, for the common shapes alone on a node, and for all
        beside what such a node may expect."""
        self._memory_reach = _inverse((self._memory << _UNIT) // milli)
        many: Ints = np.array([max(shape.gpus, 1) for shape in shapes], np.int64)
        free: Ints = np.arange(MILLI_PER_GPU + 1, dtype=np.int64)[:, None]
        self._fill: Ints = np.where(many > 1, 0, free // np.minimum(milli, MILLI_PER_GPU) * milli)
        whole: Ints = np.arange(fleet.free.shape[1] + 1, dtype=np.int64)[:, None]
        self._group: Ints = np.where(many > 1, whole // many * milli, 0)
        self._price: Ints = _prices(parts, milli, self._room_when_empty(sorts, counts))
        self._rest = _residuals(known, int(fleet.installed.sum()) * MILLI_PER_GPU)
        self._held: Ints = np.zeros((fleet.size, len(shapes)), np.int64)
        self._whole: Ints = np.zeros(fleet.size, np.int64)
        self._now: Ints = np.zeros(fleet.size, np.int64)
        self._seen = -1
        self.update()

    def _room_when_empty(self, sorts: Ints, counts: Ints) -> Ints:
        """Return (M,): how much compute each shape could use if nobody held anything."""
        cards = sorts[:, 2]
        held = cards[:, None] * self._fill[MILLI_PER_GPU] + self._group[cards]
        fits = (sorts[:, :1] >= self._cpu) & (sorts[:, 1:2] >= self._memory)
        by_cpu = sorts[:, :1] * self._cpu_reach[:, self._common :]
        reach = np.minimum(by_cpu, sorts[:, 1:2] * self._memory_reach)
        room: Ints = (np.minimum(held, reach >> _UNIT) * fits * counts[:, None]).sum(axis=0)
        return room

    def update(self) -> None:
        """Take in what has changed since the last look."""
        fleet = self._fleet
        if self._seen == fleet.version:
            return
        nodes = (fleet.changed_at > self._seen).nonzero()[0]
        self._seen = fleet.version
        free = fleet.free.take(nodes, axis=0)
        self._held[nodes] = held = self._fill.take(free, axis=0).sum(axis=1)
        self._whole[nodes] = whole = (free == MILLI_PER_GPU).sum(axis=1)
        cpu, memory = fleet.cpu.take(nodes).clip(0), fleet.memory.take(nodes).clip(0)
        self._now[nodes] = self._worth(
            held + self._group.take(whole, axis=0), *self._reach(nodes, cpu, memory)
        )

    def change_for_gpus(self, shape: Shape, nodes: Ints, cards: int) -> Ints:
        """Return (n,): the change of worth if each node gave so many whole cards to the shape."""
        held = self._group.take(self._whole.take(nodes) - cards, axis=0)
        held += self._held.take(nodes, axis=0)
        held -= cards * self._fill[MILLI_PER_GPU]
        change: Ints = self._worth(held, *self._left(shape, nodes)) - self._now.take(nodes)
        return change

    def change_for_share(self, shape: Shape, nodes: Ints, rows: Ints, free: Ints) -> Ints:
        """Return (k,): the same for k cards with so much free, on the nodes in these rows."""
        by_cpu, by_memory = self._left(shape, nodes)
        places = nodes[rows]
        held = self._group.take(self._whole.take(places) - (free == MILLI_PER_GPU), axis=0)
        held += self._held.take(places, axis=0)
        held += self._fill.take(free - shape.gpu_milli, axis=0)
        held -= self._fill.take(free, axis=0)
        change: Ints = self._worth(held, by_cpu.take(rows, axis=0), by_memory.take(rows, axis=0))
        change -= self._now.take(places)
        change += self._rest[free - shape.gpu_milli] - self._rest[free]
        return change

    def _left(self, shape: Shape, nodes: Ints) -> tuple[Ints, Ints]:
        cpu, memory = self._fleet.cpu.take(nodes), self._fleet.memory.take(nodes)
        return self._reach(nodes, cpu - shape.cpu_milli, memory - shape.memory_mib)

    def _reach(self, nodes: Ints, cpu: Ints, memory: Ints) -> tuple[Ints, Ints]:
        """Return the compute that so much CPU (n, common + M) and memory (n, M) can drive.

        Memory drives nothing of a shape of which not even one fits beside it.
        """
        cpu, memory = cpu[:, None], memory[:, None]
        by_cpu = self._cpu_reach.take(self._sort.take(nodes), axis=0)
        by_cpu *= cpu
        by_cpu >>= _UNIT
        by_memory = memory * self._memory_reach
        by_memory >>= _UNIT
        by_memory *= (cpu >= self._cpu) & (memory >= self._memory)
        return by_cpu, by_memory

    def _worth(self, held: Ints, by_cpu: Ints, by_memory: Ints) -> Ints:
        """Return (n,) from what the cards hold for each shape and how far the rest reaches."""
        few = self._common
        held = np.minimum(held, by_memory)
        best = np.minimum(held[:, :few], by_cpu[:, :few]).max(axis=1)
        worth: Ints = np.minimum(held, by_cpu[:, few:]) @ self._price + best * _ALIVE
        return worth


def _allowed(fleet: NodeTable, shapes: Sequence[Shape]) -> Ints:
    """Return (kinds, M): 1 where the shape may have cards of that kind."""
    allowed: Ints = np.array([fleet.allowed_kinds(shape) for shape in shapes], np.int64).T
    return allowed


def _residuals(typical: Sequence[TypicalShape], fleet: int) -> Ints:
    """Return (WHOLE + 1,): what each rest of a card is worth, on a fleet of so many milli-cards.

    It counts the less, the fewer shares the fleet will ever hold: on two cards nothing may come
    that fills the rest which was left for it.
    """
    sizes: Counter[int] = Counter()
    for each in typical:
        if each.shape.gpu_milli:
            sizes[each.shape.gpu_milli] += each.parts
    asked = sum(each.parts * each.shape.total_milli for each in typical)
    shares = fleet * sizes.total() // asked
    return residual_values(sizes, _WHOLE_CARD) * shares // (shares + _SHARES_FEW)


def _inverse(need: Ints) -> Ints:
    """Return compute per unit of a resource from units per compute, at most 64 of them."""
    inverse: Ints = (1 << 2 * _UNIT) // np.maximum(need, 1 << _UNIT - 6)
    return inverse


def _prices(parts: Ints, milli: Ints, room: Ints) -> Ints:
    """Return (M,) prices that add up to about `_SCALE`; what has no room at all has no price."""
    root: Ints = np.array([isqrt(int(each) << 10) for each in milli], np.int64)
    dear: Ints = np.where(room > 0, (parts * root << 12) // (room + MILLI_PER_GPU), 0)
    prices: Ints = dear * _SCALE // max(int(dear.sum()), 1)
    return prices
