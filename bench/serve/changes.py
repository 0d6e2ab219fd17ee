"""`python -m bench.serve.changes`: whatever changes behind an endpoint, no request fails and no stream is cut.

Requests come at an even rate, half of them streams, while replicas leave, a revision takes over, a canary is given
a part and taken back, and the gateway's process is replaced, round after round. Then a service at zero gets many requests
at once, and a replica appears. Replicas are real processes, ended when the gateway reports nothing open at them.
"""

import argparse
import asyncio
import json
import shlex
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector

from deploy.onebox.options import REPOSITORY, find_free_port
from portal.serving_usage.loads import new_histogram
from tests.inference_gateway import SECRET, read_open, read_used, write_routes
from tests.serving import free_socket, url_of
from tests.waiting import wait_until_async

RESULT: Final = Path("var/bench/serve-changes.json")
PIECE_MS: Final = 20
"""The delay of a whole answer, and of each of the pieces of a stream."""
PAUSE_S: Final = 1.5
"""Between two changes: more than a table needs to be read."""
FROM_ZERO: Final = 1000
_CHAT: Final = "/llm/small/v1/chat/completions"
_END: Final = b"data: [DONE]\n\n"


@dataclass
class Tally:
    """What came of the requests."""

    asked: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    """By kind, whole ones only."""
    faults: Counter[str] = field(default_factory=Counter)
    """By what went wrong."""
    changes: Counter[str] = field(default_factory=Counter)

    @property
    def is_kept(self) -> bool:
        """Whether every request was answered whole."""
        return not self.faults and self.answered.total() == self.asked


class Site:
    """The endpoint, its replicas and its gateway, as they are now."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Listen; nothing answers yet."""
        self.folder = folder
        self.ports: dict[int, int] = {}
        """Revision by the port of a replica."""
        self.gateways: list[subprocess.Popen[bytes]] = []
        self._stack = stack
        self._listener = stack.enter_context(free_socket())
        self._replicas: dict[int, subprocess.Popen[bytes]] = {}
        self.url = url_of(self._listener)

    def route(self, draining: tuple[int, ...] = (), **more: Any) -> None:
        """Write the table of routes."""
        revisions = {str(port): number for port, number in self.ports.items()}
        write_routes(self.folder, *self.ports, draining=draining, revisions=revisions, **more)

    def start_replica(self, revision: int) -> int:
        """Start a replica; it is in the table when that is written next."""
        port = find_free_port()
        command = [sys.executable, "-m", "bench.serve.backend", str(port), str(PIECE_MS)]
        self._replicas[port] = self._run(command)
        self.ports[port] = revision
        return port

    def start_gateway(self) -> subprocess.Popen[bytes]:
        """Start a process of the gateway on the socket that is listened on."""
        words = shlex.join([sys.executable, "-m", "tests.inference_gateway", str(self.folder)])
        run = f"LISTEN_PID=$$ LISTEN_FDS=1 exec {words} 3<&{self._listener.fileno()}"
        process = self._run(["bash", "-c", run], self._listener.fileno())
        self.gateways.append(process)
        return process

    async def end_gateway(self, process: subprocess.Popen[bytes]) -> None:
        """End a process as an update does, and wait for it."""
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait)
        self.gateways.remove(process)

    async def retire(self, *ports: int, **more: Any) -> None:
        """Let replicas finish, wait until nothing is open there, and end them."""
        self.route(ports, **more)
        await asyncio.sleep(PAUSE_S)
        await wait_until_async(lambda: not any(map(self._open_at, ports)))
        for port in ports:
            del self.ports[port]
        self.route(**more)
        await asyncio.sleep(PAUSE_S)
        for port in ports:
            self._replicas.pop(port).terminate()

    def _open_at(self, port: int) -> int:
        told = [read_open(self.folder, process.pid) or {} for process in self.gateways]
        return sum(each.get(port, 0) for each in told)

    def _run(self, command: list[str], *handed: int) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, cwd=REPOSITORY, pass_fds=handed)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


async def scale_in(site: Site) -> None:
    """One replica more, then one fewer."""
    site.start_replica(max(site.ports.values()))
    site.route()
    await asyncio.sleep(PAUSE_S)
    await site.retire(next(iter(site.ports)))


async def roll_out(site: Site) -> None:
    """A further revision takes over, one replica after the other."""
    revision = max(site.ports.values()) + 1
    for port in list(site.ports):
        site.start_replica(revision)
        site.route()
        await asyncio.sleep(PAUSE_S)
        await site.retire(port)


async def canary_back(site: Site) -> None:
    """A further revision gets a tenth of the requests, and none any more."""
    before = max(site.ports.values())
    port = site.start_replica(before + 1)
    site.route(weights={before: 90, before + 1: 10})
    await asyncio.sleep(2 * PAUSE_S)
    await site.retire(port, weights={before: 100})
    site.route()


async def restart_gateway(site: Site) -> None:
    """The gateway's process is replaced: the next one accepts before the last one ends."""
    (before,) = site.gateways
    following = site.start_gateway()
    await wait_until_async(lambda: read_open(site.folder, following.pid) is not None)
    await site.end_gateway(before)


