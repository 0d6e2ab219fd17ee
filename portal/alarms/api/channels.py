"""Endpoints of channels, for administrators of the platform."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.alarms import channels, selectors
from portal.alarms.api.inputs import AlarmChannelChange, AlarmChannelInput
from portal.alarms.api.shapes import AlarmChannelShape, IssuedAlarmChannel
from portal.common.actions import Action
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView


class AlarmChannelListView(ApiView):
    """The channels of the site."""

    required_actions = {"GET": Action.ALARM_MANAGE, "POST": Action.ALARM_MANAGE}
    is_paged = False

    @extend_schema(responses=AlarmChannelShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the channels; of their addresses only the hosts."""
        NoFilters.parse(request)
        rows = selectors.channels_visible_to(request.actor)
        return Response(AlarmChannelShape(rows, many=True).data)

    # Not idempotent: an answer that is stored would keep the secret.
    @extend_schema(request=AlarmChannelInput, responses={201: IssuedAlarmChannel})
    def post(self, request: ApiRequest) -> Response:
        """Add a channel; the secret of a webhook is in this answer only."""
        given = AlarmChannelInput.parse(request)
        issued = channels.create_channel(actor=request.actor, given=given)
        shown = AlarmChannelShape(issued.channel).data
        return Response({**shown, "signing_secret": issued.signing_secret}, status=201)


class AlarmChannelView(ApiView):
    """One channel."""

    required_actions = {"PATCH": Action.ALARM_MANAGE, "DELETE": Action.ALARM_MANAGE}

    @extend_schema(request=AlarmChannelChange, responses=AlarmChannelShape)
    def patch(self, request: ApiRequest, channel_id: UUID) -> Response:
        """Change a channel."""
        changes = AlarmChannelChange.parse(request)
        channel = channels.change_channel(
            actor=request.actor, channel_id=channel_id, changes=changes
        )
        return Response(AlarmChannelShape(channel).data)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, channel_id: UUID) -> Response:
        """Remove a channel with what waits to be sent to it."""
        channels.remove_channel(actor=request.actor, channel_id=channel_id)
        return Response(status=204)


class AlarmChannelTestView(ApiView):
    """A message to try a channel with."""

    required_actions = {"POST": Action.ALARM_MANAGE}

    @extend_schema(request=None, responses={202: None})
    def post(self, request: ApiRequest, channel_id: UUID) -> Response:
        """Send a message; the channel shows soon whether it was taken."""
        channels.send_test_message(actor=request.actor, channel_id=channel_id)
        return Response(status=202)
