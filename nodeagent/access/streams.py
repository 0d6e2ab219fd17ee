"""Streams of this node: each joins one WebSocket of the portal to one session in a container.

There is backpressure on both sides: a frame is read when the last one was taken, so a slow reader
delays the command and does not fill the agent's memory. A stream ends with its command, with its
container, with the portal's end of it, or at its time limit; then the session is closed and nothing
of it runs any more.
"""

import asyncio
import base64
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final

import aiohttp
import structlog

from nodeagent.access.session import (
    AccessError,
    AccessSession,
    ExecAdapter,
    OutputChannel,
    TerminalSize,
)
from nodeagent.core.state import ContainerKey
from nodeagent.link.identity import NodeCredentials
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
    decode_to_agent,
)
from wire.values import Message

STREAMS_PATH: Final = "/node/v1/streams/"
STREAMS_MAX: Final = 512
STREAMS_PER_CONTAINER_MAX: Final = 64
CONNECT_S: Final = 10.0
PING_S: Final = 15.0
STREAM_S_MAX: Final = 25 * 3600.0
"""An hour more than the portal's own limit, in case the portal does not enforce it."""
LIVENESS_POLL_S: Final = 1.0
"""Between checks whether the container is still alive."""

log = structlog.get_logger()


class ContainerStreams:
    """Opens and serves streams on the portal's request."""

    def __init__(
        self,
        portal_url: str,
        credentials: NodeCredentials,
        exec_adapter: ExecAdapter,
        *,
        per_container_max: int = STREAMS_PER_CONTAINER_MAX,
        liveness_poll_s: float = LIVENESS_POLL_S,
    ) -> None:
        """Serve streams to this portal, into the containers of this adapter."""
        self._url = portal_url.rstrip("/") + STREAMS_PATH
        self._credentials = credentials
        self._exec_adapter = exec_adapter
        self._per_container_max = per_container_max
        self._liveness_poll_s = liveness_poll_s
        self._open: Counter[ContainerKey] = Counter()

    async def serve(self, order: OpenStream, is_live: Callable[[ContainerKey], bool]) -> None:
        """Open one stream and serve it to its end."""
        key = ContainerKey(order.allocation, order.epoch)
        try:
            async with (
                asyncio.timeout(STREAM_S_MAX),
                aiohttp.ClientSession(headers=self._credentials.headers()) as client,
                self._connect(client, order.stream) as socket,
            ):
                await self._serve_session(socket, order, key, is_live)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            log.info("stream.cut", stream=order.stream, error=str(error) or repr(error))

    @asynccontextmanager
    async def _connect(
        self, client: aiohttp.ClientSession, stream: str
    ) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        async with asyncio.timeout(CONNECT_S):
            socket = await client.ws_connect(
                self._url + stream, heartbeat=PING_S, max_msg_size=4 * BYTES_MAX, compress=0
            )
        async with socket:
            yield socket

    async def _serve_session(
        self,
        socket: aiohttp.ClientWebSocketResponse,
        order: OpenStream,
        key: ContainerKey,
        is_live: Callable[[ContainerKey], bool],
    ) -> None:
        with self._reserve_slot(key) as has_place:
            if not has_place:
                await _send(socket, Failed(code="too_many_streams"))
                return
            try:
                session = await self._open_session(order, key, is_live)
            except AccessError as error:
                log.info("stream.refused", stream=order.stream, code=error.code)
                await _send(socket, Failed(code=error.code, detail=error.detail))
                return
            try:
                await _send(socket, Opened())
                await _wait_first(
                    _forward_output(session, socket),
                    _forward_input(socket, session),
                    self._wait_until_gone(key, is_live),
                )
            finally:
                # Also when the agent ends: no process of a user's session may stay.
                await asyncio.shield(session.close())

    async def _wait_until_gone(
        self, key: ContainerKey, is_live: Callable[[ContainerKey], bool]
    ) -> None:
        """Return once the container is gone; the core sends no event for that, so poll."""
        while True:
            if not is_live(key):
                return
            await asyncio.sleep(self._liveness_poll_s)

    @contextmanager
    def _reserve_slot(self, key: ContainerKey) -> Iterator[bool]:
        """Hold one of a finite number of slots inside the block; False when all are taken."""
        is_free = self._open.total() < STREAMS_MAX and self._open[key] < self._per_container_max
        self._open[key] += is_free
        try:
            yield is_free
        finally:
            self._open[key] -= is_free
            if not self._open[key]:
                del self._open[key]

    async def _open_session(
        self, order: OpenStream, key: ContainerKey, is_live: Callable[[ContainerKey], bool]
    ) -> AccessSession:
        if not is_live(key):
            raise AccessError("container_gone")
        if order.kind == "port":
            if order.port is None:
                raise AccessError("nothing_listens")
            return await self._exec_adapter.open_port(key, order.port)
        window = TerminalSize(order.columns, order.rows) if order.has_tty else None
        return await self._exec_adapter.open_shell(key, order.command, window)


async def _forward_output(session: AccessSession, socket: aiohttp.ClientWebSocketResponse) -> None:
    """Pass on what the container writes, and at last its exit code."""
    while (part := await session.read()) is not None:
        source, data = part
        for begin in range(0, len(data), BYTES_MAX):
            piece = data[begin : begin + BYTES_MAX]
            if source is OutputChannel.OUTPUT:
                await socket.send_bytes(piece)
            else:
                text = base64.b64encode(piece).decode("ascii")
                await _send(socket, Diagnostics(data=text))
    await _send(socket, Exited(code=await session.wait_for_exit()))


async def _forward_input(socket: aiohttp.ClientWebSocketResponse, session: AccessSession) -> None:
    """Pass on what the portal sends; returns when it has closed the stream."""
    async for frame in socket:
        if frame.type is aiohttp.WSMsgType.BINARY:
            await session.write(frame.data)
        elif frame.type is aiohttp.WSMsgType.TEXT:
            try:
                message = decode_to_agent(frame.data)
            except BadFrameError as error:
                log.warning("stream.bad_frame", error=str(error)[:200])
                return
            match message:
                case Resize():
                    await session.resize(TerminalSize(message.columns, message.rows))
                case SendSignal():
                    await session.send_signal(message.name)
                case Finish():
                    await session.close_input()


async def _wait_first(*work: Coroutine[Any, Any, None]) -> None:
    """Wait for the first to end; the others are cancelled and have ended by then."""
    tasks = [asyncio.ensure_future(item) for item in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def _send(socket: aiohttp.ClientWebSocketResponse, message: Message) -> None:
    with suppress(ConnectionError):
        await socket.send_str(encode(message))
