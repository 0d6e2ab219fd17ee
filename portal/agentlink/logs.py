"""Log chunks of nodes; each node may write the logs of its own allocations only."""

import base64
import binascii
import re
from pathlib import Path
from typing import Final, Protocol
from uuid import UUID

from portal.common.notifications import invalidate_topics
from portal.common.site_config import get_site_config
from portal.workloads.logs import files as log_files
from portal.workloads.logs.marks import append_marks, marks_path
from portal.workloads.models import Allocation, ForgottenContainer
from wire.log_marks import LogMark
from wire.logs import LOG_CHUNK_MAX, LogAck, LogChunk

_WIRE_NAME: Final = re.compile(r"([0-9a-f]{32})\.([0-9]{1,3})")


class GrowthObserver(Protocol):
    """What is notified, in the thread of the chunk, of bytes that were added to a log."""

    def __call__(self, workload: UUID, rank: int, epoch: int, data: bytes) -> None:
        """Take note; must return at once."""


def _observe_nothing(workload: UUID, rank: int, epoch: int, data: bytes) -> None:
    """Take no note."""


def append_log(
    node_id: UUID, chunk: LogChunk, observe: GrowthObserver = _observe_nothing
) -> LogAck:
    """Store a chunk and acknowledge how much of the log is stored.

    Bytes that cannot be stored are acknowledged too, or the node would send them indefinitely. A chunk
    without bytes asks how much there is.
    """
    data = _decoded(chunk.data)
    rank = _find_rank(node_id, chunk)
    if rank is None:
        return _ack(chunk, chunk.offset + len(data))
    workload, number = rank
    where = (get_site_config().storage_dir, workload, number, chunk.epoch)
    if not data:
        return _ack(chunk, _count_had(where, chunk))
    if chunk.is_events:
        size = log_files.append_events(log_files.events_path(*where), chunk.offset, data)
    elif chunk.is_excess:
        size = log_files.append_excess(log_files.excess_path(*where), chunk.offset, data)
    else:
        size = _append_text(where, chunk, data)
        invalidate_topics([f"log:{workload}:{number}"], size)
    observe(workload, number, chunk.epoch, data)
    return _ack(chunk, size)


def _count_had(where: tuple[Path, UUID, int, int], chunk: LogChunk) -> int:
    """Return how much of what a chunk is of is stored, or has found no room."""
    if chunk.is_events:
        return log_files.count_had(log_files.events_path(*where), log_files.EVENTS_MAX)
    if chunk.is_excess:
        return log_files.count_had(log_files.excess_path(*where), log_files.EXCESS_MAX)
    return log_files.count_had(log_files.log_path(*where), log_files.SIZE_MAX)


def _append_text(where: tuple[Path, UUID, int, int], chunk: LogChunk, data: bytes) -> int:
    """Write log bytes and when they were written; marks first, as a chunk half stored is sent again."""
    path = log_files.log_path(*where)
    if chunk.offset <= log_files.read_log(path, 0, 0).size:
        end = chunk.offset + len(data)
        marks = [LogMark(*mark) for mark in chunk.marks if chunk.offset <= mark[0] < end]
        append_marks(marks_path(*where), marks)
    return log_files.append_log(path, chunk.offset, data)


def _find_rank(node_id: UUID, chunk: LogChunk) -> tuple[UUID, int] | None:
    """Return the workload and rank of a container that is or was on this node."""
    found = _WIRE_NAME.fullmatch(chunk.allocation)
    if found is None or chunk.epoch > 2**31 - 1:
        return None
    workload, rank = UUID(found[1]), int(found[2])
    what = {"workload": workload, "rank": rank, "epoch": chunk.epoch, "node": node_id}
    if Allocation.objects.filter(**what).exists():
        return workload, rank
    # Since a restore of the database its allocation may be unknown, but not its workload.
    return (workload, rank) if ForgottenContainer.objects.filter(**what).exists() else None


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)[:LOG_CHUNK_MAX]
    except (binascii.Error, ValueError):
        return b""


def _ack(chunk: LogChunk, size: int) -> LogAck:
    return LogAck(
        allocation=chunk.allocation,
        epoch=chunk.epoch,
        size=size,
        is_excess=chunk.is_excess,
        is_events=chunk.is_events,
    )
