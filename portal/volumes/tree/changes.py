"""Changes of what is in a volume: new folders, renames."""

import os
from pathlib import Path

from portal.common.errors import ConflictError, InvalidError
from portal.volumes.tree.folders import (
    FOLDER_MODE,
    exists,
    give_to,
    made_folder,
    opened_folder,
    rename_to_new,
)
from portal.volumes.tree.paths import Parts, is_text, refused_clearly, to_text


def ensure_top(top: Path) -> None:
    """Make the folder of a volume if this is its first use."""
    with refused_clearly(""):
        top.mkdir(parents=True, exist_ok=True)


def create_folder(top: Path, parts: Parts) -> None:
    """Make a folder, and those above it where they are missing; raises `ConflictError` if it is there."""
    with refused_clearly("/".join(parts)), made_folder(top, parts[:-1]) as above:
        os.mkdir(parts[-1], FOLDER_MODE, dir_fd=above)
        with opened_folder(top, parts) as made:
            give_to(made, os.fstat(above))


def move(top: Path, source: Parts, target: Parts) -> None:
    """Rename or move a file or folder, a link as such; replaces nothing.

    Raises:
        ConflictError: something is at the target, or it is inside of what is moved.
        InvalidError: the top of the volume cannot be moved.
    """
    if not source:
        raise InvalidError("file_name", pointer="/path", max=0, depth=0)
    if target[: len(source)] == source:
        raise ConflictError("folder_into_itself", path=to_text("/".join(source)))
    with (
        refused_clearly("/".join(target)),
        opened_folder(top, source[:-1]) as old,
        opened_folder(top, target[:-1]) as new,
    ):
        rename_to_new(old, source[-1], new, target[-1])


def replace(top: Path, source: Parts, target: Parts) -> None:
    """Rename at once to a name that something else has, which is gone then."""
    with (
        refused_clearly("/".join(target)),
        opened_folder(top, source[:-1]) as old,
        opened_folder(top, target[:-1]) as new,
    ):
        os.rename(source[-1], target[-1], src_dir_fd=old, dst_dir_fd=new)


def free_name(folder: int, name: str) -> str:
    """Return the name, or one like it that is free: `model (2).pt`."""
    stem, dot, suffix = name.rpartition(".")
    if not stem:
        stem, dot, suffix = name, "", ""
    number, chosen = 1, name
    while exists(folder, chosen):
        number += 1
        end = f" ({number}){dot}{suffix}"
        room = max(255 - len(os.fsencode(end)), 1)
        # A character that is cut is left out, unless there are only bytes.
        short = os.fsencode(stem)[:room]
        chosen = f"{short.decode(errors='ignore' if is_text(stem) else 'surrogateescape')}{end}"
    return chosen
