"""Schedules of notebooks: they start and stop by themselves at times of the week (Coder: autostart).

A scheduled start queues the notebook like any other start: quotas hold, and it may wait. A stop is
announced on the page and in the events, and its owner may skip it once ("keep today").
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now, to_millis
from portal.common.errors import ConflictError, DomainError, InvalidError, NotFoundError
from portal.notebooks.models import NotebookSchedule
from portal.notebooks.schedule_times import find_next_time, spread_start
from portal.site.selectors import settings_for_system
from portal.tenancy import policies
from portal.tenancy.actors import load_actor
from portal.workloads import services as workloads
from portal.workloads.models import Workload
from portal.workloads.selectors import workload_visible_where
from portal.workloads.state import lifecycle
from portal.workloads.state.transitions import invalidate_workloads, record_note
from scheduler.core.model.states import TERMINAL, WorkloadState

CAUSE: Final = "schedule"
SCHEDULE_ACTOR: Final = Actor.system("schedule")
WARNED_BEFORE: Final = timedelta(minutes=30)
"""How long before a scheduled stop it is announced."""
LATE_MAX: Final = timedelta(hours=1)
"""A start or stop that is later than this, because the portal was away, is left out."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WeeklyTimes:
    """On which days (0 is Monday) it starts and stops, in minutes of the day; None is never."""

    days: tuple[int, ...]
    start_minute: int | None
    stop_minute: int | None


def schedule_visible_to(actor: Actor, workload_id: UUID) -> NotebookSchedule:
    """Return the schedule of a notebook; one that was never saved, without days, if it has none."""
    workload = _notebook_visible_to(actor, workload_id)
    row = NotebookSchedule.objects.filter(workload=workload).first()
    return row or NotebookSchedule(workload=workload, days=[])


def find_schedule_for_system(workload_id: UUID) -> NotebookSchedule | None:
    """Return the schedule of a notebook; None if it has none."""
    return NotebookSchedule.objects.filter(workload=workload_id).first()


@transaction.atomic
def set_schedule(*, actor: Actor, workload_id: UUID, times: WeeklyTimes) -> NotebookSchedule:
    """Give a notebook a schedule, or change it; only its owner may."""
    workload = _lock_own(actor, workload_id)
    require_times(times)
    if workload.state in TERMINAL:
        raise ConflictError("already_ended", state=workload.state)
    moment = now()
    row = NotebookSchedule(
        workload=workload,
        days=sorted(set(times.days)),
        start_minute=times.start_minute,
        stop_minute=times.stop_minute,
    )
    row.next_start_at = _next_start(row, moment)
    row.next_stop_at = _next_stop(row, moment)
    NotebookSchedule.objects.filter(workload=workload).delete()
    row.save(force_insert=True)
    _record(actor, workload, "environment.schedule", {"days": len(row.days)})
    return row


def require_times(times: WeeklyTimes, pointer: str = "") -> None:
    """Refuse times that name neither a start nor a stop, or one moment for both.

    `pointer` is where the body has them.
    """
    if times.start_minute is None and times.stop_minute is None:
        raise InvalidError("schedule_without_times", pointer=f"{pointer}/start_minute")
    if times.start_minute == times.stop_minute:
        raise InvalidError("schedule_same_times", pointer=f"{pointer}/stop_minute")


@transaction.atomic
def remove_schedule(*, actor: Actor, workload_id: UUID) -> None:
    """Let a notebook start and stop by hand only."""
    workload = _lock_own(actor, workload_id)
    removed, _ = NotebookSchedule.objects.filter(workload=workload).delete()
    if not removed:
        raise NotFoundError("schedule")
    _record(actor, workload, "environment.unschedule", {})


@transaction.atomic
def keep_today(*, actor: Actor, workload_id: UUID) -> Workload:
    """Skip the next scheduled stop of a notebook."""
    workload = _lock_own(actor, workload_id)
    row = schedule_visible_to(actor, workload_id)
    if row.next_stop_at is None:
        raise ConflictError("nothing_to_keep")
    row.next_stop_at = _next_stop(row, row.next_stop_at)
    row.save(update_fields=["next_stop_at"])
    record_note([workload], cause="schedule_kept", params={}, actor=actor)
    return workload


