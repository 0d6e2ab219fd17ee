"""Folders of the storage that work sees besides its own: home, group volumes, outputs of earlier jobs.

They are below the storage of the node, named by ids. Each is opened without following links, because the
work that wrote there before is not trusted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from nodeagent.host.secure_paths import (
    ResolvedPath,
    UnsafePathError,
    make_folder_beneath,
    resolve_beneath,
)
from nodeagent.ports import StartError
from wire.messages import ContainerSpec
from wire.mounts import VolumeMount
from wire.words import ExitCause

HOME: Final = "/home/berth"
"""Where a container has the home of its owner."""
VOLUMES: Final = "/volumes"
INPUTS: Final = "/inputs"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StorageFolder:
    """A folder below the storage, and where a container has it."""

    below: str
    target: str
    is_read_only: bool
    is_volume: bool = True
    """Made if it is missing; what an earlier job has left is not."""
    limit_mib: int = 0

    @property
    def name(self) -> str:
        """The last part of where it is mounted."""
        return self.target.rpartition("/")[2]


def storage_folders(spec: ContainerSpec) -> tuple[StorageFolder, ...]:
    """Return what work mounts from the storage besides its own folder."""
    return tuple(_folders(spec))


def resolve_folder(
    storage_dir: Path, folder: StorageFolder, owner: tuple[int, int] | None
) -> ResolvedPath:
    """Return a folder on this node; `owner` becomes the owner of a volume. Raises `StartError`."""
    try:
        if folder.is_volume:
            return make_folder_beneath(storage_dir, folder.below, owner)
        return resolve_beneath(storage_dir, folder.below)
    except (UnsafePathError, OSError) as error:
        kind = "volume" if folder.is_volume else "input"
        log.warning("storage.missing", name=folder.name, below=folder.below, error=str(error))
        raise StartError(ExitCause.START_FAILED, f"{kind}_missing: {folder.name}") from error


def link_folders(storage_dir: Path, spec: ContainerSpec, root: Path) -> None:
    """Make links below `root` as a container has mounts, for work that runs without one.

    Only file permissions keep such work from writing where it may only read.
    """
    for folder in storage_folders(spec):
        link = root / folder.target.lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(resolve_folder(storage_dir, folder, None).path)


def _folders(spec: ContainerSpec) -> Iterator[StorageFolder]:
    if spec.home is not None:
        yield _volume(spec.home, HOME)
    for item in spec.volumes:
        yield _volume(item, f"{VOLUMES}/{item.name}")
    for made in spec.inputs:
        target = f"{INPUTS}/{made.name}"
        yield StorageFolder(f"outputs/{made.workload}", target, is_read_only=True, is_volume=False)


def _volume(item: VolumeMount, target: str) -> StorageFolder:
    return StorageFolder(
        f"volumes/{item.volume}", target, item.is_read_only, limit_mib=item.limit_mib
    )
