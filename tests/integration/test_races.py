"""Three schedulers at once, killed midway, while quotas are edited and nodes are drained."""

import sys

import pytest

from deploy.onebox.supervisor import ManagedProcess
from tests.integration.chaos import JUDGED, PLANNED
from tests.integration.platform import Platform
from tests.integration.scripts import ONCE, starts
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]

LOOPS = ("loop-1", "loop-2", "loop-3")
MEDDLER = "meddler"
KILLS = 5


def test_every_invariant_holds_at_every_step(platform: Platform) -> None:
    for name in LOOPS:
        platform.spawn(
            ManagedProcess(name, [sys.executable, "-m", "tests.integration.chaos", "schedule"])
        )
    platform.spawn(
        ManagedProcess(MEDDLER, [sys.executable, "-m", "tests.integration.chaos", "meddle"])
    )
    wait_until(lambda: JUDGED in platform.log(MEDDLER), within_s=120)

    jobs: list[str] = []
    for number in range(KILLS):
        name = LOOPS[number % len(LOOPS)]
        jobs += [platform.pipeline.submit(ONCE) for _ in range(4)]
        _wait_for_a_plan(platform, name)
        platform.kill(name)
        platform.restart(name)

    assert platform.end(MEDDLER) == 0, platform.log(MEDDLER)[-2000:]
    for job in jobs:
        platform.pipeline.wait_for(job, "succeeded")
    for name in LOOPS:
        platform.kill(name)
    assert [starts(platform.outputs(job)) for job in jobs] == [1] * len(jobs)
    assert {platform.pipeline.job(job)["epoch"] for job in jobs} == {1}
    platform.audit()


def _wait_for_a_plan(platform: Platform, name: str) -> None:
    """Wait until a loop has decided, and has not begun to commit."""
    before = platform.log(name).count(PLANNED)
    wait_until(lambda: platform.log(name).count(PLANNED) > before, within_s=120, every_s=0.001)
