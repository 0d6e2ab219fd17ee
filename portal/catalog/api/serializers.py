"""Shapes of images."""

from rest_framework import serializers

from portal.common.refs import TitledRef


class ImageOutput(TitledRef):
    """An image that users may choose; its reference stays inside."""

    description_en = serializers.CharField()
    description_zh = serializers.CharField()
    for_environments = serializers.BooleanField()
    for_training = serializers.BooleanField()
