"""A shell that survives its page: a lost connection does not end what runs in a terminal.

The session holds the stream into the container; pages attach and detach. The latest output is kept
and sent to the next page that attaches. Five minutes without a page end the session.
"""

import asyncio
import secrets
from contextlib import suppress
from typing import Final

from portal.access.services import AccessTarget
from portal.access.sessions import Authorize, ContainerSession
from portal.access.terminal import frames
from portal.access.terminal.frames import TerminalCloseCode
from portal.common.actor import Actor
from portal.common.asgi.types import Receive, Send
from portal.common.frames import BadPageFrameError, PageFrame
from portal.execution.streams import CommandEnded, StreamEndedError, StreamOutput, WindowSize

DETACHED_MAX_S: Final = 300.0
"""How long a terminal is kept for a page that lost its connection."""
SCROLLBACK_MAX: Final = 256 * 1024
"""Bytes of the latest output that are kept for a page that attaches."""
SEND_TIMEOUT_S: Final = 20.0
"""A slower page is detached; it attaches again and gets the latest output."""

CLOSE_CODES: Final = {
    "revoked": TerminalCloseCode.NOT_ALLOWED,
    "unchecked": TerminalCloseCode.UNAVAILABLE,
    "node_gone": TerminalCloseCode.UNAVAILABLE,
}


class TerminalSocket:
    """A browser's WebSocket, accepted."""

    def __init__(self, receive: Receive, send: Send) -> None:
        """Wrap the connection."""
        self._receive = receive
        self._send = send
        self._is_open = True

    async def receive(self) -> bytes | frames.TerminalResize | frames.TerminalPing | None:
        """Return the page's next input or frame; None when it has closed the connection normally.

        Raises:
            ConnectionError: the connection was lost.
            BadPageFrameError: the frame is not of this protocol.
        """
        message = await self._receive()
        if message["type"] != "websocket.receive":
            self._is_open = False
            if message.get("code") == TerminalCloseCode.LEFT:
                return None
            raise ConnectionError
        text: str | None = message.get("text")
        if text is not None:
            return frames.decode_frame(text)
        data: bytes = message["bytes"]
        if len(data) > frames.INPUT_MAX:
            raise BadPageFrameError
        return data

    async def send_output(self, data: bytes) -> None:
        """Send bytes; raises when the page does not take them."""
        await self._put({"type": "websocket.send", "bytes": data})

    async def send(self, frame: PageFrame) -> None:
        """Send a frame; raises when the page does not take it."""
        await self._put({"type": "websocket.send", "text": frame.model_dump_json()})

    async def close(self, code: int, last: PageFrame | None = None) -> None:
        """Close the connection, after one last frame; does nothing when it is closed already."""
        if not self._is_open:
            return
        with suppress(OSError, RuntimeError, TimeoutError):
            if last is not None:
                await self.send(last)
            self._is_open = False
            await self._send({"type": "websocket.close", "code": code})

    async def _put(self, event: dict[str, object]) -> None:
        if not self._is_open:
            raise ConnectionError
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await self._send(event)


class ReconnectingTerminal:
    """One shell, with at most one page attached."""

    def __init__(
        self, session: ContainerSession, authorize: Authorize, process_id: str = ""
    ) -> None:
        """Start detached."""
        self.name = process_id + secrets.token_urlsafe(24)[len(process_id) :]
        self.session = session
        self._authorize = authorize
        self._socket: TerminalSocket | None = None
        self._scrollback = bytearray()
        self._output_lock = asyncio.Lock()
        """Held while output is sent, so that a page that attaches gets all of it once."""
        self._has_changed = asyncio.Event()
        self._is_left = False
        self._exit: CommandEnded | None = None

    async def authorize(self) -> tuple[Actor, AccessTarget]:
        """Check the rights of the page that attached last."""
        return await self._authorize()

    async def attach(
        self,
        socket: TerminalSocket,
        authorize: Authorize,
        size: tuple[int, int],
        *,
        is_resumed: bool,
    ) -> None:
        """Serve a page until it leaves; one that is attached already is closed."""
        async with self._output_lock:
            if self._socket is not None:
                await self._socket.close(
                    TerminalCloseCode.REPLACED, frames.TerminalClosed(code="replaced")
                )
            self._socket, self._authorize = socket, authorize
            self._has_changed.set()
            await socket.send(frames.TerminalReady(session=self.name, is_resumed=is_resumed))
            if self._scrollback:
                await socket.send_output(bytes(self._scrollback))
        try:
            await self.session.stream.send(WindowSize(*size))
            await self._forward_input(socket)
        except BadPageFrameError:
            await socket.close(TerminalCloseCode.BAD_FRAME)
        except (OSError, StreamEndedError, TimeoutError):
            return
        finally:
            if self._socket is socket:
                self._socket = None
                self._has_changed.set()

    async def forward_output(self) -> str:
        """Send the shell's output to the page until the shell ends; return why it ended."""
        while True:
            try:
                message = await self.session.stream.receive()
            except StreamEndedError:
                return "node_gone"
            if isinstance(message, CommandEnded):
                self._exit = message
                return "exited"
            if isinstance(message, StreamOutput):
                self.session.activity.record()
                await self._send_output(message.data)

    async def until_left(self) -> str:
        """Return once a page has closed the terminal, or none was attached for five minutes."""
        while not self._is_left:
            self._has_changed.clear()
            timeout = None if self._socket is not None else DETACHED_MAX_S
            try:
                async with asyncio.timeout(timeout):
                    await self._has_changed.wait()
            except TimeoutError:
                break
        return "left"

    async def close(self, reason: str) -> None:
        """Send the page the reason of the end, and close it."""
        if self._socket is None:
            return
        if self._exit is not None:
            await self._socket.close(
                TerminalCloseCode.LEFT, frames.TerminalExited(code=self._exit.code)
            )
        else:
            code = CLOSE_CODES.get(reason, TerminalCloseCode.LEFT)
            await self._socket.close(code, frames.TerminalClosed(code=reason))

    async def _forward_input(self, socket: TerminalSocket) -> None:
        while (message := await socket.receive()) is not None:
            match message:
                case bytes():
                    self.session.activity.record(is_input=True)
                    await self.session.stream.write(message)
                case frames.TerminalResize():
                    resize = WindowSize(message.columns, message.rows)
                    await self.session.stream.send(resize)
                case frames.TerminalPing():
                    await socket.send(frames.TerminalPong())
        self._is_left = True
        self._has_changed.set()

    async def _send_output(self, data: bytes) -> None:
        async with self._output_lock:
            self._scrollback += data
            del self._scrollback[:-SCROLLBACK_MAX]
            if self._socket is not None:
                with suppress(OSError, TimeoutError, RuntimeError):
                    await self._socket.send_output(data)
