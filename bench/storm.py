"""`python -m bench.storm`: what a storm of submissions costs, over every process of the platform.

Eight clients submit jobs over HTTP as fast as they are answered, or at a steady rate, each with a key
of its own, while the scheduler places and the agents of four nodes run them. CPU seconds are of the
processes' own counters, so they may be compared beside other work; seconds may not.
"""

import argparse
import asyncio
import json
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any, Final

import aiohttp
import psutil

from bench.figures import p95
from bench.visitor import JOB, issue_token
from deploy.onebox.options import REPOSITORY
from tests import launcher
from tests.launcher import Launched

RESULT: Final = REPOSITORY / "var" / "bench" / "storm.json"
CLIENTS: Final = 8
PER_TOKEN_MAX: Final = 1000
"""Submissions of one user a minute; more are refused as too many."""
BUDGET_MS: Final = 20.0
"""CPU of one job over all processes: 100 a second on two cores."""
PARTS: Final = {
    "gunicorn": "web",
    "portal.config.live": "live",
    "-Q scheduler": "scheduler",
    "-Q maintenance": "worker",
    "celery": "beat",
    "postgres": "PostgreSQL",
    "redis": "Redis",
    "nodeagent": "agents",
}
"""Part of a command line, and the process that it is of; the first that is found counts."""


@dataclass(frozen=True, slots=True)
class StormFigures:
    """What one storm measured."""

    submitted: int
    answers: Mapping[str, int]
    per_s: float
    p50_ms: float
    p95_ms: float
    cpu_ms: Mapping[str, float]
    """CPU of one job, by process, from the first submission until all that fits has been started."""
    together_ms: float


def main() -> int:
    """Start a platform, storm it, print; 1 when a promise is not kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the platform is stopped then too
    parser = argparse.ArgumentParser(prog="python -m bench.storm")
    parser.add_argument("--jobs", type=int, default=1500)
    parser.add_argument("--rate", type=float, default=0.0, help="a second; 0 is as fast as can be")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    with launcher.running(
        "storm", "--runtime", "process", "--nodes", str(options.nodes)
    ) as launched:
        figures = asyncio.run(_storm(launched, options.jobs, options.rate))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(asdict(figures), indent=2) + "\n", encoding="utf-8")
    print(describe(figures))
    return int(figures.together_ms > BUDGET_MS or set(figures.answers) != {"202"})


async def _storm(launched: Launched, jobs: int, rate: float) -> StormFigures:
    submitters = await Submitters.sign_in(launched.demo, jobs + CLIENTS)
    return await storm(launched, submitters, jobs, rate=rate)


def describe(figures: StormFigures) -> str:
    """Return the figures for a terminal."""
    answers = ", ".join(f"{count} x {code}" for code, count in figures.answers.items())
    each = ", ".join(f"{name} {ms:.1f}" for name, ms in figures.cpu_ms.items())
    return (
        f"storm      {figures.submitted:,} jobs, {answers}: {figures.per_s:.1f}/s,"
        f" p50 {figures.p50_ms:.0f} ms, p95 {figures.p95_ms:.0f} ms\n"
        f"CPU ms     {each}; together {figures.together_ms:.1f} (at most {BUDGET_MS:.0f})"
    )


class Submitters:
    """Developers with a token each, used one after the other: one may submit only so much a minute."""

    def __init__(self, tokens: Sequence[str]) -> None:
        """Begin with the first."""
        self._tokens = tokens
        self._numbers = count()

    @classmethod
    async def sign_in(cls, demo: Any, submissions: int) -> "Submitters":
        """Return developers enough for so many submissions."""
        people = -(-submissions // PER_TOKEN_MAX)
        return cls([await issue_token(demo, number, "storm") for number in range(people)])

    def next_submission(self) -> tuple[int, str]:
        """Return the number of the next submission, and the token for it."""
        number = next(self._numbers)
        return number, self._tokens[number // PER_TOKEN_MAX]


async def storm(
    launched: Launched,
    submitters: Submitters,
    jobs: int,
    *,
    rate: float = 0.0,
    clients: int = CLIENTS,
) -> StormFigures:
    """Submit so many jobs and return what it took; as many as there are clients go before."""
    async with aiohttp.ClientSession() as http:
        early = _Submissions(launched.url, submitters, clients, 0.0)
        await asyncio.gather(*(early.run(http) for _ in range(clients)))
        submissions = _Submissions(launched.url, submitters, jobs, rate)
        before, begun = spent(launched), monotonic()
        await asyncio.gather(*(submissions.run(http) for _ in range(clients)))
        seconds = monotonic() - begun
        after = spent(launched)
    took = submissions.took_ms
    cpu_ms = {
        name: round((after[name] - before.get(name, 0.0)) * 1000 / jobs, 2)
        for name in sorted(after, key=lambda name: before.get(name, 0.0) - after[name])
    }
    return StormFigures(
        submitted=jobs,
        answers=dict(submissions.answers),
        per_s=round(jobs / seconds, 1),
        p50_ms=round(median(took), 1),
        p95_ms=round(p95(took), 1),
        cpu_ms=cpu_ms,
        together_ms=round(sum(cpu_ms.values()), 2),
    )


class _Submissions:
    """What is left to submit, and what was answered."""

    def __init__(self, url: str, submitters: Submitters, jobs: int, rate: float) -> None:
        self.answers: Counter[str] = Counter()
        self.took_ms: list[float] = []
        self._url = f"{url}/api/v1/jobs"
        self._submitters = submitters
        self._left: Iterator[int] = iter(range(jobs))
        self._rate = rate
        self._begun = monotonic()

    async def run(self, http: aiohttp.ClientSession) -> None:
        """Be one client: submit until nothing is left, each when it is due."""
        for turn in self._left:
            if self._rate and (early := self._begun + turn / self._rate - monotonic()) > 0:
                await asyncio.sleep(early)
            begun = monotonic()
            status = await self._submit(http)
            self.took_ms.append((monotonic() - begun) * 1000)
            self.answers[str(status)] += 1

    async def _submit(self, http: aiohttp.ClientSession) -> int:
        number, token = self._submitters.next_submission()
        body = {**JOB, "name": f"storm {number}", "command": ["true"], "cpu_milli": 100}
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": f"storm-{number}"}
        async with http.post(self._url, json=body, headers=headers) as answer:
            await answer.read()
            return answer.status


def spent(launched: Launched) -> dict[str, float]:
    """Return the CPU seconds of each part of the platform so far, ended sessions included."""
    found: Counter[str] = Counter()
    for process in launched.family():
        with suppress(psutil.NoSuchProcess):
            line = " ".join(process.cmdline()) or process.name()
            name = next((part for text, part in PARTS.items() if text in line), None)
            if name is None:
                continue
            times = process.cpu_times()
            found[name] += times.user + times.system
            if name == "PostgreSQL":
                found[name] += times.children_user + times.children_system
    return dict(found)


if __name__ == "__main__":
    sys.exit(main())
