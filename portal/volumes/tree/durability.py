"""Many new files on disk at once: one call for all of them, where the file system's meaning of it suffices."""

import ctypes
import os
from typing import Final

_WHOLE: Final = frozenset(
    {
        0xEF53,  # ext2, ext3, ext4
        0x58465342,  # XFS
        0x9123683E,  # Btrfs
        0xF2F52010,  # F2FS
        0x2FC12FC1,  # ZFS
        0x794C7630,  # overlayfs, of containers
        0x01021994,  # tmpfs, which keeps nothing anyway
        0x6969,  # NFS: a closed file is on the server, and names are made there
        0x00C36400,  # CephFS of the kernel
    }
)
"""Types of file systems (statfs(2)) whose syncfs(2) waits until all is where an `fsync` would have put it.

Of others that is not known, or known to be otherwise: of FUSE, for one, syncfs writes what is in memory
to the daemon and does not ask it to keep it.
"""
_STATFS_BYTES: Final = 256
"""More than the structure has on any platform; its first word is the type."""

_libc = ctypes.CDLL(None, use_errno=True)


def syncs_at_once(descriptor: int) -> bool:
    """Return whether `sync_all` keeps everything on the file system of an open file or folder."""
    facts = ctypes.create_string_buffer(_STATFS_BYTES)
    if _libc.fstatfs(descriptor, facts):
        return False
    return ctypes.c_ulong.from_buffer(facts).value in _WHOLE


def sync_all(descriptor: int) -> None:
    """Wait until everything written to the file system is on disk; raises `OSError` if something is not."""
    if _libc.syncfs(descriptor):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
