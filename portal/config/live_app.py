"""The ASGI application of the live process, composed from the portal's parts."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

from aiohttp import ClientSession
from django.conf import settings

from portal.access.sessions import ContainerSessions
from portal.access.sftp.rights import VolumeGateway
from portal.access.ssh.server import serve_ssh
from portal.access.terminal.app import TerminalApp, get_terminal_owner
from portal.access.tunnels import TunnelPool, open_tunnels
from portal.agentlink import admission, enrolment
from portal.agentlink.session import NodeLink
from portal.agentlink.streams import StreamBroker, get_stream_owner
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.types import App, Receive, Scope, Send
from portal.common.origins import HostPattern, Origin
from portal.config.live_routes import PortalApps, build_routes
from portal.config.node_reports import receive_heartbeat
from portal.config.routing import Host, Route, Router
from portal.endpoints import services as endpoints
from portal.foreign.streams import StreamsOrWords
from portal.gateway.activity import ActivityRecorder
from portal.gateway.address_limit import AddressLimit
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.lab_desk import LabDesk
from portal.gateway.lab_status import keep_from_lab, read_lab_status
from portal.gateway.notebook_proxy import NotebookProxy
from portal.gateway.peer_relay import PeerRelay
from portal.gateway.sealed_answers import SealedAnswers
from portal.gateway.strict_transport import StrictTransport
from portal.gateway.unnamed_proxy import UnnamedProxyWatch
from portal.gateway.web_proxy import WebProxy
from portal.live import topics
from portal.live.authentication import authenticate
from portal.live.broadcast import Broadcaster
from portal.live.consumers import LiveConsumer, SocketContext
from portal.live.peers import Peers
from portal.live.streams import WorkloadStreams
from portal.telemetry import services as telemetry
from portal.training_metrics.collector import MetricCollector
from portal.transfers.app import FileTransfers
from portal.transfers.transfer import FileThreads, TransferContext
from portal.volumes.growth import GrowthLedger
from portal.workloads.operations.log_store import store_log


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
    web_upstreams: tuple[str, ...]
    live_url: str
    redis_url: str
    storage_dir: Path
    datasets_dir: Path | None
    session_cookie: str
    threads: int
    connections_per_address_max: int
    hsts_s: int
    hosts: HostPattern | None = None
    """Origins of single work, beside the apps origin; None is none."""
    ssh: SshSettings | None = None
    """None accepts no SSH connections."""
    names_proxies: bool = False
    """Whether the installation says which reverse proxies it has."""

    @classmethod
    def load(cls) -> "LiveSettings":
        """Read the settings of Django."""
        site = settings.SITE
        return cls(
            portal=Origin.parse(site.portal_url),
            apps=Origin.parse(site.apps_url),
            web_upstreams=tuple(settings.WEB_UPSTREAM.split(",")),
            live_url=settings.LIVE_URL,
            redis_url=site.redis_url,
            storage_dir=site.storage_dir,
            datasets_dir=settings.DATASETS_DIR,
            session_cookie=settings.SESSION_COOKIE_NAME,
            threads=settings.DATABASES["default"]["OPTIONS"]["pool"]["max_size"],
            connections_per_address_max=settings.CONNECTIONS_PER_ADDRESS_MAX,
            hsts_s=settings.HSTS_S,
            hosts=site.apps_hosts,
            ssh=SshSettings(settings.SSH_HOST, site.ssh_port, settings.SSH_HOST_KEY)
            if site.ssh_port
            else None,
            names_proxies=bool(site.trusted_proxies),
        )


class LiveApp:
    """The ASGI application of the live process; its lifespan opens and closes what all share."""

    def __init__(self, live_settings: LiveSettings) -> None:
        """Keep the settings; nothing is opened before the server starts."""
        self._settings = live_settings
        self._router: App | None = None

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
async def open_router(live_settings: LiveSettings) -> AsyncIterator[App]:
    """Provide the routes with what they share: threads, an HTTP client, the Redis subscription."""
    with ThreadPoolExecutor(live_settings.threads, "live") as executor, FileThreads() as files:
        asyncio.get_running_loop().set_default_executor(executor)
        broadcaster, ledger = Broadcaster(), GrowthLedger()
        collector = MetricCollector(live_settings.storage_dir)
        node_link, peers = _link_nodes(live_settings, broadcaster, collector)
        readers = [
            asyncio.create_task(broadcaster.run(live_settings.redis_url)),
            asyncio.create_task(peers.run()),
            asyncio.create_task(collector.run()),
        ]
        try:
            async with create_http_client() as client:
                broker = StreamBroker(enrolment.authenticate_node, peers.send_to, peers.id)
                streams = StreamsOrWords(broker)
                async with open_tunnels(streams) as tunnels:
                    sessions = ContainerSessions(streams)
                    terminals = TerminalApp(
                        portal=live_settings.portal,
                        session_cookie=live_settings.session_cookie,
                        authenticate=authenticate,
                        sessions=sessions,
                        process_id=peers.id,
                    )
                    apps = _hosts_of_work(
                        live_settings, _notebook_proxy(live_settings, client, tunnels)
                    )
                    web = WebProxy(client, live_settings.portal, *live_settings.web_upstreams)
                    relay = partial(
                        PeerRelay,
                        own_id=peers.id,
                        find_url=peers.find_url,
                        client=client,
                        portal=live_settings.portal,
                    )
                    served = PortalApps(
                        node_link=node_link,
                        node_streams=relay(broker, get_owner=get_stream_owner),
                        terminals=relay(terminals, get_owner=get_terminal_owner),
                        transfers=_transfers(live_settings, files, ledger),
                        pages=_pages(live_settings, broadcaster),
                        streams=_streams(live_settings, broadcaster, web),
                        web=web,
                    )
                    portal = Host(live_settings.portal, build_routes(served))
                    try:
                        async with _ssh_server(live_settings, sessions, files, ledger):
                            yield build_front(live_settings, Router((*apps, portal)))
                    finally:
                        await terminals.close()
        finally:
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)
            await collector.finish()


def _hosts_of_work(live_settings: LiveSettings, gateway: App) -> tuple[Host, ...]:
    """Return the apps origin and, where the platform has them, the hosts of single work."""
    origins = (live_settings.apps, live_settings.hosts)
    return tuple(Host(origin, (Route(SealedAnswers(gateway)),)) for origin in origins if origin)


def build_front(live_settings: LiveSettings, routes: App) -> App:
    """Return the routes behind what holds for all: addresses are limited, TLS is required."""
    limiter = ConnectionLimiter(live_settings.connections_per_address_max)
    front: App = AddressLimit(routes, limiter)
    if not live_settings.names_proxies:
        front = UnnamedProxyWatch(front)
    has_tls = live_settings.portal.scheme == live_settings.apps.scheme == "https"
    if not (has_tls and live_settings.hsts_s):
        return front
    return StrictTransport(front, live_settings.hsts_s)


@asynccontextmanager
async def _ssh_server(
    live_settings: LiveSettings,
    sessions: ContainerSessions,
    threads: FileThreads,
    ledger: GrowthLedger,
) -> AsyncIterator[None]:
    ssh = live_settings.ssh
    if ssh is None:
        yield
    else:
        volumes = VolumeGateway(
            live_settings.storage_dir, live_settings.datasets_dir, threads, ledger=ledger
        )
        async with serve_ssh(sessions, volumes, ssh.host, ssh.port, ssh.host_key):
            yield


def _link_nodes(
    live_settings: LiveSettings, broadcaster: Broadcaster, collector: MetricCollector
) -> tuple[NodeLink, Peers]:
    """Return the nodes' links of this process and the way to those of the others."""

    async def announce_link(node_id: UUID) -> None:
        await peers.announce_link(node_id)

    node_link = NodeLink(
        authenticate=enrolment.authenticate_node,
        receive_heartbeat=receive_heartbeat,
        store_log=partial(store_log, observe=collector.note_growth),
        record_samples=telemetry.record_samples,
        subscribe=broadcaster.subscribe,
        announce_link=announce_link,
        admit=admission.admit_agent,
    )
    peers = Peers(
        live_settings.redis_url,
        live_settings.live_url,
        send_here=node_link.send_to,
        drop_link=node_link.drop_link,
    )
    return node_link, peers


