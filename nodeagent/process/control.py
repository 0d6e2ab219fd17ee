"""Stopping process containers from outside their shim: for runtime, watchdog and shutdown.

Safe from any process at any time: a shim is alive exactly while its lock is held, and its number
is taken only from the holder of that lock.
"""

import os
import select
import signal
from contextlib import suppress
from typing import Final

from nodeagent.core.state import Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.host import procfs
from nodeagent.host.clock import SystemClock
from wire.words import ExitCause

MARKER: Final = "BERTH_CONTAINER"
"""Name in the environment of everything that runs in a container."""
WAIT_S: Final = 0.02
TRIES: Final = 50


def container_marker(directory: ContainerDir) -> str:
    """Return the environment entry that every process of this container inherits."""
    return f"{MARKER}={directory.path}"


def is_alive(directory: ContainerDir) -> bool:
    """Tell whether the container's shim lives."""
    descriptor = directory.try_lock()
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def open_shim(directory: ContainerDir) -> int | None:
    """Return a file descriptor of the living shim's process; None when there is none (yet)."""
    try:
        shim = os.pidfd_open(int(directory.lock_path.read_text(encoding="ascii")))
    except (FileNotFoundError, ValueError, ProcessLookupError):
        return None
    # The lock is still held, so the number that was opened is the holder's.
    if is_alive(directory):
        return shim
    os.close(shim)
    return None


def find_shim_pid(directory: ContainerDir) -> int | None:
    """Return the process number of the living shim; for reading /proc only, never to signal."""
    shim = open_shim(directory)
    if shim is None:
        return None
    os.close(shim)
    return int(directory.lock_path.read_text(encoding="ascii"))


def order_stop(directory: ContainerDir, cause: ExitCause, grace_ms: int) -> None:
    """Order the container to stop, politely at first; the signal only makes it prompt.

    Where the disk takes no order, the work is killed: nothing else reaches its shim.
    """
    try:
        directory.order_stop(cause, SystemClock().now_ms() + grace_ms)
    except OSError:
        kill_container(directory)
        return
    _wake(directory)


def order_signal(directory: ContainerDir, name: str) -> None:
    """Order that the first process of the work gets a signal, once."""
    directory.order_signal(name)
    _wake(directory)


def _wake(directory: ContainerDir) -> None:
    """Have the shim look at its orders now."""
    shim = open_shim(directory)
    if shim is not None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(shim, signal.SIGTERM)
        os.close(shim)


def kill_container(directory: ContainerDir) -> None:
    """End the container by force, whatever state its shim is in, and settle its end."""
    shim = open_shim(directory)
    if shim is not None:
        with suppress(ProcessLookupError):
            _kill_shim(shim, int(directory.lock_path.read_text(encoding="ascii")))
        os.close(shim)
    settle_end(directory, ExitCause.VANISHED)


def _kill_shim(shim: int, pid: int) -> None:
    """Kill the work first, so that a shim that still answers writes the last word itself."""
    signal.pidfd_send_signal(shim, signal.SIGCONT)
    for _ in range(TRIES):
        procfs.kill_descendants(pid)
        if _has_ended(shim):
            return
    signal.pidfd_send_signal(shim, signal.SIGKILL)
    for _ in range(TRIES):
        if _has_ended(shim):
            return


def _has_ended(shim: int) -> bool:
    """Wait a moment for the end of a process."""
    return bool(select.select([shim], [], [], WAIT_S)[0])


def settle_end(directory: ContainerDir, cause: ExitCause) -> Finished | None:
    """Return the end of a container without a shim; None while the shim lives.

    A shim that was killed left no last word: its remaining processes are killed and an end is
    written in its place.
    """
    lock = directory.try_lock()
    if lock is None:
        return None
    try:
        end = directory.read_status().end
        if end is None:
            _kill_leftovers(directory)
            order = directory.read_stop_order()
            end = Finished(
                key=directory.key,
                cause=order.cause if order else cause,
                finished_at=SystemClock().wall_ms(),
                started_at=directory.read_status().started_at,
                detail="shim_lost",
            )
            with suppress(OSError):  # it is told all the same, and settled anew by the next look
                directory.write_end(end)
        return end
    finally:
        os.close(lock)


def _kill_leftovers(directory: ContainerDir) -> None:
    """Kill what the shim left behind, known by the environment that it inherited."""
    for _ in range(TRIES):
        found = procfs.find_by_environment(container_marker(directory))
        if not found:
            return
        procfs.signal_processes(found, signal.SIGKILL)
        select.select([], [], [], WAIT_S)
