"""`python -m bench.scheduler_packing`: our packing beside FGD's, on every list of a folder of openb.

    --seeds 42 43      arrivals of these seeds; drawn where the folder has no order of them
    --lists cpu037     other lists of the folder than those that have orders
    --mixes 10         lists of our own, each blended from some of the folder's at random
    --bound 10         the same of other lists, with models that some of the tasks must have
    --json FILE        figures, written after every run; what stands there is not run again

FGD is the published run of the same list and seed, or else our own replay of it on the same arrivals.
It prints, for each list, points above FGD at 95, 100 and 130 % arrived, the mean of the seeds. Exit 1
if a list's mean is below FGD's, or the mean of all lists gains less than was promised.
"""

import argparse
import csv
import gzip
import json
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.replay.openb import (
    DEMAND_PCT,
    Drawn,
    Trace,
    draw_tasks,
    read_nodes,
    read_orders,
    read_tasks,
    replay_order,
)
from scheduler.core.placement.node_table import NodeSpec
from scheduler.whatif.report import print_table

TRACES: Final = Path("../shared/traces/openb")
MARKS: Final = (95, 100, DEMAND_PCT)
PROMISED: Final = 0.7
"""Points above FGD, the mean of all lists, at every mark."""
_LIST: Final = "openb_pod_list_"
_BLENDED: Final = (2, 4)
"""A blend is of at least and at most so many lists."""
_BLEND_TASKS: Final = 8000
_WISHES: Final = 8
_BOUND_MOST: Final = 0.2

Gains = dict[str, dict[str, list[float]]]
"""For each list and seed: ours at each mark, then FGD's at each mark."""