def _pages(live_settings: LiveSettings, broadcaster: Broadcaster) -> App:
    context = SocketContext(
        broadcaster=broadcaster,
        portal=live_settings.portal,
        session_cookie=live_settings.session_cookie,
        authenticate=authenticate,
        authorize_subscription=topics.authorize_subscription,
        get_newest_seq=topics.get_newest_seq,
        storage_dir=live_settings.storage_dir,
    )
    pages: App = LiveConsumer.as_asgi(context=context)
    return pages


def _streams(
    live_settings: LiveSettings, broadcaster: Broadcaster, web: WebProxy
) -> WorkloadStreams:
    return WorkloadStreams(
        broadcaster=broadcaster,
        session_cookie=live_settings.session_cookie,
        authenticate=authenticate,
        storage_dir=live_settings.storage_dir,
        present=web,
    )


def _transfers(
    live_settings: LiveSettings, threads: FileThreads, ledger: GrowthLedger
) -> FileTransfers:
    return FileTransfers(
        TransferContext(
            portal=live_settings.portal,
            session_cookie=live_settings.session_cookie,
            authenticate=authenticate,
            storage_dir=live_settings.storage_dir,
            threads=threads,
            ledger=ledger,
        )
    )


def _notebook_proxy(
    live_settings: LiveSettings, client: ClientSession, tunnels: TunnelPool
) -> NotebookProxy:
    return NotebookProxy(
        client=client,
        get_port_client=tunnels.get_client,
        apps=live_settings.apps,
        portal=live_settings.portal,
        redeem_ticket=endpoints.redeem_ticket,
        grants=GrantCache(endpoints.authorise_grant, recognise=endpoints.recognise_grants),
        describe_closed=endpoints.describe_closed,
        hosts=live_settings.hosts,
        activity=ActivityRecorder(endpoints.record_input),
        desk=LabDesk(read_lab_status, keep_from_lab),
    )
