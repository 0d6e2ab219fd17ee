"""Sizes of the folders of volumes, measured without following links."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

MIB: Final = 1024 * 1024
BLOCK: Final = 512
"""Unit of `st_blocks` (POSIX `sys/stat.h`)."""


def measure_mib(folder: Path, should_continue: Callable[[], bool]) -> int | None:
    """Return the MiB below a folder; None if the walk was cut short. A missing folder has nothing.

    Hard links count once. Files that change during the walk may or may not count.
    """
    if not folder.is_dir():
        return 0
    total, seen = 0, set[tuple[int, int]]()
    for _, folders, names, handle in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *names):
            if not should_continue():
                return None
            with suppress(OSError):
                found = os.stat(name, dir_fd=handle, follow_symlinks=False)
                if found.st_nlink > 1 and (found.st_dev, found.st_ino) in seen:
                    continue
                if found.st_nlink > 1:
                    seen.add((found.st_dev, found.st_ino))
                total += found.st_blocks * BLOCK
    return -(-total // MIB)
