"""One SSH session channel: a shell, a command or sftp, as a stream into the container."""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Final

import asyncssh
import structlog
from django.db import DatabaseError
from typing_extensions import override

from portal.access.client_texts import text_for_client
from portal.access.sessions import (
    SIDE_MAX,
    Authorize,
    ContainerSession,
    ContainerSessions,
)
from portal.common.errors import DomainError
from portal.execution.streams import (
    CommandEnded,
    EndOfData,
    Shell,
    SignalSent,
    StreamEndedError,
    StreamOutput,
    WindowSize,
)

COMMAND_MAX: Final = 32 * 1024
"""Characters of a command given to `ssh`."""
PENDING_MAX: Final = 256 * 1024
"""Bytes of input that wait for the container; beyond this, SSH's own window stops the client."""
FAILED: Final = 255
"""Exit status of a failed connection, as OpenSSH uses it."""

SFTP_COMMAND: Final = (
    "for it in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server "
    "/usr/libexec/sftp-server /usr/lib/ssh/sftp-server /usr/lib/sftp-server; do "
    '[ -x "$it" ] && exec "$it"; done; echo "the image has no sftp-server" >&2; exit 127'
)
_SIGNALS: Final = frozenset({"HUP", "INT", "QUIT", "TERM", "KILL", "USR1", "USR2"})
logger = structlog.get_logger(__name__)


class SessionChannel(asyncssh.SSHServerSession[bytes]):
    """A session channel of an SSH connection."""

    def __init__(
        self, sessions: ContainerSessions, authorize: Authorize, channel: ExitStack
    ) -> None:
        """Wait for the client's request; `channel` is closed at the end."""
        self._channel = channel
        self._sessions = sessions
        self._authorize = authorize
        self._size: tuple[int, int] | None = None
        self._command = ""
        self._is_sftp = False
        self._incoming: asyncio.Queue[bytes | WindowSize | SignalSent | EndOfData] = asyncio.Queue()
        self._pending = 0
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._task: asyncio.Task[None] | None = None

    @override
    def connection_made(self, chan: "asyncssh.SSHServerChannel[bytes]") -> None:
        self._chan = chan

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._channel.close()
        self._may_write.set()
        if self._task is not None:
            self._task.cancel()

    @override
    def pty_requested(
        self,
        term_type: str,
        term_size: tuple[int, int, int, int],
        term_modes: Mapping[int, int],
    ) -> bool:
        self._size = _side(term_size[0], 80), _side(term_size[1], 24)
        return True

    @override
    def shell_requested(self) -> bool:
        return True

    @override
    def exec_requested(self, command: str) -> bool:
        self._command = command
        return len(command) <= COMMAND_MAX and "\0" not in command

    @override
    def subsystem_requested(self, subsystem: str) -> bool:
        self._is_sftp = subsystem == "sftp"
        self._command = SFTP_COMMAND
        return self._is_sftp

    @override
    def session_started(self) -> None:
        self._task = asyncio.create_task(self._run())

    @override
    def data_received(self, data: bytes, datatype: int | None) -> None:
        self._incoming.put_nowait(data)
        self._pending += len(data)
        if self._pending > PENDING_MAX:
            self._chan.pause_reading()

    @override
    def eof_received(self) -> bool:
        self._incoming.put_nowait(EndOfData())
        return True

    @override
    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        self._incoming.put_nowait(WindowSize(_side(width, 80), _side(height, 24)))

    @override
    def signal_received(self, signal: str) -> None:
        if signal in _SIGNALS:
            self._incoming.put_nowait(SignalSent(signal))

    @override
    def pause_writing(self) -> None:
        self._may_write.clear()

    @override
    def resume_writing(self) -> None:
        self._may_write.set()

    async def _run(self) -> None:
        """Keep a session until either side ends it; print the reason if the portal did."""
        status = FAILED
        try:
            detail = "sftp" if self._is_sftp else self._command
            opened = self._sessions.open(self._authorize, self._shell(), "ssh", detail)
            async with opened as session:
                reason = await self._sessions.run(
                    session,
                    self._authorize,
                    self._forward_output(session),
                    self._forward_input(session),
                )
                if reason.startswith("exited"):
                    session.reason, _, code = reason.partition(":")
                    status = int(code)
                else:
                    self._print_error(f"ssh_{reason}", {})
        except DomainError as error:
            self._print_error(error.code, error.params)
        except (DatabaseError, TimeoutError, OSError) as error:
            logger.warning("ssh.failed", error=repr(error))
            self._print_error("ssh_unchecked", {})
        with suppress(OSError):
            self._chan.exit(status)

    def _shell(self) -> Shell:
        columns, rows = self._size or (80, 24)
        has_tty = self._size is not None and not self._is_sftp
        return Shell(columns, rows, self._command, has_tty)

    async def _forward_output(self, session: ContainerSession) -> str:
        while True:
            try:
                message = await session.stream.receive()
            except StreamEndedError:
                return "node_gone"
            if isinstance(message, CommandEnded):
                return f"exited:{FAILED if message.code is None else message.code}"
            if isinstance(message, StreamOutput):
                session.activity.record()
                await self._may_write.wait()
                kind = asyncssh.EXTENDED_DATA_STDERR if message.is_diagnostics else None
                self._chan.write(message.data, kind)

    async def _forward_input(self, session: ContainerSession) -> str:
        while True:
            message = await self._incoming.get()
            try:
                if isinstance(message, bytes):
                    session.activity.record(is_input=True)
                    await session.stream.write(message)
                    self._pending -= len(message)
                    if self._pending <= PENDING_MAX:
                        self._chan.resume_reading()
                else:
                    await session.stream.send(message)
            except StreamEndedError:
                return "node_gone"

    def _print_error(self, code: str, params: Mapping[str, object]) -> None:
        """Print an error on standard error, in the language of the client's `LANG`."""
        text = text_for_client(self._chan.get_environment(), code, params)
        with suppress(OSError):
            self._chan.write_stderr(f"berth: {text}\r\n".encode())


def _side(length: int, otherwise: int) -> int:
    return min(SIDE_MAX, length) if length > 0 else otherwise
