"""Leaving behind a proxy: the process says that it goes before it does, and serves what still comes.

A proxy that asks `/livez` sends nothing more after that, so nothing is on its way when the sockets close.
"""

import asyncio
import socket
from dataclasses import dataclass
from typing import Final

import uvicorn
from typing_extensions import override

from portal.common.asgi.types import App, Receive, Scope, Send, raw_path, send_response

LIVENESS: Final = "/livez"
_LEAVING: Final = 503
_LOOK_EVERY_S: Final = 0.1


@dataclass(slots=True)
class Departure:
    """ASGI application that is alive to who asks until it is about to leave."""

    app: App
    has_begun: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve everything but, once it has begun, the question whether to send more."""
        if self.has_begun and scope["type"] == "http" and raw_path(scope) == LIVENESS:
            await send_response(scope, send, _LEAVING, [])
            return
        await self.app(scope, receive, send)


class LeavingServer(uvicorn.Server):
    """A server that stays for some seconds after the signal to end, so that proxies notice."""

    def __init__(self, config: uvicorn.Config, departure: Departure, stays_s: float) -> None:
        """Serve the application of a departure."""
        super().__init__(config)
        self._departure = departure
        self._stays_s = stays_s

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer so, stay until a second signal comes or the time is over, then end as ever."""
        self._departure.has_begun = True
        for _ in range(round(self._stays_s / _LOOK_EVERY_S)):
            if self.force_exit:
                break
            await asyncio.sleep(_LOOK_EVERY_S)
        await super().shutdown(sockets)
