"""The ASGI application of the live process, composed from the portal's parts."""

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

from portal.access.sessions import ContainerSessions
from portal.access.ssh.server import serve_ssh
from portal.access.stream_broker import STREAM_PATH as NODE_STREAM_PATH
from portal.access.stream_broker import StreamBroker
from portal.access.terminal.app import TERMINAL_PATH, TerminalApp
from portal.access.tunnels import TunnelPool, open_tunnels
from portal.agentlink import enrolment, heartbeat, logs
from portal.agentlink.session import NodeLink
from portal.common.asgi import App, Receive, Scope, Send
from portal.common.origins import Origin
from portal.config.routing import Host, Route, Router
from portal.environments import services as environments
from portal.gateway.activity import ActivityRecorder
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.notebook_proxy import NotebookProxy
from portal.gateway.web_proxy import WebProxy
from portal.live import topics
from portal.live.authentication import authenticate
from portal.live.broadcast import Broadcaster
from portal.live.consumers import LiveConsumer, SocketContext
from portal.live.streams import STREAM_PATH, WorkloadStreams
from portal.telemetry import services as telemetry

_PAGE_SOCKET_PATH: Final = re.compile("/ws")
_NODE_LINK_PATH: Final = re.compile("/node/v1/link")


@dataclass(frozen=True, slots=True)
class SshSettings:
    """Where SSH connections are accepted, and the host key of the server."""

    host: str
    port: int
    host_key: Path


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """The settings of the live process."""

    portal: Origin
    apps: Origin
    web_upstream: str
    redis_url: str
    storage_dir: Path
    session_cookie: str
    threads: int
    ssh: SshSettings | None = None
    """None accepts no SSH connections."""

    @classmethod
    def load(cls) -> "LiveSettings":
        """Read the settings of Django."""
        site = settings.SITE
        return cls(
            portal=Origin.parse(site.portal_url),
            apps=Origin.parse(site.apps_url),
            web_upstream=settings.WEB_UPSTREAM,
            redis_url=site.redis_url,
            storage_dir=site.storage_dir,
            session_cookie=settings.SESSION_COOKIE_NAME,
            threads=settings.DATABASES["default"]["OPTIONS"]["pool"]["max_size"],
            ssh=SshSettings(settings.SSH_HOST, site.ssh_port, settings.SSH_HOST_KEY)
            if site.ssh_port
            else None,
        )


class LiveApp:
    """The ASGI application of the live process; its lifespan opens and closes what all share."""

    def __init__(self, live_settings: LiveSettings) -> None:
        """Keep the settings; nothing is opened before the server starts."""
        self._settings = live_settings
        self._router: Router | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection, or the start and the stop of the server."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif self._router is not None:
            await self._router(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        async with open_router(self._settings) as self._router:
            await send({"type": "lifespan.startup.complete"})
            await receive()
        self._router = None
        await send({"type": "lifespan.shutdown.complete"})


@asynccontextmanager
async def open_router(live_settings: LiveSettings) -> AsyncIterator[Router]:
    """Provide the routes with what they share: threads, an HTTP client, the Redis subscription."""
    with ThreadPoolExecutor(live_settings.threads, "live") as executor:
        asyncio.get_running_loop().set_default_executor(executor)
        broadcaster = Broadcaster()
        reader = asyncio.create_task(broadcaster.run(live_settings.redis_url))
        try:
            async with create_http_client() as client:
                node_link = _node_link(broadcaster)
                broker = StreamBroker(enrolment.authenticate_node, node_link.send_to)
                async with open_tunnels(broker) as tunnels:
                    sessions = ContainerSessions(broker)
                    terminals = TerminalApp(
                        portal=live_settings.portal,
                        session_cookie=live_settings.session_cookie,
                        authenticate=authenticate,
                        sessions=sessions,
                    )
                    apps = Host(
                        live_settings.apps,
                        (Route(_notebook_proxy(live_settings, client, tunnels)),),
                    )
                    portal = Host(
                        live_settings.portal,
                        (
                            Route(node_link, _NODE_LINK_PATH, "websocket"),
                            Route(broker, NODE_STREAM_PATH, "websocket"),
                            Route(terminals, TERMINAL_PATH, "websocket"),
                            *_page_routes(live_settings, broadcaster, client),
                        ),
                    )
                    try:
                        async with _ssh_server(live_settings.ssh, sessions):
                            yield Router((apps, portal))
                    finally:
                        await terminals.close()
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)


@asynccontextmanager
async def _ssh_server(
    ssh_settings: SshSettings | None, sessions: ContainerSessions
) -> AsyncIterator[None]:
    if ssh_settings is None:
        yield
    else:
        async with serve_ssh(sessions, ssh_settings.host, ssh_settings.port, ssh_settings.host_key):
            yield


def _node_link(broadcaster: Broadcaster) -> NodeLink:
    return NodeLink(
        authenticate=enrolment.authenticate_node,
        receive_heartbeat=heartbeat.receive_heartbeat,
        append_log=logs.append_log,
        record_telemetry=telemetry.record_samples,
        subscribe=broadcaster.subscribe,
    )


def _page_routes(
    live_settings: LiveSettings, broadcaster: Broadcaster, client: ClientSession
) -> tuple[Route, ...]:
    """Return the routes of browsers and pipelines; what none of them serves goes to web."""
    web: App = WebProxy(client, live_settings.portal, live_settings.web_upstream)
    context = SocketContext(
        broadcaster=broadcaster,
        portal=live_settings.portal,
        session_cookie=live_settings.session_cookie,
        authenticate=authenticate,
        authorize_subscription=topics.authorize_subscription,
        get_newest_seq=topics.get_newest_seq,
        storage_dir=live_settings.storage_dir,
    )
    streams = WorkloadStreams(
        broadcaster=broadcaster,
        session_cookie=live_settings.session_cookie,
        authenticate=authenticate,
        storage_dir=live_settings.storage_dir,
        present=web,
    )
    return (
        Route(LiveConsumer.as_asgi(context=context), _PAGE_SOCKET_PATH, "websocket"),
        Route(streams, STREAM_PATH, "http"),
        Route(web, scope_type="http"),
    )


def _notebook_proxy(
    live_settings: LiveSettings, client: ClientSession, tunnels: TunnelPool
) -> NotebookProxy:
    return NotebookProxy(
        client=client,
        get_port_client=tunnels.get_client,
        apps=live_settings.apps,
        portal=live_settings.portal,
        redeem_ticket=environments.redeem_ticket,
        grants=GrantCache(environments.authorise_grant),
        activity=ActivityRecorder(environments.record_input),
    )
