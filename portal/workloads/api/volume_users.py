"""The endpoint of the work that mounts a volume."""

from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.refs import UserRef
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.volumes.selectors import volume_visible_to
from portal.workloads.selectors import workloads_visible_to

USERS_MAX: Final = 50
"""Notebooks and jobs that are named as users of a volume."""


class VolumeUserShape(serializers.Serializer[Any]):
    """A notebook or job that mounts a volume."""

    id = serializers.UUIDField()
    kind = serializers.CharField()
    name = serializers.CharField()
    state = serializers.CharField()
    owner = UserRef()


class VolumeUserListView(ApiView):
    """The work that mounts a volume."""

    required_actions = {"GET": Action.VOLUME_VIEW}
    is_paged = False

    @extend_schema(responses=VolumeUserShape(many=True))
    def get(self, request: ApiRequest, volume_id: UUID) -> Response:
        """List work that has not ended and mounts it, as far as the caller may see that work."""
        NoFilters.parse(request)
        volume = volume_visible_to(request.actor, volume_id)
        rows = workloads_visible_to(request.actor, {"active": True})
        users = rows.filter(files__contains=[volume.reference]).order_by("-id")
        return Response(VolumeUserShape(users[:USERS_MAX], many=True).data)
