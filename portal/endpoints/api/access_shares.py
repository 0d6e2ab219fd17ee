"""Endpoints of sharing notebooks, web apps and ports of jobs with colleagues, and of opening what is shared."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.problems import current_language
from portal.common.rest.refs import UserRef
from portal.common.rest.serializers import (
    IdField,
    InputSerializer,
    NoFilters,
    OneOfField,
    StrictIntegerField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.work_kinds import APP, JOB, KINDS, NOTEBOOK, REPLICA
from portal.endpoints import access_shares, services
from portal.endpoints.access_shares import SHARE_HOURS, SHARE_HOURS_MAX
from portal.endpoints.api.tickets import TicketInput, TicketShape

ACCESSES = ("view", "full")


class AccessShareInput(InputSerializer):
    """With whom to share a notebook, an app or the ports of a job, how much of it, and for how long."""

    person = IdField(help_text="Another member of its group.")
    access = OneOfField(
        ACCESSES,
        default="view",
        help_text="`view` lets reads pass, no changes and no WebSockets; `full` all that its owner "
        "can do in the browser.",
    )
    hours = StrictIntegerField(min_value=1, max_value=SHARE_HOURS_MAX, default=SHARE_HOURS)


class AccessShareShape(serializers.Serializer[Any]):
    """One colleague who may open a notebook, an app or the ports of a job."""

    id = serializers.UUIDField()
    person = UserRef(source="recipient")
    access = serializers.ChoiceField(ACCESSES)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class SharedWorkRef(serializers.Serializer[Any]):
    """A notebook, app or job that is shared."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(list(KINDS))
    name = serializers.CharField()
    state = serializers.CharField()


class ReceivedShareShape(serializers.Serializer[Any]):
    """A notebook, an app or the ports of a job that a colleague shares with the caller."""

    id = serializers.UUIDField()
    workload = SharedWorkRef()
    owner = UserRef(source="workload.owner")
    access = serializers.ChoiceField(ACCESSES)
    expires_at = serializers.DateTimeField()


class EnvironmentShareListView(ApiView):
    """With whom a notebook is shared."""

    kind: ClassVar[str] = NOTEBOOK.kind
    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_OPEN}
    is_paged = False

    @extend_schema(responses=AccessShareShape(many=True))
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """List who may open it now, by name; of others than its owner, only the caller's own share."""
        NoFilters.parse(request)
        rows = access_shares.shares_visible_to(request.actor, workload_id, self.kind)
        return Response(AccessShareShape(rows, many=True).data)

    @extend_schema(request=AccessShareInput, responses={201: AccessShareShape})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Share it with a colleague until an end; this replaces the share that the colleague has."""
        # Unknown comes before malformed.
        access_shares.shares_visible_to(request.actor, workload_id, self.kind)
        given = AccessShareInput.parse(request)
        share = access_shares.share_access(
            actor=request.actor,
            workload_id=workload_id,
            kind=self.kind,
            person=given["person"],
            is_full=given["access"] == "full",
            hours=given["hours"],
        )
        return Response(AccessShareShape(share).data, status=201)


class EnvironmentShareView(ApiView):
    """One share of a notebook."""

    kind: ClassVar[str] = NOTEBOOK.kind
    required_actions = {"DELETE": Action.WORKLOAD_STOP}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, workload_id: UUID, share_id: UUID) -> Response:
        """End a share; what the colleague has open ends within seconds."""
        access_shares.revoke_share(
            actor=request.actor, workload_id=workload_id, kind=self.kind, share_id=share_id
        )
        return Response(status=204)


class AppShareListView(EnvironmentShareListView):
    """With whom a session of a web app is shared."""

    kind = APP.kind


class AppShareView(EnvironmentShareView):
    """One share of a session of a web app."""

    kind = APP.kind


class JobShareListView(EnvironmentShareListView):
    """With whom the ports of a job are shared."""

    kind = JOB.kind


class JobShareView(EnvironmentShareView):
    """One share of the ports of a job."""

    kind = JOB.kind


class ReplicaShareListView(EnvironmentShareListView):
    """With whom the server of a replica is shared."""

    kind = REPLICA.kind


class ReplicaShareView(EnvironmentShareView):
    """One share of the server of a replica."""

    kind = REPLICA.kind


class ReceivedShareListView(ApiView):
    """What colleagues share with the caller."""

    required_actions = {"GET": Action.SHARE_OPEN}

    @extend_schema(responses=ReceivedShareShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the notebooks, apps and jobs that colleagues share with the caller now, newest first."""
        NoFilters.parse(request)
        rows = access_shares.shares_with(request.actor)
        return paginate(request, rows, lambda page: ReceivedShareShape(page, many=True).data)


class ReceivedShareView(ApiView):
    """One share of a colleague with the caller."""

    required_actions = {"DELETE": Action.SHARE_OPEN}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, share_id: UUID) -> Response:
        """Leave what a colleague shares with the caller; what is open ends within seconds."""
        access_shares.leave_share(actor=request.actor, share_id=share_id)
        return Response(status=204)


class ReceivedShareTicketListView(ApiView):
    """Tickets that open what is shared."""

    required_actions = {"POST": Action.SHARE_OPEN}

    @extend_schema(request=TicketInput, responses={201: TicketShape})
    def post(self, request: ApiRequest, share_id: UUID) -> Response:
        """Issue an address that opens what a colleague shares, once and within a minute."""
        access_shares.share_with(request.actor, share_id)  # unknown comes before malformed
        issued = services.issue_shared_ticket(
            actor=request.actor,
            share_id=share_id,
            port=TicketInput.parse(request).get("port"),
            language=current_language(),
        )
        return Response(TicketShape(issued).data, status=201)
