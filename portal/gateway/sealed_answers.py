"""A policy for every answer of the origins of work, also for one that something unforeseen brings about."""

from dataclasses import dataclass
from typing import Final

import structlog

from portal.common.asgi.problems import SEALED, send_problem
from portal.common.asgi.types import App, Message, Receive, Scope, Send
from portal.common.rest.problems import Problem

_NAME: Final = SEALED[0]
_UNFORESEEN: Final = Problem(500, "server_error", {})

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SealedAnswers:
    """ASGI application whose answers all have a policy: a page acts past its own by one that has none."""

    app: App

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; sockets are no documents."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        has_begun = False

        async def send_sealed(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = list(message.get("headers", ()))
                if all(name != _NAME for name, _ in headers):
                    message = {**message, "headers": [*headers, SEALED]}
            await send(message)

        try:
            await self.app(scope, receive, send_sealed)
        except Exception:
            if not has_begun:
                await send_problem(scope, send, _UNFORESEEN)
            raise
