"""A real server on a free port, inside the test's own event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import uvicorn

from portal.common.asgi import App, Receive, Scope, Send
from portal.config.live import config

INTERVAL_S = 0.01


def free_socket() -> socket.socket:
    """Return a listening socket on a free port of this machine."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


def port_of(listener: socket.socket) -> int:
    """Return the port of a listening socket."""
    return int(listener.getsockname()[1])


def url_of(listener: socket.socket) -> str:
    """Return the origin that a listening socket serves."""
    return f"http://127.0.0.1:{port_of(listener)}"


@asynccontextmanager
async def serving(app: App, *listeners: socket.socket) -> AsyncIterator[None]:
    """Serve an application without a lifespan of its own as the live process would."""
    server = uvicorn.Server(config(_with_lifespan(app)))
    task = asyncio.create_task(server.serve(list(listeners)))
    try:
        await eventually(lambda: server.started or task.done())
        yield
    finally:
        server.should_exit = True
        await task


async def eventually(condition: Callable[[], object], *, within_s: float = 10) -> None:
    """Return once the condition holds; fail the test when it does not in time."""
    for _ in range(int(within_s / INTERVAL_S)):
        if condition():
            return
        await asyncio.sleep(INTERVAL_S)
    pytest.fail(f"not within {within_s} s: {condition}")


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
