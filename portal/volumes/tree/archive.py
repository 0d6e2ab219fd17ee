"""A folder as one zip or tar file, written while it is read: nothing is stored in between.

Files are not compressed: models and images hardly shrink, and disks and networks are faster than deflate.
"""

import errno
import io
import os
import tarfile
import time
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from typing_extensions import override

from portal.common.errors import InvalidError, NotFoundError
from portal.volumes.tree.folders import (
    is_nodev,
    open_on_nodev,
    open_plain_descriptor,
    opened_folder,
)
from portal.volumes.tree.links import resolve
from portal.volumes.tree.listing import Chosen, EntryKind, TreeWalk, describe, has_more_files
from portal.volumes.tree.paths import Parts, refused_clearly
from portal.volumes.tree.tar_stream import sum_bytes
from portal.volumes.tree.times import to_epoch_s

PIECE: Final = 256 * 1024
ARCHIVE_FILES_MAX: Final = 100_000
"""Files of one archive: its table of contents is kept in memory until the end."""
_LEFT_OUT: Final = frozenset(
    {errno.ENOENT, errno.ESTALE, errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EPERM}
)
"""Of a file that is gone, replaced or closed to this account since it was found."""
_NO_LINK: Final = _LEFT_OUT | {errno.EINVAL, errno.ENOTDIR, errno.ENAMETOOLONG}
"""Of what is no link, or one that leads nowhere."""
_SHORT: Final = 100
"""Bytes of a name that fits into the header of a tar file."""
_OCTAL: Final = 8**11
_NOBODY: Final = b"0000000\0" * 2
_REST: Final = b"0".ljust(101, b"\0") + tarfile.GNU_MAGIC + bytes(247)
"""What follows the checksum in the header of a plain file without an owner."""
_REST_SUM: Final = sum(_REST) + 8 * ord(" ")
_OLDEST: Final = 1980
_NEWEST: Final = 2107
"""Years that a zip file can name."""


Opener = Callable[[int, str], tuple[int, os.stat_result]]
"""Opens a plain file of an open folder."""


class ArchiveKind(StrEnum):
    """What an archive is."""

    ZIP = "zip"
    """What every desktop opens."""
    TAR = "tar"
    """What a shell unpacks while it comes."""


class ArchiveTooLargeError(Exception):
    """The folder got more files than one archive takes; the download breaks off."""


class ArchivedFileError(Exception):
    """A file became shorter, or could not be read on, while it was sent; the download breaks off."""


class _Pieces(io.BytesIO):
    """Where an archive is written to: keeps its bytes until they are taken, and never goes back."""

    @override
    def tell(self) -> int:
        raise io.UnsupportedOperation("tell")

    def take(self) -> bytes:
        taken = self.getvalue()
        self.seek(0)
        self.truncate()
        return taken


def stream_archive(
    top: Path, parts: Parts, kind: ArchiveKind = ArchiveKind.ZIP, only: Chosen = None
) -> Iterator[bytes]:
    """Return the pieces of an archive of all plain files below a folder, or below some of its entries.

    A link is packed as the file that it leads to inside of the volume; in tar as a link, where what it leads to
    is packed as well. Other links, devices and pipes are left out. Names that are no UTF-8 are as they are in tar,
    and in zip percent-encoded.

    Raises:
        NotFoundError: it is no folder, or one of the entries is not there.
        InvalidError: it has more files than one archive takes.
    """
    for name in only or ():
        describe(top, (*parts, name))
    if has_more_files(top, parts, ARCHIVE_FILES_MAX, only):
        raise InvalidError("archive_too_large", pointer="/path", max=ARCHIVE_FILES_MAX)
    with refused_clearly("/".join(parts)), opened_folder(top, parts) as folder:
        walk = TreeWalk(
            os.dup(folder), is_top=not parts, takes_any_name=True, takes_links=True, only=only
        )
    packed = _Packed(top, parts, walk, keeps_links=kind is ArchiveKind.TAR)
    return _write_tar(packed) if kind is ArchiveKind.TAR else _write(packed)


def _write(packed: "_Packed") -> Iterator[bytes]:
    pieces = _Pieces()
    with closing(packed.members()) as files, zipfile.ZipFile(pieces, "w") as archive:
        for path, file, facts, _ in files:
            left = facts.st_size
            name = "/".join(packed.shown(path))
            with archive.open(_member(name, facts), "w", force_zip64=True) as member:
                while data := os.read(file, min(PIECE, left)):
                    left -= len(data)
                    member.write(data)
                    yield pieces.take()
    yield pieces.take()


def _write_tar(packed: "_Packed") -> Iterator[bytes]:
    with closing(packed.members()) as files:
        for path, file, facts, link in files:
            if link:
                yield _link_header(path, facts, link)
                continue
            # A small file is one piece: of thousands, each one costs.
            piece, left = _tar_header(path, facts), facts.st_size
            while left:
                data = os.read(file, min(PIECE, left))
                if not data:
                    raise ArchivedFileError  # its length has been sent already
                left -= len(data)
                if left:
                    yield piece + data
                    piece = b""
                else:
                    piece += data
            yield piece + bytes(-facts.st_size % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)


