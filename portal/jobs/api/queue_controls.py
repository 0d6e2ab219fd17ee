"""Endpoints of job arrays, and of hold, release and requeue."""

from typing import ClassVar, Protocol
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.idempotency import idempotent
from portal.common.rest.views import ApiRequest, ApiView
from portal.jobs import queue_controls, services
from portal.jobs.api.inputs import JobArrayChangeInput, JobArrayInput, build_spec
from portal.jobs.array_changes import change_array
from portal.workloads import selectors
from portal.workloads.models import JobArray
from portal.workloads.operations.removal import remove_array
from portal.workloads.responses import http
from portal.workloads.responses.array_shapes import JobArrayShape
from portal.workloads.responses.arrays import present_array
from portal.workloads.submission.inputs import parse_change, parse_submission
from portal.workloads.submission.template_inputs import read_submission


class JobHoldView(http.WorkloadActionView):
    """Keep a queued job from starting."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(queue_controls.hold_job)


class JobReleaseView(http.WorkloadActionView):
    """Let a held job start."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(queue_controls.release_job)


class JobRequeueView(http.WorkloadActionView):
    """Stop a running job and queue it again."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(queue_controls.requeue_job)


class JobArrayListView(http.SubmissionView):
    """New job arrays; lists of jobs show them, too."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}
    manifest_kinds = {"JobArray": ""}

    @extend_schema(request=JobArrayInput, responses={202: JobArrayShape})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Submit a job for each index."""
        given = read_submission(
            JobArrayInput, request.data, actor=request.actor, kind=services.KIND
        )
        submission = parse_submission(services.KIND, given, build_spec(given))
        array = services.submit_array(
            actor=request.actor, submission=submission, given=given["array"]
        )
        return _respond_accepted(array)


class JobArrayDetailView(ApiView):
    """One job array."""

    required_actions = {
        "GET": Action.WORKLOAD_VIEW,
        "PATCH": Action.WORKLOAD_SUBMIT,
        "DELETE": Action.WORKLOAD_STOP,
    }

    @extend_schema(responses=JobArrayShape)
    def get(self, request: ApiRequest, array_id: UUID) -> Response:
        """Return one job array; its tasks are `GET /jobs?array=<id>`."""
        return Response(present_array(selectors.array_visible_to(request.actor, array_id)))

    @extend_schema(request=JobArrayChangeInput, responses=JobArrayShape)
    @idempotent
    def patch(self, request: ApiRequest, array_id: UUID) -> Response:
        """Change its name, how many of its tasks run at once, or the priority of those that wait."""
        changes = parse_change(JobArrayChangeInput.parse(request))
        array = change_array(actor=request.actor, array_id=array_id, changes=changes)
        return Response(present_array(array))

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, array_id: UUID) -> Response:
        """Delete an array of which every task has ended, with outputs and logs; what it used stays counted."""
        remove_array(actor=request.actor, array_id=array_id)
        return Response(status=204)


class ArrayAction(Protocol):
    """A service that does something to the tasks of an array."""

    def __call__(self, *, actor: Actor, array_id: UUID) -> JobArray:
        """Return the array."""


class JobArrayActionView(ApiView):
    """A POST without a body that does something to all tasks of an array and returns it."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform: ClassVar[ArrayAction]

    @extend_schema(request=None, responses={202: JobArrayShape})
    def post(self, request: ApiRequest, array_id: UUID) -> Response:
        """Perform the action; the API describes it by the docstring of the subclass."""
        return _respond_accepted(self.perform(actor=request.actor, array_id=array_id))


class JobArrayCancelView(JobArrayActionView):
    """Cancel every task of a job array that has not ended."""

    perform = staticmethod(queue_controls.cancel_array)


class JobArrayHoldView(JobArrayActionView):
    """Keep the queued tasks of a job array from starting."""

    perform = staticmethod(queue_controls.hold_array)


class JobArrayReleaseView(JobArrayActionView):
    """Let the held tasks of a job array start."""

    perform = staticmethod(queue_controls.release_array)


def _respond_accepted(array: JobArray) -> Response:
    """Return 202 with the array as it is now, and its address."""
    address = {"Location": f"/api/v1/job-arrays/{array.pk}"}
    return Response(present_array(array), status=202, headers=address)
