"""Submitting, restarting and ending workloads; each in one transaction."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, InvalidError
from portal.tenancy import policies
from portal.tenancy.submitters import find_without_right
from portal.workloads import selectors
from portal.workloads.dependencies import save_dependencies
from portal.workloads.holds import releasable_holds
from portal.workloads.models import JobArray, Workload
from portal.workloads.run_times import digest_command
from portal.workloads.state import allocations, lifecycle
from portal.workloads.state.checkpoints import save_checkpoint
from portal.workloads.state.queued_work import (
    create_tasks,
    create_workload,
    release_queued,
    release_suspended,
)
from portal.workloads.state.transitions import move_workload
from portal.workloads.state.volume_notes import note_if_full
from portal.workloads.submission import admission
from portal.workloads.submission.admission import NearLimitError, Submission
from portal.workloads.submission.array_indexes import ArrayIndexes
from scheduler.core.model.states import TERMINAL, WorkloadState

ARRAY_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of the programs of all tasks of an array together: each task keeps its own copy."""


@dataclass(frozen=True, slots=True)
class EndCause:
    """Why work is ended, as its event says."""

    code: str
    params: Mapping[str, int | str] = field(default_factory=dict)


REQUESTED: Final = EndCause("requested")
"""Somebody who may do so has requested it."""


def submit_workload(*, actor: Actor, submission: Submission) -> Workload:
    """Queue new work; it is refused if it could never start or a counted limit forbids it."""
    try:
        return _submit(actor, submission, is_alone=False)
    except NearLimitError:
        return _submit(actor, submission, is_alone=True)


@transaction.atomic
def _submit(actor: Actor, submission: Submission, *, is_alone: bool) -> Workload:
    admitted = admission.admit(actor, submission, is_alone=is_alone)
    digest = digest_command(submission.spec)
    workload = create_workload(Workload(**admitted.columns(), command_digest=digest), actor=actor)
    if admitted.dependencies:
        save_dependencies(admitted.dependencies, workload=workload)
    note_if_full(workload)
    _audit(actor, "workload.submit", workload)
    return workload


@transaction.atomic
def submit_array(*, actor: Actor, submission: Submission, given: ArrayIndexes) -> JobArray:
    """Queue a job for each index; all or none of them."""
    require_small_tasks(submission, given)
    admitted = admission.admit(actor, submission, tasks=len(given.indexes))
    array = JobArray.objects.create(
        name=submission.name,
        owner_id=admitted.user_id,
        group=admitted.group,
        indexes=given.text,
        size=len(given.indexes),
        running_max=given.running_max,
    )
    head = Workload.objects.create(
        **admitted.columns(),
        command_digest=digest_command(submission.spec),
        array=array,
        array_index=given.indexes[0],
        heads_array=True,
    )
    save_dependencies(admitted.dependencies, array=array)
    create_tasks(head, given.indexes[1:], actor=actor)
    audit.record_event(
        actor=actor,
        action="job_array.submit",
        object_type="job_array",
        object_id=array.pk,
        group_id=array.group_id,
        params={"name": array.name, "tasks": array.size},
    )
    return array


def require_small_tasks(submission: Submission, given: ArrayIndexes) -> None:
    """Refuse an array whose tasks together would be too much to keep."""
    spec_bytes = len(json.dumps(submission.spec).encode()) * len(given.indexes)
    if spec_bytes > ARRAY_BYTES_MAX:
        raise InvalidError("array_program_too_large", pointer="/array", max=ARRAY_BYTES_MAX)


@transaction.atomic
def restart_workload(*, actor: Actor, workload_id: UUID, kind: str, cause: str = "") -> Workload:
    """Queue suspended work again under its id; work that is queued or placed stays as it is.

    A hold of it ends that the actor may release.
    """
    seen = selectors.workload_visible_to(actor, workload_id, kind)
    policies.require(actor, Action.WORKLOAD_SUBMIT, seen.group_id, what="workload")
    _require_control(actor, seen)
    require_submitter(seen)
    workload = lifecycle.lock_workload(workload_id)
    state = WorkloadState(workload.state)
    if state in TERMINAL or state is WorkloadState.STOPPING:
        raise ConflictError("not_startable", state=state.value)
    holds = releasable_holds(actor, workload)
    if state is WorkloadState.QUEUED and workload.held_by in holds:
        release_queued([workload.pk], workload, holds=holds, actor=actor)
    if state is not WorkloadState.SUSPENDED:
        return workload
    release_suspended(workload, holds)
    limit_s = admission.readmit(workload)
    if workload.time_limit_s != limit_s:  # a limit was lowered since it ran last
        workload.time_limit_s = limit_s
        workload.save(update_fields=["time_limit_s"])
    move_workload(workload, WorkloadState.QUEUED, actor=actor, cause=cause)
    note_if_full(workload)
    _audit(actor, "workload.start", workload)
    return workload


def require_submitter(workload: Workload) -> None:
    """Refuse work whose owner may not submit to its group any more: it would wait for ever."""
    if find_without_right({(str(workload.owner_id), str(workload.group_id))}):
        raise ConflictError("owner_may_not_start")


@transaction.atomic
def end_workload(
    *,
    actor: Actor,
    workload_id: UUID,
    kind: str,
    outcome: WorkloadState,
    action: str,
    why: EndCause = REQUESTED,
) -> Workload:
    """Request that work ends; a repetition changes nothing, and ended work refuses another end."""
    _require_control(actor, selectors.workload_visible_to(actor, workload_id, kind))
    workload = lifecycle.lock_workload(workload_id)
    if workload.state in TERMINAL and workload.state != outcome:
        raise ConflictError("already_ended", state=workload.state)
    before = workload.version
    lifecycle.request_stop(
        workload, outcome=outcome, cause=why.code, params=why.params, actor=actor
    )
    if workload.version != before:
        _audit(actor, action, workload)
    return workload


@transaction.atomic
def record_checkpoint(*, actor: Actor, workload_id: UUID) -> Workload:
    """Save that running work has a checkpoint now: evictions prefer work that loses least."""
    _require_control(actor, selectors.workload_visible_to(actor, workload_id))
    workload = lifecycle.lock_workload(workload_id)
    # Evicted work is queued again during its notice, and that is when it saves itself.
    if workload.state != WorkloadState.RUNNING and not allocations.live_allocations(workload):
        raise ConflictError("not_running", state=workload.state)
    save_checkpoint(workload, now(), actor=actor)
    return workload


def _require_control(actor: Actor, workload: Workload) -> None:
    policies.require(
        actor,
        Action.WORKLOAD_STOP,
        workload.group_id,
        owner_id=workload.owner_id,
        what="workload",
    )


def _audit(actor: Actor, action: str, workload: Workload) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, "state": workload.state},
    )
