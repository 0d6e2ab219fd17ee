"""Reads the free space of file systems, with a timeout for those that hang."""

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
"""A network file system without its server never answers."""
SHARED_MEMORY: Final = Path("/dev") / "shm"
NOTHING_LEFT_MIB: Final = 1
"""With less free space than this, writes will fail soon."""


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """Size and free space of a file system, as available to unprivileged users."""

    size_mib: int
    free_mib: int
    inodes: int
    """0 if the file system does not count inodes."""
    inodes_free: int

    @property
    def used_pct(self) -> int:
        """Return the used part in percent."""
        return 100 - 100 * self.free_mib // self.size_mib if self.size_mib else 0

    @property
    def is_full(self) -> bool:
        """Return whether nothing more can be written."""
        has_inodes = self.inodes == 0 or self.inodes_free > 0
        return self.free_mib < NOTHING_LEFT_MIB or not has_inodes


@dataclass(frozen=True, slots=True)
class DiskLimits:
    """Free space below which a node takes no new work; running work continues."""

    pressure_mib: int = 2048
    """`disk_pressure` begins below this, and ends only above `relief_mib`, so that a small change
    does not make it come and go."""
    relief_mib: int = 4096
    free_mib: int = 512
    """`disk_full` begins below this."""
    inodes_free: int = 1024
    shm_free_mib: int = 1


class DiskSpaceInspection:
    """Reports the node's file systems that are short of space; the `Inspection` port."""

    def __init__(self, paths: Mapping[str, Path], limits: DiskLimits) -> None:
        """Check these paths, each under the name that its fault uses."""
        self._paths = dict(paths)
        self._limits = limits
        self._under_pressure: set[str] = set()

    async def inspect(self) -> InspectionFindings:
        """Return a fault per file system that is full or silent, and the size of the first one."""
        spaces_or_errors = await asyncio.gather(*(_try_read(path) for path in self._paths.values()))
        spaces = [item for item in spaces_or_errors if isinstance(item, DiskSpace)]
        found = (self._fault(*item) for item in zip(self._paths, spaces_or_errors, strict=True))
        return InspectionFindings(
            faults=tuple(fault for fault in found if fault is not None),
            disk_mib=spaces[0].size_mib if spaces else None,
            disk_free_mib=spaces[0].free_mib if spaces else None,
        )

    def _fault(self, name: str, space: DiskSpace | str) -> NodeFault | None:
        path = self._paths[name]
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
        """Return the code of the shortage on a file system; empty if there is none.

        The limits are for large disks: on a small one the last tenth counts as pressure, and the
        last fifth as its relief.
        """
        tenth, limits = space.size_mib // 10, self._limits
        if is_memory:
            return "shm_full" if space.free_mib < min(limits.shm_free_mib, max(1, tenth)) else ""
        least = limits.relief_mib if name in self._under_pressure else limits.pressure_mib
        part = 2 * tenth if name in self._under_pressure else tenth
        if space.free_mib < min(least, part):
            self._under_pressure.add(name)
        else:
            self._under_pressure.discard(name)
        if space.free_mib < min(limits.free_mib, max(1, tenth)):
            return "disk_full"
        return "disk_pressure" if name in self._under_pressure else ""


async def _try_read(path: Path) -> DiskSpace | str:
    """Return the disk space at a path, or the reason why it is unknown."""
    try:
        return await read_disk_space(path)
    except TimeoutError:
        return "no answer"
    except OSError as error:
        return error.strerror or "unknown"


async def read_disk_space(path: Path) -> DiskSpace:
    """Read the file system of a path; raises `OSError`, or `TimeoutError` if it hangs."""
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
    """Return whether one of these is completely full; unreadable ones do not count."""
    for path in paths:
        try:
            if (await read_disk_space(path)).is_full:
                return True
        except OSError:  # includes `TimeoutError`
            continue
    return False


async def read_used_pct(path: Path) -> int:
    """Return how full a file system is in percent; 0 if it cannot be read."""
    try:
        return (await read_disk_space(path)).used_pct
    except OSError:
        return 0
