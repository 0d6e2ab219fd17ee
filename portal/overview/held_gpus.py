"""GPUs that live work holds now, and which of them are idle.

The overview and the map of cards start from the same statement, so that they name the same GPUs idle.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.core.cache import cache
from django.db import connection

from portal.common.clock import now
from portal.metering.ledger import IDLE_BELOW_PCT

IDLE_OVER: Final = timedelta(minutes=10)
"""GPUs are idle while the mean of their use over so long is below `IDLE_BELOW_PCT`."""
MINUTES_LATE: Final = timedelta(minutes=4)
"""Minutes are rolled up so much later at most; if they are later, the use is not known."""
TO_THE_MINUTE: Final = timedelta(hours=1)
"""So far back the beginning of idleness is known to the minute, before that to the hour."""
TO_THE_HOUR: Final = timedelta(days=3)
"""So far back it is looked for."""

IDLE_FACTS_FOR: Final = timedelta(seconds=90)
"""How long it is kept who is idle; it is refreshed every half minute, and minutes are rolled up once in one."""
_KEPT_AS: Final = "overview.idle"

# Only of work that does not use its GPUs is the state looked up.
# OFFSET 0, here and below: without it, PostgreSQL reads all work and all minutes of the past to join the
# little that runs. The index of minutes by time alone does not know the newest before the next vacuum.
_USE: Final = """
SELECT live.id::text, recent.pct, CASE WHEN recent.pct < %(idle_below)s
        AND coalesce(live.gpus_since, live.started_at, live.created_at) <= %(idle_after)s
    THEN (SELECT found.state FROM workloads_workload found WHERE found.id = live.workload_id)
        = 'running' ELSE false END
FROM workloads_allocation live
CROSS JOIN LATERAL (
    SELECT round(avg(minute.gpu_utilisation_pct))::integer AS pct
    FROM telemetry_work_minute minute
    WHERE minute.series = live.id AND minute.at >= %(used_after)s
        AND minute.at <= %(now)s OFFSET 0
) recent
WHERE live.state IN ('reserved', 'bound', 'lost') AND live.total_gpu_milli > 0
    AND recent.pct IS NOT NULL
"""
# Where no minute was busy, the hours before them are asked; an hour is busy by its mean.
_SINCE: Final = """
SELECT held.id::text, greatest(coalesce(held.gpus_since, held.started_at, held.created_at), coalesce(
    (SELECT minute.at + interval '1 minute' FROM telemetry_work_minute minute
        WHERE minute.series = held.id AND minute.at >= %(minutes_after)s
            AND minute.gpu_utilisation_pct >= %(idle_below)s
        ORDER BY minute.at DESC LIMIT 1),
    (SELECT least(hour.at + interval '1 hour', %(minutes_after)s) FROM telemetry_work_hour hour
        WHERE hour.series = held.id AND hour.at >= %(hours_after)s
            AND hour.at < %(minutes_after)s AND hour.gpu_utilisation_pct >= %(idle_below)s
        ORDER BY hour.at DESC LIMIT 1),
    %(hours_after)s))
FROM workloads_allocation held WHERE held.id = ANY(%(held)s::uuid[])
"""
# Ids come as one text: that is bound and read faster than thousands of parameters.
_SUMS: Final = """
WITH held AS MATERIALIZED (
    SELECT live.id, CASE WHEN idle.id IS NOT NULL THEN work.id END AS idle_work, work.group_id, work.owner_id, node.pool_id,
        live.total_gpu_milli AS milli, idle.pct, idle.id IS NOT NULL AS is_idle,
        measured.id IS NULL AS is_unmeasured,
        row_number() OVER (PARTITION BY work.id ORDER BY live.id) = 1 AS is_first
    FROM workloads_allocation live
    CROSS JOIN LATERAL (
        SELECT found.id, found.group_id, found.owner_id
        FROM workloads_workload found WHERE found.id = live.workload_id OFFSET 0
    ) work
    JOIN inventory_node node ON node.id = live.node_id
    LEFT JOIN unnest(string_to_array(%(idle)s, ',')::uuid[],
        string_to_array(%(pcts)s, ',')::integer[]) AS idle (id, pct) ON idle.id = live.id
    LEFT JOIN unnest(string_to_array(%(measured)s, ',')::uuid[]) AS measured (id)
        ON measured.id = live.id
    WHERE live.state IN ('reserved', 'bound', 'lost') AND live.total_gpu_milli > 0
        AND (%(groups)s::uuid[] IS NULL OR work.group_id = ANY(%(groups)s::uuid[]))
), summed AS (
    SELECT CASE WHEN grouping(group_id) = 0 THEN 'group' WHEN grouping(owner_id) = 0 THEN 'owner'
            WHEN grouping(pool_id) = 0 THEN 'pool' WHEN grouping(idle_work) = 0 THEN 'workload'
            ELSE 'all' END AS of,
        coalesce(group_id, owner_id, pool_id, idle_work) AS key, coalesce(sum(milli), 0)::bigint AS milli,
        coalesce(sum(milli) FILTER (WHERE is_idle), 0)::bigint AS idle_milli,
        coalesce(sum(milli) FILTER (WHERE is_unmeasured), 0)::bigint AS unmeasured_milli,
        count(*) FILTER (WHERE is_first) AS workloads, max(pct) AS idle_pct,
        string_agg(id::text, ',') FILTER (WHERE is_idle) AS idle_ids
    FROM held GROUP BY GROUPING SETS ((), (group_id), (owner_id), (pool_id), (idle_work))
), ranked AS (
    SELECT *, count(*) OVER (PARTITION BY of) AS total, row_number() OVER (
        PARTITION BY of ORDER BY CASE of WHEN 'workload' THEN idle_milli ELSE milli END DESC, key
    ) AS place
    FROM summed WHERE of <> 'workload' OR idle_milli > 0
)
SELECT of, key, milli, idle_milli, unmeasured_milli, workloads, total, idle_pct,
    CASE of WHEN 'workload' THEN idle_ids ELSE '' END
