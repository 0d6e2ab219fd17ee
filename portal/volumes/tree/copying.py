"""A folder copied to another one in turns: each goes on where the one before it ended, or was killed.

A copied file has the time of its source and is read-only from the moment it is whole. One that is not whole
is writable, and is continued only if it has the time of its source, which it gets when a turn ends in the
middle of it: so neither a crash nor a source that changes leaves a file of which a part is another state.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from portal.common.errors import ConflictError, DomainError, InvalidError, NotFoundError
from portal.volumes.tree.changes import ensure_top
from portal.volumes.tree.durability import sync_all, syncs_at_once
from portal.volumes.tree.folders import made_folder, open_plain_file, opened_folder
from portal.volumes.tree.listing import TreeSize, TreeWalk
from portal.volumes.tree.paths import DEPTH_MAX, Parts, refused_clearly
from portal.volumes.tree.uploads import require_space

COPIED_FILES_MAX: Final = 1_000_000
"""Files of one folder that is copied: each turn looks at all of them."""
_PIECE: Final = 64 * 1024 * 1024
_READ: Final = 1024 * 1024
_UNFINISHED: Final = 0o600
_READ_ONLY: Final = 0o444
_EXECUTABLE: Final = 0o111
_OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_RANGES: Final = frozenset(
    {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EPERM}
)
"""What `copy_file_range` says where the file systems cannot copy by themselves."""


@dataclass(slots=True)
class CopiedAmount:
    """How much of the source is in the copy."""

    size: int = 0
    files: int = 0
    left_out: int = 0
    """Links, devices and pipes, and names that are no text: they are not copied."""


Report = Callable[[CopiedAmount], bool]
"""Told how far the copy is, every moment; returns False to stop it."""


class CopyStoppedError(Exception):
    """Whoever follows the copy does not want it any more."""


class SourceChangedError(ConflictError):
    """Files were written, added or removed while they were copied."""

    status: ClassVar[int] = 409


class TreeCopier:
    """Copies the plain files below one folder to a folder of the platform."""

    def __init__(self, top: Path, parts: Parts, target: Path) -> None:
        """Remember both; `target` is made by the first turn, and nobody else writes there."""
        self._top, self._parts, self._target = top, parts, target

    def measure(self) -> TreeSize:
        """Return how much there is to copy.

        Raises:
            NotFoundError: the source is no folder.
            InvalidError: there is nothing in it, too much, or something that cannot be read.
            StorageFullError: it would leave others on the file system too little space.
        """
        size = files = 0
        with self._walked(self._top, self._parts) as walk:
            for _, _, facts in walk.entries():
                size, files = size + facts.st_size, files + 1
                if files > COPIED_FILES_MAX:
                    raise InvalidError("copy_too_many_files", max=COPIED_FILES_MAX)
            _require_whole(walk)
        if not files:
            raise InvalidError("copy_of_nothing")
        ensure_top(self._target.parent)
        with refused_clearly(""), opened_folder(self._target.parent) as above:
            require_space(above, size)
        return TreeSize(size, files, is_whole=True)

    def copy(self, report: Report, *, within_s: float) -> CopiedAmount | None:
        """Copy until all is there, and return how much; None if time was over before.

        Raises:
            CopyStoppedError: `report` said so.
            DomainError: a file cannot be read or written.
        """
        until, done = time.monotonic() + within_s, CopiedAmount()
        ensure_top(self._target)
        with refused_clearly(""), opened_folder(self._target) as root:
            each_is_synced = not syncs_at_once(root)
            with self._walked(self._top, self._parts) as walk, _Folders(self._target) as folders:
                for folder, path, facts in walk.entries():
                    copied = _FileCopy(folders.open(path[:-1]), path[-1], facts)
                    is_whole = copied.run(folder, until, is_synced=each_is_synced)
                    done.size, done.files = done.size + copied.size, done.files + is_whole
                    done.left_out = walk.left_out
                    if not report(done):
                        raise CopyStoppedError
                    if time.monotonic() >= until and copied.has_written:
                        return None
                _require_whole(walk)
            if not each_is_synced:
                sync_all(root)
        return done

    def require_same(self) -> None:
        """Compare times, sizes and number of all files; raises `SourceChangedError` if one differs."""
        seen = 0
        with self._walked(self._top, self._parts) as walk, _Folders(self._target) as folders:
            for _, path, facts in walk.entries():
                seen += 1
                if not _FileCopy(folders.open(path[:-1]), path[-1], facts).is_there():
                    raise SourceChangedError("copy_source_changed", path="/".join(path))
        with self._walked(self._target, ()) as copied:
            for number, (_, path, _) in enumerate(copied.entries(), start=1):
                if number > seen:
                    raise SourceChangedError("copy_source_changed", path="/".join(path))

    @contextmanager
    def _walked(self, top: Path, parts: Parts) -> Iterator[TreeWalk]:
        with refused_clearly("/".join(parts)), opened_folder(top, parts) as folder:
            # What is the platform's own at the top of a volume is left out of the source only.
            is_top = top == self._top and not parts
            yield TreeWalk(os.dup(folder), is_top=is_top)


class _Folders:
    """The folder of the copy that was used last stays open: files come folder by folder."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._parts: Parts = ()
        self._folder: int | None = None

    def __enter__(self) -> "_Folders":
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            os.close(self._folder)

    def open(self, parts: Parts) -> int:
        """Return the folder, made where it is missing."""
        if self._folder is None or parts != self._parts:
            with made_folder(self._top, parts) as folder:
                opened = os.dup(folder)
            self.__exit__()
            self._folder, self._parts = opened, parts
        return self._folder


