"""SQL of the meter: from the ledger of what was held to amounts by day.

Moments are taken in whole milliseconds since the epoch, rounded down, so that the parts of an
allocation on several days add up to exactly the whole. That is the most costly part of the statements, so
what compares moments with many others is materialized: each is taken once.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.postgresql.column_lists import fill_columns
from portal.common.work_kinds import kinds_where
from portal.metering.energy import DRAWN, ENERGY, energy_params
from portal.site.carbon import CarbonFactors
from portal.site.days import DaySegment
from portal.workloads.operations.nodes import NODE_DRAINED
from portal.workloads.retry import INFRASTRUCTURE_CAUSES
from scheduler.core.model.plan import EvictionCause

IDLE_BELOW_PCT: Final = 5
"""Mean GPU use of an hour below which the GPUs were idle in it."""
NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Before the first run of the meter."""
PREEMPTED_CAUSES: Final = (*(cause.value for cause in EvictionCause), NODE_DRAINED)

# OFFSET 0, here and below: without it, PostgreSQL reads all work and all devices of the past to join
# those of a few days. `ending` is how the attempt left its placed states: the cause, and the state that
# it came to.
_HELD_AS: Final = """
held AS (
    SELECT past.id, past.rank, past.pool_id, work.group_id,
        coalesce(past.owner_id, work.owner_id) AS owner_id, work.kind,
        floor(extract(epoch FROM past.created_at) * 1000)::bigint AS since,
        floor(extract(epoch FROM least(coalesce(past.billed_until, past.released_at), %(until)s))
            * 1000)::bigint AS until,
        past.cpu_milli, past.memory_mib, {outcome} AS outcome
    FROM workloads_allocation past
    CROSS JOIN LATERAL ({work}) work
    {ending}
    WHERE {whose} past.created_at < %(last)s
        AND (past.released_at IS NULL OR past.released_at > %(first)s)
)
"""
_WORK: Final = """
SELECT found.group_id, found.owner_id, found.kind
FROM workloads_workload found WHERE found.id = past.workload_id OFFSET 0
"""
_NOBODY: Final = "SELECT NULL::uuid AS group_id, NULL::uuid AS owner_id, '' AS kind"
IN_GROUPS: Final = """
(%(groups)s::uuid[] IS NULL OR EXISTS (
    SELECT FROM workloads_workload found
    WHERE found.id = past.workload_id AND found.group_id = ANY(%(groups)s::uuid[])))
"""
"""A condition on attempts (`past`): their work is of these groups; null is of any."""
_OUTCOME: Final = """
CASE
    WHEN past.released_at IS NULL OR past.released_at > %(until)s
        OR ending.target IS NULL THEN 'running'
    WHEN ending.cause = ANY(%(preempted)s) THEN 'preempted'
    WHEN ending.cause = ANY(%(lost)s) THEN 'lost'
    WHEN ending.target = 'succeeded' THEN 'completed'
    WHEN ending.target IN ('failed', 'queued') THEN 'failed'
    WHEN work.kind = ANY(%(kept)s) THEN 'completed'
    ELSE 'stopped' END
"""
_ENDING: Final = """
LEFT JOIN LATERAL (
    SELECT (array_agg(event.cause ORDER BY event.id))[1] AS cause,
        (array_agg(event.to_state ORDER BY event.id DESC))[1] AS target
    FROM workloads_workloadevent event
    WHERE event.workload_id = past.workload_id AND event.epoch = past.epoch
        AND event.from_state IN ('placing', 'starting', 'running', 'stopping')
        AND event.to_state IN ('stopping', 'queued', 'suspended', 'succeeded', 'failed',
            'cancelled', 'expired')
) ending ON past.released_at IS NOT NULL
"""
HELD: Final = fill_columns(_HELD_AS, work=_WORK, outcome=_OUTCOME, ending=_ENDING, whose="")
HELD_IN_GROUPS: Final = fill_columns(
    _HELD_AS, work=_NOBODY, outcome="''", ending="", whose=f"{IN_GROUPS} AND"
)
"""The same of some groups, and without what would have to be looked up: its work, and how it ended."""
HELD_AND_ENDED: Final = fill_columns(
    _HELD_AS,
    work=_WORK,
    outcome=_OUTCOME,
    ending=_ENDING,
    whose=f"past.rank = 0 AND past.released_at <= %(until)s AND {IN_GROUPS} AND",
)
"""First ranks of some groups that hold nothing any more, with how that ended."""
HELD_BY_WORK: Final = fill_columns(
    _HELD_AS, work=_WORK, outcome="''", ending="", whose="past.workload_id = %(work)s AND"
)
HELD_BY_WORKS: Final = fill_columns(
    _HELD_AS,
    work=_NOBODY,
    outcome="''",
    ending="",
    whose="past.workload_id = ANY(%(works)s::uuid[]) AND",
)
SEGMENT: Final = """
segment AS MATERIALIZED (
    SELECT day, floor(extract(epoch FROM begins_at) * 1000)::bigint AS since,
        floor(extract(epoch FROM ends_at) * 1000)::bigint AS until
    FROM unnest(%(days)s::date[], %(begins)s::timestamptz[], %(ends)s::timestamptz[])
        AS given (day, begins_at, ends_at)
)
"""
# A whole card of a shared pool, as it is lent, is all of its slots: `taken` counts those of one grant.
DEVICE: Final = """
device AS MATERIALIZED (
    SELECT held.id, held.pool_id, held.group_id, held.owner_id, held.kind, held.outcome,
        part.accelerator_id,
        coalesce(named.name, card.model) AS model, part.counted_milli AS milli, part.memory_mib,
        part.gpu_milli > 0 OR part.taken < part.slices AS is_fraction,
        floor(extract(epoch FROM part.held_from) * 1000)::bigint AS since,
        least(held.until, floor(extract(epoch FROM part.released_at) * 1000)::bigint) AS until
    FROM held CROSS JOIN LATERAL (
        SELECT found.*,
            count(*) OVER (PARTITION BY found.accelerator_id, found.held_from) AS taken
        FROM workloads_allocationdevice found WHERE found.allocation_id = held.id OFFSET 0
    ) part
    JOIN inventory_accelerator card ON card.id = part.accelerator_id
    LEFT JOIN unnest(%(reported)s::text[], %(named)s::text[]) AS named (reported, name)
        ON named.reported = card.model
    WHERE part.held_from < %(last)s
)
"""
DEVICE_DAY: Final = """
device_day AS (
    SELECT device.*, segment.day, greatest(device.since, segment.since) AS begins,
        least(device.until, segment.until) AS ends
    FROM device JOIN segment ON device.since < segment.until AND device.until > segment.since
)
"""
# Hours of samples are series by allocation: of several GPUs they have the mean. They begin at whole
# seconds, which floating numbers hold exactly. OFFSET 0: each is converted once, not for each comparison.
SAMPLED: Final = """
sampled AS (
    SELECT part.day, part.group_id, part.owner_id, part.pool_id, part.model, part.kind, part.outcome,
        part.milli * greatest(least(part.ends, hour.since + 3600000)
            - greatest(part.begins, hour.since), 0) AS milli_ms, hour.pct
    FROM device_day part JOIN (
        SELECT series, date_part('epoch', at)::bigint * 1000 AS since,
            gpu_utilisation_pct AS pct
        FROM telemetry_work_hour
        WHERE at > %(first)s - interval '1 hour' AND at < %(last)s
            AND gpu_utilisation_pct IS NOT NULL
        OFFSET 0
    ) hour ON hour.series = part.id AND hour.since < part.ends
        AND hour.since + 3600000 > part.begins
)
"""
_AMOUNTS: Final = (
    *("gpu_milli_ms", "fraction_milli_ms", "gpu_memory_mib_ms", "cpu_milli_ms", "memory_mib_ms"),
    *("sampled_milli_ms", "idle_milli_ms", "busy_milli_ms"),
    *("measured_milli_ms", "energy_mj", "carbon_mg"),
)
# CPU and memory belong to the allocation: they count with the model of its GPUs.
_DERIVE: Final = fill_columns(
    """
WITH {segment}, {held}, {device}, {device_day}, {sampled}, {drawn}, {energy},
amount (day, group_id, user_id, pool_id, model, kind, outcome, {amounts}) AS (
    SELECT day, group_id, owner_id, pool_id, model, kind, outcome, milli * (ends - begins),
        CASE WHEN is_fraction THEN milli * (ends - begins) ELSE 0 END,
        memory_mib::bigint * (ends - begins), 0, 0, 0, 0, 0, 0, 0, NULL::numeric
    FROM device_day
    UNION ALL
    SELECT segment.day, held.group_id, held.owner_id, held.pool_id,
        coalesce(named.model, ''),
        held.kind, held.outcome, 0, 0, 0,
        held.cpu_milli
            * (least(held.until, segment.until) - greatest(held.since, segment.since)),
        held.memory_mib::bigint
            * (least(held.until, segment.until) - greatest(held.since, segment.since)), 0, 0, 0, 0, 0, NULL
    FROM held JOIN segment ON held.since < segment.until AND held.until > segment.since
    LEFT JOIN (SELECT id, min(model) AS model FROM device GROUP BY id) named ON named.id = held.id
    UNION ALL
    SELECT day, group_id, owner_id, pool_id, model, kind, outcome, 0, 0, 0, 0, 0, milli_ms,
        CASE WHEN pct < %(idle_below)s THEN milli_ms ELSE 0 END, milli_ms * pct / 100, 0, 0, NULL
    FROM sampled
    UNION ALL
    SELECT day, group_id, owner_id, pool_id, model, kind, outcome, 0, 0, 0, 0, 0, 0, 0, 0, milli_ms,
        energy_mj, carbon_mg
    FROM energy
)
INSERT INTO metering_usageday (day, group_id, user_id, pool_id, model, kind, outcome, {amounts})
SELECT day, group_id, user_id, pool_id, model, kind, outcome, {sums}
FROM amount GROUP BY day, group_id, user_id, pool_id, model, kind, outcome
ORDER BY day, group_id, user_id, pool_id, model, kind, outcome
""",
    segment=SEGMENT,
    held=HELD,
    device=DEVICE,
    device_day=DEVICE_DAY,
    sampled=SAMPLED,
    drawn=DRAWN,
    energy=ENERGY,
    amounts=", ".join(_AMOUNTS),
    sums=", ".join(f"sum({name})::bigint" for name in _AMOUNTS),
)
MONDAY: Final = "{day} - ({day} - date '0001-01-01') %% 7"
"""The first day of the week of a `{day}`; cheaper by far than to truncate a moment of a time zone."""
_SUM_GROUP_DAYS: Final = fill_columns(
    """
INSERT INTO metering_usagegroupday (day, group_id, model, {amounts})
SELECT day, group_id, model, {sums}
FROM metering_usageday WHERE day BETWEEN %(first)s AND %(last)s GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
""",
    amounts=", ".join(_AMOUNTS),
    sums=", ".join(f"sum({name})::bigint" for name in _AMOUNTS),
)
_SUM_WEEKS: Final = fill_columns(
    """
INSERT INTO metering_usageweek (week, group_id, user_id, model, {amounts})
SELECT {monday}, group_id, user_id, model, {sums}
FROM metering_usageday WHERE day BETWEEN %(first)s AND %(last)s GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
""",
    monday=fill_columns(MONDAY, day="day"),
    amounts=", ".join(_AMOUNTS),
    sums=", ".join(f"sum({name})::bigint" for name in _AMOUNTS),
)
_FIRST_CHANGED: Final = """
SELECT min(same.created_at) FROM workloads_allocation past
JOIN workloads_allocation same ON same.workload_id = past.workload_id AND same.epoch = past.epoch
WHERE past.released_at >= %s
"""
WAIT_MS: Final = """
floor(extract(epoch FROM greatest(started.created_at - greatest(work.submitted_at,
    coalesce(work.not_before, work.submitted_at)), interval '0')) * 1000)::bigint
"""
"""How long work waited from when it could start until it was `started`, its first allocation."""
_STARTS: Final = fill_columns(
    """
INSERT INTO metering_workstart AS known
    (workload_id, group_id, user_id, pool_id, kind, day, wait_ms, ended_day, ended_as)
SELECT work.id, work.group_id, work.owner_id, work.pool_id, work.kind, began.day, {wait_ms},
    ended.day, CASE WHEN work.finished_at IS NULL THEN '' ELSE work.state END
FROM workloads_workload work
JOIN workloads_allocation started
    ON started.workload_id = work.id AND started.rank = 0 AND started.epoch = 1
JOIN unnest(%(days)s::date[], %(begins)s::timestamptz[], %(ends)s::timestamptz[])
    AS began (day, begins_at, ends_at)
    ON started.created_at >= began.begins_at AND started.created_at < began.ends_at
LEFT JOIN unnest(%(days)s::date[], %(begins)s::timestamptz[], %(ends)s::timestamptz[])
    AS ended (day, begins_at, ends_at)
    ON work.finished_at >= ended.begins_at AND work.finished_at < ended.ends_at
WHERE work.id IN (
    SELECT workload_id FROM workloads_allocation
    WHERE released_at IS NULL OR released_at >= %(changed)s
    UNION SELECT workload_id FROM metering_workstart WHERE ended_day IS NULL)
ON CONFLICT (workload_id) DO UPDATE SET ended_day = EXCLUDED.ended_day, ended_as = EXCLUDED.ended_as
""",
    wait_ms=WAIT_MS,
)
_CAPACITY_AS: Final = """
INSERT INTO metering_capacityday AS known (day, pool_id, model, is_simulated, gpu_ms)
SELECT part.day, card.pool_id, coalesce(named.name, card.model), card.is_simulated,
    sum(floor(extract(epoch FROM {ends}) * 1000)::bigint
        - floor(extract(epoch FROM {begins}) * 1000)::bigint)
FROM inventory_accelerator card JOIN inventory_node node ON node.id = card.node_id
JOIN unnest(%(days)s::date[], %(begins)s::timestamptz[], %(ends)s::timestamptz[])
    AS part (day, begins_at, ends_at) ON {is_counted}
LEFT JOIN unnest(%(reported)s::text[], %(named)s::text[]) AS named (reported, name)
    ON named.reported = card.model
WHERE node.state <> 'retired' AND card.state <> 'gone'
GROUP BY part.day, card.pool_id, coalesce(named.name, card.model), card.is_simulated
ORDER BY 1, 2, 3, 4
ON CONFLICT (day, pool_id, model, is_simulated) DO UPDATE SET gpu_ms = known.gpu_ms + EXCLUDED.gpu_ms
"""
_CAPACITY: Final = fill_columns(
    _CAPACITY_AS,
    begins="greatest(part.begins_at, card.created_at)",
    ends="part.ends_at",
    is_counted="card.created_at < part.ends_at",
)
_PAST_CAPACITY: Final = fill_columns(
    _CAPACITY_AS,
    begins="part.begins_at",
    ends="least(part.ends_at, card.created_at)",
    is_counted="card.created_at > part.begins_at AND card.pool_id = ANY(%(pools)s::uuid[])",
)
"""As if these cards had been there before they were installed."""


