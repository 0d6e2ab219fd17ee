"""Endpoints of the counted limits of groups and of single members."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.administration.api.quotas import QuotaQuery
from portal.common.actions import Action
from portal.common.rest.refs import GroupRef, UserRef
from portal.common.rest.serializers import InputSerializer, StrictIntegerField
from portal.common.rest.views import ApiRequest, ApiView
from portal.inventory.cuts import TIME_LIMIT_S
from portal.quotas import limits

COUNT_MAX = 1_000_000
"""Largest counted limit of a group."""
ROWS_MAX = 1000
"""Limits in one response."""


class GroupLimitShape(serializers.Serializer[Any]):
    """Counted limits for each user of a group; null is unlimited."""

    group = GroupRef()
    pending_per_user_max = serializers.IntegerField(allow_null=True)
    running_per_user_max = serializers.IntegerField(allow_null=True)
    environments_per_user_max = serializers.IntegerField(allow_null=True)
    time_limit_s_max = serializers.IntegerField(allow_null=True)


class GroupLimitInput(InputSerializer):
    """New limits; what is left out stays, null is unlimited."""

    pending_per_user_max = StrictIntegerField(max_value=COUNT_MAX, required=False, allow_null=True)
    running_per_user_max = StrictIntegerField(max_value=COUNT_MAX, required=False, allow_null=True)
    environments_per_user_max = StrictIntegerField(
        max_value=COUNT_MAX, required=False, allow_null=True
    )
    time_limit_s_max = StrictIntegerField(
        min_value=TIME_LIMIT_S[0], max_value=TIME_LIMIT_S[1], required=False, allow_null=True
    )


class GroupLimitListView(ApiView):
    """The counted limits of the caller's groups."""

    required_actions = {"GET": Action.QUOTA_VIEW}
    is_paged = False

    @extend_schema(responses=GroupLimitShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the limits; the defaults where none were set."""
        rows = limits.group_limits_visible_to(request.actor)[:ROWS_MAX]
        return Response(GroupLimitShape(rows, many=True).data)


class GroupLimitView(ApiView):
    """The counted limits of one group."""

    required_actions = {"GET": Action.QUOTA_VIEW, "PATCH": Action.QUOTA_EDIT}
    is_paged = False

    @extend_schema(responses=GroupLimitShape)
    def get(self, request: ApiRequest, group_id: UUID) -> Response:
        """Return the limits of the group."""
        row = limits.group_limit_visible_to(request.actor, group_id)
        return Response(GroupLimitShape(row).data)

    @extend_schema(request=GroupLimitInput, responses=GroupLimitShape)
    def patch(self, request: ApiRequest, group_id: UUID) -> Response:
        """Change the limits of the group; queued and running work is not affected."""
        row = limits.change_group_limit(
            actor=request.actor, group_id=group_id, changes=GroupLimitInput.parse(request)
        )
        return Response(GroupLimitShape(row).data)


class MemberLimitShape(serializers.Serializer[Any]):
    """How long work of one member may run; the least of this, the group's and the pool's applies."""

    id = serializers.UUIDField()
    group = GroupRef()
    user = UserRef()
    time_limit_s_max = serializers.IntegerField()


class MemberLimitInput(InputSerializer):
    """A limit; the one of the same member in the same group is replaced."""

    group = serializers.UUIDField()
    user = serializers.UUIDField()
    time_limit_s_max = StrictIntegerField(min_value=TIME_LIMIT_S[0], max_value=TIME_LIMIT_S[1])


class MemberLimitListView(ApiView):
    """The limits of single members of the caller's groups."""

    required_actions = {"GET": Action.QUOTA_VIEW, "PUT": Action.QUOTA_EDIT}
    is_paged = False

    @extend_schema(parameters=[QuotaQuery], responses=MemberLimitShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the members that have a limit of their own."""
        group_id = QuotaQuery.parse(request).get("group")
        rows = limits.member_limits_visible_to(request.actor, group_id)[:ROWS_MAX]
        return Response(MemberLimitShape(rows, many=True).data)

    @extend_schema(request=MemberLimitInput, responses=MemberLimitShape)
    def put(self, request: ApiRequest) -> Response:
        """Set a limit; it applies to what is submitted or started from now on."""
        asked = MemberLimitInput.parse(request)
        row = limits.set_member_limit(
            actor=request.actor,
            group_id=asked["group"],
            user_id=asked["user"],
            time_limit_s_max=asked["time_limit_s_max"],
        )
        return Response(MemberLimitShape(row).data)


class MemberLimitDetailView(ApiView):
    """The limit of one member."""

    required_actions = {"DELETE": Action.QUOTA_EDIT}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, limit_id: UUID) -> Response:
        """Remove the limit; those of the group and of the pool remain."""
        limits.remove_member_limit(actor=request.actor, limit_id=limit_id)
        return Response(status=204)
