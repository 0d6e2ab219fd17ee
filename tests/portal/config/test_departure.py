"""A process that leaves says so first, and loses nothing that comes meanwhile."""

import asyncio
import socket

from aiohttp import ClientConnectorError, ClientSession
from uvicorn import Config

from portal.common.asgi.types import Receive, Scope, Send, send_response
from portal.config.departure import Departure, LeavingServer
from tests.waiting import wait_until_async

OK, LEAVING = 200, 503
STAYS_S = 60.0
"""Cut short by the test, which needs no time of its own."""


class Stay(LeavingServer):
    """A server of which the test knows that it was told to end."""

    async def leave(self) -> None:
        """Tell it to end; return once it says that it leaves."""
        self.should_exit = True
        await wait_until_async(lambda: self._departure.has_begun)


async def greet(scope: Scope, receive: Receive, send: Send) -> None:
    await send_response(scope, send, OK, [])


async def status(client: ClientSession, url: str) -> int:
    async with client.get(url) as answer:
        return answer.status


async def test_it_serves_all_but_the_question_of_proxies_until_it_is_gone() -> None:
    departure = Departure(greet)
    config = Config(departure, lifespan="off", log_config=None)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = Stay(config, departure, STAYS_S)
        async with ClientSession() as client:
            running = asyncio.create_task(server.serve([listener]))
            try:
                await wait_until_async(lambda: server.started)
                assert await status(client, f"{url}/livez") == OK
                await server.leave()
                assert await status(client, f"{url}/livez") == LEAVING
                assert await status(client, f"{url}/jobs") == OK
            finally:
                server.force_exit = True
                await running


async def test_it_ends_when_its_time_is_over() -> None:
    departure = Departure(greet)
    config = Config(departure, lifespan="off", log_config=None)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = Stay(config, departure, 0.0)
        running = asyncio.create_task(server.serve([listener]))
        await wait_until_async(lambda: server.started)
        await server.leave()
        await running
    async with ClientSession() as client:
        try:
            await status(client, url)
        except ClientConnectorError:
            return
    raise AssertionError("it answers still")
