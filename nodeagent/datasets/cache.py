"""Copies of published versions on this node's own disk, which work mounts instead of the shared storage.

A copy grows as `<version>.part` and gets its name when all of it is on disk. A start that finds a copy
notes it beside its container; what a container has noted is never removed. Else, when there is no room,
what was mounted longest ago goes first.
"""

import os
import shutil
import stat
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from time import time
from typing import Final, TypedDict

from nodeagent.disk.atomic_json import read_json, write_json
from nodeagent.host.secure_paths import ResolvedPath, UnsafePathError, resolve_beneath
from wire.mounts import DatasetMount
from wire.values import is_identifier

MIB: Final = 1024 * 1024
CHUNK: Final = 4 * MIB
"""Bytes that are copied between two checks whether the copy is still wanted."""
USES: Final = "cached-datasets.json"
"""In the directory of a container: the copies that it mounts."""
INDEX_FILE: Final = "index.json"
_PARTIAL: Final = ".part"
_PUBLISHED: Final = "published"

Progress = Callable[[int, int], None]
"""Is called with how many bytes of a copy are there, and of how many; may raise, to give the copy up."""


class NoRoomError(Exception):
    """A version is larger than what the cache may hold beside what is in use."""


@dataclass(frozen=True, slots=True)
class CachedCopy:
    """One whole copy."""

    version: str
    size_bytes: int
    used_at: int
    """When a container last mounted it, in milliseconds since the epoch; 0 is never."""


class _IndexEntry(TypedDict):
    """What the index says of one whole copy."""

    size_bytes: int
    came_at: int
    used_at: int


_Index = dict[str, _IndexEntry]


def version_in(item: DatasetMount) -> str | None:
    """Return the id of the published version that a mount is of; None for a folder of the node."""
    path = PurePosixPath(item.path)
    if not item.is_published or path.parent != PurePosixPath(_PUBLISHED):
        return None
    return path.name if is_identifier(path.name) else None


