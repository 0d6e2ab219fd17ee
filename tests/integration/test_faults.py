"""Faults on real parts: what is killed, flushed, cut or frozen loses nothing and doubles nothing.

No cheaper test can show this: the promises here are kept by several real processes together.
"""

import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any, Final

import pytest
from redis import Redis

from deploy.onebox.supervisor import ManagedProcess
from tests.integration.pipeline import AwayError
from tests.integration.platform import READY_S, SLOWLY_S, Platform
from tests.integration.scripts import BEATS, ONCE, beats, lives, starts
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]

READ_ONLY_S: Final = float(os.environ.get("BERTH_TEST_READ_ONLY_S", "15"))
"""How long PostgreSQL takes no writes; a minute is promised."""
QUOTA_CARDS = 6
"""Of the group `vision` in the seeded organisation."""


def test_64_submissions_at_once_run_exactly_the_quota(platform: Platform) -> None:
    pipeline = platform.pipeline
    with ThreadPoolExecutor(64) as clients:
        jobs = list(clients.map(lambda _: pipeline.submit(BEATS), range(64)))

    def states() -> Counter[str]:
        found = pipeline.get("/jobs?active=true&page_size=200")["results"]
        return Counter(job["state"] for job in found if job["id"] in jobs)

    wait_until(lambda: states()["running"] == QUOTA_CARDS, within_s=120, every_s=SLOWLY_S)
    wait_until(lambda: _waiting_reasons(platform, jobs) == {"quota_ceiling"}, every_s=SLOWLY_S)
    wait_until(lambda: _alive(platform, jobs) == QUOTA_CARDS)

    assert states() == {"running": QUOTA_CARDS, "queued": 64 - QUOTA_CARDS}
    assert _alive(platform, jobs) == QUOTA_CARDS
    platform.audit()
    with ThreadPoolExecutor(16) as clients:
        list(clients.map(pipeline.cancel, jobs))
    pipeline.clear(jobs)


def test_two_more_schedulers_start_nothing_twice(platform: Platform) -> None:
    loop = [sys.executable, "manage.py", "run_scheduler", "--tick", "0.05"]
    names = ("second-scheduler", "third-scheduler")
    for name in names:
        platform.spawn(ManagedProcess(name, loop))

    jobs = [platform.pipeline.submit(ONCE) for _ in range(12)]
    for job in jobs:
        platform.pipeline.wait_for(job, "succeeded")

    for name in names:
        platform.kill(name)
    assert [starts(platform.outputs(job)) for job in jobs] == [1] * len(jobs)
    assert {platform.pipeline.job(job)["epoch"] for job in jobs} == {1}


def test_killed_agent_neither_stops_nor_repeats_its_work(platform: Platform) -> None:
    job = platform.pipeline.submit(BEATS)
    platform.pipeline.wait_for(job, "running")
    node = _node_of(platform, job)
    outputs = platform.outputs(job)

    for _ in range(2):
        platform.kill(node)
        _wait_for_beats(outputs, 5)
        platform.restart(node)
        wait_until(lambda: node in platform.ready_nodes(), within_s=120, every_s=SLOWLY_S)
        _wait_for_beats(outputs, 5)

    assert len(lives(outputs)) == 1
    found = platform.pipeline.job(job)
    assert (found["state"], found["epoch"]) == ("running", 1)
    platform.pipeline.clear([job])
    assert _has_stopped(outputs)


def test_flushed_redis_loses_nothing(platform: Platform) -> None:
    before = [platform.pipeline.submit(ONCE) for _ in range(8)]
    with Redis.from_url(platform.stores.redis_url) as redis:
        redis.flushall()
    after = [platform.pipeline.submit(ONCE) for _ in range(2)]
    with Redis.from_url(platform.stores.redis_url) as redis:
        redis.flushall()

    for job in before + after:
        platform.pipeline.wait_for(job, "succeeded")
    assert [starts(platform.outputs(job)) for job in before + after] == [1] * 10


def test_killed_redis_stops_no_work_and_refuses_no_submission(platform: Platform) -> None:
    running = platform.pipeline.submit(BEATS)
    platform.pipeline.wait_for(running, "running")

    platform.kill("redis")
    submitted = platform.pipeline.submit(ONCE)
    _wait_for_beats(platform.outputs(running), 20)
    platform.restart("redis")

    platform.pipeline.wait_for(submitted, "succeeded")
    assert len(lives(platform.outputs(running))) == 1
    assert platform.pipeline.job(running)["state"] == "running"
    platform.pipeline.clear([running])


def test_postgresql_that_restarts_and_is_read_only_for_a_while_loses_nothing(
    platform: Platform,
) -> None:
    pipeline = platform.pipeline
    running = pipeline.submit(BEATS)
    pipeline.wait_for(running, "running")
    platform.kill("postgres")
    platform.restart_postgres()
    platform.set_read_only(is_on=True)
    until = monotonic() + READ_ONLY_S
    while monotonic() < until:
        with pytest.raises(AwayError):
            pipeline.submit(ONCE, "while it is read-only")
        threading.Event().wait(1)
    platform.set_read_only(is_on=False)

    job = ""

    def is_accepted() -> bool:
        nonlocal job
        with suppress(AwayError):
            job = pipeline.submit(ONCE, "while it is read-only")
        return bool(job)

    wait_until(is_accepted, within_s=READY_S, every_s=SLOWLY_S)
    assert pipeline.wait_for(job, "succeeded")["epoch"] == 1
    assert starts(platform.outputs(job)) == 1
    assert pipeline.job(running)["epoch"] == 1
    assert len(lives(platform.outputs(running))) == 1
    platform.audit()
    pipeline.clear([running])


