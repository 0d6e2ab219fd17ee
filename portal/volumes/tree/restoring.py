"""Files of a snapshot put back into their volume: copied out of sight, then given their name at once."""

import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

from portal.common.errors import ExhaustedError, InvalidError, NotFoundError
from portal.common.ids import new_id
from portal.volumes.tree.changes import free_name
from portal.volumes.tree.copying import copy_piece
from portal.volumes.tree.folders import (
    give_to,
    made_folder,
    open_plain_file,
    opened_folder,
    rename_to_new,
)
from portal.volumes.tree.listing import EntryKind, TreeWalk, describe
from portal.volumes.tree.paths import INTERNAL, Parts, refused_clearly
from portal.volumes.tree.removal import discard, open_internal
from portal.volumes.tree.staging import BATCHES

RESTORED_FILES_MAX: Final = 10_000
"""Files that are put back at once."""
RESTORE_WITHIN_S: Final = 15.0
"""How long that may take; what is more comes as a download."""
RESTORES_MAX: Final = 2
"""Restorations at a time in one web process: each holds one of its threads."""
_PIECE: Final = 64 * 1024 * 1024
_places: Final = BoundedSemaphore(RESTORES_MAX)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def restore_copy(
    source: Path, parts: Parts, top: Path, *, within_s: float = RESTORE_WITHIN_S
) -> Parts:
    """Copy a file, or a folder with the plain files below it, to where it was; return its path there.

    Nothing is replaced: where its name is taken, the copy gets one like it. A restoration that is killed
    leaves nothing to see; what it copied is removed with unfinished uploads.

    Raises:
        NotFoundError: nothing is there, or a link, a device or a pipe.
        InvalidError: it is more than can be copied at once.
        ExhaustedError: others are copied at this moment.
        StorageFullError: no space, or the quota of the file system is used up.
    """
    if not _places.acquire(blocking=False):
        raise ExhaustedError("too_many_restores", limit=RESTORES_MAX)
    try:
        return _restore_copy(source, parts, top, time.monotonic() + within_s)
    finally:
        _places.release()


def _restore_copy(source: Path, parts: Parts, top: Path, deadline: float) -> Parts:
    name = str(new_id())
    with refused_clearly("/".join(parts)), opened_folder(top) as root:
        hidden = open_internal(root, BATCHES)
        try:
            copier = _Copier(top, (INTERNAL, BATCHES), os.fstat(root), deadline)
            copier.copy(source, parts, name)
            with made_folder(top, parts[:-1]) as above:
                return (*parts[:-1], _place(hidden, name, above, parts[-1]))
        except BaseException:
            with suppress(OSError):
                discard(top, hidden, name)
            raise
        finally:
            os.close(hidden)


def _place(hidden: int, name: str, above: int, wanted: str) -> str:
    while True:
        chosen = free_name(above, wanted)
        with suppress(FileExistsError):
            rename_to_new(hidden, name, above, chosen)
            return chosen


class _Copier:
    """Copies into a folder of the platform in the volume; every step of a path is opened by itself."""

    def __init__(self, top: Path, hidden: Parts, owner: os.stat_result, deadline: float) -> None:
        self._top, self._hidden, self._owner, self._deadline = top, hidden, owner, deadline

    def copy(self, source: Path, parts: Parts, name: str) -> None:
        kind = describe(source, parts).kind
        if kind is EntryKind.FOLDER:
            self._copy_folder(source, parts, name)
        elif kind is EntryKind.FILE:
            with (
                opened_folder(source, parts[:-1]) as folder,
                made_folder(self._top, self._hidden) as into,
            ):
                self._copy_file(folder, parts[-1], into, name)
        else:
            raise NotFoundError("file")

    def _copy_folder(self, source: Path, parts: Parts, name: str) -> None:
        with (
            made_folder(self._top, (*self._hidden, name)),
            opened_folder(source, parts) as folder,
        ):
            walk = TreeWalk(os.dup(folder), is_top=False, takes_any_name=True)
            for number, (found, path, _) in enumerate(walk.entries(), start=1):
                if number > RESTORED_FILES_MAX:
                    raise _too_large()
                with made_folder(self._top, (*self._hidden, name, *path[:-1])) as into:
                    self._copy_file(found, path[-1], into, path[-1])

    def _copy_file(self, folder: int, name: str, into: int, new_name: str) -> None:
        with open_plain_file(folder, name) as read:
            facts = os.fstat(read.fileno())
            written = os.open(new_name, _NEW, 0o600, dir_fd=into)
            try:
                done = 0
                while left := facts.st_size - done:
                    if time.monotonic() > self._deadline:
                        raise _too_large()
                    done += copy_piece(read.fileno(), written, done, min(left, _PIECE))
                give_to(written, self._owner)
                os.fchmod(written, stat.S_IMODE(facts.st_mode) & 0o777)
                os.utime(written, ns=(facts.st_mtime_ns, facts.st_mtime_ns))
                os.fsync(written)
            finally:
                os.close(written)


def _too_large() -> InvalidError:
    return InvalidError("restore_too_large", pointer="/path", max=RESTORED_FILES_MAX)
