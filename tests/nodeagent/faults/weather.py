"""A bad line between an agent and the portal: each message may be lost, doubled, late or overtaken.

Whole messages, because TCP hides what happens to packets; the same seed treats the same number of
messages alike.
"""

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, web

from tests.waiting import PATIENCE_S

LOST: Final = 0.1
DOUBLED: Final = 0.1
LATE_S: Final = 0.2

Socket = ClientWebSocketResponse | web.WebSocketResponse


@dataclass
class Weather:
    """One line with its faults; `fates` counts what happened to messages."""

    target_port: int
    port: int = 0
    fates: Counter[str] = field(default_factory=Counter)
    _dice: random.Random = field(default_factory=lambda: random.Random(4711))
    _ready: threading.Event = field(default_factory=threading.Event)
    _loop: asyncio.AbstractEventLoop | None = None
    _ending: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self) -> None:
        """Carry every link until told to end."""
        app = web.Application()
        app.router.add_get("/node/v1/link", self._carry)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "0.0.0.0", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        await self._ending.wait()
        await runner.cleanup()

    def wait(self) -> None:
        """Wait until the line is there."""
        assert self._ready.wait(PATIENCE_S)

    def end(self) -> None:
        """Let go of everything."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._ending.set)

    async def _carry(self, request: web.Request) -> web.StreamResponse:
        near = web.WebSocketResponse()
        await near.prepare(request)
        url = f"http://127.0.0.1:{self.target_port}{request.path}"
        headers = {"Authorization": request.headers["Authorization"]}
        async with (
            ClientSession() as session,
            session.ws_connect(url, headers=headers) as far,
            asyncio.TaskGroup() as pumps,
        ):
            inwards = pumps.create_task(self._pump(near, far))
            outwards = pumps.create_task(self._pump(far, near))
            await asyncio.wait({inwards, outwards}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.gather(near.close(), far.close())
        return near

    async def _pump(self, source: Socket, target: Socket) -> None:
        under_way: set[asyncio.Task[None]] = set()
        async with asyncio.TaskGroup() as late:
            async for frame in source:
                if frame.type is not WSMsgType.TEXT:
                    continue
                sent = [_later(delay_s, target.send_str, frame.data) for delay_s in self._fate()]
                under_way |= {late.create_task(item) for item in sent}

    def _fate(self) -> tuple[float, ...]:
        """Return after which times a message arrives; none when it is lost."""
        drawn = self._dice.random()
        word = "lost" if drawn < LOST else "doubled" if drawn < LOST + DOUBLED else "late"
        self.fates[word] += 1
        times = {"lost": 0, "doubled": 2, "late": 1}[word]
        return tuple(self._dice.uniform(0, LATE_S) for _ in range(times))


async def _later(delay_s: float, send: Callable[[str], Awaitable[None]], text: str) -> None:
    await asyncio.sleep(delay_s)
    with suppress(ConnectionError, RuntimeError):  # the link may be closed meanwhile
        await send(text)


@contextmanager
def bad_weather(target_port: int) -> Iterator[Weather]:
    """Put such a line before the portal."""
    weather = Weather(target_port)
    thread = threading.Thread(target=lambda: asyncio.run(weather.serve()))
    thread.start()
    weather.wait()
    try:
        yield weather
    finally:
        weather.end()
        thread.join()
