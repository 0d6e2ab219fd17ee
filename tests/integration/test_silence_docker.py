"""Twenty workloads on two Docker agents outlive the portal and both its stores.

`BERTH_TEST_OUTAGE_S=300` makes it the five minutes of the promise; see `tests.integration.outage`.
"""

import shutil
import tempfile
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from time import time_ns
from typing import Final

import pytest

from tests.docker_engine import docker_engine
from tests.integration.outage import OUTAGE_S, find_portal, lose_portal
from tests.integration.platform import READY_S, SLOWLY_S, Platform
from tests.integration.scripts import BEATS, ENDS, ENDS_LINES, beats, lives
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.long,
    pytest.mark.integration,
    pytest.mark.docker,
    pytest.mark.timeout(900 + 2 * int(OUTAGE_S)),
]

KEPT, MOVED, LIMITED, ENDED = 12, 3, 2, 3
"""Jobs of each kind: twenty on the two nodes of the training pool. Every second one that is kept has a
GPU: the quota of the group allows six."""
SPREAD_MIB: Final = 48 * 1024
"""So much each that they do not all fit on one node."""
LIMIT_S: Final = 60
SLACK_S: Final = 60
REPLACED_WITHIN_S: Final = 60


@pytest.fixture(scope="module")
def docker_nodes() -> Iterator[Platform]:
    folder = Path(tempfile.mkdtemp(prefix="berth-docker-"))
    folder.chmod(0o755)
    with docker_engine() as engine:
        platform = Platform(folder, engine)
        try:
            platform.start()
            yield platform
            platform.audit()
        finally:
            platform.stop()
            shutil.rmtree(folder, ignore_errors=True)


def _is_still(platform: Platform, job: str) -> bool:
    return time_ns() - lives(platform.outputs(job))[-1][1] > 3 * 10**9


def test_twenty_containers_outlive_the_portal(docker_nodes: Platform) -> None:
    platform, pipeline = docker_nodes, docker_nodes.pipeline
    kept = [
        pipeline.submit(BEATS, gpus=number % 2, memory_mib=SPREAD_MIB) for number in range(KEPT)
    ]
    moved = [pipeline.submit(BEATS, silence="replace", gpus=0) for _ in range(MOVED)]
    for job in (*kept, *moved):
        pipeline.wait_for(job, "running", within_s=2 * READY_S)
    limited = [pipeline.submit(BEATS, time_limit_s=LIMIT_S, gpus=0) for _ in range(LIMITED)]
    ended = [pipeline.submit(ENDS, restart={"rule": "never"}, gpus=0) for _ in range(ENDED)]
    for job in (*limited, *ended):
        pipeline.wait_for(job, "running")
    homes = {item["node"]["name"] for job in kept for item in pipeline.job(job)["allocations"]}
    assert homes == {"gpu-train-1", "gpu-train-2"}

    lose_portal(platform)
    lost_at = time_ns()
    threading.Event().wait(OUTAGE_S)
    before = [beats(platform.outputs(job)) for job in kept]
    wait_until(
        lambda: all(_is_still(platform, job) for job in (*limited, *moved)),
        within_s=LIMIT_S + SLACK_S,
        every_s=SLOWLY_S,
    )
    find_portal(platform)
    found_at = time_ns()

    for job, count in zip(kept, before, strict=True):
        shown = pipeline.job(job)
        assert (shown["state"], shown["epoch"]) == ("running", 1)
        assert len(lives(platform.outputs(job))) == 1
        assert count > OUTAGE_S
    later = [beats(platform.outputs(job)) for job in kept]
    assert all(now > then for then, now in zip(before, later, strict=True))
    for job in ended:
        end = pipeline.wait_for(job, "failed")
        assert (end["exit_code"], end["epoch"]) == (3, 1)
    wait_until(
        lambda: all(platform.stored_log(job).count("line ") == ENDS_LINES for job in ended),
        within_s=READY_S,
        every_s=SLOWLY_S,
    )
    for job in limited:
        _assert_limited(platform, job, lost_at)
    wait_until(
        lambda: all(len(lives(platform.outputs(job))) == 2 for job in moved),
        within_s=READY_S,
        every_s=SLOWLY_S,
    )
    for job in moved:
        first, second = lives(platform.outputs(job))
        assert first[1] < second[0]
        assert (second[0] - found_at) / 10**9 < REPLACED_WITHIN_S
    for job in (*kept, *moved):
        signs = lives(platform.outputs(job))
        assert all(earlier[1] < later[0] for earlier, later in pairwise(signs)), signs
    pipeline.clear([*kept, *moved])


def _assert_limited(platform: Platform, job: str, lost_at: int) -> None:
    """The time limit of a job ended it while the portal was away, and once."""
    over = platform.pipeline.wait_for(job, "expired")
    assert (over["cause"], over["epoch"]) == ("time_limit", 1)
    [(began, last, _)] = lives(platform.outputs(job))
    assert last > lost_at
    assert (last - began) / 10**9 < LIMIT_S + SLACK_S
