"""Endpoints of the keys of services."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.serving import keys, selectors
from portal.serving.api.answers import present_issued, present_keys
from portal.serving.api.shapes import IssuedServiceKeyShape, ServiceKeyShape
from portal.serving.inputs import ServiceKeyInput


class ServiceKeyListView(ApiView):
    """The keys of a service."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_SUBMIT}

    @extend_schema(responses=ServiceKeyShape(many=True))
    def get(self, request: ApiRequest, service_id: UUID) -> Response:
        """List its keys that were not revoked, newest first."""
        NoFilters.parse(request)
        service = selectors.service_visible_to(request.actor, service_id)
        return paginate(request, selectors.keys_for_system(service), present_keys)

    @extend_schema(request=ServiceKeyInput, responses={201: IssuedServiceKeyShape})
    def post(self, request: ApiRequest, service_id: UUID) -> Response:
        """Issue a key; its secret is in this answer only."""
        selectors.service_visible_to(request.actor, service_id)  # unknown comes before malformed
        given = ServiceKeyInput.parse(request)
        issued = keys.issue_key(actor=request.actor, service_id=service_id, **given)
        return Response(present_issued(issued), status=201)


class ServiceKeyView(ApiView):
    """One key of a service."""

    required_actions = {"DELETE": Action.WORKLOAD_SUBMIT}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, service_id: UUID, key_id: UUID) -> Response:
        """Revoke it; it opens nothing any more within a second or two."""
        keys.revoke_key(actor=request.actor, service_id=service_id, key_id=key_id)
        return Response(status=204)
