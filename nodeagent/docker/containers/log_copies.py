"""Copies each container's log from the engine into its directory, for as long as it runs.

The copy ends at the size that the portal keeps; of what follows, metrics lines are kept. The engine
rotates its own file.
"""

import asyncio
import re
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Final

import docker
import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.excess_metrics import ExcessMetrics
from nodeagent.disk.log_marks import MarkWriter
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.docker.engine.client import ENGINE_ERRORS, close_stream

log = structlog.get_logger()

EXCESS_BYTES_PER_S: Final = 8 * 1024 * 1024
"""How fast the output after a full log is searched for metrics: a program that floods its log shall not
keep the agent busy."""
LOG_END_S: Final = 5.0
"""How long the rest of a log may take to arrive once its container has ended."""

_STAMP: Final = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ")
"""What the engine writes before each piece that a program has written, if it is asked for times."""


class LogCopies:
    """The log copies of all live containers of one node."""

    def __init__(self, containers: NodeContainers, bytes_max: int) -> None:
        """Keep so many bytes of each."""
        self._containers = containers
        self._bytes_max = bytes_max
        self._copies: dict[ContainerKey, LogCopy] = {}

    def follow(self, directory: ContainerDir) -> None:
        """Copy this log from now on; does nothing while it is being copied."""
        copy = self._copies.get(directory.key)
        if copy is None or copy.is_broken:
            self._copies[directory.key] = LogCopy(
                directory,
                self._containers.engine_name(directory.key),
                self._bytes_max,
                lambda: self._containers.engine.stream_client,
            )

    async def finish(self, directory: ContainerDir) -> None:
        """Wait for the rest of the log of a container that has ended, but only for a while."""
        copy = self._copies.pop(directory.key, None)
        if copy is not None:
            await asyncio.to_thread(copy.finish, LOG_END_S)


class LogCopy:
    """One daemon thread per container. After a restart it continues where the file ends."""

    def __init__(
        self,
        directory: ContainerDir,
        name: str,
        bytes_max: int,
        client: Callable[[], docker.DockerClient],
    ) -> None:
        self._directory = directory
        self._name = name
        self._bytes_max = bytes_max
        self._client = client
        self._is_full = False
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"log {name}", daemon=True)
        self._thread.start()

    @property
    def is_broken(self) -> bool:
        """Whether more should be copied; a restart of the engine ends every copy."""
        return not self._thread.is_alive() and not self._is_full

    def finish(self, timeout_s: float) -> None:
        """Wait until the end of the log has been copied, at most so long."""
        self._has_ended.set()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            self._copy()
        except ENGINE_ERRORS as error:
            log.info("log.copy_ended", container=self._name, error=str(error))
        except Exception:  # half an answer of an engine that crashed, as any library may report it
            log.exception("log.copy_ended", container=self._name)

    def _copy(self) -> None:
        size = self._directory.log_path.stat().st_size
        excess = ExcessMetrics(self._directory.excess_path, self._bytes_max)
        marks = MarkWriter(self._directory.marks_path, self._directory.log_path)
        offset = 0
        stream = self._client().api.logs(
            self._name, stdout=True, stderr=True, stream=True, follow=True, timestamps=True
        )
        try:
            with self._directory.log_path.open("ab", buffering=0) as target:
                for stamped in stream:
                    at_ms, piece = split_stamp(stamped)
                    fresh = piece[max(0, size - offset) : max(0, self._bytes_max - offset)]
                    marks.feed(fresh, at_ms)  # first: what is in the log may be shipped at once
                    target.write(fresh)
                    excess.feed(offset, piece)
                    offset += len(piece)
                    if offset > max(size, self._bytes_max):
                        self._has_ended.wait(len(piece) / EXCESS_BYTES_PER_S)
                    if excess.is_full and not self._is_full:
                        # Read to the end of what has arrived already: that releases the socket.
                        self._is_full = True
                        close_stream(stream)
        finally:
            close_stream(stream)


def split_stamp(piece: bytes) -> tuple[int | None, bytes]:
    """Return when a piece of a log was written, UTC in milliseconds, and the piece without its stamp."""
    found = _STAMP.match(piece)
    if found is None:
        return None, piece
    at = datetime.fromisoformat(found[0].decode().strip())
    return int(at.timestamp() * 1000), piece[found.end() :]
