"""How much room file systems have left; never waits long for one that hangs."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nodeagent.host.threads import run_in_shared_thread
from nodeagent.ports import InspectionFindings
from wire.facts import NodeFault

MIB: Final = 1024 * 1024
READ_TIMEOUT_S: Final = 3.0
"""A network file system whose server is gone never answers."""
SHARED_MEMORY: Final = Path("/dev") / "shm"
NOTHING_LEFT_MIB: Final = 1
"""With less than this a write fails sooner or later."""


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """One file system, as somebody who is not root sees it."""

    size_mib: int
    free_mib: int
    inodes: int
    """0 where the file system does not count them."""
    inodes_free: int

    @property
    def used_pct(self) -> int:
        """Return how full it is, in percent."""
        return 100 - 100 * self.free_mib // self.size_mib if self.size_mib else 0

    @property
    def is_full(self) -> bool:
        """Tell whether nothing more can be written."""
        has_inodes = self.inodes == 0 or self.inodes_free > 0
        return self.free_mib < NOTHING_LEFT_MIB or not has_inodes


@dataclass(frozen=True, slots=True)
class DiskLimits:
    """Below these a node takes no new work; what runs goes on."""

    pressure_mib: int = 2048
    """From here on `disk_pressure`, until there is `relief_mib`: one file more or less must not
    make it come and go."""
    relief_mib: int = 4096
    free_mib: int = 512
    """From here on `disk_full`."""
    inodes_free: int = 1024
    shm_free_mib: int = 1


class DiskSpaceInspection:
    """Says which of the node's file systems are full; the `Inspection` port."""

    def __init__(self, places: Mapping[str, Path], limits: DiskLimits) -> None:
        """Watch these paths, each under the word by which its fault names it."""
        self._places = dict(places)
        self._limits = limits
        self._pressed: set[str] = set()

    async def inspect(self) -> InspectionFindings:
        """Return a fault for each file system without room or answer, and the first one's size."""
        spaces_or_errors = await asyncio.gather(
            *(_try_read(path) for path in self._places.values())
        )
        spaces = [item for item in spaces_or_errors if isinstance(item, DiskSpace)]
        found = (self._fault(*item) for item in zip(self._places, spaces_or_errors, strict=True))
        return InspectionFindings(
            faults=tuple(fault for fault in found if fault is not None),
            disk_mib=spaces[0].size_mib if spaces else None,
            disk_free_mib=spaces[0].free_mib if spaces else None,
        )

    def _fault(self, name: str, space: DiskSpace | str) -> NodeFault | None:
        path = self._places[name]
        if isinstance(space, str):
            return NodeFault(code="disk_failed", detail=f"{name}: {path}: {space}")
        if code := self.find_shortage(name, space, is_memory=path == SHARED_MEMORY):
            detail = f"{name}: {space.free_mib} MiB left on {path}"
            return NodeFault(
                code=code, detail=detail, free_mib=space.free_mib, size_mib=space.size_mib
            )
        if space.inodes and space.inodes_free < min(self._limits.inodes_free, space.inodes // 10):
            detail = f"{name}: {space.inodes_free} inodes left on {path}"
            return NodeFault(code="inodes_full", detail=detail)
        return None

    def find_shortage(self, name: str, space: DiskSpace, *, is_memory: bool = False) -> str:
        """Return the code of what is short of room; empty when nothing is.

        The limits are for large disks: of a small one the last tenth counts, and the last fifth
        for its relief.
        """
        tenth, limits = space.size_mib // 10, self._limits
        if is_memory:
            return "shm_full" if space.free_mib < min(limits.shm_free_mib, max(1, tenth)) else ""
        least = limits.relief_mib if name in self._pressed else limits.pressure_mib
        part = 2 * tenth if name in self._pressed else tenth
        if space.free_mib < min(least, part):
            self._pressed.add(name)
        else:
            self._pressed.discard(name)
        if space.free_mib < min(limits.free_mib, max(1, tenth)):
            return "disk_full"
        return "disk_pressure" if name in self._pressed else ""


async def _try_read(path: Path) -> DiskSpace | str:
    """Return the room at a path, or why there is no answer."""
    try:
        return await read_disk_space(path)
    except TimeoutError:
        return "no answer"
    except OSError as error:
        return error.strerror or "unknown"


async def read_disk_space(path: Path) -> DiskSpace:
    """Look at the file system of a path; raises `OSError`, or `TimeoutError` when it hangs."""
    async with asyncio.timeout(READ_TIMEOUT_S):
        found = await run_in_shared_thread(lambda: os.statvfs(path), f"statvfs {path}")
    block = found.f_frsize
    return DiskSpace(
        size_mib=found.f_blocks * block // MIB,
        free_mib=found.f_bavail * block // MIB,
        inodes=found.f_files,
        inodes_free=found.f_favail,
    )


async def is_any_full(*paths: Path) -> bool:
    """Tell whether one of these has no room at all; what cannot be seen is not full."""
    for path in paths:
        try:
            if (await read_disk_space(path)).is_full:
                return True
        except OSError:  # `TimeoutError` is one
            continue
    return False


async def read_used_pct(path: Path) -> int:
    """Return how full a file system is; 0 where it cannot be seen."""
    try:
        return (await read_disk_space(path)).used_pct
    except OSError:
        return 0
