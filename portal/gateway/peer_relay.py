"""Passes a WebSocket on to the live process that holds what it is for."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import ClientSession

from portal.common.asgi.types import App, Receive, Scope, Send, get_header, send_response
from portal.common.origins import Origin
from portal.gateway.headers import build_request_headers
from portal.gateway.web_proxy import build_upstream_url
from portal.gateway.websocket_relay import UpgradeRefusedError, relay_websocket

RELAYED: Final = "berth-relayed"
"""Header of a connection that comes from another live process: it is not passed on again."""
_UNREACHABLE: Final = frozenset({502, 504})


@dataclass(frozen=True, slots=True)
class PeerRelay:
    """ASGI application that serves a WebSocket here, or passes it on to the process that owns it."""

    app: App
    """Serves what belongs to this process, and refuses what belongs to one that is gone."""
    own_id: str
    get_owner: Callable[[Scope], str]
    """Returns the id of the process that a connection belongs to; empty is any."""
    find_url: Callable[[str], Awaitable[str | None]]
    client: ClientSession
    portal: Origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or pass on one connection."""
        owner = self.get_owner(scope)
        is_here = owner in ("", self.own_id) or get_header(scope, RELAYED.encode())
        url = None if is_here else await self.find_url(owner)
        if url is None:
            await self.app(scope, receive, send)
            return
        headers = [*build_request_headers(scope, self.portal), (RELAYED, "1")]
        ends = scope, receive, send
        try:
            await relay_websocket(
                self.client, build_upstream_url(url, scope), headers, ends, _never
            )
        except UpgradeRefusedError as refused:
            if refused.status in _UNREACHABLE:
                await self.app(scope, receive, send)
            else:
                await send_response(scope, send, refused.status, [])


async def _never() -> int:
    """Rights are checked by the process that serves the connection."""
    await asyncio.Event().wait()
    raise AssertionError
