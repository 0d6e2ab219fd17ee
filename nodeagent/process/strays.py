"""Ends work of this node that no agent supervises any more: it belongs to another state directory.

The directory may have been copied, or restored from an older copy, while its work continued. The portal
hears nothing of that work and places it again, so the agent that has the node's identity now ends it.
"""

import select
import signal
from pathlib import Path
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.host import procfs
from nodeagent.process.control import MARKER, TRIES, WAIT_S, is_alive

NODE_MARKER: Final = "BERTH_NODE_ID"
"""Name of the environment variable that names the node to all processes of its containers."""


def end_strays(root: Path, node_id: str) -> int:
    """Kill what runs for this node outside of the containers below `root`; return how much there was.

    Only for the one agent that may run now (`nodeagent.host.host_lock`).
    """
    count = 0
    for _ in range(TRIES):
        found = _find_strays(root, node_id)
        count = max(count, len(found))
        if not found:
            break
        procfs.signal_processes(found, signal.SIGKILL)
        select.select([], [], [], WAIT_S)
    return count


def _find_strays(root: Path, node_id: str) -> list[procfs.Process]:
    alive: dict[ContainerKey | None, bool] = {}
    found = []
    for process in procfs.find_by_environment(f"{NODE_MARKER}={node_id}"):
        key = _container_of(process.pid)
        if key not in alive:
            alive[key] = key is not None and is_alive(ContainerDir(root, key))
        if not alive[key]:
            found.append(process)
    return found


def _container_of(pid: int) -> ContainerKey | None:
    prefix = f"{MARKER}=".encode()
    for entry in procfs.read_environment(pid):
        if entry.startswith(prefix):
            name = Path(entry[len(prefix) :].decode(errors="replace")).name
            allocation, _, epoch = name.rpartition(".")
            return ContainerKey(allocation, int(epoch)) if epoch.isdecimal() else None
    return None
