"""Port forwarding of SSH connections, to ports inside the caller's own container only."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from typing import Final

import asyncssh
import structlog
from django.db import DatabaseError

from portal.access.sessions import (
    Authorize,
    ContainerSession,
    ContainerSessions,
)
from portal.common.errors import DomainError
from portal.execution.streams import CommandEnded, EndOfData, StreamEndedError, StreamOutput
from wire.values import PORT_MAX

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
CHUNK: Final = 64 * 1024
logger = structlog.get_logger(__name__)

Reader = asyncssh.SSHReader[bytes]
Writer = asyncssh.SSHWriter[bytes]
ForwardHandler = Callable[[Reader, Writer], Awaitable[None]]


def is_container_port(host: str, port: int) -> bool:
    """Return whether a destination is a port of the container itself; all others are refused."""
    return host.lower() in LOOPBACK and 1 <= port <= PORT_MAX


def forward_port(
    sessions: ContainerSessions, authorize: Authorize, port: int, channel: ExitStack
) -> ForwardHandler:
    """Return the handler of a forwarded connection; `channel` is closed at its end."""

    async def handle(reader: Reader, writer: Writer) -> None:
        try:
            async with sessions.open(authorize, port, "ssh", f"port {port}") as session:
                work = (
                    _forward_output(session, writer),
                    _forward_input(reader, session),
                    _until_closed(writer),
                )
                await sessions.run(session, authorize, *work)
        except (DomainError, DatabaseError, TimeoutError, OSError) as error:
            logger.info("ssh.forward_failed", port=port, error=repr(error))
        finally:
            channel.close()
            with suppress(OSError):
                writer.close()

    return handle


async def _forward_output(session: ContainerSession, writer: Writer) -> str:
    while True:
        try:
            message = await session.stream.receive()
            if isinstance(message, StreamOutput):
                session.activity.record()
                writer.write(message.data)
                await writer.drain()
            elif isinstance(message, CommandEnded):
                return "left"
        except StreamEndedError:
            return "node_gone"
        except (OSError, asyncssh.Error):
            return "left"


async def _forward_input(reader: Reader, session: ContainerSession) -> str:
    try:
        while data := await reader.read(CHUNK):
            session.activity.record(is_input=True)
            await session.stream.write(data)
        await session.stream.send(EndOfData())
    except StreamEndedError:
        return "node_gone"
    except (OSError, asyncssh.Error):
        return "left"
    # Only this direction has ended: the server inside may still answer.
    await asyncio.Event().wait()
    return "left"


async def _until_closed(writer: Writer) -> str:
    await writer.wait_closed()
    return "left"
