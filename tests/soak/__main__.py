"""`make soak MINUTES=60`: churn on two of everything behind a proxy, with random kills of every part.

Jobs, notebooks and people come and go, agents report and send telemetry. Every few seconds one part is
killed and started again: web, live, schedulers, worker, beat, agents, Redis, PostgreSQL. At the end
every acknowledged submission must have ended once. Exit status 1 when one was lost or doubled, when a
5xx was not healed by repeating the request with its key, or when memory, descriptors, connections or
the latency of submissions grow.
"""

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import threading
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final

import psycopg

from deploy.onebox.options import SEEDED_NODES
from tests.integration.doubled import PAIRS, DoubledPlatform
from tests.integration.pipeline import ENDED
from tests.integration.platform import READY_S, SLOWLY_S
from tests.integration.scripts import starts
from tests.soak.churn import Churn, Ledger
from tests.soak.sampler import Sampler, quarters
from tests.waiting import wait_until

VICTIMS: Final = (
    *(f"{name}-{number}" for name in PAIRS for number in (1, 2)),
    *("worker", "beat", "redis", "postgres"),
    *SEEDED_NODES,
)
DOWN_S: Final = (0.2, 3.0)
"""Least and most seconds that a killed part stays away."""
SAMPLE_S: Final = 5
ENDED_S: Final = 600
"""What still runs or waits when nothing is submitted any more has ended by then."""
LATENCY_TIMES_MAX, LATENCY_GROWTH_S = 2.0, 0.1
"""Submissions grow slower when the median of the last quarter is above the second one by both."""


def main() -> int:
    """Run the soak and print what was found."""
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="berth-soak-"))
    folder.chmod(0o755)
    platform = DoubledPlatform(folder)
    try:
        platform.start()
        return _soak(platform, options)
    finally:
        platform.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=16, help="jobs submitted a second")
    parser.add_argument("--kill-every", type=float, default=8.5, help="seconds, on average")
    return parser.parse_args()


def _soak(platform: DoubledPlatform, options: argparse.Namespace) -> int:
    ledger, sampler = Ledger(), Sampler(platform)
    demo = {**platform.demo, "url": platform.url, "apps_url": platform.options.apps_url}
    churn = Churn(demo, ledger, options.rate)
    began, kills = monotonic(), Counter[str]()
    churn.start()
    next_kill = began + random.uniform(0, 2 * options.kill_every)
    next_sample = began
    while monotonic() < began + 60 * options.minutes:
        threading.Event().wait(max(0.0, min(next_kill, next_sample) - monotonic()))
        # What was started before its predecessor was gone, such as PostgreSQL, has ended again.
        for name in platform.ended():
            platform.restart(name)
        if monotonic() >= next_sample:
            next_sample = monotonic() + SAMPLE_S
            sampler.take()
            ledger.backlog = _count_queued(platform, ledger.backlog)
            _say_progress(monotonic() - began, ledger, kills)
        if monotonic() >= next_kill:
            victim = random.choice(VICTIMS)
            kills[victim] += 1
            platform.kill(victim)
            threading.Event().wait(random.uniform(*DOWN_S))
            platform.restart(victim)
            next_kill += random.uniform(0, 2 * options.kill_every)
    churn.end()
    wait_until(platform.pipeline.answers, within_s=READY_S, every_s=SLOWLY_S)
    return _judge(platform, ledger, sampler, kills)


def _count_queued(platform: DoubledPlatform, before: int) -> int:
    """Return how many jobs wait; the count before that while PostgreSQL is away."""
    with suppress(psycopg.Error), psycopg.connect(platform.stores.database_url) as database:
        found = database.execute(f"{_JOBS} AND state = 'queued'")
        return len(found.fetchall())
    return before


def _say_progress(seconds: float, ledger: Ledger, kills: Counter[str]) -> None:
    if int(seconds) % 60 < SAMPLE_S:
        print(f"{seconds:6.0f} s  {dict(ledger.counts)}  {kills.total()} kills", flush=True)


def _judge(platform: DoubledPlatform, ledger: Ledger, sampler: Sampler, kills: Counter[str]) -> int:
    """Compare what was acknowledged with what became of it, and print the figures."""
    with psycopg.connect(platform.stores.database_url, autocommit=True) as database:
        with suppress(AssertionError):  # what has not ended is counted below
            wait_until(partial(_all_ended, database), within_s=ENDED_S, every_s=SLOWLY_S)
        rows = database.execute(_JOBS).fetchall()
    found = {str(job): (name, state, epoch) for job, name, state, epoch in rows}
    lost, doubled, outcomes = [], [], Counter[str]()
    for key, job in ledger.jobs.items():
        name, state, epoch = found.get(job, ("", "lost", 0))
        outcomes[state] += 1
        ran = starts(platform.outputs(job))
        if name != key or state not in ENDED or (state == "succeeded" and not ran):
            lost.append(key)
        if ran > epoch:
            doubled.append(key)
    named = Counter(name for name, _, _ in found.values())
    doubled += [name for name, count in named.items() if count > 1]
    platform.audit()
    growing, not_healed = sampler.growing() + _slower(ledger.latencies), ledger.counts["not healed"]
    print(*sampler.lines(), sep="\n")
    print("\nkills:", kills.total(), dict(sorted(kills.items())))
    print("answers:", dict(ledger.counts))
    print("jobs:", len(ledger.jobs), dict(outcomes))
    print(*_latency_lines(ledger.latencies), sep="\n")
    print(f"lost: {len(lost)} {lost[:5]}  doubled: {len(doubled)} {doubled[:5]}")
    print(f"5xx or silence not healed by a retry: {not_healed}")
    print("growing:", "; ".join(growing) or "nothing", flush=True)
    return int(bool(lost or doubled or growing or not_healed))


_JOBS: Final = """
SELECT id, name, state, epoch FROM workloads_workload WHERE kind = 'training' AND name LIKE 'soak-%'
"""


def _all_ended(database: psycopg.Connection[Any]) -> bool:
    """Tell whether no job of the soak is left in the queue or on a node."""
    return all(state in ENDED for _, _, state, _ in database.execute(_JOBS).fetchall())


def _slower(latencies: list[float]) -> list[str]:
    """Return the growth of the latency of submissions, in words; nothing when it is flat."""
    early, late = quarters(latencies)
    if late > LATENCY_TIMES_MAX * early and late - early > LATENCY_GROWTH_S:
        return [f"latency of submissions {early * 1000:.0f} → {late * 1000:.0f} ms"]
    return []


def _latency_lines(latencies: list[float]) -> list[str]:
    """Return the latency of submissions in each half of the run."""
    found, half = [], len(latencies) // 2
    for name, part in (("first half", latencies[:half]), ("second half", latencies[half:])):
        if len(part) > 1:
            cuts = statistics.quantiles(part, n=20)
            found.append(
                f"submission, {name}: p50 {cuts[9] * 1000:.0f} ms, p95 {cuts[18] * 1000:.0f} ms"
            )
    return found


if __name__ == "__main__":
    sys.exit(main())
