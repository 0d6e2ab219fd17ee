"""Streams over a node's own connections: joins a client's connection with a stream that the node opens.

The portal never connects to a node: it sends a request over the node's link, and the node connects
back with a WebSocket for exactly this stream. Both ends are in this process, which holds the link.
"""

import asyncio
import base64
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError

from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.types import Receive, Scope, Send, get_header, raw_path, send_response
from portal.common.concurrency import run_in_thread
from portal.common.errors import ConflictError
from portal.common.process_ids import owner_of
from portal.execution.streams import (
    CommandEnded,
    EndOfData,
    Shell,
    SignalSent,
    StreamEndedError,
    StreamOutput,
    StreamRequest,
    WindowSize,
)
from wire import streams as messages
from wire.codec import BadFrameError, encode
from wire.messages import OpenStream
from wire.streams import BYTES_MAX, StreamFromAgent, decode_from_agent
from wire.values import Message as WireMessage

STREAM_PATH: Final = re.compile(r"/node/v1/streams/([0-9a-f]{32})")
CONNECT_TIMEOUT_S: Final = 15.0
"""How long a node may take to connect back."""
OPEN_TIMEOUT_S: Final = 30.0
"""How long it may take from there to open the stream inside the container."""
SEND_TIMEOUT_S: Final = 20.0
"""A slower reader is disconnected."""
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
"""Codes of a node that could not open a stream; each has a sentence in `locales`."""

_CONTROLS: Final[Mapping[type, type[WireMessage]]] = {
    WindowSize: messages.Resize,
    SignalSent: messages.SendSignal,
    EndOfData: messages.Finish,
}
_BEARER: Final = "Bearer "
logger = structlog.get_logger(__name__)


class NodeStream:
    """An open stream into a container, as a WebSocket of its node."""

    def __init__(self, receive: Receive, send: Send) -> None:
        """Wrap the node's WebSocket, accepted."""
        self._receive = receive
        self._send = send
        self.released = asyncio.Event()
        """Set when the stream is no longer used; the node's connection is then closed."""

    async def wait_opened(self) -> None:
        """Return once it is open inside the container; raises `ConflictError`."""
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                message = await self._next()
        except (TimeoutError, StreamEndedError) as error:
            raise ConflictError("node_silent") from error
        if isinstance(message, messages.Failed):
            logger.info("stream.failed", code=message.code, detail=message.detail)
            known = message.code if message.code in FAILURES else "unavailable"
            raise ConflictError(f"stream_{known}")
        if not isinstance(message, messages.Opened):
            raise ConflictError("node_silent")

    async def receive(self) -> StreamOutput | EndOfData | CommandEnded:
        """Return the next output or message; raises `StreamEndedError`."""
        match await self._next():
            case bytes() as data:
                return StreamOutput(data)
            case messages.Diagnostics(data=text):
                return StreamOutput(_decoded(text), is_diagnostics=True)
            case messages.Finish():
                return EndOfData()
            case messages.Exited(code=code):
                return CommandEnded(code)
            case messages.Opened() | messages.Failed():
                raise StreamEndedError

    async def _next(self) -> bytes | StreamFromAgent:
        event = await self._receive()
        if event["type"] != "websocket.receive":
            raise StreamEndedError
        if (text := event.get("text")) is None:
            data: bytes = event["bytes"]
            return data
        try:
            return decode_from_agent(text)
        except BadFrameError as error:
            raise StreamEndedError from error

    async def write(self, data: bytes) -> None:
        """Send bytes; returns when the node has taken them. Raises `StreamEndedError`."""
        for begin in range(0, len(data), BYTES_MAX):
            await self._put({"type": "websocket.send", "bytes": data[begin : begin + BYTES_MAX]})

    async def send(self, control: WindowSize | SignalSent | EndOfData) -> None:
        """Send what is not data; raises `StreamEndedError`."""
        message = _CONTROLS[type(control)].model_validate(control, from_attributes=True)
        await self._put({"type": "websocket.send", "text": encode(message)})

    async def _put(self, event: dict[str, object]) -> None:
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._send(event)
        except (TimeoutError, OSError, RuntimeError) as error:
            raise StreamEndedError from error


@dataclass(slots=True)
class _PendingStream:
    """A stream that a node was asked for and has not connected yet."""

    node_id: UUID
    connected: "asyncio.Future[NodeStream]"


@dataclass(frozen=True, slots=True)
class StreamBroker:
    """Requests streams from nodes; the ASGI application of `/node/v1/streams/<id>`."""

    authenticate_node: Callable[[str], UUID | None]
    send_to_node: Callable[[UUID, WireMessage], Awaitable[bool]]
    process_id: str = ""
    """Begins the name of every stream, so that a node's connection finds its process."""
    limiter: ConnectionLimiter = field(
        default_factory=lambda: ConnectionLimiter(STREAMS_PER_NODE_MAX)
    )
    _pending: dict[str, _PendingStream] = field(default_factory=dict)

    @asynccontextmanager
    async def open_stream(self, node_id: UUID, request: StreamRequest) -> AsyncIterator[NodeStream]:
        """Provide a stream for the block; raises `ConflictError` when it cannot be opened."""
        with self.limiter.acquire(node_id) as is_acquired:
            if not is_acquired:
                raise ConflictError("node_streams_full")
            stream = await self._request(node_id, request)
            try:
                await stream.wait_opened()
                yield stream
            finally:
                stream.released.set()

    async def _request(self, node_id: UUID, request: StreamRequest) -> NodeStream:
        name = self.process_id + secrets.token_hex(16)[len(self.process_id) :]
        connected: asyncio.Future[NodeStream] = asyncio.get_running_loop().create_future()
        self._pending[name] = _PendingStream(node_id, connected)
        try:
            if not await self.send_to_node(node_id, _to_message(name, request)):
                raise ConflictError("node_offline")
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                return await connected
        except TimeoutError as error:
            raise ConflictError("node_silent") from error
        finally:
            del self._pending[name]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a node's connection: only of the node that was asked, once, and in time."""
        named = STREAM_PATH.fullmatch(raw_path(scope))
        key = get_header(scope, b"authorization").removeprefix(_BEARER)
        try:
            node_id = await run_in_thread(self.authenticate_node, key)
        except (DatabaseError, TimeoutError) as error:
            logger.warning("stream.database_away", error=repr(error))
            await send_response(scope, send, 503, [(b"retry-after", b"2")])
            return
        if node_id is None:
            await send_response(scope, send, 401, [(b"www-authenticate", b"Bearer")])
            return
        pending = self._pending.get(named[1]) if named else None
        if pending is None or pending.node_id != node_id or pending.connected.done():
            await send_response(scope, send, 404, [])
            return
        await receive()  # the `websocket.connect` that opens every connection
        await send({"type": "websocket.accept"})
        stream = NodeStream(receive, send)
        if not pending.connected.done():
            pending.connected.set_result(stream)
            await stream.released.wait()
        with suppress(OSError, RuntimeError):  # the node may have closed first
            await send({"type": "websocket.close", "code": GONE})


def get_stream_owner(scope: Scope) -> str:
    """Return the id of the process that has requested the stream of a node's connection."""
    return owner_of(raw_path(scope).rpartition("/")[2])


def _to_message(name: str, request: StreamRequest) -> OpenStream:
    of_attempt = {"stream": name, "allocation": request.allocation, "epoch": request.epoch}
    if isinstance(what := request.what, Shell):
        return OpenStream(kind="terminal", **of_attempt, **asdict(what))
    return OpenStream(kind="port", port=what, **of_attempt)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise StreamEndedError from error
