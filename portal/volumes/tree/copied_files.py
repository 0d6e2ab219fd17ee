"""Files of a copy that is made in turns: each continues where the one before it ended, or was killed.

A copied file has the time of its source and is read-only from the moment it is whole. One that is not whole
is writable, and is continued only if it has the time of its source, which it gets when a turn ends in the
middle of it: so neither a crash nor a source that changes leaves a file of which a part is another state.
"""

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Protocol

from portal.common.errors import ConflictError
from portal.volumes.tree.folders import made_folder
from portal.volumes.tree.listing import TreeSize
from portal.volumes.tree.paths import Parts

COPIED_FILES_MAX: Final = 1_000_000
"""Files of one folder that is copied: each turn looks at all of them."""
_UNFINISHED: Final = 0o600
_READ_ONLY: Final = 0o444
_EXECUTABLE: Final = 0o111
_OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class CopiedAmount:
    """How much of the source is in the copy."""

    size: int = 0
    files: int = 0
    left_out: int = 0
    """Links, devices and pipes, and names that are no text: they are not copied."""


Report = Callable[[CopiedAmount], bool]
"""Called with how far the copy is, every moment; returns False to stop it."""
CopyPiece = Callable[[int, int, int], int]
"""Copies some bytes to an open file: its descriptor, an offset, how many at most; returns how many."""


class CopyStoppedError(Exception):
    """The caller that follows the copy does not want it any more."""


class SourceChangedError(ConflictError):
    """Files were written, added or removed while they were copied."""

    status: ClassVar[int] = 409


class Copier(Protocol):
    """Copies from one source to one folder of the platform, to which nobody else writes."""

    def measure(self) -> TreeSize:
        """Return how much there is to copy; raises `DomainError` if that cannot be copied."""
        ...

    def copy(self, report: Report, *, within_s: float) -> CopiedAmount | None:
        """Copy until all is there, and return how much; None if time was over before."""
        ...

    def require_same(self) -> None:
        """Compare times, sizes and number of all files; raises `SourceChangedError` if one differs."""
        ...


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A file as its source has it."""

    size: int
    mtime_ns: int
    is_executable: bool = False

    @classmethod
    def of(cls, found: os.stat_result) -> "SourceFacts":
        """Return the facts of a file."""
        return cls(found.st_size, found.st_mtime_ns, bool(found.st_mode & _EXECUTABLE))


class CopyFolders:
    """The folder of the copy that was used last stays open: files come folder by folder."""

    def __init__(self, top: Path) -> None:
        """Open nothing yet."""
        self._top = top
        self._parts: Parts = ()
        self._folder: int | None = None

    def __enter__(self) -> "CopyFolders":
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close what is open."""
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


class CopiedFile:
    """One file of the copy."""

    def __init__(self, folder: int, name: str, source: SourceFacts) -> None:
        """Name it; nothing is looked at yet."""
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
            and found.st_size == self._source.size
        )

    def run(
        self,
        piece: CopyPiece,
        until: float,
        *,
        is_synced: bool,
        check: Callable[[int], None] | None = None,
    ) -> bool:
        """Copy what is missing; return False if it is not whole when time is over, or nothing more comes.

        `check` looks at the open file when all of it is there, and raises if it is wrong.
        """
        with suppress(FileNotFoundError):
            if not self._can_go_on():
                os.unlink(self._name, dir_fd=self._folder)
        written = os.open(self._name, _OPEN, _UNFINISHED, dir_fd=self._folder)
        try:
            self.size = os.fstat(written).st_size
            self.has_written = True
            left = self._source.size - self.size
            try:
                while left and (copied := piece(written, self.size, left)):
                    self.size, left = self.size + copied, left - copied
                    if time.monotonic() >= until:
                        break
            except BaseException:
                self._mark(written)  # what is there is of this source, and is continued
                raise
            if left:
                self._mark(written)
            else:
                _finish(written, is_synced=is_synced, check=check)
        finally:
            os.close(written)
        if not left:
            self._seal()
        return not left

    def _mark(self, written: int) -> None:
        os.utime(written, ns=(self._source.mtime_ns, self._source.mtime_ns))

    def _seal(self) -> None:
        """By its name: a mounted bucket forgets what is said of an open file once that was synced."""
        more = _EXECUTABLE if self._source.is_executable else 0
        times = (self._source.mtime_ns, self._source.mtime_ns)
        os.utime(self._name, ns=times, dir_fd=self._folder, follow_symlinks=False)
        os.chmod(self._name, _READ_ONLY | more, dir_fd=self._folder)

    def _can_go_on(self) -> bool:
        found = self._stat()
        return found is None or (
            stat.S_IMODE(found.st_mode) == _UNFINISHED
            and self._is_of_source(found)
            and found.st_size <= self._source.size
        )

    def _is_of_source(self, found: os.stat_result) -> bool:
        return found.st_mtime_ns == self._source.mtime_ns

    def _stat(self) -> os.stat_result | None:
        try:
            return os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


def _finish(written: int, *, is_synced: bool, check: Callable[[int], None] | None) -> None:
    if check is not None:
        check(written)
    if is_synced:
        os.fsync(written)
