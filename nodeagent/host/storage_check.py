"""Checks the storage: whether it is shared between nodes, and whether it is still mounted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nodeagent.host.mount_table import MOUNTINFO, MountEntry, find_mount
from nodeagent.ports import InspectionFindings
from wire.facts import NodeFault

LOCAL: Final = NodeFault(code="storage_local", detail="storage_shared is false", is_blocking=False)
"""While a node reports this fault, the portal keeps notebooks on the node that has their files."""
GONE: Final = "storage_gone"
AUTOFS: Final = "autofs"
"""Placeholder for a file system that is mounted on first access."""


@dataclass(frozen=True, slots=True)
class StorageLocation:
    """Where a folder lies; not by device number, which changes with every mount of a network disk."""

    point: Path
    kind: str
    source: str

    @property
    def description(self) -> str:
        """Return a short description."""
        return f"{self.point} ({self.kind}, {self.source})"


class StorageMount:
    """Remembers the storage's mount. When it is gone, the folder is an empty one of another disk."""

    def __init__(self, path: Path, table: Path = MOUNTINFO) -> None:
        """Record the mount; only the kernel's table is read, which never hangs."""
        self._path = path.resolve()
        self._table = table
        self._recorded = self._locate()

    def describe_missing(self) -> str:
        """Return a description of the missing mount; empty while it is as recorded."""
        now = self._locate()
        if now is None or now == self._recorded or now.kind == AUTOFS:
            return ""
        if self._recorded is None or self._recorded.kind == AUTOFS:
            self._recorded = now
            return ""
        return f"{GONE}: {self._path} lies on {now.description} now, was on {self._recorded.description}"

    def _locate(self) -> StorageLocation | None:
        try:
            found: MountEntry | None = find_mount(
                self._table.read_text(encoding="utf-8"), self._path
            )
        except OSError:  # without the table, nothing is known about the storage
            return None
        return None if found is None else StorageLocation(found.point, found.kind, found.source)


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
