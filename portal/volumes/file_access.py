"""The files of one volume for one actor: rights and place are checked before anything is opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.common.actor import Actor
from portal.common.errors import ConflictError, NotFoundError
from portal.common.site_config import get_site_config
from portal.volumes import snapshots
from portal.volumes.files import require_storage, volume_folder
from portal.volumes.models import Volume
from portal.volumes.selectors import volume_for_reader, volume_for_writer
from portal.volumes.services import mark_changed, place_on_shared_storage
from portal.volumes.tree import changes, listing, removal, restoring, subfolders, trash
from portal.volumes.tree.paths import StorageFullError, parse_new_path, parse_path, to_text

REMOVE_WITHIN_S: Final = 5.0
"""How long a request removes files permanently; the hourly task continues."""
_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class OpenedVolume:
    """A volume whose files this process reaches, and its folder."""

    volume: Volume
    top: Path


def open_to_read(
    actor: Actor, volume_id: UUID, storage_dir: Path, *, snapshot: str = ""
) -> OpenedVolume:
    """Return a volume whose files the actor may read, or what it was in a snapshot.

    Raises:
        NotFoundError: the actor may not see it, or there is no such snapshot.
        DeniedError: the actor may not read its files.
        ConflictError: they lie on one node, which the portal does not reach.
        StorageUnavailableError: the storage is not mounted.
    """
    volume = volume_for_reader(actor, volume_id)
    _require_reachable(volume, storage_dir)
    if not snapshot:
        return OpenedVolume(volume, volume_folder(storage_dir, volume.pk))
    folder = get_site_config().snapshots_dir
    top = snapshots.snapshot_folder(storage_dir, folder, snapshot, volume.pk)
    return OpenedVolume(volume, top)


def open_to_write(actor: Actor, volume_id: UUID, storage_dir: Path) -> OpenedVolume:
    """Return a volume whose files the actor may change; its folder is made at its first use.

    Raises as `open_to_read`.
    """
    volume = volume_for_writer(actor, volume_id)
    _require_reachable(volume, storage_dir)
    if volume.location == Volume.Location.UNUSED:
        volume = place_on_shared_storage(volume)
        _require_reachable(volume, storage_dir)  # a node may have been first
    mark_changed(volume.pk)
    opened = OpenedVolume(volume, volume_folder(storage_dir, volume.pk))
    changes.ensure_top(opened.top)
    return opened


def require_capacity(
    volume: Volume, size: int = 0, *, used_mib: int | None = None, grown: int = 0
) -> None:
    """Refuse what would make a volume larger than its quota.

    `used_mib` is what was measured last, and `grown` the bytes that have come since.
    """
    quota = volume.quota_mib * _MIB
    used = ((volume.used_mib or 0) if used_mib is None else used_mib) * _MIB + grown
    if not quota or used + max(size, 1) <= quota:
        return
    name, quota_mib = volume.name, volume.quota_mib
    if size > quota:
        size_mib = -(-size // _MIB)
        raise StorageFullError(
            "volume_too_small", name=name, quota_mib=quota_mib, size_mib=size_mib
        )
    raise StorageFullError("volume_full", name=name, quota_mib=quota_mib, used_mib=used // _MIB)


def list_files(
    opened: OpenedVolume,
    path: str,
    *,
    sort: listing.SortKey,
    is_descending: bool,
    offset: int,
    limit: int,
) -> listing.FolderPage:
    """Return a part of a folder; the top of a volume that was never used is empty."""
    parts = parse_path(path)
    try:
        return listing.list_folder(
            opened.top,
            parts,
            sort=sort,
            is_descending=is_descending,
            offset=offset,
            limit=limit,
        )
    except NotFoundError:
        if parts or opened.top.exists():
            raise
        return listing.FolderPage([], 0, is_cut=False)


def list_subfolders(opened: OpenedVolume, path: str, *, along: bool) -> list[subfolders.Subfolders]:
    """Return the folders in a folder; `along`: in each folder from the top to it."""
    parts = parse_path(path)
    try:
        if along:
            return subfolders.list_along(opened.top, parts)
        return [subfolders.list_subfolders(opened.top, parts)]
    except NotFoundError:
        if (parts and not along) or opened.top.exists():
            raise
        return [subfolders.Subfolders("", [])]


def measure_files(opened: OpenedVolume, path: str) -> listing.TreeSize:
    """Return how much a folder and all below it hold."""
    return listing.measure(opened.top, parse_path(path))


def create_folder(opened: OpenedVolume, path: str) -> None:
    """Make a folder, with those above it."""
    require_capacity(opened.volume)
    changes.create_folder(opened.top, parse_new_path(path))


def move_file(opened: OpenedVolume, source: str, target: str) -> None:
    """Rename or move a file or folder."""
    changes.move(opened.top, parse_path(source), parse_new_path(target, "/to"))


def list_trash(opened: OpenedVolume) -> list[trash.TrashEntry]:
    """Return what is in the trash of a volume; a volume that was never used has none."""
    return trash.list_trash(opened.top) if opened.top.exists() else []


def restore_files(opened: OpenedVolume, trash_ids: Sequence[str]) -> list[str]:
    """Move files back to where they were; return their paths."""
    return [trash.restore(opened.top, trash_id) for trash_id in trash_ids]


def list_snapshots(opened: OpenedVolume, storage_dir: Path) -> list[str]:
    """Return the snapshots in which a volume may be looked at."""
    if opened.volume.location != Volume.Location.SHARED:
        return []
    return snapshots.list_snapshots(storage_dir, get_site_config().snapshots_dir)


def restore_from_snapshot(opened: OpenedVolume, old: OpenedVolume, path: str) -> str:
    """Put a file or folder of a snapshot back, beside what has its name by now; return its path."""
    parts = parse_path(path)
    if not parts:
        raise NotFoundError("file")
    found = listing.describe(old.top, parts)
    is_folder = found.kind is listing.EntryKind.FOLDER
    size = listing.measure(old.top, parts).size if is_folder else found.size
    require_capacity(opened.volume, size)
    return to_text("/".join(restoring.restore_copy(old.top, parts, opened.top)))


def remove_files(opened: OpenedVolume, trash_ids: Sequence[str]) -> None:
    """Remove entries of the trash permanently; without ids, all of them."""
    for trash_id in trash_ids or [entry.id for entry in trash.list_trash(opened.top)]:
        trash.remove_for_good(opened.top, trash_id)
    removal.remove_discarded(opened.top, within_s=REMOVE_WITHIN_S)


def _require_reachable(volume: Volume, storage_dir: Path) -> None:
    if volume.location == Volume.Location.NODE:
        node = volume.node.name if volume.node else "–"
        raise ConflictError("volume_on_node", name=volume.name, node=node)
    require_storage(storage_dir, volume_folder(storage_dir, volume.pk))
