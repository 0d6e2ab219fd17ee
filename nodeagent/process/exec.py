"""Access to process containers: a shell beside the work, and connections to ports of its processes."""

import asyncio
import fcntl
import os
import signal
import struct
import sys
import termios
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from nodeagent.access.session import CHUNK, AccessError, AccessSession, OutputChannel, TerminalSize
from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.host import procfs
from nodeagent.host.procfs import is_any_listening
from nodeagent.process import control

PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
HANGUP_S: Final = 2.0
"""Time between SIGHUP and SIGKILL."""
SIGNALLED: Final = 128
PENDING_MAX: Final = 4
"""Number of chunks that wait for the stream; a full queue blocks the command at its pipe."""
CONNECT_S: Final = 5.0


class ProcessExecAdapter:
    """The `ExecAdapter` port for process containers."""

    def __init__(self, root: Path, host: str) -> None:
        """`root`: the folder of the containers; `host`: the address on which their servers listen."""
        self._root = root
        self._host = host

    async def open_shell(
        self, key: ContainerKey, command: str, window: TerminalSize | None
    ) -> AccessSession:
        """Start a child of the agent that takes on the container's environment and becomes a shell."""
        directory = self._directory(key)
        kind = "pipes" if window is None else "tty"
        argv = [sys.executable, "-S", "-m", "nodeagent.process.shell_child"]
        argv += [str(directory.path), str(os.getpid()), kind, command]
        marker, _, value = control.container_marker(directory).partition("=")
        env = {"PYTHONPATH": str(PACKAGE_ROOT), "PATH": os.defpath, marker: value}
        try:
            if window is None:
                return PipeSession(await _spawn(argv, env, PIPE))
            return await _in_terminal(argv, env, window)
        except OSError as error:
            raise AccessError("unavailable", error.strerror or "") from error

    async def open_port(self, key: ContainerKey, port: int) -> AccessSession:
        """Connect to a port if, and only if, a process of this container listens on it."""
        directory = self._directory(key)
        if not await asyncio.to_thread(_is_listening, directory, port):
            raise AccessError("nothing_listens", str(port))
        try:
            async with asyncio.timeout(CONNECT_S):
                reader, writer = await asyncio.open_connection(self._host, port)
        except (OSError, TimeoutError) as error:
            raise AccessError("nothing_listens", str(port)) from error
        return PortSession(reader, writer)

    def _directory(self, key: ContainerKey) -> ContainerDir:
        directory = ContainerDir(self._root, key)
        if not directory.exists or not control.is_alive(directory):
            raise AccessError("container_gone")
        return directory


class TerminalSession:
    """A command in a pseudo-terminal; this is the terminal's master side."""

    def __init__(self, process: Process, master: int) -> None:
        self._process = process
        self._master = master
        self._is_open = True

    async def read(self) -> tuple[OutputChannel, bytes] | None:
        """Return the next output; the kernel reports the end of the last writer as an error."""
        loop = asyncio.get_running_loop()
        while self._is_open:
            try:
                data = os.read(self._master, CHUNK)
            except BlockingIOError:
                await _wait_ready(self._master, loop.add_reader, loop.remove_reader)
                continue
            except OSError:
                break
            return (OutputChannel.OUTPUT, data) if data else None
        return None

    async def write(self, data: bytes) -> None:
        """Write input."""
        loop = asyncio.get_running_loop()
        while data and self._is_open:
            try:
                data = data[os.write(self._master, data) :]
            except BlockingIOError:
                await _wait_ready(self._master, loop.add_writer, loop.remove_writer)
            except OSError:
                return

    async def close_input(self) -> None:
        """Send the end-of-file character, as a keyboard would."""
        await self.write(b"\x04")

    async def resize(self, window: TerminalSize) -> None:
        """Set the window size; the kernel notifies the foreground process group."""
        if self._is_open:
            _set_size(self._master, window)

    async def send_signal(self, name: str) -> None:
        """Send a signal to the foreground process group."""
        with suppress(OSError):
            foreground = os.tcgetpgrp(self._master) if self._is_open else 0
            if foreground > 1:
                os.killpg(foreground, signal.Signals[f"SIG{name}"])

    async def wait_for_exit(self) -> int | None:
        """Return the exit code of the shell."""
        return _exit_code(await self._process.wait())

    async def close(self) -> None:
        """Hang up: closing the terminal sends SIGHUP to its processes."""
        if self._is_open:
            self._is_open = False
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._master)
            loop.remove_writer(self._master)
            os.close(self._master)
        await _end(self._process)


