"""How much a folder holds on its disk, without following links or leaving its file system."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

MIB: Final = 1024 * 1024
BLOCK: Final = 512
"""`st_blocks` counts in these, whatever the file system's own are (POSIX `sys/stat.h`)."""


def measure_folder_mib(folder: Path, may_go_on: Callable[[], bool]) -> int | None:
    """Return the MiB below a folder; None when it is not there or may not be looked through to the end.

    A file with several names counts once. What comes and goes meanwhile may count or not.
    """
    try:
        device = folder.stat(follow_symlinks=False).st_dev
    except OSError:
        return None
    total, seen, frontier = 0, set[int](), [str(folder)]
    while frontier:
        for found, is_folder, path in _entries(frontier.pop()):
            if not may_go_on():
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
    """Yield what is in a folder, one by one: there may be millions."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                yield (
                    entry.stat(follow_symlinks=False),
                    entry.is_dir(follow_symlinks=False),
                    entry.path,
                )
