"""Endpoints of requests and their decisions."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.approvals import selectors, services
from portal.approvals.api.inputs import ApprovalInput, ApprovalQuery, DecisionInput
from portal.approvals.api.shapes import ApprovalCounts, ApprovalShape
from portal.approvals.models import ApprovalRequest
from portal.common.actions import Action
from portal.common.rest.idempotency import idempotent
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import NoFilters
from portal.common.rest.throttling import RequestThrottle, SubmissionThrottle
from portal.common.rest.views import ApiRequest, ApiView


class ApprovalListView(ApiView):
    """Requests, and new ones."""

    required_actions = {"GET": Action.REQUEST_VIEW, "POST": Action.REQUEST_MAKE}
    throttle_classes = [RequestThrottle, SubmissionThrottle]

    @extend_schema(parameters=[ApprovalQuery], responses=ApprovalShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the caller's requests, those the caller decides on, and all of groups it administers, newest first."""
        rows = selectors.requests_visible_to(request.actor, ApprovalQuery.parse(request))
        return paginate(request, rows, lambda page: _present(request, page))

    @extend_schema(request=ApprovalInput, responses={201: ApprovalShape})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Request more than the caller may set."""
        given = ApprovalInput.parse(request)
        row = services.make_request(actor=request.actor, given=given, comment=given.pop("comment"))
        return Response(_shown(request, row), status=201)


class ApprovalCountView(ApiView):
    """How many requests wait."""

    required_actions = {"GET": Action.REQUEST_VIEW}

    @extend_schema(responses=ApprovalCounts)
    def get(self, request: ApiRequest) -> Response:
        """Return how many requests wait for the caller's decision, and of the caller."""
        NoFilters.parse(request)
        return Response(ApprovalCounts(selectors.count_requests(request.actor)).data)


class ApprovalDetailView(ApiView):
    """One request."""

    required_actions = {"GET": Action.REQUEST_VIEW}

    @extend_schema(responses=ApprovalShape)
    def get(self, request: ApiRequest, request_id: UUID) -> Response:
        """Return one request."""
        return Response(_shown(request, selectors.request_visible_to(request.actor, request_id)))


class ApprovalApproveView(ApiView):
    """Approval of a request."""

    required_actions = {"POST": Action.REQUEST_DECIDE}

    @extend_schema(request=DecisionInput, responses=ApprovalShape)
    def post(self, request: ApiRequest, request_id: UUID) -> Response:
        """Grant the request: it is in force at once."""
        comment = DecisionInput.parse(request)["comment"]
        row = services.approve_request(actor=request.actor, request_id=request_id, comment=comment)
        return Response(_shown(request, row))


class ApprovalDeclineView(ApiView):
    """Refusal of a request."""

    required_actions = {"POST": Action.REQUEST_DECIDE}

    @extend_schema(request=DecisionInput, responses=ApprovalShape)
    def post(self, request: ApiRequest, request_id: UUID) -> Response:
        """Decline the request."""
        comment = DecisionInput.parse(request)["comment"]
        row = services.decline_request(actor=request.actor, request_id=request_id, comment=comment)
        return Response(_shown(request, row))


class ApprovalWithdrawView(ApiView):
    """Withdrawal of a request."""

    required_actions = {"POST": Action.REQUEST_MAKE}

    @extend_schema(request=None, responses=ApprovalShape)
    def post(self, request: ApiRequest, request_id: UUID) -> Response:
        """Take back a request of one's own."""
        row = services.withdraw_request(actor=request.actor, request_id=request_id)
        return Response(_shown(request, row))


def _shown(request: ApiRequest, row: ApprovalRequest) -> object:
    (shown,) = _present(request, [selectors.request_visible_to(request.actor, row.pk)])
    return shown


def _present(request: ApiRequest, rows: Sequence[ApprovalRequest]) -> Any:
    context = {"actor": request.actor, "deciders": selectors.people_to_decide_for_system(rows)}
    return ApprovalShape(rows, many=True, context=context).data
