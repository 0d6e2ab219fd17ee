"""Where the files of volumes are, and the one way to them.

Layout: `storage_dir/volumes/<id>`, of the same `storage_dir` that the nodes mount, so that what the
portal writes is what work reads. Folders are named by ids, never by users or names. The portal reaches
the files of a volume unless they lie on one node (`Volume.Location.NODE`).
"""

from pathlib import Path
from uuid import UUID

VOLUMES_FOLDER = "volumes"
"""Below the storage: one folder for each volume."""


def volume_folder(storage_dir: Path, volume_id: UUID) -> Path:
    """Return the folder of a volume; it exists from its first use on.

    Work writes there, so nothing in it is trusted: every part of a path below it is opened relative to
    its parent folder, symbolic links are never followed, and only plain files and folders are served.
    Whether an actor may, is decided before: `volume_for_reader`, `volume_for_writer` in `selectors`.
    """
    return storage_dir / VOLUMES_FOLDER / str(volume_id)
