"""Following a log: what is there, then what is added, across attempts, until the work is at rest."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.common.threads import in_thread
from portal.live.glance import Glance
from portal.live.hub import Listener
from portal.workloads import logs

PIECE_MAX: Final = 64 * 1024
"""Bytes of a log in one frame."""
POLL_S: Final = 1.0
"""Pause between two looks when nothing rings: pokes are hints only."""
LINGER: Final = timedelta(seconds=2)
"""How long to wait after the end for more: its last bytes may come after the news of it."""


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one rank, over all attempts."""

    storage_dir: Path
    workload_id: UUID
    rank: int

    @property
    def topic(self) -> str:
        """Return the topic that is rung when the log grows."""
        return f"log:{self.workload_id}:{self.rank}"

    def read(self, epoch: int, offset: int, limit: int) -> logs.LogPart:
        """Return part of one attempt's log; a negative offset counts from the end. Blocks."""
        path = logs.log_path(self.storage_dir, self.workload_id, self.rank, epoch)
        if offset < 0:
            offset += logs.read(path, 0, 0).size
        return logs.read(path, offset, limit)


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of one attempt's log."""

    epoch: int
    offset: int
    data: bytes


async def follow(log: Log, offset: int, listener: Listener) -> AsyncGenerator[Piece]:
    """Yield the newest attempt's log from `offset` on, and every later attempt's, to the end."""
    epoch: int | None = None
    while (seen := await in_thread(Glance.for_system, log.workload_id)) is not None:
        epoch = seen.epoch if epoch is None else epoch
        part = await in_thread(log.read, epoch, offset, PIECE_MAX)
        offset = part.offset + len(part.text)
        if part.text:
            yield Piece(epoch, part.offset, part.text)
        elif seen.epoch != epoch:
            epoch, offset = seen.epoch, 0
        elif seen.has_rested_for(LINGER):
            return
        else:
            await listener.rings(within_s=POLL_S)
