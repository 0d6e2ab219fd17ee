"""When the launcher takes a node as there."""

import pytest

from deploy.onebox.nodes import is_there

SINCE = 1_800_000_000.0
BEFORE, AFTER = "2027-01-15T07:59:00+00:00", "2027-01-15T08:00:30+00:00"


@pytest.mark.parametrize("state", ["ready", "cordoned", "draining", "drained"])
def test_a_node_that_reports_is_there_also_when_an_operator_has_closed_it(state: str) -> None:
    assert is_there({"state": state, "last_seen_at": AFTER}, SINCE)


@pytest.mark.parametrize("state", ["joining", "unready", "lost"])
def test_a_node_that_cannot_work_yet_is_waited_for(state: str) -> None:
    assert not is_there({"state": state, "last_seen_at": AFTER}, SINCE)


@pytest.mark.parametrize("seen", [BEFORE, None])
def test_what_the_last_run_has_left_does_not_count(seen: str | None) -> None:
    assert not is_there({"state": "ready", "last_seen_at": seen}, SINCE)


def test_nobody_waits_for_a_node_that_is_retired() -> None:
    assert is_there({"state": "retired", "last_seen_at": BEFORE}, SINCE)