CHANGES: Final[tuple[Callable[[Site], Awaitable[None]], ...]] = (
    scale_in,
    roll_out,
    canary_back,
    restart_gateway,
)


async def ask(client: ClientSession, url: str, *, is_stream: bool) -> None:
    """Ask once and read all of it; raises `ValueError` for an answer that is not whole."""
    body = {"messages": [{"content": "hello"}], "stream": is_stream}
    headers = {"Authorization": f"Bearer {SECRET}"}
    async with client.post(url + _CHAT, json=body, headers=headers) as answer:
        text = await answer.read()
        if answer.status != 200:
            raise ValueError(f"status {answer.status}")
        if is_stream and not text.endswith(_END):
            raise ValueError("cut")
        if not is_stream and b"usage" not in text:
            raise ValueError("empty")


async def note(client: ClientSession, url: str, tally: Tally, *, is_stream: bool) -> float:
    """Ask once, tally what comes of it, and return how many seconds it took."""
    began = perf_counter()
    tally.asked += 1
    try:
        await ask(client, url, is_stream=is_stream)
        tally.answered["streams" if is_stream else "whole"] += 1
    except (ClientError, OSError, ValueError) as error:
        tally.faults[f"{type(error).__name__}: {error}"[:100]] += 1
    return perf_counter() - began


async def press(url: str, per_s: float, requests: int, tally: Tally) -> None:
    """Ask at an even rate, whatever the answers take; every other request is a stream."""
    loop, open_now = asyncio.get_running_loop(), set[asyncio.Task[float]]()
    began = loop.time()
    async with a_client() as client:
        for number in range(requests):
            await asyncio.sleep(max(0.0, began + number / per_s - loop.time()))
            task = asyncio.create_task(note(client, url, tally, is_stream=number % 2 == 0))
            open_now.add(task)
            task.add_done_callback(open_now.discard)
        await asyncio.gather(*open_now)


@asynccontextmanager
async def a_client() -> AsyncIterator[ClientSession]:
    """Provide a client with as many connections as it needs, as programs together have."""
    # A connection on which the server has said its last answer is not used again.
    connector = TCPConnector(limit=0, keepalive_timeout=10)
    async with ClientSession(connector=connector, timeout=ClientTimeout(total=120)) as client:
        yield client


async def change_until(over: asyncio.Event, site: Site, tally: Tally) -> None:
    """Make one change after the other."""
    while not over.is_set():
        for change in CHANGES:
            await change(site)
            tally.changes[change.__name__] += 1
            if over.is_set():
                return


async def run(folder: Path, per_s: float, requests: int) -> tuple[Tally, Tally, list[float]]:
    """Return what came under changes, what came from zero, and how long the latter took in milliseconds."""
    with ExitStack() as stack:
        site = Site(folder, stack)
        site.start_replica(1), site.start_replica(1)
        site.route()
        gateway, tally, over = site.start_gateway(), Tally(), asyncio.Event()
        await wait_until_async(lambda: read_open(folder, gateway.pid) is not None)
        changing = asyncio.create_task(change_until(over, site, tally))
        await press(site.url, per_s, requests, tally)
        over.set()
        await changing
        zero, taken = await from_zero(site)
        for process in list(site.gateways):
            await site.end_gateway(process)
    return tally, zero, taken


async def from_zero(site: Site) -> tuple[Tally, list[float]]:
    """Send many requests at once to a service without a replica, and start one."""
    await site.retire(*site.ports)
    tally, taken = Tally(), new_histogram()
    async with a_client() as client:
        asked = [
            asyncio.create_task(note(client, site.url, tally, is_stream=number % 2 == 0))
            for number in range(FROM_ZERO)
        ]
        await asyncio.sleep(PAUSE_S)
        site.start_replica(1)
        await asyncio.sleep(PAUSE_S)
        site.route()
        for seconds in await asyncio.gather(*asked):
            taken.record_value(round(seconds * 1e6))
    return tally, [taken.get_value_at_percentile(each) / 1000 for each in (50, 99, 100)]


def main() -> int:
    """Measure, print, write; 1 when a request failed or a stream was cut."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve.changes")
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--per-s", type=float, default=100.0)
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    began = perf_counter()
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        tally, zero, taken = asyncio.run(run(Path(folder), options.per_s, options.requests))
        used = read_used(Path(folder))
        found = {
            "seconds": round(perf_counter() - began),
            "asked": tally.asked,
            "answered": dict(tally.answered),
            "faults": dict(tally.faults),
            "changes": dict(tally.changes),
            "from_zero": {"answered": dict(zero.answered), "faults": dict(zero.faults)},
            "from_zero_ms": dict(zip(("p50", "p99", "max"), taken, strict=True)),
            "metered": used,
        }
        text = json.dumps(found, indent=2) + "\n"
        print(text, end="")
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(text, encoding="utf-8")
        is_metered = used["requests"] == tally.asked + zero.asked and not used["cut"]
        return int(not (tally.is_kept and zero.is_kept and is_metered))
    return 1


if __name__ == "__main__":
    sys.exit(main())
