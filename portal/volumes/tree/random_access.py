"""Plain files that are read and written in any order: found, made and opened by descriptors."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from portal.common.errors import NotFoundError
from portal.volumes.tree.folders import (
    FILE_MODE,
    give_to,
    open_plain_file,
    opened_folder,
)
from portal.volumes.tree.listing import EntryKind, FileEntry, describe, to_entry
from portal.volumes.tree.paths import Parts, refused_clearly
from portal.volumes.tree.uploads import require_space


@dataclass(frozen=True, slots=True)
class FileUse:
    """For what a file is opened."""

    reads: bool = True
    writes: bool = False
    appends: bool = False
    """Whether all that is written goes to its end."""

    @property
    def flags(self) -> int:
        """The flags of open(2)."""
        if not self.writes:
            return os.O_RDONLY
        how = os.O_RDWR if self.reads else os.O_WRONLY
        return how | os.O_APPEND if self.appends else how


class RandomAccessFile:
    """An open plain file."""

    def __init__(self, file: BinaryIO, path: str, use: FileUse) -> None:
        """Take over an unbuffered file."""
        self._file, self._path, self.use = file, path, use

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from an offset on; none at the end."""
        with refused_clearly(self._path):
            return os.pread(self._file.fileno(), size, offset)

    def write(self, offset: int, data: bytes) -> None:
        """Write all of the bytes at an offset, or at the end of one that is opened so."""
        with refused_clearly(self._path):
            view = memoryview(data)
            while view:
                written = os.pwrite(self._file.fileno(), view, offset)
                offset += written
                view = view[written:]

    def growth(self, offset: int, length: int) -> int:
        """Return by how many bytes a write would let it grow, as `growth_to`."""
        with refused_clearly(self._path):
            start = self._size() if self.use.appends else offset
        return self.growth_to(start + length)

    def growth_to(self, size: int) -> int:
        """Return by how many bytes it would grow, and refuse what the file system has no space for."""
        with refused_clearly(self._path):
            grown = max(size - self._size(), 0)
            if grown:
                require_space(self._file.fileno(), grown)
        return grown

    def truncate(self, size: int) -> None:
        """Make it exactly so long."""
        with refused_clearly(self._path):
            os.ftruncate(self._file.fileno(), size)

    def describe(self) -> FileEntry:
        """Return its facts; the name is not among them."""
        return to_entry("", os.fstat(self._file.fileno()))

    def set_times(self, accessed_s: float, modified_s: float) -> None:
        """Set when it was read and written last."""
        with refused_clearly(self._path):
            os.utime(self._file.fileno(), (accessed_s, modified_s))

    def set_executable(self, *, is_executable: bool) -> None:
        """Let it be a program, or not; all other permissions are those of every file."""
        mode = FILE_MODE | (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH if is_executable else 0)
        with refused_clearly(self._path):
            os.fchmod(self._file.fileno(), mode)

    def sync(self) -> None:
        """Return when all that was written is durable."""
        with refused_clearly(self._path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close it."""
        with refused_clearly(self._path):
            self._file.close()

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size


def open_file(top: Path, parts: Parts, use: FileUse) -> RandomAccessFile:
    """Open a plain file that is there; raises `NotFoundError` for anything else."""
    if not parts:
        raise NotFoundError("file")
    path = "/".join(parts)
    with refused_clearly(path), opened_folder(top, parts[:-1]) as folder:
        return RandomAccessFile(open_plain_file(folder, parts[-1], use.flags), path, use)


def make_file(top: Path, parts: Parts, use: FileUse) -> RandomAccessFile:
    """Make an empty file; raises `ConflictError` if there is something of its name."""
    path = "/".join(parts)
    with refused_clearly(path), opened_folder(top, parts[:-1]) as folder:
        flags = use.flags | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(parts[-1], flags, FILE_MODE, dir_fd=folder)
        give_to(handle, os.fstat(folder))
        return RandomAccessFile(os.fdopen(handle, "wb", buffering=0), path, use)


def read_link(top: Path, parts: Parts) -> str:
    """Return what a symbolic link says, which is never followed; `NotFoundError` for anything else."""
    if describe(top, parts).kind is not EntryKind.LINK:
        raise NotFoundError("file")
    path = "/".join(parts)
    with refused_clearly(path), opened_folder(top, parts[:-1]) as folder:
        return os.readlink(parts[-1], dir_fd=folder)


def set_folder_times(top: Path, parts: Parts, accessed_s: float, modified_s: float) -> None:
    """Set when a folder was read and written last."""
    with refused_clearly("/".join(parts)), opened_folder(top, parts) as folder:
        os.utime(folder, (accessed_s, modified_s))


def is_empty_folder(top: Path, parts: Parts) -> bool:
    """Return whether a folder has nothing in it, not even what lists leave out."""
    with (
        refused_clearly("/".join(parts)),
        opened_folder(top, parts) as folder,
        os.scandir(folder) as found,
    ):
        return next(found, None) is None
