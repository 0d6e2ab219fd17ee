"""How often a rule would have fired in the past, for the kinds whose facts have a stored past.

Samples are counted by the minute; how far back depends on how many series there are, so that the
answer takes seconds also on a large site.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.alarms.decisions import CLEAR_AFTER
from portal.alarms.kinds import AlarmKind
from portal.inventory.models import Accelerator
from portal.telemetry.retention import kept_for_system
from portal.telemetry.tables import MINUTE

DAYS_MAX: Final = 30
"""Days of the past on which a rule is tried."""
SAMPLES_MAX: Final = 5_000_000
"""Samples that one trial reads; where there are more, it goes back less far."""
_MINUTES: Final = 24 * 60


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A rule as it would be."""

    kind: AlarmKind
    threshold: int
    duration: timedelta
    pool: UUID | None
    groups: Collection[UUID] | None
    """The group of the rule and those below it; None is all."""
    now: datetime


@dataclass(frozen=True, slots=True)
class PastFirings:
    """How often a rule would have fired, in how many days."""

    count: int
    days: int


def count_past_firings(query: PastQuery) -> PastFirings | None:
    """Return how often a rule would have fired; None where the past of its facts is not stored."""
    statement = _STATEMENTS.get(query.kind)
    if statement is None:
        return None
    days = _days_of_samples() if query.kind in _SAMPLED else DAYS_MAX
    params: dict[str, Any] = {
        "threshold": query.threshold,
        "duration": query.duration,
        "gap": CLEAR_AFTER + timedelta(minutes=1),
        "pool": query.pool,
        "groups": None if query.groups is None else list(query.groups),
        "now": query.now,
        "since": query.now - timedelta(days=days),
        "day": (query.now - timedelta(days=days)).date(),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return PastFirings(int(cursor.fetchone()[0]), days)


def _days_of_samples() -> int:
    series = max(1, Accelerator.objects.count())
    kept = kept_for_system()[MINUTE.name].days
    return max(1, min(DAYS_MAX, kept, SAMPLES_MAX // (series * _MINUTES)))


_RUNS: Final = """
WITH met AS ({met}), marked AS (
    SELECT series, at, at - lag(at) OVER (PARTITION BY series ORDER BY at) > %(gap)s AS is_first
    FROM met
), numbered AS (
    SELECT series, at, count(*) FILTER (WHERE is_first) OVER (PARTITION BY series ORDER BY at) AS run
    FROM marked
)
SELECT count(*) FROM (
    SELECT FROM numbered GROUP BY series, run HAVING max(at) - min(at) >= %(duration)s
) found
"""
"""Times without a pause longer than the one after which an alarm resolves, as long as the duration."""
_GPU_HOT: Final = _RUNS.format(
    met="""
    SELECT sample.series, sample.at FROM telemetry_card_minute sample
    JOIN inventory_accelerator card ON card.id = sample.series
    WHERE sample.at >= %(since)s AND sample.temperature_c >= %(threshold)s
        AND (%(pool)s::uuid IS NULL OR card.pool_id = %(pool)s::uuid)
"""
)
_GPU_IDLE: Final = _RUNS.format(
    met="""
    SELECT sample.series, sample.at FROM telemetry_work_minute sample
    JOIN workloads_allocation held ON held.id = sample.series AND held.rank = 0
    JOIN workloads_workload work ON work.id = held.workload_id
    WHERE sample.at >= %(since)s AND sample.gpu_utilisation_pct <= %(threshold)s
        AND (%(pool)s::uuid IS NULL OR held.pool_id = %(pool)s::uuid)
        AND (%(groups)s::uuid[] IS NULL OR work.group_id = ANY(%(groups)s::uuid[]))
        AND EXISTS (SELECT FROM workloads_allocationdevice WHERE allocation_id = held.id)
"""
)
_WORK_WAITING: Final = """
WITH waited AS (
    SELECT began.pool_id, began.group_id FROM metering_workstart began
    WHERE began.day >= %(day)s AND began.wait_ms >= %(threshold)s * 60000::bigint
        AND NOT EXISTS (
            SELECT FROM workloads_workload task WHERE task.id = began.workload_id
                AND task.array_id IS NOT NULL AND NOT task.heads_array
        )
    UNION ALL
    SELECT work.pool_id, work.group_id FROM workloads_workload work
    WHERE (work.state = 'queued' OR work.finished_at >= %(since)s)
        AND work.held_by = '' AND (work.array_id IS NULL OR work.heads_array)
        AND greatest(work.queued_at, work.not_before, work.retry_at)
            <= coalesce(work.finished_at, %(now)s) - %(threshold)s * interval '1 minute'
        AND NOT EXISTS (
            SELECT FROM workloads_allocation
            WHERE workload_id = work.id AND created_at >= work.queued_at
        )
        AND NOT EXISTS (
            SELECT FROM workloads_dependency dep
            WHERE (dep.workload_id = work.id OR dep.array_id = work.array_id)
                AND (dep.settled_at IS NULL OR dep.settled_at >= work.finished_at)
        )
)
SELECT count(*) FROM waited
WHERE (%(pool)s::uuid IS NULL OR pool_id = %(pool)s::uuid)
    AND (%(groups)s::uuid[] IS NULL OR group_id = ANY(%(groups)s::uuid[]))
"""
"""Waits that ended with a start, those that still go on, and those that were given up."""
_TIME_LIMIT_NEAR: Final = """
SELECT count(*) FROM workloads_allocation held
JOIN workloads_workload work ON work.id = held.workload_id
WHERE held.rank = 0 AND held.started_at >= %(since)s AND held.finished_at IS NOT NULL
    AND work.time_limit_s > 2 * 60 * %(threshold)s
    AND held.finished_at - held.started_at
        >= (work.time_limit_s - 60 * %(threshold)s) * interval '1 second'
    AND (%(pool)s::uuid IS NULL OR held.pool_id = %(pool)s::uuid)
    AND (%(groups)s::uuid[] IS NULL OR work.group_id = ANY(%(groups)s::uuid[]))
"""
_SAMPLED: Final = {AlarmKind.GPU_HOT, AlarmKind.GPU_IDLE}
_STATEMENTS: Final[Mapping[AlarmKind, str]] = {
    AlarmKind.GPU_HOT: _GPU_HOT,
    AlarmKind.GPU_IDLE: _GPU_IDLE,
    AlarmKind.WORK_WAITING: _WORK_WAITING,
    AlarmKind.TIME_LIMIT_NEAR: _TIME_LIMIT_NEAR,
}
