"""Stops process containers from outside their shim: used by runtime, watchdog and shutdown.

Safe to call from any process at any time: a shim is alive exactly while its lock is held, and its
PID is taken only from the holder of that lock.
"""

import os
import select
import signal
from contextlib import suppress
from typing import Final

from nodeagent.core.state import Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.notices import order_stop
from nodeagent.host import procfs
from nodeagent.host.clock import SystemClock
from nodeagent.process.log_keeper import keep_end
from wire.words import ExitCause

MARKER: Final = "BERTH_CONTAINER"
"""Name of the environment variable that marks all processes of a container."""
WAIT_S: Final = 0.02
TRIES: Final = 50


def container_marker(directory: ContainerDir) -> str:
    """Return the environment entry that every process of this container inherits."""
    return f"{MARKER}={directory.path}"


def is_alive(directory: ContainerDir) -> bool:
    """Return whether the container's shim is alive; one that was removed meanwhile is not."""
    try:
        descriptor = directory.try_lock()
    except FileNotFoundError:
        return False
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def open_shim(directory: ContainerDir) -> int | None:
    """Return a pidfd of the shim; None if it is not running (yet)."""
    try:
        shim = os.pidfd_open(int(directory.lock_path.read_text(encoding="ascii")))
    except (FileNotFoundError, ValueError, ProcessLookupError):
        return None
    # The lock is still held, so the PID that was opened belongs to its holder.
    if is_alive(directory):
        return shim
    os.close(shim)
    return None


def find_shim_pid(directory: ContainerDir) -> int | None:
    """Return the PID of the shim, for reading /proc only; never signal it by this number."""
    shim = open_shim(directory)
    if shim is None:
        return None
    os.close(shim)
    return int(directory.lock_path.read_text(encoding="ascii"))


def request_stop(directory: ContainerDir, cause: ExitCause, grace_ms: int) -> None:
    """Order the container to stop, first politely; the signal only makes the shim act at once.

    If the order cannot be written to disk, the work is killed, because its shim cannot be reached
    otherwise.
    """
    try:
        clock = SystemClock()
        order_stop(directory, cause, grace_ms, now_ms=clock.now_ms(), wall_ms=clock.wall_ms())
    except OSError:
        kill_container(directory)
        return
    _wake(directory)


def request_signal(directory: ContainerDir, name: str) -> None:
    """Order the shim to send the main process a signal, once."""
    directory.stops.write_signal(name)
    _wake(directory)


def _wake(directory: ContainerDir) -> None:
    """Make the shim read its orders now."""
    shim = open_shim(directory)
    if shim is not None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(shim, signal.SIGTERM)
        os.close(shim)


def kill_container(directory: ContainerDir) -> None:
    """Kill the container, whatever state its shim is in, and record its end."""
    shim = open_shim(directory)
    if shim is not None:
        with suppress(ProcessLookupError):
            _kill_shim(shim, int(directory.lock_path.read_text(encoding="ascii")))
        os.close(shim)
    ensure_end_recorded(directory, ExitCause.VANISHED)


def _kill_shim(shim: int, pid: int) -> None:
    """Kill the work first, so that a shim that still responds can record the end itself."""
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
    """Wait briefly for a process to end; return whether it has."""
    return bool(select.select([shim], [], [], WAIT_S)[0])


def ensure_end_recorded(directory: ContainerDir, cause: ExitCause) -> Finished | None:
    """Return the end of a container without a shim; None while the shim is alive.

    A shim that was killed has recorded no end: its remaining processes are killed and an end is
    recorded here.
    """
    lock = directory.try_lock()
    if lock is None:
        return None
    try:
        end = directory.read_status().end
        if end is None:
            _kill_leftovers(directory)
            with suppress(OSError):  # an end without the end of its log is one nevertheless
                keep_end(directory, SystemClock().wall_ms())
            order = directory.stops.read_order()
            end = Finished(
                key=directory.key,
                cause=order.cause if order else cause,
                finished_at=SystemClock().wall_ms(),
                started_at=directory.read_status().started_at,
                detail="shim_lost",
            )
            with suppress(OSError):  # report it nevertheless; the next call records it again
                directory.write_end(end)
        return end
    finally:
        os.close(lock)


def _kill_leftovers(directory: ContainerDir) -> None:
    """Kill the processes that the shim left behind, found by the marker in their environment."""
    for _ in range(TRIES):
        found = procfs.find_by_environment(container_marker(directory))
        if not found:
            return
        procfs.signal_processes(found, signal.SIGKILL)
        select.select([], [], [], WAIT_S)
