"""Resolves host paths that are mounted into containers, without ever following a link.

A tenant may own folders below a shared root, and may replace one by a link between our check and
the engine's mount (CVE-2024-0132, CVE-2026-14896). So a source is resolved by the kernel within its
root (`openat2`), and once the container runs, what it really got is compared with what was meant.
"""

import ctypes
import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

OPENAT2: Final = 437
"""The same number on all architectures."""
NO_MAGIC_LINKS: Final = 0x02
NO_SYMLINKS: Final = 0x04
BENEATH: Final = 0x08
IN_ROOT: Final = 0x10
UNSUPPORTED: Final = frozenset({errno.ENOSYS, errno.EPERM})
"""Kernels before 5.6, and sandboxes that do not implement the call."""

_libc = ctypes.CDLL(None, use_errno=True)


class _OpenHow(ctypes.Structure):
    _fields_ = [
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    ]


class UnsafePathError(Exception):
    """A source leads out of its root, contains a link, or is neither folder nor file."""


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Device and inode of the file that a path referred to."""

    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A folder or file of the host, and its identity, to recognise it inside a container."""

    path: Path
    identity: FileIdentity


def open_by_openat2(base: int, below: str, rules: int) -> int | None:
    """Open by `openat2`; None if the kernel does not have it."""
    how = _OpenHow(os.O_PATH | os.O_CLOEXEC, 0, rules)
    size = ctypes.c_size_t(ctypes.sizeof(how))
    found = _libc.syscall(OPENAT2, base, os.fsencode(below), ctypes.byref(how), size)
    if found >= 0:
        return int(found)
    number = ctypes.get_errno()
    if number in UNSUPPORTED:
        return None
    raise OSError(number, os.strerror(number), below)


OpenBeneath = Callable[[int, str, int], int | None]
"""Opens a path below an open folder by the rules of `openat2`; None if that is not supported."""


def resolve_beneath(
    root: Path, below: str, open_beneath: OpenBeneath = open_by_openat2
) -> ResolvedPath:
    """Return the file `below` an allowed root; raises `UnsafePathError`."""
    with _opened(root, _parts(below), open_beneath) as descriptor:
        return ResolvedPath(root / below, _identity(descriptor, below))


def make_folder_beneath(root: Path, below: str, owner: tuple[int, int] | None) -> ResolvedPath:
    """Create a folder and its parents without following links, and let the last one belong to `owner`.

    What is in it already passes on with it: files may have been uploaded before the first work ran.
    """
    parts = _parts(below)
    root.mkdir(parents=True, exist_ok=True)
    current = os.open(root, os.O_PATH | os.O_DIRECTORY)
    try:
        for part in parts:
            with suppress(FileExistsError):
                os.mkdir(part, mode=0o755, dir_fd=current)
            child = _step(current, part, below)
            os.close(current)
            current = child
        identity = _identity(current, below)
        if owner is not None:
            _set_owner(current, owner)
    finally:
        os.close(current)
    return ResolvedPath(root / below, identity)


def identify_inside(
    pid: int, target: str, open_beneath: OpenBeneath = open_by_openat2
) -> FileIdentity:
    """Return what a running container has at `target`; raises `OSError` once it has ended."""
    # Links of the container itself, such as /var/run, are followed: they cannot leave its root.
    root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_DIRECTORY)
    try:
        descriptor = open_beneath(root, target.lstrip("/"), IN_ROOT | NO_MAGIC_LINKS)
        if descriptor is None:
            descriptor = _walk(root, _parts(target.lstrip("/")))
    finally:
        os.close(root)
    try:
        return _identity(descriptor, target)
    finally:
        os.close(descriptor)


def verify_mounts(
    pid: int,
    expected: Sequence[tuple[str, FileIdentity]],
    open_beneath: OpenBeneath = open_by_openat2,
) -> None:
    """Compare a container's mounts with what was meant; raises `UnsafePathError`.

    Does nothing if the container has ended meanwhile.
    """
    for target, identity in expected:
        try:
            found = identify_inside(pid, target, open_beneath)
        except PermissionError as error:
            detail = "may not be looked at: the agent lacks CAP_SYS_PTRACE"
            raise UnsafePathError(f"{target}: {detail}") from error
        except OSError as error:
            if _is_alive(pid):
                raise UnsafePathError(f"{target}: {error.strerror}") from error
            return
        # At its end its mounts disappear before its PID does.
        if found != identity and _is_alive(pid):
            raise UnsafePathError(f"{target}: another folder was mounted than was meant")


def _is_alive(pid: int) -> bool:
    """Return whether a process still has a root directory: one that has ended does not."""
    try:
        os.close(os.open(f"/proc/{pid}/root", os.O_PATH | os.O_DIRECTORY))
    except OSError:
        return False
    return True


def _parts(below: str) -> tuple[str, ...]:
    parts = PurePosixPath(below).parts
    if not parts or "\0" in below or parts[0] == "/" or ".." in parts:
        raise UnsafePathError(f"{below!r}: not a path below its root")
    return parts


@contextmanager
def _opened(root: Path, parts: Sequence[str], open_beneath: OpenBeneath) -> Iterator[int]:
    below = "/".join(parts)
    try:
        base = os.open(root, os.O_PATH | os.O_DIRECTORY)
        try:
            descriptor = open_beneath(base, below, BENEATH | NO_SYMLINKS)
            if descriptor is None:
                descriptor = _walk(base, parts)
        finally:
            os.close(base)
    except OSError as error:
        raise UnsafePathError(f"{below}: {error.strerror}") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _walk(base: int, parts: Sequence[str]) -> int:
    """Open step by step: each name relative to the folder before it, never through a link."""
    current = os.dup(base)
    for part in parts:
        try:
            child = _step(current, part, "/".join(parts))
        finally:
            os.close(current)
        current = child
    return current


def _step(folder: int, name: str, below: str) -> int:
    found = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    if stat.S_ISLNK(os.fstat(found).st_mode):
        os.close(found)
        raise UnsafePathError(f"{below}: {name} is a link")
    return found


def _identity(descriptor: int, below: str) -> FileIdentity:
    found = os.fstat(descriptor)
    if not (stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)):
        raise UnsafePathError(f"{below}: neither a folder nor a file")
    return FileIdentity(found.st_dev, found.st_ino)


def _set_owner(descriptor: int, owner: tuple[int, int]) -> None:
    """Set the owner of an open folder and of what its former owner has in it, through no link.

    The folder itself comes last, so that what was interrupted is done again.
    """
    found = os.fstat(descriptor)
    if (found.st_uid, found.st_gid) == owner:
        return
    folder = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for _, folders, files, inside in os.fwalk(".", dir_fd=folder):
            for name in (*folders, *files):
                if os.lstat(name, dir_fd=inside).st_uid == found.st_uid:
                    os.chown(name, *owner, dir_fd=inside, follow_symlinks=False)
        os.fchown(folder, *owner)
    finally:
        os.close(folder)
