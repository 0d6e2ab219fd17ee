"""What people and pipelines do all the time: jobs, notebooks, sign-ins."""

import asyncio
import math
import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, Final
from urllib.error import URLError

import aiohttp

from bench.visitor import RefusedError as VisitorRefusedError
from bench.visitor import issue_token, signed_in
from tests.integration.pipeline import AwayError, Pipeline, RefusedError

ANSWERED_WITHIN_S: Final = 120
"""A submission that has no answer by then, however often it was repeated, counts as not healed."""
RETRY_S: Final = 0.5
PER_SUBMITTER: Final = 3.0
"""Jobs a second of one developer; their limit is 1,200 in a minute."""
CANCELLED_PCT: Final = 10
BACKLOG_MAX: Final = 300
"""With more in the queue, the machine runs less than is submitted: what comes is cancelled until it keeps up."""
SCRIPT: Final = """#!/bin/sh
echo "$$" >> "$BERTH_OUTPUT_DIR/starts"
sleep {seconds}
"""


@dataclass
class Ledger:
    """What the platform has acknowledged, and what it has refused; shared by all threads."""

    jobs: dict[str, str] = field(default_factory=dict)
    """Job by the key with which it was submitted, which is its name as well."""
    latencies: list[float] = field(default_factory=list)
    """Seconds until the answer, of submissions that needed one attempt, in order of the answers."""
    counts: Counter[str] = field(default_factory=Counter)
    backlog: int = 0
    """Jobs in the queue, as of a moment ago."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, what: str) -> None:
        """Count one more."""
        with self.lock:
            self.counts[what] += 1


class Churn:
    """Threads that use the platform until they are ended."""

    def __init__(self, demo: Any, ledger: Ledger, rate: float) -> None:
        """Prepare them; `rate` is jobs a second of all submitters together."""
        self._demo, self._ledger = demo, ledger
        submitters = math.ceil(rate / PER_SUBMITTER)
        self._pause_s = submitters / rate
        self._ending = threading.Event()
        acts: list[Callable[[], None]] = [self._use_notebooks, self._sign_in]
        for number in range(submitters):
            pipeline = Pipeline(demo["url"], asyncio.run(issue_token(demo, number, "soak")))
            acts.append(partial(self._submit_jobs, pipeline, number))
        self._threads = [threading.Thread(target=act, daemon=True) for act in acts]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop, after what is under way."""
        self._ending.set()
        for thread in self._threads:
            thread.join(2 * ANSWERED_WITHIN_S)

    def _submit_jobs(self, pipeline: Pipeline, submitter: int) -> None:
        number, due = 0, monotonic()
        while not self._ending.wait(max(0.0, due - monotonic())):
            due += self._pause_s
            key, number = f"soak-{submitter}-{number:06}", number + 1
            self._submit(pipeline, key)
            is_behind = self._ledger.backlog > BACKLOG_MAX
            is_cancelled = is_behind or random.randrange(100) < CANCELLED_PCT
            if is_cancelled and key in self._ledger.jobs:
                self._try(partial(pipeline.cancel, self._ledger.jobs[key]))

    def _submit(self, pipeline: Pipeline, key: str) -> None:
        began, attempts = monotonic(), 0
        script = SCRIPT.format(seconds=random.choice((0, 0.2, 1, 5)))
        while monotonic() - began < ANSWERED_WITHIN_S:
            attempts += 1
            sent = monotonic()
            try:
                job = pipeline.submit(script, key, name=key, gpus=0, cpu_milli=100)
            except (AwayError, RefusedError) as refusal:
                self._ledger.count(f"submission: {_what(refusal)}")
                threading.Event().wait(RETRY_S)
                continue
            with self._ledger.lock:
                self._ledger.jobs[key] = job
                self._ledger.counts["accepted"] += 1
                if attempts == 1:
                    self._ledger.latencies.append(monotonic() - sent)
            return
        self._ledger.count("not healed")

    def _use_notebooks(self) -> None:
        number = 0
        while not self._ending.wait(1):
            number += 1
            self._try(partial(self._use_notebook, f"soak-notebook-{number}"))

    def _use_notebook(self, name: str) -> None:
        asyncio.run(self._open_notebook(name))

    async def _open_notebook(self, name: str) -> None:
        async with signed_in(self._demo, 0) as owner:
            listed = await owner.call("GET", "/api/v1/environments?owner=me&active=true")
            for left in listed["results"]:  # by a try that a kill has ended
                await owner.remove_notebook(left["id"])
            notebook = await owner.ready_notebook(name)
            self._ledger.count("notebooks opened")
            await owner.remove_notebook(notebook)

    def _sign_in(self) -> None:
        while not self._ending.wait(2):
            self._try(lambda: asyncio.run(self._look_around()))

    async def _look_around(self) -> None:
        async with signed_in(self._demo, random.randrange(4)) as visitor:
            for path in ("/api/v1/me", "/api/v1/workloads?page_size=50", "/api/v1/nodes"):
                await visitor.call("GET", path)
        self._ledger.count("people signed in")

    def _try(self, act: Callable[[], object]) -> bool:
        """Do something that may fail while a process is away; return whether it was done."""
        try:
            act()
        except (AwayError, RefusedError, VisitorRefusedError, aiohttp.ClientError) as error:
            self._ledger.count(f"{type(error).__name__}")
        except (TimeoutError, URLError, OSError, KeyError):
            self._ledger.count("no answer")
        else:
            return True
        return False


def _what(refusal: AwayError | RefusedError) -> str:
    """Return the status or the code of a refusal, or that there was no answer."""
    if isinstance(refusal, RefusedError):
        return refusal.code
    return str(refusal.args[0]) if isinstance(refusal.args[0], int) else "no answer"
