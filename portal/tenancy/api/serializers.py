"""Shapes of groups, members, robots and tokens."""

from typing import Any

from rest_framework import serializers
from typing_extensions import override

from portal.common.actions import Action
from portal.common.refs import GroupRef, UserRef
from portal.common.serializers import (
    InputSerializer,
    NameField,
    OneOfField,
    StrictCharField,
    StrictIntegerField,
)

TOKEN_DAYS_MAX = 365


class MembershipOutput(serializers.Serializer[Any]):
    """One group of a user, and the role in it."""

    group = GroupRef()
    role = serializers.CharField()


class MeOutput(UserRef):
    """The caller."""

    kind = serializers.ChoiceField(["person", "robot"])
    platform_role = serializers.CharField()
    memberships = MembershipOutput(many=True)


class GroupOutput(GroupRef):
    """A group that the caller may see, with the caller's role in it."""

    role = serializers.SerializerMethodField()

    def get_role(self, group: Any) -> str | None:
        """Return the role of the caller, own or inherited."""
        role: str | None = self.context["roles"].get(group.pk)
        return role

    @override
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `parent`, whose name the class body cannot use."""
        parent = serializers.UUIDField(source="parent_id", allow_null=True)
        return {**super().get_fields(), "parent": parent}


class GroupMemberOutput(serializers.Serializer[Any]):
    """Somebody who belongs to a group, with the strongest role."""

    user = UserRef()
    role = serializers.CharField()


class RobotInput(InputSerializer):
    """A robot to create."""

    group = serializers.UUIDField()
    name = serializers.RegexField(r"^[a-z0-9][a-z0-9._-]{0,31}$", max_length=32)


class RobotOutput(serializers.Serializer[Any]):
    """A service account and the group that owns it."""

    id = serializers.UUIDField()
    name = serializers.CharField(source="username")
    group = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(source="date_joined")

    def get_group(self, robot: Any) -> dict[str, Any] | None:
        """Return the owning group: a robot's only membership."""
        owning = [membership.group for membership in robot.memberships.all()]
        return dict(GroupRef(owning[0]).data) if owning else None


class TokenInput(InputSerializer):
    """A token to create, for the caller or for a robot."""

    name = NameField(max_length=100)
    scopes = serializers.ListField(
        child=OneOfField([action.value for action in Action]),
        min_length=1,
        max_length=len(Action),
    )
    expires_in_days = StrictIntegerField(min_value=1, max_value=TOKEN_DAYS_MAX)
    robot = serializers.UUIDField(required=False, allow_null=True)


class TokenOutput(serializers.Serializer[Any]):
    """A token without its secret."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    user = UserRef()
    scopes = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class IssuedTokenOutput(TokenOutput):
    """A new token: the only answer that ever holds the secret."""

    token = StrictCharField()
