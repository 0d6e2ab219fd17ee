"""`make bench`: what the platform costs, beside the bare floor, in one run on one machine.

Both sides are measured in turns, so that other load on the machine affects both equally.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Final

from bench import history, kernel
from bench.figures import Figure, bounded, extra, ratio, table, write_json
from bench.floor import Floor
from bench.slurm import SlurmFigures, measure_sbatch
from bench.storm import BUDGET_MS, CLIENTS, Submitters, storm
from bench.visitor import Visitor, signed_in
from deploy.onebox.options import REPOSITORY
from tests import launcher
from tests.launcher import Launched

RESULT: Final = REPOSITORY / "var" / "bench.json"
NOTEBOOK_RATIO_MAX: Final = 1.25
JOB_EXTRA_S_MAX: Final = 2.0
LIST_MS_MAX: Final = 100.0
KERNEL_RATIO_MAX: Final = 1.15
SUBMISSION_MS_MAX: Final = 10.0
"""Of each in a storm of eight clients: a hundred a second."""
STEADY_PER_S: Final = 50.0
STEADY_MS_MAX: Final = 100.0
"""95th percentile of the answers at that rate."""
ALONE_MS_MAX: Final = 30.0
STORM, STEADY, ALONE = 1000, 500, 100
"""Submissions of each kind."""
PAST_WORKLOADS: Final = 100_000
MANY: Final = 8


def main() -> int:
    """Start a platform, measure, print; 1 when a promise is not kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the platform is stopped then too
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--rounds", type=int, default=5, help="starts of each kind (5)")
    rounds: int = parser.parse_args().rounds
    sbatch = measure_sbatch()
    with launcher.running("bench", "--runtime", "process") as launched:
        figures = asyncio.run(_measure(launched, rounds))
        figures += asyncio.run(_submissions(launched, sbatch))
    write_json(figures, RESULT)
    print(f"\n{table(figures)}\n\nalso in {RESULT}")
    return int(not all(figure.is_met for figure in figures))


async def _measure(launched: Launched, rounds: int) -> list[Figure]:
    data_dir = launched.data_dir
    floor = Floor(data_dir / "floor")
    demo = launched.demo
    async with signed_in(demo, 0) as visitor, signed_in(demo, 1) as colleague:
        # One user may not have eight notebooks: two people start four each.
        people = (visitor, colleague)
        return [
            await _notebooks(floor, people, 1, rounds),
            await _notebooks(floor, people, MANY, max(1, rounds // 2)),
            await _jobs(floor, visitor, rounds * 4),
            await _kernel(data_dir, visitor),
            await _list(data_dir, visitor),
        ]


async def _notebooks(floor: Floor, people: Sequence[Visitor], count: int, rounds: int) -> Figure:
    """Submit → HTTP-ready through the gateway, against the same JupyterLab started bare."""
    bare, ours = [], []
    for number in range(rounds):
        bare.append(await floor.seconds_to_ready_notebooks(count))
        started = monotonic()
        owners = [people[each % len(people)] for each in range(count)]
        starts = (owner.ready_notebook(f"{number}-{i}") for i, owner in enumerate(owners))
        made = await asyncio.gather(*starts)
        ours.append(monotonic() - started)
        ends = (owner.remove_notebook(made[i]) for i, owner in enumerate(owners))
        await asyncio.gather(*ends)
    return ratio(f"{count} notebook(s), submit to ready", "s", bare, ours, NOTEBOOK_RATIO_MAX)


async def _jobs(floor: Floor, visitor: Visitor, rounds: int) -> Figure:
    bare, ours = [], []
    for number in range(rounds):
        bare.append(await floor.seconds_to_running_job())
        ours.append(await visitor.seconds_to_running_job(f"bench {number}"))
    return extra("job, submit to running, p95", "s", bare, ours, JOB_EXTRA_S_MAX)


async def _kernel(data_dir: Path, visitor: Visitor, count: int = 400) -> Figure:
    notebook = await visitor.ready_notebook("bench kernel")
    endpoint = kernel.find_endpoint(data_dir, notebook)
    direct, through = await kernel.compare(visitor.http, endpoint, visitor.apps_url, count)
    await visitor.remove_notebook(notebook)
    return ratio("kernel round trip through the gateway", "ms", direct, through, KERNEL_RATIO_MAX)


async def _submissions(launched: Launched, sbatch: SlurmFigures | None) -> list[Figure]:
    """Submissions by themselves, at a steady rate and as a storm; beside Slurm's where it is there."""
    clients = 2 * CLIENTS + 1
    submitters = await Submitters.sign_in(launched.demo, STORM + STEADY + ALONE + clients)
    alone = await storm(launched, submitters, ALONE, rate=5.0, clients=1)
    steady = await storm(launched, submitters, STEADY, rate=STEADY_PER_S)
    rush = await storm(launched, submitters, STORM)
    each_ms = 1000 / rush.per_s
    slurm_alone = None if sbatch is None else sbatch.alone_p95_ms
    slurm_each = None if sbatch is None else 1000 / sbatch.eight_clients_per_s
    return [
        Figure(
            "submission alone, p95; sbatch", "ms", slurm_alone, *_twice(alone.p95_ms), ALONE_MS_MAX
        ),
        Figure("submission, 50 a second, p95", "ms", None, *_twice(steady.p95_ms), STEADY_MS_MAX),
        Figure("8 clients, each; sbatch", "ms", slurm_each, *_twice(each_ms), SUBMISSION_MS_MAX),
        Figure("the same, CPU of all parts", "ms", None, *_twice(rush.together_ms), BUDGET_MS),
    ]


def _twice(value: float) -> tuple[float, float]:
    """Return what was measured as the verdict, too."""
    return value, value


async def _list(data_dir: Path, visitor: Visitor, requests: int = 100) -> Figure:
    jobs = await visitor.call("GET", "/api/v1/jobs?page_size=1&state=cancelled")
    history.multiply(data_dir, jobs["results"][0]["id"], PAST_WORKLOADS)
    took = []
    for _ in range(requests):
        started = monotonic()
        await visitor.call("GET", "/api/v1/workloads?page_size=50")
        took.append((monotonic() - started) * 1000)
    return bounded(f"list of 50 among {PAST_WORKLOADS:,}, p95", "ms", took, LIST_MS_MAX)


if __name__ == "__main__":
    sys.exit(main())
