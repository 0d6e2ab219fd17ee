"""The stored logs of several ranks as one, in the order in which their lines were written.

Only a few pieces of each log are in memory, however large it is. The order of one rank's lines is kept
even where its node's clock went back; lines of unknown time stand where its line before them does.
"""

from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import takewhile
from typing import Final

from portal.common.concurrency import run_in_thread
from portal.live.broadcast import Subscriber
from portal.live.log_tail import LINGER, PIECE_MAX, RankLog
from portal.live.workload_status import WorkloadStatus
from portal.workloads.logs.marks import iterate_marks, marks_path

RANK_PIECE_MIN: Final = 16 * 1024
"""Bytes read of one rank's log at a time, however many ranks there are; a longer line is cut."""


@dataclass(frozen=True, slots=True)
class LogRecord:
    """Lines of one rank that were written at one time, or a part of a long line."""

    epoch: int
    rank: int
    at_ms: int | None
    """UTC; None where it is not known: the log is of an agent that kept no times."""
    offset: int
    text: bytes

    @property
    def end(self) -> int:
        """Return from which offset its rank's log continues."""
        return self.offset + len(self.text)


@dataclass(slots=True)
class _RankReader:
    """Where reading one rank's log stands."""

    log: RankLog
    epoch: int
    offset: int
    piece_max: int
    has_whole_lines: bool
    """Lines that are still being written are left for later: others may come between."""
    waiting: deque[LogRecord] = field(default_factory=deque)
    at_ms: int = 0
    """Of its newest line, for the order."""

    def begin(self) -> None:
        """Find where to begin: a negative offset counts from the end, and begins with a line."""
        if self.offset >= 0:
            return
        part = self.log.read(self.epoch, self.offset, self.piece_max)
        cut = part.text.find(b"\n") + 1 if part.offset else 0
        self.offset = part.offset + cut

    def read(self, *, is_over: bool) -> None:
        """Read the next lines; `is_over`: nothing is added any more, so the last line is whole."""
        text = self.log.read(self.epoch, self.offset, self.piece_max).text
        if not is_over or len(text) == self.piece_max:
            text = self._cut(text)
        self.waiting.extend(self._split(text))
        self.offset += len(text)

    def _cut(self, text: bytes) -> bytes:
        whole = text.rfind(b"\n") + 1
        if whole and self.has_whole_lines:
            return text[:whole]
        if self.has_whole_lines and len(text) < self.piece_max:
            return b""
        return text[: _whole_characters(text)]

    def _split(self, text: bytes) -> Iterator[LogRecord]:
        log, end = self.log, self.offset + len(text)
        path = marks_path(log.storage_dir, log.workload_id, log.rank, self.epoch)
        begin, at_ms = self.offset, None
        for mark in takewhile(lambda mark: mark.offset < end, iterate_marks(path, begin)):
            if mark.offset > begin:
                yield self._record(begin, mark.offset, text, at_ms)
                begin = mark.offset
            at_ms = mark.at_ms
        if begin < end:
            yield self._record(begin, end, text, at_ms)

    def _record(self, begin: int, end: int, text: bytes, at_ms: int | None) -> LogRecord:
        part = text[begin - self.offset : end - self.offset]
        return LogRecord(self.epoch, self.log.rank, at_ms, begin, part)


class MergedLog:
    """One attempt's logs, read on and on. Blocks."""

    def __init__(self, logs: Sequence[RankLog], epoch: int, offsets: Sequence[int]) -> None:
        """Begin each log at its offset."""
        piece_max = max(RANK_PIECE_MIN, PIECE_MAX // len(logs))
        self._readers = {
            log.rank: _RankReader(log, epoch, offset, piece_max, len(logs) > 1)
            for log, offset in zip(logs, offsets, strict=True)
        }
        self._order: list[tuple[int, int]] = []
        """A heap: time and rank of the next record of each that has one."""
        self._has_begun = False

    def read(self, *, is_over: bool) -> Sequence[LogRecord]:
        """Return what comes next, about 64 KiB; nothing at the present end of all logs."""
        if not self._has_begun:
            self._has_begun = True
            for reader in self._readers.values():
                reader.begin()
        for reader in self._readers.values():
            if not reader.waiting:
                self._offer(reader, is_over=is_over)
        found: list[LogRecord] = []
        size = 0
        while self._order and size < PIECE_MAX:
            reader = self._readers[heappop(self._order)[1]]
            found.append(reader.waiting.popleft())
            size += len(found[-1].text)
            self._offer(reader, is_over=is_over)
        return found

    def _offer(self, reader: _RankReader, *, is_over: bool) -> None:
        if not reader.waiting:
            reader.read(is_over=is_over)
        if reader.waiting:
            reader.at_ms = max(reader.at_ms, reader.waiting[0].at_ms or 0)
            heappush(self._order, (reader.at_ms, reader.log.rank))


def _whole_characters(text: bytes) -> int:
    """Return how many bytes there are up to a character that is cut at the end."""
    for back in range(1, min(4, len(text)) + 1):
        byte = text[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needed = 2 + (byte >= 0xE0) + (byte >= 0xF0)
            return len(text) - back if back < needed else len(text)
    return len(text)


async def follow_merged(
    logs: Sequence[RankLog], offsets: Sequence[int], subscriber: Subscriber, *, poll_s: float
) -> AsyncGenerator[LogRecord]:
    """Yield what the newest attempt's logs hold and what is added, then every later attempt's.

    Lines of ranks that arrive late stand where they arrive. Ends a moment after the workload has come to
    rest.
    """
    epoch, merged = -1, None
    while True:
        status = await run_in_thread(WorkloadStatus.load_for_system, logs[0].workload_id)
        if status is None:
            return
        if merged is None:
            epoch, merged = status.epoch, MergedLog(logs, status.epoch, offsets)
        is_over = status.epoch != epoch or status.has_rested_for(LINGER)
        found = await run_in_thread(partial(merged.read, is_over=is_over))
        for record in found:
            yield record
        if found:
            continue
        if status.epoch != epoch:
            merged, offsets = None, [0] * len(logs)
        elif is_over:
            return
        else:
            await subscriber.wait_topics(within_s=poll_s)


async def read_merged(
    logs: Sequence[RankLog], epoch: int, offsets: Sequence[int]
) -> AsyncGenerator[LogRecord]:
    """Yield what one attempt's logs hold now."""
    merged = MergedLog(logs, epoch, offsets)
    while found := await run_in_thread(partial(merged.read, is_over=True)):
        for record in found:
            yield record
