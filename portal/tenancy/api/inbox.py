"""Endpoints of the caller's inbox, and of what comes by mail, too."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.problems import current_language
from portal.common.rest.serializers import InputSerializer, NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.identity import inbox
from portal.identity.mail import choose_mails
from portal.identity.notice_kinds import NOTICE_KINDS
from portal.tenancy.selectors import user_for_system


class NoticeShape(serializers.Serializer[Any]):
    """What the caller was notified of, in the language of the request."""

    id = serializers.UUIDField()
    code = serializers.CharField()
    text = serializers.CharField()
    path = serializers.CharField(help_text="Of the page that it is about; may be empty.")
    created_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)


class InboxShape(serializers.Serializer[Any]):
    """The inbox of the caller."""

    unread = serializers.IntegerField()
    notices = NoticeShape(many=True)


class InboxRead(InputSerializer):
    """The newest notice that was read."""

    until = serializers.UUIDField()


class InboxView(ApiView):
    """What the caller was notified of."""

    required_actions = {"GET": Action.ME_VIEW, "POST": Action.ME_VIEW}
    is_paged = False

    @extend_schema(responses=InboxShape)
    def get(self, request: ApiRequest) -> Response:
        """Return the newest notices, and how many were not read."""
        NoFilters.parse(request)
        return Response(_present(request))

    @extend_schema(request=InboxRead, responses=InboxShape)
    def post(self, request: ApiRequest) -> Response:
        """Mark notices as read, up to one that was shown."""
        given = InboxRead.parse(request)
        if request.actor.user_id is not None:
            inbox.mark_read(user_id=request.actor.user_id, until=given["until"])
        return Response(_present(request))


class NoticeKindShape(serializers.Serializer[Any]):
    """One kind of notices: all are in the inbox."""

    kind = serializers.ChoiceField(list(NOTICE_KINDS))
    by_mail = serializers.BooleanField()


class NoticeChoiceShape(serializers.Serializer[Any]):
    """Where notices reach the caller, beside the inbox."""

    email = serializers.CharField(help_text="Where mails go; empty without an address.")
    sends_mail = serializers.BooleanField(help_text="Whether the site has a mail server.")
    kinds = NoticeKindShape(many=True)


class NoticeChoiceInput(InputSerializer):
    """The kinds of notices that are to come by no mail; all others do."""

    mails_off = serializers.ListField(
        child=serializers.ChoiceField(list(NOTICE_KINDS)), max_length=len(NOTICE_KINDS)
    )


class NoticeChoiceView(ApiView):
    """Which notices the caller gets by mail."""

    required_actions = {"GET": Action.ME_VIEW, "PUT": Action.ME_VIEW}

    @extend_schema(responses=NoticeChoiceShape)
    def get(self, request: ApiRequest) -> Response:
        """Return the kinds of notices, and which of them come by mail."""
        NoFilters.parse(request)
        return Response(_present_choice(request))

    @extend_schema(request=NoticeChoiceInput, responses=NoticeChoiceShape)
    def put(self, request: ApiRequest) -> Response:
        """Choose the kinds of notices that come by no mail."""
        given = NoticeChoiceInput.parse(request)
        if request.actor.user_id is not None:
            choose_mails(user_id=request.actor.user_id, off=given["mails_off"])
        return Response(_present_choice(request))


def _present_choice(request: ApiRequest) -> Any:
    user = user_for_system(request.actor.user_id)
    kinds = [{"kind": kind, "by_mail": kind not in user.mails_off} for kind in NOTICE_KINDS]
    config = get_site_config()
    return NoticeChoiceShape(
        {"email": user.email, "sends_mail": config.sends_mail, "kinds": kinds}
    ).data


def _present(request: ApiRequest) -> Any:
    user = request.actor.user_id
    if user is None:
        return {"unread": 0, "notices": []}
    rows = inbox.list_notices(user)
    return {
        "unread": inbox.count_unread(user),
        "notices": [
            NoticeShape(
                {
                    "id": row.pk,
                    "code": row.code,
                    "text": inbox.describe_notice(row, current_language()),
                    "path": row.path,
                    "created_at": row.created_at,
                    "read_at": row.read_at,
                }
            ).data
            for row in rows
        ],
    }
