"""`make bench-scheduler`: what the engine promises, measured one after the other, in one table.

    python -m bench.scheduler                        everything; traces from ../shared/traces
    python -m bench.scheduler --traces DIR packing   one part
    python -m bench.scheduler --quick                every part on a fraction of its input: does it run?

Every part is a command of its own and is printed before it runs. A part whose trace is missing is
left out and named; its promise is then neither kept nor missed. A part that fails is one that has
missed, and the others go on. Exit 1 if a promise was missed, or a quick part did not run.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

from deploy.onebox.options import REPOSITORY

RESULTS: Final = Path("var/bench")
TRACES: Final = Path("../shared/traces")
Found = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Promise:
    """One line of the table."""

    name: str
    value: Callable[[Found], float]
    limit: float
    is_floor: bool = True
    """At least the limit; otherwise at most."""

    def line(self, found: Found) -> tuple[str, bool]:
        """Return the line and whether the promise is kept."""
        value = self.value(found)
        is_kept = value >= self.limit if self.is_floor else value <= self.limit
        bound = f"{'≥' if self.is_floor else '≤'} {self.limit:,.10g}"
        word = "kept" if is_kept else "MISSED"
        return f"{self.name:<58}{value:>12,.2f}{bound:>14}  {word}", is_kept


@dataclass(frozen=True, slots=True)
class Part:
    """One command, the files that it needs, and what it must show."""

    name: str
    arguments: tuple[str, ...]
    """After `python -m`; `{traces}` and `{json}` are filled in."""
    promises: tuple[Promise, ...] = ()
    """Of the JSON that it writes; without any, its exit status is the promise."""
    needs: tuple[str, ...] = ()
    """Files below the traces."""
    quick: tuple[str, ...] = ()
    """Arguments that make it short; its figures then say nothing."""

    def json(self, *, quick: bool) -> Path:
        """Return where its figures go."""
        return (RESULTS / "quick" if quick else RESULTS) / f"{self.name}.json"


_OPENB: Final = ("openb/openb_node_list_gpu_node.csv", "openb/openb_pod_list_default.csv.gz")
_PHILLY: Final = ("philly/philly_jobs_reduced.csv.gz", "philly/philly_vc_nodes.csv")


def _openb(policy: str, *more: str) -> tuple[str, ...]:
    nodes, pods = (f"{{traces}}/{name}" for name in _OPENB)
    orders = "{traces}/openb/orders/default.csv.gz"
    files = ("--nodes", nodes, "--pods", pods, "--orders", orders)
    return ("scheduler.whatif", "replay", "openb", *files, "--policy", policy, *more, *_JSON)


def _philly(policy: str, nodes: int, *more: str) -> tuple[str, ...]:
    jobs, vcs = (f"{{traces}}/{name}" for name in _PHILLY)
    chosen = ("--jobs", jobs, "--vcs", vcs, "--nodes", str(nodes), "--policy", policy)
    return ("scheduler.whatif", "replay", "philly", *chosen, *more, *_JSON)


def _completion(found: Found) -> float:
    return float(_deep(found, "mean_completion_s"))


def _longest(found: Found) -> float:
    return float(_deep(found, "longest_wait_s"))


def _deep(found: Any, name: str) -> Any:
    """Return the first value with this name, however deep it lies."""
    if isinstance(found, dict):
        if name in found:
            return found[name]
        for value in found.values():
            if (inner := _deep(value, name)) is not None:
                return inner
    return None


def _after(name: str) -> Callable[[Found], float]:
    return lambda found: float(found["after"][name])


def _mean(name: str) -> Callable[[Found], float]:
    return lambda found: float(found["mean"][name])


def _pace(times: int, name: str = "decisions_per_s") -> Callable[[Found], float]:
    return lambda found: float(found[f"times_{times}"][name])


def _together(nodes: int) -> Callable[[Found], float]:
    return lambda found: float(found["paces"][str(nodes)]["together_per_s"])


def _alone(nodes: int) -> Callable[[Found], float]:
    return lambda found: float(found["paces"][str(nodes)]["alone_ms"][1])


_JSON: Final = ("--json", "{json}")
_ONE_SEED: Final = ("--seeds", "42")
_TWO_DAYS: Final = ("--from", "2017-10-01", "--to", "2017-10-02")
PARTS: Final = (
    Part(
        "story",
        ("scheduler.whatif", "run", "aistation", *_JSON),
        (
            Promise("the story: tasks a week", _after("tasks_per_week"), 400),
            Promise("the story: GPU-hours per GPU and day", _after("card_hours_per_card_day"), 23),
            Promise("the story: utilisation, %", _after("utilisation_pct"), 85),
            Promise(
                "the story: longest wait for a notebook, s",
                _after("notebook_wait_s_max"),
                120,
                is_floor=False,
            ),
        ),
    ),
    Part(
        "packing_fgd",
        _openb("fgd"),
        (Promise("packing: FGD at 100 %, published 95.23", _mean("allocated_pct_100"), 94.93),),
        _OPENB,
        _ONE_SEED,
    ),
    Part(
        "packing",
        _openb("default"),
        (
            Promise("packing: ours at 100 %", _mean("allocated_pct_100"), 95.8),
            Promise("packing: ours at 130 %", _mean("allocated_pct_130"), 95.9),
            Promise("packing: first rejection, %", _mean("first_rejection_pct"), 95.2),
        ),
        _OPENB,
        _ONE_SEED,
    ),
    Part(
        "packing_backlog",
        _openb("default", "--backlog", "70"),
        (Promise("packing: 130 %, backlog reordered", _mean("allocated_pct_130"), 97.0),),
        _OPENB,
        _ONE_SEED,
    ),
    Part(
        "packing_lists",
        ("bench.scheduler_packing", "--traces", "{traces}/openb", *_JSON),
        (),
        _OPENB,
        (*_ONE_SEED, "--lists", "gpushare80"),
    ),
    Part(
        "waiting_80",
        _philly("default", 80),
        (
            Promise("waiting: mean completion at 80 nodes, s", _completion, 14_331, is_floor=False),
            Promise("waiting: longest at 80 nodes, s (FIFO's)", _longest, 164_158, is_floor=False),
        ),
        _PHILLY,
        _TWO_DAYS,
    ),
    Part(
        "waiting_80_preemptive",
        _philly("turns", 80),
        (Promise("waiting: the same, time slicing, s", _completion, 12_000, is_floor=False),),
        _PHILLY,
        _TWO_DAYS,
    ),
    Part(
        "waiting_64",
        _philly("default", 64),
        (Promise("waiting: longest at 64 nodes, s (FIFO's)", _longest, 811_994, is_floor=False),),
        _PHILLY,
        _TWO_DAYS,
    ),
    Part("waiting_80_predicted", _philly("default", 80, "--predict"), (), _PHILLY, _TWO_DAYS),
    Part(
        "throughput",
        ("bench.scheduler_throughput", *_JSON),
        (
            Promise("throughput: placed per second", lambda f: float(f["placed_per_s"]), 2000),
            Promise(
                "throughput: pass with 50,000 waiting, s",
                lambda f: float(f["cycle_s"]),
                1.0,
                is_floor=False,
            ),
        ),
        quick=("--submissions", "500", "--pending", "6000"),
    ),
    Part(
        "kueue",
        ("bench.scheduler_kueue", *_JSON),
        (
            Promise(
                "throughput: Kueue's generator, s (Kueue 351)",
                lambda f: float(f["seconds"]),
                80,
                is_floor=False,
            ),
        ),
        quick=("--percent", "2"),
    ),
    Part(
        "decisions",
        ("bench.scheduler_placement", "--traces", "{traces}/openb", *_JSON),
        (
            Promise("placement alone, decisions a second, 1,213 nodes", _pace(1), 5000),
            Promise("the same, p99, ms", _pace(1, "p99_ms"), 10, is_floor=False),
            Promise("placement alone, decisions a second, 9,704 nodes", _pace(8), 2000),
        ),
        _OPENB,
        ("--decisions", "200"),
    ),
    Part(
        "cycle",
        ("bench.scheduler_cycle", *_JSON),
        (
            Promise("full policy, placements a second, 1,213 nodes", _together(1_213), 5000),
            Promise("the same, one arrival, p99, ms", _alone(1_213), 10, is_floor=False),
            Promise("full policy, placements a second, 10,000 nodes", _together(10_000), 2000),
        ),
        quick=("--nodes", "10", "100", "--pending", "500", "--paces", "1213", "10000"),
    ),
    Part(
        "fairness",
        ("tests.scheduler.fairness", "--examples", "1000"),
        quick=("--examples", "5"),
    ),
)


def main() -> int:
    """Run the parts that were asked for and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.scheduler")
    parser.add_argument("--traces", type=Path, default=TRACES, help=f"folder ({TRACES})")
    parser.add_argument(
        "--quick", action="store_true", help="every part on a fraction of its input"
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="; ".join(p.name for p in PARTS))
    options = parser.parse_args()
    if unknown := set(options.parts) - {part.name for part in PARTS}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    chosen = [part for part in PARTS if not options.parts or part.name in options.parts]
    lines, left_out, is_kept = [], [], True
    for number, part in enumerate(chosen, start=1):
        missing = [name for name in part.needs if not (options.traces / name).exists()]
        if missing:
            left_out.append(f"{part.name}: {options.traces / missing[0]} is not there")
            continue
        print(f"\n[{number}/{len(chosen)}] {part.name}", flush=True)
        for line, kept in _measured(part, options.traces, quick=options.quick):
            lines.append(line)
            is_kept &= kept
    print(f"\n{'promise':<58}{'measured':>12}{'limit':>14}\n" + "\n".join(lines))
    for reason in left_out:
        print(f"left out   {reason}")
    print(f"figures in {RESULTS}")
    return int(not is_kept)


def _measured(part: Part, traces: Path, *, quick: bool) -> Iterator[tuple[str, bool]]:
    """Run one part and yield its lines."""
    path = part.json(quick=quick)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    given = (*part.arguments, *(part.quick if quick else ()))
    arguments = [text.format(traces=traces, json=path) for text in given]
    print(f"$ python -m {' '.join(arguments)}", flush=True)
    begun = monotonic()
    code = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=REPOSITORY, check=False
    ).returncode
    print(f"took {monotonic() - begun:.0f} s, status {code}", flush=True)
    if quick or not part.promises:
        is_there = path.exists() if quick and "{json}" in given else code == 0
        word = "runs" if quick else "kept"
        yield f"{part.name:<84}  {word if is_there else 'MISSED'}", is_there
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        yield from [promise.line(found) for promise in part.promises]
    except (OSError, ValueError, LookupError, TypeError) as error:
        yield f"{part.name:<84}  MISSED (status {code}, {type(error).__name__})", False


if __name__ == "__main__":
    sys.exit(main())
