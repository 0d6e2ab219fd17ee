"""`python -m bench.replay compare philly|openb`: several policies on one trace, one table.

The last line is the floor of completion times, the mean run time, or the bound of what any
scheduler could allocate (`packing_bound.py`).
"""

import argparse
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from typing import Final

import numpy as np

from bench.replay import openb, philly
from scheduler.whatif.charts import draw_outcomes
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.metrics import SimulationOutcome
from scheduler.whatif.report import print_table

_COLUMNS: Final = (
    "policy",
    "mean_wait_s",
    "p99_wait_s",
    "longest_wait_s",
    "mean_completion_s",
    "over_floor_pct",
    "utilisation",
    "evictions",
)


def _waiting_arguments(parser: argparse.ArgumentParser) -> None:
    philly.add_input(parser)
    parser.add_argument(
        "--policies",
        metavar="NAME,…",
        default="fifo,skip,easy,default,las",
        help=f"of {', '.join(sorted(philly.REPLAY_POLICIES))}; +turns adds time slicing",
    )


def _waiting(options: argparse.Namespace) -> Figures:
    names = options.policies.split(",")
    rules = {name: _rules(name) for name in names}
    rows = philly.read_input(options)
    floor = philly.floor_of(rows)
    outcomes: dict[str, SimulationOutcome] = {}
    table: list[Figures] = []
    for name in names:
        outcomes[name], figures = philly.play(rows, options, name, rules[name])
        over = (outcomes[name].mean_completion_s / floor - 1) * 100
        table.append({**figures, "over_floor_pct": over})
    bound: Figures = {"policy": "floor", "mean_wait_s": 0.0, "mean_completion_s": floor}
    print_table([*table, bound], _COLUMNS)
    if options.charts:
        draw_outcomes(options.charts, outcomes)
    return {"nodes": options.nodes, "floor": floor, "policies": table}


def _rules(name: str) -> philly.ReplayPolicy:
    plain, plus, turns = name.partition("+")
    if plain not in philly.REPLAY_POLICIES or (plus and turns != "turns"):
        raise ValueError(f"there is no policy {name!r}")
    return (
        philly.REPLAY_POLICIES[plain].with_time_slicing() if plus else philly.REPLAY_POLICIES[plain]
    )


def _bounds_of(trace: openb.Trace, runs: Mapping[int, openb.Drawn]) -> Figures | None:
    """Return what no scheduler could exceed at 100 and 130 %, the mean of the seeds.

    None without scipy, which solves for it: looked up by name, so that the policies can be compared
    without it.
    """
    if importlib.util.find_spec("scipy") is None:
        sys.stderr.write("the bound is left out: it needs scipy (requirements-dev.txt)\n")
        return None
    packing_bound = importlib.import_module("bench.replay.packing_bound").packing_bound
    found: dict[int, list[float]] = {100: [], openb.DEMAND_PCT: []}
    for drawn in runs.values():
        tasks = [trace.tasks[row] for row in drawn.arrivals]
        asked = np.cumsum([task.total_milli for task in tasks])
        until = int(np.searchsorted(asked, trace.milli)) + 1
        for mark, arrived in ((100, tasks[:until]), (openb.DEMAND_PCT, tasks)):
            found[mark].append(packing_bound(trace.nodes, arrived) / trace.milli * 100)
    return {f"allocated_pct_{mark}": sum(each) / len(each) for mark, each in found.items()}


def _packing_arguments(parser: argparse.ArgumentParser) -> None:
    openb.add_input(parser)
    parser.add_argument("--policies", metavar="NAME,…", default="random,best_fit,fgd,default")


def _packing(options: argparse.Namespace) -> Figures:
    names = options.policies.split(",")
    if unknown := set(names) - set(openb.POLICIES):
        raise ValueError(f"there is no policy {', '.join(sorted(unknown))}")
    trace, runs = openb.read_input(options)
    bound = _bounds_of(trace, runs)
    figures = {name: openb.play(trace, runs, name) for name in names}
    lines = [{"policy": name, **openb.table_of(found)[-1]} for name, found in figures.items()]
    print_table([*lines, {"policy": "bound", **bound}] if bound else lines)
    return {"policies": figures, "bound": bound}


WAITING: Final = Command(
    path=("compare", "philly"),
    help="queueing: policies side by side",
    add_arguments=_waiting_arguments,
    run=_waiting,
)
PACKING: Final = Command(
    path=("compare", "openb"),
    help="packing: policies side by side",
    add_arguments=_packing_arguments,
    run=_packing,
)
