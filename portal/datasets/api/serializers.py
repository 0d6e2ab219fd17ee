"""Serializers of data sets."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.refs import TitledRef
from portal.common.rest.serializers import (
    FieldFault,
    InputSerializer,
    PatternField,
    QuerySerializer,
    StrictBooleanField,
    StrictCharField,
)

GROUPS_MAX = 200
"""Groups that may read one data set."""


class FolderPathField(StrictCharField):
    """A relative path below the nodes' `datasets_dir`, without `..`."""

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the path, or the fault."""
        path = super().to_internal_value(data)
        if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
            raise ValidationError([FieldFault("path_not_below")])
        return path


class GroupIdsField(serializers.ListField):
    """Ids of groups."""

    def __init__(self, **options: Any) -> None:
        """Bound their number."""
        super().__init__(child=serializers.UUIDField(), max_length=GROUPS_MAX, **options)


class DatasetChange(InputSerializer):
    """Changes of a data set; absent fields stay as they are."""

    description = StrictCharField(max_length=300, allow_blank=True, required=False)
    path = FolderPathField(max_length=400, required=False)
    is_for_everybody = StrictBooleanField(required=False)
    groups = GroupIdsField(required=False)


class DatasetInput(DatasetChange):
    """A new data set."""

    name = PatternField(r"^[a-z0-9][a-z0-9._-]{0,62}$", max_length=63)
    path = FolderPathField(max_length=400)


class DatasetQuery(QuerySerializer):
    """The group whose data sets to list; without one, all that the caller may read."""

    paging: ClassVar[frozenset[str]] = frozenset({"cursor", "page_size", "format"})

    group = serializers.UUIDField(required=False)


class DatasetOutput(serializers.Serializer[Any]):
    """A data set that work may mount; it appears read-only under `/data/<name>`."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    description = serializers.CharField()
    is_for_everybody = serializers.BooleanField()
    path = serializers.CharField(allow_null=True)
    groups = TitledRef(many=True, allow_null=True)
