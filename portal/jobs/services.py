"""Submitting and cancelling training jobs."""

from uuid import UUID

from portal.common.actor import Actor
from portal.common.work_kinds import JOB
from portal.workloads import services as workloads
from portal.workloads.models import JobArray, Workload
from portal.workloads.submission.admission import Submission
from portal.workloads.submission.array_indexes import ArrayIndexes
from scheduler.core.model.states import WorkloadState

KIND = JOB.kind


def submit_job(*, actor: Actor, submission: Submission) -> Workload:
    """Queue a job."""
    return workloads.submit_workload(actor=actor, submission=submission)


def submit_array(*, actor: Actor, submission: Submission, given: ArrayIndexes) -> JobArray:
    """Queue a job for each index."""
    return workloads.submit_array(actor=actor, submission=submission, given=given)


def cancel_job(
    *, actor: Actor, workload_id: UUID, why: workloads.EndCause = workloads.REQUESTED
) -> Workload:
    """Cancel a job.

    Raises:
        ConflictError: it has already ended in another way.
    """
    return workloads.end_workload(
        actor=actor,
        workload_id=workload_id,
        kind=KIND,
        outcome=WorkloadState.CANCELLED,
        action="job.cancel",
        why=why,
    )
