"""The ASGI application of the inference gateway: addresses, keys, limits; then one relay for a request."""

import asyncio
import re
from typing import Final

import orjson

from portal.common.asgi.types import App, Message, Receive, Scope, Send, raw_path, send_response
from portal.inference.holding import GONE
from portal.inference.pages import PortalPages, is_preflight
from portal.inference.plane import CalledService, Plane, find_key
from portal.inference.refusals import Refusal, encode_refusal
from portal.inference.relay import Relay
from portal.inference.upstream import OpenPort, Target
from portal.serving_usage.routes import KeyRoute, Protocol

HEALTH_PATH: Final = "/healthz"
_ADDRESS: Final = re.compile(r"/([^/]+)/([^/]+)(/.*)?")
_OPENAI_HINT: Final = "/v1/"


class InferenceApp:
    """Serves requests to services; WebSockets of nodes go to the application for those."""

    def __init__(
        self,
        plane: Plane,
        open_port: OpenPort,
        node_streams: App | None = None,
        pages: PortalPages | None = None,
    ) -> None:
        """Relay by this plane; without node streams every WebSocket is refused, without pages no browser may read."""
        self.is_draining = False
        """Whether each answer is the last of its connection."""
        self._plane = plane
        self._open_port = open_port
        self._node_streams = node_streams
        self._pages = pages or PortalPages("")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "websocket":
            await self._serve_stream(scope, receive, send)
        elif raw_path(scope) == HEALTH_PATH:
            await self._tell_health(scope, send)
        elif self._pages.sent(scope) and is_preflight(scope):
            await self._pages.answer_preflight(scope, send)
        else:
            send = self._last(send) if self.is_draining else send
            if self._pages.sent(scope):
                send = self._pages.readable(send)
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = raw_path(scope)
        address = _ADDRESS.fullmatch(path)
        service, key = self._find(scope, address)
        if address is not None and _is_closed(service, key):
            await self._plane.catch_up()
            service, key = self._find(scope, address)
        if address is None or service is None or key is None:
            # An address says nothing to those who have no key for it.
            guess = Protocol.OPENAI if _OPENAI_HINT in path else Protocol.HTTP
            protocol = guess if service is None else service.route.protocol
            await _refuse(scope, send, protocol, Refusal(401, "service_key_refused"))
            return
        service.counts.arrivals += 1
        if service.route.is_stopped:
            service.counts.refused += 1
            await _refuse(scope, send, service.route.protocol, GONE)
            return
        wait_s = self._plane.limits.take(key, asyncio.get_running_loop().time())
        if wait_s:
            service.counts.refused += 1
            refusal = Refusal(429, "key_limit", {"seconds": round(wait_s)}, retry_after_s=wait_s)
            await _refuse(scope, send, service.route.protocol, refusal)
            return
        target = Target(address[3] or "/", scope["query_string"].decode("latin-1"))
        await Relay((scope, receive, send), self._plane, service, key, target).run(self._open_port)

    def _find(
        self, scope: Scope, address: re.Match[str] | None
    ) -> tuple[CalledService | None, KeyRoute | None]:
        """Return the service at an address, and the key of it that the request brings."""
        service = self._plane.find(address[1], address[2]) if address is not None else None
        return service, find_key(scope, service.route) if service is not None else None

    async def _serve_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._node_streams is not None:
            await self._node_streams(scope, receive, send)
        else:
            await send_response(scope, send, 404, [])

    async def _tell_health(self, scope: Scope, send: Send) -> None:
        """Tell whether requests can be served, and whether by a table of now."""
        loaded = self._plane.loaded_at
        routes = "none" if loaded is None else "stale" if self._plane.is_stale else "current"
        body = orjson.dumps({"routes": routes, "loaded_at": loaded})
        status = 503 if loaded is None or self.is_draining else 200
        await send_response(scope, send, status, [(b"content-type", b"application/json")], body)

    @staticmethod
    def _last(send: Send) -> Send:
        """Return what sends an answer as the last one of its connection."""

        async def send_last(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message["headers"], (b"connection", b"close")]
                await send({**message, "headers": headers})
            else:
                await send(message)

        return send_last


def _is_closed(service: CalledService | None, key: KeyRoute | None) -> bool:
    """Return whether a request is refused by what the table says: a newer one may say something else."""
    return service is None or key is None or service.route.is_stopped


async def _refuse(scope: Scope, send: Send, protocol: Protocol, refusal: Refusal) -> None:
    headers, document = encode_refusal(refusal, protocol, scope)
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": document, "more_body": False})
