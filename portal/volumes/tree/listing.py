"""What a folder holds: entries in pages, facts of one, sizes of whole trees."""

import os
import stat
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

from portal.common.errors import DomainError
from portal.volumes.tree.folders import FOLDER, opened_folder
from portal.volumes.tree.links import resolve
from portal.volumes.tree.paths import (
    DEPTH_MAX,
    Parts,
    escape_names,
    is_reserved,
    is_text,
    refused_clearly,
    to_text,
)
from portal.volumes.tree.times import to_moment

FOLDER_ENTRIES_MAX: Final = 100_000
"""Entries of one folder that a list looks at."""
MEASURE_WITHIN_S: Final = 5.0
"""How long the size of a folder is counted."""


class EntryKind(StrEnum):
    """What an entry is."""

    FOLDER = "folder"
    FILE = "file"
    LINK = "link"
    """A symbolic link."""
    SPECIAL = "special"
    """A device, pipe or socket: named, never opened."""


class SortKey(StrEnum):
    """By what entries are sorted; folders always come first."""

    NAME = "name"
    SIZE = "size"
    MODIFIED = "modified"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One entry of a folder."""

    name: str
    kind: EntryKind
    size: int
    """Bytes of a file; 0 of anything else."""
    modified_at: datetime
    is_executable: bool = False
    """Whether its owner may run a file."""
    target: EntryKind | None = None
    """In lists, what a link leads to inside of the volume: a file or a folder, whose size and time it has."""

    @property
    def has_content(self) -> bool:
        """Whether it can be read: a file, or a link to one."""
        return EntryKind.FILE in (self.kind, self.target)


@dataclass(frozen=True, slots=True)
class FolderPage:
    """Some entries of a folder, in order."""

    entries: list[FileEntry]
    total: int
    is_cut: bool
    """Whether the folder has more entries than are looked at."""
    unreadable_names: int = 0
    """Entries whose names are no UTF-8; their texts (`to_text`) stand for them."""


@dataclass(frozen=True, slots=True)
class TreeSize:
    """How much is in a folder and all below it."""

    size: int
    files: int
    is_whole: bool
    """False if counting took too long, or went too deep."""


class FolderName(NamedTuple):
    """A name in a folder, which has not been looked at."""

    name: str
    is_folder: bool


class FolderNames(NamedTuple):
    """The names of a folder."""

    found: list[FolderName]
    is_cut: bool
    unreadable: int


Chosen = frozenset[str] | None
"""Which entries of a folder; None are all of them."""
FoundName = tuple[int, Parts]
"""The open folder of a file, and the file's path."""
FoundFile = tuple[int, Parts, os.stat_result]
"""The same with the file's facts."""

_NAME: Final = attrgetter("name")

_ORDERS: Final[dict[SortKey, Callable[[FileEntry], tuple[object, ...]]]] = {
    SortKey.SIZE: lambda entry: (entry.size, entry.name.casefold(), entry.name),
    SortKey.MODIFIED: lambda entry: (entry.modified_at, entry.name.casefold(), entry.name),
}


def list_folder(
    top: Path,
    parts: Parts,
    *,
    sort: SortKey = SortKey.NAME,
    is_descending: bool = False,
    offset: int = 0,
    limit: int = FOLDER_ENTRIES_MAX,
) -> FolderPage:
    """Return a part of a folder's entries; raises `NotFoundError` if it is no folder."""
    with refused_clearly("/".join(parts)), opened_folder(top, parts) as folder:
        names, is_cut, unreadable = read_names(folder, is_at_top=not parts)
        total = len(names)
        if sort is SortKey.NAME:
            # Only what is shown is looked at: a page of a folder of 10,000 files stays light.
            names.sort(key=lambda it: (it.name.casefold(), it.name), reverse=is_descending)
            names.sort(key=lambda it: not it.is_folder)
            page = _facts(folder, names[offset : offset + limit])
        else:
            found = _facts(folder, names)
            found.sort(key=_ORDERS[sort], reverse=is_descending)
            found.sort(key=lambda entry: entry.kind is not EntryKind.FOLDER)
            page, total = found[offset : offset + limit], len(found)
    entries = [_with_text(_followed(top, parts, it)) for it in page]
    return FolderPage(entries, total, is_cut, unreadable)


