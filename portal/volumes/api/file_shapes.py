"""Serializers of files in volumes."""

from typing import Any, ClassVar, Final

from rest_framework import serializers

from portal.common.errors import DomainError
from portal.common.rest.problems import current_language
from portal.common.rest.serializers import (
    InputSerializer,
    OneOfField,
    QuerySerializer,
    StrictCharField,
)
from portal.common.translations import translate
from portal.volumes.many_files import PATHS_MAX
from portal.volumes.snapshots import SNAPSHOT_NAME_MAX
from portal.volumes.tree.listing import FOLDER_ENTRIES_MAX, EntryKind, SortKey
from portal.volumes.tree.paths import PATH_MAX

PAGE_MAX: Final = 1000
"""Entries of a folder in one answer."""
PAGE_SIZE: Final = 200
_KINDS: Final = [kind.value for kind in EntryKind]


class PathField(StrictCharField):
    """A path inside a volume, exactly as it is: spaces at its ends belong to the name."""

    def __init__(self, **options: Any) -> None:
        """Bound the length; bytes are counted later."""
        super().__init__(max_length=PATH_MAX, trim_whitespace=False, **options)


class SnapshotField(StrictCharField):
    """The name of a snapshot."""

    def __init__(self, **options: Any) -> None:
        """Bound the length; empty is the volume as it is now."""
        super().__init__(max_length=SNAPSHOT_NAME_MAX, trim_whitespace=False, **options)


class FolderQuery(QuerySerializer):
    """Which part of which folder, in which order."""

    paging: ClassVar[frozenset[str]] = frozenset()

    path = PathField(default="", allow_blank=True)
    sort = OneOfField([key.value for key in SortKey], default=SortKey.NAME.value)
    descending = serializers.BooleanField(default=False)
    offset = serializers.IntegerField(min_value=0, max_value=FOLDER_ENTRIES_MAX, default=0)
    limit = serializers.IntegerField(min_value=1, max_value=PAGE_MAX, default=PAGE_SIZE)
    snapshot = SnapshotField(default="", allow_blank=True)


class PathQuery(QuerySerializer):
    """A path; the top of the volume without one."""

    paging: ClassVar[frozenset[str]] = frozenset()

    path = PathField(default="", allow_blank=True)
    snapshot = SnapshotField(default="", allow_blank=True)


class SubfoldersQuery(PathQuery):
    """A folder, and whether those above it are wanted as well."""

    along = serializers.BooleanField(default=False)


class FolderInput(InputSerializer):
    """A new folder."""

    path = PathField()


class MoveInput(InputSerializer):
    """A file or folder, and the path that it gets."""

    path = PathField()
    to = PathField()


class TrashInput(InputSerializer):
    """Files and folders for the trash."""

    paths = serializers.ListField(child=PathField(), min_length=1, max_length=PATHS_MAX)


class MoveIntoInput(TrashInput):
    """Files and folders, and the folder that gets them; the top of the volume without one."""

    folder = PathField(default="", allow_blank=True)


class TrashIdsInput(InputSerializer):
    """Entries of a trash."""

    ids = serializers.ListField(
        child=StrictCharField(max_length=255, trim_whitespace=False),
        min_length=1,
        max_length=PATHS_MAX,
    )


class TrashRemovalInput(InputSerializer):
    """Entries of a trash that are removed for good; none names all of them."""

    ids = serializers.ListField(
        child=StrictCharField(max_length=255, trim_whitespace=False),
        max_length=PATHS_MAX,
        required=False,
    )


class SnapshotRestoreInput(InputSerializer):
    """A file or folder of a snapshot."""

    snapshot = SnapshotField()
    path = PathField()


class SnapshotShape(serializers.Serializer[Any]):
    """A snapshot of the storage, in which the volume may be looked at."""

    name = serializers.CharField()


class SnapshotRestoredShape(serializers.Serializer[Any]):
    """Where something of a snapshot is now."""

    path = serializers.CharField()


class FileShape(serializers.Serializer[Any]):
    """An entry of a folder."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(_KINDS)
    size = serializers.IntegerField()
    modified_at = serializers.DateTimeField()
    has_content = serializers.BooleanField(
        help_text="Whether it can be downloaded: a file, or a link to one in the volume, whose size and time are given."
    )


class FolderShape(serializers.Serializer[Any]):
    """A part of a folder."""

    path = serializers.CharField()
    may_write = serializers.BooleanField()
    entries = FileShape(many=True)
    total = serializers.IntegerField()
    is_cut = serializers.BooleanField()
    """Whether the folder has more entries than are looked at."""
    unreadable_names = serializers.IntegerField(
        help_text="Entries of the folder whose names are no UTF-8: U+F780 to U+F7FF stand for their bytes 0x80 to 0xFF."
    )


class TreeSizeShape(serializers.Serializer[Any]):
    """How much a folder and all below it hold."""

    size = serializers.IntegerField()
    files = serializers.IntegerField()
    is_whole = serializers.BooleanField()
    """False if there was not time to count everything."""


class SubfoldersShape(serializers.Serializer[Any]):
    """The folders in a folder, by name."""

    path = serializers.CharField()
    names = serializers.ListField(child=serializers.CharField())
    is_cut = serializers.BooleanField(help_text="Whether there are more than are named.")


class FileRefusalShape(serializers.Serializer[Any]):
    """Why one path was refused, as a problem document would say it."""

    code = serializers.CharField()
    detail = serializers.SerializerMethodField()

    def get_detail(self, refusal: DomainError) -> str:
        """Return the reason in the language of the request."""
        return translate(current_language(), refusal.code, refusal.params)


class TrashedShape(serializers.Serializer[Any]):
    """What became of one path: the id by which it comes back out of the trash, or why it was refused."""

    path = serializers.CharField()
    id = serializers.CharField(source="result", allow_null=True)
    refusal = FileRefusalShape(allow_null=True)


class MovedShape(serializers.Serializer[Any]):
    """What became of one path: where it is now, or why it was refused."""

    path = serializers.CharField()
    to = serializers.CharField(source="result", allow_null=True)
    refusal = FileRefusalShape(allow_null=True)


class TrashShape(serializers.Serializer[Any]):
    """An entry of the trash; it is removed 7 days after it was put there."""

    id = serializers.CharField()
    path = serializers.CharField()
    kind = serializers.ChoiceField(_KINDS)
    size = serializers.IntegerField()
    trashed_at = serializers.DateTimeField()
    trashed_by = serializers.CharField()


class RestoredShape(serializers.Serializer[Any]):
    """Paths that are there again."""

    paths = serializers.ListField(child=serializers.CharField())
