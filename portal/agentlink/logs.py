"""Log chunks from nodes: a node may write the logs of its own allocations, and no others."""

import base64
import binascii
import re
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings

from portal.workloads import log_files, notifications
from portal.workloads.models import Allocation
from wire.messages import LOG_CHUNK_MAX, LogAck, LogChunk

_WIRE_NAME: Final = re.compile(r"([0-9a-f]{32})\.([0-9]{1,3})")


def append(node_id: UUID, chunk: LogChunk) -> LogAck:
    """Store a chunk and say from where to go on.

    Bytes that nobody may or can store are acknowledged all the same: the node shall not repeat
    them for ever.
    """
    data = _decoded(chunk.data)
    allocation = _allocation(node_id, chunk)
    if allocation is None or not data:
        return _ack(chunk, chunk.offset + len(data))
    path = log_files.log_path(
        Path(settings.STORAGE_DIR), allocation.workload_id, allocation.rank, chunk.epoch
    )
    size = log_files.append_log(path, chunk.offset, data)
    notifications.invalidate_topics([f"log:{allocation.workload_id}:{allocation.rank}"], size)
    return _ack(chunk, size)


def _allocation(node_id: UUID, chunk: LogChunk) -> Allocation | None:
    found = _WIRE_NAME.fullmatch(chunk.allocation)
    if found is None or chunk.epoch > 2**31 - 1:
        return None
    return Allocation.objects.filter(
        workload=UUID(found[1]), rank=int(found[2]), epoch=chunk.epoch, node=node_id
    ).first()


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)[:LOG_CHUNK_MAX]
    except (binascii.Error, ValueError):
        return b""


def _ack(chunk: LogChunk, size: int) -> LogAck:
    return LogAck(allocation=chunk.allocation, epoch=chunk.epoch, size=size)
