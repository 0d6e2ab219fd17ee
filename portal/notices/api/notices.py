"""Endpoints of how notices reach the caller beside the inbox: by mail, and by a channel."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.serializers import (
    InputSerializer,
    NoFilters,
    OneOfField,
    StrictCharField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.notices import channels
from portal.notices.inbox import choose_shown
from portal.notices.kinds import NOTICE_KINDS, turn
from portal.notices.mail import choose_mails
from portal.outbound.addresses import ADDRESS_MAX, CHAT_SECRET_MAX
from portal.outbound.kinds import ChannelKind
from portal.tenancy.selectors import user_for_system

_CHANNEL_KINDS = [kind.value for kind in ChannelKind]


class NoticeKindShape(serializers.Serializer[Any]):
    """One kind of notices, and the ways by which it comes."""

    kind = serializers.ChoiceField(list(NOTICE_KINDS))
    in_inbox = serializers.BooleanField()
    by_mail = serializers.BooleanField()
    by_channel = serializers.BooleanField()


class NoticeChannelShape(serializers.Serializer[Any]):
    """Where notices go, too; of the address only the host is shown."""

    kind = serializers.ChoiceField(_CHANNEL_KINDS)
    host = serializers.CharField()
    delivered_at = serializers.DateTimeField(allow_null=True)
    failed_at = serializers.DateTimeField(allow_null=True)
    failure = serializers.CharField(help_text="A code; empty when the last message was taken.")


class IssuedNoticeChannel(NoticeChannelShape):
    """A new channel with the secret of its signatures, which is not shown again."""

    signing_secret = serializers.CharField(help_text="Empty for chats.")


class NoticeChoiceShape(serializers.Serializer[Any]):
    """Where notices reach the caller."""

    email = serializers.CharField(help_text="Where mails go; empty without an address.")
    sends_mail = serializers.BooleanField(help_text="Whether the site has a mail server.")
    allows_channels = serializers.BooleanField(help_text="Whether the site allows own channels.")
    channel = NoticeChannelShape(allow_null=True)
    kinds = NoticeKindShape(many=True)


def _kinds(**options: Any) -> Any:
    child = OneOfField(list(NOTICE_KINDS))
    return serializers.ListField(child=child, max_length=len(NOTICE_KINDS), **options)


class NoticeChoiceInput(InputSerializer):
    """The kinds of notices that are to stay out of mails, of the channel, and of the inbox."""

    mails_off = _kinds()
    channel_off = _kinds(required=False)
    """Left out, it stays as it is; so does the next."""
    inbox_off = _kinds(required=False)


class NoticeChannelInput(InputSerializer):
    """A channel of the caller."""

    kind = OneOfField(_CHANNEL_KINDS)
    address = StrictCharField(max_length=ADDRESS_MAX, write_only=True)
    """As the chat shows it, or the address of the receiver of a webhook. It is never shown again."""
    secret = StrictCharField(
        max_length=CHAT_SECRET_MAX, required=False, allow_blank=True, write_only=True
    )
    """Of a DingTalk robot that checks signatures; webhooks get one of their own."""


class NoticeChoiceView(ApiView):
    """Which notices reach the caller, and how."""

    required_actions = {"GET": Action.ME_VIEW, "PUT": Action.ME_EDIT}

    @extend_schema(responses=NoticeChoiceShape)
    def get(self, request: ApiRequest) -> Response:
        """Return the kinds of notices, and by which ways each of them comes."""
        NoFilters.parse(request)
        return Response(_present_choice(request))

    @extend_schema(request=NoticeChoiceInput, responses=NoticeChoiceShape)
    def put(self, request: ApiRequest) -> Response:
        """Choose the kinds of notices that come by no mail, not to the channel, or not into the inbox."""
        given = NoticeChoiceInput.parse(request)
        user = request.actor.user_id
        if user is not None:
            choose_mails(user_id=user, off=given["mails_off"])
            if "channel_off" in given:
                channels.choose_kinds(user_id=user, off=given["channel_off"])
            if "inbox_off" in given:
                choose_shown(user_id=user, off=given["inbox_off"])
        return Response(_present_choice(request))


class NoticeChannelView(ApiView):
    """The channel that the caller's notices go to."""

    required_actions = {"PUT": Action.TOKEN_MANAGE, "DELETE": Action.TOKEN_MANAGE}

    # Not idempotent: an answer that is stored would keep the secret.
    @extend_schema(request=NoticeChannelInput, responses=IssuedNoticeChannel)
    def put(self, request: ApiRequest) -> Response:
        """Set the channel in place of the one before; the secret of a webhook is in this answer only."""
        given = NoticeChannelInput.parse(request)
        issued = channels.set_channel(actor=request.actor, given=given)
        shown = NoticeChannelShape(issued.channel).data
        return Response({**shown, "signing_secret": issued.signing_secret})

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest) -> Response:
        """Remove the channel with what waits to be sent to it."""
        channels.remove_channel(actor=request.actor)
        return Response(status=204)


class NoticeChannelTestView(ApiView):
    """A message to try the channel with."""

    required_actions = {"POST": Action.TOKEN_MANAGE}

    @extend_schema(request=None, responses={202: None})
    def post(self, request: ApiRequest) -> Response:
        """Send a message; the channel shows soon whether it was taken."""
        channels.send_test_message(actor=request.actor)
        return Response(status=202)


def _present_choice(request: ApiRequest) -> Any:
    user = user_for_system(request.actor.user_id)
    channel = channels.find_channel(user.pk)
    inbox_off, mails_off = turn(user.inbox_turned), turn(user.mails_turned)
    channel_off = turn(channel.kinds_turned) if channel else NOTICE_KINDS
    config = get_site_config()
    return NoticeChoiceShape(
        {
            "email": user.email,
            "sends_mail": config.sends_mail,
            "allows_channels": config.personal_channels,
            "channel": channel,
            "kinds": [
                {
                    "kind": kind,
                    "in_inbox": kind not in inbox_off,
                    "by_mail": kind not in mails_off,
                    "by_channel": kind not in channel_off,
                }
                for kind in NOTICE_KINDS
            ],
        }
    ).data
