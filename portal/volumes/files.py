"""Where the files of volumes are, and the one way to them.

Layout: `storage_dir/volumes/<id>`, of the same `storage_dir` that the nodes mount, so that what the
portal writes is what work reads. Folders are named by ids, never by users or names. The portal reaches
the files of a volume unless they lie on one node (`Volume.Location.NODE`).
"""

import os
from pathlib import Path
from uuid import UUID

from portal.volumes.models import Volume
from portal.volumes.tree.paths import StorageUnavailableError, refused_clearly

VOLUMES_FOLDER = "volumes"
"""Below the storage: one folder for each volume."""


def volume_folder(storage_dir: Path, volume_id: UUID) -> Path:
    """Return the folder of a volume; it exists from its first use on.

    Work writes there, so nothing in it is trusted: every part of a path below it is opened relative to
    its parent folder, symbolic links are never followed, and only plain files and folders are served.
    Whether an actor may, is decided before: `volume_for_reader`, `volume_for_writer` in `selectors`.
    """
    return storage_dir / VOLUMES_FOLDER / str(volume_id)


def require_storage(storage_dir: Path, top: Path | None = None) -> None:
    """Tell a storage that is new from one that is not mounted, by the folder of one volume or of any.

    The folder below an unmounted storage is an empty one of another disk: files look as if they were
    gone, and what is written there is gone when the storage is back.

    Raises:
        StorageUnavailableError: it does not answer, or files of volumes were seen there and no folder of any is.
    """
    with refused_clearly(""):
        if (top is not None and top.is_dir()) or _has_entries(storage_dir / VOLUMES_FOLDER):
            return
    if Volume.objects.filter(location=Volume.Location.SHARED, used_mib__gt=0).exists():
        raise StorageUnavailableError("storage_unavailable")


def _has_entries(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except FileNotFoundError:
        return False
