"""Creating, stopping, starting and deleting notebooks."""

from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.common.work_kinds import NOTEBOOK
from portal.endpoints.selectors import workload_openable_by
from portal.notebooks.schedules import WeeklyTimes, require_times, set_schedule
from portal.tenancy import policies
from portal.workloads import services as workloads
from portal.workloads.idle import activity
from portal.workloads.models import Workload
from portal.workloads.selectors import workload_visible_to
from portal.workloads.state import lifecycle
from portal.workloads.submission.admission import Submission
from scheduler.core.model.states import WorkloadState

KIND = NOTEBOOK.kind


@transaction.atomic
def create_notebook(
    *, actor: Actor, submission: Submission, times: WeeklyTimes | None = None
) -> Workload:
    """Queue a new notebook; with `times`, it has a schedule from the beginning."""
    if times is None:
        return workloads.submit_workload(actor=actor, submission=submission)
    require_times(times, "/schedule")
    workload = workloads.submit_workload(actor=actor, submission=submission)
    set_schedule(actor=actor, workload_id=workload.pk, times=times)
    return workload


def start_notebook(*, actor: Actor, workload_id: UUID) -> Workload:
    """Queue a suspended notebook again; it finds its files unchanged."""
    return workloads.restart_workload(actor=actor, workload_id=workload_id, kind=KIND)


def stop_notebook(
    *,
    actor: Actor,
    workload_id: UUID,
    why: workloads.EndCause = workloads.REQUESTED,
) -> Workload:
    """Stop a notebook and keep its files."""
    return workloads.end_workload(
        actor=actor,
        workload_id=workload_id,
        kind=KIND,
        outcome=WorkloadState.SUSPENDED,
        action="environment.stop",
        why=why,
    )


def keep_notebook(*, actor: Actor, workload_id: UUID) -> Workload:
    """Postpone the next step against an idle notebook; its owner may do so a few times."""
    workload = workload_openable_by(actor, workload_id, KIND)
    return activity.keep_notebook(actor=actor, workload=workload)


@transaction.atomic
def release_gpus(*, actor: Actor, workload_id: UUID) -> Workload:
    """Have a running notebook give up its GPUs; it gets them again when it is used."""
    workload = workload_visible_to(actor, workload_id, KIND)
    policies.require(
        actor,
        Action.WORKLOAD_STOP,
        workload.group_id,
        owner_id=workload.owner_id,
        what="workload",
    )
    return activity.release_gpus_now(actor=actor, workload=workload)


@transaction.atomic
def request_gpus(*, actor: Actor, workload_id: UUID) -> Workload:
    """Request the GPUs that an idle notebook has released; a second request changes nothing."""
    workload = workload_openable_by(actor, workload_id, KIND)
    activity.record_use(workload.pk, "open", actor=actor)
    return workload


@transaction.atomic
def restart_notebook(*, actor: Actor, workload_id: UUID) -> Workload:
    """Queue a running notebook again, to start wherever it fits; files are kept, processes end."""
    workload = lifecycle.lock_workload(workload_openable_by(actor, workload_id, KIND).pk)
    if workload.state != WorkloadState.RUNNING:
        raise ConflictError("not_running", state=workload.state)
    lifecycle.requeue_workload(workload, cause="restarted", actor=actor)
    audit.record_event(
        actor=actor,
        action="environment.restart",
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name},
    )
    return workload


def delete_notebook(*, actor: Actor, workload_id: UUID) -> Workload:
    """End a notebook permanently."""
    return workloads.end_workload(
        actor=actor,
        workload_id=workload_id,
        kind=KIND,
        outcome=WorkloadState.CANCELLED,
        action="environment.delete",
    )