def main() -> int:
    """Measure what is missing and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.scheduler_packing")
    parser.add_argument("--traces", type=Path, default=TRACES, help="folder of the openb trace")
    parser.add_argument("--seeds", type=int, nargs="*", default=[42, 43, 44, 45, 46])
    parser.add_argument("--lists", nargs="+", metavar="LIST", help="default: all that have orders")
    parser.add_argument("--mixes", type=int, default=0, metavar="N", help="so many blended lists")
    parser.add_argument("--bound", type=int, default=0, metavar="N", help="blends bound to models")
    parser.add_argument("--json", type=Path, help="figures; continues what stands there")
    options = parser.parse_args()
    found: Gains = {}
    if options.json and options.json.exists():
        found = json.loads(options.json.read_text(encoding="utf-8"))
    for name, seed, gain in _measured(options, found):
        found.setdefault(name, {})[str(seed)] = gain
        if options.json:
            options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
        ours, theirs = gain[:3], gain[3:]
        points = " ".join(f"{a - b:+.2f}" for a, b in zip(ours, theirs, strict=True))
        sys.stderr.write(f"  {name}, seed {seed}: {points}\n")
    return _verdict(found)


def _measured(
    options: argparse.Namespace, found: Mapping[str, Mapping[str, object]]
) -> Iterator[tuple[str, int, list[float]]]:
    """Run what has not been found yet."""
    folder: Path = options.traces
    nodes = read_nodes(str(folder / "openb_node_list_gpu_node.csv"))
    names = options.lists or sorted(
        path.name.removesuffix(".csv.gz") for path in (folder / "orders").iterdir()
    )
    published = _published(folder / "fgd_expected_allocation.csv.gz")
    lists = {
        name: Trace(nodes, read_tasks(str(folder / f"{_LIST}{name}.csv.gz"))) for name in names
    }
    blends = [(f"blend{seed:02}", seed, _blend(lists, seed)) for seed in range(options.mixes)]
    blends += [
        (f"bound{seed:02}", seed, _bound(folder, nodes, seed)) for seed in range(options.bound)
    ]
    for name, trace in lists.items():
        path = folder / "orders" / f"{name}.csv.gz"
        orders = read_orders(str(path), len(trace.tasks)) if path.exists() else {}
        for seed in options.seeds:
            if str(seed) not in found.get(name, {}):
                drawn = draw_tasks(trace, seed)
                drawn = Drawn(orders.get(seed, drawn.arrivals), drawn.nodes)
                theirs = published.get((name, seed)) or _allocated(trace, drawn, "fgd", seed)
                yield name, seed, [*_allocated(trace, drawn, "default", seed), *theirs]
    for name, seed, trace in blends:
        if str(seed) not in found.get(name, {}):
            drawn = draw_tasks(trace, seed)
            ours, theirs = (_allocated(trace, drawn, each, seed) for each in ("default", "fgd"))
            yield name, seed, [*ours, *theirs]


def _blend(lists: Mapping[str, Trace], seed: int) -> Trace:
    """Return a list whose tasks are drawn from some lists, each with a weight of its own."""
    chance = random.Random(seed)  # noqa: S311  repeatable, nothing secret
    chosen = chance.sample(sorted(lists), chance.randint(*_BLENDED))
    weights = [chance.random() for _ in chosen]
    sources = chance.choices(chosen, weights, k=_BLEND_TASKS)
    tasks = tuple(chance.choice(lists[source].tasks) for source in sources)
    return Trace(lists[chosen[0]].nodes, tasks)


def _bound(folder: Path, nodes: tuple[NodeSpec, ...], seed: int) -> Trace:
    """Return a blend of any lists, of whose tasks a part must have models that chance prefers."""
    chance = random.Random(f"bound {seed}")  # noqa: S311  repeatable, nothing secret
    paths = sorted(folder.glob(f"{_LIST}*.csv.gz"))
    chosen = [read_tasks(str(path)) for path in chance.sample(paths, chance.randint(*_BLENDED))]
    models = sorted({card.model for node in nodes for card in node.cards})
    wishes = [frozenset(chance.sample(models, chance.randint(1, 3))) for _ in range(_WISHES)]
    liked, part = [chance.random() ** 2 for _ in wishes], chance.random() * _BOUND_MOST
    sources = chance.choices(chosen, [chance.random() for _ in chosen], k=_BLEND_TASKS)
    tasks = (replace(chance.choice(source), models=frozenset()) for source in sources)
    wished = chance.choices(wishes, liked, k=_BLEND_TASKS)
    return Trace(
        nodes,
        tuple(
            replace(task, models=wish) if task.total_milli and chance.random() < part else task
            for task, wish in zip(tasks, wished, strict=True)
        ),
    )


def _allocated(trace: Trace, drawn: Drawn, policy: str, seed: int) -> list[float]:
    figures = replay_order(trace, drawn, policy, seed).figures(trace.milli)
    return [float(str(figures[f"allocated_pct_{mark}"])) for mark in MARKS]


def _published(path: Path) -> dict[tuple[str, int], list[float]]:
    """Return FGD's published allocation at each mark, by list and seed."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return {
            (row["workload"].removeprefix(_LIST), int(row["seed"])): [
                float(row[str(mark)]) for mark in MARKS
            ]
            for row in csv.DictReader(file)
            if row["sc_policy"].endswith("FGD")
        }


def _verdict(found: Gains) -> int:
    """Print the table and return the exit status."""
    lines = []
    for name, seeds in found.items():
        means = [sum(column) / len(seeds) for column in zip(*seeds.values(), strict=True)]
        line: dict[str, object] = {"list": name, "seeds": len(seeds)}
        for index, mark in enumerate(MARKS):
            line[f"ours at {mark}"] = means[index]
            line[f"+ at {mark}"] = means[index] - means[index + len(MARKS)]
        lines.append(line)
    gains = {f"+ at {mark}": [float(str(line[f"+ at {mark}"])) for line in lines] for mark in MARKS}
    means_of = {column: sum(each) / len(each) for column, each in gains.items()}
    print_table([*lines, {"list": "mean", **means_of}])
    worst = min(min(each) for each in gains.values())
    return int(worst < 0 or min(means_of.values()) < PROMISED)


if __name__ == "__main__":
    sys.exit(main())
