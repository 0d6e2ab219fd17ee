"""Doors to notebooks."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.idempotency import idempotent
from portal.common.serializers import InputSerializer, StrictIntegerField
from portal.common.throttling import RequestThrottle, SubmissionThrottle
from portal.common.views import ApiRequest, ApiView
from portal.environments import services
from portal.workloads.models import Workload
from portal.workloads.responses import http
from portal.workloads.responses.shapes import OneKindQuery, WorkloadDetail, WorkloadSummary
from portal.workloads.submission.inputs import SubmissionInput, parse_submission
from wire.values import PORT_MAX


class EnvironmentInput(SubmissionInput):
    """A notebook: an image and its resources."""


class TicketInput(InputSerializer):
    """What to open of a notebook: a port that was asked for, or else the notebook itself."""

    port = StrictIntegerField(min_value=1, max_value=PORT_MAX, required=False)


class JobTicketInput(InputSerializer):
    """What to open of a job, which has nothing but the ports that were asked for."""

    port = StrictIntegerField(min_value=1, max_value=PORT_MAX)


class TicketShape(serializers.Serializer[Any]):
    """An address that opens a notebook, or a port, once."""

    url = serializers.URLField()
    expires_at = serializers.DateTimeField()


class EnvironmentListView(ApiView):
    """All notebooks, and new ones."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_SUBMIT}
    throttle_classes = [RequestThrottle, SubmissionThrottle]

    @extend_schema(parameters=[OneKindQuery], responses=WorkloadSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the notebooks that the caller may see, newest first."""
        return http.respond_list(request, {**OneKindQuery.parse(request), "kind": services.KIND})

    @extend_schema(request=EnvironmentInput, responses={202: WorkloadDetail})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Create a notebook."""
        submission = parse_submission(services.KIND, EnvironmentInput.parse(request), {})
        return http.respond_accepted(
            request, services.create_environment(actor=request.actor, submission=submission)
        )


class EnvironmentDetailView(ApiView):
    """One notebook."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "DELETE": Action.WORKLOAD_STOP}

    @extend_schema(responses=WorkloadDetail)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return one notebook in full."""
        return http.respond_detail(request, workload_id, services.KIND)

    @extend_schema(responses={202: WorkloadDetail})
    def delete(self, request: ApiRequest, workload_id: UUID) -> Response:
        """End a notebook for good."""
        return http.respond_accepted(
            request, services.delete_environment(actor=request.actor, workload_id=workload_id)
        )


class EnvironmentStopView(ApiView):
    """A pause."""

    required_actions = {"POST": Action.WORKLOAD_STOP}

    @extend_schema(request=None, responses={202: WorkloadDetail})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Stop a notebook and keep its files."""
        return http.respond_accepted(
            request, services.stop_environment(actor=request.actor, workload_id=workload_id)
        )


class EnvironmentStartView(ApiView):
    """The end of a pause."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}

    @extend_schema(request=None, responses={202: WorkloadDetail})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Start a stopped notebook again."""
        return http.respond_accepted(
            request, services.start_environment(actor=request.actor, workload_id=workload_id)
        )


class EnvironmentKeepView(ApiView):
    """More time for an idle notebook."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=None, responses={202: WorkloadDetail})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Keep an idle notebook, and its cards, for a while longer."""
        return http.respond_accepted(
            request, services.keep_environment(actor=request.actor, workload_id=workload_id)
        )


class EnvironmentGpusView(ApiView):
    """The way back of cards that were given up."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=None, responses={202: WorkloadDetail})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Ask for the cards that an idle notebook has given up."""
        return http.respond_accepted(
            request, services.request_gpus(actor=request.actor, workload_id=workload_id)
        )


class EnvironmentRestartView(ApiView):
    """A new start elsewhere."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=None, responses={202: WorkloadDetail})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Queue a running notebook again, to start wherever there is room; its files stay."""
        return http.respond_accepted(
            request, services.restart_environment(actor=request.actor, workload_id=workload_id)
        )


class EnvironmentTicketListView(ApiView):
    """The way in."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=TicketInput, responses={201: TicketShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Issue an address that opens the notebook, or a port of it, once, within a minute."""
        issued = services.issue_ticket(
            actor=request.actor,
            workload_id=workload_id,
            port=TicketInput.parse(request).get("port"),
        )
        return Response(TicketShape(issued).data, status=201)


class JobTicketListView(ApiView):
    """The way to a port of a job, such as TensorBoard's."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=JobTicketInput, responses={201: TicketShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Issue an address that opens a port of the job's first rank once, within a minute."""
        issued = services.issue_ticket(
            actor=request.actor,
            workload_id=workload_id,
            kind=Workload.Kind.TRAINING,
            port=JobTicketInput.parse(request)["port"],
        )
        return Response(TicketShape(issued).data, status=201)
