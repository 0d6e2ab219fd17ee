"""Requests that a page of the portal sends from a browser, to try a service.

Pages of the portal's origin may read the answers, those of any other may not. Nothing is allowed by that which
a key does not allow: no cookie counts here, and none is asked for.
"""

from typing import Final

from portal.common.asgi.types import Header, Message, Scope, Send, get_header, send_response

PREFLIGHT_KEPT_S: Final = 600
"""How long a browser need not ask again whether it may."""
_METHODS: Final = b"GET, HEAD, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS: Final = b"authorization, content-type, accept"
_SHARING: Final = b"access-control-"


class PortalPages:
    """The pages of one portal, by their origin."""

    def __init__(self, portal_url: str) -> None:
        """Allow the pages of this origin; the empty one allows none."""
        self._origin = portal_url.rstrip("/").lower()

    def sent(self, scope: Scope) -> bool:
        """Return whether a page of the portal sent a request."""
        return bool(self._origin) and get_header(scope, b"origin").lower() == self._origin

    async def answer_preflight(self, scope: Scope, send: Send) -> None:
        """Tell a browser what a page of the portal may send."""
        allowed: list[Header] = [
            *self._headers(),
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-allow-headers", _REQUEST_HEADERS),
            (b"access-control-max-age", str(PREFLIGHT_KEPT_S).encode()),
        ]
        await send_response(scope, send, 204, allowed)

    def readable(self, send: Send) -> Send:
        """Return what sends an answer so that the page may read it, whatever the server says of that."""

        async def send_readable(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [each for each in message["headers"] if not each[0].startswith(_SHARING)]
                message = {**message, "headers": [*kept, *self._headers()]}
            await send(message)

        return send_readable

    def _headers(self) -> list[Header]:
        return [
            (b"access-control-allow-origin", self._origin.encode("ascii")),
            (b"access-control-expose-headers", b"retry-after"),
            (b"vary", b"origin"),
        ]


def is_preflight(scope: Scope) -> bool:
    """Return whether a browser asks what a page may send."""
    return scope["method"] == "OPTIONS" and bool(
        get_header(scope, b"access-control-request-method")
    )
