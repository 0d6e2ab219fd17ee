"""Changes of queued work, many rows in one statement each: create tasks, hold, release, cancel.

An array has up to ten thousand tasks, and one call changes them all.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.ids import new_id
from portal.common.notifications import invalidate_topics, wake_scheduler
from portal.common.postgresql.arrays import format_array
from portal.common.postgresql.column_lists import fill_columns
from portal.quotas.priorities import PRIORITY_NAMES
from portal.workloads.models import Workload
from portal.workloads.state.transitions import event_params, invalidate_workloads

TASK_TOPICS_MAX: Final = 500
"""Pages of single tasks that one change invalidates; beyond it they follow the owner's topic."""
_CREATED: Final = tuple(Workload.objects.all().query.get_meta().concrete_fields)
_OF_TASK: Final = frozenset({"id", "array_index", "heads_array"})
_COPIED: Final = ", ".join(str(field.column) for field in _CREATED if field.name not in _OF_TASK)
_COPY_TASKS: Final = fill_columns(
    """
INSERT INTO workloads_workload (id, array_index, heads_array, {columns})
SELECT given.id, given.index, false, {columns}
FROM workloads_workload head, unnest(%(ids)s::uuid[], %(indexes)s::int[]) AS given (id, index)
WHERE head.id = %(head)s
""",
    columns=_COPIED,
)
_RECORD: Final = """
INSERT INTO workloads_workloadevent (workload_id, owner_id, group_id, pool_id, at, from_state,
    to_state, epoch, cause, params, actor_kind, actor_id)
SELECT id, owner_id, group_id, pool_id, %(now)s, {source}, state, epoch, {cause}, {params},
    %(kind)s, %(actor)s
FROM {rows} ORDER BY id
RETURNING id, workload_id
"""
_CREATE: Final = fill_columns(
    """
WITH created AS (
    INSERT INTO workloads_workload ({columns})
    SELECT {columns} FROM jsonb_populate_record(NULL::workloads_workload, %(row)s::jsonb)
    RETURNING id, owner_id, group_id, pool_id, state, epoch, cause, cause_params
)
""",
    columns=", ".join(str(field.column) for field in _CREATED),
) + fill_columns(_RECORD, source="''", cause="cause", params="cause_params", rows="created")
_RECORD_ARRIVAL: Final = fill_columns(
    _RECORD,
    source="''",
    cause="cause",
    params="cause_params",
    rows="workloads_workload WHERE id = ANY(%(ids)s::uuid[])",
)
_LOCK_TASKS: Final = """
SELECT id FROM workloads_workload
WHERE array_id = %s AND state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
ORDER BY id FOR NO KEY UPDATE
"""
_NOTED: Final = fill_columns(
    _RECORD,
    source="state",
    cause="%(cause)s",
    params="jsonb_build_object('by', %(by)s::text)",
    rows="changed",
)
_HOLD: Final = """
WITH changed AS (
    UPDATE workloads_workload SET held_by = %(by)s::text, version = version + 1,
        fruitless_evictions = CASE WHEN %(by)s::text = '' THEN 0 ELSE fruitless_evictions END
    WHERE id = ANY(%(ids)s::uuid[]) AND state = 'queued' AND held_by = ANY(%(from)s)
    RETURNING id, owner_id, group_id, pool_id, state, epoch
)
"""
_RAISED: Final = fill_columns(
    _RECORD,
    source="state",
    cause="'priority_changed'",
    params="jsonb_build_object('priority', %(name)s::text)",
    rows="changed",
)
_PRIORITISE: Final = """
WITH changed AS (
    UPDATE workloads_workload SET priority = %(priority)s, priority_until = %(until)s, version = version + 1
    WHERE id = ANY(%(ids)s::uuid[]) AND state = 'queued'
        AND (priority, priority_until) IS DISTINCT FROM (%(priority)s, %(until)s::timestamptz)
    RETURNING id, owner_id, group_id, pool_id, state, epoch
)
"""
_RANK: Final = """
WITH changed AS (
    UPDATE workloads_workload SET group_rank = %(rank)s, version = version + 1
    WHERE id = ANY(%(ids)s::uuid[]) AND state = 'queued' AND group_rank <> %(rank)s
    RETURNING id, owner_id, group_id, pool_id, state, epoch
)
"""
_CANCEL: Final = """
WITH changed AS (
    UPDATE workloads_workload work
    SET state = 'cancelled', version = version + 1, cause = %(cause)s,
        cause_params = %(params)s::jsonb, outcome = '',
        finished_at = greatest(%(now)s, work.started_at)
    WHERE id = ANY(%(ids)s::uuid[]) AND state = 'queued' AND NOT EXISTS (
        SELECT FROM workloads_allocation held
        WHERE held.workload_id = work.id AND held.state IN ('reserved', 'bound', 'lost')
    )
    RETURNING id, owner_id, group_id, pool_id, state, epoch, cause, cause_params
)
"""
_RECORD_CANCEL: Final = fill_columns(
    _RECORD, source="'queued'", cause="cause", params="cause_params", rows="changed"
)


