"""HTTP clients whose connections end inside a container: for the gateway's extra ports.

Each port in use has a Unix socket in a folder of this process; whoever connects there is joined to
a stream of the node. So the gateway's HTTP and WebSocket code is the same for every upstream, and a
node still needs no open port. Who may connect is decided before, request by request.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog
from aiohttp import ClientSession, DummyCookieJar, UnixConnector

from portal.access.rendezvous import NodeEnd, Printed, Rendezvous, StreamEndedError
from portal.access.visits import UNNAMED
from portal.common.errors import DomainError
from portal.common.races import first
from portal.environments.access import Inside
from portal.gateway.client import LINE_MAX
from wire.messages import OpenStream
from wire.streams import Exited, Finish

CHUNK: Final = 64 * 1024
TUNNELS_MAX: Final = 512
"""Ports of running work that are open through one process."""
CONNECTIONS_MAX: Final = 32
"""Of one port at a time; further requests wait for one of them."""
KEEP_S: Final = 30.0
"""How long an idle connection is kept: in a container each one costs a process."""
logger = structlog.get_logger(__name__)

_Key = tuple[UUID, str, int, int]


@dataclass(slots=True)
class _Tunnel:
    """One port of one container."""

    client: ClientSession
    server: asyncio.Server


class Tunnels:
    """The open tunnels of this process; the least recently used one gives way."""

    def __init__(self, rendezvous: Rendezvous, folder: Path) -> None:
        """Start with none. Nobody but this process's user may enter the folder."""
        self.rendezvous = rendezvous
        self._folder = folder
        self._tunnels: dict[_Key, _Tunnel] = {}
        self._numbers = 0
        self._lock = asyncio.Lock()

    async def client(self, inside: Inside, port: int) -> ClientSession:
        """Return a client for a port of a container."""
        key = (inside.node_id, inside.allocation, inside.epoch, port)
        async with self._lock:
            tunnel = self._tunnels.pop(key, None) or await self._opened(inside, port)
            self._tunnels[key] = tunnel
            while len(self._tunnels) > TUNNELS_MAX:
                await _close(self._tunnels.pop(next(iter(self._tunnels))))
        return tunnel.client

    async def close(self) -> None:
        """Close every tunnel."""
        for tunnel in self._tunnels.values():
            await _close(tunnel)
        self._tunnels.clear()

    async def _opened(self, inside: Inside, port: int) -> _Tunnel:
        self._numbers += 1
        place = self._folder / str(self._numbers)

        async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._join(inside, port, reader, writer)

        server = await asyncio.start_unix_server(join, place)
        client = ClientSession(
            connector=UnixConnector(str(place), limit=CONNECTIONS_MAX, keepalive_timeout=KEEP_S),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            max_line_size=LINE_MAX,
            max_field_size=LINE_MAX,
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        )
        return _Tunnel(client, server)

    async def _join(
        self,
        inside: Inside,
        port: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        order = OpenStream(
            stream=UNNAMED, allocation=inside.allocation, epoch=inside.epoch, kind="port", port=port
        )
        try:
            async with self.rendezvous.stream(inside.node_id, order) as node:
                await first(_outwards(node, writer), _inwards(reader, node))
        except (DomainError, OSError) as error:
            logger.info("tunnel.closed", port=port, error=repr(error))
        finally:
            writer.close()


@asynccontextmanager
async def open_tunnels(rendezvous: Rendezvous) -> AsyncIterator[Tunnels]:
    """Provide tunnels for the block, in a folder that only we may enter."""
    with tempfile.TemporaryDirectory(prefix="berth-") as folder:
        tunnels = Tunnels(rendezvous, Path(folder))
        try:
            yield tunnels
        finally:
            await tunnels.close()


async def _close(tunnel: _Tunnel) -> None:
    await tunnel.client.close()
    tunnel.server.close()


async def _outwards(node: NodeEnd, writer: asyncio.StreamWriter) -> None:
    with suppress(StreamEndedError, OSError):
        while not isinstance(said := await node.hear(), Exited):
            if isinstance(said, Printed):
                writer.write(said.data)
                await writer.drain()


async def _inwards(reader: asyncio.StreamReader, node: NodeEnd) -> None:
    """Pass on what the gateway sends; it never closes one direction only."""
    with suppress(StreamEndedError, OSError):
        while data := await reader.read(CHUNK):
            await node.write(data)
        await node.say(Finish())
