"""Disk limits for folders by project quotas, where the file system supports them.

XFS and ext4 count usage by project: each folder is a project, everything created in it belongs to
it, and beyond the limit a write fails with "Disk quota exceeded". On other file systems, or without
root, no limit is set: then `nodeagent.host.workspace_monitor` measures, warns and stops, as it does
in any case. The project ID is stored on the folder, so that nothing else must be kept; a new folder
gets an ID that has no usage.
"""

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

from nodeagent.host.mount_table import MOUNTINFO, MountEntry, find_mount
from nodeagent.host.quotas.quota_calls import KIB, KernelQuotas, QuotaCalls

log = structlog.get_logger()

KINDS: Final = frozenset({"xfs", "ext4"})
OPTIONS: Final = frozenset({"prjquota", "pquota"})
"""Mount options under which project limits are enforced."""
PROJECT_FIRST: Final = 0x4000_0000
"""Our project IDs start here, far above those that administrators put in /etc/projid."""
PROJECT_LAST: Final = 0x7FFF_FFFF
TRIES: Final = 64
MIB: Final = 1024 * 1024
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ProjectQuotas:
    """Sets the disk limits of folders by project quotas."""

    def __init__(self, calls: QuotaCalls | None = None, table: Path = MOUNTINFO) -> None:
        self._calls = calls or KernelQuotas()
        self._table = table

    def can_limit(self, folder: Path) -> bool:
        """Return whether the folder's file system enforces project limits."""
        return self._find_file_system(folder) is not None

    def set_limit(self, folder: Path, limit_mib: int) -> bool:
        """Set a folder's limit (0: none); return whether it is in force, as read back.

        The folder must not be in use. Blocking: all files of an older folder are assigned to its
        project.
        """
        system = self._find_file_system(folder)
        if system is None:
            return False
        try:
            with _opened(folder) as descriptor:
                project = self._calls.get_project(descriptor)
                if not PROJECT_FIRST <= project <= PROJECT_LAST:
                    project = self._find_unused_project(system.source, folder.name)
                    self._assign_contents(folder, project)
                    self._calls.set_project(descriptor, project)
            self._calls.set_limit(system.source, project, limit_mib * KIB)
            return self._calls.get_usage(system.source, project).limit_kib == limit_mib * KIB
        except OSError as error:
            log.warning("quota.not_set", folder=str(folder), error=str(error))
            return False

    def used_mib(self, folder: Path) -> int | None:
        """Return the usage of a folder with a limit; None if it is not counted."""
        system = self._find_file_system(folder)
        if system is None:
            return None
        try:
            with _opened(folder) as descriptor:
                project = self._calls.get_project(descriptor)
            if not PROJECT_FIRST <= project <= PROJECT_LAST:
                return None
            return -(-self._calls.get_usage(system.source, project).used_bytes // MIB)
        except OSError:
            return None

    def _find_file_system(self, folder: Path) -> MountEntry | None:
        try:
            found = find_mount(self._table.read_text(encoding="utf-8"), folder.resolve())
        except OSError:
            return None
        if found is None or found.kind not in KINDS or not OPTIONS & set(found.options):
            return None
        return found

    def _find_unused_project(self, device: str, name: str) -> int:
        """Return an unused project ID; the search starts at the same ID for the same folder."""
        begin = zlib.crc32(name.encode())
        for step in range(TRIES):
            project = PROJECT_FIRST + (begin + step) % (PROJECT_LAST - PROJECT_FIRST + 1)
            if not self._calls.get_usage(device, project).inodes:
                return project
        raise OSError(0, "no free project number", device)

    def _assign_contents(self, folder: Path, project: int) -> None:
        """Assign the contents; the caller assigns the folder last, so that a broken run is repeated."""
        for _, folders, files, at in os.fwalk(folder, topdown=False, follow_symlinks=False):
            for name in (*folders, *files):
                try:
                    descriptor = os.open(name, _OPEN, dir_fd=at)
                except OSError:
                    continue  # a link or a socket, which has no blocks
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
