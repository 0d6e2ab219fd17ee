"""Where the files of a batch lie until they get their places: folder by folder, out of sight.

What belongs into one folder is gathered in one folder of `.berth/batches/<id>`. Where that folder does
not exist yet, it is put in its place by a single rename, however many files it has.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

from portal.common.ids import new_id
from portal.volumes.tree.durability import syncs_at_once
from portal.volumes.tree.folders import FOLDER, give_to, make_folder, opened_folder
from portal.volumes.tree.paths import Parts
from portal.volumes.tree.removal import PRIVATE_MODE, open_internal

BATCHES: Final = "batches"
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class StagedFolder:
    """Files that belong into one folder, each of another name."""

    name: str
    """In the staging area."""
    parts: Parts
    """The folder that they belong into."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Of the files that have come whole, by name."""


class StagingArea:
    """The folder of one batch; one file is written at a time."""

    def __init__(self, top: Path) -> None:
        """Make it at the top of a volume; raises `OSError`."""
        self._top, self._id = top, str(new_id())
        self._names = map(str, count())
        self._all: list[StagedFolder] = []
        self._latest: dict[Parts, StagedFolder] = {}
        self._current: tuple[StagedFolder, int] | None = None
        """The folder that was written into last, and its descriptor."""
        with opened_folder(top) as root:
            self._owner = os.fstat(root)
            self.syncs_at_once = syncs_at_once(root)
            batches = open_internal(root, BATCHES)
            try:
                self.folder = make_folder(batches, self._id, self._owner, PRIVATE_MODE)
            finally:
                os.close(batches)

    def create(self, parts: Parts, mode: int) -> int:
        """Create a file and return its descriptor; `keep` or `drop` follows."""
        try:
            made = os.open(parts[-1], _CREATE, mode, dir_fd=self._open(parts[:-1]))
        except FileExistsError:
            # The archive has two of that name: the second one is placed after the first.
            self._begin(parts[:-1])
            made = os.open(parts[-1], _CREATE, mode, dir_fd=self._open(parts[:-1]))
        give_to(made, self._owner)
        return made

    def keep(self, parts: Parts, size: int) -> None:
        """Count the file that was created last as whole."""
        self._latest[parts[:-1]].sizes[parts[-1]] = size

    def drop(self, parts: Parts) -> None:
        """Remove the file that was created last."""
        with suppress(OSError):
            os.unlink(parts[-1], dir_fd=self._open(parts[:-1]))

    def take(self) -> list[StagedFolder]:
        """Return the folders with whole files, in the order in which they came; they are the caller's now."""
        self._close_current()
        taken, self._all, self._latest = self._all, [], {}
        for staged in taken:
            if not staged.sizes:
                self.discard(staged)
        return [staged for staged in taken if staged.sizes]

    @contextmanager
    def opened(self, staged: StagedFolder) -> Iterator[int]:
        """Provide a descriptor of a staged folder."""
        folder = os.open(staged.name, FOLDER, dir_fd=self.folder)
        try:
            yield folder
        finally:
            os.close(folder)

    def discard(self, staged: StagedFolder) -> None:
        """Remove a staged folder with what is left in it."""
        with suppress(OSError), self.opened(staged) as folder:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries]
            for name in names:
                os.unlink(name, dir_fd=folder)
        with suppress(OSError):
            os.rmdir(staged.name, dir_fd=self.folder)

    def close(self) -> None:
        """Remove what got no place; the hourly task removes what a killed process leaves."""
        for staged in self.take():
            self.discard(staged)
        os.close(self.folder)
        with suppress(OSError), opened_folder(self._top) as root:
            batches = open_internal(root, BATCHES)
            try:
                os.rmdir(self._id, dir_fd=batches)
            finally:
                os.close(batches)

    def _open(self, parts: Parts) -> int:
        """Return a descriptor of the latest staged folder of these parts, made if there is none."""
        staged = self._latest.get(parts) or self._begin(parts)
        if self._current is None or self._current[0] is not staged:
            self._close_current()
            self._current = staged, make_folder(self.folder, staged.name, self._owner)
        return self._current[1]

    def _begin(self, parts: Parts) -> StagedFolder:
        staged = self._latest[parts] = StagedFolder(next(self._names), parts)
        self._all.append(staged)
        return staged

    def _close_current(self) -> None:
        if self._current is not None:
            os.close(self._current[1])
        self._current = None
