"""The value of what is left of a card: shares as a cutting-stock problem.

Shares of expected sizes are to be cut from as few cards as possible. The dual of that linear program
(Gilmore and Gomory, "A Linear Programming Approach to the Cutting-Stock Problem", 1961) has a price
for each size, as parts of a card: no set of shares that fits on one card is worth more than a card,
and together the expected shares are worth as much as possible. The rest of a card is worth the best
set that still fits into it. A share that is cut where this loses nothing belongs to a pattern with
the least waste; one that loses something leaves a rest that no expected share fills.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from scheduler.core.placement.node_table import Ints
from scheduler.core.placement.shape import MILLI_PER_GPU

_PATTERNS_MAX: Final = 4096
"""The most requested sizes are considered, as long as they make no more patterns than that."""
_PIVOTS_MAX: Final = 256
"""A few per size are enough; prices are valid whenever it stops, only not yet the best."""
_POINT: Final = 24
"""Binary digits behind the point of prices; a whole card is 1."""
_ONE: Final = 1 << _POINT
_NOTHING: Final = 1 << 6
"""Smaller numbers are rounding errors."""
_NO_BOUND: Final = 1 << 62


def residual_values(demand: Mapping[int, int], card: int) -> Ints:
    """Return (MILLI_PER_GPU + 1,): the value of each rest of a card whose whole value is `card`.

    `demand` is how often each size of share (milli-GPUs) is expected; without any, all values are 0.
    """
    worth: Ints = np.zeros(MILLI_PER_GPU + 1, np.int64)
    if not demand:
        return worth
    sizes, patterns = _patterns(sorted(demand, key=lambda size: (-demand[size], size)))
    prices = _prices(patterns, np.array([demand[size] for size in sizes], np.int64))
    filled = (patterns * np.array(sizes, np.int64)).sum(axis=1)
    np.maximum.at(worth, filled, ((patterns * prices).sum(axis=1) * card + _ONE // 2) >> _POINT)
    best: Ints = np.maximum.accumulate(worth)
    return best


def _patterns(wanted: list[int]) -> tuple[list[int], Ints]:
    """Return sizes (S,), the first of those wanted, and patterns (P, S): all that fit on one card."""
    sizes: list[int] = []
    patterns: Ints = np.zeros((1, 0), np.int64)
    left: Ints = np.array([MILLI_PER_GPU], np.int64)
    for size in wanted:
        times = left // size + 1
        if int(times.sum()) > _PATTERNS_MAX:
            break
        rows = np.repeat(np.arange(len(left)), times)
        count = np.arange(len(rows)) - np.repeat(times.cumsum() - times, times)
        patterns = np.column_stack([patterns[rows], count])
        left = left[rows] - count * size
        sizes.append(size)
    return sizes, patterns


def _prices(patterns: Ints, demand: Ints) -> Ints:
    """Return (S,) prices by which the demand is worth most while no pattern is worth more than 1.

    The simplex method on a dictionary of P slacks and S prices, in integers with `_POINT` binary
    digits. What rounding adds to the most valuable pattern is taken off all prices at the end.
    """
    rows, sizes = patterns.shape
    table = patterns << _POINT
    slack, gain = np.full(rows, _ONE), (demand << _POINT) // max(int(demand.sum()), 1)
    outside, inside = np.arange(sizes), np.full(rows, -1)
    for _ in range(_PIVOTS_MAX):
        enters = int(gain.argmax())
        if gain[enters] <= _NOTHING:
            break
        column = table[:, enters].copy()
        bounded = column > _NOTHING
        bounds = np.where(bounded, (slack << _POINT) // np.where(bounded, column, 1), _NO_BOUND)
        leaves = int(bounds.argmin())
        pivot = int(column[leaves])
        row = (table[leaves] << _POINT) // pivot
        row[enters] = (_ONE << _POINT) // pivot
        reached = int(bounds[leaves])
        column[leaves] = 0
        table[:, enters] = 0
        table -= (column[:, None] * row) >> _POINT
        slack -= (column * reached) >> _POINT
        table[leaves], slack[leaves] = row, reached
        rise, gain[enters] = int(gain[enters]), 0
        gain -= (rise * row) >> _POINT
        outside[enters], inside[leaves] = inside[leaves], outside[enters]
    prices: Ints = np.zeros(sizes, np.int64)
    found = inside >= 0
    prices[inside[found]] = np.clip(slack[found], 0, _ONE)
    most_valuable = int((patterns * prices).sum(axis=1).max())
    sound: Ints = prices * _ONE // max(most_valuable, _ONE)
    return sound
