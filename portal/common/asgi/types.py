"""Types and small functions of raw ASGI, shared by the applications of the live process."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]

_RESPONSE_EVENTS: Final = {"http": "http.response", "websocket": "websocket.http.response"}


def get_header(scope: Scope, name: bytes) -> str:
    """Return the only value of a request header; empty when it is absent or given twice."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def parse_cookies(scope: Scope) -> dict[str, str]:
    """Return the request's cookies by name; of two with the same name the last counts.

    Browsers send the one of the shortest path last (RFC 6265, section 5.4), and cookies that are read so are set
    for the root: scripts can add others of their name for longer paths, and shut nobody out by them.
    """
    return dict(list_cookies(scope))


def list_cookies(scope: Scope) -> list[tuple[str, str]]:
    """Return names and values of the request's cookies, in the order in which they were sent."""
    found = []
    for key, value in scope["headers"]:
        if key == b"cookie":
            for part in value.decode("latin-1").split(";"):
                name, separator, content = part.strip().partition("=")
                if separator:
                    found.append((name, content))
    return found


def raw_path(scope: Scope) -> str:
    """Return the path as it was sent, not decoded: `%2e%2e` stays as it is.

    It always begins with a slash, also for `OPTIONS *` and absolute targets: appended to an origin
    it can never change the host.
    """
    sent: str = scope["raw_path"].decode("ascii")
    return sent if sent.startswith("/") else f"/{sent}"


async def send_response(
    scope: Scope, send: Send, status: int, headers: Iterable[Header], body: bytes = b""
) -> None:
    """Send a complete response to a request, or in place of the upgrade to a WebSocket."""
    event = _RESPONSE_EVENTS[scope["type"]]
    length = (b"content-length", str(len(body)).encode())
    await send({"type": f"{event}.start", "status": status, "headers": [*headers, length]})
    await send({"type": f"{event}.body", "body": body, "more_body": False})
