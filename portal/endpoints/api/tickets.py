"""Endpoints of the tickets that open notebooks, web apps, replicas and ports of jobs."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.problems import current_language
from portal.common.rest.serializers import InputSerializer, StrictIntegerField
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.work_kinds import APP, JOB, NOTEBOOK, REPLICA, WorkTerms
from portal.endpoints import services
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


def _issue(
    request: ApiRequest, workload_id: UUID, kind: WorkTerms, port: int | None = None
) -> Response:
    """Return the answer with a ticket for the work's application, or for a port of it."""
    issued = services.issue_ticket(
        actor=request.actor,
        workload_id=workload_id,
        kind=kind.kind,
        port=port,
        language=current_language(),
    )
    return Response(TicketShape(issued).data, status=201)


class EnvironmentTicketListView(ApiView):
    """Tickets that open a notebook."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=TicketInput, responses={201: TicketShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Issue an address that opens the notebook, or a port of it, once and within a minute."""
        return _issue(request, workload_id, NOTEBOOK, TicketInput.parse(request).get("port"))


class JobTicketListView(ApiView):
    """Tickets that open a port of a job, such as TensorBoard's."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=JobTicketInput, responses={201: TicketShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Issue an address that opens a port of the job's first rank once, within a minute."""
        return _issue(request, workload_id, JOB, JobTicketInput.parse(request)["port"])


class AppSessionTicketListView(ApiView):
    """Tickets that open a session."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=None, responses={201: TicketShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Issue an address that opens the session once and within a minute, also before it runs."""
        return _issue(request, workload_id, APP)


class ReplicaTicketListView(ApiView):
    """Tickets that open the server of one replica in a browser."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}

    @extend_schema(request=None, responses={201: TicketShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Issue an address that opens the replica once and within a minute, for its owner to look at."""
        return _issue(request, workload_id, REPLICA)
