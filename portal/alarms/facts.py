"""What rules are held against, read from what the platform stores: one statement for each kind.

Only budgets are counted as where they stop work. A statement returns the subjects that meet the loosest threshold of the rules of its kind, worst first,
and those of open alarms whose value is not known at the moment.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.alarms.decisions import Reading
from portal.alarms.kinds import AlarmKind
from portal.inventory.card_facts import IN_PLACE
from portal.quotas.models import Budget
from portal.workloads.gpu_accounting import budget_standings_for_system

FACTS_MAX: Final = 1000
"""Subjects of one kind that are looked at; the worst come first."""
SAMPLE_AGE_MAX: Final = timedelta(minutes=3)
"""A card or container without a sample for so long is not known."""
PCT_MAX: Final = 1_000_000
"""A budget that was lowered may be used many times over."""
USE_OVER: Final = timedelta(minutes=10)
"""Over how long the use of GPUs is averaged; who has held them for less is not judged, as on the overview."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One subject with its reading, and with what it belongs to."""

    subject: UUID
    name: str
    reading: Reading
    pool: UUID | None = None
    group: UUID | None = None
    owner: UUID | None = None
    node: UUID | None = None
    work_kind: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FactQuery:
    """What is asked: the loosest threshold, the subjects of open alarms, and the moment."""

    threshold: int
    open: Collection[UUID]
    now: datetime


