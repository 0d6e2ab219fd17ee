"""Serializers of images."""

from rest_framework import serializers

from portal.common.rest.refs import TitledRef
from portal.common.rest.serializers import (
    InputSerializer,
    PathNameField,
    PatternField,
    StrictBooleanField,
    StrictCharField,
    VersionField,
)

REFERENCE = r"^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,299}$"
"""An image reference: registry, path, tag or digest; for the process runtime, a name."""


class _ImageFields(InputSerializer):
    """What an image is, and may become."""

    title_en = StrictCharField(max_length=100, required=False)
    title_zh = StrictCharField(max_length=100, required=False)
    description_en = StrictCharField(max_length=500, allow_blank=True, required=False)
    description_zh = StrictCharField(max_length=500, allow_blank=True, required=False)
    reference = PatternField(
        REFERENCE, fault="image_reference_not_allowed", max_length=300, required=False
    )
    for_environments = StrictBooleanField(required=False)
    for_training = StrictBooleanField(required=False)
    is_active = StrictBooleanField(required=False)


class ImageChange(_ImageFields):
    """Changes of an image; absent fields stay as they are."""

    version = VersionField()


class ImageInput(_ImageFields):
    """A new image; its `name`, by which users refer to it, can never change."""

    name = PathNameField()
    title_en = StrictCharField(max_length=100)
    title_zh = StrictCharField(max_length=100)
    reference = PatternField(REFERENCE, fault="image_reference_not_allowed", max_length=300)


class ImageOutput(TitledRef):
    """An image that users may choose; its reference is shown to administrators only."""

    description_en = serializers.CharField()
    description_zh = serializers.CharField()
    for_environments = serializers.BooleanField()
    for_training = serializers.BooleanField()
    is_active = serializers.BooleanField()
    reference = serializers.CharField(allow_null=True)
    version = serializers.IntegerField(help_text="Grows with each change of its settings.")
