"""Endpoints of notebooks, and of the tickets that open them."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.idempotency import idempotent
from portal.common.rest.problems import current_language
from portal.common.rest.serializers import InputSerializer, StrictIntegerField
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.work_kinds import JOB
from portal.environments import services
from portal.environments.api.inputs import EnvironmentInput
from portal.environments.api.schedules import read_times
from portal.workloads.responses import http
from portal.workloads.responses.list_queries import OneKindQuery
from portal.workloads.responses.shapes import WorkloadDetail, WorkloadSummary
from portal.workloads.submission.inputs import WorkloadChangeInput, parse_submission
from portal.workloads.submission.template_inputs import read_submission
from wire.values import PORT_MAX


class TicketInput(InputSerializer):
    """What to open of a notebook: one of its requested ports, or else its web application."""

    port = StrictIntegerField(min_value=1, max_value=PORT_MAX, required=False)


class JobTicketInput(InputSerializer):
    """Which of its requested ports to open of a job."""

    port = StrictIntegerField(min_value=1, max_value=PORT_MAX)


class TicketShape(serializers.Serializer[Any]):
    """An address that opens a notebook or a port once."""

    url = serializers.URLField()
    expires_at = serializers.DateTimeField()


class EnvironmentListView(http.SubmissionView):
    """All notebooks, and new ones."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_SUBMIT}
    manifest_kinds = {"Environment": ""}

    @extend_schema(parameters=[OneKindQuery], responses=WorkloadSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the notebooks that the caller may see, newest first."""
        return http.respond_list(request, {**OneKindQuery.parse(request), "kind": services.KIND})

    @extend_schema(request=EnvironmentInput, responses={202: WorkloadDetail})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Create a notebook."""
        given = read_submission(
            EnvironmentInput, request.data, actor=request.actor, kind=services.KIND
        )
        times = given.get("schedule")
        return http.respond_submitted(
            services.create_environment(
                actor=request.actor,
                submission=parse_submission(services.KIND, given, {}),
                times=read_times(times) if times else None,
            )
        )


class EnvironmentDetailView(ApiView):
    """One notebook."""

    required_actions = {
        "GET": Action.WORKLOAD_VIEW,
        "PATCH": Action.WORKLOAD_SUBMIT,
        "DELETE": Action.WORKLOAD_STOP,
    }

    @extend_schema(responses=WorkloadDetail)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return one notebook in full."""
        return http.respond_detail(request, workload_id, services.KIND)

    @extend_schema(request=WorkloadChangeInput, responses=WorkloadDetail)
    @idempotent
    def patch(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Change a notebook that is stopped or waits, or the time limit of one that runs."""
        return http.respond_changed(
            request, workload_id, services.KIND, WorkloadChangeInput.parse(request)
        )

    @extend_schema(responses={202: WorkloadDetail})
    def delete(self, request: ApiRequest, workload_id: UUID) -> Response:
        """End a notebook permanently."""
        return http.respond_accepted(
            request, services.delete_environment(actor=request.actor, workload_id=workload_id)
        )


class EnvironmentStopView(http.WorkloadActionView):
    """Stop a notebook and keep its files."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(services.stop_environment)


class EnvironmentStartView(http.WorkloadActionView):
    """Start a stopped notebook again."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}
    perform = staticmethod(services.start_environment)


class EnvironmentKeepView(http.WorkloadActionView):
    """Keep an idle notebook and its GPUs for a while longer."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}
    perform = staticmethod(services.keep_environment)


class EnvironmentGpusView(http.WorkloadActionView):
    """Request the GPUs that an idle notebook has released."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}
    perform = staticmethod(services.request_gpus)


class EnvironmentRestartView(http.WorkloadActionView):
    """Queue a running notebook again, to start wherever it fits; its files are kept."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}
    perform = staticmethod(services.restart_environment)


class EnvironmentTicketListView(ApiView):
    """Tickets that open a notebook."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=TicketInput, responses={201: TicketShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Issue an address that opens the notebook, or a port of it, once and within a minute."""
        issued = services.issue_ticket(
            actor=request.actor,
            workload_id=workload_id,
            port=TicketInput.parse(request).get("port"),
            language=current_language(),
        )
        return Response(TicketShape(issued).data, status=201)


class JobTicketListView(ApiView):
    """Tickets that open a port of a job, such as TensorBoard's."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=JobTicketInput, responses={201: TicketShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Issue an address that opens a port of the job's first rank once, within a minute."""
        issued = services.issue_ticket(
            actor=request.actor,
            workload_id=workload_id,
            kind=JOB.kind,
            port=JobTicketInput.parse(request)["port"],
            language=current_language(),
        )
        return Response(TicketShape(issued).data, status=201)
