"""The application of the inference gateway, composed: routes, ways to replicas, reports."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings

from portal.access.tunnels import open_tunnels
from portal.agentlink import enrolment
from portal.agentlink.streams import StreamBroker
from portal.common.asgi.types import Receive, Scope, Send
from portal.common.process_ids import new_process_id
from portal.endpoints.values import ContainerAddress
from portal.inference.app import InferenceApp
from portal.inference.pages import PortalPages
from portal.inference.plane import Plane
from portal.inference.reporting import (
    LoadRoutes,
    RecordReport,
    Reporter,
    follow_routes,
    read_routes,
)
from portal.inference.upstream import OpenPort, Upstream, passes_probe
from portal.inference.waiting import follow_waiting
from portal.live.peers import Peers
from portal.serving.routes import route_table_for_system
from portal.serving_usage.services import record_report
from wire.values import Message as WireMessage

CONNECTIONS_MAX: Final = 48
"""Of one replica at a time, through its node: below what a node opens into one container."""
OWN_CONNECTIONS: Final = 2
"""More for the gateway itself, so that probes and metrics get through to a replica that is full."""


class InferenceProcess:
    """The ASGI application of the process; its lifespan opens and closes what requests need."""

    def __init__(
        self, load_routes: LoadRoutes, record: RecordReport, open_port: OpenPort | None = None
    ) -> None:
        """Follow these routes; `open_port` is a way to replicas other than their nodes' agents."""
        self._load_routes = load_routes
        self._record = record
        self._open_port = open_port
        self._plane: Plane | None = None
        self._app: InferenceApp | None = None

    @classmethod
    def load(cls) -> "InferenceProcess":
        """Return the application of this installation."""
        return cls(route_table_for_system, record_report)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection, or the start and the stop of the server."""
        if scope["type"] == "lifespan":
            await receive()
            async with self._opened():
                await send({"type": "lifespan.startup.complete"})
                await receive()
            await send({"type": "lifespan.shutdown.complete"})
        elif self._app is not None:
            await self._app(scope, receive, send)

    def start_draining(self) -> None:
        """Say with each answer that it is the last of its connection."""
        if self._app is not None:
            self._app.is_draining = True

    def cut_open(self) -> None:
        """End what is open and what waits, with its reason."""
        if self._plane is not None:
            self._plane.cut_open()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[None]:
        async with self._ways() as (open_port, streams):
            most = CONNECTIONS_MAX if streams is not None else None
            plane = self._plane = Plane(partial(passes_probe, open_port), most)
            pages = PortalPages(settings.SITE.portal_url)
            self._app = InferenceApp(plane, open_port, streams, pages)
            reporter = Reporter(plane, self._record, new_process_id())
            await read_routes(plane, self._load_routes)
            tasks = [
                asyncio.create_task(follow_routes(plane, self._load_routes)),
                asyncio.create_task(reporter.run()),
                asyncio.create_task(follow_waiting(plane, open_port)),
            ]
            try:
                yield
            finally:
                plane.close()
                await _end(*tasks)
                await reporter.finish()

    @asynccontextmanager
    async def _ways(self) -> AsyncIterator[tuple[OpenPort, StreamBroker | None]]:
        """Provide the way to a replica's port: a stream that its node opens, as for ports of jobs."""
        if self._open_port is not None:
            yield self._open_port, None
            return
        peers = Peers(
            settings.SITE.redis_url,
            settings.LIVE_URL,
            send_here=_hold_no_link,
            drop_link=lambda _node_id: None,
        )
        broker = StreamBroker(enrolment.authenticate_node, peers.send_to, peers.id)
        announced = asyncio.create_task(peers.run())
        try:
            async with open_tunnels(broker, CONNECTIONS_MAX + OWN_CONNECTIONS) as tunnels:

                async def open_port(container: ContainerAddress, port: int) -> Upstream:
                    client = await tunnels.get_client(container, port)
                    return Upstream(client, f"http://127.0.0.1:{port}")

                yield open_port, broker
        finally:
            await _end(announced)


async def _hold_no_link(_node_id: UUID, _message: WireMessage) -> bool:
    """Nodes are linked to the live processes: one of them passes the request on."""
    return False


async def _end(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
