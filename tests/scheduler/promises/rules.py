"""The policies of generated sites, and the times at which their calendars change something."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Final

from scheduler.core.model.advance_reservations import AdvanceReservationView, ReservedWindow
from scheduler.core.model.entities import Millis, PoolId, PoolView
from scheduler.core.model.policy import (
    JobOrder,
    LendingPolicy,
    PoolPolicy,
    QueueRule,
    WeekWindow,
)

BEGIN: Final = Millis(4 * 86_400_000)
"""A Monday, 00:00 of the site."""
DEVELOPMENT, TRAINING, EXTRA = PoolId("development"), PoolId("training"), PoolId("extra")
SLICES: Final = 4


def draw_policies(draw: Random, minutes: int) -> tuple[PoolView, ...]:
    """Return a pool of slices, one of whole cards and sometimes another, with rules of their own.

    Their calendars change something within so many minutes.
    """
    extra = [PoolView(EXTRA, EXTRA, policy=_draw_policy(draw))] if draw.random() < 0.4 else []
    lends_for = minutes if draw.random() < 0.6 else 0
    return (
        PoolView(
            DEVELOPMENT, DEVELOPMENT, True, SLICES, 8192, _draw_policy(draw, lends_for=lends_for)
        ),
        *extra,
        PoolView(
            TRAINING,
            TRAINING,
            policy=_draw_policy(draw, falls_back=bool(extra) and draw.random() < 0.7),
        ),
    )


def _draw_policy(draw: Random, *, lends_for: int = 0, falls_back: bool = False) -> PoolPolicy:
    grace_s = draw.choice([0, 10, 60, 60, 300, 600])
    return PoolPolicy(
        queue=draw.choice([*[QueueRule.BEST_EFFORT] * 5, QueueRule.STRICT]),
        order=draw.choice(list(JobOrder)),
        turn_s=draw.choice([0, 0, 0, 60, 600]),
        backfill_depth=draw.choice([1, 1, 2, 8]),
        preemption=draw.random() < 0.8,
        reclaim=draw.random() < 0.8,
        min_runtime_s=draw.choice([0, 60, 300, 600, 600, 3600]),
        reclaim_min_runtime_s=draw.choice([0, 0, 300]),
        grace_s=grace_s,
        consolidate=draw.random() < 0.2,
        victims_max=draw.choice([1, 64, 64]),
        fall_back=(EXTRA,) if falls_back else (),
        lending=_draw_lending(draw, grace_s, lends_for)
        if lends_for
        else LendingPolicy(bound_s=max(120, grace_s)),
    )


def _draw_lending(draw: Random, grace_s: int, minutes: int) -> LendingPolicy:
    """Lend all day, or in one or two stretches."""
    starts = sorted(draw.sample(range(0, minutes, 5), draw.choice([0, 2, 4, 4])))
    windows = tuple(
        WeekWindow(begin, end) for begin, end in zip(starts[::2], starts[1::2], strict=True)
    )
    return LendingPolicy(
        to_pools=frozenset({TRAINING, EXTRA}),
        windows=windows,
        by_day=draw.random() < 0.5,
        keep_gpus=draw.randint(0, 2),
        bound_s=max(120, grace_s),
    )


def draw_windows(draw: Random, until: Millis) -> tuple[ReservedWindow, ...]:
    """Return one window, or several in equal distances: every hour or every day."""
    first = BEGIN + draw.randint(1, max((until - BEGIN) // 60_000 - 1, 1)) * 60_000
    length_ms = draw.choice([300, 600, 1800, 3600]) * 1000
    every_ms = draw.choice([length_ms + 60_000, 3_600_000 + length_ms, 86_400_000])
    return tuple(
        ReservedWindow(Millis(start), Millis(start + length_ms))
        for start in range(first, first + draw.choice([1, 1, 3]) * every_ms, every_ms)
    )


def edges_of(
    pools: Sequence[PoolView], reservations: Iterable[AdvanceReservationView], until: Millis
) -> list[Millis]:
    """Return the moments at which some window opens or closes."""
    found = {
        edge
        for each in reservations
        for window in each.windows
        for edge in (window.start, window.end)
    }
    for pool in pools:
        for hours in pool.policy.lending.windows:
            found |= {Millis(BEGIN + minute * 60_000) for minute in (hours.start, hours.end)}
    return sorted(edge for edge in found if edge <= until)
