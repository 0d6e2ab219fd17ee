"""Whether the web application of an environment answers; the same question in any runtime."""

import asyncio
from typing import Final

import aiohttp

from nodeagent.disk.container_dir import Endpoint
from nodeagent.launch.jupyter import STATUS_PATH

POLL_S: Final = 0.05
"""Short, because a person waits; a refused connection costs next to nothing."""
ANSWER_S: Final = 5.0


async def until_ready(endpoint: Endpoint) -> None:
    """Return once the application answers a request with its token; the caller bounds the time."""
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    url = f"http://{host}:{endpoint.port}{endpoint.base_path.rstrip('/')}/{STATUS_PATH}"
    headers = {"Authorization": f"token {endpoint.token}"}
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        while True:
            if await _answers(session, url):
                return
            await asyncio.sleep(POLL_S)


async def _answers(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with session.get(url, allow_redirects=False) as answer:
            return answer.status == 200
    except (aiohttp.ClientError, TimeoutError, OSError):
        return False