def find_first_change(since: datetime) -> datetime | None:
    """Return the start of the oldest attempt that has ended since a moment; None if none has."""
    return _fetch_moment(_FIRST_CHANGED, [since])


def find_first_start() -> datetime | None:
    """Return the first moment of the ledger; None while it is empty."""
    return _fetch_moment("SELECT min(created_at) FROM workloads_allocation", [])


def _fetch_moment(statement: str, params: Sequence[Any]) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        found: datetime | None = cursor.fetchone()[0]
    return found


def write_days(
    segments: Sequence[DaySegment],
    until: datetime,
    names: Mapping[str, str],
    carbon: CarbonFactors,
) -> None:
    """Replace the rows of these whole days by what the ledger says up to a moment.

    `names` has the name of each GPU model by what drivers report.
    """
    days = sorted({segment.day for segment in segments})
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM metering_usageday WHERE day = ANY(%s)", [days])
        cursor.execute(
            _DERIVE,
            {
                **_columns(segments),
                **_models(names),
                **energy_params(segments, carbon),
                "until": until,
                "first": segments[0].begins_at,
                "last": segments[-1].ends_at,
                "preempted": list(PREEMPTED_CAUSES),
                "kept": kinds_where(lambda terms: terms.is_kept),
                "lost": sorted(INFRASTRUCTURE_CAUSES),
                "idle_below": IDLE_BELOW_PCT,
            },
        )
    sum_up(days[0], days[-1])


