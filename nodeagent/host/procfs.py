"""Reads /proc: process trees, memory, CPU time. Standard library only."""

import os
import re
import signal
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
KIB: Final = 1024
MIB: Final = 1024 * 1024
PAGE: Final = os.sysconf("SC_PAGE_SIZE")
TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
LISTENING: Final = "0A"
"""Socket state in the kernel's table; see `proc_pid_net(5)`."""
READ_MAX: Final = 64 * KIB
"""Bytes that one call reads; the kernel gives a `stat` in one piece."""
TABLES: Final = ("tcp", "tcp6")


@dataclass(frozen=True, slots=True)
class Process:
    """One process."""

    pid: int
    parent: int
    is_zombie: bool
    cpu_ticks: int
    """Its own time and that of its reaped children."""
    rss: int
    """Resident bytes, including shared pages."""


def list_processes() -> dict[int, Process]:
    """Return the current process table, without processes that end while it is read."""
    table = {}
    with os.scandir(PROC) as entries:
        for entry in entries:
            if entry.name.isdecimal():
                found = read_process(int(entry.name))
                if found is not None:
                    table[found.pid] = found
    return table


def read_start_time(pid: int) -> str:
    """Return the start time in ticks since boot, which distinguishes processes with the same PID."""
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]


def list_descendants(root: int, table: dict[int, Process]) -> list[Process]:
    """Return all running processes below `root`, excluding itself."""
    children: dict[int, list[Process]] = {}
    for item in table.values():
        children.setdefault(item.parent, []).append(item)
    found: list[Process] = []
    frontier = [root]
    while frontier:
        below = [item for pid in frontier for item in children.get(pid, ())]
        found.extend(item for item in below if not item.is_zombie)
        frontier = [item.pid for item in below]
    return found


def list_family(root: int) -> list[Process]:
    """Return the running processes below `root` cheaply, for measuring.

    The kernel's lists of children are inexact while processes come and go: to make sure that no
    process is left, use `list_descendants`, which reads the whole table.
    """
    found: list[Process] = []
    frontier = [root]
    while frontier:
        below = [read_process(pid) for parent in frontier for pid in _children(parent)]
        alive = [item for item in below if item is not None and not item.is_zombie]
        found.extend(alive)
        frontier = [item.pid for item in alive]
    return found


def signal_processes(found: list[Process], signal_number: int) -> None:
    """Send a signal to each process; those that have ended are skipped."""
    for item in found:
        with suppress(ProcessLookupError):
            os.kill(item.pid, signal_number)


def kill_descendants(root: int) -> bool:
    """Kill everything below `root` once; return whether there was anything to kill.

    All are stopped first: a fork bomb would otherwise create processes faster than they are killed.
    """
    found = list_descendants(root, list_processes())
    signal_processes(found, signal.SIGSTOP)
    found = list_descendants(root, list_processes())
    signal_processes(found, signal.SIGKILL)
    return bool(found)


def measure_pss(found: list[Process]) -> int:
    """Return the memory of processes, each shared page once; slower than summing `rss`."""
    return sum(_pss(item) for item in found)


def find_by_environment(marker: str) -> list[Process]:
    """Return the running processes with `NAME=value` in their environment."""
    entry = marker.encode()
    return [
        item
        for item in list_processes().values()
        if not item.is_zombie and entry in read_environment(item.pid)
    ]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    # A thread may end between the look at its folder and at what is in it.
    with suppress(OSError), os.scandir(PROC / str(pid) / "task") as tasks:
        for task in tasks:
            found.extend(map(int, Path(task.path, "children").read_text(encoding="ascii").split()))
    return found


def read_process(pid: int) -> Process | None:
    """Return one process, or None if it has ended."""
    text = _read(pid, "stat")
    if not text:
        return None
    # The name in parentheses may contain anything; the numbers follow the last closing one.
    fields = text[text.rindex(b")") + 2 :].split()
    return Process(
        pid=pid,
        parent=int(fields[1]),
        is_zombie=fields[0] in {b"Z", b"X"},
        cpu_ticks=sum(int(value) for value in fields[11:15]),
        rss=int(fields[21]) * PAGE,
    )


def _read(pid: int, name: str) -> bytes:
    """Return a file of a process, empty when it has ended; `Path` would double what a table costs."""
    try:
        descriptor = os.open(f"{PROC}/{pid}/{name}", os.O_RDONLY)
    except OSError:
        return b""
    pieces = []
    try:
        while piece := os.read(descriptor, READ_MAX):
            pieces.append(piece)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return b"".join(pieces)


def _pss(item: Process) -> int:
    try:
        text = (PROC / str(item.pid) / "smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return item.rss
    for line in text.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * KIB
    return item.rss


def read_environment(pid: int) -> list[bytes]:
    """Return the `NAME=value` entries of a process' initial environment; empty if it has ended."""
    return [entry for entry in _read(pid, "environ").split(b"\0") if entry]


def is_any_listening(found: Iterable[Process], port: int) -> bool:
    """Return whether one of these processes listens on a TCP port, at any address."""
    sockets = _listening_sockets(port)
    return bool(sockets) and any(not sockets.isdisjoint(_sockets(item.pid)) for item in found)


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


def find_processes(module: "re.Pattern[str]", argument: str) -> list[int]:
    """Return the processes of which one argument is such a module and another is `argument`."""
    found = []
    for folder in PROC.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:  # it has ended meanwhile
            continue
        if argument in command and any(module.fullmatch(part) for part in command):
            found.append(int(folder.name))
    return found
