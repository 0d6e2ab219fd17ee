"""Where a person's connection and a node's stream meet.

The portal never connects to a node: it asks over the node's link, and the node comes with a
WebSocket for exactly this stream. Both ends live in this process, which holds the node's link.
"""

import asyncio
import base64
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError

from portal.common.asgi import Receive, Scope, Send, answer, header, path
from portal.common.errors import ConflictError
from portal.common.seats import Seats
from portal.common.threads import in_thread
from wire.codec import BadFrameError, encode
from wire.messages import OpenStream
from wire.streams import (
    BYTES_MAX,
    Diagnostics,
    Exited,
    Failed,
    Finish,
    Opened,
    Resize,
    SendSignal,
    decode_from_agent,
)
from wire.values import Message as WireMessage

STREAM: Final = re.compile(r"/node/v1/streams/([0-9a-f]{32})")
ARRIVE_S: Final = 15.0
"""How long a node may take to come with a stream."""
BEGIN_S: Final = 30.0
"""How long it may take from there into the container."""
SEND_TIMEOUT_S: Final = 20.0
"""A reader slower than this is let go."""
STREAMS_PER_NODE_MAX: Final = 256
"""Terminals and connections into one node at a time."""

GONE: Final = 1000
FAILURES: Final = frozenset(
    {
        "container_gone",
        "no_shell",
        "no_relay",
        "nothing_listens",
        "too_many_streams",
        "unavailable",
    }
)
"""What a node may say of a stream that it could not open; each has a sentence in `locales`."""

_BEARER: Final = "Bearer "
logger = structlog.get_logger(__name__)


class StreamEndedError(Exception):
    """The node's end of the stream is gone."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Bytes that the container's end sent."""

    data: bytes
    is_diagnostics: bool = False


class NodeEnd:
    """The node's end of one stream, once it is open."""

    def __init__(self, receive: Receive, send: Send) -> None:
        """Take over the node's WebSocket, accepted."""
        self._receive = receive
        self._send = send
        self.left = asyncio.Event()
        """Set when nobody uses it any more; the node's connection is then closed."""

    async def hear(self) -> Printed | Opened | Finish | Exited | Failed:
        """Return what comes next; raises `StreamEndedError`."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise StreamEndedError
        if (text := message.get("text")) is None:
            return Printed(message["bytes"])
        try:
            said = decode_from_agent(text)
            if isinstance(said, Diagnostics):
                return Printed(base64.b64decode(said.data, validate=True), is_diagnostics=True)
        except (BadFrameError, ValueError) as error:
            raise StreamEndedError from error
        return said

    async def write(self, data: bytes) -> None:
        """Send bytes on; returns when there is room for more. Raises `StreamEndedError`."""
        for begin in range(0, len(data), BYTES_MAX):
            await self._put({"type": "websocket.send", "bytes": data[begin : begin + BYTES_MAX]})

    async def say(self, message: Resize | SendSignal | Finish) -> None:
        """Send a message on; raises `StreamEndedError`."""
        await self._put({"type": "websocket.send", "text": encode(message)})

    async def _put(self, event: dict[str, object]) -> None:
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._send(event)
        except (TimeoutError, OSError, RuntimeError) as error:
            raise StreamEndedError from error


@dataclass(slots=True)
class _Expected:
    """A stream that a node was asked for."""

    node_id: UUID
    arrived: "asyncio.Future[NodeEnd]"


@dataclass(frozen=True, slots=True)
class Rendezvous:
    """Asks nodes for streams, and is the ASGI application of `/node/v1/streams/<id>`."""

    authenticate: Callable[[str], UUID | None]
    tell: Callable[[UUID, WireMessage], Awaitable[bool]]
    seats: Seats = field(default_factory=lambda: Seats(STREAMS_PER_NODE_MAX))
    _expected: dict[str, _Expected] = field(default_factory=dict)

    @asynccontextmanager
    async def stream(self, node_id: UUID, order: OpenStream) -> AsyncIterator[NodeEnd]:
        """Open a stream for the block; raises `ConflictError` with the reason when it cannot be."""
        with self.seats.take(node_id) as has_place:
            if not has_place:
                raise ConflictError("node_streams_full")
            end = await self._fetched(node_id, order)
            try:
                await _begun(end)
                yield end
            finally:
                end.left.set()

    async def _fetched(self, node_id: UUID, order: OpenStream) -> NodeEnd:
        name = secrets.token_hex(16)
        arrived: asyncio.Future[NodeEnd] = asyncio.get_running_loop().create_future()
        self._expected[name] = _Expected(node_id, arrived)
        try:
            if not await self.tell(node_id, order.model_copy(update={"stream": name})):
                raise ConflictError("node_offline")
            async with asyncio.timeout(ARRIVE_S):
                return await arrived
        except TimeoutError as error:
            raise ConflictError("node_silent") from error
        finally:
            del self._expected[name]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a node's connection: only the node that was asked, only once, only in time."""
        named = STREAM.fullmatch(path(scope))
        key = header(scope, b"authorization").removeprefix(_BEARER)
        try:
            node_id = await in_thread(self.authenticate, key)
        except (DatabaseError, TimeoutError):
            await answer(scope, send, 503, [(b"retry-after", b"2")])
            return
        if node_id is None:
            await answer(scope, send, 401, [(b"www-authenticate", b"Bearer")])
            return
        expected = self._expected.get(named[1]) if named else None
        if expected is None or expected.node_id != node_id or expected.arrived.done():
            await answer(scope, send, 404, [])
            return
        await receive()  # the `websocket.connect` that opens every connection
        await send({"type": "websocket.accept"})
        end = NodeEnd(receive, send)
        if not expected.arrived.done():
            expected.arrived.set_result(end)
            await end.left.wait()
        with suppress(OSError, RuntimeError):  # the node may have closed first
            await send({"type": "websocket.close", "code": GONE})


async def _begun(end: NodeEnd) -> None:
    """Wait until the node says that it is inside; raises `ConflictError`."""
    try:
        async with asyncio.timeout(BEGIN_S):
            said = await end.hear()
    except (TimeoutError, StreamEndedError) as error:
        raise ConflictError("node_silent") from error
    if isinstance(said, Failed):
        logger.info("stream.failed", code=said.code, detail=said.detail)
        known = said.code if said.code in FAILURES else "unavailable"
        raise ConflictError(f"stream_{known}")
    if not isinstance(said, Opened):
        raise ConflictError("node_silent")
