"""Finds how much more memory a process may take: the limits of its cgroups, and what the host has."""

from pathlib import Path
from typing import Final, NamedTuple

from nodeagent.host.cgroups import PROC, V1_CONTROLLER, find_cgroup

CGROUPS: Final = Path("/sys/fs/cgroup")
MIB: Final = 1024 * 1024


class _Files(NamedTuple):
    """The files of a memory cgroup, and what `memory.stat` calls file pages that can be dropped."""

    limit: str
    used: str
    droppable: str


_V1: Final = _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2: Final = _Files("memory.max", "memory.current", "inactive_file")


def find_memory_room_mib(pid: int, proc: Path = PROC, cgroups: Path = CGROUPS) -> int:
    """Return how many MiB a process may take before it or its container is killed for it."""
    rooms = [_host_room(proc)]
    cgroup = find_cgroup(pid, proc)
    files = _V1 if cgroup.split("/", 1)[0] == V1_CONTROLLER else _V2
    while cgroup:
        room = _cgroup_room(cgroups / cgroup, files)
        rooms += [] if room is None else [room]
        cgroup = cgroup.rpartition("/")[0]
    return max(0, min(rooms)) // MIB


def _host_room(proc: Path) -> int:
    """Return the memory in bytes that the host can give without swapping."""
    for line in (proc / "meminfo").read_text(encoding="ascii").splitlines():
        name, _, amount = line.partition(":")
        if name == "MemAvailable":
            return int(amount.split()[0]) * 1024
    return 0


def _cgroup_room(folder: Path, files: _Files) -> int | None:
    """Return what a cgroup's limit leaves in bytes; None if it has no limit."""
    try:
        limit = (folder / files.limit).read_text(encoding="ascii").strip()
        used = int((folder / files.used).read_text(encoding="ascii"))
        stat = dict(
            line.split(maxsplit=1)
            for line in (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        )
    except (OSError, ValueError):
        return None
    if not limit.isdecimal():
        return None
    return int(limit) - used + int(stat.get(files.droppable, 0))
