"""Endpoints of how long unused saved images are kept, by the platform and by groups."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    InputSerializer,
    StrictBooleanField,
    StrictIntegerField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.images import group_retention
from portal.images.image_retention import RetentionOutlook, outlook_of
from portal.images.models import ImageRetention

NEWEST_MAX = 100
"""So many of one person and group can be kept whenever they were used."""
USED_DAYS_MAX = 3650
"""How long after its last use an image may be kept."""


class ImageRetentionInput(InputSerializer):
    """How long saved images are kept."""

    newest = StrictIntegerField(
        min_value=0,
        max_value=NEWEST_MAX,
        help_text="So many of each person and group stay, whenever they were used.",
    )
    used_days = StrictIntegerField(
        min_value=1,
        max_value=USED_DAYS_MAX,
        allow_null=True,
        help_text="All others stay for so many days after their last use; null is for good.",
    )
    dry_run = StrictBooleanField(
        default=False, help_text="Change nothing: answer what would go under this rule."
    )


class LeavingImageShape(serializers.Serializer[Any]):
    """A saved image that goes."""

    id = serializers.UUIDField(source="saved.pk")
    name = serializers.CharField(source="saved.image.name")
    owner = UserRef(source="saved.image.owner")
    size_bytes = serializers.IntegerField(source="saved.size_bytes")
    leaves_at = serializers.DateTimeField(help_text="Unless it is used or pinned before.")


class ImageRetentionShape(serializers.Serializer[Any]):
    """The rule of the platform or of a group, and what it lets go."""

    newest = serializers.IntegerField(source="rule.newest")
    used_days = serializers.IntegerField(
        source="rule.used_days", allow_null=True, help_text="Null keeps everything."
    )
    group = TitledRef(
        source="rule.group", allow_null=True, help_text="Whose rule this is, if a group's."
    )
    is_own = serializers.BooleanField(help_text="False where it is one from above, or none.")
    changed_at = serializers.DateTimeField(source="rule.changed_at", allow_null=True)
    changed_by = UserRef(source="rule.changed_by", allow_null=True)
    may_change = serializers.BooleanField()
    leaving = LeavingImageShape(
        many=True, help_text="Those that the caller may see, the first to go first; at most 200."
    )
    leaving_count = serializers.IntegerField(
        help_text="All; without the right to change the rule, those that the caller may see."
    )
    leaving_bytes = serializers.IntegerField()
    due_count = serializers.IntegerField(help_text="Of these, the ones that go within the hour.")


class RetentionView(ApiView):
    """One rule of retention."""

    is_paged = False

    def _answer(self, outlook: RetentionOutlook) -> Response:
        return Response(ImageRetentionShape(outlook).data)

    def _read(self, actor: Actor, group_id: UUID | None) -> Response:
        return self._answer(outlook_of(actor, group_id))

    def _set(self, request: ApiRequest, group_id: UUID | None) -> Response:
        given = ImageRetentionInput.parse(request)
        asked = {"newest": given["newest"], "used_days": given["used_days"]}
        if given["dry_run"]:
            proposed = ImageRetention(group_id=group_id, changed_at=now(), **asked)
            return self._answer(outlook_of(request.actor, group_id, proposed))
        group_retention.set_retention(actor=request.actor, group_id=group_id, **asked)
        return self._read(request.actor, group_id)


class PlatformRetentionView(RetentionView):
    """The rule for groups without one of their own."""

    required_actions: ClassVar = {
        "GET": Action.IMAGE_VIEW,
        "PUT": Action.IMAGE_MANAGE,
        "DELETE": Action.IMAGE_MANAGE,
    }

    @extend_schema(responses=ImageRetentionShape)
    def get(self, request: ApiRequest) -> Response:
        """Return it, and which saved images go when."""
        return self._read(request.actor, None)

    @extend_schema(request=ImageRetentionInput, responses=ImageRetentionShape)
    def put(self, request: ApiRequest) -> Response:
        """Replace it, or answer what would go."""
        return self._set(request, None)

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest) -> Response:
        """Remove it: saved images are then kept for good, except where a group has a rule."""
        group_retention.remove_retention(actor=request.actor, group_id=None)
        return Response(status=204)


class GroupRetentionView(RetentionView):
    """The rule of a group, which holds in the groups below it, too."""

    required_actions: ClassVar = {
        "GET": Action.GROUP_VIEW,
        "PUT": Action.IMAGE_SAVE,
        "DELETE": Action.IMAGE_SAVE,
    }

    @extend_schema(responses=ImageRetentionShape)
    def get(self, request: ApiRequest, group_id: UUID) -> Response:
        """Return the rule in force, its own or from above, and which saved images go when."""
        return self._read(request.actor, group_id)

    @extend_schema(request=ImageRetentionInput, responses=ImageRetentionShape)
    def put(self, request: ApiRequest, group_id: UUID) -> Response:
        """Give the group a rule of its own, or answer what would go."""
        outlook_of(request.actor, group_id)  # unknown comes before malformed
        return self._set(request, group_id)

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, group_id: UUID) -> Response:
        """Remove the group's own rule."""
        group_retention.remove_retention(actor=request.actor, group_id=group_id)
        return Response(status=204)
