"""Forwards one HTTP request and its response, streamed both ways with constant memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import structlog
from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
)
from yarl import URL

from portal.common.asgi.types import Header, Message, Receive, Scope, Send, get_header
from portal.common.concurrency import first_completed
from portal.gateway.visits import SecretMask

TIMEOUT: Final = ClientTimeout(total=None, sock_connect=5, sock_read=300)
"""No limit on the total: a download may take hours, but must not stall for minutes."""

UPLOAD_SILENCE_S: Final = 60.0
"""An upload may fall silent for so long."""
COLLECT_WITHIN_S: Final = 30.0
"""How long the body of a request to the portal may take to arrive."""

logger = structlog.get_logger(__name__)
Rewrite = Callable[[ClientResponse], Iterable[Header]]


class RelayOutcome(Enum):
    """How a relay ended."""

    DONE = "done"
    CLIENT_GONE = "client_gone"
    CLIENT_SLOW = "client_slow"
    BODY_TOO_LARGE = "body_too_large"
    UPSTREAM_AWAY = "upstream_away"
    """Nothing was sent: there was no connection."""
    UPSTREAM_DOWN = "upstream_down"
    UPSTREAM_SLOW = "upstream_slow"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    """The request to send to the upstream."""

    method: str
    url: URL
    headers: list[tuple[str, str]]
    is_repeatable: bool = False
    """Sent once more when the connection ends without an answer; needs a body read completely."""


class HttpRelay:
    """One request and its response; until `has_answered` an error page can still be sent."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        body_max: int,
        collects_body: bool = False,
        hidden: str = "",
    ) -> None:
        """Bind the client's ends; `collects_body` reads all of a body before the upstream gets any.

        `hidden` is a secret that the answer's body must not show.
        """
        self.has_answered = False
        self._mask = SecretMask(hidden) if hidden else None
        self._collects_body = collects_body
        self._send = send
        self._body = _RequestBody(scope, receive, body_max)

    async def run(
        self,
        client: ClientSession,
        request: UpstreamRequest,
        rewrite: Rewrite,
        *guards: Coroutine[Any, Any, RelayOutcome],
    ) -> RelayOutcome:
        """Relay until done, the client disconnects, the body grows too large or a guard returns.

        After `UPSTREAM_AWAY` a body that was read completely can be sent to another upstream.
        """
        return await first_completed(
            self._exchange(client, request, rewrite), self._body.interruption(), *guards
        )

    async def _exchange(
        self, client: ClientSession, request: UpstreamRequest, rewrite: Rewrite
    ) -> RelayOutcome:
        data: bytes | AsyncIterator[bytes] | None = None
        if self._body.is_expected:
            data = await self._body.whole() if self._collects_body else self._body.chunks()
        repeats = 1 if request.is_repeatable and self._collects_body else 0
        while True:
            try:
                await self._send_once(client, request, data, rewrite)
            except (ClientConnectorError, ConnectionTimeoutError) as error:
                logger.warning("relay.away", host=request.url.host, error=repr(error))
                return RelayOutcome.UPSTREAM_AWAY
            except TimeoutError:
                return RelayOutcome.UPSTREAM_SLOW
            except (ClientError, OSError) as error:
                is_repeated = repeats > 0 and not self.has_answered
                logger.warning(
                    "relay.cut", host=request.url.host, error=repr(error), is_repeated=is_repeated
                )
                if not is_repeated:
                    return RelayOutcome.UPSTREAM_DOWN
                repeats -= 1
            else:
                return RelayOutcome.DONE

    async def _send_once(
        self,
        client: ClientSession,
        request: UpstreamRequest,
        data: bytes | AsyncIterator[bytes] | None,
        rewrite: Rewrite,
    ) -> None:
        async with client.request(
            request.method,
            request.url,
            headers=request.headers,
            data=data,
            allow_redirects=False,
            timeout=TIMEOUT,
        ) as response:
            await self._answer(response, rewrite)

    async def _answer(self, response: ClientResponse, rewrite: Rewrite) -> None:
        start = {"status": response.status, "headers": list(rewrite(response))}
        self.has_answered = True
        await self._send({"type": "http.response.start", **start})
        async for chunk in response.content.iter_any():
            shown = self._mask.feed(chunk) if self._mask else chunk
            await self._send({"type": "http.response.body", "body": shown, "more_body": True})
        rest = self._mask.end() if self._mask else b""
        await self._send({"type": "http.response.body", "body": rest, "more_body": False})


class _RequestBody:
    """The client's body as a stream, and what interrupts it: a disconnect or too many bytes."""

    def __init__(self, scope: Scope, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        length = get_header(scope, b"content-length") or "0"
        self._announced = int(length) if length.isdecimal() else 0
        self.is_expected = self._announced > 0 or bool(get_header(scope, b"transfer-encoding"))
        self._ended = asyncio.Event()
        self._fault: RelayOutcome | None = None
        self._whole: bytes | None = None
        if self._announced > limit:
            self._end(RelayOutcome.BODY_TOO_LARGE)
        elif not self.is_expected:
            self._end(None)

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body; on a fault block, until `interruption` has cancelled the exchange."""
        size, more = 0, True
        while more:
            message = await self._next()
            chunk = message.get("body", b"")
            size += len(chunk)
            if message["type"] == "http.disconnect":
                await self._stop(RelayOutcome.CLIENT_GONE)
            if size > self._limit:
                await self._stop(RelayOutcome.BODY_TOO_LARGE)
            if chunk:
                yield chunk
            more = message.get("more_body", False)
        self._end(None)

    async def whole(self) -> bytes:
        """Return the body once all of it has arrived."""
        if self._whole is not None:
            return self._whole
        try:
            async with asyncio.timeout(COLLECT_WITHIN_S):
                self._whole = b"".join([chunk async for chunk in self.chunks()])
                return self._whole
        except TimeoutError:
            await self._stop(RelayOutcome.CLIENT_SLOW)
            raise

    async def _next(self) -> Message:
        try:
            async with asyncio.timeout(UPLOAD_SILENCE_S):
                return await self._receive()
        except TimeoutError:
            await self._stop(RelayOutcome.CLIENT_SLOW)
            raise

    async def interruption(self) -> RelayOutcome:
        """Return once the client has disconnected or sent more than is allowed."""
        await self._ended.wait()
        while self._fault is None:
            if (await self._receive())["type"] == "http.disconnect":
                self._fault = RelayOutcome.CLIENT_GONE
        return self._fault

    async def _stop(self, fault: RelayOutcome) -> None:
        self._end(fault)
        await asyncio.Event().wait()

    def _end(self, fault: RelayOutcome | None) -> None:
        self._fault = fault
        self._ended.set()
