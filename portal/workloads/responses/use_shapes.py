"""Response shapes of what a submission names: secrets, volumes, outputs of jobs, its template."""

from typing import Any

from rest_framework import serializers
from typing_extensions import override

from portal.secrets.uses import SecretScope


class SecretUseShape(serializers.Serializer[Any]):
    """A secret that a workload names; its value is in no answer."""

    name = serializers.CharField()
    scope = serializers.ChoiceField([scope.value for scope in SecretScope])
    target = serializers.CharField()

    @override
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add the field whose name is a word of the language."""
        return {**super().get_fields(), "as": serializers.ChoiceField(["env", "file"])}


class VolumeUseShape(serializers.Serializer[Any]):
    """A group volume, mounted at `/volumes/<name>`."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class InputUseShape(serializers.Serializer[Any]):
    """The outputs of an earlier job, read-only at `/inputs/<name>`."""

    job = serializers.UUIDField()
    name = serializers.CharField()


class TemplateUseShape(serializers.Serializer[Any]):
    """The template that work was submitted with, as it was then."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    version = serializers.IntegerField()
