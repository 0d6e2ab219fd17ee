"""Shapes of images."""

from typing import Any

from rest_framework import serializers


class ImageOutput(serializers.Serializer[Any]):
    """An image that users may choose; its reference stays inside."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    title_en = serializers.CharField()
    title_zh = serializers.CharField()
    description_en = serializers.CharField()
    description_zh = serializers.CharField()
    for_environments = serializers.BooleanField()
    for_training = serializers.BooleanField()
