"""`python -m bench.agent_links`: the heartbeats of a thousand nodes, on one live process.

Each node has eight GPUs of which one job has one, a link of its own, and sends a heartbeat every 5 s:
real messages over real sockets, answered from PostgreSQL with durable commits. The nodes share this
process, which is not counted.
"""

import argparse
import asyncio
import hashlib
import json
import secrets
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any, Final

import aiohttp

from bench.live_process import LiveProcess, live_process
from bench.simulated_agent import SimulatedAgent
from bench.site import prepared
from nodeagent.link.websocket import LINK_PATH

RESULT: Final = Path("var/bench/agent_links.json")
OPENED_TOGETHER: Final = 50


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """What was measured."""

    nodes: int
    heartbeats: int
    p50_ms: float
    p99_ms: float
    """From a heartbeat to its reply."""
    live_cpu_ms: float
    postgres_cpu_ms: float
    """Of one heartbeat."""
    cores: float
    """Processors that all of them take, at one heartbeat every 5 s."""
    memory_mib: float
    """Of the live process."""
    samples: int
    """Looks at 8 GPUs and a container that were sent beside the heartbeats."""
    spent_cores: float
    """Processors that live process and PostgreSQL took while all of this was sent."""


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m bench.agent_links")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between heartbeats (5)")
    parser.add_argument(
        "--sample-every", type=float, default=0.0, help="seconds between samples; 0 sends none"
    )
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    with prepared():
        agents = _a_site(options.nodes)
        with live_process() as live:
            figures = asyncio.run(_measure(live, agents, options))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(asdict(figures), indent=2) + "\n", encoding="utf-8")
    print(
        f"agents     {figures.nodes:,} nodes, {figures.heartbeats:,} heartbeats: reply p50"
        f" {figures.p50_ms:.0f} ms, p99 {figures.p99_ms:.0f} ms; CPU of one"
        f" {figures.live_cpu_ms:.2f} ms live, {figures.postgres_cpu_ms:.2f} ms PostgreSQL,"
        f" {figures.cores:.2f} cores at one every 5 s; live {figures.memory_mib:.0f} MiB;"
        f" {figures.samples:,} samples, {figures.spent_cores:.2f} cores taken by all"
    )
    return 0


def _a_site(count: int) -> Sequence[tuple[SimulatedAgent, str]]:
    """Write nodes with a job each; return their agents with their keys."""
    from portal.common.clock import now  # noqa: PLC0415 - after `prepared`
    from portal.inventory.models import NodeKey  # noqa: PLC0415
    from scheduler.runtime.loop import run_once  # noqa: PLC0415
    from tests.builders.machines import a_node, a_pool  # noqa: PLC0415
    from tests.builders.people import a_group, a_member  # noqa: PLC0415
    from tests.builders.workloads import a_workload  # noqa: PLC0415

    pool, group = a_pool(), a_group()
    owner = a_member(group)
    found = []
    for _ in range(count):
        node, key = a_node(pool), f"berthnode_{secrets.token_urlsafe(32)}"
        digest = hashlib.sha256(key.encode()).hexdigest()
        NodeKey.objects.create(node=node, digest=digest, expires_at=now() + timedelta(days=1))
        a_workload(owner, group, pool, gpus=1)
        found.append((SimulatedAgent(node), key))
    run_once()
    return found


async def _measure(
    live: LiveProcess, agents: Sequence[tuple[SimulatedAgent, str]], options: argparse.Namespace
) -> LinkFigures:
    every_s, sample_s = options.every, options.sample_every
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        links = [_Link(agent, key) for agent, key in agents]
        for first in range(0, len(links), OPENED_TOGETHER):
            some = links[first : first + OPENED_TOGETHER]
            await asyncio.gather(*(link.open(http, live.url) for link in some))
        for link in links:
            link.took_ms.clear()
        began, loop = live.spent(), asyncio.get_running_loop()
        until = loop.time() + options.seconds
        spread = [number / len(links) for number in range(len(links))]
        samplers = [
            asyncio.create_task(link.sample(part * sample_s, sample_s, until))
            for link, part in zip(links, spread, strict=True)
            if sample_s
        ]
        await asyncio.gather(
            *(
                link.run(part * every_s, every_s, until)
                for link, part in zip(links, spread, strict=True)
            ),
            *samplers,
        )
        ended, memory_mib = live.spent(), live.memory_mib
    took = [each for link in links for each in link.took_ms]
    live_s, postgres_s = (after - before for after, before in zip(ended, began, strict=True))
    return LinkFigures(
        nodes=len(links),
        heartbeats=len(took),
        p50_ms=round(median(took), 1),
        p99_ms=round(quantiles(took, n=100)[98], 1),
        live_cpu_ms=round(live_s * 1000 / len(took), 2),
        postgres_cpu_ms=round(postgres_s * 1000 / len(took), 2),
        cores=round((live_s + postgres_s) / len(took) * len(links) / 5, 2),
        memory_mib=memory_mib,
        samples=sum(link.samples for link in links),
        spent_cores=round((live_s + postgres_s) / options.seconds, 2),
    )


class _Link:
    """The link of one agent."""

    def __init__(self, agent: SimulatedAgent, key: str) -> None:
        self.took_ms: list[float] = []
        self.samples = 0
        self._agent = agent
        self._key = key

    async def open(self, http: aiohttp.ClientSession, url: str) -> None:
        """Connect, and report until the job runs."""
        headers = {"Authorization": f"Bearer {self._key}"}
        self._socket: Any = await http.ws_connect(f"{url}{LINK_PATH}", headers=headers)
        for _ in range(3):
            await self._beat()

    async def run(self, after_s: float, every_s: float, until: float) -> None:
        """Send heartbeats until the time is over."""
        loop = asyncio.get_running_loop()
        due = loop.time() + after_s
        while due < until:
            await asyncio.sleep(due - loop.time())
            await self._beat()
            due += every_s
        await self._socket.close()

    async def sample(self, after_s: float, every_s: float, until: float) -> None:
        """Send what cards and containers use until the time is over."""
        loop = asyncio.get_running_loop()
        due = loop.time() + after_s
        while due < until:
            await asyncio.sleep(due - loop.time())
            if self._socket.closed:
                return
            await self._socket.send_str(self._agent.next_sample(self.samples))
            self.samples += 1
            due += every_s

    async def _beat(self) -> None:
        began = perf_counter()
        await self._socket.send_str(self._agent.next_heartbeat())
        while not self._agent.apply(await self._socket.receive_str()):
            pass  # a nudge, or an order that has no reply
        self.took_ms.append((perf_counter() - began) * 1000)


if __name__ == "__main__":
    sys.exit(main())
