"""How often a rule would have fired in the past, for the kinds whose facts have a stored past.

Samples are read by the minute, as stretches that meet the condition or do not; whether an alarm fires
in them is decided as it is each minute. How far back depends on how many series there are, so that the
answer takes seconds also on a large site.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.alarms.decisions import Condition, PastStretch, count_firings
from portal.alarms.facts import USE_OVER
from portal.alarms.kinds import AlarmKind
from portal.inventory.models import Accelerator
from portal.telemetry.retention import kept_for_system
from portal.telemetry.tables import MINUTE

DAYS_MAX: Final = 30
"""Days of the past on which a rule is tried."""
SAMPLES_MAX: Final = 5_000_000
"""Samples that one trial reads; where there are more, it goes back less far."""
STRETCHES_MAX: Final = 500_000
"""Stretches that one trial decides about; beyond, it counts too few."""
_MINUTES: Final = 24 * 60
_STEP: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A rule as it would be."""

    kind: AlarmKind
    condition: Condition
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
    is_sampled = query.kind in _SAMPLED
    days = _days_of_samples() if is_sampled else DAYS_MAX
    params: dict[str, Any] = {
        "threshold": query.condition.threshold,
        "duration": query.condition.duration,
        "pool": query.pool,
        "groups": None if query.groups is None else list(query.groups),
        "now": query.now,
        "since": query.now - timedelta(days=days),
        "day": (query.now - timedelta(days=days)).date(),
        "over": USE_OVER - _STEP,
        "most": STRETCHES_MAX,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        rows = cursor.fetchall()
    count = _fired(query.condition, rows) if is_sampled else int(rows[0][0])
    return PastFirings(count, days)


def _fired(condition: Condition, rows: list[tuple[Any, ...]]) -> int:
    """Return how often alarms would have fired in the stretches of all subjects, which are in order."""
    subjects = groupby(rows, key=itemgetter(0))
    return sum(
        count_firings(condition, (PastStretch(*row[1:]) for row in stretches))
        for _, stretches in subjects
    )


def _days_of_samples() -> int:
    series = max(1, Accelerator.objects.count())
    kept = kept_for_system()[MINUTE.name].days
    return max(1, min(DAYS_MAX, kept, SAMPLES_MAX // (series * _MINUTES)))


_STRETCHES: Final = """
WITH known AS ({known}), marked AS (
    SELECT subject, at, value, coalesce(at - lag(at) OVER course > interval '1 minute'
        OR ({is_met}) <> lag({is_met}) OVER course, true) AS is_first
    FROM known WINDOW course AS (PARTITION BY subject ORDER BY at)
), numbered AS (
    SELECT subject, at, value, count(*) FILTER (WHERE is_first)
        OVER (PARTITION BY subject ORDER BY at) AS stretch
    FROM marked
)
SELECT subject, min(at), max(at), min(value) FROM numbered
GROUP BY subject, stretch ORDER BY subject, min(at) LIMIT %(most)s
"""
"""`known` are the values by subject and minute."""
_GPU_HOT: Final = _STRETCHES.format(
    is_met="value >= %(threshold)s",
    known="""
    SELECT sample.series::text AS subject, sample.at, sample.temperature_c AS value
    FROM telemetry_card_minute sample JOIN inventory_accelerator card ON card.id = sample.series
    WHERE sample.at >= %(since)s AND sample.temperature_c IS NOT NULL
        AND (%(pool)s::uuid IS NULL OR card.pool_id = %(pool)s::uuid)
""",
)
_GPU_IDLE: Final = _STRETCHES.format(
    is_met="value <= %(threshold)s",
    known="""
    SELECT held.workload_id || ' ' || held.epoch AS subject, used.at,
        max(round(used.pct))::bigint AS value
    FROM (
        SELECT series, at, avg(gpu_utilisation_pct) OVER (
            PARTITION BY series ORDER BY at RANGE BETWEEN %(over)s PRECEDING AND CURRENT ROW
        ) AS pct
        FROM telemetry_work_minute
        WHERE at >= %(since)s AND gpu_utilisation_pct IS NOT NULL
    ) used
    JOIN workloads_allocation held ON held.id = used.series AND held.total_gpu_milli > 0
    JOIN workloads_workload work ON work.id = held.workload_id
    WHERE coalesce(held.gpus_since, held.started_at, held.created_at) <= used.at - %(over)s
        AND (%(pool)s::uuid IS NULL OR held.pool_id = %(pool)s::uuid)
        AND (%(groups)s::uuid[] IS NULL OR work.group_id = ANY(%(groups)s::uuid[]))
    GROUP BY held.workload_id, held.epoch, used.at
""",
)
"""As the rule: of each attempt the busiest rank, by its mean over some minutes, once it has held its GPUs so long."""
_WORK_WAITING: Final = """
WITH waited AS (
    SELECT began.pool_id, began.group_id FROM metering_workstart began
    WHERE began.day >= %(day)s AND began.wait_ms >= %(threshold)s * 60000::bigint
        AND began.wait_ms >= extract(epoch FROM %(duration)s) * 1000
        AND NOT EXISTS (
            SELECT FROM workloads_workload task WHERE task.id = began.workload_id
                AND task.array_id IS NOT NULL AND NOT task.heads_array
        )
    UNION ALL
    SELECT work.pool_id, work.group_id FROM workloads_workload work
    WHERE (work.state = 'queued' OR work.finished_at >= %(since)s)
        AND work.held_by = '' AND (work.array_id IS NULL OR work.heads_array)
        AND greatest(work.queued_at, work.not_before, work.retry_at)
            <= coalesce(work.finished_at, %(now)s)
                - greatest(%(threshold)s * interval '1 minute', %(duration)s)
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
"""Waits that ended with a start, those that still continue, and those that were given up."""
_TIME_LIMIT_NEAR: Final = """
SELECT count(*) FROM workloads_allocation held
JOIN workloads_workload work ON work.id = held.workload_id
WHERE held.rank = 0 AND held.started_at >= %(since)s
    AND work.time_limit_s > 2 * 60 * %(threshold)s
    AND coalesce(held.finished_at, %(now)s) - held.started_at
        > (work.time_limit_s - 60 * (%(threshold)s + 1)) * interval '1 second' + %(duration)s
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
