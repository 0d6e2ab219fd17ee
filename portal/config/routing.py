"""The front door: which application of the live process serves a request, by origin and path."""

import asyncio
import re
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import ClientSession
from django.conf import settings

from portal.access.rendezvous import STREAM as NODE_STREAM
from portal.access.rendezvous import Rendezvous
from portal.access.ssh.server import ssh_gateway
from portal.access.terminal import TERMINAL, Terminals
from portal.access.tunnels import Tunnels, open_tunnels
from portal.access.visits import Visits
from portal.agentlink import enrolment, heartbeat, logs
from portal.agentlink.session import NodeLink
from portal.common.asgi import App, Receive, Scope, Send, answer, header, path
from portal.common.asgi_problems import answer_problem
from portal.common.origins import Origin
from portal.common.problems import Problem
from portal.environments import services as environments
from portal.gateway.client import http_client
from portal.gateway.forward import Forward
from portal.gateway.grants import Grants
from portal.gateway.proxy import NotebookGateway
from portal.gateway.use import UseNotes
from portal.live import topics
from portal.live.callers import caller
from portal.live.consumers import LiveConsumer, Switchboard
from portal.live.hub import Hub
from portal.live.streams import STREAM, Streams
from portal.telemetry import services as telemetry

_NO_SOCKET_HERE: Final = 404
_PAGES: Final = re.compile("/ws")
_NODE_LINK: Final = re.compile("/node/v1/link")
_WRONG_HOST: Final = Problem(421, "wrong_host", {})


@dataclass(frozen=True, slots=True)
class SshPlan:
    """Where SSH connections are taken, and the key by which clients know us."""

    host: str
    port: int
    host_key: Path


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the live process must be told."""

    portal: Origin
    apps: Origin
    web_upstream: str
    redis_url: str
    storage_dir: Path
    session_cookie: str
    threads: int
    ssh: SshPlan | None = None
    """None takes no SSH connections."""

    @classmethod
    def from_settings(cls) -> "Plan":
        """Take the plan from Django's settings."""
        return cls(
            portal=Origin.parse(settings.PORTAL_URL),
            apps=Origin.parse(settings.APPS_URL),
            web_upstream=settings.WEB_UPSTREAM,
            redis_url=settings.REDIS_URL,
            storage_dir=Path(settings.STORAGE_DIR),
            session_cookie=settings.SESSION_COOKIE_NAME,
            threads=settings.DATABASES["default"]["OPTIONS"]["pool"]["max_size"],
            ssh=SshPlan(settings.SSH_HOST, settings.SSH_PORT, settings.SSH_HOST_KEY)
            if settings.SSH_PORT
            else None,
        )


@dataclass(frozen=True, slots=True)
class Rooms:
    """The applications behind the door, while the process is up."""

    plan: Plan
    pages: App
    node_link: App
    node_streams: App
    terminals: Terminals
    streams: App
    web: App
    notebooks: App

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve by the `Host` header: exactly one of our two origins, or nothing."""
        host = header(scope, b"host")
        if self.plan.apps.is_host(host):
            await self.notebooks(scope, receive, send)
        elif not self.plan.portal.is_host(host):
            await answer_problem(scope, send, _WRONG_HOST)
        elif scope["type"] == "websocket":
            await self._serve_socket(scope, receive, send)
        else:
            is_stream = STREAM.fullmatch(path(scope)) is not None
            await (self.streams if is_stream else self.web)(scope, receive, send)

    async def _serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        for address, room in (
            (_PAGES, self.pages),
            (_NODE_LINK, self.node_link),
            (NODE_STREAM, self.node_streams),
            (TERMINAL, self.terminals),
        ):
            if address.fullmatch(path(scope)):
                await room(scope, receive, send)
                return
        await answer(scope, send, _NO_SOCKET_HERE, [])


class FrontDoor:
    """The ASGI application of the live process: it opens with the server and closes with it."""

    def __init__(self, plan: Plan) -> None:
        """Remember the plan; nothing is opened before the server starts."""
        self._plan = plan
        self._rooms: Rooms | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or live through start and stop of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._rooms is not None:
            await self._rooms(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with open_rooms(self._plan) as self._rooms:
            await send({"type": "lifespan.startup.complete"})
            await receive()
        self._rooms = None
        await send({"type": "lifespan.shutdown.complete"})


@asynccontextmanager
async def open_rooms(plan: Plan) -> AsyncIterator[Rooms]:
    """Open what all connections share: threads, one HTTP client and one reader of pokes."""
    with ThreadPoolExecutor(plan.threads, "live") as executor:
        asyncio.get_running_loop().set_default_executor(executor)
        hub = Hub()
        reader = asyncio.create_task(hub.read(plan.redis_url))
        try:
            async with http_client() as client:
                node_link = _node_link(hub)
                node_streams = Rendezvous(enrolment.authenticate, node_link.tell)
                async with open_tunnels(node_streams) as tunnels:
                    rooms = _furnish(plan, hub, client, node_link, tunnels)
                    try:
                        async with _ssh(plan.ssh, rooms.terminals.visits):
                            yield rooms
                    finally:
                        await rooms.terminals.close()
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)


@asynccontextmanager
async def _ssh(plan: SshPlan | None, visits: Visits) -> AsyncIterator[None]:
    if plan is None:
        yield
    else:
        async with ssh_gateway(visits, plan.host, plan.port, plan.host_key):
            yield


def _node_link(hub: Hub) -> NodeLink:
    return NodeLink(
        authenticate=enrolment.authenticate,
        receive_heartbeat=heartbeat.receive,
        append_log=logs.append,
        keep_telemetry=telemetry.record,
        listen=hub.listen,
    )


def _furnish(
    plan: Plan, hub: Hub, client: ClientSession, node_link: NodeLink, tunnels: Tunnels
) -> Rooms:
    web = Forward(client, plan.portal, plan.web_upstream)
    switchboard = Switchboard(
        hub=hub,
        portal=plan.portal,
        session_cookie=plan.session_cookie,
        authenticate=caller,
        admit=topics.admit,
        newest_seq=topics.newest_seq,
        storage_dir=plan.storage_dir,
    )
    return Rooms(
        plan=plan,
        pages=LiveConsumer.as_asgi(switchboard=switchboard),
        node_link=node_link,
        node_streams=tunnels.rendezvous,
        terminals=Terminals(
            portal=plan.portal,
            session_cookie=plan.session_cookie,
            authenticate=caller,
            visits=Visits(tunnels.rendezvous),
        ),
        streams=Streams(
            hub=hub,
            session_cookie=plan.session_cookie,
            authenticate=caller,
            storage_dir=plan.storage_dir,
            present=web,
        ),
        web=web,
        notebooks=NotebookGateway(
            client=client,
            dial=tunnels.client,
            apps=plan.apps,
            portal=plan.portal,
            redeem=environments.redeem_ticket,
            grants=Grants(environments.authorise_grant, UseNotes(environments.record_input)),
        ),
    )
