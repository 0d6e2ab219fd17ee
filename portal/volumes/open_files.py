"""Files of a volume that stay open while they are read and written in any order, as by SFTP.

Rights and place are checked before (`file_access`), and the quota before each growth: a refusal leaves
what is there. A file that is written again is put into the trash first, and removed from it only when the
new one is whole: what breaks off loses nothing, and can be resumed under its name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from portal.common.errors import ConflictError, DomainError, InvalidError, NotFoundError
from portal.volumes.file_access import OpenedVolume, require_capacity
from portal.volumes.tree import changes, removal, trash
from portal.volumes.tree.listing import EntryKind, FileEntry, FolderStream, describe
from portal.volumes.tree.paths import NAME_MAX, Parts, parse_new_path, parse_path
from portal.volumes.tree.random_access import (
    FileUse,
    RandomAccessFile,
    is_empty_folder,
    make_file,
    open_file,
)

REMOVE_REPLACED_WITHIN_S: Final = 0.2
"""How long the end of a write removes the file that was replaced; the hourly task continues."""


@dataclass(frozen=True, slots=True)
class WriteWish:
    """What a client wants to write to, and what may be there."""

    reads: bool = False
    appends: bool = False
    makes: bool = True
    """Whether it is made when it is missing."""
    empties: bool = False
    """Whether what is in it is to go."""
    must_be_new: bool = False


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that is open for writing, and what it replaces."""

    file: RandomAccessFile
    replaced: str = ""
    """The id by which the file before it is in the trash."""
    replaced_size: int = 0
    is_new: bool = False


def open_folder(top: Path, parts: Parts) -> FolderStream | None:
    """Open a folder for listing; a volume that was never used has none, and is empty."""
    try:
        return FolderStream(top, parts)
    except NotFoundError:
        if parts or top.exists():
            raise
    return None


def open_to_change(opened: OpenedVolume, path: str, wish: WriteWish, user: str) -> WrittenFile:
    """Open a plain file for writing; one that is emptied is in the trash until the new one is whole.

    Raises:
        NotFoundError: there is none, and none is to be made.
        ConflictError: it must be new, or what is there is no plain file.
        StorageFullError: it would be new, and the volume is full.
    """
    use = FileUse(reads=wish.reads, writes=True, appends=wish.appends)
    parts = parse_new_path(path) if wish.makes else parse_path(path)
    found = _find(opened, parts)
    if found is None:
        if not wish.makes:
            raise NotFoundError("file")
        require_capacity(opened.volume)
        return WrittenFile(make_file(opened.top, parts, use), is_new=True)
    if wish.must_be_new or found.kind is not EntryKind.FILE:
        raise ConflictError("file_exists", path=path)
    if not (wish.empties and found.size):
        file = open_file(opened.top, parts, use)
        if wish.empties:
            file.truncate(0)  # others may have begun to write meanwhile
        return WrittenFile(file)
    require_capacity(opened.volume)
    with _kept(opened, parts, user) as replaced:
        file = make_file(opened.top, parts, use)
        if found.is_executable:
            file.set_executable(is_executable=True)
    return WrittenFile(file, replaced, found.size)


def remove_replaced(opened: OpenedVolume, trash_id: str) -> None:
    """Remove the file before one that is whole now; somebody may have restored or removed it."""
    try:
        trash.remove_for_good(opened.top, trash_id)
    except NotFoundError:
        return
    removal.remove_discarded(opened.top, within_s=REMOVE_REPLACED_WITHIN_S)


def move_over(opened: OpenedVolume, source: str, target: str, user: str) -> None:
    """Rename a file or folder at once; a plain file may take the place of one, which the trash keeps."""
    old, new = parse_path(source), parse_new_path(target, "/to")
    found = _find(opened, new)
    is_over = old != new and found is not None and found.kind is EntryKind.FILE
    if not (is_over and describe(opened.top, old).kind is EntryKind.FILE):
        changes.move(opened.top, old, new)
        return
    kept = trash.keep_in_trash(opened.top, new, user)
    try:
        changes.replace(opened.top, old, new)
    except BaseException:
        _give_back(opened, kept)
        raise


def trash_file(opened: OpenedVolume, path: str, user: str) -> None:
    """Put anything but a folder into the trash."""
    parts = parse_path(path)
    if describe(opened.top, parts).kind is EntryKind.FOLDER:
        raise ConflictError("file_is_folder", path=path)
    trash.put_into_trash(opened.top, parts, user)


def trash_empty_folder(opened: OpenedVolume, path: str, user: str) -> None:
    """Put a folder with nothing in it into the trash."""
    parts = parse_path(path)
    if not parts:
        raise InvalidError("file_name", pointer="/path", max=NAME_MAX, depth=0)
    if not is_empty_folder(opened.top, parts):
        raise ConflictError("folder_not_empty", path=path)
    trash.put_into_trash(opened.top, parts, user)


def _give_back(opened: OpenedVolume, trash_id: str) -> None:
    """Let a file have its name again, if the trash has the only one; forget the second one otherwise."""
    try:
        trash.restore(opened.top, trash_id)
    except ConflictError:
        remove_replaced(opened, trash_id)


def _find(opened: OpenedVolume, parts: Parts) -> FileEntry | None:
    try:
        return describe(opened.top, parts)
    except NotFoundError:
        return None


@contextmanager
def _kept(opened: OpenedVolume, parts: Parts, user: str) -> Iterator[str]:
    """Put a file into the trash for the block; it comes back if the block fails."""
    kept = trash.put_into_trash(opened.top, parts, user)
    try:
        yield kept
    except (OSError, DomainError):
        trash.restore(opened.top, kept)
        raise
