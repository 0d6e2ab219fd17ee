"""Serializers of groups that several endpoints share."""

from typing import Any

from rest_framework import serializers
from typing_extensions import override

from portal.common.refs import GroupRef


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
