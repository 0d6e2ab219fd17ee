"""When alarms fire and resolve: examples, and properties over any course of values."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.alarms.decisions import (
    CLEAR_AFTER,
    GAP_MAX,
    AlarmStanding,
    AlarmState,
    Condition,
    PastStretch,
    Reading,
    count_firings,
    decide_alarm,
    decide_alarms,
    is_quiet,
)
from portal.alarms.kinds import KINDS

START = datetime(2030, 5, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOT = Condition(90, timedelta(minutes=5))
SUBJECT = UUID(int=1)
COURSES = st.lists(st.one_of(st.none(), st.just(-1), st.integers(80, 99)), max_size=60)
"""A value for each minute: None is no reading, -1 a value that is not known."""


def course(
    values: list[int | None], condition: Condition = HOT, step: timedelta = MINUTE
) -> list[AlarmStanding | None]:
    """Return where the alarm stands after each value."""
    found: list[AlarmStanding | None] = []
    before: AlarmStanding | None = None
    for number, value in enumerate(values):
        if before is not None and before.state is AlarmState.RESOLVED:
            before = None
        reading = None if value is None else Reading(None if value == -1 else value)
        before = decide_alarm(condition, before, reading, START + number * step)
        found.append(before)
    return found


def states(found: list[AlarmStanding | None]) -> list[str]:
    return ["" if each is None else each.state.value for each in found]


def test_an_alarm_waits_for_its_duration_then_fires_and_resolves_after_some_minutes() -> None:
    hot, cool = [95] * 7, [80] * 6
    assert states(course([*hot, *cool])) == [
        *["pending"] * 5,
        *["firing"] * 2,
        *["firing"] * 5,
        "resolved",
    ]


def test_a_value_that_swings_around_its_threshold_fires_once() -> None:
    found = states(course([*[95] * 6, *[89, 91] * 20]))
    assert found[5:] == ["firing"] * 41


def stretches(values: list[int | None], condition: Condition) -> list[PastStretch]:
    """Return the past of a subject as it is stored: nothing where nothing was measured."""
    found: list[PastStretch] = []
    for number, value in enumerate(values):
        if value is None or value < 0:
            continue
        at = START + number * MINUTE
        last = found[-1] if found else None
        is_one = last and condition.is_met(last.value) == condition.is_met(value)
        if last and is_one and at - last.last == MINUTE:
            found[-1] = replace(last, last=at, value=value)
        else:
            found.append(PastStretch(at, at, value))
    return found


@given(
    st.lists(st.one_of(st.just(-1), st.integers(88, 92)), max_size=60),
    st.integers(0, 12),
    st.booleans(),
)
def test_the_past_is_decided_as_each_minute_was(
    values: list[int | None], minutes: int, is_below: bool
) -> None:
    condition = Condition(90, minutes * MINUTE, is_below=is_below)
    live = states(course(values, condition))
    fired = sum(now == "firing" and before != "firing" for before, now in pairwise(["", *live]))
    assert count_firings(condition, stretches(values, condition)) == fired


def test_a_pending_alarm_is_dropped_when_its_condition_is_over() -> None:
    assert states(course([95, 95, 80, 95])) == ["pending", "pending", "", "pending"]


def test_what_is_not_known_changes_nothing() -> None:
    firing = course([95] * 6)[-1]
    assert decide_alarm(HOT, firing, Reading(None), START + timedelta(days=1)) == firing
    assert decide_alarm(HOT, None, Reading(None), START) is None


def test_a_condition_that_was_not_seen_for_long_begins_anew() -> None:
    pending = AlarmStanding(AlarmState.PENDING, START, START)
    late = START + GAP_MAX + MINUTE
    again = decide_alarm(HOT, pending, Reading(95), late)
    assert again == AlarmStanding(AlarmState.PENDING, late, late)
    soon = decide_alarm(HOT, pending, Reading(95), START + GAP_MAX)
    assert soon is not None
    assert soon.state is AlarmState.FIRING


def test_a_fact_that_says_since_when_it_holds_needs_no_second_look() -> None:
    found = decide_alarm(HOT, None, Reading(95, START - 10 * MINUTE), START)
    assert found == AlarmStanding(AlarmState.FIRING, START - 10 * MINUTE, START)


def test_low_values_fire_where_the_condition_says_so() -> None:
    idle = Condition(5, timedelta(), is_below=True)
    assert states(course([6, 5, 0], idle)) == ["", "firing", "firing"]


def test_subjects_are_decided_one_by_one() -> None:
    pending = AlarmStanding(AlarmState.PENDING, START, START)
    other, gone = UUID(int=2), UUID(int=3)
    found = decide_alarms(
        HOT, {SUBJECT: pending, gone: pending}, {other: Reading(99), SUBJECT: Reading(91)}, START
    )
    assert found.keys() == {SUBJECT, other, gone}
    assert found[gone] is None


@given(COURSES)
def test_nothing_fires_before_its_duration(values: list[int | None]) -> None:
    for number, after in enumerate(course(values)):
        if after is not None and after.state is AlarmState.FIRING:
            assert START + number * MINUTE - after.since >= HOT.duration


@given(COURSES)
def test_an_alarm_only_moves_forward(values: list[int | None]) -> None:
    order = {"pending": 0, "firing": 1, "resolved": 2}
    found = states(course(values))
    for before, after in pairwise(found):
        if before and after and before != "resolved":
            assert order[after] >= order[before]
            assert (before, after) != ("pending", "resolved")
        if before == "firing":
            assert after != ""


@given(COURSES)
def test_two_firings_of_a_subject_are_apart(values: list[int | None]) -> None:
    """However a value jumps, no more is notified of than once in duration and clearing together."""
    found = states(course(values))
    fired = [
        number
        for number, (before, after) in enumerate(zip(["", *found], found, strict=False))
        if after == "firing" and before != "firing"
    ]
    apart = (HOT.duration + CLEAR_AFTER) / MINUTE
    assert all(later - sooner >= apart for sooner, later in pairwise(fired))


@given(COURSES)
def test_a_repeated_evaluation_of_the_same_moment_changes_nothing(
    values: list[int | None],
) -> None:
    for number, after in enumerate(course(values)):
        value = values[number]
        if after is None or after.state is AlarmState.RESOLVED:
            continue
        reading = None if value is None else Reading(None if value == -1 else value)
        assert decide_alarm(HOT, after, reading, START + number * MINUTE) == after


@pytest.mark.parametrize(
    ("minute", "quiet"), [(0, True), (419, True), (420, False), (1319, False), (1320, True)]
)
def test_quiet_hours_may_span_midnight(minute: int, quiet: bool) -> None:
    assert is_quiet(minute, 22 * 60, 7 * 60) is quiet
    assert not is_quiet(minute, None, None)


def test_every_kind_can_be_shipped_as_its_own_terms_say() -> None:
    for terms in KINDS.values():
        assert terms.least <= terms.threshold <= terms.most
        assert terms.has_group or [each.value for each in terms.audience] == ["staff"]
