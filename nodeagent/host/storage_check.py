"""Checks the storage: whether it is shared between nodes, and whether it is still mounted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nodeagent.host.mount_table import MOUNTINFO, MountEntry, find_mount, find_mounts_below
from nodeagent.ports import InspectionFindings
from wire.facts import NodeFault

LOCAL: Final = NodeFault(code="storage_local", detail="storage_shared is false", is_blocking=False)
"""While a node reports this fault, the portal keeps notebooks on the node that has their files."""
GONE: Final = "storage_gone"
VOLUMES_FOLDER: Final = "volumes"
"""Below the storage: one folder for each volume."""
AUTOFS: Final = "autofs"
"""Placeholder for a file system that is mounted on first access."""


@dataclass(frozen=True, slots=True)
class StorageLocation:
    """Where a folder lies; not by device number, which changes with every mount of a network disk."""

    point: Path
    kind: str
    source: str

    @classmethod
    def of(cls, mount: MountEntry) -> "StorageLocation":
        """Return where a mounted file system lies."""
        return cls(mount.point, mount.kind, mount.source)

    @property
    def description(self) -> str:
        """Return a short description."""
        return f"{self.point} ({self.kind}, {self.source})"


class StorageMount:
    """Remembers the storage's mount, and those of its volumes. When one is gone, its folder is an empty one."""

    def __init__(self, path: Path, table: Path = MOUNTINFO) -> None:
        """Record the mounts; only the kernel's table is read, which never hangs."""
        self._path = path.resolve()
        self._table = table
        self._recorded: StorageLocation | None = None
        self._volumes: dict[Path, StorageLocation] = {}
        self.describe_missing()

    def describe_missing(self) -> str:
        """Return a description of the missing mount; empty while all are as recorded."""
        try:
            table = self._table.read_text(encoding="utf-8")
        except OSError:  # without the table, nothing is known about the storage
            return ""
        missing = self._missing_storage(table) or self._missing_volume(table)
        return missing and f"{GONE}: {missing}"

    def _missing_storage(self, table: str) -> str:
        found = find_mount(table, self._path)
        now = None if found is None else StorageLocation.of(found)
        if now is None or now == self._recorded or now.kind == AUTOFS:
            self._recorded = self._recorded or now
            return ""
        if self._recorded is None or self._recorded.kind == AUTOFS:
            self._recorded = now
            return ""
        return f"{self._path} lies on {now.description} now, was on {self._recorded.description}"

    def _missing_volume(self, table: str) -> str:
        """Volumes may be mounted by themselves, such as buckets: all of them, or some."""
        found = find_mounts_below(table, self._path / VOLUMES_FOLDER)
        now = {point: StorageLocation.of(mount) for point, mount in found.items()}
        for point, recorded in self._volumes.items():
            current = now.get(point)
            if current == recorded or (current is not None and current.kind == AUTOFS):
                continue
            is_now = "not mounted" if current is None else current.description
            return f"{point} is {is_now} now, was {recorded.description}"
        self._volumes.update((at, one) for at, one in now.items() if one.kind != AUTOFS)
        return ""


class StorageInspection:
    """Reports storage that is not shared, or not mounted; the `Inspection` port."""

    def __init__(self, mount: StorageMount, *, is_shared: bool) -> None:
        self._mount = mount
        self._configured = () if is_shared else (LOCAL,)

    async def inspect(self) -> InspectionFindings:
        """Return a fault if storage is configured as not shared, and one if its mount is missing."""
        detail = self._mount.describe_missing()
        gone = (NodeFault(code=GONE, detail=detail.removeprefix(f"{GONE}: ")[:200]),)
        return InspectionFindings(faults=(*self._configured, *(gone if detail else ())))
