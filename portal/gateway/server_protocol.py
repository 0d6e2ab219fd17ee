"""uvicorn's protocols with limits that they lack: of a request's head, of time, of connections.

A refusal is a problem document, as everywhere else. The head of an upgrade has the same limits as
that of any other request, so that cookies which pass here pass there.
"""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any, Final

import uvicorn
from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State

from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.problems import encode_problem
from portal.common.asgi.types import Header, Message, Receive, Scope, Send, get_header
from portal.common.rest.problems import Problem
from portal.gateway.error_pages import ErrorPage, render_error_page

HEAD_MAX: Final = 64 * 1024
"""Bytes of request line and headers that may be pending."""
HEADERS_MAX: Final = 256
"""Headers of a request."""
TARGET_MAX: Final = 8000
"""Bytes of path and query."""
HEAD_WITHIN_S: Final = 15.0
"""How long the headers of a request may take to arrive."""
HANDSHAKE_WITHIN_S: Final = 60.0
"""From the head of an upgrade to its answer; above the time that a query of the database may take."""
DISCARDED_MAX: Final = 1024 * 1024
"""Bytes of a refused body that are still read, so that the client can read the refusal."""
DISCARD_WITHIN_S: Final = 5.0
"""How long a client may take to read a refusal or a close frame."""
SHARED_FRAME_MAX: Final = 512
"""Characters of a text whose encoded frame is remembered for other clients."""
CONNECTIONS_PER_ADDRESS_MAX: Final = 1024
"""Open connections of one client address, unless the installation sets another number."""

_TOO_LARGE: Final = Problem(431, "head_too_large", {"limit": HEAD_MAX, "headers": HEADERS_MAX})
_TARGET_TOO_LONG: Final = Problem(414, "target_too_long", {"limit": TARGET_MAX})
_TOO_SLOW: Final = Problem(408, "request_too_slow", {})
_NOT_HTTP: Final = Problem(400, "bad_request", {})
_FORGET_COOKIES: Final = (b"clear-site-data", b'"cookies"')
_FOR_HANDSHAKE: Final = frozenset({b"host", b"connection", b"upgrade", b"origin"})
_PROTOCOL_ERROR: Final = 1002
_INVALID_TEXT: Final = 1007


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of one server; tests vary them."""

    head_within_s: float = HEAD_WITHIN_S
    handshake_within_s: float = HANDSHAKE_WITHIN_S
    discard_within_s: float = DISCARD_WITHIN_S
    addresses: ConnectionLimiter = field(
        default_factory=lambda: ConnectionLimiter(CONNECTIONS_PER_ADDRESS_MAX)
    )
    """Open connections by address; those of proxies are counted by request instead."""
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Clients that are not counted here: they bring the connections of others."""

    def counts(self, host: str) -> bool:
        """Return whether connections of this address are limited."""
        try:
            address = ip_address(host)
        except ValueError:
            return False
        return not any(address in network for network in self.proxies)


class ServerConfig(uvicorn.Config):
    """uvicorn's configuration with our limits, for the protocols below."""

    def __init__(self, app: Any, limits: ServerLimits, **options: Any) -> None:
        """Keep the limits beside uvicorn's own options."""
        super().__init__(app, http=HttpProtocol, ws=WebSocketProtocol, **options)
        self.limits = limits


