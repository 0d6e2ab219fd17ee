"""`python -m bench.job_arrays`: one job array of ten thousand tasks, from the request to its end.

Requests go through the whole REST stack on PostgreSQL with durable commits; a pass is the
scheduler's real one on a site whose GPUs are all taken.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from bench.site import prepared

TASKS: Final = 10_000
SCRIPT_BYTES: Final = 2_000
SUBMIT_S_MAX: Final = 2.0
PASS_S_MAX: Final = 1.0
ROUNDS: Final = 3
RESULT: Final = Path("var/bench/job_arrays.json")


@dataclass(frozen=True, slots=True)
class ArrayFigures:
    """Seconds of each step; the median of three arrays."""

    tasks: int
    submit_s: float
    first_pass_s: float
    """Reads every task for the first time."""
    next_pass_s: float
    list_s: float
    """One page of jobs, the array as one row with its counts."""
    hold_s: float
    held_pass_s: float
    release_s: float
    cancel_s: float


def main() -> int:
    """Measure, print, write; 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m bench.job_arrays")
    parser.add_argument("--tasks", type=int, default=TASKS)
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    with prepared():
        client, body = _a_full_site(options.tasks)
        rounds = [_one_array(client, body) for _ in range(ROUNDS)]
    figures = ArrayFigures(
        options.tasks,
        **{name: sorted(found[name] for found in rounds)[ROUNDS // 2] for name in rounds[0]},
    )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(asdict(figures), indent=2) + "\n", encoding="utf-8")
    print(
        f"{figures.tasks:,} tasks: submitted in {figures.submit_s:.2f} s"
        f" (at most {SUBMIT_S_MAX:.1f}); a pass {figures.first_pass_s:.2f} s, the next"
        f" {figures.next_pass_s:.2f} s (at most {PASS_S_MAX:.1f}), held {figures.held_pass_s:.2f} s;"
        f" list {figures.list_s * 1000:.0f} ms; hold {figures.hold_s:.2f} s, release"
        f" {figures.release_s:.2f} s, cancel {figures.cancel_s:.2f} s"
    )
    return int(figures.submit_s > SUBMIT_S_MAX or figures.next_pass_s > PASS_S_MAX)


def _a_full_site(tasks: int) -> tuple[Any, dict[str, Any]]:
    """Write a pool whose GPUs are all taken; return a client and the array that it submits."""
    from scheduler.runtime.loop import run_once  # noqa: PLC0415 - after `prepared`
    from tests.builders.machines import a_node, a_pool, an_image  # noqa: PLC0415
    from tests.builders.people import a_group, a_member  # noqa: PLC0415
    from tests.builders.workloads import a_workload  # noqa: PLC0415
    from tests.rest import browser  # noqa: PLC0415

    pool, group = a_pool(), a_group()
    owner = a_member(group)
    an_image("python")
    for _ in range(20):
        a_node(pool, cpu_milli=256_000)
    for _ in range(20):
        a_workload(owner, group, pool, gpus=8)
    run_once()
    client = browser(owner)
    client.defaults["HTTP_HOST"] = "127.0.0.1"
    return client, {
        "name": "sweep",
        "group": str(group.pk),
        "pool": pool.name,
        "image": "python",
        "script": "#" * SCRIPT_BYTES,
        "gpus": 1,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "array": f"0-{tasks - 1}%50",
    }


def _one_array(client: Any, body: dict[str, Any]) -> dict[str, float]:
    from scheduler.runtime.loop import run_once  # noqa: PLC0415

    submit_s, answer = _timed(lambda: client.post("/api/v1/job-arrays", body, format="json"))
    if answer.status_code != 202:
        raise RuntimeError(answer.json())
    address = answer["Location"]

    def act(verb: str) -> float:
        seconds, response = _timed(lambda: client.post(f"{address}/{verb}", {}, format="json"))
        if response.status_code != 202:
            raise RuntimeError(response.json())
        return seconds

    first_pass_s, _ = _timed(run_once)
    next_pass_s, _ = _timed(run_once)
    list_s, _ = _timed(lambda: client.get("/api/v1/jobs?collapsed=true"))
    hold_s = act("hold")
    run_once()
    held_pass_s, _ = _timed(run_once)
    return {
        "submit_s": submit_s,
        "first_pass_s": first_pass_s,
        "next_pass_s": next_pass_s,
        "list_s": list_s,
        "hold_s": hold_s,
        "held_pass_s": held_pass_s,
        "release_s": act("release"),
        "cancel_s": act("cancel"),
    }


def _timed(act: Callable[[], Any]) -> tuple[float, Any]:
    begun = perf_counter()
    found = act()
    return perf_counter() - begun, found


if __name__ == "__main__":
    sys.exit(main())
