"""Endpoints of the counted limits of groups and of single members."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response
from typing_extensions import override

from portal.common.actions import Action
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import AMOUNT_MAX, IdField, InputSerializer, StrictIntegerField
from portal.common.rest.views import ApiRequest, ApiView
from portal.inventory.cuts import TIME_LIMIT_S
from portal.quotas import limits
from portal.quotas.limits import QUOTA_MIB_MAX
from portal.quotas.models import GroupLimit, MemberLimit
from portal.quotas.priorities import PRIORITIES, PRIORITY_NAMES, highest_priorities
from portal.quotas.priority_field import PriorityField
from portal.quotas.quota_query import QuotaQuery
from portal.quotas.ties import quota_ties
from portal.tenancy.selectors import sums_below_for_system

COUNT_MAX = 1_000_000
"""Largest counted limit of a group."""
ROWS_MAX = 1000
"""Limits in one response."""
CEILINGS_MAX = 100
"""Ceilings of one member in one group."""


class PriorityMaxField(serializers.ChoiceField):
    """A stored priority, by its name."""

    def __init__(self, **options: Any) -> None:
        """Offer the names of all priorities."""
        super().__init__(choices=sorted(PRIORITIES), **options)

    @override
    def to_representation(self, value: Any) -> Any:
        """Return the name of the number."""
        return PRIORITY_NAMES[value]


class GroupLimitShape(serializers.Serializer[Any]):
    """Counted limits for each user of a group, and of its volumes together; null is unlimited."""

    group = TitledRef()
    pending_per_user_max = serializers.IntegerField(allow_null=True)
    running_per_user_max = serializers.IntegerField(allow_null=True)
    environments_per_user_max = serializers.IntegerField(allow_null=True)
    time_limit_s_max = serializers.IntegerField(allow_null=True)
    extension_s_max = serializers.IntegerField(
        help_text="How far beyond the longest run time a group admin may let work of others run."
    )
    developer_priority_max = PriorityMaxField()
    group_admin_priority_max = PriorityMaxField()
    volumes_mib_max = serializers.IntegerField(
        allow_null=True,
        help_text="What the quotas of the volumes of the group, and of those below, may add up to.",
    )
    volumes_mib = serializers.SerializerMethodField(help_text="What they add up to now.")
    my_priority_max = serializers.SerializerMethodField(
        help_text="Highest priority that the caller may give here."
    )

    @extend_schema_field(serializers.ChoiceField(sorted(PRIORITIES)))
    def get_my_priority_max(self, row: GroupLimit) -> str:
        """Return the highest priority of the caller in the group."""
        return str(self.context["mine"](row.group_id))

    def get_volumes_mib(self, row: GroupLimit) -> int:
        """Return what the volumes of the group and of those below may hold."""
        return int(self.context["volumes_mib"].get(row.group_id, 0))


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
    extension_s_max = StrictIntegerField(max_value=TIME_LIMIT_S[1], required=False)
    developer_priority_max = PriorityField(required=False)
    group_admin_priority_max = PriorityField(required=False)
    volumes_mib_max = StrictIntegerField(max_value=QUOTA_MIB_MAX, required=False, allow_null=True)


class GroupLimitListView(ApiView):
    """The counted limits of the caller's groups."""

    required_actions = {"GET": Action.QUOTA_VIEW}
    is_paged = False

    @extend_schema(responses=GroupLimitShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the limits; the defaults where none were set."""
        rows = limits.group_limits_visible_to(request.actor)[:ROWS_MAX]
        return Response(_shown_groups(request, rows))


class GroupLimitView(ApiView):
    """The counted limits of one group."""

    required_actions = {"GET": Action.QUOTA_VIEW, "PATCH": Action.QUOTA_EDIT}
    is_paged = False

    @extend_schema(responses=GroupLimitShape)
    def get(self, request: ApiRequest, group_id: UUID) -> Response:
        """Return the limits of the group."""
        row = limits.group_limit_visible_to(request.actor, group_id)
        return Response(_shown_groups(request, [row])[0])

    @extend_schema(request=GroupLimitInput, responses=GroupLimitShape)
    def patch(self, request: ApiRequest, group_id: UUID) -> Response:
        """Change the limits of the group; queued and running work is not affected."""
        row = limits.change_group_limit(
            actor=request.actor,
            group_id=group_id,
            changes=_with_numbers(GroupLimitInput.parse(request)),
        )
        return Response(_shown_groups(request, [row])[0])


class MemberCeilingShape(serializers.Serializer[Any]):
    """What one member may hold at most of a quota of the group."""

    quota = serializers.UUIDField(source="quota_id")
    resource = serializers.CharField(source="quota.resource")
    pool = TitledRef(source="quota.pool", allow_null=True)
    ceiling = serializers.IntegerField()


class MemberLimitShape(serializers.Serializer[Any]):
    """What one member may have; null sets no limit. The least of this and the group's applies."""

    id = serializers.UUIDField()
    group = TitledRef()
    user = UserRef()
    time_limit_s_max = serializers.IntegerField(allow_null=True)
    pending_max = serializers.IntegerField(allow_null=True)
    running_max = serializers.IntegerField(allow_null=True)
    environments_max = serializers.IntegerField(allow_null=True)
    priority_max = PriorityMaxField(allow_null=True)
    ceilings = serializers.SerializerMethodField()

    @extend_schema_field(MemberCeilingShape(many=True))
    def get_ceilings(self, row: MemberLimit) -> Any:
        """Return the ceilings of the member."""
        found = self.context["ceilings"].get((row.group_id, row.user_id), [])
        return MemberCeilingShape(found, many=True).data


class MemberCeilingInput(InputSerializer):
    """What the member may hold at most of a quota, in the unit of the quota."""

    quota = IdField()
    ceiling = StrictIntegerField(max_value=AMOUNT_MAX)


class MemberLimitInput(InputSerializer):
    """All limits of a member; those of the same member in the same group are replaced."""

    group = IdField()
    user = IdField()
    time_limit_s_max = StrictIntegerField(
        min_value=TIME_LIMIT_S[0], max_value=TIME_LIMIT_S[1], default=None, allow_null=True
    )
    pending_max = StrictIntegerField(max_value=COUNT_MAX, default=None, allow_null=True)
    running_max = StrictIntegerField(max_value=COUNT_MAX, default=None, allow_null=True)
    environments_max = StrictIntegerField(max_value=COUNT_MAX, default=None, allow_null=True)
    priority_max = PriorityField(default=None, allow_null=True)
    ceilings = serializers.ListField(
        child=MemberCeilingInput(), max_length=CEILINGS_MAX, required=False
    )


class MemberLimitListView(ApiView):
    """The limits of single members of the caller's groups."""

    required_actions = {"GET": Action.QUOTA_VIEW, "PUT": Action.MEMBER_LIMIT_EDIT}
    is_paged = False

    @extend_schema(parameters=[QuotaQuery], responses=MemberLimitShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the members that have limits of their own."""
        group_id = QuotaQuery.parse(request).get("group")
        rows = list(limits.member_limits_visible_to(request.actor, group_id)[:ROWS_MAX])
        return Response(_shown_members(rows))

    @extend_schema(request=MemberLimitInput, responses=MemberLimitShape)
    def put(self, request: ApiRequest) -> Response:
        """Set the limits of a member; they apply to what is submitted or started from now on."""
        asked = _with_numbers(MemberLimitInput.parse(request))
        row = limits.set_member_limit(
            actor=request.actor,
            group_id=asked["group"],
            user_id=asked["user"],
            limits={name: asked[name] for name in limits.MEMBER_LIMITS},
            ceilings={item["quota"]: item["ceiling"] for item in asked.get("ceilings", ())},
        )
        return Response(_shown_members([row])[0])


class MemberLimitDetailView(ApiView):
    """The limit of one member."""

    required_actions = {"DELETE": Action.MEMBER_LIMIT_EDIT}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, limit_id: UUID) -> Response:
        """Remove the limit; those of the group and of the pool remain."""
        limits.remove_member_limit(actor=request.actor, limit_id=limit_id)
        return Response(status=204)


def _with_numbers(asked: dict[str, Any]) -> dict[str, Any]:
    """Return validated input with priorities as numbers."""
    return {
        name: PRIORITIES.get(value, value) if name.endswith("priority_max") else value
        for name, value in asked.items()
    }


def _shown_groups(request: ApiRequest, rows: Sequence[GroupLimit]) -> Any:
    context = {
        "mine": highest_priorities(request.actor),
        "volumes_mib": sums_below_for_system(quota_ties.get().volumes_mib_by_group()),
    }
    return GroupLimitShape(rows, many=True, context=context).data


def _shown_members(rows: Sequence[MemberLimit]) -> Any:
    ceilings = limits.member_ceilings_for_system(rows)
    return MemberLimitShape(rows, many=True, context={"ceilings": ceilings}).data
