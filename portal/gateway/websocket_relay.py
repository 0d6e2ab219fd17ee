"""Forwards one WebSocket both ways, message by message, with sub-protocol and close codes."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import (
    ClientError,
    ClientSession,
    ClientWebSocketResponse,
    ClientWSTimeout,
    WSMsgType,
    WSServerHandshakeError,
)
from yarl import URL

from portal.common.asgi.types import Receive, Scope, Send
from portal.common.concurrency import first_completed

MESSAGE_MAX: Final = 64 * 1024 * 1024
"""Bytes of one WebSocket message: a large output of a cell is one message."""
CONNECT_TIMEOUT_S: Final = 10
"""How long a notebook may take to accept a WebSocket."""
UPSTREAM_PING_S: Final = 30.0
"""Between two pings to a notebook's WebSocket."""

NORMAL, GOING_AWAY, FAILED, REVOKED = 1000, 1001, 1011, 4401
_RESERVED: Final = frozenset({1004, 1005, 1006, 1015})


@dataclass(frozen=True, slots=True)
class UpgradeRefusedError(Exception):
    """The upstream refused the upgrade; `status` is for the client."""

    status: int


async def relay_websocket(
    client: ClientSession,
    url: URL,
    headers: list[tuple[str, str]],
    ends: tuple[Scope, Receive, Send],
    revoked: Callable[[], Coroutine[Any, Any, int]],
) -> None:
    """Join client and upstream until either closes or `revoked` returns a close code.

    Raises `UpgradeRefusedError` while the client's handshake is still open.
    """
    scope, receive, send = ends
    async with await _connect(client, url, headers, scope["subprotocols"]) as upstream:
        await receive()  # the `websocket.connect` that opens every connection
        await send({"type": "websocket.accept", "subprotocol": upstream.protocol})
        code = await first_completed(
            _forward_up(receive, upstream), _forward_down(upstream, send), revoked()
        )
        with suppress(OSError, RuntimeError):  # the client may have closed first
            await send({"type": "websocket.close", "code": _sendable(code)})
        await upstream.close(code=_sendable(code))


async def _connect(
    client: ClientSession, url: URL, headers: list[tuple[str, str]], protocols: list[str]
) -> ClientWebSocketResponse:
    try:
        return await client.ws_connect(
            url,
            protocols=protocols,
            headers=headers,
            max_msg_size=MESSAGE_MAX,
            heartbeat=UPSTREAM_PING_S,
            timeout=ClientWSTimeout(ws_close=CONNECT_TIMEOUT_S),
        )
    except WSServerHandshakeError as error:
        raise UpgradeRefusedError(error.status if error.status >= 400 else 502) from error
    except TimeoutError as error:
        raise UpgradeRefusedError(504) from error
    except (ClientError, OSError) as error:
        raise UpgradeRefusedError(502) from error


async def _forward_up(receive: Receive, upstream: ClientWebSocketResponse) -> int:
    """Forward messages of the client; return its close code."""
    try:
        while (message := await receive())["type"] == "websocket.receive":
            if (text := message.get("text")) is not None:
                await upstream.send_str(text)
            else:
                await upstream.send_bytes(message["bytes"])
    except (ClientError, OSError):
        return FAILED
    return int(message.get("code", NORMAL))


async def _forward_down(upstream: ClientWebSocketResponse, send: Send) -> int:
    """Forward messages of the upstream; return its close code."""
    try:
        async for message in upstream:
            if message.type is WSMsgType.TEXT:
                await send({"type": "websocket.send", "text": message.data})
            elif message.type is WSMsgType.BINARY:
                await send({"type": "websocket.send", "bytes": message.data})
    except OSError:
        return GOING_AWAY
    return upstream.close_code or FAILED


def _sendable(code: int) -> int:
    """Return the code itself, or the nearest one that may be written into a close frame."""
    if code in _RESERVED:
        return GOING_AWAY
    return code if 1000 <= code < 5000 else FAILED
