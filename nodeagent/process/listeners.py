"""Which processes listen on which ports, as /proc tells it."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from nodeagent.process.tree import PROC, Process

LISTENING: Final = "0A"
"""State of a socket in the kernel's table; see `proc_pid_net(5)`."""
TABLES: Final = ("tcp", "tcp6")


def listens(found: Iterable[Process], port: int) -> bool:
    """Tell whether one of these processes listens on a TCP port, at whatever address."""
    wanted = _listening_sockets(port)
    return bool(wanted) and any(not wanted.isdisjoint(_sockets(item.pid)) for item in found)


def _listening_sockets(port: int) -> set[str]:
    found = set()
    for table in TABLES:
        with suppress(OSError):
            lines = (PROC / "self" / "net" / table).read_text(encoding="ascii").splitlines()[1:]
            for fields in map(str.split, lines):
                local_port = int(fields[1].rpartition(":")[2], 16)
                if local_port == port and fields[3] == LISTENING:
                    found.add(f"socket:[{fields[9]}]")
    return found


def _sockets(pid: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for descriptor in (PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                found.add(str(Path.readlink(descriptor)))
    return found