def sum_up(first: date, last: date) -> None:
    """Sum up these days by group again, and their weeks."""
    days = {"first": first, "last": last}
    monday, sunday = (
        first - timedelta(days=first.weekday()),
        last + timedelta(days=6 - last.weekday()),
    )
    weeks = {"first": monday, "last": sunday}
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM metering_usagegroupday WHERE day BETWEEN %(first)s AND %(last)s", days
        )
        cursor.execute(_SUM_GROUP_DAYS, days)
        cursor.execute(
            "DELETE FROM metering_usageweek WHERE week BETWEEN %(first)s AND %(last)s", weeks
        )
        cursor.execute(_SUM_WEEKS, weeks)


def write_starts(segments: Sequence[DaySegment], changed: datetime) -> None:
    """Write waits and ends of the work that has started or ended since a moment.

    `segments` are all days of the ledger, because old work may end today.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STARTS, {**_columns(segments), "changed": changed})


def add_capacity(segments: Sequence[DaySegment], names: Mapping[str, str]) -> None:
    """Count the GPUs that are installed now for these parts of days."""
    if segments:
        with connection.cursor() as cursor:
            cursor.execute(_CAPACITY, {**_columns(segments), **_models(names)})


def add_past_capacity(
    segments: Sequence[DaySegment], names: Mapping[str, str], pools: Iterable[UUID]
) -> None:
    """Count the GPUs of some pools, as they are now, for parts of days before they were installed."""
    given = {**_columns(segments), **_models(names), "pools": list(pools)}
    with connection.cursor() as cursor:
        cursor.execute(_PAST_CAPACITY, given)


def delete_capacity(last: date) -> None:
    """Delete the capacity of the days up to one."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM metering_capacityday WHERE day <= %s", [last])


def delete_derived() -> None:
    """Delete what can be derived again."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM metering_usageday")
        cursor.execute("DELETE FROM metering_usagegroupday")
        cursor.execute("DELETE FROM metering_usageweek")
        cursor.execute("DELETE FROM metering_workstart")


def _columns(segments: Iterable[DaySegment]) -> dict[str, list[Any]]:
    rows = list(segments)
    return {
        "days": [row.day for row in rows],
        "begins": [row.begins_at for row in rows],
        "ends": [row.ends_at for row in rows],
    }


def _models(names: Mapping[str, str]) -> dict[str, list[str]]:
    return {"reported": list(names), "named": list(names.values())}