def create_workload(workload: Workload, *, actor: Actor) -> Workload:
    """Save new, queued work and log its arrival, in one statement; return it."""
    row = {field.column: getattr(workload, field.attname) for field in _CREATED}
    given = {"row": json.dumps(row, default=str), **event_params(actor, now())}
    with connection.cursor() as cursor:
        cursor.execute(_CREATE, given)
        ((event, _),) = cursor.fetchall()
    invalidate_workloads([workload], event)
    wake_scheduler()
    return workload


def create_tasks(head: Workload, indexes: Sequence[int], *, actor: Actor) -> None:
    """Create the other tasks of an array as copies of its saved head, and log all arrivals."""
    ids = [new_id() for _ in indexes]
    given: dict[str, Any] = {
        "ids": format_array(ids),
        "indexes": format_array(indexes),
        "head": head.pk,
    }
    with connection.cursor() as cursor:
        cursor.execute(_COPY_TASKS, given)
    _run(_RECORD_ARRIVAL, [head.pk, *ids], head, actor)
    wake_scheduler()


def lock_tasks(array_id: UUID) -> list[UUID]:
    """Lock every task of an array that has not ended, in the order of `LOCK_ORDER`."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_TASKS, [array_id])
        return [key for (key,) in cursor.fetchall()]


def hold_queued(
    ids: Collection[UUID], like: Workload, *, by: str, weaker: Iterable[str], actor: Actor
) -> int:
    """Hold locked, queued work, unless a stronger hold is on it; return how much was changed.

    `like` is any of the work: they have owner, group and pool in common.
    """
    given = {"by": by, "from": ["", *weaker], "cause": "held"}
    return len(_run(_HOLD + _NOTED, ids, like, actor, given))


def release_queued(
    ids: Collection[UUID], like: Workload, *, holds: Iterable[str], actor: Actor
) -> int:
    """Release locked, queued work from these holds; return how much was changed."""
    given = {"by": "", "from": list(holds), "cause": "released"}
    changed = len(_run(_HOLD + _NOTED, ids, like, actor, given))
    if changed:
        wake_scheduler()
    return changed


def prioritise_queued(
    ids: Collection[UUID],
    like: Workload,
    *,
    priority: int,
    until: datetime | None,
    actor: Actor,
) -> int:
    """Set the priority of locked, queued work, until a time or permanently; return how much was changed."""
    name = PRIORITY_NAMES.get(priority, "normal")
    given = {"priority": priority, "until": until, "name": name}
    changed = len(_run(_PRIORITISE + _RAISED, ids, like, actor, given))
    if changed:
        wake_scheduler()
    return changed


def rank_queued(
    ids: Collection[UUID], like: Workload, *, rank: int, place: str, actor: Actor
) -> int:
    """Set the rank of locked, queued work within its group; return how much was changed."""
    given = {"rank": rank, "cause": f"placed_{place}", "by": actor.name}
    changed = len(_run(_RANK + _NOTED, ids, like, actor, given))
    if changed:
        wake_scheduler()
    return changed


def release_suspended(workload: Workload, holds: Collection[str]) -> None:
    """Take a hold from locked work that is not queued, if it is one of these."""
    if workload.held_by in holds:
        workload.held_by, workload.fruitless_evictions = "", 0
        workload.save(update_fields=["held_by", "fruitless_evictions"])


def cancel_queued(
    ids: Collection[UUID], like: Workload, *, cause: str, params: str, actor: Actor
) -> set[UUID]:
    """Cancel locked, queued work that holds nothing; return which. `params` is JSON."""
    given = {"cause": cause, "params": params}
    return set(_run(_CANCEL + _RECORD_CANCEL, ids, like, actor, given))


def _run(
    statement: str,
    ids: Collection[UUID],
    like: Workload,
    actor: Actor,
    given: Mapping[str, Any] | None = None,
) -> list[UUID]:
    """Run a statement that logs an event for each row that it changes; return these rows."""
    params = {"ids": format_array(ids), **(given or {}), **event_params(actor, now())}
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        events: list[tuple[int, UUID]] = cursor.fetchall()
    changed = [workload for _, workload in events]
    if changed:
        pages = (f"workload:{workload}" for workload in islice(changed, TASK_TOPICS_MAX))
        parties = (f"user:{like.owner_id}", f"group:{like.group_id}", f"pool:{like.pool_id}")
        invalidate_topics([*parties, *pages], max(event for event, _ in events))
    return changed
