"""The body of a request: read into memory up to a bound, so that it can be sent again, else streamed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from portal.common.asgi.types import Receive, Scope, get_header

BODY_MAX: Final = 1024 * 1024 * 1024
"""Bytes of a body that is only passed on."""
REPLAY_MAX: Final = 4 * 1024 * 1024
"""Bytes that are kept to be sent again."""
READ_MAX: Final = 64 * 1024 * 1024
"""Bytes of a body that must be read, as on OpenAI's paths."""
SILENCE_S: Final = 60.0
"""How long a client may send nothing of a body."""


class BodyTooLargeError(Exception):
    """The body has more bytes than are taken."""


class BodySlowError(Exception):
    """The client has stopped sending."""


class ClientGoneError(Exception):
    """The client has left."""


class RequestBody:
    """The body of one request."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        """Read nothing yet; a request without length and chunks has no body."""
        length = get_header(scope, b"content-length")
        self._receive = receive
        self._announced = int(length) if length.isdecimal() else 0
        self._has_more = self._announced > 0 or bool(get_header(scope, b"transfer-encoding"))
        self._parts: list[bytes] = []
        self.fault: Exception | None = None
        """Why streaming it ended early."""

    @property
    def is_whole(self) -> bool:
        """Return whether all of it is in memory."""
        return not self._has_more

    @property
    def data(self) -> bytes:
        """Return what is in memory."""
        if len(self._parts) > 1:
            self._parts = [b"".join(self._parts)]
        return self._parts[0] if self._parts else b""

    async def read(self, *, must_be_whole: bool) -> None:
        """Read it, or its first `REPLAY_MAX` bytes; raises `BodyTooLargeError` and the two others."""
        _require_room(self._announced, READ_MAX if must_be_whole else BODY_MAX)
        size = 0
        while self._has_more:
            if not must_be_whole and max(size, self._announced) > REPLAY_MAX:
                return
            part = await self._next()
            self._parts.append(part)
            size += len(part)
            _require_room(size, READ_MAX if must_be_whole else BODY_MAX)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield all of it once, keeping nothing; what goes wrong is in `fault`, too."""
        size = 0
        try:
            for part in self._parts:
                size += len(part)
                yield part
            self._parts = []
            while self._has_more:
                part = await self._next()
                size += len(part)
                _require_room(size, BODY_MAX)
                yield part
        except (BodyTooLargeError, BodySlowError, ClientGoneError) as error:
            self.fault = error
            raise

    async def _next(self) -> bytes:
        try:
            async with asyncio.timeout(SILENCE_S):
                message = await self._receive()
        except TimeoutError as error:
            raise BodySlowError from error
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        self._has_more = message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part


def _require_room(size: int, most: int) -> None:
    if size > most:
        raise BodyTooLargeError
