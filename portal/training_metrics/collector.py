"""Stores the metrics that logs and event files hold, within a second of their arrival, beside the way of the log.

A log that grows is only noted. Its file and the position that is stored with the metrics are the truth:
what is noted twice, or read by two processes, is stored once, and a process that starts continues where the
last one ended.
"""

import asyncio
import queue
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError

from portal.common.concurrency import run_in_thread
from portal.training_metrics import selectors, services
from portal.training_metrics.log_position import LogPosition, LogStream
from portal.training_metrics.metric_lines import MARKER, LinesRead, read_lines
from portal.workloads.logs import files as log_files

logger = structlog.get_logger(__name__)

ROUND_S: Final = 0.5
"""Between two polls of the logs that have grown."""
FINISH_S: Final = 5.0
"""How long the end of the process waits for the last round."""
SEARCHED_MAX: Final = 1024 * 1024
"""Bytes of one log that are searched for metrics in one round; the rest follows."""
KNOWN_MAX: Final = 10_000
"""Logs with metrics whose position is in memory; others are read from the database again."""


class MetricCollector:
    """The logs of this process that may hold new metrics."""

    def __init__(self, storage_dir: Path) -> None:
        """Read logs below this folder."""
        self._storage_dir = storage_dir
        self._grown: queue.SimpleQueue[LogStream] = queue.SimpleQueue()
        self._positions: dict[LogStream, LogPosition] = {}

    def note_growth(self, workload: UUID, rank: int, epoch: int, data: bytes) -> None:
        """Note that a log has grown, if that may matter; called from any thread."""
        stream = LogStream(workload, rank, epoch)
        if stream in self._positions or may_hold_marker(data):
            self._grown.put(stream)

    async def run(self) -> None:
        """Store what is new, in rounds, until cancelled; a failed round is repeated."""
        await self._resume()
        while True:
            await asyncio.sleep(ROUND_S)
            await self.collect_noted()

    async def finish(self) -> None:
        """Store what was noted last; the process ends."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FINISH_S):
                await self.collect_noted()

    async def collect_noted(self) -> None:
        """Read each log that was noted once."""
        for stream in self._take_noted():
            try:
                is_read = await run_in_thread(self.collect, stream)
            except (DatabaseError, OSError, TimeoutError) as error:
                logger.warning("metrics.delayed", id=str(stream.workload_id), error=repr(error))
                is_read = False
            if not is_read:
                self._grown.put(stream)

    async def _resume(self) -> None:
        try:
            stored = await run_in_thread(lambda: dict(selectors.positions_for_system()))
        except (DatabaseError, TimeoutError) as error:
            logger.warning("metrics.not_resumed", error=repr(error))
            return
        for stream, position in stored.items():
            self._positions[stream] = position
            self._grown.put(stream)

    def _take_noted(self) -> set[LogStream]:
        noted: set[LogStream] = set()
        while not self._grown.empty():
            noted.add(self._grown.get())
        return noted

    def collect(self, stream: LogStream) -> bool:
        """Store what is new in a log; return whether that was all of it. Blocks; not run twice at once."""
        begin = self._positions.get(stream) or selectors.position_for_system(stream)
        if len(self._positions) >= KNOWN_MAX and stream not in self._positions:
            self._positions.clear()
        self._positions[stream] = begin
        found, end, has_more = self._read(stream, begin)
        events, end, has_more_events = self._read_events(stream, end)
        after: LogPosition | None = end
        if found.lines or found.malformed or events.lines:
            after = services.record_lines(stream, found, begin=begin, end=end, events=events)
        if after is None:
            self._positions.pop(stream, None)
            return True
        self._positions[stream] = after
        return after == end and not has_more and not has_more_events

    def _read(self, stream: LogStream, begin: LogPosition) -> tuple[LinesRead, LogPosition, bool]:
        """Return what comes next in a log, up to where that is, and whether there may be more.

        What came after its beginning follows once that is read. The end of the log repeats it; an older
        agent keeps no end, and all of its log is read where nothing follows.
        """
        names = (self._storage_dir, stream.workload_id, stream.rank, stream.epoch)
        excess = log_files.read_log(log_files.excess_path(*names), begin.excess, SEARCHED_MAX)
        searched = log_files.BEGINNING if excess.size else log_files.SIZE_MAX
        limit = max(0, min(SEARCHED_MAX, searched - begin.log))
        log = log_files.read_log(log_files.log_path(*names), begin.log, limit)
        if log.size < searched or len(log.text) == SEARCHED_MAX:
            found = read_lines(log.text)
            end = replace(begin, log=begin.log + found.end)
            return found, end, len(log.text) == SEARCHED_MAX
        last = read_lines(log.text)
        if last.lines or last.malformed:
            return last, replace(begin, log=begin.log + last.end), True
        found = read_lines(excess.text)
        end = replace(begin, log=begin.log + last.end, excess=begin.excess + found.end)
        return found, end, len(excess.text) == SEARCHED_MAX

    def _read_events(
        self, stream: LogStream, begin: LogPosition
    ) -> tuple[LinesRead, LogPosition, bool]:
        """Return the same of the lines of its event files."""
        path = log_files.events_path(
            self._storage_dir, stream.workload_id, stream.rank, stream.epoch
        )
        part = log_files.read_log(path, begin.events, SEARCHED_MAX)
        found = read_lines(part.text)
        end = replace(begin, events=begin.events + found.end)
        return found, end, len(part.text) == SEARCHED_MAX


def may_hold_marker(data: bytes) -> bool:
    """Return whether a part of a log holds a marker, or perhaps the beginning of one at its end."""
    return MARKER in data or MARKER[:1] in data[-len(MARKER) :]
