"""One step in the life of a workload: compare-and-set, its event row and its wake-ups."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.poke import SCHEDULER, poke
from portal.workloads import bell
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.models import Workload, WorkloadEvent
from portal.workloads.placement import Candidate
from scheduler.core.states import TERMINAL, WorkloadState, may_move


def move(
    workload: Workload,
    target: WorkloadState,
    *,
    actor: Actor,
    cause: str = "",
    params: Mapping[str, int | str] | None = None,
    **columns: Any,
) -> WorkloadEvent:
    """Move a workload along a legal edge, in the caller's transaction, and log it.

    Raises `ConcurrentChangeError` when the row is no longer as `workload` remembers it, or when
    the edge does not exist. `workload` is brought up to date.
    """
    source = WorkloadState(workload.state)
    if not may_move(source, target):
        raise ConcurrentChangeError("illegal_transition", state=source.value, target=target.value)
    moment = now()
    changes = {
        "state": target.value,
        "version": workload.version + 1,
        "cause": cause,
        "cause_params": dict(params or {}),
        **_stamps(target, moment),
        **columns,
    }
    unchanged = Workload.objects.filter(
        pk=workload.pk, state=workload.state, version=workload.version
    )
    if not unchanged.update(**changes):
        raise ConcurrentChangeError("changed_meanwhile")
    for name, value in changes.items():
        setattr(workload, name, value)
    return record(workload, source.value, actor=actor)


_START: Final = """
WITH moved AS (
    UPDATE workloads_workload
    SET state = 'placing', version = version + 1, epoch = epoch + 1, cause = '',
        cause_params = '{}', yields_to = NULL
    WHERE id = ANY(%(ids)s) AND state = 'queued'
    RETURNING id, owner_id, group_id, pool_id, epoch
)
INSERT INTO workloads_workloadevent (workload_id, owner_id, group_id, pool_id, at, from_state,
    to_state, epoch, cause, params, actor_kind, actor_id)
SELECT id, owner_id, group_id, pool_id, %(now)s, 'queued', 'placing', epoch, '', '{}',
    %(kind)s, %(actor)s
FROM moved
RETURNING id
"""


def start_all(workloads: Sequence[Candidate], *, actor: Actor) -> None:
    """Move locked, queued workloads to `placing`, each in its next epoch, and log it.

    The locks make the comparison before the set: nobody can have moved one of them meanwhile.
    """
    moment = {"now": now(), "kind": actor.kind, "actor": str(actor.user_id or actor.name)[:36]}
    with connection.cursor() as cursor:
        cursor.execute(_START, {"ids": [row.id for row in workloads], **moment})
        events = [key for (key,) in cursor.fetchall()]
    if len(events) != len(workloads):
        raise ConcurrentChangeError("changed_meanwhile")
    topics = dict.fromkeys(
        topic
        for row in workloads
        for topic in _topics(row.id, row.owner_id, row.group_id, row.pool_id)
    )
    bell.ring(topics, max(events))


def record(workload: Workload, source: str, *, actor: Actor) -> WorkloadEvent:
    """Write the event of a workload's arrival in its present state, and ring whoever watches."""
    event = event_of(workload, source, actor)
    event.save(force_insert=True)
    _ring(workload, event.pk)
    if workload.state == WorkloadState.QUEUED:
        poke(SCHEDULER)
    return event


def event_of(workload: Workload, source: str, actor: Actor) -> WorkloadEvent:
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
        actor_id=str(actor.user_id or actor.name)[:36],
    )


def ring(workload: Workload) -> None:
    """Tell the live connections that something about this workload is new, though not its state."""
    _ring(workload, workload.events.order_by("-id").values_list("pk", flat=True).first() or 0)


def _ring(workload: Workload, seq: int) -> None:
    keys = (workload.pk, workload.owner_id, workload.group_id, workload.pool_id)
    bell.ring(_topics(*keys), seq)


def _topics(workload: UUID, owner: UUID, group: UUID, pool: UUID) -> tuple[str, ...]:
    return (f"workload:{workload}", f"user:{owner}", f"group:{group}", f"pool:{pool}")


def _stamps(target: WorkloadState, moment: datetime) -> dict[str, Any]:
    """Return the columns that belong to the arrival in a state."""
    if target is WorkloadState.QUEUED:
        return {"queued_at": moment, "finished_at": None, "outcome": "", "exit_code": None}
    if target is WorkloadState.RUNNING:
        return {"started_at": moment}
    if target in TERMINAL or target is WorkloadState.SUSPENDED:
        return {"finished_at": moment, "outcome": ""}
    return {}