def read_names(folder: int, *, is_at_top: bool) -> FolderNames:
    """Return the names in an open folder as they come; none is looked at."""
    found: list[FolderName] = []
    unreadable = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_at_top and is_reserved((entry.name,)):
                continue
            if len(found) == FOLDER_ENTRIES_MAX:
                return FolderNames(found, is_cut=True, unreadable=unreadable)
            unreadable += not is_text(entry.name)
            found.append(FolderName(entry.name, entry.is_dir(follow_symlinks=False)))
    return FolderNames(found, is_cut=False, unreadable=unreadable)


def describe(top: Path, parts: Parts) -> FileEntry:
    """Return the facts of one entry, which is not opened; raises `NotFoundError`."""
    with refused_clearly("/".join(parts)):
        if not parts:
            with opened_folder(top) as folder:
                return to_entry("", os.fstat(folder))
        with opened_folder(top, parts[:-1]) as folder:
            return to_entry(parts[-1], os.stat(parts[-1], dir_fd=folder, follow_symlinks=False))


def measure(top: Path, parts: Parts, *, within_s: float = MEASURE_WITHIN_S) -> TreeSize:
    """Return how much a folder and all below it hold."""
    deadline = time.monotonic() + within_s
    size = files = 0
    with refused_clearly("/".join(parts)), opened_folder(top, parts) as folder:
        walk = TreeWalk(os.dup(folder), is_top=not parts, takes_any_name=True)
        for _, _, facts in walk.entries():
            files += 1
            size += facts.st_size
            if time.monotonic() > deadline:
                return TreeSize(size, files, is_whole=False)
    return TreeSize(size, files, is_whole=not walk.was_too_deep)


def has_more_files(top: Path, parts: Parts, most: int, only: Chosen = None) -> bool:
    """Return whether a folder and all below it have more files, or folders, than that.

    `only`: count nothing but these of its entries. Nothing is looked at but names. What is gone or
    closed to the portal meanwhile counts nothing.
    """
    with refused_clearly("/".join(parts)), opened_folder(top, parts):
        folders = [parts]
    files = 0
    for path in folders:
        with suppress(OSError), opened_folder(top, path) as folder, os.scandir(folder) as found:
            for entry in found:
                if path == parts and only is not None and entry.name not in only:
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    files += 1
                elif len(path) < DEPTH_MAX and (path or not is_reserved((entry.name,))):
                    folders.append((*path, entry.name))
        if max(files, len(folders)) > most:
            return True
    return False


class FolderStream:
    """The entries of one folder as they come, unsorted, piece by piece: no size of it needs memory."""

    def __init__(self, top: Path, parts: Parts) -> None:
        """Open the folder; raises `NotFoundError` if it is none."""
        self._path, self._is_at_top = "/".join(parts), not parts
        self._seen = 0
        self.is_cut = False
        self.unreadable = 0
        """Entries that were left out, since their names are no UTF-8."""
        with refused_clearly(self._path), opened_folder(top, parts) as folder:
            # The entries are looked at by this descriptor as long as they are read.
            self._folder = os.dup(folder)
            self._found = os.scandir(self._folder)

    def take(self, most: int) -> list[FileEntry]:
        """Return some more entries; none at the end, or when as many as are looked at have been read."""
        taken: list[FileEntry] = []
        with refused_clearly(self._path):
            for entry in self._found:
                if not is_text(entry.name):
                    self.unreadable += 1
                    continue
                if self._is_at_top and is_reserved((entry.name,)):
                    continue
                if self._seen == FOLDER_ENTRIES_MAX:
                    self.is_cut = True
                    break
                self._seen += 1
                with suppress(FileNotFoundError):
                    taken.append(to_entry(entry.name, entry.stat(follow_symlinks=False)))
                if len(taken) == most:
                    break
        return taken

    def close(self) -> None:
        """Close the folder."""
        self._found.close()
        os.close(self._folder)


