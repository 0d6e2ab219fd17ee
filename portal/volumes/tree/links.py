"""Relative links that stay below a folder, followed step by step.

For folders whose readers may read all of them: a link can then show nothing that is not theirs.
"""

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.volumes.tree.folders import opened_folder
from portal.volumes.tree.listing import EntryKind, FileEntry, describe
from portal.volumes.tree.paths import Parts, parse_path, refused_clearly

LINKS_MAX: Final = 40
"""Links on the way to one file, as many as Linux follows."""
LEADS_NOWHERE: Final = (NotFoundError, ConflictError, InvalidError)
"""What following a link raises that is broken or leads out; a storage that fails raises something else."""


def follow_links(top: Path, parts: Parts) -> Parts:
    """Return the path without links of what a path leads to.

    It may be replaced meanwhile, so it is opened as every path is: without following a link.

    Raises:
        NotFoundError: nothing is there, or a link is absolute, leaves `top` or leads in a circle.
    """
    left, found, links = list(reversed(parts)), list[str](), 0
    with refused_clearly("/".join(parts)):
        while left:
            name = left.pop()
            if name == "..":
                if not found:
                    raise NotFoundError("file")
                found.pop()
                continue
            target = _target(top, (*found, name))
            if target is None:
                found.append(name)
                continue
            links += 1
            if links > LINKS_MAX or target.startswith("/"):
                raise NotFoundError("file")
            left.extend(each for each in reversed(target.split("/")) if each not in ("", "."))
    return parse_path("/".join(found))


def followed(top: Path, folder: Parts, entry: FileEntry) -> FileEntry:
    """Return an entry as the file or folder that it leads to; a link that leads nowhere stays one."""
    if entry.kind is not EntryKind.LINK:
        return entry
    try:
        target = describe(top, follow_links(top, (*folder, entry.name)))
    except LEADS_NOWHERE:
        return entry
    is_known = target.kind in (EntryKind.FILE, EntryKind.FOLDER)
    return replace(target, name=entry.name) if is_known else entry


def _target(top: Path, parts: Parts) -> str | None:
    """Return what a link says; None for anything else that is there."""
    with opened_folder(top, parts[:-1]) as folder:
        try:
            return os.readlink(parts[-1], dir_fd=folder)
        except OSError as error:
            if error.errno == errno.EINVAL:
                return None
            raise
