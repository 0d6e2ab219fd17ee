"""Who waits and why: queued work by pool, group and the hardest reason that the last pass found."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.inventory.models import Pool
from portal.workloads.column_lists import fill_columns
from portal.workloads.models import Workload
from portal.workloads.responses.queue_status import FIRST_REASONS
from portal.workloads.responses.redaction import Viewer, VisibleWork

OLDEST_MAX: Final = 5
"""Workloads that are named because they have waited longest."""

_WAITS: Final = fill_columns(
    """
WITH {first_reasons}
SELECT pool_id, group_id, coalesce(code, ''), count(*), min(queued_at)
FROM (
    SELECT work.pool_id, work.group_id, coalesce(reason.code, '') AS code, work.queued_at
    FROM workloads_workload work LEFT JOIN reason ON reason.workload = work.id
        AND reason.pool_id = work.pool_id AND reason.decided_at >= work.queued_at
    WHERE work.state = 'queued'
        AND (%(groups)s::uuid[] IS NULL OR work.group_id = ANY(%(groups)s::uuid[]))
) waiting GROUP BY GROUPING SETS ((pool_id, code), (pool_id, group_id))
""",
    first_reasons=FIRST_REASONS,
)


@dataclass(frozen=True, slots=True)
class WaitCount:
    """How much work waits in one pool, for one reason or of one group."""

    pool: UUID
    group: UUID | None
    """None is that of all groups, for one reason."""
    code: str
    """Of the first reason; empty before a pass has looked at it, and of one group."""
    count: int
    oldest_at: datetime


@dataclass(frozen=True, slots=True)
class LongWait:
    """One of those that have waited longest."""

    work: VisibleWork
    pool: Pool
    queued_at: datetime


def wait_counts_for_system(groups: Collection[UUID] | None) -> list[WaitCount]:
    """Return what waits, of these groups or of all, once by reason and once by group (one query)."""
    params: dict[str, Any] = {"groups": None if groups is None else list(groups)}
    with connection.cursor() as cursor:
        cursor.execute(_WAITS, params)
        return [WaitCount(*row) for row in cursor.fetchall()]


def longest_waits(actor: Actor, groups: Collection[UUID] | None) -> list[LongWait]:
    """Return the work that has waited longest, of these groups or of all (two queries)."""
    queued = Workload.objects.filter(state="queued")
    if groups is not None:
        queued = queued.filter(group__in=groups)
    # First which, then all of their columns: thousands of wide rows need not be sorted.
    first = list(queued.order_by("queued_at", "id").values_list("pk", flat=True)[:OLDEST_MAX])
    rows = Workload.objects.select_related("owner", "group", "pool").defer("spec").in_bulk(first)
    viewer = Viewer.for_actor(actor)
    return [
        LongWait(viewer.view(rows[key]), rows[key].pool, rows[key].queued_at)
        for key in first
        if key in rows
    ]
