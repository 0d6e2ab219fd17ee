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
from typing import Final

from typing_extensions import override

from portal.common.errors import InvalidError, NotFoundError
from portal.volumes.tree.folders import (
    is_nodev,
    open_on_nodev,
    open_plain_descriptor,
    opened_folder,
)
from portal.volumes.tree.links import LEADS_NOWHERE, follow_links
from portal.volumes.tree.listing import TreeWalk, has_more_files
from portal.volumes.tree.paths import Parts, refused_clearly
from portal.volumes.tree.tar_stream import sum_bytes

PIECE: Final = 256 * 1024
ARCHIVE_FILES_MAX: Final = 100_000
"""Files of one archive: its table of contents is kept in memory until the end."""
_LEFT_OUT: Final = frozenset(
    {errno.ENOENT, errno.ESTALE, errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EPERM}
)
"""Of a file that is gone, replaced or closed to this account since it was found."""
_SHORT: Final = 100
"""Bytes of a name that fits into the header of a tar file."""
_OCTAL: Final = 8**11
_NOBODY: Final = b"0000000\0" * 2
_REST: Final = b"0".ljust(101, b"\0") + tarfile.GNU_MAGIC + bytes(247)
"""What follows the checksum in the header of a plain file without an owner."""
_REST_SUM: Final = sum(_REST) + 8 * ord(" ")
OpenedFiles = Generator[tuple[Parts, int, os.stat_result]]
"""Files with their descriptors, each closed when the next one is asked for."""
_OLDEST: Final = 1980
_NEWEST: Final = 2107
"""Years that a zip file can name."""


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
    top: Path, parts: Parts, kind: ArchiveKind = ArchiveKind.ZIP, *, follows_links: bool = False
) -> Iterator[bytes]:
    """Return the pieces of an archive of all plain files below a folder.

    Links, devices and pipes are left out. With `follows_links`, relative links to files below `top`
    come last, as the files that they lead to.

    Raises:
        NotFoundError: it is no folder.
        InvalidError: it has more files than one archive takes.
    """
    if has_more_files(top, parts, ARCHIVE_FILES_MAX):
        raise InvalidError("archive_too_large", pointer="/path", max=ARCHIVE_FILES_MAX)
    with refused_clearly("/".join(parts)), opened_folder(top, parts) as folder:
        walk = TreeWalk(os.dup(folder), is_top=not parts)
    files = _with_linked(walk, top, parts) if follows_links else _opened(walk)
    return _write_tar(files) if kind is ArchiveKind.TAR else _write(files)


def _write(found: OpenedFiles) -> Iterator[bytes]:
    pieces = _Pieces()
    with closing(found) as files, zipfile.ZipFile(pieces, "w") as archive:
        for path, file, facts in files:
            left = facts.st_size
            with archive.open(_member(path, facts), "w", force_zip64=True) as member:
                while data := os.read(file, min(PIECE, left)):
                    left -= len(data)
                    member.write(data)
                    yield pieces.take()
    yield pieces.take()


def _write_tar(found: OpenedFiles) -> Iterator[bytes]:
    with closing(found) as files:
        for path, file, facts in files:
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


def _opened(walk: TreeWalk) -> OpenedFiles:
    """Yield each file with its descriptor, which is closed afterwards, and what it is by then."""
    seen: Parts | None = None
    opened_by: Callable[[int, str], tuple[int, os.stat_result]] = open_plain_descriptor
    with closing(walk.names()) as names:
        for number, (folder, path) in enumerate(names):
            if number == ARCHIVE_FILES_MAX:
                raise ArchiveTooLargeError
            if path[:-1] != seen:
                seen = path[:-1]
                opened_by = open_on_nodev if is_nodev(folder) else open_plain_descriptor
            try:
                file, facts = opened_by(folder, path[-1])
            except NotFoundError:
                continue
            except OSError as error:
                if error.errno in _LEFT_OUT:
                    continue
                raise  # an archive that lacks a file without a word would pass for whole
            try:
                yield path, file, facts
            finally:
                os.close(file)


def _with_linked(walk: TreeWalk, top: Path, parts: Parts) -> OpenedFiles:
    """Yield each file, and then the file of each link that leads to one below `top`.

    What a link to a folder leads to is in the archive at its own place, if it is below `parts`.
    """
    yield from _opened(walk)
    for path in walk.links:
        try:
            target = follow_links(top, (*parts, *path))
            with refused_clearly("/".join(target)), opened_folder(top, target[:-1]) as folder:
                file, facts = open_plain_descriptor(folder, target[-1] if target else ".")
        except LEADS_NOWHERE:
            continue
        try:
            yield path, file, facts
        finally:
            os.close(file)


def _tar_header(path: Parts, facts: os.stat_result) -> bytes:
    """Return the header of a plain file; `tarfile` is four times slower where nothing is special."""
    name, mode, moment = "/".join(path), facts.st_mode & 0o777, max(int(facts.st_mtime), 0)
    short = name.encode()
    if len(short) <= _SHORT and facts.st_size < _OCTAL and moment < _OCTAL:
        numbers = b"%07o\0%b%011o\0%011o\0" % (mode, _NOBODY, facts.st_size, moment)
        start = short.ljust(_SHORT, b"\0") + numbers
        return b"%b%06o\0 %b" % (start, sum_bytes(start) + _REST_SUM, _REST)
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = facts.st_size, mode, moment
    return member.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def _member(path: Parts, facts: os.stat_result) -> zipfile.ZipInfo:
    moment = time.localtime(facts.st_mtime)
    year = min(max(moment.tm_year, _OLDEST), _NEWEST)
    member = zipfile.ZipInfo("/".join(path), (year, *moment[1:6]))
    member.external_attr = (facts.st_mode & 0xFFFF) << 16
    return member
