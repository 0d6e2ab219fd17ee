"""Asks the servers of replicas how many requests wait inside them, where they tell that by a metric.

It is one more sign of load, beside what the gateway sees itself: a server whose queue does not empty carries no more
than it runs.
"""

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

from aiohttp import ClientError, ClientTimeout
from prometheus_client.parser import text_string_to_metric_families
from yarl import URL

from portal.common.errors import DomainError
from portal.inference.plane import Plane
from portal.inference.replicas import RoutedReplica, WaitingSeen
from portal.inference.upstream import OpenPort
from portal.serving_usage.routes import ServiceRoute

ASK_EVERY_S: Final = 2.0
"""Between two rounds."""
AT_ONCE_MAX: Final = 32
"""Replicas that are asked at a time."""
METRICS_MAX: Final = 4 * 1024 * 1024
"""Bytes of metrics that are read; a server that has more tells nothing."""
_TIMEOUT: Final = ClientTimeout(total=2.0)


async def follow_waiting(plane: Plane, open_port: OpenPort) -> None:
    """Ask the servers of all services again and again until cancelled."""
    while True:
        await ask_servers(plane, open_port)
        await asyncio.sleep(ASK_EVERY_S)


async def ask_servers(plane: Plane, open_port: OpenPort) -> None:
    """Ask once; what a server does not report stays as it was last."""
    places = asyncio.Semaphore(AT_ONCE_MAX)

    async def ask(route: ServiceRoute, replica: RoutedReplica) -> None:
        async with places:
            count = await _waiting_at(open_port, route, replica)
        if count is not None:
            replica.waiting = WaitingSeen(count, asyncio.get_running_loop().time())

    await asyncio.gather(*(ask(route, replica) for route, replica in _asked(plane)))


def read_waiting(metrics: str, name: str) -> int | None:
    """Return the sum of a metric in Prometheus's text; None where it is not there, or the text is none."""
    lines = [line for line in metrics.splitlines() if line.startswith(name)]
    try:
        families = list(text_string_to_metric_families("\n".join(lines) + "\n"))
        told = [each.value for family in families for each in family.samples if each.name == name]
        return max(0, round(sum(told))) if told else None
    except (ValueError, OverflowError):
        return None


def _asked(plane: Plane) -> Iterator[tuple[ServiceRoute, RoutedReplica]]:
    for service in plane.services():
        if service.route.metrics_path and service.route.waiting_metric:
            for replica in service.replicas.answering():
                yield service.route, replica


async def _waiting_at(
    open_port: OpenPort, route: ServiceRoute, replica: RoutedReplica
) -> int | None:
    try:
        upstream = await open_port(replica.route.container, replica.route.port)
        url = URL(upstream.origin + route.metrics_path, encoded=True)
        async with upstream.client.get(url, timeout=_TIMEOUT, allow_redirects=False) as response:
            if response.status != HTTPStatus.OK:
                return None
            body = bytearray()
            async for piece in response.content.iter_any():
                body += piece
                if len(body) > METRICS_MAX:
                    return None
    except (ClientError, OSError, DomainError):
        return None
    return read_waiting(body.decode("utf-8", "replace"), route.waiting_metric)
