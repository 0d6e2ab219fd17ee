"""What an SFTP client is shown of files, and what of its own wishes counts; pure.

Everybody who reaches a volume has the same rights there, by role, so permissions say only that: who may
write writes, and a file is a program or is not.
"""

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncssh

from portal.common.errors import ConflictError
from portal.volumes.open_files import WriteWish
from portal.volumes.tree.listing import EntryKind, FileEntry
from portal.volumes.tree.paths import NAME_MAX
from portal.volumes.tree.times import to_epoch_s

_TYPES: Final[Mapping[EntryKind, int]] = {
    EntryKind.FOLDER: stat.S_IFDIR | 0o555,
    EntryKind.FILE: stat.S_IFREG | 0o444,
    EntryKind.LINK: stat.S_IFLNK | 0o555,
    EntryKind.SPECIAL: stat.S_IFIFO,
}
_WRITABLE: Final = frozenset({EntryKind.FOLDER, EntryKind.FILE})
MIB: Final = 1024 * 1024
SIZE_MAX: Final = 2**63 - 1
"""Bytes of a file that a system call can name; no storage takes as many."""
_MAY_WRITE: Final = 0o220
_RUNS: Final = 0o111


@dataclass(frozen=True, slots=True)
class AttributeWish:
    """What of a file is to change; None stays."""

    size: int | None
    is_executable: bool | None
    times: tuple[float, float] | None
    """When it was read and written last, in seconds of the epoch."""


def folder_of(moment: datetime) -> FileEntry:
    """Return a folder that stands for more than one of the storage: the root, or a volume."""
    return FileEntry("", EntryKind.FOLDER, 0, moment)


def attributes_of(entry: FileEntry, *, may_write: bool) -> asyncssh.SFTPAttrs:
    """Return the attributes of an entry of a folder."""
    mode = _TYPES[entry.kind]
    if may_write and entry.kind in _WRITABLE:
        mode |= _MAY_WRITE
    if entry.is_executable:
        mode |= _RUNS
    moment = to_epoch_s(entry.modified_at.timestamp())
    return asyncssh.SFTPAttrs(
        size=entry.size, permissions=mode, atime=moment, mtime=moment, nlink=1
    )


def room_of(total_mib: int, used_mib: int) -> asyncssh.SFTPVFSAttrs:
    """Return a file system of that size; without numbers of files, as nothing limits those."""
    free = max(0, total_mib - used_mib)
    return asyncssh.SFTPVFSAttrs(
        bsize=MIB, frsize=MIB, blocks=total_mib, bfree=free, bavail=free, namemax=NAME_MAX
    )


def read_attributes(attrs: asyncssh.SFTPAttrs) -> AttributeWish:
    """Return what a client wants changed; raises `ConflictError` for another owner."""
    if attrs.uid is not None or attrs.gid is not None:
        raise ConflictError("sftp_no_owner")
    times = None
    if attrs.mtime is not None:
        times = float(attrs.mtime if attrs.atime is None else attrs.atime), float(attrs.mtime)
    mode = attrs.permissions
    is_executable = None if mode is None else bool(mode & stat.S_IXUSR)
    size = None if attrs.size is None else min(attrs.size, SIZE_MAX)
    return AttributeWish(size, is_executable, times)


def read_flags(flags: int) -> WriteWish | None:
    """Return what a client wants to write to; None if it only reads."""
    if not flags & (asyncssh.FXF_WRITE | asyncssh.FXF_APPEND):
        return None
    return WriteWish(
        reads=bool(flags & asyncssh.FXF_READ),
        appends=bool(flags & asyncssh.FXF_APPEND),
        makes=bool(flags & asyncssh.FXF_CREAT),
        empties=bool(flags & asyncssh.FXF_TRUNC),
        must_be_new=bool(flags & asyncssh.FXF_EXCL),
    )