class PipeSession:
    """A command without a terminal."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._pending: asyncio.Queue[tuple[OutputChannel, bytes] | None] = asyncio.Queue(
            PENDING_MAX
        )
        self._readers = [
            asyncio.create_task(self._collect(source, stream))
            for source, stream in (
                (OutputChannel.OUTPUT, process.stdout),
                (OutputChannel.DIAGNOSTICS, process.stderr),
            )
            if stream is not None
        ]
        self._open_ends = len(self._readers)

    async def read(self) -> tuple[OutputChannel, bytes] | None:
        """Return output of standard output or standard error."""
        while self._open_ends:
            part = await self._pending.get()
            if part is not None:
                return part
            self._open_ends -= 1
        return None

    async def write(self, data: bytes) -> None:
        """Write to standard input."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(data)
                await self._process.stdin.drain()

    async def close_input(self) -> None:
        """Close standard input."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def resize(self, window: TerminalSize) -> None:
        """Do nothing: there is no terminal."""

    async def send_signal(self, name: str) -> None:
        """Send a signal to the command's process group."""
        _signal_group(self._process, signal.Signals[f"SIG{name}"])

    async def wait_for_exit(self) -> int | None:
        """Return the exit code."""
        return _exit_code(await self._process.wait())

    async def close(self) -> None:
        """End the command; its background processes stay until the container ends."""
        for reader in self._readers:
            reader.cancel()
        await self.close_input()
        await _end(self._process)

    async def _collect(self, source: OutputChannel, stream: asyncio.StreamReader) -> None:
        while data := await stream.read(CHUNK):
            await self._pending.put((source, data))
        await self._pending.put(None)


class PortSession:
    """A TCP connection to a port of a container."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> tuple[OutputChannel, bytes] | None:
        """Return what the server sent."""
        try:
            data = await self._reader.read(CHUNK)
        except OSError:
            return None
        return (OutputChannel.OUTPUT, data) if data else None

    async def write(self, data: bytes) -> None:
        """Send to the server."""
        with suppress(OSError):
            self._writer.write(data)
            await self._writer.drain()

    async def close_input(self) -> None:
        """Close the sending direction only."""
        with suppress(OSError):
            self._writer.write_eof()

    async def resize(self, window: TerminalSize) -> None:
        """Do nothing: there is no terminal."""

    async def send_signal(self, name: str) -> None:
        """Do nothing: there is no command."""

    async def wait_for_exit(self) -> int | None:
        """Return None: a connection has no exit code."""
        return None

    async def close(self) -> None:
        """Close both directions."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


async def _in_terminal(
    argv: list[str], env: dict[str, str], window: TerminalSize
) -> TerminalSession:
    master, slave = os.openpty()
    try:
        os.set_blocking(master, False)
        _set_size(master, window)
        process = await _spawn(argv, env, slave)
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)
    return TerminalSession(process, master)


async def _spawn(argv: list[str], env: dict[str, str], stdio: int) -> Process:
    return await asyncio.create_subprocess_exec(
        *argv, env=env, stdin=stdio, stdout=stdio, stderr=stdio, start_new_session=True
    )


async def _end(process: Process) -> None:
    """Send SIGHUP, and SIGKILL if the leader does not end."""
    _signal_group(process, signal.SIGHUP)
    try:
        async with asyncio.timeout(HANGUP_S):
            await process.wait()
    except TimeoutError:
        _signal_group(process, signal.SIGKILL)
        await process.wait()


def _signal_group(process: Process, number: signal.Signals) -> None:
    # Not reaped yet, so the PID cannot have been reused.
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)


def _is_listening(directory: ContainerDir, port: int) -> bool:
    shim = control.find_shim_pid(directory)
    processes = procfs.list_family(shim) if shim is not None else []
    return is_any_listening(processes, port) or is_any_listening(
        procfs.find_by_environment(control.container_marker(directory)), port
    )


def _set_size(descriptor: int, window: TerminalSize) -> None:
    size = struct.pack("HHHH", window.rows, window.columns, 0, 0)
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, size)


def _exit_code(code: int) -> int:
    return code if code >= 0 else SIGNALLED - code


async def _wait_ready(
    descriptor: int, watch: Callable[..., Any], unwatch: Callable[[int], Any]
) -> None:
    """Wait until a descriptor is readable or writable, or is closed meanwhile."""
    ready = asyncio.Event()
    watch(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        unwatch(descriptor)
