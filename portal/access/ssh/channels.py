"""One SSH session channel: a shell, a command or sftp, as a stream into the container."""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Final, Literal

import asyncssh
import structlog
from django.db import DatabaseError
from typing_extensions import override

from portal.access.rendezvous import Printed, StreamEndedError
from portal.access.services import Target
from portal.access.visits import SIDE_MAX, Admit, Visit, Visits, terminal_order
from portal.common.catalogue import sentence
from portal.common.errors import DomainError
from wire.messages import OpenStream
from wire.streams import Exited, Finish, Resize, SendSignal

COMMAND_MAX: Final = 32 * 1024
"""Characters of a command given to `ssh`."""
PENDING_MAX: Final = 256 * 1024
"""Bytes from the client that wait for the container; more are held up by SSH's own window."""
FAILED: Final = 255
"""Exit status for "the connection failed", as OpenSSH uses it."""

SFTP: Final = (
    "for it in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server "
    "/usr/libexec/sftp-server /usr/lib/ssh/sftp-server /usr/lib/sftp-server; do "
    '[ -x "$it" ] && exec "$it"; done; echo "the image has no sftp-server" >&2; exit 127'
)
_SIGNALS: Final[Mapping[str, Literal["HUP", "INT", "QUIT", "TERM", "KILL", "USR1", "USR2"]]] = {
    "HUP": "HUP",
    "INT": "INT",
    "QUIT": "QUIT",
    "TERM": "TERM",
    "KILL": "KILL",
    "USR1": "USR1",
    "USR2": "USR2",
}
logger = structlog.get_logger(__name__)


class Channel(asyncssh.SSHServerSession[bytes]):
    """What a client asks of a session, and what it gets."""

    def __init__(self, visits: Visits, admit: Admit, place: ExitStack) -> None:
        """Wait for what is asked; the place is given back at the end."""
        self._place = place
        self._visits = visits
        self._admit = admit
        self._size: tuple[int, int] | None = None
        self._command = ""
        self._is_sftp = False
        self._incoming: asyncio.Queue[bytes | Resize | SendSignal | Finish] = asyncio.Queue()
        self._pending = 0
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._task: asyncio.Task[None] | None = None

    @override
    def connection_made(self, chan: "asyncssh.SSHServerChannel[bytes]") -> None:
        self._chan = chan

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._place.close()
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
        self._command = SFTP
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
        self._incoming.put_nowait(Finish())
        return True

    @override
    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        self._incoming.put_nowait(Resize(columns=_side(width, 80), rows=_side(height, 24)))

    @override
    def signal_received(self, signal: str) -> None:
        if name := _SIGNALS.get(signal):
            self._incoming.put_nowait(SendSignal(name=name))

    @override
    def pause_writing(self) -> None:
        self._may_write.clear()

    @override
    def resume_writing(self) -> None:
        self._may_write.set()

    async def _run(self) -> None:
        """Be in the container until either side ends it; say why when that was ours."""
        status = FAILED
        try:
            detail = "sftp" if self._is_sftp else self._command
            async with self._visits.enter(self._admit, self._order, "ssh", detail) as visit:
                reason = await self._visits.stay(
                    visit, self._admit, self._outwards(visit), self._inwards(visit)
                )
                if reason.startswith("exited"):
                    visit.reason, _, code = reason.partition(":")
                    status = int(code)
                else:
                    self._complain(f"ssh_{reason}", {})
        except DomainError as error:
            self._complain(error.code, error.params)
        except (DatabaseError, TimeoutError, OSError) as error:
            logger.warning("ssh.failed", error=repr(error))
            self._complain("ssh_unchecked", {})
        with suppress(OSError):
            self._chan.exit(status)

    def _order(self, target: Target) -> OpenStream:
        columns, rows = self._size or (80, 24)
        has_tty = self._size is not None and not self._is_sftp
        return terminal_order(
            target, columns=columns, rows=rows, command=self._command, has_tty=has_tty
        )

    async def _outwards(self, visit: Visit) -> str:
        while True:
            try:
                said = await visit.node.hear()
            except StreamEndedError:
                return "node_gone"
            if isinstance(said, Exited):
                return f"exited:{FAILED if said.code is None else said.code}"
            if isinstance(said, Printed):
                visit.activity.note()
                await self._may_write.wait()
                kind = asyncssh.EXTENDED_DATA_STDERR if said.is_diagnostics else None
                self._chan.write(said.data, kind)

    async def _inwards(self, visit: Visit) -> str:
        while True:
            sent = await self._incoming.get()
            try:
                if isinstance(sent, bytes):
                    visit.activity.note(is_input=True)
                    await visit.node.write(sent)
                    self._pending -= len(sent)
                    if self._pending <= PENDING_MAX:
                        self._chan.resume_reading()
                else:
                    await visit.node.say(sent)
            except StreamEndedError:
                return "node_gone"

    def _complain(self, code: str, params: Mapping[str, object]) -> None:
        """Say on standard error, in the client's language where it sent one, what is wrong."""
        named = self._chan.get_environment()
        language = named.get("LC_ALL") or named.get("LANG") or ""
        text = sentence("zh-CN" if language.startswith("zh") else "en", code, params)
        with suppress(OSError):
            self._chan.write_stderr(f"berth: {text}\r\n".encode())


def _side(length: int, otherwise: int) -> int:
    return min(SIDE_MAX, length) if length > 0 else otherwise
