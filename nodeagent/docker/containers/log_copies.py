"""Copies each container's log from the engine into its directory, for as long as it runs.

The copy holds the beginning; of what follows, metrics lines and, in memory, the end are kept, which is put
behind the beginning once the container has ended. The engine rotates its own file, and may drop some of it.
"""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from time import monotonic
from typing import Any, Final

import docker
import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.excess_metrics import ExcessMetrics
from nodeagent.disk.log_end import EndCounter, LogShare, append_end, complete_end, gap_line
from nodeagent.disk.log_marks import MarkWriter, append_marks
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.docker.engine.client import ENGINE_ERRORS, close_stream
from wire.log_lines import GAP_LINE_MAX

log = structlog.get_logger()

EXCESS_BYTES_PER_S: Final = 8 * 1024 * 1024
"""How fast the output after the beginning is searched for metrics: a program that floods its log must not
keep the agent busy."""
LOG_END_S: Final = 5.0
"""How long the rest of a log may take to arrive once its container has ended."""
LAST_LINES: Final = 2000
"""Asked for by themselves where that was too short."""

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

    async def finish(self, directory: ContainerDir, *, is_there: bool) -> None:
        """Wait for the rest of the log of a container that has ended, but only for a while.

        `is_there`: the engine still knows it, and what it has said while there was no agent.
        """
        copy = self._copies.get(directory.key)
        if is_there and (copy is None or copy.has_failed):
            self.follow(directory)
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
        self._share = LogShare.of(bytes_max)
        self._client = client
        self._counter = EndCounter(self._share)
        self._end = bytearray()
        self._size = 0
        """Bytes of the log that the engine has reported."""
        self._second, self._known = 0, 0
        """When the last of them were written, and how many of them within that second."""
        self._kept = 0
        """Bytes of the log that the file had before."""
        self._has_ended = threading.Event()
        self._lock = threading.Lock()
        """Held while a piece is taken, and when no more is taken."""
        self._is_closed = False
        self.has_failed = False
        """The engine did not tell all of it."""
        self._thread = self._start(self._copy)

    @property
    def is_broken(self) -> bool:
        """Whether more should be copied; a restart of the engine ends every copy."""
        return not self._thread.is_alive()

    def finish(self, timeout_s: float) -> None:
        """Put the end behind the beginning once it has been copied, or at most so long later."""
        self._has_ended.set()
        deadline = monotonic() + timeout_s
        self._thread.join(timeout_s)
        if not self._thread.is_alive() and not self.has_failed:
            self._thread = self._start(self._copy_rest)
            self._thread.join(max(0.0, deadline - monotonic()))
        last = self._read_last_lines() if self._thread.is_alive() else b""
        with self._lock:
            self._is_closed = True
            try:
                self._append_end(last)
            except OSError as error:  # its end is reported nevertheless
                log.warning("log.end_not_kept", container=self._name, error=str(error))

    def _append_end(self, last: bytes) -> None:
        """Append the end that was copied, or the lines that were asked for as it was not."""
        path, beginning = self._directory.log_path, self._share.beginning
        size = path.stat().st_size
        if last:
            beginning = min(size, beginning)
            text, marks = gap_line(0, None, is_exact=False) + last, []
        elif size != beginning or not self._end:
            return
        elif self._share.holds(self._size):
            text, marks = bytes(self._end), self._counter.list_marks(beginning)
        else:
            end = bytes(self._end[-self._share.end :])
            text, marks = self._counter.close(self._size, end, is_exact=False)
        append_marks(self._directory.marks_path, marks)
        append_end(path, beginning, text)

    def _read_last_lines(self) -> bytes:
        """Return the last lines of a log of which the copy is far behind."""
        try:
            said = self._client().api.logs(self._name, stdout=True, stderr=True, tail=LAST_LINES)
        except ENGINE_ERRORS as error:
            log.info("log.end_unread", container=self._name, error=str(error))
            return b""
        return bytes(said)[-self._share.end :]

    def _start(self, copy: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(
            target=self._run, args=(copy,), name=f"log {self._name}", daemon=True
        )
        thread.start()
        return thread

    def _run(self, copy: Callable[[], None]) -> None:
        try:
            copy()
        except ENGINE_ERRORS as error:
            self.has_failed = True
            log.info("log.copy_ended", container=self._name, error=str(error))
        except Exception:  # half an answer of an engine that crashed, as any library may report it
            self.has_failed = True
            log.exception("log.copy_ended", container=self._name)

    def _copy(self) -> None:
        """Copy the log as it grows."""
        complete_end(self._directory.log_path, self._share.beginning)
        self._kept = self._directory.log_path.stat().st_size
        self._excess = ExcessMetrics(self._directory.excess_path, self._share.beginning)
        self._marks = MarkWriter(
            self._directory.marks_path, self._directory.log_path, self._share.beginning
        )
        for at_ms, piece in self._stream(follow=True):
            if at_ms is not None and at_ms // 1000 != self._second:
                self._second, self._known = at_ms // 1000, 0
            self._known += len(piece)
            if not self._take(piece, at_ms):
                return

    def _copy_rest(self) -> None:
        """Copy what was not sent: Docker 20.10 may end a stream before the log of its container ends."""
        known = self._known
        for at_ms, piece in self._stream(follow=False, since=self._second or None):
            if known <= 0 and not self._take(piece, at_ms):
                return
            known -= len(piece)

    def _stream(self, **what: Any) -> Iterator[tuple[int | None, bytes]]:
        """Yield pieces of the log, each with the second in which it was written, in milliseconds."""
        stream = self._client().api.logs(
            self._name, stdout=True, stderr=True, stream=True, timestamps=True, **what
        )
        try:
            yield from map(split_stamp, stream)
        finally:
            close_stream(stream)

    def _take(self, piece: bytes, at_ms: int | None) -> bool:
        """Keep what is to be kept of a piece; return False when no more is taken."""
        beginning = self._share.beginning
        with self._lock:
            if self._is_closed:
                return False
            fresh = piece[max(0, self._kept - self._size) : max(0, beginning - self._size)]
            self._marks.feed(fresh, at_ms)  # first: what is in the log may be shipped at once
            if fresh:
                with self._directory.log_path.open("ab", buffering=0) as target:
                    target.write(fresh)
            self._excess.feed(self._size, piece)
            self._keep_end(piece, at_ms)
        if self._size > max(self._kept, beginning):
            self._has_ended.wait(len(piece) / EXCESS_BYTES_PER_S)
        return True

    def _keep_end(self, piece: bytes, at_ms: int | None) -> None:
        """Count a piece, and keep of it and what came before as much as may be the end."""
        rest = piece[max(0, self._share.beginning - self._size) :]
        self._counter.feed(self._size, piece, at_ms)
        self._size += len(piece)
        self._end += rest
        if len(self._end) > 2 * self._share.end + GAP_LINE_MAX:
            del self._end[: -self._share.end - GAP_LINE_MAX]


def split_stamp(piece: bytes) -> tuple[int | None, bytes]:
    """Return when a piece of a log was written, UTC in milliseconds, and the piece without its stamp."""
    found = _STAMP.match(piece)
    if found is None:
        return None, piece
    at = datetime.fromisoformat(found[0].decode().strip())
    return int(at.timestamp() * 1000), piece[found.end() :]
