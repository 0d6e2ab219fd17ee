"""Paths inside a volume, and what the operating system's refusals mean to a user; pure."""

import errno
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, Final
from urllib.parse import quote

from portal.common.errors import ConflictError, DomainError, InvalidError, NotFoundError

NAME_MAX: Final = 255
"""Bytes of the name of a file, in UTF-8."""
PATH_MAX: Final = 4096
"""Bytes of a path inside a volume."""
DEPTH_MAX: Final = 64
"""Folders below each other that are reached and walked."""
INTERNAL: Final = ".berth"
"""Folder at the top of a volume with unfinished uploads and what is being removed."""
_ESCAPED_MAX: Final = 240
"""Characters of a name in percent-encoding: it must not become longer than a file system takes."""
_RAW_BYTE: Final = 0xF700
"""In texts, U+F780 to U+F7FF stand for the bytes 0x80 to 0xFF of a name that is no UTF-8."""
_RAW: Final = re.compile("[\udc80-\udcff\uf780-\uf7ff]")
_NO_NAMES: Final = frozenset({"", ".", ".."})
_TRASH: Final = re.compile(r"\.Trash-\d+")

Parts = tuple[str, ...]
"""The names of a path from the top of its volume on; empty for the top itself."""

_MISSING: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE, errno.ENXIO})
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_AWAY: Final = frozenset(
    {errno.EIO, errno.ENOTCONN, errno.ETIMEDOUT, errno.EHOSTDOWN, errno.EHOSTUNREACH, errno.ENODEV}
)
"""What network and FUSE file systems say when nobody answers any more, and disks that fail."""
_UNNAMEABLE: Final = frozenset({errno.ENAMETOOLONG, errno.EILSEQ})
_CONFLICTS: Final = {
    "file_exists": frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR}),
    "file_not_permitted": frozenset({errno.EACCES, errno.EPERM, errno.EROFS}),
    "folder_into_itself": frozenset({errno.EINVAL}),
}


class StorageFullError(DomainError):
    """The storage or the volume has no space for it."""

    status: ClassVar[int] = 507


class StorageUnavailableError(DomainError):
    """The storage does not answer, or is not mounted: its files are not gone."""

    status: ClassVar[int] = 503


def to_text(path: str) -> str:
    """Return the name or path of a file as text that JSON and addresses carry; `from_text` reads it.

    Names are bytes. Python has those that are no UTF-8 as lone surrogates, which no encoder takes; here they are
    characters of private use. A user who has such characters in a name has them by their bytes, so no two names
    get one text.
    """
    if _RAW.search(path) is None:
        return path
    return "".join(
        char if _RAW.match(char) is None else "".join(map(_to_raw, os.fsencode(char)))
        for char in path
    )


def from_text(text: str) -> str:
    """Return the name or path that a text of `to_text` stands for."""
    if _RAW.search(text) is None:
        return text
    data = b"".join(
        bytes([ord(char) - _RAW_BYTE]) if _RAW.match(char) else char.encode() for char in text
    )
    return os.fsdecode(data)


def parse_path(path: str) -> Parts:
    """Return the names of a path to something that is there, "" being the top.

    Raises:
        NotFoundError: no file can have that path, or it is the platform's own.
    """
    if not is_text(path):
        raise NotFoundError("file")
    raw = from_text(path)
    parts = tuple(raw.split("/")) if raw else ()
    if not _is_sane(raw, parts) or is_reserved(parts):
        raise NotFoundError("file")
    return parts


def parse_new_path(path: str, pointer: str = "/path") -> Parts:
    """Return the names of a path to something that is to be made.

    Raises:
        InvalidError: it is no path, too long or too deep, a name that is no UTF-8, or one that the platform
            keeps for itself.
    """
    raw = from_text(path) if is_text(path) else ""
    parts = tuple(raw.split("/"))
    if not (_is_sane(raw, parts) and is_text(parts[-1])) or _has_control_character(raw):
        raise InvalidError("file_name", pointer=pointer, max=NAME_MAX, depth=DEPTH_MAX)
    if is_reserved(parts):
        raise InvalidError("file_name_reserved", pointer=pointer, name=parts[0])
    return parts


def is_text(name: str) -> bool:
    """Return whether a name is UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_reserved(parts: Parts) -> bool:
    """Return whether a path is the platform's own."""
    return bool(parts) and (parts[0] == INTERNAL or is_trash(parts[0]))


def escape_names(names: Sequence[str]) -> dict[str, str]:
    """Return a text for each name of a folder that is none: its bytes in percent-encoding, unlike all others."""
    taken, escaped = set(names), {}
    for name in names:
        if not is_text(name):
            number, stem = 1, quote(os.fsencode(name), safe="")[:_ESCAPED_MAX]
            chosen = stem
            while chosen in taken:
                number += 1
                chosen = f"{stem} ({number})"
            taken.add(chosen)
            escaped[name] = chosen
    return escaped


def is_trash(name: str) -> bool:
    """Return whether a folder at the top of a volume is a trash of freedesktop.org's specification."""
    return _TRASH.fullmatch(name) is not None


@contextmanager
def refused_clearly(path: str) -> Iterator[None]:
    """Turn refusals of the operating system into those of the platform.

    Raises:
        NotFoundError: nothing is there, or a link, a device or a pipe.
        ConflictError: something is there already, or the portal's account may not.
        InvalidError: the file system does not take the name.
        StorageFullError: no space, or the quota of the file system is used up.
        StorageUnavailableError: the storage fails, or nothing answers behind it.
    """
    try:
        yield
    except OSError as error:
        raise explained(error, path) from error


def explained(error: DomainError | OSError, path: str) -> DomainError:
    """Return what a refusal means to a user; raises the error itself where it means nothing to them."""
    if isinstance(error, DomainError):
        return error
    number = error.errno
    if number in _MISSING:
        return NotFoundError("file")
    if number in _FULL:
        return StorageFullError("storage_full")
    if number in _AWAY:
        return StorageUnavailableError("storage_unavailable")
    if number in _UNNAMEABLE:
        return InvalidError("file_name", pointer="/path", max=NAME_MAX, depth=DEPTH_MAX)
    code = next((code for code, numbers in _CONFLICTS.items() if number in numbers), None)
    if code is None:
        raise error
    return ConflictError(code, path=path if is_text(path) else to_text(path))


def _is_sane(path: str, parts: Parts) -> bool:
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError:
        return False
    if size > PATH_MAX or len(parts) > DEPTH_MAX or "\0" in path:
        return False
    if not _NO_NAMES.isdisjoint(parts):
        return False
    return size <= NAME_MAX or all(len(os.fsencode(part)) <= NAME_MAX for part in parts)


def _to_raw(byte: int) -> str:
    return chr(_RAW_BYTE + byte)


def _has_control_character(name: str) -> bool:
    return not name.isprintable() and any(unicodedata.category(char) == "Cc" for char in name)
