"""Forwards of an SSH connection: they end at a port inside the caller's own container."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from typing import Final

import asyncssh
import structlog
from django.db import DatabaseError

from portal.access.rendezvous import Printed, StreamEndedError
from portal.access.services import Target
from portal.access.visits import Admit, Visit, Visits, port_order
from portal.common.errors import DomainError
from wire.messages import OpenStream
from wire.streams import Exited, Finish
from wire.values import PORT_MAX

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
CHUNK: Final = 64 * 1024
logger = structlog.get_logger(__name__)

Reader = asyncssh.SSHReader[bytes]
Writer = asyncssh.SSHWriter[bytes]
Serve = Callable[[Reader, Writer], Awaitable[None]]


def is_inside(host: str, port: int) -> bool:
    """Tell whether a client means the container itself; nothing else is ever reached."""
    return host.lower() in LOOPBACK and 1 <= port <= PORT_MAX


def forward(visits: Visits, admit: Admit, port: int, place: ExitStack) -> Serve:
    """Return who serves a forwarded connection, and gives its place back at the end."""

    def order(target: Target) -> OpenStream:
        return port_order(target, port)

    async def serve(reader: Reader, writer: Writer) -> None:
        try:
            async with visits.enter(admit, order, "ssh", f"port {port}") as visit:
                ways = _outwards(visit, writer), _inwards(reader, visit), _until_closed(writer)
                await visits.stay(visit, admit, *ways)
        except (DomainError, DatabaseError, TimeoutError, OSError) as error:
            logger.info("ssh.forward_failed", port=port, error=repr(error))
        finally:
            place.close()
            with suppress(OSError):
                writer.close()

    return serve


async def _outwards(visit: Visit, writer: Writer) -> str:
    while True:
        try:
            said = await visit.node.hear()
            if isinstance(said, Printed):
                visit.activity.note()
                writer.write(said.data)
                await writer.drain()
            elif isinstance(said, Exited):
                return "left"
        except StreamEndedError:
            return "node_gone"
        except (OSError, asyncssh.Error):
            return "left"


async def _inwards(reader: Reader, visit: Visit) -> str:
    try:
        while data := await reader.read(CHUNK):
            visit.activity.note(is_input=True)
            await visit.node.write(data)
        await visit.node.say(Finish())
    except StreamEndedError:
        return "node_gone"
    except (OSError, asyncssh.Error):
        return "left"
    # Only this direction is over: what the server still answers goes on.
    await asyncio.Event().wait()
    return "left"


async def _until_closed(writer: Writer) -> str:
    await writer.wait_closed()
    return "left"
