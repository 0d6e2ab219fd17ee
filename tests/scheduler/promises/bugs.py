"""The planted bugs: each rule must be broken by the one that it is there for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from scheduler.core import cycle
from scheduler.core.actions import (
    consolidate,
    evictions,
    lending,
    preempt,
    reclaim,
    start_inside,
)
from scheduler.core.actions.victims import is_evictable
from scheduler.core.capacity import reserved_devices
from scheduler.core.capacity.notice import leaving_s
from scheduler.core.explain.open_ends import OpenEndReasons
from scheduler.core.model.entities import RunningWorkload
from scheduler.core.quotas.budget import BudgetBook
from scheduler.core.reservation import expected_start, published, reservations
from scheduler.core.timeline.pool_timeline import DAY_MS, end_after


@dataclass(frozen=True)
class Bug:
    """One mistake, the rule that must notice it, and the seeds among which it shows."""

    name: str
    breaks: str
    plant: Callable[[pytest.MonkeyPatch], None]
    seeds: range


def _protects_nobody(patch: pytest.MonkeyPatch) -> None:
    """Every rule may evict what has only just begun."""

    for rule in (preempt, reclaim, consolidate):
        patch.setattr(rule, "is_evictable", _at_once)


def _at_once(work: Any, ledger: Any, _protected_s: int) -> bool:
    return is_evictable(work, ledger, 0)


def _starts_inside_to_the_end(patch: pytest.MonkeyPatch) -> None:
    """Work that has just left for the end of a window starts in it again."""
    patch.setattr(
        start_inside, "fits_in_window", lambda _work, _policy, starts, window: starts < window.end
    )


def _starts_beside_a_window_until_the_notice(patch: pytest.MonkeyPatch) -> None:
    """Guests take reserved devices however soon they must leave them."""
    patch.setattr(reserved_devices, "stay_s", lambda _work, policy: leaving_s(policy))


def _lends_as_the_hour_is(patch: pytest.MonkeyPatch) -> None:
    """Looks at the calendar of this moment only."""

    def most_to_keep(policy: Any, since: Any, _until: Any, clock: Any) -> int | None:
        return lending.gpus_to_keep(policy, since, clock)

    patch.setattr(lending, "most_to_keep", most_to_keep)


def _forgets_in_silence(patch: pytest.MonkeyPatch) -> None:
    """Each decision reserves anew, and tells nobody what it moved."""
    patch.setattr(cycle, "keep_published", lambda _: None)
    patch.setattr(cycle, "find_moved", lambda *_: ())


def _forgets_what_was_published(patch: pytest.MonkeyPatch) -> None:
    """Each decision reserves anew, in the order of that moment."""
    patch.setattr(cycle, "keep_published", lambda _: None)


def _lets_others_take_what_is_cleared(patch: pytest.MonkeyPatch) -> None:
    """What a victim leaves is for whoever comes first."""
    patch.setattr(published, "keep_cleared", lambda *_: False)
    patch.setattr(evictions._EvictionPlanner, "_clear_for", lambda *_: None)


def _takes_an_open_end_for_one_not_known_yet(patch: pytest.MonkeyPatch) -> None:
    """Work with an open end counts as work that is being set up."""
    patch.setattr(RunningWorkload, "is_open_ended", property(lambda _: False))


def _takes_an_open_end_for_a_century(patch: pytest.MonkeyPatch) -> None:
    """What an open end will hold is expected back in a hundred years."""

    def in_a_century(start: int, seconds: int | None, now: Any) -> int:
        return now + 36_500 * DAY_MS if seconds is None else end_after(start, seconds, now)

    for module in (expected_start, reservations):
        patch.setattr(module, "end_after", in_a_century)


def _keeps_silent_about_open_ends(patch: pytest.MonkeyPatch) -> None:
    """What waits behind an open end only learns that too little is free."""
    patch.setattr(OpenEndReasons, "find", lambda *_: ())


def _forgets_the_periods_to_come(patch: pytest.MonkeyPatch) -> None:
    """An open end starts if the present period of its budgets lasts for it."""
    patch.setattr(BudgetBook, "_may_last", lambda *_: True)


OPEN_END_BUGS: Final = [
    Bug(plant.__name__.strip("_"), breaks, plant, seeds)
    for plant, breaks, seeds in (
        (
            _takes_an_open_end_for_one_not_known_yet,
            "no_reserved_start_counts_on_an_open_end",
            range(1, 40),
        ),
        (
            _takes_an_open_end_for_one_not_known_yet,
            "no_expected_start_counts_on_an_open_end",
            range(1, 40),
        ),
        (_keeps_silent_about_open_ends, "open_ends_in_the_way_are_named", range(40)),
        (_takes_an_open_end_for_a_century, "no_time_is_absurd", range(1, 40)),
        (_forgets_the_periods_to_come, "no_budget_is_exceeded_by_open_ends", range(9, 40)),
    )
]
"""Bugs of worlds with open ends."""
BUGS: Final = [
    Bug(plant.__name__.strip("_"), breaks, plant, seeds)
    for plant, breaks, seeds in (
        (_protects_nobody, "protected_run_time_is_kept", range(14, 50)),
        (_starts_inside_to_the_end, "nobody_leaves_twice_for_one_cause", range(11, 50)),
        (_starts_inside_to_the_end, "nobody_starts_to_leave", range(11, 50)),
        (_starts_beside_a_window_until_the_notice, "nobody_starts_to_leave", range(9, 50)),
        (_lends_as_the_hour_is, "nobody_starts_to_leave", range(51, 100)),
        (_forgets_in_silence, "published_starts_are_kept", range(30)),
        (_forgets_what_was_published, "starts_move_for_named_causes", range(60)),
        (_lets_others_take_what_is_cleared, "what_is_cleared_stays", range(60)),
    )
]