def run_schedules() -> None:
    """Announce, stop and start what is due; one case that fails does not stop the others."""
    moment = now()
    _each(_due(next_stop_at__lte=moment), _stop)
    _each(_due(next_start_at__lte=moment), _start)
    _each(_due(next_stop_at__lte=moment + WARNED_BEFORE), _announce_stop)


def _due(**when: datetime) -> list[UUID]:
    rows = NotebookSchedule.objects.filter(**when).order_by("workload")
    return list(rows.values_list("workload", flat=True))


def _each(due: Iterable[UUID], act: Callable[[UUID], None]) -> None:
    for key in due:
        try:
            with transaction.atomic():
                act(key)
        except (DomainError, DatabaseError):
            logger.exception("schedule.failed", key=str(key), step=getattr(act, "__name__", ""))


def _stop(workload_id: UUID) -> None:
    """Stop a notebook whose time has come, and look for its next stop."""
    workload = lifecycle.lock_workload(workload_id)
    row = NotebookSchedule.objects.get(pk=workload_id)
    moment, due = now(), row.next_stop_at
    if due is None or due > moment:
        return
    row.next_stop_at = _next_stop(row, moment)
    row.save(update_fields=["next_stop_at"])
    if due < moment - LATE_MAX or workload.state in (*TERMINAL, WorkloadState.SUSPENDED):
        return
    lifecycle.request_stop(
        workload, outcome=WorkloadState.SUSPENDED, cause=CAUSE, actor=SCHEDULE_ACTOR
    )
    _record(SCHEDULE_ACTOR, workload, "environment.stop", {"cause": CAUSE})


def _start(workload_id: UUID) -> None:
    """Queue a notebook whose time has come as its owner would, and look for its next start."""
    workload = lifecycle.lock_workload(workload_id)
    row = NotebookSchedule.objects.get(pk=workload_id)
    moment, due = now(), row.next_start_at
    if due is None or due > moment:
        return
    row.next_start_at = _next_start(row, moment)
    row.save(update_fields=["next_start_at"])
    if due < moment - LATE_MAX or workload.state != WorkloadState.SUSPENDED:
        return
    try:
        with transaction.atomic():
            workloads.require_submitter(workload)
            workloads.restart_workload(
                actor=load_actor(workload.owner),
                workload_id=workload_id,
                kind=workload.kind,
                cause=CAUSE,
            )
    except DomainError as error:
        plain = {name: value for name, value in error.params.items() if not isinstance(value, list)}
        record_note(
            [workload],
            cause="schedule_not_started",
            params={**plain, "code": error.code},
            actor=SCHEDULE_ACTOR,
        )


def _announce_stop(workload_id: UUID) -> None:
    workload = lifecycle.lock_workload(workload_id)
    row = NotebookSchedule.objects.get(pk=workload_id)
    if row.next_stop_at is None or row.warned_of == row.next_stop_at:
        return
    row.warned_of = row.next_stop_at
    row.save(update_fields=["warned_of"])
    if workload.state == WorkloadState.RUNNING:
        params = {"stop_at": to_millis(row.next_stop_at)}
        record_note([workload], cause="schedule_stop_soon", params=params, actor=SCHEDULE_ACTOR)


def _next_start(row: NotebookSchedule, after: datetime) -> datetime | None:
    """Return the next start, later by what spreads the starts of one moment."""
    if row.start_minute is None:
        return None
    spread = spread_start(row.workload_id)
    return (
        find_next_time(row.days, row.start_minute, after - spread, settings_for_system().days)
        + spread
    )


def _next_stop(row: NotebookSchedule, after: datetime) -> datetime | None:
    if row.stop_minute is None:
        return None
    return find_next_time(row.days, row.stop_minute, after, settings_for_system().days)


def _notebook_visible_to(actor: Actor, workload_id: UUID) -> Workload:
    return workload_visible_where(actor, workload_id, lambda terms: terms.is_kept)


def _lock_own(actor: Actor, workload_id: UUID) -> Workload:
    seen = _notebook_visible_to(actor, workload_id)
    policies.require(
        actor, Action.WORKLOAD_OPEN, seen.group_id, owner_id=seen.owner_id, what="workload"
    )
    return lifecycle.lock_workload(workload_id)


def _record(actor: Actor, workload: Workload, action: str, params: dict[str, int | str]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, **params},
    )
    invalidate_workloads([workload])
