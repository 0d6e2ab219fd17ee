"""The inference gateway in front of real servers, served as in an installation."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final
from uuid import UUID

from aiohttp import ClientResponse, ClientSession

from portal.common.clock import now
from portal.common.ids import new_id
from portal.endpoints.values import ContainerAddress, digest_secret
from portal.gateway.client import create_http_client
from portal.inference.app import InferenceApp
from portal.inference.catching_up import NewerTable
from portal.inference.pages import PortalPages
from portal.inference.plane import Plane
from portal.inference.upstream import OpenPort, Upstream, passes_probe
from portal.serving_usage.loads import UseOfKey
from portal.serving_usage.routes import (
    KeyRoute,
    Protocol,
    ReplicaRoute,
    RouteTable,
    ServiceRoute,
)
from tests.portal.inference.model_server import ModelServer
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S, wait_until_async

SECRET: Final = "key-of-the-service"
KEY: Final = UUID("0190d3a0-0000-7000-8000-00000000000c")
NODE: Final = UUID("0190d3a0-0000-7000-8000-00000000000d")
PORTAL: Final = "https://portal.example.org"
"""Whose pages may call the gateway from a browser."""
CHAT: Final = "/v1/chat/completions"


@dataclass
class InferenceSite:
    """The gateway, with one service in its table."""

    url: str
    plane: Plane
    app: InferenceApp
    client: ClientSession
    route: ServiceRoute
    open_port: OpenPort
    table: RouteTable = field(default_factory=RouteTable)
    """What is read when somebody asks for a newer one."""

    def show(self, *replicas: ReplicaRoute, **changes: Any) -> None:
        """Put the service into the table with these replicas."""
        self.route = replace(self.route, replicas=replicas, **changes)
        self.table = RouteTable((self.route,), now())
        self.plane.update(self.table)

    def remove(self) -> None:
        """Take the service out of the table."""
        self.table = RouteTable((), now())
        self.plane.update(self.table)

    async def follow(self) -> None:
        """Read the table whenever somebody waits for that, until cancelled."""
        while True:
            await wait_until_async(lambda: self.plane.newer.waiting, within_s=math.inf)
            with self.plane.newer.reading():
                self.plane.update(self.table)

    async def chat(self, *, secret: str = SECRET, **asked: Any) -> ClientResponse:
        """Ask for a chat; the caller reads the answer."""
        body = {"messages": ["hello"], **asked}
        return await self.client.post(
            f"{self.url}/llm/small{CHAT}",
            data=json.dumps(body),
            headers={"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
        )

    async def get(self, path: str = "/v1/models") -> ClientResponse:
        """Ask for anything else."""
        headers = {"x-api-key": SECRET}
        return await self.client.get(f"{self.url}/llm/small{path}", headers=headers)

    def used(self) -> UseOfKey:
        """Return what the key has used since the last call."""
        uses = self.plane.keys.take()
        return uses[0] if uses else UseOfKey(self.route.service_id, KEY, now())


def replica_of(model: ModelServer, **changes: Any) -> ReplicaRoute:
    """Return the route to a server, ready."""
    container = ContainerAddress(NODE, str(model.port), 1)
    workload = UUID(int=model.port)
    return replace(ReplicaRoute(workload, 1, container, model.port, is_ready=True), **changes)


def events_of(body: str) -> list[Any]:
    """Return the data of each event; comments are left out."""
    lines = [line[6:] for line in body.splitlines() if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def content_of(events: Iterable[Any]) -> list[str]:
    """Return the pieces of text that a stream brought."""
    choices = [each["choices"] for each in events if each != "[DONE]" and each.get("choices")]
    return [found for each in choices if (found := each[0]["delta"].get("content"))]


@asynccontextmanager
async def inference_site(
    *models: ModelServer, follows: bool = True, **changes: Any
) -> AsyncIterator[InferenceSite]:
    """Serve the gateway in front of these servers, all of them ready; unless it follows, the test reads tables."""
    listener = free_socket()
    async with create_http_client() as upstreams, create_http_client() as client:

        async def open_port(_: ContainerAddress, port: int) -> Upstream:
            return Upstream(upstreams, f"http://127.0.0.1:{port}")

        plane = Plane(partial(passes_probe, open_port), newer=NewerTable(wait_s=PATIENCE_S))
        app = InferenceApp(plane, open_port, pages=PortalPages(PORTAL))
        route = ServiceRoute(
            new_id(),
            "llm",
            "small",
            Protocol.OPENAI,
            keys={digest_secret(SECRET): KeyRoute(KEY)},
        )
        site = InferenceSite(url_of(listener), plane, app, client, route, open_port)
        site.show(*(replica_of(each) for each in models), **changes)
        async with serving(app, listener):
            following = asyncio.create_task(site.follow()) if follows else None
            try:
                yield site
            finally:
                plane.close()
                if following is not None:
                    following.cancel()
