"""`compare philly`: several policies on one input, one table, beside the bound.

Nobody can do better than the bound: the mean run time, as if every job started when it came.
"""

import argparse
from typing import Final

from scheduler.whatif import philly
from scheduler.whatif.charts import draw
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.metrics import Outcome
from scheduler.whatif.report import show

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


def _arguments(parser: argparse.ArgumentParser) -> None:
    philly.add_input(parser)
    parser.add_argument(
        "--policies",
        metavar="NAME,…",
        default="fifo,skip,easy,default,las",
        help=f"of {', '.join(sorted(philly.RULES))}; +turns lets its work take turns",
    )


def _run(options: argparse.Namespace) -> Figures:
    names = options.policies.split(",")
    rules = {name: _rules(name) for name in names}
    rows = philly.read_input(options)
    outcomes: dict[str, Outcome] = {}
    table: list[Figures] = []
    for name in names:
        outcomes[name], figures = philly.play(rows, options, name, rules[name])
        table.append(figures)
    floor = philly.floor_of(rows)
    for figures in table:
        figures["over_floor_pct"] = (float(str(figures["mean_completion_s"])) / floor - 1) * 100
    bound: Figures = {"policy": "floor", "mean_wait_s": 0.0, "mean_completion_s": floor}
    show([*table, bound], _COLUMNS)
    if options.charts:
        draw(options.charts, outcomes)
    return {"nodes": options.nodes, "floor": floor, "policies": table}


def _rules(name: str) -> philly.Rules:
    plain, plus, turns = name.partition("+")
    if plain not in philly.RULES or (plus and turns != "turns"):
        raise ValueError(f"there is no policy {name!r}")
    return philly.RULES[plain].taking_turns() if plus else philly.RULES[plain]


COMMAND: Final = Command(
    path=("compare", "philly"),
    help="queueing: policies side by side",
    add_arguments=_arguments,
    run=_run,
)
