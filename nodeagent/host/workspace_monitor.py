"""Monitors the folders of running work: their size, and whether they exceed their limit.

A file system quota refuses the write itself (`nodeagent.host.quotas.project_quotas`), but few hosts have
one, and work may move its own files out of its project. So the agent measures once a minute in any
case, warns, and stops what is still too large at the next check.
"""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir, list_container_dirs
from nodeagent.host.folder_size import measure_folder_mib
from nodeagent.host.quotas.project_quotas import ProjectQuotas
from nodeagent.host.threads import run_in_shared_thread
from nodeagent.ports import ContainerSupervisor
from wire.words import ExitCause

log = structlog.get_logger()

CHECK_INTERVAL_S: Final = 60.0
FOLDER_S: Final = 20.0
"""Time per folder; one with too many files to count in this time has no known size."""


class WorkspaceMonitor:
    """Measures one folder after the other, so that the disk never serves more than one walk."""

    def __init__(
        self,
        containers: Path,
        interval_s: float = CHECK_INTERVAL_S,
        quotas: ProjectQuotas | None = None,
    ) -> None:
        self._containers = containers
        self._quotas = quotas or ProjectQuotas()
        self._interval_s = interval_s
        self._sizes: Mapping[ContainerKey, int] = {}
        self._warned: set[ContainerKey] = set()

    def folder_sizes(self) -> Mapping[ContainerKey, int]:
        """Return the newest known size of each container's folder, in MiB."""
        return self._sizes

    async def run(self, supervisor: ContainerSupervisor) -> None:
        """Check the folders periodically until cancelled."""
        while True:
            await self.check(supervisor)
            await asyncio.sleep(self._interval_s)

    async def check(self, supervisor: ContainerSupervisor) -> None:
        """Measure all folders; warn when one is too large for the first time, stop it the second time."""
        sizes: dict[ContainerKey, int] = {}
        by_folder: dict[Path, int | None] = {}
        for directory in await asyncio.to_thread(list_container_dirs, self._containers):
            work = directory.read_work_folder()
            if work is None or directory.read_status().end is not None:
                continue
            if work.folder not in by_folder:
                by_folder[work.folder] = await self._measure(work.folder)
            size = by_folder[work.folder]
            if size is not None:
                sizes[directory.key] = size
                await self._enforce(supervisor, directory, size, work.limit_mib)
        self._sizes = sizes
        self._warned &= set(sizes)

    async def _enforce(
        self, supervisor: ContainerSupervisor, directory: ContainerDir, size: int, limit: int
    ) -> None:
        key = directory.key
        if not limit or size <= limit:
            self._warned.discard(key)
            return
        detail = f"{size} MiB of at most {limit} MiB"
        log.warning("workspace.too_large", allocation=key.allocation, detail=detail)
        if key in self._warned:
            await supervisor.stop_for(key, ExitCause.DISK_FULL, detail)
        else:
            self._warned.add(key)
            await supervisor.warn_for(key, ExitCause.DISK_FULL, detail)

    async def _measure(self, folder: Path) -> int | None:
        """Count the files; if there are too many, use the file system's quota instead."""
        until = time.monotonic() + FOLDER_S

        def measure() -> int | None:
            counted = measure_folder_mib(folder, lambda: time.monotonic() < until)
            return self._quotas.used_mib(folder) if counted is None else counted

        try:
            async with asyncio.timeout(FOLDER_S * 2):
                return await run_in_shared_thread(measure, f"size of {folder}")
        except TimeoutError:  # a network file system whose server is gone
            return None
