"""A folder as one zip file, written while it is read: nothing is stored in between.

Files are not compressed: models and images hardly shrink, and disks and networks are faster than deflate.
"""

import io
import os
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from typing_extensions import override

from portal.common.errors import DomainError, InvalidError
from portal.volumes.tree.folders import open_plain_file, opened_folder
from portal.volumes.tree.listing import TreeWalk, measure
from portal.volumes.tree.paths import Parts, refused_clearly

PIECE: Final = 256 * 1024
ARCHIVE_FILES_MAX: Final = 100_000
"""Files of one archive: its table of contents is kept in memory until the end."""
_OLDEST: Final = 1980
_NEWEST: Final = 2107
"""Years that a zip file can name."""


class ArchiveTooLargeError(Exception):
    """The folder got more files than one archive takes; the download breaks off."""


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


def stream_archive(top: Path, parts: Parts) -> Iterator[bytes]:
    """Return the pieces of a zip file of all plain files below a folder.

    Links, devices and pipes are left out.

    Raises:
        NotFoundError: it is no folder.
        InvalidError: it has more files than one archive takes.
    """
    if measure(top, parts).files > ARCHIVE_FILES_MAX:
        raise InvalidError("archive_too_large", pointer="/path", max=ARCHIVE_FILES_MAX)
    with refused_clearly("/".join(parts)), opened_folder(top, parts) as folder:
        walk = TreeWalk(os.dup(folder), is_top=not parts)
    return _write(walk)


def _write(walk: TreeWalk) -> Iterator[bytes]:
    pieces = _Pieces()
    entries = walk.entries()
    with closing(entries), zipfile.ZipFile(pieces, "w") as archive:
        for number, (folder, path, facts) in enumerate(entries):
            if number == ARCHIVE_FILES_MAX:
                raise ArchiveTooLargeError
            # Gone or replaced since it was found: left out, as if it had been before.
            with (
                suppress(OSError, DomainError),
                open_plain_file(folder, path[-1]) as file,
                archive.open(_member(path, facts), "w", force_zip64=True) as member,
            ):
                left = facts.st_size
                while data := file.read(min(PIECE, left)):
                    left -= len(data)
                    member.write(data)
                    yield pieces.take()
    yield pieces.take()


def _member(path: Parts, facts: os.stat_result) -> zipfile.ZipInfo:
    moment = time.localtime(facts.st_mtime)
    year = min(max(moment.tm_year, _OLDEST), _NEWEST)
    member = zipfile.ZipInfo("/".join(path), (year, *moment[1:6]))
    member.external_attr = (facts.st_mode & 0xFFFF) << 16
    return member