def test_work_beyond_its_lease_moves_and_never_runs_twice(platform: Platform) -> None:
    """One node loses its cable, the agent of another one is frozen; both hold work."""
    moves = {"silence": "replace"}
    cut_off = platform.pipeline.submit(BEATS, **moves)
    frozen = platform.pipeline.submit(BEATS, pool="development", gpus=0, slices=2, **moves)
    platform.pipeline.wait_for(cut_off, "running")
    platform.pipeline.wait_for(frozen, "running")
    first_homes = {job: _node_of(platform, job) for job in (cut_off, frozen)}

    with _unheard(platform, cut_off=first_homes[cut_off], frozen=first_homes[frozen]):
        for job in (cut_off, frozen):
            _wait_for_another_home(platform, job, first_homes[job])
    wait_until(lambda: len(platform.ready_nodes()) == 4, within_s=120, every_s=SLOWLY_S)

    for job in (cut_off, frozen):
        _wait_for_beats(platform.outputs(job), 20)
        signs = lives(platform.outputs(job))
        assert len(signs) == 2
        assert all(earlier[1] < later[0] for earlier, later in pairwise(signs)), signs
        assert platform.pipeline.job(job)["epoch"] == 2
    platform.pipeline.clear([cut_off, frozen])


def test_killed_web_never_doubles_a_submission(platform: Platform) -> None:
    """A client that heard nothing asks again with the same key, and there is one job."""
    keys = [f"pipeline-{round_}-{number}" for round_ in range(3) for number in range(8)]
    jobs: list[str] = []
    with ThreadPoolExecutor(8) as clients:
        for round_ in range(3):
            asked = [
                clients.submit(_submit_until_answered, platform, key)
                for key in keys[round_ * 8 : round_ * 8 + 8]
            ]
            threading.Event().wait(0.1 * (round_ + 1))
            platform.kill("web")
            platform.restart("web")
            jobs += [answer.result() for answer in asked]
    # The last one killed may have answered them all before.
    wait_until(platform.pipeline.answers, within_s=READY_S, every_s=SLOWLY_S)

    for key, job in zip(keys, jobs, strict=True):
        found = platform.pipeline.get(f"/jobs?search={key}")["results"]
        assert [item["id"] for item in found] == [job]
    platform.pipeline.clear(jobs)


def _submit_until_answered(platform: Platform, key: str) -> str:
    answers: list[str] = []

    def asks_once() -> bool:
        try:
            answers.append(platform.pipeline.submit(ONCE, key=key, name=key))
        except AwayError:
            return False
        return True

    wait_until(asks_once, within_s=180, every_s=SLOWLY_S)
    return answers[0]


def _alive(platform: Platform, jobs: list[str]) -> int:
    """Return how many of the jobs have ever shown a sign of life."""
    return sum(bool(lives(platform.outputs(job))) for job in jobs)


def _waiting_reasons(platform: Platform, jobs: list[str]) -> set[str]:
    found = platform.pipeline.get("/jobs?state=queued&page_size=200")["results"]
    waiting = [job for job in found if job["id"] in jobs]
    return {reason["code"] for job in waiting for reason in job["reasons"][:1]}


def _node_of(platform: Platform, job: str) -> str:
    return _home(platform.pipeline.job(job))


def _home(job: dict[str, Any]) -> str:
    """Return the node that holds a job now; empty when none does."""
    held = (item for item in job["allocations"] if item["state"] != "released")
    return next((str(item["node"]["name"]) for item in held), "")


@contextmanager
def _unheard(platform: Platform, *, cut_off: str, frozen: str) -> Iterator[None]:
    """Keep two nodes silent for the length of a block, whatever becomes of it: others need them."""
    platform.cables[cut_off].cut()
    platform.freeze(frozen)
    try:
        yield
    finally:
        platform.cables[cut_off].heal()
        platform.thaw(frozen)


def _wait_for_another_home(platform: Platform, job: str, home: str) -> None:
    """Wait until a job runs elsewhere; when it does not, say where it is and why it waits."""
    found: dict[str, Any] = {}

    def has_moved() -> bool:
        found.update(platform.pipeline.job(job))
        return found["state"] == "running" and _home(found) != home

    with suppress(AssertionError):
        wait_until(has_moved, within_s=240, every_s=SLOWLY_S)
    where = [(held["node"]["name"], held["state"]) for held in found["allocations"]]
    assert found["state"] == "running", (where, found["reasons"])
    assert _home(found) != home, where


def _wait_for_beats(outputs: Path, more: int) -> None:
    goal = beats(outputs) + more
    wait_until(lambda: beats(outputs) >= goal, within_s=120)


def _has_stopped(outputs: Path) -> bool:
    """Tell whether there is no sign of life for a while."""
    last = beats(outputs)
    threading.Event().wait(1)
    return beats(outputs) == last
