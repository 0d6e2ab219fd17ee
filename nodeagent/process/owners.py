"""Finds the container of a process by /proc, for the process runtime."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import list_container_dirs
from nodeagent.host import procfs
from nodeagent.process.control import MARKER, find_shim_pid


class ProcessOwnerLookup:
    """The `OwnerLookup` port: by the shim above a process, or by the environment that it inherited."""

    def __init__(self, containers: Path) -> None:
        self._root = containers
        self._prefix = f"{MARKER}={containers}/".encode()

    async def find_owners(self, pids: frozenset[int]) -> Mapping[int, ContainerKey]:
        """Return the container of each process that belongs to one."""
        if not pids:
            return {}
        return await asyncio.to_thread(self._find_owners, pids)

    def _find_owners(self, pids: frozenset[int]) -> dict[int, ContainerKey]:
        shims = {
            number: directory.key
            for directory in list_container_dirs(self._root)
            if (number := find_shim_pid(directory)) is not None
        }
        return {pid: key for pid in pids if (key := self._find_owner(pid, shims)) is not None}

    def _find_owner(self, pid: int, shims: Mapping[int, ContainerKey]) -> ContainerKey | None:
        while pid > 1:
            if pid in shims:
                return shims[pid]
            for entry in procfs.read_environment(pid):
                if entry.startswith(self._prefix):
                    return _key(entry[len(self._prefix) :].decode("utf-8", "replace"))
            found = procfs.read_process(pid)
            if found is None:
                return None
            pid = found.parent
        return None


def _key(name: str) -> ContainerKey | None:
    allocation, _, epoch = name.rpartition(".")
    return ContainerKey(allocation, int(epoch)) if allocation and epoch.isdecimal() else None