FROM ranked
WHERE place <= CASE of WHEN 'pool' THEN 1000 WHEN 'workload' THEN %(most_idle)s ELSE %(most)s END
ORDER BY of, place
"""


@dataclass(frozen=True, slots=True)
class IdleFacts:
    """Which live allocations use their GPUs, by the id of each as text."""

    at: datetime
    measured: str
    """Ids of all that are measured, with commas between them."""
    idle: Mapping[str, int]
    """Mean use of those that are idle, in percent."""
    since: Mapping[str, datetime]
    """Since when those have not used their GPUs."""


class HolderKind(StrEnum):
    """By what held GPUs are summed up."""

    ALL = "all"
    GROUP = "group"
    OWNER = "owner"
    POOL = "pool"
    """Of the nodes, which may have lent their GPUs to another pool's work."""
    WORKLOAD = "workload"
    """Only work with idle GPUs."""


@dataclass(frozen=True, slots=True)
class HeldSum:
    """GPUs that one holder has now, in thousandths; of a workload those that are idle only."""

    of: str
    key: UUID | None
    gpu_milli: int = 0
    idle_milli: int = 0
    unmeasured_milli: int = 0
    workloads: int = 0
    total: int = 0
    """How many holders of its kind there are."""
    idle_pct: int | None = None
    """Mean use of what is idle."""
    idle_allocations: str = ""
    """Of a workload: ids, with commas between them."""


def held_sums_for_system(
    groups: Collection[UUID] | None, facts: IdleFacts, *, most: int, most_idle: int
) -> Mapping[str, list[HeldSum]]:
    """Return what live work of these groups, or of all, holds now, by `HolderKind` (one query).

    Groups and owners are those `most` that hold most, workloads those with most idle GPUs.
    """
    found: dict[str, list[HeldSum]] = {kind.value: [] for kind in HolderKind}
    params = {
        "groups": None if groups is None else list(groups),
        "idle": ",".join(facts.idle),
        "pcts": ",".join(map(str, facts.idle.values())),
        "measured": facts.measured,
        "most": most,
        "most_idle": most_idle,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SUMS, params)
        for row in cursor.fetchall():
            found[row[0]].append(HeldSum(*row))
    return found


def idle_facts_for_system() -> IdleFacts:
    """Return which live allocations are idle and since when, a little while old at most."""
    kept: IdleFacts | None = cache.get(_KEPT_AS)
    if kept is not None and abs(now() - kept.at) <= IDLE_FACTS_FOR:
        return kept
    return refresh_idle_facts()


def refresh_idle_facts() -> IdleFacts:
    """Find out which live allocations are idle, and keep it for who asks next."""
    found = _read_idle_facts(now())
    cache.set(_KEPT_AS, found, IDLE_FACTS_FOR.total_seconds())
    return found


def _read_idle_facts(moment: datetime) -> IdleFacts:
    params: dict[str, Any] = {
        "now": moment,
        "used_after": moment - IDLE_OVER - MINUTES_LATE,
        "idle_after": moment - IDLE_OVER,
        "minutes_after": moment - TO_THE_MINUTE,
        "hours_after": moment - TO_THE_HOUR,
        "idle_below": IDLE_BELOW_PCT,
    }
    with connection.cursor() as cursor:
        cursor.execute(_USE, params)
        rows = cursor.fetchall()
        idle = {key: pct for key, pct, is_idle in rows if is_idle}
        cursor.execute(_SINCE, {**params, "held": list(idle)})
        since = dict(cursor.fetchall())
    return IdleFacts(moment, ",".join(row[0] for row in rows), idle, since)
