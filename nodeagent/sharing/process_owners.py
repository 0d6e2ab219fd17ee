"""Whose a process on a card is, by where it runs."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.host.cgroups import PROC, find_cgroup
from nodeagent.ports import ProcessScope

DEPTH_MAX: Final = 64
"""Of a chain of parents: ends a walk that the kernel changed under us."""


def find_owners(
    pids: Iterable[int], scopes: Mapping[ContainerKey, ProcessScope], proc: Path = PROC
) -> Mapping[int, ContainerKey]:
    """Return the container of each process that is in one of these: by cgroup, else by descent."""
    by_group = {item.cgroup: key for key, item in scopes.items() if item.cgroup}
    by_pid = {item.pid: key for key, item in scopes.items() if not item.cgroup}
    found: dict[int, ContainerKey] = {}
    for pid in pids:
        key = _by_group(find_cgroup(pid, proc), by_group) or _by_descent(pid, by_pid, proc)
        if key is not None:
            found[pid] = key
    return found


def _by_group(group: str, known: Mapping[str, ContainerKey]) -> ContainerKey | None:
    """Look at the group and those above: work may make groups of its own."""
    while group:
        if group in known:
            return known[group]
        group = group.rpartition("/")[0]
    return None


def _by_descent(pid: int, known: Mapping[int, ContainerKey], proc: Path) -> ContainerKey | None:
    for _ in range(DEPTH_MAX):
        if pid in known:
            return known[pid]
        if pid <= 1:
            return None
        pid = _parent(pid, proc)
    return None


def _parent(pid: int, proc: Path) -> int:
    """Return the parent of a process; 0 when it is gone."""
    try:
        text = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    # The name may hold anything, brackets too; what follows the last one is the kernel's.
    return int(text.rpartition(")")[2].split()[1])
