"""Endpoint of the standing of groups and members in fair share."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.projection import project
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.views import ApiRequest, ApiView
from portal.quotas.fair_share import standings_visible_to
from portal.quotas.quota_query import QuotaQuery
from portal.site.selectors import settings_for_system


class MemberStandingShape(serializers.Serializer[Any]):
    """A member's decayed GPU use, and the place in the group: 1 has used the least."""

    user = UserRef()
    used_gpu_s = serializers.IntegerField(source="standing.used_gpu_s")
    charged_gpu_s = serializers.IntegerField(source="standing.charged_gpu_s")
    """As much of it as is the entry penalty of what started recently."""
    position = serializers.IntegerField(source="standing.position")
    members = serializers.IntegerField(source="standing.members")


class GroupStandingShape(serializers.Serializer[Any]):
    """A group's decayed GPU use against its share, and its place among its siblings."""

    group = TitledRef()
    used_gpu_s = serializers.IntegerField(source="standing.used_gpu_s")
    """With all groups below it, and with what the entry penalty still adds."""
    charged_gpu_s = serializers.IntegerField(source="standing.charged_gpu_s")
    """As much of it as is that penalty: it was not used yet."""
    entitled_gpu_milli = serializers.IntegerField(source="standing.entitled_gpu_milli")
    """What its use is compared with: what it deserves, and its part of the surplus."""
    position = serializers.IntegerField(source="standing.position")
    """1 goes first."""
    siblings = serializers.IntegerField(source="standing.siblings")
    is_below_guarantee = serializers.BooleanField(source="standing.is_below_guarantee")
    members = MemberStandingShape(many=True)
    """Of those who have used anything lately, who go first and the caller; of one group that is asked for,
    the first 200; of a group with groups below it, none."""


class FairShareShape(serializers.Serializer[Any]):
    """The standing of groups, and the half-life by which their use decays."""

    half_life_s = serializers.IntegerField()
    groups = GroupStandingShape(many=True)


class FairShareView(ApiView):
    """Standing in fair share, from the state that orders the queue."""

    required_actions = {"GET": Action.QUOTA_VIEW}
    is_paged = False

    @extend_schema(parameters=[QuotaQuery], responses=FairShareShape)
    def get(self, request: ApiRequest) -> Response:
        """Return the standing of the caller's groups; other groups are only counted."""
        group_id = QuotaQuery.parse(request).get("group")
        shown = {
            "half_life_s": settings_for_system().half_life_s,
            "groups": standings_visible_to(request.actor, group_id),
        }
        return Response(project(FairShareShape, shown))
