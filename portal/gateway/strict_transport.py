"""HTTP Strict Transport Security for every answer of all origins."""

from dataclasses import dataclass
from typing import Final

from portal.common.asgi.types import App, Message, Receive, Scope, Send

_NAME: Final = b"strict-transport-security"


@dataclass(frozen=True, slots=True)
class StrictTransport:
    """ASGI application that tells browsers to use TLS only (RFC 6797), for this host alone."""

    app: App
    seconds: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with the header, in place of any from a notebook; sockets need none."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        header = (_NAME, b"max-age=%d" % self.seconds)

        async def send_with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [each for each in message.get("headers", ()) if each[0].lower() != _NAME]
                message = {**message, "headers": [*kept, header]}
            await send(message)

        await self.app(scope, receive, send_with_header)
