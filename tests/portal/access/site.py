"""A live process and a node with real processes, joined as in life, without the link between them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from nodeagent.access.streams import ContainerStreams
from nodeagent.core.state import ContainerKey
from nodeagent.link.identity import NodeCredentials, NodeIdentity
from nodeagent.process.exec import ProcessExecAdapter
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.runtime import ProcessRuntime
from portal.access.sessions import ContainerSessions
from portal.access.sftp.rights import SFTP_SESSIONS_PER_USER_MAX, VolumeGateway
from portal.access.ssh.server import serve_ssh
from portal.access.terminal.app import TerminalApp, get_terminal_owner
from portal.agentlink.streams import STREAM_PATH, StreamBroker, get_stream_owner
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.types import Receive, Scope, Send, raw_path
from portal.common.origins import Origin
from portal.gateway.peer_relay import PeerRelay
from portal.identity.models import User
from portal.inventory.models import Node
from portal.live.authentication import RECHECK_S, authenticate
from portal.live.peers import Peers
from portal.tenancy.models import Group
from portal.transfers.transfer import FileThreads
from portal.workloads.models import Allocation, Workload
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_token
from tests.builders.workloads import a_workload, an_allocation
from tests.documented import documented_session
from tests.fakes.work import SLEEPS, an_order
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S, wait_until_async
from wire.messages import OpenStream
from wire.values import Message
from wire.words import ExitCause

NODE_KEY = "key-of-a-node"
CREDENTIALS = NodeCredentials(NodeIdentity(node_id="node-1", key=NODE_KEY))


@dataclass
class Work:
    """A running job or notebook of somebody with a token."""

    owner: User
    group: Group
    node: Node
    row: Workload
    held: Allocation
    token: str

    @property
    def key(self) -> ContainerKey:
        return ContainerKey(self.held.wire_name, self.held.epoch)


def some_work(kind: str = "training", name: str = "") -> Work:
    """Save a workload that runs, with everything around it."""
    group = a_group()
    owner = a_member(group)
    pool = a_pool()
    node = a_node(pool)
    row = a_workload(owner, group, pool, kind=kind, state="running", name=name)
    held = an_allocation(row, node)
    Allocation.objects.filter(pk=held.pk).update(phase="running")
    return Work(owner, group, node, row, held, str(a_token(owner)))


@dataclass
class OneNode:
    """The node of the work: what it is told becomes a stream, as with a real agent."""

    runtime: ProcessRuntime
    doors: ProcessExecAdapter
    node_id: UUID
    url: str = ""
    is_connected: bool = True
    live: set[ContainerKey] = field(default_factory=set)
    told: list[OpenStream] = field(default_factory=list)
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    def authenticate(self, key: str) -> UUID | None:
        return self.node_id if key == NODE_KEY else None

    async def send_to(self, node_id: UUID, message: Message) -> bool:
        assert isinstance(message, OpenStream)
        if not self.is_connected or node_id != self.node_id:
            return False
        self.told.append(message)
        streams = ContainerStreams(self.url, CREDENTIALS, self.doors)
        serving_it = streams.serve(message, lambda key: key in self.live)
        self.tasks.append(asyncio.create_task(serving_it))
        return True

    async def run(self, work: Work, command: tuple[str, ...] = SLEEPS) -> None:
        """Start the container of a piece of work."""
        order = an_order(command, memory_mib=2048)
        await self.runtime.start(type(order)(work.key, (), order.spec), lambda *_: None)
        self.live.add(work.key)


@dataclass
class Site:
    """The portal's origin, a browser, and the node behind."""

    url: str
    work: Work
    node: OneNode
    sessions: ContainerSessions
    client: ClientSession

    async def said(self) -> bytes:
        """Return the first line that the work has written."""

        async def whole_line() -> bytes:
            text = await self.node.runtime.read_log(self.work.key, 0, 100)
            return text if text.endswith(b"\n") else b""

        line: bytes = await wait_until_async(whole_line)
        return line

    @asynccontextmanager
    async def terminal(
        self, *, token: str = "", session: str = "", **query: object
    ) -> AsyncIterator["Screen"]:
        """Open the terminal of the work as its page does."""
        kind = "jobs" if self.work.row.kind == "training" else "environments"
        values = "&".join(f"{name}={value}" for name, value in query.items())
        url = f"{self.url}/api/v1/{kind}/{self.work.row.pk}/terminal?session={session}&{values}"
        headers = {"Authorization": f"Bearer {token or self.work.token}"}
        async with self.client.ws_connect(url, headers=headers) as socket:
            yield Screen(socket)


