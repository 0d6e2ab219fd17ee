"""Locates data sets: in the operator's folder, the cache, or the shared storage; no link is followed."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import structlog

from nodeagent.datasets.cache import DatasetCache
from nodeagent.host.secure_paths import ResolvedPath, UnsafePathError, resolve_beneath
from nodeagent.ports import InspectionFindings, StartError
from wire.facts import DATASET_FOLDERS_MAX
from wire.mounts import DatasetMount
from wire.values import TEXT_MAX
from wire.words import ExitCause

LINKS: Final = "data"
"""In the directory of a container without an engine: a link to each of its data sets."""
ENTRIES_MAX: Final = 1000
"""Entries of one folder of data sets that are looked at for folders in it."""

log = structlog.get_logger(__name__)


class DatasetsInspection:
    """Reports which folders of data sets this node has; the `Inspection` port."""

    def __init__(self, datasets_dir: Path | None) -> None:
        """Look into this folder; None is a node without data sets."""
        self._datasets_dir = datasets_dir

    async def inspect(self) -> InspectionFindings:
        """Return the folders, and those in them if there is room; too many folders are not known."""
        folders = await asyncio.to_thread(self._list_folders)
        return InspectionFindings(
            dataset_folders=folders if len(folders) <= DATASET_FOLDERS_MAX else None
        )

    def _list_folders(self) -> tuple[str, ...]:
        if self._datasets_dir is None or not self._datasets_dir.is_dir():
            return ()
        found = (entry.name for entry in self._datasets_dir.iterdir() if entry.is_dir())
        first = sorted(name for name in found if len(name) <= TEXT_MAX)
        if len(first) > DATASET_FOLDERS_MAX:
            return tuple(first)
        below = [path for name in first for path in _list_below(self._datasets_dir / name, name)]
        has_room = len(first) + len(below) <= DATASET_FOLDERS_MAX
        return tuple(sorted([*first, *below])) if has_room else tuple(first)


def _list_below(folder: Path, name: str) -> list[str]:
    """Return `<name>/<folder>` for each folder in one; none if it is a link, or has too much in it."""
    if folder.is_symlink():
        return []
    try:
        with os.scandir(folder) as entries:
            looked_at = list(islice(entries, ENTRIES_MAX + 1))
    except OSError:
        return []
    found = [f"{name}/{it.name}" for it in looked_at if it.is_dir(follow_symlinks=False)]
    is_whole = len(looked_at) <= ENTRIES_MAX and all(len(path) <= TEXT_MAX for path in found)
    return found if is_whole else []


@dataclass(frozen=True, slots=True)
class DatasetPlaces:
    """Where a node has data sets."""

    datasets_dir: Path | None
    """Those that its operator has put there."""
    storage_dir: Path
    """Those that the portal has published."""
    cache: DatasetCache | None = None
    """Copies of these on the node's own disk."""

    def of(self, item: DatasetMount) -> Path | None:
        """Return the folder below which one is."""
        return self.storage_dir if item.is_published else self.datasets_dir


def resolve_dataset(places: DatasetPlaces, item: DatasetMount, directory: Path) -> ResolvedPath:
    """Return the path of a data set for the container of a directory.

    Raises:
        StartError: it is not on this node.
    """
    if places.cache is not None and (copy := places.cache.resolve(item, directory)):
        return copy
    top = places.of(item)
    if top is None:
        log.warning("dataset.missing", name=item.name, error="datasets_dir is not set")
        raise StartError(ExitCause.START_FAILED, f"dataset_missing: {item.name}")
    try:
        return resolve_beneath(top, item.path)
    except (UnsafePathError, OSError) as error:
        log.warning("dataset.missing", name=item.name, path=item.path, error=str(error))
        raise StartError(ExitCause.START_FAILED, f"dataset_missing: {item.name}") from error


def link_datasets(places: DatasetPlaces, items: Sequence[DatasetMount], directory: Path) -> Path:
    """Create a folder in the directory of a container, with a link to each data set, for work that runs without a container.

    Only file permissions keep such work from writing to them.
    """
    folder = directory / LINKS
    if items:
        folder.mkdir(exist_ok=True)
    for item in items:
        link = folder / item.name
        link.unlink(missing_ok=True)
        link.symlink_to(resolve_dataset(places, item, directory).path)
    return folder