class _PackedFile(NamedTuple):
    """What becomes one member of an archive."""

    path: Parts
    file: int
    """Its descriptor; of a link none is open."""
    facts: os.stat_result
    link: str = ""
    """What a link says that is packed as one."""


class _Packed:
    """What is packed of a folder, file by file, each with its descriptor."""

    def __init__(self, top: Path, parts: Parts, walk: TreeWalk, *, keeps_links: bool) -> None:
        self._top, self._parts, self._walk = top, parts, walk
        self._keeps_links = keeps_links

    def shown(self, path: Parts) -> Parts:
        """Return a path in UTF-8."""
        escaped = self._walk.escaped
        if not escaped:
            return path
        return tuple(
            escaped.get(path[:depth], path[depth - 1]) for depth in range(1, len(path) + 1)
        )

    def members(self) -> Generator[_PackedFile]:
        """Yield each file; it is closed afterwards."""
        seen: Parts | None = None
        opened_by: Opener = open_plain_descriptor
        with closing(self._walk.names()) as names:
            for number, (folder, path) in enumerate(names):
                if number == ARCHIVE_FILES_MAX:
                    raise ArchiveTooLargeError
                if path[:-1] != seen:
                    seen = path[:-1]
                    opened_by = open_on_nodev if is_nodev(folder) else open_plain_descriptor
                if (found := self._opened(folder, path, opened_by)) is None:
                    continue
                try:
                    yield found
                finally:
                    if not found.link:
                        os.close(found.file)

    def _opened(self, folder: int, path: Parts, opened_by: Opener) -> _PackedFile | None:
        """Return a file, or what a link leads to; None for what is neither by now."""
        try:
            return _PackedFile(path, *opened_by(folder, path[-1]))
        except NotFoundError:
            return self._linked(folder, path)
        except OSError as error:
            if error.errno not in _LEFT_OUT:
                raise  # an archive that lacks a file without a word would pass for whole
            return self._linked(folder, path)

    def _linked(self, folder: int, path: Parts) -> _PackedFile | None:
        try:
            return self._follow(folder, path)
        except NotFoundError:
            return None
        except OSError as error:
            if error.errno not in _NO_LINK:
                raise
            return None

    def _follow(self, folder: int, path: Parts) -> _PackedFile:
        link = os.readlink(path[-1], dir_fd=folder)
        target = resolve(self._top, (*self._parts, *path))
        if self._keeps_links and self._has(target) and _stays_below(path, link):
            facts = os.stat(path[-1], dir_fd=folder, follow_symlinks=False)
            return _PackedFile(path, -1, facts, link)
        if not target:
            raise NotFoundError("file")
        with opened_folder(self._top, target[:-1]) as above:
            return _PackedFile(path, *open_plain_descriptor(above, target[-1]))

    def _has(self, target: Parts) -> bool:
        """Return whether something is packed as well."""
        kinds = (EntryKind.FILE, EntryKind.FOLDER)
        depth = len(self._parts)
        is_below = target[:depth] == self._parts
        is_packed = is_below and (len(target) == depth or self._walk.takes(target[depth]))
        return is_packed and describe(self._top, target).kind in kinds


def _tar_header(path: Parts, facts: os.stat_result) -> bytes:
    """Return the header of a plain file; `tarfile` is four times slower where nothing is special."""
    name, mode, moment = "/".join(path), facts.st_mode & 0o777, to_epoch_s(facts.st_mtime)
    short = os.fsencode(name)
    if len(short) <= _SHORT and facts.st_size < _OCTAL and moment < _OCTAL:
        numbers = b"%07o\0%b%011o\0%011o\0" % (mode, _NOBODY, facts.st_size, moment)
        start = short.ljust(_SHORT, b"\0") + numbers
        return b"%b%06o\0 %b" % (start, sum_bytes(start) + _REST_SUM, _REST)
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = facts.st_size, mode, moment
    return member.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def _link_header(path: Parts, facts: os.stat_result, link: str) -> bytes:
    member = tarfile.TarInfo("/".join(path))
    member.type, member.linkname, member.mode = tarfile.SYMTYPE, link, 0o777
    member.mtime = to_epoch_s(facts.st_mtime)
    return member.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def _stays_below(path: Parts, link: str) -> bool:
    """Return whether a link at a path below a folder names nothing above that folder."""
    depth = len(path) - 1
    for name in link.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(name, 1)
        if depth < 0:
            return False
    return not link.startswith("/")


def _member(name: str, facts: os.stat_result) -> zipfile.ZipInfo:
    moment = time.localtime(to_epoch_s(facts.st_mtime))
    year = min(max(moment.tm_year, _OLDEST), _NEWEST)
    member = zipfile.ZipInfo(name, (year, *moment[1:6]))
    member.external_attr = (facts.st_mode & 0xFFFF) << 16
    return member