class DatasetCache:
    """The folder of copies. Its calls block, and may come from several threads."""

    def __init__(self, folder: Path, limit_mib: int, containers: Path, free_mib: int = 0) -> None:
        """Keep at most `limit_mib`, and `free_mib` of the disk free; `containers` says what is in use."""
        self.folder: Final = folder
        self.limit_mib: Final = limit_mib
        self._free_bytes = free_mib * MIB
        self._containers = containers
        self._lock = threading.Lock()
        """Held while it is decided whether a copy is mounted or removed."""
        self._missed: dict[str, DatasetMount] = {}
        folder.mkdir(parents=True, exist_ok=True, mode=0o755)

    def resolve(self, item: DatasetMount, directory: Path) -> ResolvedPath | None:
        """Return the copy of a version for the container of this directory; None if there is none.

        What is not here is remembered, to be copied for those that come later.
        """
        version = version_in(item)
        if version is None:
            return None
        with self._lock:
            index = self._index()
            if version not in index:
                self._missed[version] = item
                return None
            try:
                found = resolve_beneath(self.folder, version)
            except (UnsafePathError, OSError):
                return None
            noted = read_json(directory / USES) or []
            write_json(directory / USES, sorted({*noted, version}))
            index[version]["used_at"] = _next_moment(index)
            self._write(index)
            return found

    def take_missed(self) -> list[DatasetMount]:
        """Return, once, the versions that work mounted from the storage because they were not here."""
        with self._lock:
            missed, self._missed = self._missed, {}
        return list(missed.values())

    def list_copies(self) -> list[CachedCopy]:
        """Return every whole copy, the one that was mounted last first."""
        with self._lock:
            copies = [
                CachedCopy(version, entry["size_bytes"], entry["used_at"])
                for version, entry in self._index().items()
            ]
        return sorted(copies, key=lambda copy: (-copy.used_at, copy.version))

    def fill(
        self, version: str, source: Path, kept: Collection[str], on_progress: Progress
    ) -> None:
        """Copy a version from its folder on the storage; continue with what an earlier try has left.

        `kept` are versions that may not be removed to make room.

        Raises:
            NoRoomError: it does not fit.
            OSError: the storage or the disk failed.
        """
        files = list(_files_below(source))
        size = sum(found.st_size for _, found in files)
        self._make_room(version, size, kept)
        partial = self.folder / f"{version}{_PARTIAL}"
        partial.mkdir(exist_ok=True)
        done = 0

        def on_chunk(copied: int) -> None:
            nonlocal done
            done += copied
            on_progress(done, size)

        for path, found in files:
            target = partial / path
            target.parent.mkdir(parents=True, exist_ok=True)
            _copy(source / path, found, target, on_chunk)
        for folder, _, _ in os.walk(partial, onerror=_raise):
            Path(folder).chmod(0o755)  # whatever the umask: work reads it as another user
        os.sync()
        with self._lock:
            index = self._index()
            if version in self._in_use():
                raise FileExistsError(version)  # the index was lost, and work reads what is there
            shutil.rmtree(self.folder / version, ignore_errors=True)
            partial.replace(self.folder / version)
            index[version] = {"size_bytes": size, "came_at": _next_moment(index), "used_at": 0}
            self._write(index)

    def remove(self, versions: Collection[str]) -> None:
        """Remove copies, whole or begun, that no container mounts."""
        with self._lock:
            index, used = self._index(), self._in_use()
            for version in set(versions) - used:
                self._remove(version, index)

    def tidy(self) -> None:
        """Remove what is neither whole nor mounted: the rest of copies that were given up."""
        with self._lock:
            known = {*self._index(), *self._in_use()}
            for entry in self.folder.iterdir():
                if entry.is_dir() and entry.name not in known:
                    shutil.rmtree(entry, ignore_errors=True)

    def _make_room(self, version: str, size_bytes: int, kept: Collection[str]) -> None:
        """Remove what was mounted, or came, longest ago until a version fits.

        Raises:
            NoRoomError: what is left is kept, or in use.
        """
        with self._lock:
            index = self._index()
            spare = {*index} - {*kept, version} - self._in_use()
            oldest = sorted(spare, key=lambda each: (max(_moments(index[each])), each))
            while not self._has_room(version, size_bytes, index):
                if not oldest:
                    raise NoRoomError
                self._remove(oldest.pop(0), index)

    def _has_room(self, version: str, size_bytes: int, index: _Index) -> bool:
        """Count whole copies and begun ones; of this version only what is missing needs the disk."""
        begun = {path.name: _size_of(path) for path in self.folder.glob(f"*{_PARTIAL}")}
        here = begun.pop(f"{version}{_PARTIAL}", 0)
        held = sum(entry["size_bytes"] for entry in index.values()) + sum(begun.values())
        if held + size_bytes > self.limit_mib * MIB:
            return False
        return shutil.disk_usage(self.folder).free - (size_bytes - here) >= self._free_bytes

    def _remove(self, version: str, index: _Index) -> None:
        """Forget a copy first: none that is half removed is ever mounted."""
        if index.pop(version, None) is not None:
            self._write(index)
        for name in (version, f"{version}{_PARTIAL}"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def _in_use(self) -> set[str]:
        """Return what containers mount; raises `OSError` where that cannot be read: all may be."""
        if not self._containers.is_dir():
            return set()
        folders = [each for each in self._containers.iterdir() if each.is_dir()]
        return {version for each in folders for version in read_json(each / USES) or []}

    def _index(self) -> _Index:
        index: _Index = read_json(self.folder / INDEX_FILE) or {}
        return {name: entry for name, entry in index.items() if (self.folder / name).is_dir()}

    def _write(self, index: _Index) -> None:
        write_json(self.folder / INDEX_FILE, index, is_durable=True)


def _files_below(source: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the regular files of a version; a publication has neither links nor devices.

    A folder that cannot be read is an error: without it the copy would look whole.
    """
    for folder, _, names in os.walk(source, onerror=_raise):
        for name in names:
            path = Path(folder, name)
            found = path.stat(follow_symlinks=False)
            if stat.S_ISREG(found.st_mode):
                yield path.relative_to(source), found


def _size_of(folder: Path) -> int:
    return sum(found.st_size for _, found in _files_below(folder))


def _raise(error: OSError) -> None:
    raise error


def _moments(entry: _IndexEntry) -> tuple[int, int]:
    return entry["came_at"], entry["used_at"]


def _next_moment(index: _Index) -> int:
    """Return now in milliseconds, later than every other moment: copies go in the order of their use."""
    latest = max((moment for entry in index.values() for moment in _moments(entry)), default=0)
    return max(round(time() * 1000), latest + 1)


def _copy(
    source: Path, meant: os.stat_result, target: Path, on_chunk: Callable[[int], None]
) -> None:
    """Copy one file unless it is there; its time is set last, so that half a file is never taken for it."""
    with suppress(FileNotFoundError):
        there = target.stat(follow_symlinks=False)
        if (there.st_size, there.st_mtime_ns) == (meant.st_size, meant.st_mtime_ns):
            on_chunk(meant.st_size)
            return
        target.unlink()
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(source, flags), "rb") as reading, target.open("xb") as writing:
        while chunk := reading.read(CHUNK):
            writing.write(chunk)
            if writing.tell() > meant.st_size:
                break
            on_chunk(len(chunk))
        if writing.tell() != meant.st_size:
            raise OSError(f"{source.name} has changed")
    target.chmod(stat.S_IMODE(meant.st_mode))
    os.utime(target, ns=(meant.st_atime_ns, meant.st_mtime_ns))
