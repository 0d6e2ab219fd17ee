"""Scarcity pricing: what using certain cards costs the expected work that can use no others.

Littlewood's rule, by which airlines protect seats ("Forecasting and Control of Passenger Bookings",
1972): a unit of capacity is worth what would otherwise be refused, times the probability that so
much demand for it still arrives. The demand to arrive is the part of that work in the mix, of all
that still fits into the pool. So a rare model costs other work nothing while there is plenty of it,
and more and more as it runs out. It is only a price: no work is refused because of it.

It follows from what is free and from the mix alone, so equal pools have equal prices.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final

import numpy as np

from scheduler.core.placement.demand import PARTS, ConstrainedDemand
from scheduler.core.placement.node_table import Ints, Mask, NodeTable
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

LEVELS: Final = 16
"""Probabilities are rounded to so many steps, so that prices and scores do not change for less."""
_SPREAD: Final = 2
"""Capacity for so many standard deviations more than expected is certainly enough."""
_PRICE: Final = 4
"""Capacity that is certainly needed costs so many times its milli-GPUs: a refusal costs more than a
better pattern of shares saves."""
_UNIT: Final = 16
"""Binary digits behind the point of weights."""
_PLENTY: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class _ConstrainedGroup:
    """All expected work that can use no other kinds of cards than these."""

    parts: int
    """Its part of all requested GPUs, of `PARTS`."""
    seen: int
    """Arrivals that it was learned from."""
    size: int
    """Milli-GPUs of one replica, on average."""


class ScarcityPricing:
    """What is free for each group of constrained work on each node, following the node table."""

    def __init__(self, table: NodeTable, constrained: Sequence[ConstrainedDemand]) -> None:
        self.levels: tuple[int, ...] = ()
        """For each group the probability that what is free for it will be needed, in `LEVELS`."""
        self._table = table
        found = _by_kinds(table, constrained)
        self._groups = [_group(kinds, found) for kinds in found]
        if not self._groups:
            return
        shapes = [shape for mine in found.values() for demand in mine for shape, _ in demand.shapes]
        self._weight = _weights(list(found.values()))
        self._cpu = _column([max(shape.cpu_milli, 1) for shape in shapes])
        self._memory = _column([max(shape.memory_mib, 1) for shape in shapes])
        self._milli = _column([shape.total_milli for shape in shapes])
        self._one = np.minimum(self._milli, MILLI_PER_GPU)
        self._many = _column([max(shape.gpus, 1) for shape in shapes])
        self._mib = _column([shape.gpu_memory_mib for shape in shapes])
        self._suits: Mask = np.stack([table.suitable_cards(shape) for shape in shapes], axis=2)
        self._pieces: Ints = np.zeros((table.size, len(shapes)), np.int64)
        self._capacity: Ints = np.zeros((table.size, len(self._groups)), np.int64)
        self._idle: Ints = np.zeros(table.size, np.int64)
        self._seen_version = -1
        self.update()

    def update(self) -> None:
        """Recompute the nodes that have changed since the last update."""
        table = self._table
        if not self._groups or self._seen_version == table.version:
            return
        nodes = np.flatnonzero(table.changed_at > self._seen_version)
        self._seen_version = table.version
        free, mib = table.free[nodes], table.free_mib[nodes]
        pieces = (self._fitting(free, mib) * self._suits[nodes]).sum(axis=1)
        self._pieces[nodes] = pieces
        self._capacity[nodes] = self._usable(pieces, table.cpu[nodes], table.memory[nodes])
        self._idle[nodes] = free.sum(axis=1)
        idle, capacities = int(self._idle.sum()), self._capacity.sum(axis=0).tolist()
        self.levels = tuple(
            _level(group, idle, capacity)
            for group, capacity in zip(self._groups, capacities, strict=True)
        )

    def cost(self, shape: Shape, nodes: Ints, cards: Ints) -> Ints:
        """Return (n,): what constrained work would lose if the shape went to each of these nodes.

        In milli-GPUs. A share goes to the card in `cards` (n,).
        """
        cost: Ints = np.zeros(len(nodes), np.int64)
        prices = _column(self.levels)
        touched = np.flatnonzero(self._capacity[nodes] @ prices)
        if not len(touched):
            return cost
        table, nodes, cards = self._table, nodes[touched], cards[touched]
        if shape.gpu_milli:
            free, mib = table.free[nodes, cards], table.free_mib[nodes, cards]
            after = self._fitting(free - shape.gpu_milli, mib - shape.gpu_memory_mib)
            lost = (self._fitting(free, mib) - after) * self._suits[nodes, cards]
        else:
            lost = shape.gpus * (MILLI_PER_GPU // self._one)
        rest = self._usable(
            np.maximum(self._pieces[nodes] - lost, 0),
            table.cpu[nodes] - shape.cpu_milli,
            table.memory[nodes] - shape.memory_mib,
        )
        cost[touched] = (self._capacity[nodes] - rest) @ prices * _PRICE // LEVELS
        return cost

    def _fitting(self, free: Ints, mib: Ints) -> Ints:
        """Return (…, shapes): how often each fits on a card with so much free; of several, one card."""
        by_memory = np.where(self._mib > 0, mib[..., None] // np.maximum(self._mib, 1), _PLENTY)
        fitting: Ints = np.minimum(free[..., None] // self._one, by_memory)
        return fitting

    def _usable(self, pieces: Ints, cpu: Ints, memory: Ints) -> Ints:
        """Return (n, groups): the milli-GPUs that each group could use of nodes."""
        count = np.minimum(pieces // self._many, cpu[:, None] // self._cpu)
        count = np.minimum(count, memory[:, None] // self._memory)
        usable: Ints = (count * self._milli) @ self._weight >> _UNIT
        return usable


def _by_kinds(
    table: NodeTable, constrained: Sequence[ConstrainedDemand]
) -> dict[tuple[bool, ...], list[ConstrainedDemand]]:
    """Return constrained demand by the kinds of installed cards it can use, if not all of them."""
    installed = np.bincount(table.kind.ravel(), minlength=len(table.kinds)) > 0
    installed[0] = False
    found: dict[tuple[bool, ...], list[ConstrainedDemand]] = defaultdict(list)
    for demand in constrained:
        usable = table.allowed_kinds(demand.shapes[0][0]) & installed
        if usable.any() and not np.array_equal(usable, installed):
            found[tuple(usable.tolist())].append(demand)
    return found


def _group(
    kinds: tuple[bool, ...], found: dict[tuple[bool, ...], list[ConstrainedDemand]]
) -> _ConstrainedGroup:
    """Return the expected work that can use no more than these kinds of cards."""
    within = [
        demand
        for others, mine in found.items()
        if not any(other and not mine for other, mine in zip(others, kinds, strict=True))
        for demand in mine
    ]
    parts = sum(demand.parts for demand in within)
    size = sum(demand.parts * demand.mean_milli for demand in within) // parts
    return _ConstrainedGroup(parts, sum(demand.arrivals for demand in within), size)


def _weights(groups: Sequence[Sequence[ConstrainedDemand]]) -> Ints:
    """Return (shapes, groups): how much each shape counts in its group; a group has `1 << _UNIT`."""
    rows = []
    for number, mine in enumerate(groups):
        asked = sum(parts for demand in mine for _, parts in demand.shapes)
        for demand in mine:
            for _, parts in demand.shapes:
                row = [0] * len(groups)
                row[number] = (parts << _UNIT) // asked
                rows.append(row)
    return np.array(rows, np.int64)


def _level(group: _ConstrainedGroup, idle: int, capacity: int) -> int:
    """Return the probability, in `LEVELS`, that more work of a group arrives than fits.

    What arrives is `idle` milli-GPUs of the mix, with a variance of its own and of what was learned
    from few arrivals. The normal distribution is approximated by a straight line.
    """
    expected = idle * group.parts // PARTS
    variance = expected * group.size + expected * expected // max(group.seen, 1)
    reach = _SPREAD * max(isqrt(variance), 1)
    return min(max(LEVELS * (expected - capacity + reach) // (2 * reach), 0), LEVELS)


def _column(values: Sequence[int]) -> Ints:
    return np.array(values, np.int64)
