"""HTTP clients for the extra ports of a container, which the notebook proxy serves.

Each port in use has a Unix socket in a private folder of this process; a connection to it is joined
with a stream of the node. So the proxy's HTTP and WebSocket code is the same for every upstream,
and a node still needs no open port. Rights are checked before, request by request.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from aiohttp import ClientSession, UnixConnector

from portal.access.sessions import request_for
from portal.common.concurrency import first_completed
from portal.common.errors import DomainError
from portal.endpoints.values import ContainerAddress
from portal.execution.streams import (
    CommandEnded,
    EndOfData,
    Stream,
    StreamEndedError,
    StreamOutput,
    Streams,
)
from portal.gateway.client import create_http_client

CHUNK: Final = 64 * 1024
TUNNELS_MAX: Final = 512
"""Ports of running work that are open through one process."""
CONNECTIONS_MAX: Final = 32
"""Of one port at a time, for browsers; further requests wait for one of them."""
KEEP_ALIVE_S: Final = 30.0
"""How long an idle connection is kept: in a container each one costs a process."""
logger = structlog.get_logger(__name__)

_Key = tuple[ContainerAddress, int]


@dataclass(slots=True)
class _Tunnel:
    """One port of one container."""

    client: ClientSession
    server: asyncio.Server


class TunnelPool:
    """The open tunnels of this process; beyond the limit the least recently used is closed."""

    def __init__(self, streams: Streams, folder: Path, connections_max: int) -> None:
        """Start without tunnels. Only this process's user may enter the folder."""
        self.streams = streams
        self._connections_max = connections_max
        self._folder = folder
        self._tunnels: dict[_Key, _Tunnel] = {}
        self._opened = 0
        self._lock = asyncio.Lock()

    async def get_client(self, container: ContainerAddress, port: int) -> ClientSession:
        """Return a client for a port of a container."""
        key = (container, port)
        async with self._lock:
            tunnel = self._tunnels.pop(key, None) or await self._open(container, port)
            self._tunnels[key] = tunnel
            while len(self._tunnels) > TUNNELS_MAX:
                await _close(self._tunnels.pop(next(iter(self._tunnels))))
        return tunnel.client

    async def close(self) -> None:
        """Close every tunnel."""
        for tunnel in self._tunnels.values():
            await _close(tunnel)
        self._tunnels.clear()

    async def _open(self, container: ContainerAddress, port: int) -> _Tunnel:
        self._opened += 1
        path = self._folder / str(self._opened)

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._serve(container, port, reader, writer)

        server = await asyncio.start_unix_server(serve, path)
        connector = UnixConnector(
            str(path), limit=self._connections_max, keepalive_timeout=KEEP_ALIVE_S
        )
        return _Tunnel(create_http_client(connector), server)

    async def _serve(
        self,
        container: ContainerAddress,
        port: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        request = request_for(container, port)
        try:
            async with self.streams.open_stream(container.node_id, request) as stream:
                await first_completed(
                    _forward_output(stream, writer), _forward_input(reader, stream)
                )
        except (DomainError, OSError) as error:
            logger.info("tunnel.closed", port=port, error=repr(error))
        finally:
            writer.close()


@asynccontextmanager
async def open_tunnels(
    streams: Streams, connections_max: int = CONNECTIONS_MAX
) -> AsyncIterator[TunnelPool]:
    """Provide tunnels for the block, in a folder that only this user may enter."""
    with tempfile.TemporaryDirectory(prefix="berth-") as folder:
        tunnels = TunnelPool(streams, Path(folder), connections_max)
        try:
            yield tunnels
        finally:
            await tunnels.close()


async def _close(tunnel: _Tunnel) -> None:
    await tunnel.client.close()
    tunnel.server.close()


async def _forward_output(stream: Stream, writer: asyncio.StreamWriter) -> None:
    with suppress(StreamEndedError, OSError):
        while not isinstance(message := await stream.receive(), CommandEnded):
            if isinstance(message, StreamOutput):
                writer.write(message.data)
                await writer.drain()


async def _forward_input(reader: asyncio.StreamReader, stream: Stream) -> None:
    """Forward what the proxy sends; it never closes one direction only."""
    with suppress(StreamEndedError, OSError):
        while data := await reader.read(CHUNK):
            await stream.write(data)
        await stream.send(EndOfData())
