"""What bodies that submit jobs and job arrays mean, for a dry run of them."""

from collections.abc import Mapping
from typing import Any

from portal.common.actor import Actor
from portal.jobs import services
from portal.jobs.api.inputs import JobArrayInput, JobInput, build_spec
from portal.workloads.services import require_small_tasks
from portal.workloads.submission.inputs import PlannedSubmission, parse_submission
from portal.workloads.submission.template_inputs import read_submission


def plan_job(body: Mapping[str, Any], actor: Actor) -> PlannedSubmission:
    """Return the submission of a job, or of an array if the body names one; refused as that would be."""
    shape = JobArrayInput if "array" in body else JobInput
    given = read_submission(shape, body, actor=actor, kind=services.KIND)
    submission = parse_submission(services.KIND, given, build_spec(given))
    if "array" not in given:
        return PlannedSubmission(submission)
    require_small_tasks(submission, given["array"])
    return PlannedSubmission(submission, tasks=len(given["array"].indexes))
