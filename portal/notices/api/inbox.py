"""Endpoints of the caller's inbox."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.problems import current_language
from portal.common.rest.serializers import IdField, InputSerializer, NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.notices import inbox


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

    until = IdField()


class InboxView(ApiView):
    """What the caller was notified of."""

    required_actions = {"GET": Action.ME_VIEW, "POST": Action.ME_EDIT}
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