@dataclass
class Screen:
    """What a page sees of a terminal."""

    socket: ClientWebSocketResponse
    shown: bytes = b""
    frames: list[dict[str, Any]] = field(default_factory=list)
    code: int | None = None

    async def ready(self) -> str:
        """Return the session's name once the shell is there."""
        await self.until(lambda: self.frames)
        assert self.frames[0]["type"] == "ready", self.frames
        return str(self.frames[0]["session"])

    async def type(self, text: str) -> None:
        await self.socket.send_bytes(text.encode())

    async def say(self, **frame: Any) -> None:
        await self.socket.send_str(json.dumps(frame))

    async def until_shown(self, text: bytes) -> None:
        await self.until(lambda: text in self.shown)

    async def until_closed(self) -> dict[str, Any]:
        """Return the last word of the portal."""
        await self.until(lambda: self.code is not None)
        return self.frames[-1]

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                message = await self.socket.receive()
                if message.type is WSMsgType.BINARY:
                    self.shown += message.data
                elif message.type is WSMsgType.TEXT:
                    self.frames.append(json.loads(message.data))
                else:
                    self.code = self.socket.close_code
                    assert condition(), (message, self.frames, self.shown)


@dataclass
class Front:
    """One of several live processes in front of the same work; only some hold the node's link."""

    url: str
    peers: Peers
    terminals: TerminalApp
    client: ClientSession
    work: Work
    reader: "asyncio.Task[None]"
    dropped: list[UUID]
    """Nodes whose link this process has been told to close."""

    @asynccontextmanager
    async def terminal(self, session: str = "") -> AsyncIterator["Screen"]:
        """Open the terminal of the work as its page does, at this process."""
        url = f"{self.url}/api/v1/jobs/{self.work.row.pk}/terminal?session={session}"
        headers = {"Authorization": f"Bearer {self.work.token}"}
        async with self.client.ws_connect(url, headers=headers) as socket:
            yield Screen(socket)


@asynccontextmanager
async def a_front(site: Site, redis_url: str, *, has_link: bool) -> AsyncIterator[Front]:
    """Serve the site's work by one more live process, known to the others by Redis."""
    listener = free_socket()
    portal = Origin.parse(url_of(listener))

    async def send_here(node_id: UUID, message: Message) -> bool:
        return has_link and await site.node.send_to(node_id, message)

    dropped: list[UUID] = []
    peers = Peers(redis_url, url_of(listener), send_here=send_here, drop_link=dropped.append)
    broker = StreamBroker(site.node.authenticate, peers.send_to, peers.id)
    terminals = TerminalApp(
        portal, "berth-session", authenticate, ContainerSessions(broker), peers.id
    )
    shared: dict[str, Any] = {"own_id": peers.id, "find_url": peers.find_url}
    shared |= {"client": site.client, "portal": portal}
    streams = PeerRelay(broker, get_owner=get_stream_owner, **shared)
    pages = PeerRelay(terminals, get_owner=get_terminal_owner, **shared)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        served = streams if STREAM_PATH.fullmatch(raw_path(scope)) else pages
        await served(scope, receive, send)

    reader = asyncio.create_task(peers.run())
    async with serving(app, listener):
        try:
            yield Front(url_of(listener), peers, terminals, site.client, site.work, reader, dropped)
        finally:
            await terminals.close()
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)


@asynccontextmanager
async def an_ssh_server(site: Site, root: Path) -> AsyncIterator[int]:
    """Serve SSH for a site on a free port, and return the port."""
    async with an_ssh_gateway(site.sessions, root) as port:
        yield port


@asynccontextmanager
async def an_ssh_gateway(
    sessions: ContainerSessions,
    root: Path,
    *,
    sftp_sessions: int = SFTP_SESSIONS_PER_USER_MAX,
    recheck_s: float = RECHECK_S,
) -> AsyncIterator[int]:
    """Serve SSH on a free port, with volumes in `root/storage`, and return the port."""
    with FileThreads() as threads:
        limiter = ConnectionLimiter(sftp_sessions)
        volumes = VolumeGateway(root / "storage", root / "datasets", threads, limiter, recheck_s)
        async with serve_ssh(sessions, volumes, "127.0.0.1", 0, root / "host_key") as acceptor:
            yield acceptor.get_port()


@asynccontextmanager
async def a_site(
    work: Work, root: Path, command: tuple[str, ...] = SLEEPS, *, recheck_s: float = RECHECK_S
) -> AsyncIterator[Site]:
    """Serve one piece of work, whose container runs; nothing of it is left afterwards."""
    settings = ProcessSettings("node", root / "storage", "127.0.0.1", {}, Path(sys.prefix))
    containers = root / "containers"
    node = OneNode(
        ProcessRuntime(containers, settings),
        ProcessExecAdapter(containers, "127.0.0.1"),
        work.node.pk,
    )
    listener = free_socket()
    node.url = url_of(listener)
    broker = StreamBroker(node.authenticate, node.send_to)
    sessions = ContainerSessions(broker, recheck_s=recheck_s)
    terminals = TerminalApp(Origin.parse(node.url), "berth-session", authenticate, sessions)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        served = broker if STREAM_PATH.fullmatch(raw_path(scope)) else terminals
        await served(scope, receive, send)

    async with documented_session() as client, serving(app, listener):
        await node.run(work, command)
        try:
            yield Site(node.url, work, node, sessions, client)
        finally:
            await terminals.close()
            for task in node.tasks:
                task.cancel()
            await asyncio.gather(*node.tasks, return_exceptions=True)
            for key in (work.key, *node.live):
                await node.runtime.stop(key, ExitCause.STOPPED, 0)
                await node.runtime.wait_for_end(key)
