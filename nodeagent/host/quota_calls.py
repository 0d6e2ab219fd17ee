"""The kernel's project quotas: which project a file belongs to, and what a project may hold.

Sources: `struct fsxattr` and `FS_IOC_FSSETXATTR` of linux/fs.h, `struct if_dqblk` of linux/quota.h,
quotactl(2). XFS and ext4 answer to the same calls.
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
"""Block limits hard and soft in KiB, bytes in use, inode limits, inodes in use, times, validity."""
_BLOCK_LIMITS: Final = 1


@dataclass(frozen=True, slots=True)
class ProjectUsage:
    """What a project may hold and holds. A limit of 0 is none."""

    limit_kib: int
    used_bytes: int
    inodes: int


class QuotaCalls(Protocol):
    """What is asked of the kernel; all raise `OSError`."""

    def get_project(self, descriptor: int) -> int:
        """Return the project of an open file or folder; 0 is none."""

    def set_project(self, descriptor: int, project: int) -> None:
        """Make an open file or folder part of a project; what is made in a folder follows it."""

    def get_usage(self, device: str, project: int) -> ProjectUsage:
        """Return what a project of a file system holds."""

    def set_limit(self, device: str, project: int, limit_kib: int) -> None:
        """Set what it may hold."""


class KernelQuotas:
    """The port over system calls; limits need root."""

    def __init__(self) -> None:
        self._quotactl = ctypes.CDLL(None, use_errno=True).quotactl

    def get_project(self, descriptor: int) -> int:
        """Read the attributes."""
        return int(self._attributes(descriptor)[3])

    def set_project(self, descriptor: int, project: int) -> None:
        """Change nothing but the project; only a folder hands it on, a file must not say so (ext4)."""
        flags, extent, extents, _, cow = self._attributes(descriptor)
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            flags |= _INHERIT
        wanted = _XATTR.pack(flags, extent, extents, project, cow)
        fcntl.ioctl(descriptor, _SET_XATTR, wanted)

    def get_usage(self, device: str, project: int) -> ProjectUsage:
        """Ask for one project; XFS does not know those that never held anything."""
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
        """Set the hard limit, and the soft one alike: nobody is given a grace time."""
        wanted = _QUOTA.pack(limit_kib, limit_kib, 0, 0, 0, 0, 0, 0, _BLOCK_LIMITS)
        self._call(_SET_QUOTA, device, project, ctypes.create_string_buffer(wanted, _QUOTA.size))

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
