"""What a body that starts a web app means, for a dry run of it."""

from collections.abc import Mapping
from typing import Any

from portal.app_sessions import services
from portal.app_sessions.api.views import AppSessionInput, read_folder
from portal.common.actor import Actor
from portal.workloads.submission.inputs import PlannedSubmission


def plan_app(body: Mapping[str, Any], actor: Actor) -> PlannedSubmission:
    """Return the submission of a session of a web app; refused as the session would be."""
    given = AppSessionInput.parse_body(body)
    return PlannedSubmission(services.plan_session(actor, given["app"], read_folder(given)))
