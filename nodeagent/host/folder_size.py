"""Measures the disk usage of a folder, without following links or leaving its file system."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

MIB: Final = 1024 * 1024
BLOCK: Final = 512
"""Unit of `st_blocks`, independent of the file system's block size (POSIX `sys/stat.h`)."""


def measure_folder_mib(folder: Path, should_continue: Callable[[], bool]) -> int | None:
    """Return the MiB below a folder; None if it does not exist or the walk was cut short.

    Hard links count once. Files that change during the walk may or may not count.
    """
    try:
        device = folder.stat(follow_symlinks=False).st_dev
    except OSError:
        return None
    total, seen, frontier = 0, set[int](), [str(folder)]
    while frontier:
        for found, is_folder, path in _entries(frontier.pop()):
            if not should_continue():
                return None
            if found.st_dev != device or (found.st_nlink > 1 and found.st_ino in seen):
                continue
            if is_folder:
                frontier.append(path)
            elif found.st_nlink > 1:
                seen.add(found.st_ino)
            total += found.st_blocks * BLOCK
    return -(-total // MIB)


def _entries(folder: str) -> Iterator[tuple[os.stat_result, bool, str]]:
    """Yield a folder's entries one by one: there may be millions."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                yield (
                    entry.stat(follow_symlinks=False),
                    entry.is_dir(follow_symlinks=False),
                    entry.path,
                )
