"""PostgreSQL is restored from an older dump under real agents: what runs goes on, nothing runs twice."""

from itertools import pairwise
from time import time_ns
from typing import Any

import pytest

from tests.integration.platform import READY_S, SLOWLY_S, Platform
from tests.integration.scripts import BEATS, lives
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

SERVERS = ("live", "web", "scheduler", "worker", "beat")


def _is_alive(platform: Platform, job: str, *, number: int = 1) -> bool:
    """Tell whether the job beats now, in its so-manieth life."""
    found = lives(platform.outputs(job))
    return len(found) == number and time_ns() - found[-1][1] < 2 * 10**9


def test_portal_restored_from_an_older_dump_goes_on_with_what_runs(platform: Platform) -> None:
    pipeline = platform.pipeline
    moved, held = (pipeline.submit(BEATS) for _ in range(2))
    for job in (moved, held):
        pipeline.wait_for(job, "running")
    waiting = pipeline.submit(BEATS, held=True)

    dump = platform.back_up()
    pipeline.post(f"/jobs/{moved}/requeue")
    wait_until(lambda: _is_alive(platform, moved, number=2), within_s=READY_S, every_s=SLOWLY_S)
    pipeline.post(f"/jobs/{waiting}/release")
    unknown = pipeline.submit(BEATS, key="made after the backup")
    for job in (waiting, unknown):
        pipeline.wait_for(job, "running")

    for name in SERVERS:
        platform.kill(name)
    platform.restore(dump)
    assert "recovery: under way" in platform.manage("after_restore")
    for name in reversed(SERVERS):
        platform.restart(name)
    wait_until(pipeline.answers, within_s=READY_S, every_s=SLOWLY_S)

    def recovery() -> str:
        return platform.manage("after_restore", "--status")

    wait_until(lambda: "recovery: over" in recovery(), within_s=READY_S, every_s=SLOWLY_S)
    wait_until(lambda: "does not know: 1" in recovery(), within_s=READY_S, every_s=SLOWLY_S)
    for job, epoch in ((moved, 2), (waiting, 1), (held, 1)):
        found: Any = pipeline.wait_for(job, "running")
        assert found["epoch"] == epoch
    assert _is_alive(platform, moved, number=2)
    assert all(_is_alive(platform, job) for job in (held, waiting, unknown))

    # A client that repeats its submission gets a second job: the key was forgotten as well.
    again = pipeline.submit(BEATS, key="made after the backup")
    assert again != unknown
    pipeline.wait_for(again, "running")
    name = f"{unknown.replace('-', '')}.0"
    platform.manage("after_restore", "--stop", name, "--confirm", name)
    wait_until(lambda: "does not know: 0" in recovery(), within_s=READY_S, every_s=SLOWLY_S)
    assert not _is_alive(platform, unknown)
    pipeline.post(f"/jobs/{held}/requeue")
    wait_until(lambda: _is_alive(platform, held, number=2), within_s=READY_S, every_s=SLOWLY_S)
    assert pipeline.job(held)["epoch"] > 1000
    for job in (moved, held, waiting, unknown, again):
        signs = lives(platform.outputs(job))
        assert all(earlier[1] < later[0] for earlier, later in pairwise(signs)), signs
    platform.audit()
    pipeline.clear([moved, held, waiting, again])
