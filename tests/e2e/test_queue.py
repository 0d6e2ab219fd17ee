"""A full pool: work waits with position and reason, starts by itself, and can always be cancelled."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.pipeline import Pipeline
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
FOR_EVER = "sleep 600"
GROUP_CARDS = 6


@contextmanager
def _all_cards_taken(robot: Pipeline) -> Iterator[str]:
    """Let one job hold every card of the group."""
    blocker = robot.started("holds all cards", FOR_EVER, gpus=GROUP_CARDS)
    assert robot.wait(blocker, "running")["state"] == "running"
    yield blocker
    robot.cancel(blocker)
    robot.wait(blocker)


def test_full_pool_queues_with_position_and_reason_then_starts_by_itself(robot: Pipeline) -> None:
    with _all_cards_taken(robot) as blocker:
        first = robot.started("first in line", "true", priority="high")
        second = robot.started("second in line", "true")
        wait_until(lambda: robot.get(f"/jobs/{second}")["position"] == 2)
        waiting = robot.get(f"/jobs/{first}")
        assert (waiting["state"], waiting["position"]) == ("queued", 1)
        assert waiting["reasons"][0]["code"]
        assert waiting["reasons"][0]["params"]
        robot.cancel(blocker)
        assert robot.wait(first)["state"] == "succeeded"
        assert robot.wait(second)["state"] == "succeeded"


def test_cancel_works_in_every_state(robot: Pipeline) -> None:
    with _all_cards_taken(robot) as running:
        queued = robot.started("queued", FOR_EVER)
        assert robot.cancel(queued).body["state"] == "cancelled"
        assert robot.wait(queued)["state"] == "cancelled"
        assert robot.cancel(running).body["state"] == "stopping"
        robot.cancel(running)  # asking again changes nothing
        done = robot.wait(running)
        assert done["state"] == "cancelled"
    early = robot.started("cancelled at once", FOR_EVER)
    robot.cancel(early)
    assert robot.wait(early)["state"] == "cancelled"
    ended = robot.started("ended", "true")
    assert robot.wait(ended)["state"] == "succeeded"
    robot.cancel(ended)
    assert robot.get(f"/jobs/{ended}")["state"] == "succeeded"


def test_more_cards_than_any_node_has_is_refused(robot: Pipeline) -> None:
    refused = robot.submit(name="too big", script="true", gpus=9)
    assert refused.status in {400, 422}
    assert refused.body["code"]
    assert refused.body["title"]
