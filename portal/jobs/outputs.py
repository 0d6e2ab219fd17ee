"""Output files of a job, read without ever leaving its folder.

The job itself writes there, so nothing in it is trusted: every part of a path is opened relative to
its parent folder, symbolic links are never followed, and only plain files are served.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from portal.common.errors import NotFoundError
from portal.volumes.tree.folders import FOLDER, open_plain_file, opened_folder

FILES_MAX: Final = 1000
"""Files that a list of outputs names."""
DEPTH_MAX: Final = 16
"""Folders below each other that a list of outputs looks into."""
PATH_MAX: Final = 1024
"""Characters of the path of an output."""


@dataclass(frozen=True, slots=True)
class OutputFile:
    """One file, named by its path inside the folder."""

    path: str
    size: int
    modified_at: datetime


def list_outputs(folder: Path) -> list[OutputFile]:
    """Return the plain files of a folder, at most `FILES_MAX`, by path; none when it is missing."""
    try:
        handle = os.open(folder, FOLDER)
    except OSError:
        return []
    try:
        return sorted(_walk(handle), key=lambda file: file.path)
    finally:
        os.close(handle)


def open_output(folder: Path, path: str) -> tuple[BinaryIO, int]:
    """Open a plain file inside the folder, and return it with its size.

    Raises:
        NotFoundError: it is none: missing, a link, device or pipe, or a path that leaves the folder.
    """
    parts = path.split("/")
    is_sane = len(path) <= PATH_MAX and len(parts) <= DEPTH_MAX and "\x00" not in path
    if not is_sane or any(part in ("", ".", "..") for part in parts):
        raise NotFoundError("output")
    try:
        with opened_folder(folder, tuple(parts[:-1])) as below:
            file = open_plain_file(below, parts[-1])
    except (OSError, ValueError, NotFoundError) as error:
        raise NotFoundError("output") from error
    return file, os.fstat(file.fileno()).st_size


def _walk(root: int) -> Iterator[OutputFile]:
    found = 0
    for path, _, names, folder in os.fwalk(".", dir_fd=root, follow_symlinks=False):
        below = path.removeprefix(".").removeprefix("/")
        for name in names:
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
            shown = f"{below}/{name}" if below else name
            if not stat.S_ISREG(facts.st_mode) or not _is_text(shown):
                continue
            yield OutputFile(shown, facts.st_size, datetime.fromtimestamp(facts.st_mtime, UTC))
            found += 1
            if found == FILES_MAX:
                return


def _is_text(name: str) -> bool:
    """Return whether a name is valid text: file names may be any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
