"""A folder copied to another one in turns: each continues where the one before it ended, or was killed.

How one file is copied is in `copied_files`.
"""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from portal.common.errors import DomainError, InvalidError, NotFoundError
from portal.volumes.tree.changes import ensure_top
from portal.volumes.tree.copied_files import (
    COPIED_FILES_MAX,
    CopiedAmount,
    CopiedFile,
    CopyFolders,
    CopyStoppedError,
    Report,
    SourceChangedError,
    SourceFacts,
)
from portal.volumes.tree.durability import sync_all, syncs_at_once
from portal.volumes.tree.folders import open_plain_file, opened_folder
from portal.volumes.tree.listing import TreeSize, TreeWalk
from portal.volumes.tree.paths import DEPTH_MAX, Parts, refused_clearly
from portal.volumes.tree.uploads import require_space

_PIECE: Final = 64 * 1024 * 1024
_READ: Final = 1024 * 1024
_NO_RANGES: Final = frozenset(
    {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EPERM}
)
"""What `copy_file_range` says where the file systems cannot copy by themselves."""


class TreeCopier:
    """Copies the plain files below one folder to a folder of the platform."""

    def __init__(self, top: Path, parts: Parts, target: Path) -> None:
        """Remember both; `target` is made by the first turn, and nobody else writes there."""
        self._top, self._parts, self._target = top, parts, target

    def measure(self) -> TreeSize:
        """Return how much there is to copy.

        Raises:
            NotFoundError: the source is no folder.
            InvalidError: there is nothing in it, too much, or something that cannot be read.
            StorageFullError: it would leave others on the file system too little space.
        """
        size = files = 0
        with self._walked(self._top, self._parts) as walk:
            for _, _, facts in walk.entries():
                size, files = size + facts.st_size, files + 1
                if files > COPIED_FILES_MAX:
                    raise InvalidError("copy_too_many_files", max=COPIED_FILES_MAX)
            _require_whole(walk)
        if not files:
            raise InvalidError("copy_of_nothing")
        ensure_top(self._target.parent)
        with refused_clearly(""), opened_folder(self._target.parent) as above:
            require_space(above, size)
        return TreeSize(size, files, is_whole=True)

    def copy(self, report: Report, *, within_s: float) -> CopiedAmount | None:
        """Copy until all is there, and return how much; None if time was over before.

        Raises:
            CopyStoppedError: `report` said so.
            DomainError: a file cannot be read or written.
        """
        until, done = time.monotonic() + within_s, CopiedAmount()
        ensure_top(self._target)
        with refused_clearly(""), opened_folder(self._target) as root:
            each_is_synced = not syncs_at_once(root)
            with self._walked(self._top, self._parts) as walk, CopyFolders(self._target) as folders:
                for folder, path, facts in walk.entries():
                    into = folders.open(path[:-1])
                    copied, is_whole = _copy_file(
                        folder, into, path[-1], facts, until, is_synced=each_is_synced
                    )
                    done.size, done.files = done.size + copied.size, done.files + is_whole
                    done.left_out = walk.left_out
                    if not report(done):
                        raise CopyStoppedError
                    if time.monotonic() >= until and copied.has_written:
                        return None
                _require_whole(walk)
            if not each_is_synced:
                sync_all(root)
        return done

    def require_same(self) -> None:
        """Compare times, sizes and number of all files; raises `SourceChangedError` if one differs."""
        seen = 0
        with self._walked(self._top, self._parts) as walk, CopyFolders(self._target) as folders:
            for _, path, facts in walk.entries():
                seen += 1
                if not CopiedFile(
                    folders.open(path[:-1]), path[-1], SourceFacts.of(facts)
                ).is_there():
                    raise SourceChangedError("copy_source_changed", path="/".join(path))
        with self._walked(self._target, ()) as copied:
            for number, (_, path, _) in enumerate(copied.entries(), start=1):
                if number > seen:
                    raise SourceChangedError("copy_source_changed", path="/".join(path))

    @contextmanager
    def _walked(self, top: Path, parts: Parts) -> Iterator[TreeWalk]:
        with refused_clearly("/".join(parts)), opened_folder(top, parts) as folder:
            # What is the platform's own at the top of a volume is left out of the source only.
            is_top = top == self._top and not parts
            yield TreeWalk(os.dup(folder), is_top=is_top)


def _copy_file(
    source: int, target: int, name: str, facts: os.stat_result, until: float, *, is_synced: bool
) -> tuple[CopiedFile, bool]:
    """Copy what is missing of a file; return it, and whether it is whole."""
    copied = CopiedFile(target, name, SourceFacts.of(facts))
    if copied.is_there():
        copied.size = facts.st_size
        return copied, True
    try:
        read = open_plain_file(source, name)
    except (FileNotFoundError, NotFoundError):
        return copied, False  # the comparison at the end tells
    with read:
        opened = read.fileno()
        copied = CopiedFile(target, name, SourceFacts.of(os.fstat(opened)))

        def piece(written: int, offset: int, size: int) -> int:
            return copy_piece(opened, written, offset, min(size, _PIECE))

        return copied, copied.run(piece, until, is_synced=is_synced)


def copy_piece(read: int, written: int, offset: int, size: int) -> int:
    """Copy some bytes at an offset, by the file system where it can; return how many."""
    try:
        return os.copy_file_range(read, written, size, offset, offset)
    except OSError as error:
        if error.errno not in _NO_RANGES:
            raise
    data = memoryview(os.pread(read, min(size, _READ), offset))
    done = 0
    while done < len(data):
        done += os.pwrite(written, data[done:], offset + done)
    return done


def _require_whole(walk: TreeWalk) -> None:
    if walk.was_too_deep:
        raise InvalidError("copy_too_deep", max=DEPTH_MAX)
    if walk.was_refused:
        raise DomainError("copy_not_readable")
