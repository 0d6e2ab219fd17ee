"""`compare philly` and `compare openb`: several policies on one input, one table.

Beside the completion times stands the floor: nobody finishes sooner than its work runs. Beside
what is allocated stands what no scheduler could exceed (`bounds`).
"""

import argparse
from typing import Final

from scheduler.whatif import openb, philly
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
        help=f"of {', '.join(sorted(philly.REPLAY_POLICIES))}; +turns lets its work take turns",
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
    return philly.REPLAY_POLICIES[plain].taking_turns() if plus else philly.REPLAY_POLICIES[plain]


def _packing_arguments(parser: argparse.ArgumentParser) -> None:
    openb.add_input(parser)
    parser.add_argument("--policies", metavar="NAME,…", default="random,best_fit,fgd,default")


def _packing(options: argparse.Namespace) -> Figures:
    names = options.policies.split(",")
    if unknown := set(names) - set(openb.POLICIES):
        raise ValueError(f"there is no policy {', '.join(sorted(unknown))}")
    trace, runs = openb.read_input(options)
    bound = openb.bounds_of(trace, runs)
    figures = {name: openb.play(trace, runs, name) for name in names}
    lines = [{"policy": name, **openb.table_of(found)[-1]} for name, found in figures.items()]
    print_table([*lines, {"policy": "bound", **bound}])
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
