"""The body of a notebook's submission."""

from portal.notebooks.api.schedules import NotebookScheduleInput
from portal.workloads.submission.inputs import SubmissionInput


class EnvironmentInput(SubmissionInput):
    """A notebook: an image and its resources."""

    schedule = NotebookScheduleInput(required=False)
    """When it starts and stops by itself; left out, by hand only."""
