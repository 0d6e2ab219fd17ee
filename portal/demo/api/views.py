"""Endpoint of what of this installation is simulated."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.projection import project
from portal.common.rest.serializers import InputSerializer, NoFilters, StrictBooleanField
from portal.common.rest.views import ApiRequest, ApiView
from portal.demo import removal, services, state


class DemoShape(serializers.Serializer[Any]):
    """What of this installation is simulated; all null where nothing is."""

    past_from = serializers.DateTimeField(
        allow_null=True, help_text="The first moment of the simulated past."
    )
    seeded_at = serializers.DateTimeField(allow_null=True, help_text="Where that past ends.")
    activity = serializers.BooleanField(help_text="Whether people of the demo submit work now.")
    removed_at = serializers.DateTimeField(
        allow_null=True, help_text="When its removal was requested."
    )


class DemoChange(InputSerializer):
    """What is switched on or off."""

    activity = StrictBooleanField()


class DemoView(ApiView):
    """What of this installation is simulated."""

    required_actions = {
        "GET": Action.ME_VIEW,
        "PATCH": Action.SITE_MANAGE,
        "DELETE": Action.SITE_MANAGE,
    }
    is_paged = False

    @extend_schema(responses=DemoShape)
    def get(self, request: ApiRequest) -> Response:
        """Return what of this installation is simulated."""
        NoFilters.parse(request)
        return Response(project(DemoShape, state.get_state_for_system()))

    @extend_schema(request=DemoChange, responses=DemoShape)
    def patch(self, request: ApiRequest) -> Response:
        """Switch the simulated activity on or off."""
        given = DemoChange.parse(request)
        services.switch_activity(actor=request.actor, is_on=given["activity"])
        return Response(project(DemoShape, state.get_state_for_system()))

    @extend_schema(request=None, responses={202: None})
    def delete(self, request: ApiRequest) -> Response:
        """Have all simulated work removed, with everything that is counted of it."""
        removal.request_removal(actor=request.actor)
        return Response(status=202)
