"""Fields and answers of data sets and their versions."""

from typing import Any, ClassVar, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    FieldFault,
    IdField,
    InputSerializer,
    OneOfField,
    PatternField,
    QuerySerializer,
    StrictBooleanField,
    StrictCharField,
)
from portal.datasets.models import DatasetVersion
from portal.datasets.references import ALIAS, DATASET_NAME, LATEST

GROUPS_MAX: Final = 200
"""Groups that may read one data set."""
NOTE_MAX: Final = 300
"""Characters of the note of a version."""


class FolderPathField(StrictCharField):
    """A relative path below the nodes' `datasets_dir`, without `..`."""

    def __init__(self, **options: Any) -> None:
        """Bound its length."""
        super().__init__(max_length=400, **options)

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
        super().__init__(child=IdField(), max_length=GROUPS_MAX, **options)


class AliasField(PatternField):
    """Another name of a version; empty is none."""

    def __init__(self, **options: Any) -> None:
        """Take what a reference can name after its `@`."""
        pattern = rf"^$|{ALIAS}"
        super().__init__(
            pattern, fault="alias_not_allowed", max_length=32, allow_blank=True, **options
        )

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the alias; refuse the one that always means the newest version."""
        alias = super().to_internal_value(data)
        if alias == LATEST:
            raise ValidationError([FieldFault("alias_is_latest")])
        return alias


class DatasetChange(InputSerializer):
    """Changes of a data set; absent fields stay as they are."""

    description = StrictCharField(max_length=300, allow_blank=True, required=False)
    is_for_everybody = StrictBooleanField(required=False)
    groups = GroupIdsField(required=False)


class DatasetInput(DatasetChange):
    """A new data set, whose first version is a folder of the nodes."""

    name = PatternField(DATASET_NAME, fault="path_name_not_allowed", max_length=63)
    path = FolderPathField()


class DatasetVersionChange(InputSerializer):
    """Changes of a version; absent fields stay as they are. Its files never change."""

    alias = AliasField(required=False)
    """Another name of it, without `@`; a version that has it already loses it. Empty is none."""
    note = StrictCharField(max_length=NOTE_MAX, allow_blank=True, required=False)
    state = OneOfField(choices=DatasetVersion.State.values, required=False)
    """`retired` is kept by work that has it, and new submissions do not get it."""


class DatasetVersionInput(InputSerializer):
    """A new version: another folder of the nodes."""

    path = FolderPathField()
    alias = AliasField(required=False)
    note = StrictCharField(max_length=NOTE_MAX, allow_blank=True, required=False)


class DatasetQuery(QuerySerializer):
    """The group whose data sets to list; without one, all that the caller may read."""

    paging: ClassVar[frozenset[str]] = frozenset({"cursor", "page_size", "format"})

    group = IdField(required=False)


class UsableVersionShape(serializers.Serializer[Any]):
    """A version that a submission may name, as `<data set>@<number>` or `<data set>@<alias>`."""

    number = serializers.IntegerField()
    alias = serializers.CharField()
    note = serializers.CharField()
    created_at = serializers.DateTimeField()


class DatasetOutput(serializers.Serializer[Any]):
    """A data set that work may mount; it appears read-only under `/data/<name>`."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    description = serializers.CharField()
    is_for_everybody = serializers.BooleanField()
    newest = serializers.IntegerField(
        allow_null=True,
        help_text="The version that its name alone stands for; null: there is none.",
    )
    usable = UsableVersionShape(
        many=True, help_text="The newest 20 versions that new work may use, newest first."
    )
    owner = TitledRef(
        allow_null=True, help_text="The group whose admins publish versions; null: the platform."
    )
    may_manage = serializers.BooleanField(
        help_text="Whether the caller may publish versions, change and remove them."
    )
    groups = TitledRef(many=True, allow_null=True, help_text="For those who manage it.")
    path = serializers.CharField(
        allow_null=True,
        help_text="Of the newest version, if it is a folder of the nodes; for those who manage it, as all that follows.",
    )
    workloads = serializers.IntegerField(
        allow_null=True, help_text="Notebooks and jobs, not ended, that use any version."
    )
    missing_on = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Nodes that do not have the folder of the newest version.",
    )


class DatasetVersionOutput(serializers.Serializer[Any]):
    """A version of a data set."""

    number = serializers.IntegerField()
    alias = serializers.CharField()
    note = serializers.CharField()
    state = serializers.ChoiceField(choices=DatasetVersion.State.values)
    created_at = serializers.DateTimeField()
    made_by = UserRef(allow_null=True)
    size_bytes = serializers.IntegerField(
        allow_null=True, help_text="Null where the portal does not have the files."
    )
    file_count = serializers.IntegerField(allow_null=True)
    changed_at = serializers.DateTimeField(
        allow_null=True, help_text="When its files were found to be others than before."
    )
    place = serializers.ChoiceField(
        choices=DatasetVersion.Place.values,
        help_text="`nodes`: a folder that was put on the nodes; `storage`: published by the platform.",
    )
    path = serializers.CharField(
        allow_null=True, help_text="Of a folder of the nodes; for those who manage it."
    )
    workloads = serializers.IntegerField(
        allow_null=True,
        help_text="Notebooks and jobs, not ended, that use it; for those who manage it.",
    )
    missing_on = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Nodes that do not have its folder; for those who manage it.",
    )
