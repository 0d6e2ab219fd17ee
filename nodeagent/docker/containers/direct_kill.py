"""Signals containers without the engine, while it does not answer: through their first process.

A lease that ends while the engine hangs must end the work as well. The process is recorded when a
container starts, and only where the agent shares the host's PID namespace: its cgroup must name the
container. That is checked again before each signal, so a reused process number does no harm.
"""

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog

from nodeagent.disk.atomic_json import read_json, write_json
from nodeagent.disk.container_dir import ContainerDir, list_container_dirs

log = structlog.get_logger()

PROC: Final = Path("/proc")
PROCESS_FILE: Final = "process.json"


def record_init_process(directory: ContainerDir, found: Mapping[str, Any]) -> None:
    """Record the first process of a container, from the engine's description of it."""
    pid, name = int((found.get("State") or {}).get("Pid") or 0), str(found.get("Id", ""))
    if pid and name and _is_in_container(pid, name):
        write_json(directory.path / PROCESS_FILE, {"pid": pid, "id": name})


def list_unended(root: Path) -> list[ContainerDir]:
    """Return the containers that have not ended, by their directories."""
    return [
        directory for directory in list_container_dirs(root) if directory.read_status().end is None
    ]


def is_init_alive(directory: ContainerDir) -> bool:
    """Return whether a container's first process is alive; False if it was never recorded."""
    noted = read_json(directory.path / PROCESS_FILE)
    return noted is not None and _is_in_container(noted["pid"], noted["id"])


def signal_init(directory: ContainerDir, number: signal.Signals) -> None:
    """Signal the first process: an init, which forwards it, and with which all others end."""
    noted = read_json(directory.path / PROCESS_FILE)
    if noted is None:
        return
    with suppress(OSError):
        process = os.pidfd_open(noted["pid"])
        try:
            # Opened before the check: the process that is signalled is the one that was checked.
            if _is_in_container(noted["pid"], noted["id"]):
                signal.pidfd_send_signal(process, number)
        except PermissionError:
            log.exception("bypass.not_permitted", pid=noted["pid"], needs="CAP_KILL")
        finally:
            os.close(process)


def _is_in_container(pid: int, name: str) -> bool:
    try:
        return name in (PROC / str(pid) / "cgroup").read_text(encoding="utf-8")
    except OSError:
        return False
