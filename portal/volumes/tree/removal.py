"""Removal of whole trees in steps: it can stop at any moment, and continue later.

What is to be removed is first renamed into `.berth/discarded`. Folders in it are emptied one by one, and
the folders in them are renamed to its top: so neither depth nor size of a tree needs memory,
descriptors or one long turn.
"""

import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog

from portal.common.ids import new_id
from portal.volumes.tree.folders import FOLDER, make_folder, opened_folder, rename_to_new
from portal.volumes.tree.paths import INTERNAL

DISCARDED: Final = "discarded"
PRIVATE_MODE: Final = 0o700

logger = structlog.get_logger(__name__)


def open_internal(root: int, name: str) -> int:
    """Open a folder of the platform at the top of a volume, made if it is missing."""
    owner = os.fstat(root)
    internal = make_folder(root, INTERNAL, owner, PRIVATE_MODE)
    try:
        return make_folder(internal, name, owner, PRIVATE_MODE)
    finally:
        os.close(internal)


def discard(top: Path, folder: int, name: str) -> None:
    """Take an entry of an open folder out of sight; `remove_discarded` removes it."""
    with opened_folder(top) as root:
        discarded = open_internal(root, DISCARDED)
    try:
        rename_to_new(folder, name, discarded, str(new_id()))
    finally:
        os.close(discarded)


def remove_discarded(top: Path, *, within_s: float) -> bool:
    """Remove what was discarded; return False if time was over before all was gone."""
    deadline = time.monotonic() + within_s
    try:
        with opened_folder(top, (INTERNAL, DISCARDED)) as folder:
            while names := _names(folder):
                for name in names:
                    if not _remove_entry(folder, name, deadline):
                        return False
    except FileNotFoundError:
        return True
    except OSError as error:
        logger.warning("volumes.not_removed", folder=str(top), error=str(error))
        return False
    return True


def _remove_entry(discarded: int, name: str, deadline: float) -> bool:
    if not _is_folder(discarded, name):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=discarded)
        return time.monotonic() < deadline
    folder = os.open(name, FOLDER, dir_fd=discarded)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if time.monotonic() > deadline:
                    return False
                if entry.is_dir(follow_symlinks=False):
                    rename_to_new(folder, entry.name, discarded, str(new_id()))
                else:
                    os.unlink(entry.name, dir_fd=folder)
    finally:
        os.close(folder)
    # A file system may skip entries while others are removed; the next turn finds them.
    with suppress(OSError):
        os.rmdir(name, dir_fd=discarded)
    return True


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _is_folder(folder: int, name: str) -> bool:
    with suppress(FileNotFoundError):
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    return False
