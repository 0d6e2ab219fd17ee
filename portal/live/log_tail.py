"""Following a log, as `tail -f`: what is stored, then what is added, over all attempts."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.common.concurrency import run_in_thread
from portal.live.broadcast import Subscriber
from portal.live.workload_status import WorkloadStatus
from portal.workloads.logs import files as log_files

PIECE_MAX: Final = 64 * 1024
"""Bytes read at a time."""
POLL_S: Final = 1.0
"""Pause between two reads without a notification: those are hints and may be lost."""
LINGER: Final = timedelta(seconds=2)
"""How long to wait after the end: the last bytes may arrive after the report of it."""


@dataclass(frozen=True, slots=True)
class RankLog:
    """The log of one rank, over all attempts."""

    storage_dir: Path
    workload_id: UUID
    rank: int

    @property
    def topic(self) -> str:
        """The topic that is published when the log grows."""
        return f"log:{self.workload_id}:{self.rank}"

    def read(self, epoch: int, offset: int, limit: int) -> log_files.LogPart:
        """Return part of one attempt's log; a negative offset counts from the end. Blocks."""
        path = log_files.log_path(self.storage_dir, self.workload_id, self.rank, epoch)
        if offset < 0:
            offset += log_files.read_log(path, 0, 0).size
        return log_files.read_log(path, offset, limit)


@dataclass(frozen=True, slots=True)
class LogPiece:
    """Bytes of one attempt's log."""

    epoch: int
    offset: int
    data: bytes


async def tail_log(
    log: RankLog, offset: int, subscriber: Subscriber, *, poll_s: float = POLL_S
) -> AsyncGenerator[LogPiece]:
    """Yield the newest attempt's log from `offset` on, then every later attempt's.

    Ends a moment after the workload has come to rest.
    """
    epoch: int | None = None
    while True:
        status = await run_in_thread(WorkloadStatus.load_for_system, log.workload_id)
        if status is None:
            return
        epoch = status.epoch if epoch is None else epoch
        part = await run_in_thread(log.read, epoch, offset, PIECE_MAX)
        offset = part.offset + len(part.text)
        if part.text:
            yield LogPiece(epoch, part.offset, part.text)
        elif status.epoch != epoch:
            epoch, offset = status.epoch, 0
        elif status.has_rested_for(LINGER):
            return
        else:
            await subscriber.wait_topics(within_s=poll_s)
