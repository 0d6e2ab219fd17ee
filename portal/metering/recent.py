"""The last 24 hours and the 24 hours before them, by the rules of the meter but to the moment.

The statements are built from those that the meter derives its days with, so that at midnight of the
site the last 24 hours are what the meter has of the day.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.postgresql.column_lists import fill_columns
from portal.common.work_kinds import kinds_where
from portal.metering.ledger import (
    DEVICE,
    DEVICE_DAY,
    HELD_AND_ENDED,
    HELD_IN_GROUPS,
    IDLE_BELOW_PCT,
    PREEMPTED_CAUSES,
    SAMPLED,
    SEGMENT,
    WAIT_MS,
)
from portal.workloads.retry import INFRASTRUCTURE_CAUSES

WINDOW: Final = timedelta(days=1)
"""How long "recent" is; as much before it is for comparison."""
_SCOPE: Final = "(%(groups)s::uuid[] IS NULL OR group_id = ANY(%(groups)s::uuid[]))"
_AMOUNTS: Final = fill_columns(
    """
WITH {segment}, {held}, {device}, {device_day}, {sampled}
SELECT day, sum(held)::bigint, sum(sampled)::bigint, sum(idle)::bigint, sum(busy)::bigint
FROM (
    SELECT day, sum(milli * (ends - begins)) AS held, 0 AS sampled, 0 AS idle, 0 AS busy
    FROM device_day GROUP BY day
    UNION ALL
    SELECT day, 0, sum(milli_ms), coalesce(sum(milli_ms) FILTER (WHERE pct < %(idle_below)s), 0),
        sum(milli_ms * pct / 100)
    FROM sampled GROUP BY day
) part GROUP BY day
""",
    segment=SEGMENT,
    held=HELD_IN_GROUPS,
    device=DEVICE,
    device_day=DEVICE_DAY,
    sampled=SAMPLED,
)
# A gang has ended once, when its first rank has.
_ENDS: Final = fill_columns(
    """
WITH {segment}, {held}
SELECT segment.day, held.outcome, count(*) FROM held JOIN segment
    ON held.until > segment.since AND held.until <= segment.until
WHERE held.outcome <> 'running' GROUP BY 1, 2
""",
    segment=SEGMENT,
    held=HELD_AND_ENDED,
)
# What was started in a window is still held, or was released after it began: both are indexed.
_WAITS: Final = fill_columns(
    """
SELECT part.day, count(*), percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY {wait_ms})
FROM workloads_allocation started JOIN workloads_workload work ON work.id = started.workload_id
JOIN unnest(%(days)s::date[], %(begins)s::timestamptz[], %(ends)s::timestamptz[])
    AS part (day, begins_at, ends_at)
    ON started.created_at >= part.begins_at AND started.created_at < part.ends_at
WHERE started.rank = 0 AND started.epoch = 1 AND started.created_at >= %(first)s
    AND (started.released_at IS NULL OR started.released_at >= %(first)s) AND {scope}
GROUP BY part.day
""",
    wait_ms=WAIT_MS,
    scope=_SCOPE,
)


@dataclass(slots=True)
class RecentUse:
    """What was held and used in one window, what ended in it, and how long its starts had waited."""

    begins_at: datetime
    ends_at: datetime
    gpu_milli_ms: int = 0
    sampled_milli_ms: int = 0
    """As much of it as has samples of its use."""
    idle_milli_ms: int = 0
    busy_milli_ms: int = 0
    ended: dict[str, int] = field(default_factory=dict)
    """Attempts that ended, by their outcome."""
    started: int = 0
    """Work that was started for the first time."""
    wait_p50_s: int | None = None
    wait_p95_s: int | None = None


def recent_use_for_system(
    until: datetime, groups: Collection[UUID] | None
) -> tuple[RecentUse, RecentUse]:
    """Return the 24 hours before a moment and those before them, of these groups or of all."""
    last = RecentUse(until - WINDOW, until)
    before = RecentUse(until - 2 * WINDOW, until - WINDOW)
    # Windows stand for days in the statements; their dates only tell them apart.
    windows = {before.begins_at.date(): before, last.begins_at.date(): last}
    params = _params(windows, groups)
    for day, *amounts in _fetch(_AMOUNTS, params):
        found = windows[day]
        found.gpu_milli_ms, found.sampled_milli_ms, *rest = amounts
        found.idle_milli_ms, found.busy_milli_ms = rest
    for day, outcome, count in _fetch(_ENDS, params):
        windows[day].ended[outcome] = count
    for day, count, (p50_ms, p95_ms) in _fetch(_WAITS, params):
        found = windows[day]
        found.started, found.wait_p50_s, found.wait_p95_s = count, p50_ms // 1000, p95_ms // 1000
    return last, before


def _params(windows: Mapping[date, RecentUse], groups: Collection[UUID] | None) -> dict[str, Any]:
    parts = list(windows.values())
    return {
        "days": list(windows),
        "begins": [part.begins_at for part in parts],
        "ends": [part.ends_at for part in parts],
        "first": parts[0].begins_at,
        "last": parts[-1].ends_at,
        "until": parts[-1].ends_at,
        "reported": [],
        "named": [],
        "preempted": list(PREEMPTED_CAUSES),
        "kept": kinds_where(lambda terms: terms.is_kept),
        "lost": sorted(INFRASTRUCTURE_CAUSES),
        "idle_below": IDLE_BELOW_PCT,
        "groups": None if groups is None else list(groups),
    }


def _fetch(statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