class _FileCopy:
    """One file of the copy."""

    def __init__(self, folder: int, name: str, source: os.stat_result) -> None:
        self._folder, self._name, self._source = folder, name, source
        self.size = 0
        """Bytes of it that are there now."""
        self.has_written = False

    def is_there(self) -> bool:
        """Return whether it is whole, and of the source as it is."""
        found = self._stat()
        return (
            found is not None
            and stat.S_IMODE(found.st_mode) != _UNFINISHED
            and self._is_of_source(found)
            and found.st_size == self._source.st_size
        )

    def run(self, source: int, until: float, *, is_synced: bool) -> bool:
        """Copy what is missing; return False if time was over, or the source is gone, before it was whole."""
        if self.is_there():
            self.size = self._source.st_size
            return True
        try:
            read = open_plain_file(source, self._name)
        except (FileNotFoundError, NotFoundError):
            return False  # the comparison at the end tells
        with read:
            self._source = os.fstat(read.fileno())
            with suppress(FileNotFoundError):
                if not self._can_go_on():
                    os.unlink(self._name, dir_fd=self._folder)
            written = os.open(self._name, _OPEN, _UNFINISHED, dir_fd=self._folder)
            try:
                return self._fill(read.fileno(), written, until, is_synced=is_synced)
            finally:
                os.close(written)

    def _fill(self, read: int, written: int, until: float, *, is_synced: bool) -> bool:
        self.size = os.fstat(written).st_size
        self.has_written = True
        left = self._source.st_size - self.size
        while left and (copied := _copy_piece(read, written, self.size, min(left, _PIECE))):
            self.size, left = self.size + copied, left - copied
            if time.monotonic() >= until:
                break
        is_whole = self.size == self._source.st_size
        if is_whole:
            if is_synced:
                os.fsync(written)
            os.fchmod(written, _READ_ONLY | (self._source.st_mode & _EXECUTABLE))
        os.utime(written, ns=(self._source.st_mtime_ns, self._source.st_mtime_ns))
        return is_whole

    def _can_go_on(self) -> bool:
        found = self._stat()
        return found is None or (
            stat.S_IMODE(found.st_mode) == _UNFINISHED
            and self._is_of_source(found)
            and found.st_size <= self._source.st_size
        )

    def _is_of_source(self, found: os.stat_result) -> bool:
        return found.st_mtime_ns == self._source.st_mtime_ns

    def _stat(self) -> os.stat_result | None:
        try:
            return os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


def _copy_piece(read: int, written: int, offset: int, size: int) -> int:
    """Copy some bytes at an offset, by the file system where it can; return how many."""
    try:
        return os.copy_file_range(read, written, size, offset, offset)
    except OSError as error:
        if error.errno not in _NO_RANGES:
            raise
    data = memoryview(os.pread(read, min(size, _READ), offset))
    done = 0
    while done < len(data):
        done += os.pwrite(written, data[done:], offset + done)
    return done


def _require_whole(walk: TreeWalk) -> None:
    if walk.was_too_deep:
        raise InvalidError("copy_too_deep", max=DEPTH_MAX)
    if walk.was_refused:
        raise DomainError("copy_not_readable")
