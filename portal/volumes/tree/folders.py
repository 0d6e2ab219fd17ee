"""Folders and files opened step by step: each name relative to the folder before it.

A symbolic link is never followed, wherever it stands, so nothing outside of the folder is reached,
also when a part of the path is replaced meanwhile. Devices, pipes and sockets are never opened: what a
name refers to is looked at first (`O_PATH`), and that very file is opened then. Where the file system
itself refuses devices, thousands of files are opened at once and looked at then.
"""

import ctypes
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final

from portal.common.errors import NotFoundError
from portal.volumes.tree.paths import Parts

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOK: Final = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_AT_ONCE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
FOLDER_MODE: Final = 0o775
"""Of new folders, before the process's mask."""
FILE_MODE: Final = 0o664
_NO_REPLACE: Final = 1
"""`RENAME_NOREPLACE` of renameat2(2)."""
_UNSUPPORTED: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})

_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def opened_folder(top: Path, parts: Parts = ()) -> Iterator[int]:
    """Provide a descriptor of a folder below `top`; raises `OSError` if a part is none."""
    current = os.open(top, FOLDER)
    try:
        for part in parts:
            below = os.open(part, FOLDER, dir_fd=current)
            os.close(current)
            current = below
        yield current
    finally:
        os.close(current)


@contextmanager
def made_folder(top: Path, parts: Parts = ()) -> Iterator[int]:
    """Provide a descriptor of a folder below `top`, made with those above it where they are missing."""
    current = os.open(top, FOLDER)
    owner = os.fstat(current)
    try:
        for part in parts:
            below = make_folder(current, part, owner)
            os.close(current)
            current = below
        yield current
    finally:
        os.close(current)


def make_folder(folder: int, name: str, owner: os.stat_result, mode: int = FOLDER_MODE) -> int:
    """Open a folder in a folder, made if it is missing, and return its descriptor."""
    is_new = False
    with suppress(FileExistsError):
        os.mkdir(name, mode, dir_fd=folder)
        is_new = True
    made = os.open(name, FOLDER, dir_fd=folder)
    if is_new:
        give_to(made, owner)
    return made


def give_to(descriptor: int, owner: os.stat_result) -> None:
    """Let a new file belong to the user that the containers have; only root can, and needs to."""
    if os.geteuid() == 0 and (owner.st_uid, owner.st_gid) != (0, os.getegid()):
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def open_plain_file(folder: int, name: str, flags: int = os.O_RDONLY) -> BinaryIO:
    """Open a plain file in a folder, unbuffered; raises `NotFoundError` for anything else."""
    writes = flags & (os.O_WRONLY | os.O_RDWR)
    opened, _ = open_plain_descriptor(folder, name, flags)
    return os.fdopen(opened, "wb" if writes else "rb", buffering=0)


def open_plain_descriptor(
    folder: int, name: str, flags: int = os.O_RDONLY
) -> tuple[int, os.stat_result]:
    """Return a descriptor and the facts of a plain file; raises `NotFoundError` for anything else."""
    found = os.open(name, _LOOK, dir_fd=folder)
    try:
        facts = os.fstat(found)
        if not stat.S_ISREG(facts.st_mode):
            raise NotFoundError("file")
        # The very file that was looked at, whatever the name refers to by now.
        return os.open(str(found), flags | os.O_CLOEXEC, dir_fd=_own_descriptors()), facts
    finally:
        os.close(found)


def is_nodev(folder: int) -> bool:
    """Return whether the file system of a folder is mounted `nodev`: no device on it can be opened."""
    return bool(os.fstatvfs(folder).f_flag & os.ST_NODEV)


def open_on_nodev(folder: int, name: str) -> tuple[int, os.stat_result]:
    """Do as `open_plain_descriptor` where `is_nodev`, in half the time.

    A device is refused there, and a pipe that took the name meanwhile is closed again without a wait.
    """
    try:
        opened = os.open(name, _AT_ONCE, dir_fd=folder)
    except BlockingIOError:
        # Somebody has a lease on it (a file server, mostly) and is asked to give it up.
        return open_plain_descriptor(folder, name)
    facts = os.fstat(opened)
    if stat.S_ISREG(facts.st_mode):
        return opened, facts
    os.close(opened)
    raise NotFoundError("file")


@cache
def _own_descriptors() -> int:
    """Return the open folder of this process's descriptors: of thousands of files, each step counts."""
    return os.open("/proc/self/fd", FOLDER)


# A forked process has inherited the folder of the other one's.
os.register_at_fork(after_in_child=_own_descriptors.cache_clear)


def rename_to_new(source: int, name: str, target: int, new_name: str) -> None:
    """Rename within one file system; raises `FileExistsError` rather than replace something."""
    given = (source, os.fsencode(name), target, os.fsencode(new_name))
    if _libc.renameat2(*given, _NO_REPLACE) == 0:
        return
    number = ctypes.get_errno()
    if number not in _UNSUPPORTED or _is_inside(source, name, target):
        raise OSError(number, os.strerror(number), name)
    # NFS and others do not know the flag: looked at first, with a moment between.
    if exists(target, new_name):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new_name)
    os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)


def freed_by_replacing(folder: int, name: str) -> int:
    """Return how many bytes the file system gets back when something else gets this name."""
    with suppress(FileNotFoundError):
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1:
            return facts.st_size
    return 0


def exists(folder: int, name: str) -> bool:
    """Return whether a folder has an entry of this name, of whatever kind."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _is_inside(source: int, name: str, target: int) -> bool:
    """Return whether the target is the folder that is to be renamed, or below it."""
    moved = os.stat(name, dir_fd=source, follow_symlinks=False)
    current = os.dup(target)
    try:
        while True:
            here = os.fstat(current)
            if (here.st_dev, here.st_ino) == (moved.st_dev, moved.st_ino):
                return True
            above = os.open("..", FOLDER, dir_fd=current)
            os.close(current)
            current = above
            over = os.fstat(current)
            if (over.st_dev, over.st_ino) == (here.st_dev, here.st_ino):
                return False
    finally:
        os.close(current)
