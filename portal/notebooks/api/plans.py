"""What a body that submits a notebook means, for a dry run of it."""

from collections.abc import Mapping
from typing import Any

from portal.common.actor import Actor
from portal.notebooks import services
from portal.notebooks.api.inputs import EnvironmentInput
from portal.notebooks.api.schedules import read_times
from portal.notebooks.schedules import require_times
from portal.workloads.submission.inputs import PlannedSubmission, parse_submission
from portal.workloads.submission.template_inputs import read_submission


def plan_notebook(body: Mapping[str, Any], actor: Actor) -> PlannedSubmission:
    """Return the submission of a notebook; refused as the notebook would be."""
    given = read_submission(EnvironmentInput, body, actor=actor, kind=services.KIND)
    if times := given.get("schedule"):
        require_times(read_times(times), "/schedule")
    return PlannedSubmission(parse_submission(services.KIND, given, {}))
