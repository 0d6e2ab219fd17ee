"""How much any scheduler could place at all: an upper bound by linear programming.

Variables are, per sort of node (equal CPU, memory, cards and model), how many tasks of each shape
go there, and how many cards are cut in which pattern of shares. Per sort: CPU, memory, cards (given
whole or cut), and of each share no more than the cut cards hold; per shape no more than arrived.
It is relaxed twice, tasks may be split and node boundaries inside a sort do not count, so that no
scheduler can do better, even with hindsight and free to refuse what it likes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from scheduler.core.placement.node_table import NodeSpec
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

_PATTERNS_MAX = 20_000
_GRAIN = 10
"""Shares are rounded down to so many milli-GPUs if there are too many patterns otherwise."""

Floats = NDArray[np.float64]
_Sort = tuple[int, int, int, str]


@dataclass
class _Program:
    """Rows of `sum <= limit` and what each variable is worth, while they are put together."""

    limits: list[float] = field(default_factory=list)
    worth: list[float] = field(default_factory=list)
    entries: list[tuple[int, int, float]] = field(default_factory=list)

    def row(self, limit: float) -> int:
        self.limits.append(limit)
        return len(self.limits) - 1

    def variable(self, worth: float, uses: Sequence[tuple[int, float]]) -> None:
        column = len(self.worth)
        self.worth.append(worth)
        self.entries.extend((row, column, amount) for row, amount in uses)

    def best(self) -> float:
        rows, columns, amounts = zip(*self.entries, strict=True)
        matrix = csr_array((amounts, (rows, columns)), shape=(len(self.limits), len(self.worth)))
        found = linprog(-np.array(self.worth), A_ub=matrix, b_ub=self.limits, method="highs")
        if not found.success:
            raise ValueError(f"the bound has no solution: {found.message}")
        return -float(found.fun)


def packing_bound(nodes: Sequence[NodeSpec], tasks: Sequence[Shape]) -> int:
    """Return the most milli-GPUs of these tasks that the empty nodes could hold, rounded down.

    Raises:
        ValueError: the program could not be solved.
    """
    wanted = Counter(task for task in tasks if task.total_milli)
    if not wanted or not any(node.cards for node in nodes):
        return 0
    sizes = sorted({task.gpu_milli for task in wanted if task.gpu_milli})
    patterns = _patterns(sizes)
    program = _Program()
    demand = {task: program.row(count) for task, count in wanted.items()}
    for (cpu, memory, cards, model), count in Counter(map(_sort, nodes)).items():
        rows = (program.row(cpu * count), program.row(memory * count), program.row(cards * count))
        cut = {size: program.row(0) for size in sizes}
        for task, row in demand.items():
            if (not task.models or model in task.models) and task.gpus <= cards:
                uses = [
                    (row, 1.0),
                    (rows[0], float(task.cpu_milli)),
                    (rows[1], float(task.memory_mib)),
                ]
                uses.append(
                    (cut[task.gpu_milli], 1.0) if task.gpu_milli else (rows[2], float(task.gpus))
                )
                program.variable(task.total_milli, uses)
        for pattern in patterns:
            held = [(cut[size], -float(number)) for size, number in pattern]
            program.variable(0, [(rows[2], 1.0), *held])
    return int(program.best() + 1e-6) if program.entries else 0


def _sort(node: NodeSpec) -> _Sort:
    model = node.cards[0].model if node.cards else ""
    return node.cpu_milli, node.memory_mib, len(node.cards), model


def _patterns(sizes: Sequence[int]) -> list[tuple[tuple[int, int], ...]]:
    """Return the ways to cut one card so that no further share fits, as (share, number) pairs.

    If there are too many, shares are rounded down first, which keeps the bound a bound.
    """
    grain = 1
    while True:
        found = _cuts(tuple(sizes), grain)
        if found is not None:
            return found
        grain = _GRAIN if grain == 1 else grain * 2


def _cuts(sizes: tuple[int, ...], grain: int) -> list[tuple[tuple[int, int], ...]] | None:
    costs = [max(size // grain * grain, 1) for size in sizes]
    found: list[tuple[tuple[int, int], ...]] = []
    open_ends: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [
        (len(sizes) - 1, MILLI_PER_GPU, ())
    ]
    while open_ends:
        index, left, chosen = open_ends.pop()
        if index < 0:
            if chosen and left < costs[0]:
                found.append(chosen)
                if len(found) > _PATTERNS_MAX:
                    return None
            continue
        for number in range(left // costs[index] + 1):
            more = (*chosen, (sizes[index], number)) if number else chosen
            open_ends.append((index - 1, left - number * costs[index], more))
    return found
