"""Rules of a pool without a meaning are refused; what is just allowed is kept."""

from collections.abc import Callable

import pytest

from scheduler.core.model.advance_reservations import ReservedWindow
from scheduler.core.model.entities import Millis
from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.policy import (
    WEEK_MINUTES,
    FairSharePolicy,
    LendingPolicy,
    PoolPolicy,
    WeekWindow,
)
from scheduler.core.model.site_clock import OffsetChange, SiteClock

SOUND: dict[str, Callable[[], object]] = {
    "nothing is protected": lambda: PoolPolicy(min_runtime_s=0, grace_s=0, victims_max=0),
    "no burst": lambda: PoolPolicy(burst_pct=100),
    "no stretch": lambda: PoolPolicy(stretch=1),
    "no release, no stop": lambda: PoolPolicy(idle_release_s=0, idle_stop_s=0),
    "no release": lambda: PoolPolicy(idle_warn_s=99, idle_release_s=0, idle_stop_s=100),
    "release and stop at once": lambda: PoolPolicy(
        idle_warn_s=99, idle_release_s=100, idle_stop_s=100
    ),
    "a lender waits just for the grace": lambda: PoolPolicy(
        grace_s=120, lending=LendingPolicy(bound_s=120)
    ),
    "the first minute of the week": lambda: WeekWindow(0, 1),
    "the last minute of the week": lambda: WeekWindow(WEEK_MINUTES - 1, 0),
    "the shortest half-life": lambda: FairSharePolicy(half_life_s=1),
    "no entry penalty": lambda: FairSharePolicy(entry_penalty_s=0),
    "a window of a moment": lambda: ReservedWindow(Millis(5), Millis(6)),
    "a minute less than a day from UTC": lambda: SiteClock(1439),
    "a minute less than a day behind UTC": lambda: OffsetChange(Millis(0), -1439),
    "changes in order": lambda: SiteClock(
        0, (OffsetChange(Millis(1), 60), OffsetChange(Millis(2), 0))
    ),
}


@pytest.mark.parametrize("make", SOUND.values(), ids=SOUND)
def test_just_allowed(make: Callable[[], object]) -> None:
    assert make() is not None


REFUSED: dict[str, Callable[[], object]] = {
    "negative patience": lambda: PoolPolicy(patience_s=-1),
    "a negative turn": lambda: PoolPolicy(turn_s=-1),
    "a negative depth": lambda: PoolPolicy(backfill_depth=-1),
    "negative protection": lambda: PoolPolicy(min_runtime_s=-1),
    "negative protection from reclaim": lambda: PoolPolicy(reclaim_min_runtime_s=-1),
    "a negative grace": lambda: PoolPolicy(grace_s=-1),
    "less than no victims": lambda: PoolPolicy(victims_max=-1),
    "a negative addition": lambda: PoolPolicy(idle_keep_s=-1),
    "less than no additions": lambda: PoolPolicy(idle_keeps_max=-1),
    "less than the guarantee": lambda: PoolPolicy(burst_pct=99),
    "a shared card that is exclusive": lambda: PoolPolicy(isolation=IsolationLevel.EXCLUSIVE),
    "stretch of nothing": lambda: PoolPolicy(stretch=0),
    "a warning with the release": lambda: PoolPolicy(idle_warn_s=100, idle_release_s=100),
    "a warning with the stop": lambda: PoolPolicy(
        idle_warn_s=100, idle_release_s=0, idle_stop_s=100
    ),
    "a stop before the release": lambda: PoolPolicy(
        idle_warn_s=9, idle_release_s=100, idle_stop_s=99
    ),
    "a lender that waits less than the grace": lambda: PoolPolicy(
        grace_s=121, lending=LendingPolicy(bound_s=120)
    ),
    "before the week": lambda: WeekWindow(-1, 5),
    "behind the week": lambda: WeekWindow(5, WEEK_MINUTES),
    "no half-life": lambda: FairSharePolicy(half_life_s=0),
    "a negative entry penalty": lambda: FairSharePolicy(entry_penalty_s=-1),
    "a window without time": lambda: ReservedWindow(Millis(5), Millis(5)),
    "a day from UTC": lambda: SiteClock(1440),
    "a day behind UTC": lambda: OffsetChange(Millis(0), -1440),
    "two changes at once": lambda: SiteClock(
        0, (OffsetChange(Millis(1), 60), OffsetChange(Millis(1), 0))
    ),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        make()


CHANGES = SiteClock(60, (OffsetChange(Millis(100), 120), OffsetChange(Millis(200), 60)))


@pytest.mark.parametrize(
    ("at", "offset", "following"),
    [(0, 60, 100), (99, 60, 100), (100, 120, 200), (199, 120, 200), (200, 60, None)],
)
def test_offset_of_the_site_changes_at_its_moments(
    at: int, offset: int, following: int | None
) -> None:
    assert CHANGES.offset_min(Millis(at)) == offset
    assert CHANGES.next_change(Millis(at)) == following
