"""Symbolic links inside of a volume, read here: the operating system is never asked to follow one."""

import errno
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from portal.common.errors import NotFoundError
from portal.volumes.tree.folders import FOLDER, open_plain_file, opened_folder
from portal.volumes.tree.paths import DEPTH_MAX, Parts, is_reserved, refused_clearly

STEPS_MAX: Final = 256
"""Names that are looked at on the way of links to what they lead to."""


def resolve(top: Path, parts: Parts) -> Parts:
    """Return the path without links of what a path leads to; of what is there, nothing but folders is opened.

    It only says where to look. A caller that opens that follows nothing either, so that what is changed
    meanwhile leads nowhere else.

    Raises:
        NotFoundError: it leads out of the volume, to what is the platform's own, or in circles.
        OSError: a folder on the way is not there.
    """
    todo = [*reversed(parts)]
    with _Trail(top) as trail:
        for _ in range(STEPS_MAX):
            if not todo:
                return trail.found()
            name = todo.pop()
            if name == "..":
                trail.up()
            elif name not in ("", "."):
                todo += reversed(trail.down(name, is_last=not todo))
    raise NotFoundError("file")


def open_content(top: Path, parts: Parts) -> BinaryIO:
    """Open a plain file, or the one that a link leads to inside of the volume.

    Raises:
        NotFoundError: it is neither.
    """
    if not parts:
        raise NotFoundError("file")
    with refused_clearly("/".join(parts)):
        try:
            return _open(top, parts)
        except NotFoundError:  # it may be a link
            return _open(top, resolve(top, parts))


def _open(top: Path, parts: Parts) -> BinaryIO:
    if not parts:
        raise NotFoundError("file")
    with opened_folder(top, parts[:-1]) as folder:
        return open_plain_file(folder, parts[-1])


class _Trail:
    """The open folders from the top of a volume down to where a path has led so far."""

    def __init__(self, top: Path) -> None:
        self._folders = [os.open(top, FOLDER)]
        self._names: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for folder in self._folders:
            os.close(folder)

    def up(self) -> None:
        if not self._names:
            raise NotFoundError("file")
        self._names.pop()
        os.close(self._folders.pop())

    def down(self, name: str, *, is_last: bool) -> list[str]:
        """Take a step; return the names that a link stands for instead."""
        try:
            text = os.readlink(name, dir_fd=self._folders[-1])
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
        else:
            if text.startswith("/"):
                raise NotFoundError("file")  # in containers, the top of a volume lies elsewhere
            return text.split("/")
        if not is_last:
            if len(self._folders) > DEPTH_MAX:
                raise NotFoundError("file")
            self._folders.append(os.open(name, FOLDER, dir_fd=self._folders[-1]))
        self._names.append(name)
        return []

    def found(self) -> Parts:
        found = tuple(self._names)
        if is_reserved(found):
            raise NotFoundError("file")
        return found
