"""Work outlives the portal, on real parts: what is kept runs on, what may be replaced moves."""

import threading
from datetime import datetime
from itertools import pairwise
from time import time_ns
from typing import Any, Final

import pytest

from tests.integration.outage import OUTAGE_S, find_portal, lose_portal
from tests.integration.platform import READY_S, SLOWLY_S, Platform
from tests.integration.scripts import BEATS, ENDS, ENDS_LINES, beats, lives
from tests.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

LIMIT_S: Final = 60
"""The shortest time limit that a submission may name."""
SLACK_S: Final = 60
"""After it an agent waits for the portal as long as a lease, and a slow machine takes its time."""


def test_work_outlives_the_portal_with_its_ends_logs_and_time_limits(platform: Platform) -> None:
    pipeline = platform.pipeline
    kept = [pipeline.submit(BEATS) for _ in range(2)]
    moved = pipeline.submit(BEATS, silence="replace")
    limited = pipeline.submit(BEATS, time_limit_s=LIMIT_S)
    for job in (*kept, moved, limited):
        pipeline.wait_for(job, "running")
    ended = pipeline.submit(ENDS, restart={"rule": "never"})
    pipeline.wait_for(ended, "running")

    lose_portal(platform)
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
    found_ns = time_ns()
    find_portal(platform)

    for job, count in zip(kept, before, strict=True):
        found = pipeline.job(job)
        assert (found["state"], found["epoch"]) == ("running", 1)
        assert len(lives(platform.outputs(job))) == 1
        assert beats(platform.outputs(job)) > count > OUTAGE_S
    end = pipeline.wait_for(ended, "failed")
    assert (end["exit_code"], end["epoch"]) == (3, 1)
    # It ended while nobody listened, and has the end that its node saw: that of its last line.
    began_at, over_at = (
        datetime.fromisoformat(end[f"{name}_at"]) for name in ("started", "finished")
    )
    assert (over_at - began_at).total_seconds() >= ENDS_LINES / 2
    assert over_at.timestamp() * 10**9 < found_ns
    wait_until(
        lambda: platform.stored_log(ended).count("line ") == ENDS_LINES,
        within_s=READY_S,
        every_s=SLOWLY_S,
    )
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
    job, home = _run_somewhere(platform)
    platform.cables[home].cut()
    wait_until(lambda: _node(platform, home)["state"] == "lost", within_s=READY_S, every_s=SLOWLY_S)
    silent = platform.pipeline.job(job)
    assert (silent["state"], silent["epoch"]) == ("running", 1)
    assert [item["node"]["name"] for item in silent["silent_nodes"]] == [home]

    platform.manage("declare_node_lost", home, "--confirm", home)

    _comes_back_and_is_stopped(platform, job, home, "node_declared_lost", ["returned_after_lost"])
    assert "node.declare_lost" in _acts(platform, home)


@pytest.mark.long
def test_node_of_a_fence_command_that_lies_is_stopped_when_it_comes_back(
    platform: Platform,
) -> None:
    job, home = _run_somewhere(platform)
    platform.fence_lies.touch()
    try:
        platform.cables[home].cut()
        faults = ["returned_after_lost", "fence_unconfirmed"]
        _comes_back_and_is_stopped(platform, job, home, "node_fenced", faults)
    finally:
        platform.fence_lies.unlink()
    assert "node.fence" in _acts(platform, home)


def _run_somewhere(platform: Platform) -> tuple[str, str]:
    """Start a job; return it and the name of its node."""
    job = platform.pipeline.submit(BEATS)
    running = platform.pipeline.wait_for(job, "running")
    wait_until(lambda: bool(lives(platform.outputs(job))), within_s=READY_S)
    return job, running["allocations"][0]["node"]["name"]


def _node(platform: Platform, name: str) -> Any:
    found = platform.pipeline.get("/nodes?page_size=100")["results"]
    return next(item for item in found if item["name"] == name)


def _comes_back_and_is_stopped(
    platform: Platform, job: str, home: str, cause: str, faults: list[str]
) -> None:
    """Let the work start elsewhere although it runs, and then its node be heard again.

    Until then both copies run: nothing that the portal could reach is left there. It shows one.
    """
    pipeline = platform.pipeline
    wait_until(
        lambda: len(lives(platform.outputs(job))) == 2, within_s=2 * READY_S, every_s=SLOWLY_S
    )
    pipeline.wait_for(job, "running")
    shown = pipeline.job(job)
    [held] = [item for item in shown["allocations"] if item["epoch"] == shown["epoch"]]
    assert (shown["epoch"], held["node"]["name"] == home) == (2, False)
    events = pipeline.get(f"/workloads/{job}/events?page_size=100")["results"]
    assert cause in {event["cause"] for event in events}
    platform.audit()

    platform.cables[home].heal()
    wait_until(
        lambda: _node(platform, home)["state"] == "cordoned", within_s=READY_S, every_s=SLOWLY_S
    )
    assert [item["code"] for item in _node(platform, home)["faults"]] == faults
    assert "node.return_after_lost" in _acts(platform, home)
    old, new = lives(platform.outputs(job))
    wait_until(lambda: time_ns() - lives(platform.outputs(job))[0][1] > 2 * 10**9, within_s=READY_S)
    now_old, now_new = lives(platform.outputs(job))
    assert (now_old[2], now_new[2]) == (old[2], new[2])
    assert now_new[1] > now_old[1]
    assert pipeline.job(job)["epoch"] == 2
    pipeline.clear([job])
    platform.manage("shell", "-c", _UNCORDON.format(node=home))
    wait_until(
        lambda: _node(platform, home)["state"] == "ready", within_s=READY_S, every_s=SLOWLY_S
    )


def _acts(platform: Platform, node: str) -> str:
    """Return what the audit log has about a node, newest last."""
    return platform.manage("shell", "-c", _ACTS.format(node=node))


_ACTS: Final = (
    "from portal.audit.models import AuditEvent; from portal.inventory.models import Node; "
    "key = str(Node.objects.get(name='{node}').pk); "
    "print(*AuditEvent.objects.filter(object_id=key).order_by('id').values_list('action', flat=True))"
)
_UNCORDON: Final = (
    "from portal.common.actor import Actor; from portal.inventory.models import Node; "
    "from portal.workloads.operations import nodes; "
    "nodes.uncordon_node(actor=Actor.system('console'), "
    "node_id=Node.objects.get(name='{node}').pk)"
)
