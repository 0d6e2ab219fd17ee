"""Finds the container of a process on a card, by cgroup or by descent."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.host.cgroups import PROC, find_cgroup
from nodeagent.ports import ProcessScope

DEPTH_MAX: Final = 64
"""Maximum length of a chain of parents; ends the walk if the process tree changes meanwhile."""


def find_owners(
    pids: Iterable[int], scopes: Mapping[ContainerKey, ProcessScope], proc: Path = PROC
) -> Mapping[int, ContainerKey]:
    """Return the container of each process that is in one of these: by cgroup, else by descent."""
    by_cgroup = {item.cgroup: key for key, item in scopes.items() if item.cgroup}
    by_pid = {item.pid: key for key, item in scopes.items() if not item.cgroup}
    found: dict[int, ContainerKey] = {}
    for pid in pids:
        key = _find_by_cgroup(find_cgroup(pid, proc), by_cgroup) or _find_by_descent(
            pid, by_pid, proc
        )
        if key is not None:
            found[pid] = key
    return found


def _find_by_cgroup(cgroup: str, containers: Mapping[str, ContainerKey]) -> ContainerKey | None:
    """Look the cgroup and its parents up: work may create cgroups of its own."""
    while cgroup:
        if cgroup in containers:
            return containers[cgroup]
        cgroup = cgroup.rpartition("/")[0]
    return None


def _find_by_descent(
    pid: int, containers: Mapping[int, ContainerKey], proc: Path
) -> ContainerKey | None:
    for _ in range(DEPTH_MAX):
        if pid in containers:
            return containers[pid]
        if pid <= 1:
            return None
        pid = _parent(pid, proc)
    return None


def _parent(pid: int, proc: Path) -> int:
    """Return the parent of a process; 0 if it has ended."""
    try:
        text = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    # The name may contain anything, brackets too; what follows the last one is the kernel's.
    return int(text.rpartition(")")[2].split()[1])
