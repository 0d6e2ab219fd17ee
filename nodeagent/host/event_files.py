"""Finds and opens TensorBoard's event files in a folder that a container writes meanwhile.

Nothing in it is trusted: every name is opened relative to the folder before it and never through a link,
what is no regular file is not opened at all, and a folder with any number of entries costs the same.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

NAME_PART: Final = "tfevents"
"""TensorBoard reads every file whose name holds it."""
ENTRIES_MAX: Final = 2_000
"""Entries that one poll goes through, over all folders."""
DEPTH_MAX: Final = 6
"""Folders below each other that are looked into."""
FILES_MAX: Final = 64
"""Event files that are followed: the first by name."""

_OPEN: Final = os.O_CLOEXEC | os.O_NOFOLLOW
_LOOK: Final = _OPEN | os.O_PATH
_FOLDER: Final = _OPEN | os.O_RDONLY | os.O_DIRECTORY


def find_event_files(root: Path) -> list[str]:
    """Return the paths of event files below a folder, by name; none if the folder is not there."""
    found: list[str] = []
    left = ENTRIES_MAX
    frontier = [""]
    while frontier and left > 0 and len(found) < FILES_MAX:
        below = frontier.pop(0)
        files, folders, seen = _look_into(root, below, left)
        left -= seen
        found += files
        if below.count("/") < DEPTH_MAX - 1:
            frontier += folders
    return sorted(found)[:FILES_MAX]


def _look_into(root: Path, below: str, entries_max: int) -> tuple[list[str], list[str], int]:
    """Return event files and folders of one folder by path, sorted, and how many entries were seen."""
    files, folders, seen = list[str](), list[str](), 0
    with suppress(OSError), _opened_folder(root, below) as folder, os.scandir(folder) as entries:
        for entry in entries:
            if seen >= entries_max:
                break
            seen += 1
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
            elif NAME_PART in entry.name and entry.is_file(follow_symlinks=False):
                files.append(path)
    return sorted(files), sorted(folders), seen


@contextmanager
def opened_event_file(root: Path, path: str) -> Iterator[int]:
    """Open a regular file below a folder for reading; raises `OSError`.

    It is looked at before it is opened: opening a FIFO would wait, and opening a device may act.
    """
    folder, _, name = path.rpartition("/")
    with _opened_folder(root, folder) as parent:
        seen = os.open(name, _LOOK, dir_fd=parent)
    try:
        if not stat.S_ISREG(os.fstat(seen).st_mode):
            raise FileNotFoundError(path)
        file = os.open(f"/proc/self/fd/{seen}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    finally:
        os.close(seen)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def _opened_folder(root: Path, below: str) -> Iterator[int]:
    """Open a folder step by step, each name relative to the folder before it."""
    current = os.open(root, _FOLDER)
    try:
        for name in below.split("/") if below else ():
            child = os.open(name, _FOLDER, dir_fd=current)
            os.close(current)
            current = child
        yield current
    finally:
        os.close(current)
