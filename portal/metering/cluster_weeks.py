"""The whole cluster week by week: what was installed, held and busy, and which jobs succeeded."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.db import connection

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.postgresql.column_lists import fill_columns
from portal.common.work_kinds import kinds_where
from portal.metering.ledger import MONDAY
from portal.tenancy import policies

WEEKS_MAX: Final = 160
"""Weeks in one answer."""


@dataclass(frozen=True, slots=True)
class ClusterWeek:
    """One week of the whole cluster, and what it did with its GPUs."""

    week: date
    installed_ms: int
    """GPUs × milliseconds."""
    simulated_ms: int
    held_milli_ms: int
    sampled_milli_ms: int
    busy_milli_ms: int
    tasks: int
    """Training jobs that succeeded."""


_WEEKS: Final = fill_columns(
    """
SELECT week, sum(installed)::bigint, sum(simulated)::bigint, sum(held)::bigint,
    sum(sampled)::bigint, sum(busy)::bigint, sum(tasks)::bigint
FROM (
    SELECT {capacity_week} AS week, gpu_ms AS installed,
        CASE WHEN is_simulated THEN gpu_ms ELSE 0 END AS simulated,
        0 AS held, 0 AS sampled, 0 AS busy, 0 AS tasks
    FROM metering_capacityday WHERE day >= %(first)s
    UNION ALL
    SELECT week, 0, 0, gpu_milli_ms, sampled_milli_ms, busy_milli_ms, 0
    FROM metering_usageweek WHERE week >= %(first)s
    UNION ALL
    SELECT {ended_week}, 0, 0, 0, 0, 0, count(*)
    FROM metering_workstart
    WHERE ended_day >= %(first)s AND kind = ANY(%(kinds)s) AND ended_as = 'succeeded' GROUP BY ended_day
) part GROUP BY week ORDER BY week
""",
    capacity_week=fill_columns(MONDAY, day="day"),
    ended_week=fill_columns(MONDAY, day="ended_day"),
)


def cluster_weeks_visible_to(actor: Actor, today: date, weeks: int) -> list[ClusterWeek]:
    """Return the last weeks of the whole cluster, for those who see all of it."""
    policies.require(actor, Action.SITE_VIEW, None)
    first = today - timedelta(days=today.weekday() + 7 * (weeks - 1))
    with connection.cursor() as cursor:
        kinds = kinds_where(lambda terms: terms.runs_to_end)
        cursor.execute(_WEEKS, {"first": first, "kinds": kinds})
        return [ClusterWeek(*row) for row in cursor.fetchall()]
