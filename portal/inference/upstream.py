"""The replica's end of one request."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from http import HTTPStatus
from io import BytesIO
from typing import Final

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
from yarl import URL

from portal.common.asgi.types import Header, Scope
from portal.common.errors import DomainError
from portal.endpoints.values import ContainerAddress
from portal.gateway.headers import drop_hop_by_hop
from portal.inference.openai import METERED
from portal.serving_usage.routes import Protocol, ReplicaRoute, ServiceRoute

CONNECT_S: Final = 5.0
"""How long a connection to a replica may take to open."""
ANSWER_S: Final = 600.0
"""How long a replica may be silent: before the first byte of an answer, and between two."""
_TIMEOUT: Final = ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=ANSWER_S)
_PROBE_TIMEOUT: Final = ClientTimeout(total=5.0)
_NOT_FORWARDED: Final = frozenset(
    {b"host", b"authorization", b"x-api-key", b"content-length", b"expect", b"cookie"}
)
"""The key is the gateway's; lengths are written again."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """How a port of a replica is reached."""

    client: ClientSession
    origin: str
    """Scheme, host and port of its requests."""


OpenPort = Callable[[ContainerAddress, int], Awaitable[Upstream]]


@dataclass(frozen=True, slots=True)
class Target:
    """What of a service is asked: the path below its address, as it was sent."""

    path: str
    query: str = ""

    @property
    def tail(self) -> str:
        """Return path and query."""
        return f"{self.path}?{self.query}" if self.query else self.path


def is_metered(method: str, target: Target, protocol: Protocol) -> bool:
    """Return whether the answer tells tokens."""
    is_openai = protocol is Protocol.OPENAI
    return is_openai and method == "POST" and METERED.fullmatch(target.path) is not None


def request_headers(scope: Scope, *, is_metered: bool) -> list[tuple[str, str]]:
    """Return the headers that a replica gets; an answer that must be read comes uncompressed."""
    kept = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in drop_hop_by_hop(scope["headers"])
        if name not in _NOT_FORWARDED and not (is_metered and name == b"accept-encoding")
    ]
    return [*kept, ("accept-encoding", "identity")] if is_metered else kept


def answer_headers(response: ClientResponse, *, is_changed: bool) -> list[Header]:
    """Return the headers that the client gets; a changed body has another length."""
    named = [(name.lower(), value) for name, value in response.raw_headers]
    return [
        (name, value)
        for name, value in drop_hop_by_hop(named)
        if not (is_changed and name == b"content-length")
    ]


def send_request(
    upstream: Upstream,
    method: str,
    target: Target,
    headers: list[tuple[str, str]],
    data: bytes | BytesIO | AsyncIterator[bytes] | None,
) -> AbstractAsyncContextManager[ClientResponse]:
    """Return the request as a block that has the response."""
    return upstream.client.request(
        method,
        URL(upstream.origin + target.tail, encoded=True),
        headers=headers,
        data=data,
        allow_redirects=False,
        timeout=_TIMEOUT,
    )


async def passes_probe(open_port: OpenPort, service: ServiceRoute, replica: ReplicaRoute) -> bool:
    """Return whether a replica answers again."""
    try:
        upstream = await open_port(replica.container, replica.port)
        url = URL(upstream.origin + service.probe_path, encoded=True)
        async with upstream.client.get(url, timeout=_PROBE_TIMEOUT) as response:
            return response.status < HTTPStatus.INTERNAL_SERVER_ERROR
    except (ClientError, OSError, DomainError):
        return False
