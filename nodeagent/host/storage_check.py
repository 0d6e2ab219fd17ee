"""Whether work finds its files: on another node again, and on the file system that was there at the start."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nodeagent.host.mount_table import MOUNTINFO, MountEntry, find_mount
from nodeagent.ports import InspectionFindings
from wire.facts import NodeFault

LOCAL: Final = NodeFault(code="storage_local", detail="storage_shared is false", is_blocking=False)
"""The portal keeps notebooks on the node that has their files while this is said."""
GONE: Final = "storage_gone"
AUTOFS: Final = "autofs"
"""Stands in for a file system that is mounted at the next look into it."""


@dataclass(frozen=True, slots=True)
class StorageLocation:
    """Where a folder lies. Not a device number: a network file system has another after each mount."""

    point: Path
    kind: str
    source: str

    @property
    def description(self) -> str:
        """Say it in few words."""
        return f"{self.point} ({self.kind}, {self.source})"


class StorageMount:
    """Remembers where the storage lies. Without its mount it is an empty folder of another disk."""

    def __init__(self, path: Path, table: Path = MOUNTINFO) -> None:
        """Look for the first time; only the kernel's table is read, which never hangs."""
        self._path = path.resolve()
        self._table = table
        self._original = self._locate()

    def describe_missing(self) -> str:
        """Return what keeps work from its files, in words; empty while they are where they were."""
        now = self._locate()
        if now is None or now == self._original or now.kind == AUTOFS:
            return ""
        if self._original is None or self._original.kind == AUTOFS:
            self._original = now
            return ""
        return f"{GONE}: {self._path} lies on {now.description} now, was on {self._original.description}"

    def _locate(self) -> StorageLocation | None:
        try:
            found: MountEntry | None = find_mount(
                self._table.read_text(encoding="utf-8"), self._path
            )
        except OSError:  # nothing is known, which says nothing about the storage
            return None
        return None if found is None else StorageLocation(found.point, found.kind, found.source)


class StorageInspection:
    """Says where the storage is this node's own, and when it is not there; the `Inspection` port."""

    def __init__(self, mount: StorageMount, *, is_shared: bool) -> None:
        self._mount = mount
        self._always = () if is_shared else (LOCAL,)

    async def inspect(self) -> InspectionFindings:
        """Return what the configuration says, and what the kernel does."""
        detail = self._mount.describe_missing()
        gone = (NodeFault(code=GONE, detail=detail.removeprefix(f"{GONE}: ")[:200]),)
        return InspectionFindings(faults=(*self._always, *(gone if detail else ())))
