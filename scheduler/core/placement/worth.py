"""What free room is worth to the demand that is expected: the yardstick of packing.

For every typical shape m of the mix, `use[n, m]` is how much compute of node n work of that shape
could still use: what its cards hold in whole multiples of the shape, as far as the node's CPU and
memory reach. A placement takes room away from many shapes at once; it is best where it costs the
least *relative* room, weighted by demand:

    worth(n) = sum over m of price[m] * use[n, m]
    price[m] ~ arrivals of m * sqrt(compute of m) / room for m in the empty fleet

which is the gradient of `sum of demand * log(room)`, the barrier of online packing: what only few
nodes can take (eight cards of one node, a rare model) is dear, long before it is refused. Free
compute that nobody can use, a fragment in the sense of Weng et al., "Beware of Fragmentation"
(USENIX ATC 2023), is worth nothing. The prices follow from the mix and from what is installed, not
from what is free, so that a decision never depends on how the fleet came to be as it is.

How far CPU reaches is judged for work that lies between the shape and the average demand, because
no node ever gets work of one shape only.
"""

from collections.abc import Sequence
from math import isqrt
from typing import Final

import numpy as np

from scheduler.core.placement.fleet import Fleet, Ints, Mask
from scheduler.core.placement.mix import PARTS, Typical
from scheduler.core.placement.shape import WHOLE, Shape

_UNIT: Final = 20
"""Binary digits behind the point of the ratios between CPU or memory and compute."""
_OWN_CPU: Final = 1
_OWN_MEMORY: Final = 4
"""Quarters of a shape's own need in the judgement of CPU and memory; the rest is the average's."""
_ANYTHING: Final = (Typical(Shape(cards=1), PARTS),)
"""Before anything is known, whole cards are kept whole."""


