"""Snapshots of the storage, as its file system shows them: read-only folders, one for each.

ZFS shows them in `.zfs/snapshot` at the top of a file system, CephFS in `.snap`, NetApp in `.snapshot`. The
operator names that folder, below the storage; each snapshot in it has the same `volumes/<id>`.
"""

import re
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.common.errors import NotFoundError
from portal.volumes.files import volume_folder
from portal.volumes.tree.paths import refused_clearly

SNAPSHOTS_MAX: Final = 1000
"""Snapshots that are listed, the last by name first."""
SNAPSHOT_NAME_MAX: Final = 255
"""Characters of the name of a snapshot."""
_NAME: Final = re.compile(r"(?!\.{1,2}$)[^/\0]{1,255}")


def list_snapshots(storage_dir: Path, folder: str) -> list[str]:
    """Return the names of the snapshots, the last by name first: most names have their date."""
    if not folder:
        return []
    with refused_clearly(""):
        try:
            found = [path.name for path in (storage_dir / folder).iterdir()]
        except FileNotFoundError:
            return []
    return sorted(filter(_NAME.fullmatch, found), reverse=True)[:SNAPSHOTS_MAX]


def snapshot_folder(storage_dir: Path, folder: str, name: str, volume_id: UUID) -> Path:
    """Return the folder of a volume in a snapshot; it is missing where the volume is younger.

    Raises:
        NotFoundError: there is no such snapshot.
    """
    top = storage_dir / folder / name
    if not folder or _NAME.fullmatch(name) is None or not top.is_dir():
        raise NotFoundError("snapshot")
    return volume_folder(top, volume_id)
