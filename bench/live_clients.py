"""`python -m bench.live_clients`: pages that get news from one live process, each once a second.

Two hundred people have ten pages open each. First each person's topic changes once a second, spread
over the second; then a topic that all pages follow. The time counts from the message to Redis until
the page has the frame. Pages and publisher share this process, which is not counted.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from time import monotonic_ns
from typing import Any, Final

import aiohttp

from bench.live_process import LiveProcess, live_process
from bench.site import prepared

RESULT: Final = Path("var/bench/live_clients.json")
PAGES_PER_USER: Final = 10
"""As many as one user may have."""
OPENED_TOGETHER: Final = 50
P99_MS_MAX: Final = 100.0
MEMORY_MIB_MAX: Final = 250.0


@dataclass(frozen=True, slots=True)
class ClientFigures:
    """What was measured."""

    clients: int
    seconds: int
    own_p50_ms: float
    own_p99_ms: float
    """Each page's own topic, spread over the second."""
    common_p50_ms: float
    common_p99_ms: float
    """One topic of all pages at once."""
    frames: int
    cpu_us_per_frame: float
    """Of the live process."""
    common_cpu_us_per_frame: float
    """The same, while the topic of all pages changes."""
    memory_mib: float


def main() -> int:
    """Measure, print, write; 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m bench.live_clients")
    parser.add_argument("--clients", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=15, help="of each of the two")
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    with prepared():
        cookies = _sign_in(-(-options.clients // PAGES_PER_USER))
        with live_process() as live:
            figures = asyncio.run(_measure(live, cookies, options.clients, options.seconds))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(asdict(figures), indent=2) + "\n", encoding="utf-8")
    print(
        f"live       {figures.clients:,} pages, own topics p50 {figures.own_p50_ms:.0f} ms,"
        f" p99 {figures.own_p99_ms:.0f} ms; one of all p50 {figures.common_p50_ms:.0f} ms,"
        f" p99 {figures.common_p99_ms:.0f} ms (at most {P99_MS_MAX:.0f});"
        f" {figures.cpu_us_per_frame:.0f} us CPU a frame ({figures.common_cpu_us_per_frame:.0f} of"
        f" one of all), {figures.memory_mib:.0f} MiB"
        f" (at most {MEMORY_MIB_MAX:.0f})"
    )
    is_fast = max(figures.own_p99_ms, figures.common_p99_ms) <= P99_MS_MAX
    return int(not is_fast or figures.memory_mib > MEMORY_MIB_MAX)


def _sign_in(people: int) -> Sequence[tuple[str, str]]:
    """Write so many people; return the topic of each and the cookie of a session."""
    from tests.builders.people import a_group, a_member  # noqa: PLC0415 - after `prepared`
    from tests.rest import browser  # noqa: PLC0415

    group, found = a_group(), []
    for _ in range(people):
        user = a_member(group)
        (cookie,) = browser(user).cookies.values()
        found.append((f"user:{user.pk}", f"{cookie.key}={cookie.value}"))
    return found


async def _measure(
    live: LiveProcess, people: Sequence[tuple[str, str]], clients: int, seconds: int
) -> ClientFigures:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        pages = [_Page(*people[number // PAGES_PER_USER]) for number in range(clients)]
        for first in range(0, clients, OPENED_TOGETHER):
            some = pages[first : first + OPENED_TOGETHER]
            await asyncio.gather(*(page.open(http, live.url) for page in some))
        readers = [asyncio.create_task(page.read()) for page in pages]
        began, _ = live.spent()
        own = await _publish(pages, [[topic] for topic, _ in people], seconds)
        between, _ = live.spent()
        common = await _publish(pages, [["nodes"]], seconds)
        ended, _ = live.spent()
        memory_mib = live.memory_mib
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
    frames = len(own) + len(common)
    if frames < 2 * clients * seconds * 0.99:
        raise RuntimeError(f"{frames} frames of {2 * clients * seconds} arrived")
    return ClientFigures(
        clients=clients,
        seconds=seconds,
        own_p50_ms=round(median(own), 1),
        own_p99_ms=round(quantiles(own, n=100)[98], 1),
        common_p50_ms=round(median(common), 1),
        common_p99_ms=round(quantiles(common, n=100)[98], 1),
        frames=frames,
        cpu_us_per_frame=round((ended - began) * 1e6 / frames, 1),
        common_cpu_us_per_frame=round((ended - between) * 1e6 / len(common), 1),
        memory_mib=memory_mib,
    )


async def _publish(
    pages: Sequence["_Page"], messages: Sequence[Sequence[str]], seconds: int
) -> list[float]:
    """Publish each message once a second, evenly; return all times that frames took."""
    from redis.asyncio import Redis  # noqa: PLC0415 - after `prepared`

    from portal.common.notifications import CHANNEL  # noqa: PLC0415
    from portal.common.redis_client import own_channel  # noqa: PLC0415
    from portal.common.site_config import get_site_config  # noqa: PLC0415

    for page in pages:
        page.took_ms.clear()
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with Redis.from_url(get_site_config().redis_url) as redis:
        for number in range(seconds * len(messages)):
            await asyncio.sleep(began + number / len(messages) - loop.time())
            topics = messages[number % len(messages)]
            body = {"topics": topics, "seq": monotonic_ns() // 1000}
            await redis.publish(own_channel(redis, CHANNEL), json.dumps(body))
    await asyncio.sleep(1)
    return [took for page in pages for took in page.took_ms]


class _Page:
    """One page: its socket, and how long each frame took."""

    def __init__(self, topic: str, cookie: str) -> None:
        self.took_ms: list[float] = []
        self._topics = (topic, "nodes")
        self._cookie = cookie

    async def open(self, http: aiohttp.ClientSession, url: str) -> None:
        """Connect, and follow the person's topic and the common one."""
        headers = {"Cookie": self._cookie, "Origin": url}
        self._socket: Any = await http.ws_connect(f"{url}/ws", headers=headers)
        topics = [{"topic": topic} for topic in self._topics]
        await self._socket.send_json({"op": "subscribe", "topics": topics})
        for _ in topics:
            await self._socket.receive_json()

    async def read(self) -> None:
        """Take frames as they come."""
        async for frame in self._socket:
            sent_us = json.loads(frame.data)["seq"]
            self.took_ms.append((monotonic_ns() // 1000 - sent_us) / 1000)


if __name__ == "__main__":
    sys.exit(main())