def read_facts_for_system(kind: AlarmKind, query: FactQuery) -> list[Fact]:
    """Return the subjects that meet the loosest threshold of a kind, in one statement; of budgets in a few."""
    if kind is AlarmKind.BUDGET_NEAR:
        return _near_budgets(query)
    params: dict[str, Any] = {
        "threshold": query.threshold,
        "open": list(query.open),
        "now": query.now,
        "sampled_after": query.now - SAMPLE_AGE_MAX,
        "used_after": query.now - USE_OVER,
        "most": FACTS_MAX,
    }
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENTS[kind], params)
        names = [column[0] for column in cursor.description or ()]
        return [_fact(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def _fact(row: Mapping[str, Any]) -> Fact:
    return Fact(
        subject=row["subject"],
        name=row["name"],
        reading=Reading(row["value"], row.get("since")),
        pool=row.get("pool"),
        group=row.get("grp"),
        owner=row.get("owner"),
        node=row.get("node"),
        work_kind=row.get("work_kind") or "",
        detail=row.get("detail") or "",
    )


def _near_budgets(query: FactQuery) -> list[Fact]:
    """Return budgets by the part that is used, which is counted where budgets stop work."""
    rows = list(Budget.objects.select_related("group", "spending"))
    found = [
        Fact(
            subject=row.pk,
            name=row.group.name,
            reading=Reading(min(used * 100 // limit, PCT_MAX), None),
            pool=row.pool_id,
            group=row.group_id,
            detail=row.period,
        )
        for row, used, limit in budget_standings_for_system(rows, query.now)
        if used * 100 >= limit * query.threshold
    ]
    return sorted(found, key=lambda fact: (-(fact.reading.value or 0), fact.subject))[:FACTS_MAX]


_GPU_IDLE: Final = """
SELECT work.id AS subject, work.name, work.kind AS work_kind, work.pool_id AS pool,
    work.group_id AS grp, work.owner_id AS owner, max(used.pct) AS value
FROM workloads_workload work
JOIN workloads_allocation held ON held.workload_id = work.id AND held.epoch = work.epoch
    AND held.state IN ('reserved', 'bound', 'lost') AND held.total_gpu_milli > 0
LEFT JOIN LATERAL (
    SELECT round(avg(gpu_utilisation_pct))::integer AS pct FROM telemetry_work_raw
    WHERE series = held.id AND at >= %(used_after)s
) used ON true
WHERE work.state = 'running'
    AND coalesce(held.gpus_since, held.started_at, held.created_at) <= %(used_after)s
GROUP BY work.id
HAVING max(used.pct) <= %(threshold)s
    OR (max(used.pct) IS NULL AND work.id = ANY(%(open)s::uuid[]))
ORDER BY sum(held.total_gpu_milli) DESC, work.id LIMIT %(most)s
"""
_CARD: Final = (
    """
SELECT card.id AS subject, node.name || ' #' || card.index AS name, card.pool_id AS pool,
    node.id AS node, {columns}
FROM inventory_accelerator card JOIN inventory_node node ON node.id = card.node_id
WHERE node.state <> 'retired' AND """
    + IN_PLACE
    + """ AND ({condition})
ORDER BY value DESC NULLS LAST, card.id LIMIT %(most)s
"""
)
_GPU_HOT: Final = _CARD.format(
    columns="CASE WHEN card.sampled_at >= %(sampled_after)s THEN card.temperature_c END AS value",
    condition="""(card.temperature_c >= %(threshold)s AND card.sampled_at >= %(sampled_after)s)
    OR (card.id = ANY(%(open)s::uuid[]) AND card.state <> 'gone'
        AND (card.sampled_at < %(sampled_after)s OR card.temperature_c IS NULL))""",
)
_GPU_FAULT: Final = _CARD.format(
    columns="1 AS value, CASE WHEN card.fault = '' THEN card.state ELSE card.fault END AS detail",
    condition="card.state <> 'ok'",
)
_NODE: Final = """
SELECT node.id AS subject, node.name, node.pool_id AS pool, node.id AS node, {columns}
FROM inventory_node node WHERE {condition}
ORDER BY value DESC, node.id LIMIT %(most)s
"""
_NODE_SILENT: Final = _NODE.format(
    columns="""greatest(
        extract(epoch FROM %(now)s - node.last_seen_at)::integer / 60, 0) AS value,
    node.state AS detail,
    CASE WHEN node.state = 'lost' THEN node.last_seen_at END AS since""",
    condition="node.state IN ('unready', 'lost') AND node.last_seen_at IS NOT NULL",
)
_USED_PCT: Final = "(node.disk_mib - node.disk_free_mib)::bigint * 100 / node.disk_mib"
_DISK_NEAR_FULL: Final = _NODE.format(
    columns=f"({_USED_PCT})::integer AS value",
    condition=f"""node.state <> 'retired' AND node.disk_mib > 0
    AND node.disk_free_mib <= node.disk_mib AND {_USED_PCT} >= %(threshold)s""",
)
_WORK_WAITING: Final = """
SELECT work.id AS subject, work.name, work.kind AS work_kind, work.pool_id AS pool,
    work.group_id AS grp, work.owner_id AS owner,
    extract(epoch FROM %(now)s - could.start_at)::integer / 60 AS value, could.start_at AS since
FROM workloads_workload work
CROSS JOIN LATERAL (
    SELECT greatest(work.queued_at, work.not_before, work.retry_at) AS start_at
) could
WHERE work.state = 'queued' AND work.held_by = '' AND (work.array_id IS NULL OR work.heads_array)
    AND could.start_at <= %(now)s - %(threshold)s * interval '1 minute'
    AND NOT EXISTS (
        SELECT FROM workloads_dependency dep WHERE dep.settled_at IS NULL
            AND (dep.workload_id = work.id OR dep.array_id = work.array_id)
    )
ORDER BY could.start_at, work.id LIMIT %(most)s
"""
_QUOTA_NEAR: Final = """
SELECT quota.id AS subject, of_group.name AS name, quota.pool_id AS pool, quota.group_id AS grp,
    (quota.used * 100 / quota.ceiling)::integer AS value,
    concat_ws(' ', quota.resource, nullif(quota.model, '')) AS detail
FROM quotas_quota quota JOIN tenancy_group of_group ON of_group.id = quota.group_id
WHERE quota.ceiling > 0 AND quota.used * 100 >= quota.ceiling * %(threshold)s
ORDER BY value DESC, quota.id LIMIT %(most)s
"""
_TIME_LIMIT_NEAR: Final = """
SELECT work.id AS subject, work.name, work.kind AS work_kind, work.pool_id AS pool,
    work.group_id AS grp, work.owner_id AS owner,
    greatest(extract(epoch FROM due.ends_at - %(now)s)::integer / 60, 0) AS value
FROM workloads_workload work
CROSS JOIN LATERAL (
    SELECT least(work.started_at + work.time_limit_s * interval '1 second', work.must_end_at)
        AS ends_at
) due
WHERE work.state = 'running' AND work.started_at IS NOT NULL
    AND work.time_limit_s > 2 * 60 * %(threshold)s
    AND due.ends_at < %(now)s + (%(threshold)s + 1) * interval '1 minute'
ORDER BY due.ends_at, work.id LIMIT %(most)s
"""
_VOLUME_NEAR_FULL: Final = """
SELECT volume.id AS subject, coalesce(of_group.name, person.username) || '/' || volume.name AS name,
    volume.group_id AS grp, volume.owner_id AS owner,
    (volume.used_mib * 100 / volume.quota_mib)::integer AS value
FROM volumes_volume volume
LEFT JOIN tenancy_group of_group ON of_group.id = volume.group_id
LEFT JOIN identity_user person ON person.id = volume.owner_id
WHERE volume.state = 'active' AND volume.quota_mib > 0
    AND volume.used_mib * 100 >= volume.quota_mib * %(threshold)s
ORDER BY value DESC, volume.id LIMIT %(most)s
"""
_WORK_HELD: Final = """
SELECT work.id AS subject, work.name, work.kind AS work_kind, work.pool_id AS pool,
    work.group_id AS grp, work.owner_id AS owner, work.fruitless_evictions AS value,
    work.fruitless_evictions::text AS detail
FROM workloads_workload work
WHERE work.state = 'queued' AND work.held_by = 'evictions'
ORDER BY value DESC, work.id LIMIT %(most)s
"""
_STATEMENTS: Final[Mapping[AlarmKind, str]] = {
    AlarmKind.GPU_IDLE: _GPU_IDLE,
    AlarmKind.GPU_HOT: _GPU_HOT,
    AlarmKind.GPU_FAULT: _GPU_FAULT,
    AlarmKind.NODE_SILENT: _NODE_SILENT,
    AlarmKind.WORK_WAITING: _WORK_WAITING,
    AlarmKind.QUOTA_NEAR: _QUOTA_NEAR,
    AlarmKind.TIME_LIMIT_NEAR: _TIME_LIMIT_NEAR,
    AlarmKind.DISK_NEAR_FULL: _DISK_NEAR_FULL,
    AlarmKind.VOLUME_NEAR_FULL: _VOLUME_NEAR_FULL,
    AlarmKind.WORK_HELD: _WORK_HELD,
}
