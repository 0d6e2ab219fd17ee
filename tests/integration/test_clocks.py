"""Each process has another time: what is stored, billed and limited goes by one clock.

No cheaper test can show this: it is libraries of others, too, that ask a process what time it is.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from deploy.onebox.options import SEEDED_NODES
from tests.fakes.clock.library import clock_ahead
from tests.integration.pipeline import AwayError, Pipeline
from tests.integration.platform import READY_S, SLOWLY_S, Platform
from tests.integration.scripts import BEATS, ONCE, beats
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.nvml, pytest.mark.timeout(600)]

LIMIT_S: Final = 60
SLACK: Final = timedelta(seconds=2)


@contextmanager
def skewed(platform: Platform, **hours: int) -> Iterator[Pipeline]:
    """Give parts of the platform clocks of their own, ahead by so much, and take them back."""
    for name, ahead in hours.items():
        platform.set_environment(name, clock_ahead(ahead))
    _wait_for_nodes(platform)
    try:
        yield platform.pipeline
    finally:
        for name in hours:
            platform.set_environment(name, {})
        _wait_for_nodes(platform)


def test_a_time_limit_is_kept_by_no_clock_of_a_host(platform: Platform) -> None:
    with skewed(platform, live=-1, worker=1, beat=-1, web=1) as pipeline:
        began = _database(platform, "SELECT now()")
        job = pipeline.submit(BEATS, time_limit_s=LIMIT_S)
        over = pipeline.wait_for(job, "expired", within_s=300)
        ended = _database(platform, "SELECT now()")
        platform.audit()

    assert over["cause"] == "time_limit"
    assert timedelta(seconds=LIMIT_S) <= _ran(over) <= ended - began
    assert beats(platform.outputs(job)) > LIMIT_S * 2
    _assert_within(over, began, ended)


def test_durations_and_leases_are_of_no_clock_of_a_host(platform: Platform) -> None:
    with skewed(platform, live=1, worker=-1, scheduler=1) as pipeline:
        began = _database(platform, "SELECT now()")
        job = pipeline.submit(ONCE)
        over = pipeline.wait_for(job, "succeeded")
        ended = _database(platform, "SELECT now()")
        longest = _database(platform, "SELECT max(lease_until) - now() FROM inventory_node")
        platform.audit()

    assert _ran(over) <= ended - began
    _assert_within(over, began, ended)
    assert timedelta(0) < longest < timedelta(minutes=1)
    held = _database(
        platform,
        f"SELECT released_at - created_at FROM workloads_allocation WHERE workload_id = '{job}'",
    )
    assert _ran(over) - SLACK <= held <= ended - began


def _wait_for_nodes(platform: Platform) -> None:
    def are_ready() -> bool:
        with suppress(AwayError):
            return platform.ready_nodes() == set(SEEDED_NODES)
        return False

    wait_until(are_ready, within_s=READY_S, every_s=SLOWLY_S)


def _assert_within(job: Any, began: datetime, ended: datetime) -> None:
    """Assert that every moment of a job is one in which it was here, in their order."""
    moments = [_moment(job[name]) for name in ("submitted_at", "started_at", "finished_at")]
    assert moments == sorted(moments)
    assert began - SLACK <= moments[0]
    assert moments[-1] <= ended + SLACK


def _ran(job: Any) -> timedelta:
    return _moment(job["finished_at"]) - _moment(job["started_at"])


def _database(platform: Platform, question: str) -> Any:
    with psycopg.connect(platform.stores.database_url) as database:
        found = database.execute(question).fetchone()
    assert found is not None
    return found[0]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
