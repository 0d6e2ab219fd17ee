"""What room on certain cards is worth to the work that can use no others.

Littlewood's rule, by which airlines keep seats ("Forecasting and Control of Passenger Bookings",
1972): room is worth what would otherwise be refused, times the chance that so much of it still
comes. What still comes of bound work is its part in the mix, of all that still fits into the fleet.
So a rare model costs others nothing while there is plenty of it, and the more the nearer it is to
running out for those who need it. It is a price: nothing is ever refused for it.

It follows from what is free and from the mix alone, so equal fleets have equal prices.
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
"""Chances are told in so many steps: prices, and with them all scores, do not change for less."""
_SPREAD: Final = 2
"""Room for so many standard deviations more than is expected is enough."""
_PRICE: Final = 4
"""Room that is surely needed is worth so many times what anybody could use: a refusal costs more
than a better pattern of shares saves."""
_UNIT: Final = 16
"""Binary digits behind the point of weights."""
_PLENTY: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class _Group:
    """All expected work that can use no other kinds of cards than these."""

    parts: int
    """Of `PARTS` of all compute that is asked for."""
    seen: int
    """Arrivals that it was learned from."""
    size: int
    """Milli-compute of one, on average."""


class ScarcityPricing:
    """What is free for each group of bound work on each node, followed as the fleet changes."""

    def __init__(self, fleet: NodeTable, bounds: Sequence[ConstrainedDemand]) -> None:
        self.levels: tuple[int, ...] = ()
        """For each group the chance that what is free for it will be needed, in `LEVELS`."""
        self._fleet = fleet
        found = _by_kinds(fleet, bounds)
        self._groups = [_group(kinds, found) for kinds in found]
        if not self._groups:
            return
        shapes = [shape for mine in found.values() for bound in mine for shape, _ in bound.shapes]
        self._weight = _weights(list(found.values()))
        self._cpu = _column([max(shape.cpu_milli, 1) for shape in shapes])
        self._memory = _column([max(shape.memory_mib, 1) for shape in shapes])
        self._milli = _column([shape.total_milli for shape in shapes])
        self._one = np.minimum(self._milli, MILLI_PER_GPU)
        self._many = _column([max(shape.gpus, 1) for shape in shapes])
        self._mib = _column([shape.gpu_memory_mib for shape in shapes])
        self._suits: Mask = np.stack([fleet.suitable_cards(shape) for shape in shapes], axis=2)
        self._pieces: Ints = np.zeros((fleet.size, len(shapes)), np.int64)
        self._room: Ints = np.zeros((fleet.size, len(self._groups)), np.int64)
        self._idle: Ints = np.zeros(fleet.size, np.int64)
        self._seen = -1
        self.update()

    def update(self) -> None:
        """Take in what has changed since the last look."""
        fleet = self._fleet
        if not self._groups or self._seen == fleet.version:
            return
        nodes = np.flatnonzero(fleet.changed_at > self._seen)
        self._seen = fleet.version
        free, mib = fleet.free[nodes], fleet.free_mib[nodes]
        pieces = (self._fitting(free, mib) * self._suits[nodes]).sum(axis=1)
        self._pieces[nodes] = pieces
        self._room[nodes] = self._usable(pieces, fleet.cpu[nodes], fleet.memory[nodes])
        self._idle[nodes] = free.sum(axis=1)
        idle, rooms = int(self._idle.sum()), self._room.sum(axis=0).tolist()
        self.levels = tuple(
            _level(group, idle, room) for group, room in zip(self._groups, rooms, strict=True)
        )

    def cost(self, shape: Shape, nodes: Ints, cards: Ints) -> Ints:
        """Return (n,): what bound work would lose if the shape went to each of these nodes.

        In milli-cards that anybody could use. A share goes to the card in `cards` (n,).
        """
        cost: Ints = np.zeros(len(nodes), np.int64)
        prices = _column(self.levels)
        touched = np.flatnonzero(self._room[nodes] @ prices)
        if not len(touched):
            return cost
        fleet, nodes, cards = self._fleet, nodes[touched], cards[touched]
        if shape.gpu_milli:
            free, mib = fleet.free[nodes, cards], fleet.free_mib[nodes, cards]
            after = self._fitting(free - shape.gpu_milli, mib - shape.gpu_memory_mib)
            lost = (self._fitting(free, mib) - after) * self._suits[nodes, cards]
        else:
            lost = shape.gpus * (MILLI_PER_GPU // self._one)
        rest = self._usable(
            np.maximum(self._pieces[nodes] - lost, 0),
            fleet.cpu[nodes] - shape.cpu_milli,
            fleet.memory[nodes] - shape.memory_mib,
        )
        cost[touched] = (self._room[nodes] - rest) @ prices * _PRICE // LEVELS
        return cost

    def _fitting(self, free: Ints, mib: Ints) -> Ints:
        """Return (…, shapes): how often each fits on cards with so much free; large ones, a part."""
        by_memory = np.where(self._mib > 0, mib[..., None] // np.maximum(self._mib, 1), _PLENTY)
        fitting: Ints = np.minimum(free[..., None] // self._one, by_memory)
        return fitting

    def _usable(self, pieces: Ints, cpu: Ints, memory: Ints) -> Ints:
        """Return (n, groups): the milli-cards that each group could use of nodes."""
        count = np.minimum(pieces // self._many, cpu[:, None] // self._cpu)
        count = np.minimum(count, memory[:, None] // self._memory)
        usable: Ints = (count * self._milli) @ self._weight >> _UNIT
        return usable


def _by_kinds(
    fleet: NodeTable, bounds: Sequence[ConstrainedDemand]
) -> dict[tuple[bool, ...], list[ConstrainedDemand]]:
    """Return bound work by the kinds of installed cards that it can use, if these are not all."""
    installed = np.bincount(fleet.kind.ravel(), minlength=len(fleet.kinds)) > 0
    installed[0] = False
    found: dict[tuple[bool, ...], list[ConstrainedDemand]] = defaultdict(list)
    for bound in bounds:
        usable = fleet.allowed_kinds(bound.shapes[0][0]) & installed
        if usable.any() and not np.array_equal(usable, installed):
            found[tuple(usable.tolist())].append(bound)
    return found


def _group(
    kinds: tuple[bool, ...], found: dict[tuple[bool, ...], list[ConstrainedDemand]]
) -> _Group:
    """Return what is expected of those who can use these kinds at most."""
    within = [
        bound
        for others, mine in found.items()
        if not any(other and not mine for other, mine in zip(others, kinds, strict=True))
        for bound in mine
    ]
    parts = sum(bound.parts for bound in within)
    size = sum(bound.parts * bound.mean_milli for bound in within) // parts
    return _Group(parts, sum(bound.arrivals for bound in within), size)


def _weights(groups: Sequence[Sequence[ConstrainedDemand]]) -> Ints:
    """Return (shapes, groups): how much each shape counts in its group; a group has `1 << _UNIT`."""
    rows = []
    for number, mine in enumerate(groups):
        asked = sum(parts for bound in mine for _, parts in bound.shapes)
        for bound in mine:
            for _, parts in bound.shapes:
                row = [0] * len(groups)
                row[number] = (parts << _UNIT) // asked
                rows.append(row)
    return np.array(rows, np.int64)


def _level(group: _Group, idle: int, room: int) -> int:
    """Return the chance, in `LEVELS`, that more comes of a group than there is room for.

    What comes is `idle` milli-cards of the mix, more or less: arrivals are by chance, and so is
    what was learned from few. The normal distribution is taken as a straight line.
    """
    expected = idle * group.parts // PARTS
    variance = expected * group.size + expected * expected // max(group.seen, 1)
    reach = _SPREAD * max(isqrt(variance), 1)
    return min(max(LEVELS * (expected - room + reach) // (2 * reach), 0), LEVELS)


def _column(values: Sequence[int]) -> Ints:
    return np.array(values, np.int64)
