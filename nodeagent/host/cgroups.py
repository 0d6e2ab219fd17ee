"""Finds the cgroup of a process."""

from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
V2_CONTROLLERS: Final = Path("/sys/fs/cgroup/cgroup.controllers")
"""Exists if cgroup v2 is mounted at the usual place."""
V1_CONTROLLER: Final = "memory"
"""The hierarchy of cgroup v1 in which every engine creates a group for each container."""


def find_cgroup(pid: int, proc: Path = PROC) -> str:
    """Return the leaf cgroup of a process below `/sys/fs/cgroup`; empty if it has none of its own."""
    try:
        text = (proc / str(pid) / "cgroup").read_text(encoding="utf-8")
    except OSError:
        return ""
    return parse_cgroup(text)


def parse_cgroup(text: str) -> str:
    """Return the path in `/proc/PID/cgroup`: that of v2, else of v1's memory controller.

    A path with `..` is relative to another root than the agent's and unusable here.
    """
    paths: dict[str, str] = {}
    for line in text.splitlines():
        _, controllers, path = (*line.split(":", 2), "", "", "")[:3]
        for name in controllers.split(","):
            paths[name] = path.strip("/")
    leaf = paths.get("", "")
    if not leaf and paths.get(V1_CONTROLLER):
        leaf = f"{V1_CONTROLLER}/{paths[V1_CONTROLLER]}"
    return "" if ".." in leaf.split("/") else leaf
