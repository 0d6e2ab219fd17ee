"""`python -m bench.replay openb`: a recorded list of tasks, placed one after the other on a cluster.

Tasks arrive in order and never leave. A task that fits nowhere is refused permanently; one that fits is
placed. The figures are what is allocated, as a part of all GPUs, when the demand that has arrived is
95, 100 and 130 % of the cluster, and how much had arrived at the first refusal. The trace is that of
Weng et al., "Beware of Fragmentation" (USENIX ATC 2023).

Without an orders file the arrivals are drawn as the published runs drew them: the list shuffled,
then tasks drawn again (or dropped) until the demand is 130 % of the cluster.
"""

import argparse
import csv
import gzip
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.replay.go_random import GoRandom
from bench.replay.reference_policies import BestFit, Fgd, Random, ReferencePolicy
from scheduler.core.placement.demand import DemandMix
from scheduler.core.placement.node_table import CardSpec, NodeSpec, NodeTable
from scheduler.core.placement.placer import Choice, Placer
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.report import print_table

POLICIES: Final = ("random", "best_fit", "fgd", "default")
DEMAND_PCT: Final = 130
_MARKS: Final = (95, 100)
_WATCHES: Final = 10
"""Numbers that the published simulator's client draws before it orders the nodes."""
_PRINT_EVERY_S: Final = 5.0

Series = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trace:
    """One cluster and one list of tasks."""

    nodes: tuple[NodeSpec, ...]
    tasks: tuple[Shape, ...]

    @property
    def milli(self) -> int:
        """Milli-GPUs of the cluster."""
        return sum(len(node.cards) for node in self.nodes) * MILLI_PER_GPU