class Worth:
    """Prices for one version of the mix, and per node what follows from them.

    Arrays are (N nodes, M typical shapes). What nodes hold is followed as the fleet changes.
    """

    def __init__(self, fleet: Fleet, typical: Sequence[Typical]) -> None:
        known = [each for each in typical if each.shape.milli] or list(_ANYTHING)
        shapes = [each.shape for each in known]
        self._fleet = fleet
        self._cpu: Ints = np.array([shape.cpu for shape in shapes], np.int64)
        self._memory: Ints = np.array([shape.memory for shape in shapes], np.int64)
        self._many: Ints = np.array([max(shape.cards, 1) for shape in shapes], np.int64)
        self._several: Mask = self._many > 1
        milli: Ints = np.array([shape.milli for shape in shapes], np.int64)
        parts: Ints = np.array([each.parts for each in known], np.int64)
        self._cpu_reach = _reach(self._cpu, milli, parts, _OWN_CPU)
        self._memory_reach = _reach(self._memory, milli, parts, _OWN_MEMORY)
        self._allowed: Mask = np.array(
            [
                [
                    code > 0
                    and (not shape.models or model in shape.models)
                    and mib >= shape.card_mib
                    for shape in shapes
                ]
                for code, (model, mib) in enumerate(fleet.kinds)
            ],
            np.bool_,
        )
        need = np.where(self._several, WHOLE, milli)
        free: Ints = np.arange(WHOLE + 1, dtype=np.int64)[:, None]
        self._fill: Ints = np.where(self._several, 0, free // need * need)
        whole: Ints = np.arange(fleet.free.shape[1] + 1, dtype=np.int64)[:, None]
        self._group: Ints = np.where(self._several, whole // self._many * self._many * WHOLE, 0)
        self._price: Ints = np.ones(len(shapes), np.int64)
        room = self._room_when_empty()
        root = np.array([isqrt(int(each) << 10) for each in milli], np.int64)
        dear = np.where(room > 0, (parts * root << 12) // (room + WHOLE), 0)
        self._price = np.maximum((dear << 16) // max(int(dear.sum()), 1), 1)
        self._fill *= self._price
        self._group *= self._price
        self._look()

    def _room_when_empty(self) -> Ints:
        """Return (M,): how much compute each shape could use if nobody held anything."""
        fleet = self._fleet
        sorts, counts = np.unique(
            np.stack(
                [fleet.cpu_total, fleet.memory_total, fleet.installed, fleet.kind[:, 0]], axis=1
            ),
            axis=0,
            return_counts=True,
        )
        cpu, memory, cards, kind = sorts.T
        held = cards[:, None] * self._fill[WHOLE] + self._group[cards]
        room: Ints = np.minimum(held, self._reach(cpu, memory, kind)) * counts[:, None]
        total: Ints = room.sum(axis=0)
        return total

    def _look(self) -> None:
        """Take in the whole fleet."""
        self._held: Ints = np.zeros((self._fleet.size, len(self._price)), np.int64)
        self._whole: Ints = np.zeros(self._fleet.size, np.int64)
        self._now: Ints = np.zeros(self._fleet.size, np.int64)
        self._seen = -1
        self.follow()

    def follow(self) -> None:
        """Take in what has changed since the last look."""
        fleet = self._fleet
        if self._seen == fleet.clock:
            return
        nodes = np.flatnonzero(fleet.stamp > self._seen)
        self._seen = fleet.clock
        free = fleet.free[nodes]
        held = np.zeros((len(nodes), len(self._price)), np.int64)
        for column in range(free.shape[1]):
            held += self._fill[free[:, column]]
        self._held[nodes] = held
        self._whole[nodes] = (free == WHOLE).sum(axis=1)
        self._now[nodes] = self._use(nodes).sum(axis=1)

    def _use(self, nodes: Ints) -> Ints:
        """Return (n, M): what each shape could use of these nodes as they stand, priced."""
        fleet = self._fleet
        reach = self._reach(fleet.cpu[nodes], fleet.memory[nodes], fleet.kind[nodes, 0])
        used: Ints = np.minimum(self._held[nodes] + self._group[self._whole[nodes]], reach)
        return used

    def _reach(self, cpu: Ints, memory: Ints, kind: Ints) -> Ints:
        """Return (n, M): how much compute so much CPU and memory can drive, priced."""
        cpu, memory = cpu[:, None], memory[:, None]
        reach: Ints = np.minimum(cpu * self._cpu_reach, memory * self._memory_reach) >> _UNIT
        fits = (cpu >= self._cpu) & (memory >= self._memory) & self._allowed[kind]
        reach = np.minimum(reach, 64 * WHOLE) * self._price
        reach[~fits] = 0
        return reach

    def after_cards(self, shape: Shape, nodes: Ints, cards: int) -> Ints:
        """Return (n,): the change of worth if each node gave so many whole cards to the shape."""
        reach = self._left(shape, nodes)
        held = self._held[nodes] + self._group[self._whole[nodes] - cards]
        if cards:
            held -= cards * self._fill[WHOLE]
        change: Ints = np.minimum(held, reach).sum(axis=1) - self._now[nodes]
        return change

    def after_share(self, shape: Shape, nodes: Ints, rows: Ints, free: Ints) -> Ints:
        """Return (k,): the same for k cards with so much free, on the nodes in these rows."""
        reach = self._left(shape, nodes)
        held = self._held[nodes]
        whole = self._whole[nodes][rows] - (free == WHOLE)
        there = held[rows] - self._fill[free] + self._fill[free - shape.share] + self._group[whole]
        change: Ints = np.minimum(there, reach[rows]).sum(axis=1) - self._now[nodes][rows]
        return change

    def _left(self, shape: Shape, nodes: Ints) -> Ints:
        fleet = self._fleet
        return self._reach(
            fleet.cpu[nodes] - shape.cpu, fleet.memory[nodes] - shape.memory, fleet.kind[nodes, 0]
        )


def _reach(need: Ints, milli: Ints, parts: Ints, own: int) -> Ints:
    """Return (M,): compute per unit of a resource, `_UNIT` digits behind the point.

    The need per compute is `own` quarters the shape's and the rest that of the average demand.
    """
    average = (int((parts * need).sum()) << _UNIT) // max(int((parts * milli).sum()), 1)
    mixed = (own * ((need << _UNIT) // milli) + (4 - own) * average) >> 2
    reach: Ints = (1 << 2 * _UNIT) // np.maximum(mixed, 1 << _UNIT >> 6)
    return reach
