"""The scheduler decides on one change at once, and takes at most half of its time in a storm."""

from scheduler.runtime.pace import PAUSE_S_MAX, Pace


def test_the_first_run_begins_at_once() -> None:
    assert Pace().pause_s(100.0) == 0


def test_the_next_run_waits_as_long_as_the_last_one_took() -> None:
    pace = Pace()
    pace.note_run(100.0, 100.125)

    assert pace.pause_s(100.125) == 0.125
    assert pace.pause_s(100.2) < 0.125
    assert pace.pause_s(101.0) == 0


def test_a_long_run_delays_the_next_by_a_moment_only() -> None:
    pace = Pace()
    pace.note_run(100.0, 130.0)

    assert pace.pause_s(130.0) == PAUSE_S_MAX
