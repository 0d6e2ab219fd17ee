"""A real server on a free port, inside the test's own event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager

import uvicorn

from portal.common.asgi.types import App, Receive, Scope, Send
from portal.config.live import build_server_config
from portal.gateway.server_protocol import ServerLimits
from tests.waiting import wait_until_async


def free_socket() -> socket.socket:
    """Return a listening socket on a free port of this machine."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


@contextmanager
def silent_port() -> Iterator[int]:
    """Hold a port at which nobody answers: bound, so that nobody else gets it, and not listening."""
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        yield port_of(held)


def port_of(listener: socket.socket) -> int:
    """Return the port of a bound socket."""
    return int(listener.getsockname()[1])


def url_of(listener: socket.socket) -> str:
    """Return the origin that a listening socket serves."""
    return f"http://127.0.0.1:{port_of(listener)}"


@asynccontextmanager
async def serving(
    app: App,
    *listeners: socket.socket,
    trusted_proxies: str = "",
    limits: ServerLimits | None = None,
) -> AsyncIterator[None]:
    """Serve an application without a lifespan of its own as the live process would."""
    config = build_server_config(_with_lifespan(app), limits or ServerLimits(), trusted_proxies)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(list(listeners)))
    try:
        await wait_until_async(lambda: server.started or task.done())
        yield
    finally:
        server.should_exit = True
        await task


def _with_lifespan(app: App) -> App:
    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    return wrapped
