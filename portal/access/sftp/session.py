"""One SSH session channel with volumes: sftp only, limited, and ended when rights or time end."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Any, Final

import asyncssh
import structlog
from asyncssh.sftp import run_sftp_server
from asyncssh.stream import SSHServerStreamSession
from django.db import DatabaseError
from typing_extensions import override

from portal.access.sessions import IDLE_MAX_S, SESSION_MAX_S, ActivityTracker
from portal.access.sftp.rights import Identify, VolumeGateway, begin_session
from portal.access.sftp.server import VolumeServer
from portal.access.sftp.voice import ClientVoice
from portal.access.sftp.work import VolumeWork
from portal.common.concurrency import first_completed, run_in_thread
from portal.common.errors import DomainError, ExhaustedError

FAILED: Final = 255
"""Exit status of a failed connection, as OpenSSH uses it."""
SFTP_VERSION: Final = 3
"""The version that OpenSSH speaks."""
logger = structlog.get_logger(__name__)


class VolumeSession(SSHServerStreamSession[bytes]):
    """A session channel of the login `files`."""

    def __init__(self, gateway: VolumeGateway, identify: Identify, channel: ExitStack) -> None:
        """Wait for the client's request; `channel` is closed at the end."""
        super().__init__(None)
        self._gateway, self._identify = gateway, identify
        self._counted = channel
        self._server: VolumeServer | None = None
        self._task: asyncio.Task[None] | None = None

    @override
    def connection_made(self, chan: Any) -> None:
        super().connection_made(chan)
        self._channel: asyncssh.SSHServerChannel[bytes] = chan
        self._voice = ClientVoice(chan)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._counted.close()
        self._note_client_gone()
        if self._task is not None:
            self._task.cancel()

    @override
    def eof_received(self) -> bool:
        self._note_client_gone()
        return bool(super().eof_received())

    @override
    def pty_requested(
        self,
        term_type: str,
        term_size: tuple[int, int, int, int],
        term_modes: Mapping[int, int],
    ) -> bool:
        return True

    @override
    def shell_requested(self) -> bool:
        return True

    @override
    def exec_requested(self, command: str) -> bool:
        return True

    @override
    def subsystem_requested(self, subsystem: str) -> bool:
        return subsystem == "sftp"

    @override
    def session_started(self) -> None:
        serves = self._serve if self._channel.get_subsystem() else self._refuse_command
        self._task = asyncio.create_task(self._run(serves))
        self._gateway.running.add(self._task)
        self._task.add_done_callback(self._gateway.running.discard)

    async def _run(self, serves: Callable[[], Awaitable[int]]) -> None:
        """Keep a session until either side ends it; print the reason if the portal did."""
        status = FAILED
        try:
            status = await serves()
        except DomainError as error:
            self._voice.say(error.code, error.params)
        except (DatabaseError, TimeoutError, OSError) as error:
            logger.warning("sftp.failed", error=repr(error))
            self._voice.say("ssh_unchecked")
        with suppress(OSError):
            self._channel.exit(status)

    async def _refuse_command(self) -> int:
        self._voice.say("sftp_only")
        return FAILED

    async def _serve(self) -> int:
        actor = await run_in_thread(begin_session, self._identify)
        with self._gateway.limiter.acquire(actor.user_id) as is_acquired:
            if not is_acquired:
                raise ExhaustedError("too_many_sftp", limit=self._gateway.limiter.limit)
            work = VolumeWork(self._gateway, self._identify)
            activity = ActivityTracker()
            try:
                return await first_completed(
                    self._until_client_left(work, activity), self._until_ended(work, activity)
                )
            finally:
                await work.close_all()

    async def _until_client_left(self, work: VolumeWork, activity: ActivityTracker) -> int:
        reader = asyncssh.SSHReader[bytes](self, self._channel)
        writer = asyncssh.SSHWriter[bytes](self, self._channel)
        self._server = VolumeServer(self._channel, work, self._voice, writer.drain, activity)
        await run_sftp_server(self._server, reader, writer, SFTP_VERSION)
        return 0

    async def _until_ended(self, work: VolumeWork, activity: ActivityTracker) -> int:
        """Return when time is over; raises `DomainError` when the key is gone."""
        loop = asyncio.get_running_loop()
        end = loop.time() + SESSION_MAX_S
        while True:
            await asyncio.sleep(self._gateway.recheck_s)
            if activity.idle_s() >= IDLE_MAX_S:
                self._voice.say("ssh_idle")
                return FAILED
            if loop.time() >= end:
                self._voice.say("ssh_too_long")
                return FAILED
            await work.recheck()

    def _note_client_gone(self) -> None:
        if self._server is not None:
            self._server.is_client_gone = True


async def end_sessions(gateway: VolumeGateway) -> None:
    """Return when every session has ended, and the files that it had open are closed."""
    running = tuple(gateway.running)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
