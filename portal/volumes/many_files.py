"""Changes of many files in one request: each path has an answer of its own, and none stops the others.

A request that is sent again changes nothing more: what went is not found a second time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.errors import DomainError, InvalidError, NotFoundError
from portal.volumes.file_access import OpenedVolume
from portal.volumes.models import Volume
from portal.volumes.tree import changes, listing, trash
from portal.volumes.tree.paths import Parts, is_reserved, parse_path

PATHS_MAX: Final = 500
"""Files and folders that one request moves, or puts into the trash, or takes out of it."""
PATHS_NAMED_MAX: Final = 10
"""Paths that the audit log names; of the others it has the number."""


@dataclass(frozen=True, slots=True)
class FileFate:
    """What became of one path of a request."""

    path: str
    result: str | None = None
    """By which it comes back out of the trash, or where it is now; None if it was refused."""
    refusal: DomainError | None = None


def trash_files(actor: Actor, opened: OpenedVolume, paths: Sequence[str]) -> list[FileFate]:
    """Move files and folders into the trash of their volume."""
    top = opened.top
    fates = _each(paths, lambda path: trash.put_into_trash(top, parse_path(path), actor.name))
    _record(actor, "file.trash", opened.volume, fates)
    return fates


def move_files(
    actor: Actor, opened: OpenedVolume, paths: Sequence[str], folder: str
) -> list[FileFate]:
    """Move files and folders into another folder of their volume; nothing is replaced.

    Raises:
        NotFoundError: there is no such folder.
    """
    if listing.describe(opened.top, parse_path(folder)).kind is not listing.EntryKind.FOLDER:
        raise NotFoundError("file")
    fates = _each(paths, lambda path: _move_into(opened, folder, path))
    _record(actor, "file.move", opened.volume, fates, folder=folder)
    return fates


def _move_into(opened: OpenedVolume, folder: str, path: str) -> str:
    name = path.rpartition("/")[2]
    to = f"{folder}/{name}" if folder else name
    source, target = parse_path(path), _new_place(to)
    if source == target:
        listing.describe(opened.top, source)
    else:
        changes.move(opened.top, source, target)
    return to


def _new_place(path: str) -> Parts:
    """Return the names of a path that gets what has its name already; that one is not judged again."""
    if is_reserved((path,)):
        raise InvalidError("file_name_reserved", pointer="/folder", name=path)
    return parse_path(path)


def _each(paths: Sequence[str], change: Callable[[str], str]) -> list[FileFate]:
    fates = []
    for path in dict.fromkeys(paths):
        try:
            fates.append(FileFate(path, change(path)))
        except DomainError as error:
            fates.append(FileFate(path, refusal=error))
    return fates


def _record(
    actor: Actor, action: str, volume: Volume, fates: Sequence[FileFate], **more: str
) -> None:
    """Write one entry for all; the names in a home are nobody else's business."""
    done = [fate.path for fate in fates if fate.refusal is None]
    if not done:
        return
    params: Mapping[str, object] = {"name": volume.name, "files": len(done)}
    if volume.group_id is not None:
        params = {**params, **more, "path": done[:PATHS_NAMED_MAX]}
    audit.record_event(
        actor=actor,
        action=action,
        object_type="file",
        object_id=volume.pk,
        group_id=volume.group_id,
        params=params,
    )