@dataclass(frozen=True, slots=True)
class Drawn:
    """The random parts of one run: the order of arrivals, and of nodes that are equally good."""

    arrivals: tuple[int, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ArrivalOrder:
    """Milli-GPUs after each arrival: asked for so far, and placed so far."""

    asked: Series
    placed: Series
    refused: int | None
    """Number of the first arrival that was turned away."""

    def figures(self, milli: int) -> Figures:
        """Return percentages of the cluster's milli-GPUs."""
        ends = {mark: self._at(milli * mark / 100) for mark in _MARKS}
        ends[DEMAND_PCT] = int(self.placed[-1])
        found: Figures = {f"allocated_pct_{mark}": at / milli * 100 for mark, at in ends.items()}
        found |= {f"allocated_milli_{mark}": at for mark, at in ends.items()}
        first = None if self.refused is None else float(self.asked[self.refused]) / milli * 100
        return found | {"first_rejection_pct": first}

    def _at(self, asked: float) -> int:
        index = min(int(np.searchsorted(self.asked, asked)), len(self.asked) - 1)
        return int(self.placed[index])


class _Learning:
    """Our own placer, which learns the demand mix from what arrives."""

    def __init__(self, table: NodeTable) -> None:
        self._placer = Placer(table, DemandMix())

    def choose(self, shape: Shape) -> Choice | None:
        self._placer.mix.observe(shape)
        return self._placer.choose(shape)


def read_nodes(path: str) -> tuple[NodeSpec, ...]:
    """Read a node list, plain or `.gz`, in the order of the nodes' names.

    Raises:
        ValueError: a column is missing or not a number.
    """
    rows = sorted(_rows(path, ("sn", "cpu_milli", "memory_mib", "gpu", "model")), key=_name)
    return tuple(
        NodeSpec(
            _number(path, row, "cpu_milli"),
            _number(path, row, "memory_mib"),
            (CardSpec(row["model"]),) * _number(path, row, "gpu"),
        )
        for row in rows
    )


def read_tasks(path: str) -> tuple[Shape, ...]:
    """Read a task list, plain or `.gz`, in its own order.

    Raises:
        ValueError: a column is missing or not a number.
    """
    return tuple(
        _task(path, row)
        for row in _rows(path, ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"))
    )


def read_orders(path: str, tasks: int) -> dict[int, tuple[int, ...]]:
    """Read arrival orders: for each seed the row numbers of the task list.

    Raises:
        ValueError: it is no such file, or it names a row that the task list does not have.
    """
    orders = {}
    for row in _rows(path, ("seed", "row_indices")):
        try:
            order = tuple(int(index) for index in row["row_indices"].split())
        except ValueError:
            raise ValueError(f"{path}: row_indices are not numbers") from None
        if not order or not 0 <= min(order) <= max(order) < tasks:
            raise ValueError(f"{path}: an order is empty or names a task that is not in the list")
        orders[_number(path, row, "seed")] = order
    return orders


def draw_tasks(trace: Trace, seed: int) -> Drawn:
    """Draw a run as the published runs did: the list shuffled, then tuned to 130 % of the cluster.

    A list with less demand is filled up with tasks drawn from it, one with more loses tasks.
    """
    chance = GoRandom(seed)
    chance.int63()
    arrivals = list(range(len(trace.tasks)))
    chance.shuffle(arrivals)
    demand = sum(task.total_milli for task in trace.tasks)
    wanted = trace.milli * DEMAND_PCT // 100
    while demand > wanted:
        demand -= trace.tasks[arrivals.pop(chance.below(len(arrivals)))].total_milli
    if len(arrivals) == len(trace.tasks) and demand < wanted:
        while True:
            row = chance.below(len(trace.tasks))
            task = trace.tasks[row]
            if demand + min(task.total_milli, MILLI_PER_GPU) > wanted:
                break
            demand += task.total_milli
            arrivals.append(row)
    for _ in range(_WATCHES):
        chance.int63()
    places = chance.permutation(len(trace.nodes))
    order = sorted(range(len(places)), key=places.__getitem__)
    return Drawn(tuple(arrivals), tuple(order))


def policy_of(name: str, table: NodeTable, tasks: Sequence[Shape], seed: int) -> ReferencePolicy:
    """Return a policy for one run.

    Raises:
        ValueError: there is none of that name.
    """
    if name == "random":
        return Random(table, seed)
    if name == "best_fit":
        return BestFit(table)
    if name == "fgd":
        return Fgd(table, tasks)
    if name == "default":
        return _Learning(table)
    raise ValueError(f"there is no policy {name!r}; there are {', '.join(POLICIES)}")


def replay_order(
    trace: Trace, drawn: Drawn, name: str, seed: int, hold_pct: int | None = None
) -> ArrivalOrder:
    """Place the arrivals under a policy.

    With `hold_pct`, once so much of the cluster is allocated arrivals wait, and at the end the
    policy chooses the order of those that wait.
    """
    order = range(len(trace.nodes)) if name == "default" else drawn.nodes
    table = NodeTable([trace.nodes[node] for node in order])
    policy = policy_of(name, table, trace.tasks, seed)
    asked = np.cumsum([trace.tasks[row].total_milli for row in drawn.arrivals])
    placed = np.zeros(len(asked), np.int64)
    hold = None if hold_pct is None else trace.milli * hold_pct // 100
    waiting: list[Shape] = []
    total, refused = 0, None
    printed = time.monotonic()
    for index, row in enumerate(drawn.arrivals):
        shape = trace.tasks[row]
        if hold is not None and total >= hold:
            waiting.append(shape)
        else:
            choice = policy.choose(shape)
            if choice is not None:
                table.allocate(choice.node, shape, choice.cards)
                total += shape.total_milli
            elif refused is None:
                refused = index
        placed[index] = total
        if time.monotonic() - printed > _PRINT_EVERY_S:
            printed = time.monotonic()
            sys.stderr.write(f"  {name}, seed {seed}: {index:,} of {len(asked):,} arrived\n")
    if waiting:
        placed[-1] = total + _place_backlog(table, policy, waiting)
    return ArrivalOrder(asked, placed, refused)


def _place_backlog(table: NodeTable, policy: ReferencePolicy, waiting: Sequence[Shape]) -> int:
    """Place what fits of the waiting tasks and return the milli-GPUs placed.

    Most cards go first, then the shares of which a whole number wastes least of a card; of equals
    those with least CPU, because CPU is what cards run out of.
    """
    placed = 0
    for shape, count in sorted(Counter(waiting).items(), key=_backlog_order):
        for _ in range(count):
            choice = policy.choose(shape)
            if choice is None:
                break
            table.allocate(choice.node, shape, choice.cards)
            placed += shape.total_milli
    return placed


def _backlog_order(item: tuple[Shape, int]) -> tuple[int, int, int, int]:
    shape, _ = item
    waste = MILLI_PER_GPU % shape.gpu_milli if shape.gpu_milli else 0
    return -shape.gpus, waste, shape.cpu_milli, shape.memory_mib


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name the files and the seeds."""
    parser.add_argument("--nodes", metavar="FILE", required=True, help="CSV, plain or .gz")
    parser.add_argument("--pods", metavar="FILE", required=True, help="CSV, plain or .gz")
    parser.add_argument("--orders", metavar="FILE", help="arrival orders; without, they are drawn")
    parser.add_argument("--seeds", metavar="N", type=int, nargs="+", help="default: all, or 42")


def read_input(options: argparse.Namespace) -> tuple[Trace, dict[int, Drawn]]:
    """Return the trace and the random parts of each seed.

    Raises:
        ValueError: a file is not what it should be, or a seed has no order.
        OSError: a file cannot be read.
    """
    trace = Trace(read_nodes(options.nodes), read_tasks(options.pods))
    if not trace.milli or not any(task.total_milli for task in trace.tasks):
        raise ValueError("a cluster without cards, or tasks that need none, cannot be compared")
    if options.orders is None:
        return trace, {seed: draw_tasks(trace, seed) for seed in options.seeds or [42]}
    orders = read_orders(options.orders, len(trace.tasks))
    seeds = options.seeds or sorted(orders)
    if missing := [seed for seed in seeds if seed not in orders]:
        raise ValueError(f"{options.orders}: no order for seed {missing[0]}")
    return trace, {seed: Drawn(orders[seed], draw_tasks(trace, seed).nodes) for seed in seeds}


def play(trace: Trace, runs: dict[int, Drawn], name: str, hold_pct: int | None = None) -> Figures:
    """Return the figures of one policy: each seed's, and their mean."""
    seeds: dict[str, Figures] = {}
    for seed, drawn in runs.items():
        began = time.monotonic()
        seeds[str(seed)] = replay_order(trace, drawn, name, seed, hold_pct).figures(trace.milli)
        pace = len(drawn.arrivals) / (time.monotonic() - began)
        sys.stderr.write(f"  {name}, seed {seed}: {pace:,.0f} decisions a second\n")
    mean: Figures = {}
    for key in next(iter(seeds.values())):
        values = [float(str(found[key])) for found in seeds.values() if found[key] is not None]
        mean[key] = sum(values) / len(values) if values else None
    return {"policy": name, "seeds": seeds, "mean": mean}


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument("--policy", default="default", help=", ".join(POLICIES))
    parser.add_argument(
        "--backlog",
        metavar="PCT",
        type=int,
        help="work that arrives once PCT %% are allocated waits, and is ordered at the end",
    )


def _run(options: argparse.Namespace) -> Figures:
    if options.policy not in POLICIES:
        raise ValueError(f"there is no policy {options.policy!r}; there are {', '.join(POLICIES)}")
    trace, runs = read_input(options)
    figures = play(trace, runs, options.policy, options.backlog)
    print_table(table_of(figures))
    return figures


def table_of(figures: Figures) -> list[Figures]:
    """Return one line per seed and one for their mean, percentages only."""
    seeds, mean = figures["seeds"], figures["mean"]
    if not isinstance(seeds, dict) or not isinstance(mean, dict):
        raise TypeError("these are not the figures of a replay")
    lines = [{"seed": seed, **found} for seed, found in seeds.items()]
    every = [*lines, {"seed": "mean", **mean}]
    return [{k: v for k, v in line.items() if "milli" not in k} for line in every]


def _task(path: str, row: dict[str, str]) -> Shape:
    cards = _number(path, row, "num_gpu")
    milli = min(_number(path, row, "gpu_milli"), MILLI_PER_GPU)
    shared = cards == 1 and milli < MILLI_PER_GPU
    named = (row.get("gpu_spec") or "") if cards else ""
    return Shape(
        cpu_milli=_number(path, row, "cpu_milli"),
        memory_mib=_number(path, row, "memory_mib"),
        gpus=0 if shared else cards,
        gpu_milli=milli if shared else 0,
        models=frozenset(model for model in named.split("|") if model),
    )


def _rows(path: str, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    csv.field_size_limit(1 << 30)
    opened = gzip.open if path.endswith(".gz") else open
    try:
        with opened(Path(path), "rt", encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if missing := set(columns) - set(reader.fieldnames or ()):
                raise ValueError(f"{path}: no column {min(missing)!r}")
            yield from reader
    except (gzip.BadGzipFile, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path}: {error}") from None


def _number(path: str, row: dict[str, str], column: str) -> int:
    try:
        return int(row[column])
    except (TypeError, ValueError):
        raise ValueError(f"{path}: {column} is {row[column]!r}, not a number") from None


def _name(row: dict[str, str]) -> str:
    return row["sn"]


COMMAND: Final = Command(
    path=("openb",),
    help="packing: a list of tasks that arrive and never leave",
    add_arguments=_arguments,
    run=_run,
)