class HttpProtocol(HttpToolsProtocol):
    """An HTTP connection whose head, pauses and refused bodies are bounded."""

    config: ServerConfig

    def __init__(self, *args: Any, **options: Any) -> None:
        """Start with nothing received."""
        super().__init__(*args, **options)
        self._routes = self.app
        self.app = self._serve
        self._head_timer: asyncio.TimerHandle | None = None
        self._received = 0
        """Bytes since the last complete head; the parser reports a header only when it is complete."""
        self._head_size = 0
        self._discard_timer: asyncio.TimerHandle | None = None
        self._discarded = 0
        self._is_ending = False
        """The last answer announced the end of the connection, and its body may still be coming."""
        self._refusal = _NOT_HTTP
        self._is_refused = False
        self._held = ExitStack()

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base
        super().connection_made(transport)
        limits, host = self.config.limits, self.client[0] if self.client else ""
        if limits.counts(host) and not self._held.enter_context(limits.addresses.acquire(host)):
            transport.abort()
        else:
            self._start_head()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._finish_head()
        self._finish_discarding()
        self._held.close()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        if self._discard_timer is not None:
            self._discarded += len(data)
            if self._discarded > DISCARDED_MAX:
                self.transport.close()
                return
        if self._is_refused:
            return
        self._received += len(data)
        super().data_received(data)
        if self._head_timer is not None and self._received > HEAD_MAX:
            self._refusal = _TOO_LARGE
            self.send_400_response("")

    @override
    def on_message_begin(self) -> None:
        if self._is_ending:
            self._refuse_in_parser(_NOT_HTTP)
        self._start_head()
        super().on_message_begin()

    @override
    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(url))
        if len(self.url) > TARGET_MAX:
            self._refuse_in_parser(_TARGET_TOO_LONG)

    @override
    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count(len(name) + len(value) + len(b": \r\n"))
        if len(self.headers) > HEADERS_MAX:
            self._refuse_in_parser(_TOO_LARGE)

    @override
    def on_headers_complete(self) -> None:
        self._finish_head()
        super().on_headers_complete()

    @override
    def on_message_complete(self) -> None:
        self._finish_discarding()
        super().on_message_complete()
        if self._is_ending and self.cycle.response_complete:
            self.transport.close()

    @override
    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_ending and not self.cycle.more_body:
            self.transport.close()
        elif self.cycle.more_body and not self.transport.is_closing():
            self._start_discarding()

    @override
    def handle_websocket_upgrade(self) -> None:
        """Switch protocols, as the base does, with a head of any size that HTTP may have."""
        self.connections.discard(self)
        head = [b"GET ", self.url, b" HTTP/1.1\r\n"]
        for name, value in self.headers:
            if name in _FOR_HANDSHAKE or name.startswith(b"sec-websocket-"):
                head += [name, b": ", value, b"\r\n"]
        protocol = WebSocketProtocol(
            self.config, self.server_state, self.app_state, headers=self.headers, held=self._held
        )
        protocol.connection_made(self.transport)
        self.transport.set_protocol(protocol)
        protocol.data_received(b"".join([*head, b"\r\n"]))

    @override
    def send_400_response(self, msg: str) -> None:
        """Send the refusal of a head, and close the connection once the client has sent the rest of it.

        A browser that is still sending cookies would lose the answer with the connection.
        """
        self._finish_head()
        if not (self.transport.is_closing() or self._is_ending or self._is_refused):
            self._is_refused = True
            self.transport.write(_render_refusal(self._refusal, self.headers or []))
            self.transport.write_eof()
            self._start_discarding()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; an answer ahead of a long body says that it is the connection's last.

        Otherwise the client, or a proxy, could send its next request behind a body that is cut off.
        """

        async def answer(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if is_start and self.cycle.scope is scope and self._may_cut_body():
                self._is_ending = True
                headers = [*message.get("headers", ()), (b"connection", b"close")]
                await send({**message, "headers": headers})
                self.cycle.keep_alive = True  # closed when the client has read it, not before
            else:
                await send(message)

        await self._routes(scope, receive, answer)

    def _may_cut_body(self) -> bool:
        """Return whether more of the body may come than is read after an answer."""
        lengths = [value for name, value in self.headers if name == b"content-length"]
        is_short = any(value.isdigit() and int(value) <= DISCARDED_MAX for value in lengths)
        return self.cycle.more_body and not is_short

    def _count(self, size: int) -> None:
        self._head_size += size
        if self._head_size > HEAD_MAX:
            self._refuse_in_parser(_TOO_LARGE)

    def _refuse_in_parser(self, problem: Problem) -> None:
        """Stop the parser, which reports an exception of a callback as a fault of the request."""
        self._refusal = problem
        raise ValueError(problem.code)

    def _start_head(self) -> None:
        if self._head_timer is None:
            within_s = self.config.limits.head_within_s
            self._head_timer = self.loop.call_later(within_s, self._end_head)

    def _finish_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        self._head_size = self._received = 0

    def _end_head(self) -> None:
        """Close a connection whose head has not come in time."""
        # Browsers open connections ahead of need: an answer could meet a request just sent.
        if self._received == 0:
            self.transport.close()
        else:
            self._refusal = _TOO_SLOW
            self.send_400_response("")

    def _start_discarding(self) -> None:
        self._discarded = 0
        within_s = self.config.limits.discard_within_s
        self._discard_timer = self.loop.call_later(within_s, self.transport.close)

    def _finish_discarding(self) -> None:
        if self._discard_timer is not None:
            self._discard_timer.cancel()
            self._discard_timer = None


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket whose handshake is bounded; broken frames end it with a code and without noise."""

    config: ServerConfig

    def __init__(
        self, *args: Any, headers: Sequence[Header] = (), held: ExitStack | None = None
    ) -> None:
        """Serve a connection that sent these headers; `held` is closed at its end."""
        super().__init__(*args)
        self._headers = list(headers)
        self._held = held or ExitStack()
        self._handshake_timer: asyncio.TimerHandle | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        within_s = self.config.limits.handshake_within_s
        self._handshake_timer = self.loop.call_later(within_s, self._end_handshake)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if self._handshake_timer is not None:
            self._handshake_timer.cancel()
        self._held.close()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        if self.conn.parser_exc is not None:
            return  # the rest of what follows a broken frame
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(_render_refusal(_TOO_LARGE, self._headers))
            self.transport.close()

    @override
    def eof_received(self) -> None:
        """Say that a client which sends no more has left without a close frame; then asyncio closes."""
        if self.handshake_complete and self.conn.state is State.OPEN:
            self.conn.fail(_PROTOCOL_ERROR)
            self.handle_parser_exception()

    @override
    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.handshake_complete:
            self.scope["headers"] = self._headers

    @override
    def send_receive_event_to_app(self) -> None:
        """Pass a message on; text that is not UTF-8 ends the connection."""
        if self.curr_msg_data_type == "text" and not _is_utf8(self.frames):
            self.frames = []
            self.conn.fail(_INVALID_TEXT)
            self.handle_parser_exception()
        else:
            super().send_receive_event_to_app()

    @override
    def handle_parser_exception(self) -> None:
        """Send the close frame, and close when the client has read it: not before its last bytes."""
        sent = self.conn.close_sent
        code = sent.code if sent is not None else _INVALID_TEXT
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
        self.close_sent = True
        if not self.handshake_complete:  # no frame can be sent before it
            self.handshake_complete = True
            self.transport.write(_render_refusal(_NOT_HTTP, self._headers))
            self.transport.close()
            return
        self.transport.write(b"".join(self.conn.data_to_send()))
        if self.close_timer is None:
            within_s = self.config.limits.discard_within_s
            self.close_timer = self.loop.call_later(within_s, self.transport.close)

    @override
    async def send(self, message: Any) -> None:
        """Send as the base does; a short text, which many pages get, is encoded once for all."""
        text = message.get("text")
        if text is None or len(text) > SHARED_FRAME_MAX or not self._takes_frames():
            await super().send(message)
        else:
            self.transport.write(encode_text_frame(text))

    def _takes_frames(self) -> bool:
        """Return whether a whole frame may be written now, without waiting for the client."""
        return (
            self.conn.state is State.OPEN
            and self.handshake_complete
            and self.writable.is_set()
            and not (self.close_sent or self.disconnected or self.conn.extensions)
        )

    def _end_handshake(self) -> None:
        if not self.handshake_complete:
            self.transport.close()


@lru_cache(maxsize=256)
def encode_text_frame(text: str) -> bytes:
    """Return a whole text frame of a server, which is the same for every client."""
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


def _is_utf8(frames: Sequence[bytes]) -> bool:
    try:
        b"".join(frames).decode()
    except UnicodeDecodeError:
        return False
    return True


def _render_refusal(problem: Problem, headers: Sequence[Header]) -> bytes:
    """Return a whole answer to a request that no application has seen.

    A head is too large when scripts have set many cookies. For a reader it is a page that takes them away; for what a
    page asks for, a header says the same to browsers that come by TLS, or from the same machine.
    """
    scope: Scope = {"headers": headers, "raw_path": b"/"}
    if problem is _TOO_LARGE and "text/html" in get_header(scope, b"accept"):
        fields, body = render_error_page(scope, ErrorPage.COOKIES, "")
    else:
        fields, body = encode_problem(problem, scope)
        fields += [_FORGET_COOKIES] if problem is _TOO_LARGE else []
    status = HTTPStatus(problem.status)
    lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode()]
    lines += [name + b": " + value for name, value in fields]
    lines += [b"content-length: %d" % len(body), b"connection: close"]
    return b"\r\n".join([*lines, b"", body])
