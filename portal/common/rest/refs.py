"""Nested serializers: how responses refer to a group, a user, a pool or an image."""

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
