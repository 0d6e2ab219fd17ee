"""Folders that cannot outgrow their limit, where their file system can see to that.

XFS and ext4 count by project: a folder is one project, whatever is made in it belongs to it, and
beyond the limit a write fails with "Disk quota exceeded". On any other file system, and without
root, nothing is set: then `nodeagent.host.workspace_monitor` measures, warns and stops, as it does anyway.
A project's number is written on its folder, so that nothing else must be remembered; a new folder
takes a number that holds nothing.
"""

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

from nodeagent.host.mount_table import MOUNTINFO, MountEntry, find_mount
from nodeagent.host.quota_calls import KIB, KernelQuotas, QuotaCalls

log = structlog.get_logger()

KINDS: Final = frozenset({"xfs", "ext4"})
OPTIONS: Final = frozenset({"prjquota", "pquota"})
"""Of a file system that refuses what goes beyond a project's limit."""
FIRST: Final = 0x4000_0000
"""Ours begin here, far above what administrators write into /etc/projid."""
LAST: Final = 0x7FFF_FFFF
TRIES: Final = 64
MIB: Final = 1024 * 1024
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ProjectQuotas:
    """Limits of folders by the quotas of their file systems."""

    def __init__(self, calls: QuotaCalls | None = None, table: Path = MOUNTINFO) -> None:
        self._calls = calls or KernelQuotas()
        self._table = table

    def can_limit(self, folder: Path) -> bool:
        """Tell whether the file system of a folder refuses what goes beyond a limit."""
        return self._system(folder) is not None

    def set_limit(self, folder: Path, limit_mib: int) -> bool:
        """Set what a folder may hold, 0 for no limit; tell whether that is in force, as read back.

        Nobody may be at work in the folder. Blocks: of an older folder every file joins its project.
        """
        system = self._system(folder)
        if system is None:
            return False
        try:
            with _opened(folder) as descriptor:
                project = self._calls.get_project(descriptor)
                if not FIRST <= project <= LAST:
                    project = self._free_project(system.source, folder.name)
                    self._join_all(folder, project)
                    self._calls.set_project(descriptor, project)
            self._calls.set_limit(system.source, project, limit_mib * KIB)
            return self._calls.get_usage(system.source, project).limit_kib == limit_mib * KIB
        except OSError as error:
            log.warning("quota.not_set", folder=str(folder), error=str(error))
            return False

    def used_mib(self, folder: Path) -> int | None:
        """Return what a folder with a limit holds; None where nobody counts."""
        system = self._system(folder)
        if system is None:
            return None
        try:
            with _opened(folder) as descriptor:
                project = self._calls.get_project(descriptor)
            if not FIRST <= project <= LAST:
                return None
            return -(-self._calls.get_usage(system.source, project).used_bytes // MIB)
        except OSError:
            return None

    def _system(self, folder: Path) -> MountEntry | None:
        try:
            found = find_mount(self._table.read_text(encoding="utf-8"), folder.resolve())
        except OSError:
            return None
        if found is None or found.kind not in KINDS or not OPTIONS & set(found.options):
            return None
        return found

    def _free_project(self, device: str, name: str) -> int:
        """Return a number that nothing belongs to; the same folder begins to look at the same one."""
        begin = zlib.crc32(name.encode())
        for step in range(TRIES):
            project = FIRST + (begin + step) % (LAST - FIRST + 1)
            if not self._calls.get_usage(device, project).inodes:
                return project
        raise OSError(0, "no free project number", device)

    def _join_all(self, folder: Path, project: int) -> None:
        """Take in what is there; the folder itself comes last, so that a broken off turn is repeated."""
        for _, folders, files, at in os.fwalk(folder, topdown=False, follow_symlinks=False):
            for name in (*folders, *files):
                try:
                    descriptor = os.open(name, _OPEN, dir_fd=at)
                except OSError:
                    continue  # a link or a socket: it holds nothing
                try:
                    self._calls.set_project(descriptor, project)
                finally:
                    os.close(descriptor)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, _OPEN | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