class TreeWalk:
    """All plain files below an open folder, deepest folders as they come; at most `DEPTH_MAX` deep."""

    def __init__(
        self,
        folder: int,
        *,
        is_top: bool,
        takes_any_name: bool = False,
        takes_links: bool = False,
        only: Chosen = None,
    ) -> None:
        """Take over the descriptor of the folder; it is closed at the end of the walk.

        `takes_any_name`: also what has no name in UTF-8; `takes_links`: `names` has links, too;
        `only`: nothing but these entries of the folder, and what is below them.
        """
        self._folder, self._is_top, self._only = folder, is_top, only
        self._takes_any_name, self._takes_links = takes_any_name, takes_links
        self.was_too_deep = False
        self.was_refused = False
        """Whether a folder was closed to this account, and left out."""
        self.left_out = 0
        """Links, devices, pipes, and what has no name in UTF-8, unless those are taken."""
        self.escaped: dict[Parts, str] = {}
        """What stands for names that are no UTF-8, by their paths."""

    def takes(self, name: str) -> bool:
        """Return whether an entry of the folder itself is walked."""
        if self._is_top and is_reserved((name,)):
            return False
        return self._only is None or name in self._only

    def entries(self) -> Generator[FoundFile]:
        """Yield the open folder of each file with its path and facts."""
        for folder, path in self.names():
            try:
                facts = os.stat(path[-1], dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue  # it is gone by now
            if stat.S_ISREG(facts.st_mode):  # nothing else has taken its name meanwhile
                yield folder, path, facts

    def names(self) -> Generator[FoundName]:
        """Yield the open folder of each file with its path; no file is looked at."""
        yield from self._below(self._folder, ())

    def _below(self, folder: int, parts: Parts) -> Generator[FoundName]:
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=_NAME)
            for entry in self._taken(entries, parts):
                path = (*parts, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    yield from self._step(folder, path)
                elif self._is_wanted(entry):
                    yield folder, path
                else:
                    self.left_out += 1
        finally:
            os.close(folder)

    def _taken(
        self, entries: list["os.DirEntry[str]"], parts: Parts
    ) -> Iterator["os.DirEntry[str]"]:
        """Yield the entries of a folder but those with names that are not taken."""
        if not parts:
            entries = [entry for entry in entries if self.takes(entry.name)]
        if all(is_text(entry.name) for entry in entries):
            yield from entries
        elif self._takes_any_name:
            escaped = escape_names([entry.name for entry in entries])
            self.escaped |= {(*parts, name): text for name, text in escaped.items()}
            yield from entries
        else:
            shown = [entry for entry in entries if is_text(entry.name)]
            self.left_out += len(entries) - len(shown)
            yield from shown

    def _is_wanted(self, entry: "os.DirEntry[str]") -> bool:
        return entry.is_file(follow_symlinks=False) or (self._takes_links and entry.is_symlink())

    def _step(self, folder: int, parts: Parts) -> Generator[FoundName]:
        if len(parts) >= DEPTH_MAX:
            self.was_too_deep = True
            return
        try:
            yield from self._below(os.open(parts[-1], FOLDER, dir_fd=folder), parts)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            self.was_refused = True


def _facts(folder: int, names: list[FolderName]) -> list[FileEntry]:
    """Return the entries of names; one that is gone by now is left out."""
    found: list[FileEntry] = []
    for each in names:
        with suppress(FileNotFoundError):
            facts = os.stat(each.name, dir_fd=folder, follow_symlinks=False)
            found.append(to_entry(each.name, facts))
    return found


def _followed(top: Path, parts: Parts, entry: FileEntry) -> FileEntry:
    """Return a link with what it leads to, if that is a file or a folder in the volume."""
    if entry.kind is EntryKind.LINK:
        with suppress(OSError, DomainError):
            found = describe(top, resolve(top, (*parts, entry.name)))
            if found.kind in (EntryKind.FILE, EntryKind.FOLDER):
                return replace(found, name=entry.name, kind=EntryKind.LINK, target=found.kind)
    return entry


def _with_text(entry: FileEntry) -> FileEntry:
    text = to_text(entry.name)
    return entry if text == entry.name else replace(entry, name=text)


def to_entry(name: str, facts: os.stat_result) -> FileEntry:
    """Return an entry by its facts."""
    kind = _kind(facts.st_mode)
    is_file = kind is EntryKind.FILE
    modified_at = to_moment(facts.st_mtime)
    is_executable = is_file and bool(facts.st_mode & stat.S_IXUSR)
    return FileEntry(name, kind, facts.st_size if is_file else 0, modified_at, is_executable)


def _kind(mode: int) -> EntryKind:
    if stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    if stat.S_ISREG(mode):
        return EntryKind.FILE
    return EntryKind.LINK if stat.S_ISLNK(mode) else EntryKind.SPECIAL
