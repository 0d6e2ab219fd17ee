"""Work outlives the portal, on real parts: what is kept runs on, what may be replaced moves.

`BERTH_TEST_OUTAGE_S` sets how long every server process and both stores are away; by default a
little longer than a lease, so that it is over on every node.
"""

import os
import threading
from itertools import pairwise
from time import time_ns
from typing import Final

import pytest

from tests.integration.platform import READY_S, SLOWLY_S, Platform
from tests.integration.scripts import BEATS, beats, lives
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

OUTAGE_S: Final = float(os.environ.get("BERTH_TEST_OUTAGE_S", "40"))
LIMIT_S: Final = 60
"""The shortest time limit that a submission may name."""
SLACK_S: Final = 60
"""After it an agent waits for the portal as long as a lease, and a slow machine takes its time."""
LINES: Final = 40
ENDS: Final = f"""#!/bin/sh
for i in $(seq {LINES}); do echo "line $i"; sleep 0.5; done
exit 3
"""
"""Ends in the middle of the outage, with an exit code of its own and a log that must be whole."""
SERVERS: Final = ("live", "web", "scheduler", "worker", "beat", "redis", "postgres")


def _lose_portal(platform: Platform) -> None:
    for name in SERVERS:
        platform.kill(name)


def _find_portal(platform: Platform) -> None:
    """Start everything again that was killed, the stores first."""
    for name in reversed(SERVERS):
        platform.restart(name)
        if name == "postgres":
            wait_until(platform.stores.postgres_answers, within_s=READY_S, every_s=SLOWLY_S)
    wait_until(platform.pipeline.answers, within_s=READY_S, every_s=SLOWLY_S)
    wait_until(lambda: len(platform.ready_nodes()) == 4, within_s=READY_S, every_s=SLOWLY_S)


def test_work_outlives_the_portal_with_its_ends_logs_and_time_limits(platform: Platform) -> None:
    pipeline = platform.pipeline
    kept = [pipeline.submit(BEATS) for _ in range(2)]
    moved = pipeline.submit(BEATS, silence="replace")
    limited = pipeline.submit(BEATS, time_limit_s=LIMIT_S)
    for job in (*kept, moved, limited):
        pipeline.wait_for(job, "running")
    ended = pipeline.submit(ENDS, restart={"rule": "never"})
    pipeline.wait_for(ended, "running")

    _lose_portal(platform)
    lost_at = time_ns()
    threading.Event().wait(OUTAGE_S)
    before = [beats(platform.outputs(job)) for job in kept]
    wait_until(
        lambda: (
            time_ns() - lives(platform.outputs(limited))[-1][1] > 3 * 10**9
            and time_ns() - lives(platform.outputs(moved))[-1][1] > 3 * 10**9
        ),
        within_s=LIMIT_S + SLACK_S,
        every_s=SLOWLY_S,
    )
    _find_portal(platform)

    for job, count in zip(kept, before, strict=True):
        found = pipeline.job(job)
        assert (found["state"], found["epoch"]) == ("running", 1)
        assert len(lives(platform.outputs(job))) == 1
        assert beats(platform.outputs(job)) > count > OUTAGE_S
    end = pipeline.wait_for(ended, "failed")
    assert (end["exit_code"], end["epoch"]) == (3, 1)
    log = platform.folder / "storage" / "logs" / ended

    def whole_log() -> str:
        return "".join(file.read_text() for file in sorted(log.rglob("*")) if file.is_file())

    wait_until(lambda: whole_log().count("line ") == LINES, within_s=READY_S, every_s=SLOWLY_S)
    over = pipeline.wait_for(limited, "expired")
    assert (over["cause"], over["epoch"]) == ("time_limit", 1)
    [(began, last, _)] = lives(platform.outputs(limited))
    assert last > lost_at
    assert (last - began) / 10**9 < LIMIT_S + SLACK_S
    pipeline.wait_for(moved, "running")
    wait_until(lambda: len(lives(platform.outputs(moved))) == 2, within_s=READY_S)
    signs = lives(platform.outputs(moved))
    assert all(earlier[1] < later[0] for earlier, later in pairwise(signs)), signs
    assert pipeline.job(moved)["epoch"] == 2
    platform.audit()
    pipeline.clear([*kept, moved])


def test_declared_lost_node_is_stopped_when_it_comes_back(platform: Platform) -> None:
    pipeline = platform.pipeline
    job = pipeline.submit(BEATS)
    home = next(item["node"]["name"] for item in pipeline.wait_for(job, "running")["allocations"])

    def node() -> dict[str, object]:
        found = pipeline.get("/nodes?page_size=100")["results"]
        return next(item for item in found if item["name"] == home)

    platform.cables[home].cut()
    wait_until(lambda: node()["state"] == "lost", within_s=READY_S, every_s=SLOWLY_S)
    silent = pipeline.job(job)
    assert (silent["state"], silent["epoch"]) == ("running", 1)
    assert [item["node"]["name"] for item in silent["silent_nodes"]] == [home]

    platform.manage("declare_node_lost", home, "--confirm", home)
    wait_until(lambda: len(lives(platform.outputs(job))) == 2, within_s=READY_S, every_s=SLOWLY_S)
    platform.cables[home].heal()
    wait_until(lambda: node()["state"] == "cordoned", within_s=READY_S, every_s=SLOWLY_S)

    faults = node()["faults"]
    assert isinstance(faults, list)
    assert [item["code"] for item in faults] == ["returned_after_lost"]
    old, new = lives(platform.outputs(job))
    wait_until(lambda: time_ns() - lives(platform.outputs(job))[0][1] > 2 * 10**9, within_s=READY_S)
    now_old, now_new = lives(platform.outputs(job))
    assert now_old[2] == old[2]
    assert now_new[1] > now_old[1]
    assert (pipeline.job(job)["epoch"], new[2]) == (2, now_new[2])
    pipeline.clear([job])
    platform.manage("shell", "-c", _UNCORDON.format(node=home))
    wait_until(lambda: node()["state"] == "ready", within_s=READY_S, every_s=SLOWLY_S)


_UNCORDON: Final = (
    "from portal.common.actor import Actor; from portal.inventory.models import Node; "
    "from portal.workloads.operations import nodes; "
    "nodes.uncordon_node(actor=Actor.system('console'), "
    "node_id=Node.objects.get(name='{node}').pk)"
)
