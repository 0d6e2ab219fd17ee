"""What a body that creates a service means, for a dry run of one of its replicas."""

from collections.abc import Mapping
from typing import Any

from portal.common.actor import Actor
from portal.serving.inputs import ServiceInput, split_service
from portal.serving.services import plan_replica
from portal.workloads.submission.inputs import PlannedSubmission


def plan_service(body: Mapping[str, Any], actor: Actor) -> PlannedSubmission:
    """Return the submission of one replica; refused as the service would be."""
    given = ServiceInput.parse_body(body)
    terms, spec = split_service(given)
    return PlannedSubmission(plan_replica(actor, given["group"], terms, spec))
