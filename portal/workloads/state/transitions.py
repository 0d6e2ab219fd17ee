"""State changes of workloads: compare-and-set, with an event row and the wake-ups that follow."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import F
from django.db.models.functions import Coalesce, Least

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.notifications import invalidate_topics, wake_scheduler
from portal.common.postgresql.arrays import format_array
from portal.common.postgresql.column_lists import fill_columns
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.models import Workload, WorkloadEvent
from portal.workloads.state.locked_rows import LockedWorkload
from scheduler.core.model.states import TERMINAL, WorkloadState, is_legal_transition

_CHANGED_COLUMNS: Final = (
    *("state", "version", "epoch", "cause", "cause_params", "outcome", "exit_code", "retries"),
    *("retry_at", "evictions", "evicted_for", "queued_at", "started_at", "finished_at"),
)
"""Every column that a state change may set."""
# The keys are given twice, because PostgreSQL estimates any JSON at a hundred rows, and for so many
# it would read the whole table.
_CHANGE_STATES: Final = fill_columns(
    """
WITH moved AS (
    UPDATE workloads_workload work SET ({columns}) = ({given})
    FROM jsonb_populate_recordset(NULL::workloads_workload, %(rows)s::jsonb) given,
        jsonb_to_recordset(%(rows)s::jsonb) AS source (id uuid, source text)
    WHERE work.id = ANY(%(ids)s) AND work.id = given.id AND source.id = given.id
        AND work.state = source.source AND work.version = given.version - 1
    RETURNING work.id, work.owner_id, work.group_id, work.pool_id, source.source AS source,
        work.state, work.epoch, work.cause, work.cause_params
)
INSERT INTO workloads_workloadevent (workload_id, owner_id, group_id, pool_id, at, from_state,
    to_state, epoch, cause, params, actor_kind, actor_id)
SELECT id, owner_id, group_id, pool_id, %(now)s, source, state, epoch, cause, cause_params,
    %(kind)s, %(actor)s
FROM moved ORDER BY id
RETURNING id
""",
    columns=", ".join(_CHANGED_COLUMNS),
    given=", ".join(f"given.{name}" for name in _CHANGED_COLUMNS),
)


@dataclass(frozen=True, slots=True)
class StateChange:
    """One workload, and the state that it moves to."""

    workload: Workload
    target: WorkloadState
    cause: str = ""
    params: Mapping[str, int | str] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)


def move_workload(
    workload: Workload,
    target: WorkloadState,
    *,
    actor: Actor,
    cause: str = "",
    params: Mapping[str, int | str] | None = None,
    **columns: Any,
) -> None:
    """Move one workload; see `move_workloads`."""
    move_workloads([StateChange(workload, target, cause, params or {}, columns)], actor=actor)


def move_workloads(steps: Sequence[StateChange], *, actor: Actor) -> None:
    """Move different workloads along legal edges, in the caller's transaction, and log each move.

    The objects are updated with the rows.

    Raises:
        ConcurrentChangeError: a row is no longer as its object has it, or an edge is not legal.
    """
    if not steps:
        return
    moment = now()
    sources = [WorkloadState(step.workload.state) for step in steps]
    for step, source in zip(steps, sources, strict=True):
        if not is_legal_transition(source, step.target):
            raise ConcurrentChangeError(
                "illegal_transition", state=source.value, target=step.target.value
            )
        _apply_to_object(step, moment)
    rows = [
        {name: getattr(step.workload, name) for name in ("id", *_CHANGED_COLUMNS)}
        | {"source": source.value}
        for step, source in zip(steps, sources, strict=True)
    ]
    with connection.cursor() as cursor:
        ids = [step.workload.pk for step in steps]
        changes = json.dumps(rows, default=str)
        cursor.execute(_CHANGE_STATES, {"ids": ids, "rows": changes, **event_params(actor, moment)})
        events = [key for (key,) in cursor.fetchall()]
    if len(events) != len(steps):
        raise ConcurrentChangeError("changed_meanwhile")
    invalidate_workloads([step.workload for step in steps], max(events))
    if any(step.target is WorkloadState.QUEUED for step in steps):
        wake_scheduler()


def _apply_to_object(step: StateChange, moment: datetime) -> None:
    changes = {
        "state": step.target.value,
        "version": step.workload.version + 1,
        "cause": step.cause,
        "cause_params": dict(step.params),
        **_arrival_columns(step.target, moment),
        **step.columns,
    }
    for name, value in changes.items():
        setattr(step.workload, name, value)
    _end_after_start(step.workload)


def _end_after_start(workload: Workload) -> None:
    """Let no work end before it began, whichever clocks the two moments are of."""
    if workload.started_at is not None and workload.finished_at is not None:
        workload.finished_at = max(workload.started_at, workload.finished_at)


# Versions are compared, not states: for the state, PostgreSQL would read the index of the whole queue
# while the table has no statistics yet.
_START_WORKLOADS: Final = """
WITH moved AS (
    UPDATE workloads_workload work
    SET state = 'placing', version = work.version + 1, epoch = GREATEST(work.epoch + 1, work.epoch_floor), cause = '',
        cause_params = '{}', evicted_for = NULL, must_end_at = given.must_end_at
    FROM unnest(%(ids)s::uuid[], %(versions)s::int[], %(ends)s::timestamptz[])
        AS given (id, version, must_end_at)
    WHERE work.id = given.id AND work.version = given.version
    RETURNING work.id, work.owner_id, work.group_id, work.pool_id, work.epoch
)
INSERT INTO workloads_workloadevent (workload_id, owner_id, group_id, pool_id, at, from_state,
    to_state, epoch, cause, params, actor_kind, actor_id)
