"""A shell that waits for its page: a lost connection is not the end of what runs in a terminal.

The room holds the visit. Pages come and go; while none is there, what is printed is kept, as far as
it fits, and shown to the next. Five minutes without a page end the visit.
"""

import asyncio
import secrets
from contextlib import suppress
from typing import Final

from portal.access import frames
from portal.access.rendezvous import Printed, StreamEndedError
from portal.access.services import Target
from portal.access.visits import Admit, Visit
from portal.common.actor import Actor
from portal.common.asgi import Receive, Send
from wire.streams import Exited, Resize

KEEP_S: Final = 300.0
"""How long a terminal waits for a page that was cut off."""
TAIL_MAX: Final = 256 * 1024
"""Bytes of what was printed last, for a page that comes back."""
SEND_TIMEOUT_S: Final = 20.0
"""A page slower than this is let go; it comes back and is shown the newest."""

LEFT, BAD_FRAME, REPLACED = 1000, 1003, 4409
CLOSE_CODES: Final = {"revoked": 4403, "unchecked": 1013, "node_gone": 1013}


class Page:
    """A browser's WebSocket, accepted."""

    def __init__(self, receive: Receive, send: Send) -> None:
        """Take over the connection."""
        self._receive = receive
        self._send = send
        self._is_open = True

    async def next(self) -> bytes | frames.Resize | frames.Ping | None:
        """Return what the page sends next; None when it has left on purpose.

        Raises `ConnectionError` when it is gone without a word, `BadFrameError` for nonsense.
        """
        message = await self._receive()
        if message["type"] != "websocket.receive":
            self._is_open = False
            if message.get("code") == LEFT:
                return None
            raise ConnectionError
        text: str | None = message.get("text")
        if text is not None:
            return frames.decode(text)
        data: bytes = message["bytes"]
        if len(data) > frames.TYPED_MAX:
            raise frames.BadFrameError
        return data

    async def show(self, data: bytes) -> None:
        """Send bytes; raises when the page does not take them."""
        await self._put({"type": "websocket.send", "bytes": data})

    async def say(self, frame: frames.Frame) -> None:
        """Send a frame; raises when the page does not take it."""
        await self._put({"type": "websocket.send", "text": frame.model_dump_json()})

    async def close(self, code: int, last: frames.Frame | None = None) -> None:
        """Say a last word and close; what is gone already needs neither."""
        if not self._is_open:
            return
        with suppress(OSError, RuntimeError, TimeoutError):
            if last is not None:
                await self.say(last)
            self._is_open = False
            await self._send({"type": "websocket.close", "code": code})

    async def _put(self, event: dict[str, object]) -> None:
        if not self._is_open:
            raise ConnectionError
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await self._send(event)


class Room:
    """One shell, and at most one page that looks at it."""

    def __init__(self, visit: Visit, admit: Admit) -> None:
        """Begin without a page."""
        self.name = secrets.token_urlsafe(24)
        self.visit = visit
        self._admit = admit
        self._page: Page | None = None
        self._tail = bytearray()
        self._speaking = asyncio.Lock()
        """Held while bytes are shown, so that a page that comes back gets all of them once."""
        self._has_changed = asyncio.Event()
        self._is_left = False
        self._exit: Exited | None = None

    async def admit(self) -> tuple[Actor, Target]:
        """Ask by the credentials of the page that came last."""
        return await self._admit()

    async def host(self, page: Page, admit: Admit, size: tuple[int, int], *, is_back: bool) -> None:
        """Serve a page until it leaves; an earlier one has to go."""
        async with self._speaking:
            if self._page is not None:
                await self._page.close(REPLACED, frames.Closed(code="replaced"))
            self._page, self._admit = page, admit
            self._has_changed.set()
            await page.say(frames.Ready(session=self.name, is_resumed=is_back))
            if self._tail:
                await page.show(bytes(self._tail))
        try:
            await self.visit.node.say(Resize(columns=size[0], rows=size[1]))
            await self._obey(page)
        except frames.BadFrameError:
            await page.close(BAD_FRAME)
        except (OSError, StreamEndedError, TimeoutError):
            return
        finally:
            if self._page is page:
                self._page = None
                self._has_changed.set()

    async def print_out(self) -> str:
        """Show what the shell prints until it ends; returns why."""
        while True:
            try:
                said = await self.visit.node.hear()
            except StreamEndedError:
                return "node_gone"
            if isinstance(said, Exited):
                self._exit = said
                return "exited"
            if isinstance(said, Printed):
                self.visit.activity.note()
                await self._show(said.data)

    async def until_left(self) -> str:
        """Return once no page has been there for five minutes, or one said good-bye."""
        while not self._is_left:
            self._has_changed.clear()
            patience = None if self._page is not None else KEEP_S
            try:
                async with asyncio.timeout(patience):
                    await self._has_changed.wait()
            except TimeoutError:
                break
        return "left"

    async def close(self, reason: str) -> None:
        """Tell the page how it ended."""
        if self._page is None:
            return
        if self._exit is not None:
            await self._page.close(LEFT, frames.Exited(code=self._exit.code))
        else:
            code = CLOSE_CODES.get(reason, LEFT)
            await self._page.close(code, frames.Closed(code=reason))

    async def _obey(self, page: Page) -> None:
        while (sent := await page.next()) is not None:
            match sent:
                case bytes():
                    self.visit.activity.note(is_input=True)
                    await self.visit.node.write(sent)
                case frames.Resize():
                    await self.visit.node.say(Resize(columns=sent.columns, rows=sent.rows))
                case frames.Ping():
                    await page.say(frames.Pong())
        self._is_left = True
        self._has_changed.set()

    async def _show(self, data: bytes) -> None:
        async with self._speaking:
            self._tail += data
            del self._tail[:-TAIL_MAX]
            if self._page is not None:
                with suppress(OSError, TimeoutError, RuntimeError):
                    await self._page.show(data)
