"""Each rule finds what was planted to break it, and nothing in a story where all is kept."""

from dataclasses import replace

import pytest

from tests.promises import checkers
from tests.promises.story import Attempt, Rules, Seen, Story, Window

BEGIN = 1_000_000.0
FIRST = Attempt(
    "low", 1, BEGIN, 3600, BEGIN + 1030, BEGIN + 1020, BEGIN + 960, 60, "preempted", "high"
)
HIGH = Attempt("high", 1, BEGIN + 1035, 600, BEGIN + 1635)
PROMISED = Seen(BEGIN + 965, "high", BEGIN + 1080)


def story(*attempts: Attempt, seen: tuple[Seen, ...] = (PROMISED,)) -> Story:
    """Return a quiet day with these attempts."""
    return Story(
        30.0,
        [Rules(BEGIN - 1, 60, 600)],
        list(attempts),
        list(seen),
        until=BEGIN + 86_400,
    )


def broken(told: Story) -> list[str]:
    """Return the names of the rules that a story breaks."""
    return [rule.__name__ for rule in checkers.RULES if list(rule(told))]


def test_a_story_in_which_all_is_kept_breaks_no_rule() -> None:
    assert broken(story(FIRST, HIGH)) == []


AGAIN = replace(FIRST, epoch=2, placed_at=BEGIN + 1031, evicted_at=BEGIN + 1033, killed_at=None)


@pytest.mark.parametrize(
    ("told", "rule"),
    [
        pytest.param(
            story(FIRST, replace(AGAIN, left_at=BEGIN + 1034), HIGH),
            checkers.nobody_leaves_twice_for_one_cause,
            id="stopped again for the same work, after two seconds",
        ),
        pytest.param(
            story(FIRST, replace(HIGH, placed_at=BEGIN + 4000), seen=()),
            checkers.what_is_cleared_goes_to_whom_it_was_cleared_for,
            id="what was cleared for it went to others",
        ),
        pytest.param(
            story(FIRST, seen=()),
            checkers.what_is_cleared_goes_to_whom_it_was_cleared_for,
            id="stopped in vain",
        ),
        pytest.param(
            story(
                FIRST,
                replace(FIRST, work="other", evicted_at=BEGIN + 1010, left_at=BEGIN + 1075),
                replace(HIGH, placed_at=BEGIN + 1080),
                seen=(),
            ),
            checkers.what_is_cleared_goes_to_whom_it_was_cleared_for,
            id="more was stopped a while later",
        ),
        pytest.param(
            story(
                replace(HIGH, placed_at=BEGIN + 5000),
                seen=(PROMISED, Seen(BEGIN + 990, "high", BEGIN + 5000)),
            ),
            checkers.published_starts_are_kept,
            id="a start became later without a word",
        ),
        pytest.param(
            story(
                replace(HIGH, placed_at=BEGIN + 5000),
                seen=(PROMISED, Seen(BEGIN + 990, "high", None)),
            ),
            checkers.published_starts_are_kept,
            id="a promise was taken back without a word",
        ),
        pytest.param(
            story(replace(HIGH, placed_at=BEGIN + 5000)),
            checkers.published_starts_are_kept,
            id="the time came, the work did not start",
        ),
        pytest.param(
            story(replace(FIRST, killed_at=BEGIN + 1000), HIGH),
            checkers.nothing_is_killed_before_its_deadline,
            id="killed 20 s before its deadline",
        ),
    ],
)
def test_a_planted_breach_is_found(told: Story, rule: checkers.Rule) -> None:
    assert rule.__name__ in broken(told)


def test_a_start_may_move_if_its_owner_is_shown_why() -> None:
    moved = Seen(BEGIN + 990, "high", BEGIN + 5000, (BEGIN + 980,))

    assert broken(story(replace(HIGH, placed_at=BEGIN + 5000), seen=(PROMISED, moved))) == []


def test_a_lost_node_excuses_what_was_killed_and_who_waits_longer() -> None:
    told = story(
        replace(FIRST, killed_at=BEGIN + 1000), replace(HIGH, placed_at=BEGIN + 4000), seen=()
    )
    told.outages.append(Window(BEGIN + 970, BEGIN + 1500))

    assert broken(told) == []


def test_a_silent_node_excuses_who_waits_longer_and_who_leaves_again_for_it() -> None:
    told = story(
        FIRST,
        replace(AGAIN, placed_at=BEGIN + 1100, evicted_at=BEGIN + 1140, left_at=BEGIN + 1150),
        replace(HIGH, placed_at=BEGIN + 4000),
        seen=(),
    )
    assert "nobody_leaves_twice_for_one_cause" in broken(told)

    told.silences.append(Window(BEGIN + 1060, BEGIN + 1120))

    assert broken(told) == []
    assert told.silent_s == 60
