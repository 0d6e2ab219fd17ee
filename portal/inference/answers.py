"""The client's end of one request: an answer begins once, and ends whole or visibly cut."""

import asyncio
from collections.abc import Iterable
from typing import Final

from portal.common.asgi.types import Header, Scope, Send
from portal.inference.refusals import Refusal, encode_error_event, encode_refusal
from portal.serving_usage.routes import Protocol

BEAT: Final = b": waiting for a replica\n\n"
"""A comment of an event stream, which clients skip."""
STALLED_S: Final = 60.0
"""A client that takes nothing for so long is disconnected: it would keep its place at a replica."""
_EVENT_STREAM: Final[list[Header]] = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
]


class ClientStalledError(Exception):
    """The client takes nothing any more."""


class Answer:
    """What is sent to the client."""

    def __init__(self, scope: Scope, send: Send, protocol: Protocol) -> None:
        """Send nothing yet."""
        self.has_begun = False
        """Whether the head was sent, be it only to hold the client."""
        self.has_content = False
        """Whether something of a replica was sent."""
        self.is_over = False
        self._scope = scope
        self._send = send
        self._protocol = protocol
        self._is_stream = False
        self._ends_event = True
        self._may_stall = False

    async def begin(self, status: int, headers: Iterable[Header], *, is_stream: bool) -> None:
        """Send the head, unless a held stream has it already."""
        self.has_content = True
        if not self.has_begun:
            self.has_begun, self._is_stream = True, is_stream
            await self._put(
                {"type": "http.response.start", "status": status, "headers": list(headers)}
            )

    async def beat(self) -> None:
        """Send a sign of life to a client that waits for events."""
        if not self.has_begun:
            self.has_begun = self._is_stream = True
            head = {"type": "http.response.start", "status": 200, "headers": _EVENT_STREAM}
            await self._put(head)
        await self.write(BEAT)

    @property
    def is_held_stream(self) -> bool:
        """Return whether the client was promised events before a replica had the request."""
        return self.has_begun and not self.has_content

    async def write(self, data: bytes) -> None:
        """Send a part of the body."""
        self._may_stall = True
        if self._is_stream:
            self._ends_event = data.endswith((b"\n\n", b"\r\n\r\n"))
        await self._put({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self, data: bytes = b"") -> None:
        """Send the last part of the body."""
        self.is_over = True
        await self._put({"type": "http.response.body", "body": data, "more_body": False})

    async def refuse(self, refusal: Refusal) -> None:
        """Say why there is no answer, or no more of it; without events a cut answer just stops."""
        if not self.has_begun:
            headers, document = encode_refusal(refusal, self._protocol, self._scope)
            self.has_begun = True
            start = {"type": "http.response.start", "status": refusal.status, "headers": headers}
            await self._put(start)
            await self.end(document)
        elif self._is_stream and not self.is_over:
            event = encode_error_event(refusal, self._protocol, self._scope)
            await self.end(event if self._ends_event else b"\n\n" + event)

    async def _put(self, message: dict[str, object]) -> None:
        if not self._may_stall:  # nothing is before it in the buffer of the connection
            await self._send(message)
            return
        try:
            async with asyncio.timeout(STALLED_S):
                await self._send(message)
        except TimeoutError as error:
            raise ClientStalledError from error
