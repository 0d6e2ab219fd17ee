"""What users do to jobs after submission: hold, release, requeue; to one job or a whole array.

A hold has a strength: its owner's, a group admin's or an operator's. Only the same or a stronger
one releases it (Slurm: JobHeldUser, JobHeldAdmin).
"""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, DeniedError
from portal.jobs.services import KIND
from portal.tenancy import policies
from portal.workloads import selectors
from portal.workloads.holds import HOLD_STRENGTHS, releasable_holds, strongest_hold
from portal.workloads.models import JobArray, Workload
from portal.workloads.state import job_arrays, lifecycle, queued_work
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.states import PLACED, WorkloadState

REQUEUED: Final = "requeued"


@transaction.atomic
def hold_job(*, actor: Actor, workload_id: UUID) -> Workload:
    """Keep a queued job from starting until it is released; a stronger hold stays."""
    workload = _lock_job(actor, workload_id)
    if workload.state != WorkloadState.QUEUED:
        raise ConflictError("not_queued", state=workload.state)
    if _hold(actor, [workload.pk], workload):
        _audit(actor, "job.hold", workload)
    return workload


@transaction.atomic
def release_job(*, actor: Actor, workload_id: UUID) -> Workload:
    """Let a held job start; one that is not held stays as it is.

    Raises:
        DeniedError: it is held by a stronger hold than the actor's.
    """
    workload = _lock_job(actor, workload_id)
    if workload.state != WorkloadState.QUEUED:
        raise ConflictError("not_queued", state=workload.state)
    _require_releasable(actor, workload, {workload.held_by} - {""})
    if _release(actor, [workload.pk], workload):
        _audit(actor, "job.release", workload)
    return workload


@transaction.atomic
def requeue_job(*, actor: Actor, workload_id: UUID) -> Workload:
    """Stop a job after the notice of its pool and queue it again, with its id and its age.

    Raises:
        ConflictError: it does not run, or its own rule forbids a second start.
    """
    workload = _lock_job(actor, workload_id)
    if workload.state not in PLACED:
        raise ConflictError("not_running", state=workload.state)
    if lifecycle.must_not_repeat(workload):
        raise ConflictError("must_not_repeat")
    grace_s = int(workload.pool.policy.get("grace_s", PoolPolicy().grace_s))
    lifecycle.requeue_workload(workload, cause=REQUEUED, actor=actor, grace_s=grace_s)
    _audit(actor, "job.requeue", workload)
    return workload


@transaction.atomic
def cancel_array(*, actor: Actor, array_id: UUID) -> JobArray:
    """Cancel every task of an array that has not ended."""
    array = _find_array(actor, array_id)
    params: dict[str, int | str] = {}
    if job_arrays.cancel_tasks(array.pk, cause="requested", params=params, actor=actor):
        _audit_array(actor, "job_array.cancel", array)
    return array


@transaction.atomic
def hold_array(*, actor: Actor, array_id: UUID) -> JobArray:
    """Hold every queued task of an array; what runs continues."""
    array = _find_array(actor, array_id)
    locked = queued_work.lock_tasks(array.pk)
    if locked and _hold(actor, locked, _any_of(locked)):
        _audit_array(actor, "job_array.hold", array)
    return array


@transaction.atomic
def release_array(*, actor: Actor, array_id: UUID) -> JobArray:
    """Release every held task of an array, as far as the actor may."""
    array = _find_array(actor, array_id)
    locked = queued_work.lock_tasks(array.pk)
    if not locked:
        return array
    task = _any_of(locked)
    if _release(actor, locked, task):
        _audit_array(actor, "job_array.release", array)
        return array
    queued = array.tasks.filter(state=WorkloadState.QUEUED).exclude(held_by="")
    _require_releasable(actor, task, set(queued.values_list("held_by", flat=True)))
    return array


def _lock_job(actor: Actor, workload_id: UUID) -> Workload:
    seen = selectors.workload_visible_to(actor, workload_id, KIND)
    policies.require(
        actor, Action.WORKLOAD_STOP, seen.group_id, owner_id=seen.owner_id, what="workload"
    )
    return lifecycle.lock_workload(workload_id)


def _find_array(actor: Actor, array_id: UUID) -> JobArray:
    array = selectors.array_visible_to(actor, array_id)
    policies.require(
        actor, Action.WORKLOAD_STOP, array.group_id, owner_id=array.owner_id, what="job_array"
    )
    return array


def _any_of(tasks: Collection[UUID]) -> Workload:
    return Workload.objects.defer("spec").get(pk=min(tasks))


def _hold(actor: Actor, ids: Collection[UUID], work: Workload) -> int:
    """Hold own work as its owner, other work by the right that allows it."""
    is_own = work.owner_id == actor.user_id
    by = Workload.HeldBy.USER if is_own else strongest_hold(actor, work)
    weaker = HOLD_STRENGTHS[: HOLD_STRENGTHS.index(by)]
    return queued_work.hold_queued(ids, work, by=by, weaker=weaker, actor=actor)


def _release(actor: Actor, ids: Collection[UUID], work: Workload) -> int:
    holds = releasable_holds(actor, work)
    return queued_work.release_queued(ids, work, holds=holds, actor=actor)


def _require_releasable(actor: Actor, work: Workload, holds: Collection[str]) -> None:
    stronger = set(holds) - set(releasable_holds(actor, work))
    if stronger:
        by = max(stronger, key=[str(each) for each in HOLD_STRENGTHS].index)
        raise DeniedError("held_by_other", group_id=work.group_id, by=by)


def _audit(actor: Actor, action: str, workload: Workload) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, "state": workload.state},
    )


def _audit_array(actor: Actor, action: str, array: JobArray) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="job_array",
        object_id=array.pk,
        group_id=array.group_id,
        params={"name": array.name, "tasks": array.size},
    )
