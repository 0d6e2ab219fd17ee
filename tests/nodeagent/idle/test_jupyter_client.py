"""What a notebook's own server says is a tenant's word: taken up to a limit, and never trusted."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.idle.jupyter_client import JupyterUnavailableError, read_activity

Answer = Callable[[web.Request], Coroutine[object, object, web.StreamResponse]]


async def endless(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse()
    await answer.prepare(request)
    while True:
        await answer.write(b"[" * 65536)


async def nested(_: web.Request) -> web.StreamResponse:
    return web.Response(body=b"[" * 500_000)


@asynccontextmanager
async def a_lab(answer: Answer) -> AsyncIterator[AppEndpoint]:
    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with TestServer(app) as server:
        yield AppEndpoint(server.host, server.port or 0, "/", "token")


@pytest.mark.parametrize("answer", [endless, nested])
async def test_answer_without_end_or_sense_is_none(answer: Answer) -> None:
    async with a_lab(answer) as endpoint:
        with pytest.raises(JupyterUnavailableError):
            await read_activity(endpoint)
