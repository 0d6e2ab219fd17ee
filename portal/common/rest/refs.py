"""What answers of many kinds share: references to a group, user, pool or image, and saved changes."""

from typing import Any

from rest_framework import serializers


class UserRef(serializers.Serializer[Any]):
    """A user wherever another thing refers to one."""

    id = serializers.UUIDField()
    username = serializers.CharField()
    display_name = serializers.CharField()


class TitledRef(serializers.Serializer[Any]):
    """A group, pool or image wherever another thing refers to it."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    title_en = serializers.CharField()
    title_zh = serializers.CharField()


class SavedChangeShape(serializers.Serializer[Any]):
    """Who changed what has a history, when and why; what was changed is added by each kind."""

    id = serializers.UUIDField()
    at = serializers.DateTimeField()
    actor = UserRef(allow_null=True, help_text="Null is the platform, or a user who is gone.")
    actor_name = serializers.CharField()
    reason = serializers.CharField()
    undoes = serializers.UUIDField(
        allow_null=True, help_text="The earlier change that this one took back."
    )
    undone_by = serializers.UUIDField(
        allow_null=True, help_text="The later change that took this one back."
    )


def saved_change(row: Any) -> dict[str, Any]:
    """Return these fields of a saved change, as a selector has read it."""
    undone_by = next(iter(row.undone_by.all()), None)
    return {
        "id": row.pk,
        "at": row.created_at,
        "actor": row.actor,
        "actor_name": row.actor_name,
        "reason": row.reason,
        "undoes": row.undoes_id,
        "undone_by": undone_by and undone_by.pk,
    }
