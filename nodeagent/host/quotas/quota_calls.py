"""System calls for project quotas: the project of a file, and the limit and usage of a project.

Sources: `struct fsxattr` and `FS_IOC_FSSETXATTR` of linux/fs.h, `struct if_dqblk` of linux/quota.h,
quotactl(2). XFS and ext4 support the same calls.
"""

import ctypes
import errno
import fcntl
import os
import stat
import struct
from dataclasses import dataclass
from typing import Final, Protocol

KIB: Final = 1024
_GET_XATTR: Final = 0x801C581F
_SET_XATTR: Final = 0x401C5820
_XATTR: Final = struct.Struct("=5I8x")
"""Flags, extent size, extents, project, copy-on-write size."""
_INHERIT: Final = 0x200
_GET_QUOTA: Final = 0x80000702
_SET_QUOTA: Final = 0x80000802
"""`QCMD` of both for projects (type 2)."""
_QUOTA: Final = struct.Struct("=8QI4x")
"""Hard and soft block limits in KiB, bytes in use, inode limits, inodes in use, times, validity."""
_BLOCK_LIMITS: Final = 1


@dataclass(frozen=True, slots=True)
class ProjectUsage:
    """Limit and usage of a project. A limit of 0 is none."""

    limit_kib: int
    used_bytes: int
    inodes: int


class QuotaCalls(Protocol):
    """The kernel's quota calls; all raise `OSError`."""

    def get_project(self, descriptor: int) -> int:
        """Return the project of an open file or folder; 0 is none."""

    def set_project(self, descriptor: int, project: int) -> None:
        """Assign an open file or folder to a project; new files in a folder inherit it."""

    def get_usage(self, device: str, project: int) -> ProjectUsage:
        """Return a project's limit and usage on a file system."""

    def set_limit(self, device: str, project: int, limit_kib: int) -> None:
        """Set a project's limit."""


class KernelQuotas:
    """The port over system calls; setting limits needs root."""

    def __init__(self) -> None:
        self._quotactl = ctypes.CDLL(None, use_errno=True).quotactl

    def get_project(self, descriptor: int) -> int:
        """Read the project from the extended attributes."""
        return int(self._attributes(descriptor)[3])

    def set_project(self, descriptor: int, project: int) -> None:
        """Change only the project. The inheritance flag is for folders; ext4 refuses it on files."""
        flags, extent, extents, _, cow = self._attributes(descriptor)
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            flags |= _INHERIT
        packed = _XATTR.pack(flags, extent, extents, project, cow)
        fcntl.ioctl(descriptor, _SET_XATTR, packed)

    def get_usage(self, device: str, project: int) -> ProjectUsage:
        """Query one project; XFS reports an error for projects that were never used."""
        answer = ctypes.create_string_buffer(_QUOTA.size)
        try:
            self._call(_GET_QUOTA, device, project, answer)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ESRCH):
                return ProjectUsage(0, 0, 0)
            raise
        limit, _, used, _, _, inodes, *_ = _QUOTA.unpack(answer.raw)
        return ProjectUsage(limit, used, inodes)

    def set_limit(self, device: str, project: int, limit_kib: int) -> None:
        """Set the hard and soft limits to the same value, so that there is no grace period."""
        packed = _QUOTA.pack(limit_kib, limit_kib, 0, 0, 0, 0, 0, 0, _BLOCK_LIMITS)
        self._call(_SET_QUOTA, device, project, ctypes.create_string_buffer(packed, _QUOTA.size))

    def _attributes(self, descriptor: int) -> tuple[int, ...]:
        answer = fcntl.ioctl(descriptor, _GET_XATTR, bytes(_XATTR.size))
        return _XATTR.unpack(answer)

    def _call(self, command: int, device: str, project: int, data: object) -> None:
        code = self._quotactl(
            ctypes.c_int(command - 2**32), device.encode(), ctypes.c_int(project), data
        )
        if code != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), device)
