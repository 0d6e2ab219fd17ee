"""Who waits and why: queued work by pool, group and the hardest reason that the last pass found."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.common.postgresql.column_lists import fill_columns
from portal.inventory.models import Pool
from portal.inventory.selectors import pools_visible_to
from portal.overview.selectors import TITLED, groups_by_id_for_system, scope_of
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from portal.workloads.responses.queue_status import FIRST_REASONS
from portal.workloads.responses.redaction import Viewer, VisibleWork

OLDEST_MAX: Final = 5
"""Workloads that are named because they have waited longest."""
ROWS_MAX: Final = 50
"""Reasons by pool, and groups by pool, in one answer: those for which most waits."""

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


class _Count(NamedTuple):
    """How much work waits in one pool, for one reason or of one group."""

    pool: UUID
    group: UUID | None
    """None is that of all groups, for one reason."""
    code: str
    """Of the first reason; empty before a pass has looked at it, and of one group."""
    queued: int
    oldest_at: datetime


@dataclass(frozen=True, slots=True)
class QueuedCount:
    """How much work waits in one pool, for one reason or of one group."""

    pool: Pool
    count: int
    oldest_at: datetime
    code: str = ""
    group: Group | None = None


@dataclass(frozen=True, slots=True)
class LongWait:
    """One of those that have waited longest."""

    work: VisibleWork
    pool: Pool
    queued_at: datetime


@dataclass(frozen=True, slots=True)
class Waits:
    """All queued work, or that of some groups, in numbers; and those that have waited longest."""

    total: int
    by_pool: Sequence[QueuedCount]
    by_reason: Sequence[QueuedCount]
    by_group: Sequence[QueuedCount]
    longest: Sequence[LongWait]


def waits_visible_to(actor: Actor) -> Waits:
    """Return what waits in the cluster, or in the groups that the actor administers.

    Raises:
        DeniedError: the actor neither sees the platform nor administers a group.
    """
    groups = scope_of(actor)
    counts = _count(groups)
    by_reason = [row for row in counts if row.group is None]
    by_group = _most([row for row in counts if row.group is not None])
    pools = pools_visible_to(actor).only(*TITLED).in_bulk({row.pool for row in counts})
    teams = groups_by_id_for_system({row.group for row in by_group if row.group is not None})
    return Waits(
        total=sum(row.queued for row in by_reason),
        by_pool=_named(_sum_by_pool(by_reason), pools, teams),
        by_reason=_named(_most(by_reason), pools, teams),
        by_group=_named(by_group, pools, teams),
        longest=_longest(actor, groups) if counts else (),
    )


def _count(groups: Collection[UUID] | None) -> list[_Count]:
    """Return what waits, of these groups or of all, once by reason and once by group (one query)."""
    params: dict[str, Any] = {"groups": None if groups is None else list(groups)}
    with connection.cursor() as cursor:
        cursor.execute(_WAITS, params)
        return [_Count(*row) for row in cursor.fetchall()]


def _sum_by_pool(rows: Iterable[_Count]) -> list[_Count]:
    found: dict[UUID, _Count] = {}
    for row in rows:
        known = found.get(row.pool, row._replace(code="", queued=0))
        found[row.pool] = known._replace(
            queued=known.queued + row.queued, oldest_at=min(known.oldest_at, row.oldest_at)
        )
    return list(found.values())


def _most(rows: Iterable[_Count]) -> list[_Count]:
    return sorted(rows, key=lambda row: (-row.queued, row.oldest_at))[:ROWS_MAX]


def _named(
    rows: Iterable[_Count], pools: Mapping[UUID, Pool], teams: Mapping[UUID, Group]
) -> list[QueuedCount]:
    return [
        QueuedCount(
            pool=pools[row.pool],
            count=row.queued,
            oldest_at=row.oldest_at,
            code=row.code,
            group=None if row.group is None else teams[row.group],
        )
        for row in rows
    ]


def _longest(actor: Actor, groups: Collection[UUID] | None) -> list[LongWait]:
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
