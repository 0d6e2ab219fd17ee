"""Doors to the run-time limits of single members."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.administration.api.limits import ROWS_MAX
from portal.administration.api.quotas import QuotaQuery
from portal.common.actions import Action
from portal.common.refs import GroupRef, UserRef
from portal.common.serializers import InputSerializer, StrictIntegerField
from portal.common.views import ApiRequest, ApiView
from portal.inventory.cuts import TIME_LIMIT_S
from portal.quotas import member_limits


class MemberLimitShape(serializers.Serializer[Any]):
    """How long work of one member may run; the least of this, the group's and the pool's holds."""

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
        rows = member_limits.member_limits_visible_to(request.actor, group_id)[:ROWS_MAX]
        return Response(MemberLimitShape(rows, many=True).data)

    @extend_schema(request=MemberLimitInput, responses=MemberLimitShape)
    def put(self, request: ApiRequest) -> Response:
        """Set a limit; what waits and runs stays, what is submitted or started again meets it."""
        asked = MemberLimitInput.parse(request)
        row = member_limits.set_member_limit(
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
        """Remove it; the group's and the pool's still hold."""
        member_limits.remove_member_limit(actor=request.actor, limit_id=limit_id)
        return Response(status=204)
