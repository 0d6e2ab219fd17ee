"""`make bench-scheduler`: what the engine promises, measured one after the other, in one table.

    python -m bench.scheduler                        everything; traces from ../shared/traces
    python -m bench.scheduler --traces DIR packing   one part
    python -m bench.scheduler --quick                every part on a fraction of its input: does it run?

Exit 1 if a promise was missed, or a quick part did not run.
"""

import sys
from collections.abc import Callable
from typing import Any, Final

from bench.promises import Found, Part, Promise, run_parts

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
                "throughput: Kueue's generator, s (Kueue 351, aim 80)",
                lambda f: float(f["seconds"]),
                120,
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
    return run_parts("bench.scheduler", PARTS)


if __name__ == "__main__":
    sys.exit(main())
