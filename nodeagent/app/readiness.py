"""Asks containers whether they are ready, each by its probe; the same in every runtime."""

import asyncio
import re
from typing import Final

import aiohttp

from nodeagent.access.session import AccessError, AccessSession, ExecAdapter, OutputChannel
from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.ports import RunningContainer
from wire.words import Probe

SERVER_PROBE: Final = Probe("/api/status", period_ms=50)
"""How the server of an environment is asked whose order names no probe: its portal is an older one."""
ANSWER_S: Final = 5.0
PORT_PERIOD_MS: Final = 1000
"""Between two requests to a port inside a container: each may take a process in it."""
STATUS_LINE_MAX: Final = 64
_SUCCESS: Final = re.compile(rb"HTTP/1\.[01] 2\d\d\s")


def unanswered_probe(running: RunningContainer) -> Probe | None:
    """Return what a container is asked until it is ready; None when it is ready as soon as it runs."""
    if running.container.is_in_service:
        return None
    probe = running.probe or SERVER_PROBE
    is_reached = probe.port is not None or running.endpoint is not None
    return probe if is_reached else None


class ReadinessCheck:
    """Asks one container until it answers; the caller sets the time limit."""

    def __init__(self, exec_adapter: ExecAdapter) -> None:
        """`exec_adapter` reaches the ports inside containers."""
        self._exec_adapter = exec_adapter

    async def wait_until_ready(self, running: RunningContainer, probe: Probe) -> None:
        """Return once a request was answered with 2xx."""
        if probe.port is not None:
            await self._wait_for_port(running.container.key, probe, probe.port)
        elif running.endpoint is not None:
            await wait_for_server(running.endpoint, probe)

    async def _wait_for_port(self, key: ContainerKey, probe: Probe, port: int) -> None:
        while True:
            if await self._port_answers(key, probe, port):
                return
            await asyncio.sleep(max(probe.period_ms, PORT_PERIOD_MS) / 1000)

    async def _port_answers(self, key: ContainerKey, probe: Probe, port: int) -> bool:
        try:
            session = await self._exec_adapter.open_port(key, port)
        except AccessError:
            return False
        try:
            async with asyncio.timeout(ANSWER_S):
                return _SUCCESS.match(await _request(session, probe.path)) is not None
        except TimeoutError:
            return False
        finally:
            await session.close()


async def wait_for_server(endpoint: AppEndpoint, probe: Probe) -> None:
    """Return once the server of an environment answers a request with its token."""
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    url = f"http://{host}:{endpoint.port}{endpoint.base_path.rstrip('/')}{probe.path}"
    headers = {"Authorization": f"token {endpoint.token}"}
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        while True:
            if await _server_answers(session, url):
                return
            await asyncio.sleep(probe.period_ms / 1000)


async def _server_answers(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with session.get(url, allow_redirects=False) as answer:
            return answer.status // 100 == 2
    except (aiohttp.ClientError, TimeoutError, OSError):
        return False


async def _request(session: AccessSession, path: str) -> bytes:
    """Send a request, and return the beginning of the answer: its status line."""
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    await session.write(head.encode())
    answer = b""
    while b"\n" not in answer and len(answer) < STATUS_LINE_MAX:
        part = await session.read()
        if part is None:
            break
        if part[0] is OutputChannel.OUTPUT:
            answer += part[1]
    return answer