SELECT id, owner_id, group_id, pool_id, %(now)s, 'queued', 'placing', epoch, '', '{}',
    %(kind)s, %(actor)s
FROM moved
RETURNING id
"""


def start_workloads(
    starts: Sequence[tuple[LockedWorkload, datetime | None]], *, actor: Actor
) -> None:
    """Move locked, queued workloads to `placing`, each in its next epoch, and log it.

    With each comes when this attempt must have ended besides its time limit, if anything says so.
    The caller has compared the states under the same locks.
    """
    workloads = [workload for workload, _ in starts]
    which: dict[str, Any] = {
        "ids": format_array(row.id for row in workloads),
        "versions": format_array(row.version for row in workloads),
        "ends": [ends for _, ends in starts],
    }
    with connection.cursor() as cursor:
        cursor.execute(_START_WORKLOADS, {**which, **event_params(actor, now())})
        events = [key for (key,) in cursor.fetchall()]
    if len(events) != len(workloads):
        raise ConcurrentChangeError("changed_meanwhile")
    topics = (_topics(row.id, row.owner_id, row.group_id, row.pool_id) for row in workloads)
    invalidate_topics(dict.fromkeys(chain.from_iterable(topics)), max(events))


def skip_epochs(count: int) -> None:
    """Leave out so many epochs before the next attempt of everything that has not ended.

    Plans that were made before are refused, because every version rises.
    """
    rows = Workload.objects.exclude(state__in=TERMINAL)
    rows.update(epoch_floor=F("epoch") + count, version=F("version") + 1)


def refuse_plans(workloads: Iterable[Workload]) -> None:
    """Let commits refuse the placements that were planned for these workloads up to now."""
    keys = [workload.pk for workload in workloads]
    rows = Workload.objects.filter(pk__in=keys, state=WorkloadState.QUEUED)
    rows.update(version=F("version") + 1)


@contextmanager
def next_epoch(workload: Workload, epoch: int) -> Iterator[None]:
    """Let the placement inside have this very epoch, of a locked and queued workload.

    What held it back before it ran is over: it has run.
    """
    row = Workload.objects.filter(pk=workload.pk)
    row.update(epoch=epoch - 1, epoch_floor=0, held_by="", retry_at=None)
    yield
    row.update(epoch_floor=workload.epoch_floor)


def limit_attempts(workloads: Iterable[UUID], must_end_at: datetime) -> None:
    """Let the present attempts of locked workloads end by then, or earlier if that was so before."""
    ends = Least(Coalesce("must_end_at", must_end_at), must_end_at)
    Workload.objects.filter(pk__in=list(workloads)).update(must_end_at=ends)


def set_attempt_end(workload: Workload, must_end_at: datetime | None) -> None:
    """Let the present attempt of a locked workload end by then; None leaves its time limit alone."""
    if workload.must_end_at != must_end_at:
        workload.must_end_at = must_end_at
        workload.save(update_fields=["must_end_at"])


def record_note(
    workloads: Sequence[Workload], *, actor: Actor, cause: str, params: Mapping[str, int | str]
) -> None:
    """Log something that has changed no state, and notify browsers: from and to are the same."""
    if not workloads:
        return
    events = [build_event(workload, workload.state, actor) for workload in workloads]
    for event in events:
        event.cause, event.params = cause, dict(params)
    invalidate_workloads(
        workloads, max(event.pk for event in WorkloadEvent.objects.bulk_create(events))
    )


def build_event(workload: Workload, source: str, actor: Actor) -> WorkloadEvent:
    """Return the event, unsaved, of a workload's arrival in its present state."""
    return WorkloadEvent(
        workload=workload,
        owner_id=workload.owner_id,
        group_id=workload.group_id,
        pool_id=workload.pool_id,
        at=now(),
        from_state=source,
        to_state=workload.state,
        epoch=workload.epoch,
        cause=workload.cause,
        params=workload.cause_params,
        actor_kind=actor.kind,
        actor_id=_actor_id(actor),
    )


def event_params(actor: Actor, moment: datetime) -> dict[str, Any]:
    """Return the parameters that all events of one statement share."""
    return {"now": moment, "kind": actor.kind, "actor": _actor_id(actor)}


def _actor_id(actor: Actor) -> str:
    return str(actor.user_id or actor.name)[:36]


def invalidate_workloads(workloads: Iterable[Workload], seq: int = 0) -> None:
    """Make browsers fetch these workloads again; `seq` is the newest event, 0 where there is none."""
    topics = (_topics(row.pk, row.owner_id, row.group_id, row.pool_id) for row in workloads)
    invalidate_topics(dict.fromkeys(chain.from_iterable(topics)), seq)


def _topics(workload: UUID, owner: UUID, group: UUID, pool: UUID) -> tuple[str, ...]:
    return (f"workload:{workload}", f"user:{owner}", f"group:{group}", f"pool:{pool}")


def _arrival_columns(target: WorkloadState, moment: datetime) -> dict[str, Any]:
    """Return the columns that an arrival in a state sets."""
    if target is WorkloadState.QUEUED:
        return {
            "queued_at": moment,
            "retry_at": None,
            "finished_at": None,
            "outcome": "",
            "exit_code": None,
        }
    if target is WorkloadState.RUNNING:
        return {"started_at": moment}
    if target in TERMINAL or target is WorkloadState.SUSPENDED:
        return {"finished_at": moment, "outcome": ""}
    return {}
