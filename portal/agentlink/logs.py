"""Log chunks of nodes; each node may write the logs of its own allocations only."""

import base64
import binascii
import re
from typing import Final
from uuid import UUID

from portal.common.notifications import invalidate_topics
from portal.common.site_config import get_site_config
from portal.workloads import log_files
from portal.workloads.models import Allocation
from wire.messages import LOG_CHUNK_MAX, LogAck, LogChunk

_WIRE_NAME: Final = re.compile(r"([0-9a-f]{32})\.([0-9]{1,3})")


def append_log(node_id: UUID, chunk: LogChunk) -> LogAck:
    """Store a chunk and acknowledge how much of the log is stored.

    Bytes that cannot be stored are acknowledged too, or the node would send them indefinitely.
    """
    data = _decoded(chunk.data)
    allocation = _find_allocation(node_id, chunk)
    if allocation is None or not data:
        return _ack(chunk, chunk.offset + len(data))
    path = log_files.log_path(
        get_site_config().storage_dir, allocation.workload_id, allocation.rank, chunk.epoch
    )
    size = log_files.append_log(path, chunk.offset, data)
    invalidate_topics([f"log:{allocation.workload_id}:{allocation.rank}"], size)
    return _ack(chunk, size)


def _find_allocation(node_id: UUID, chunk: LogChunk) -> Allocation | None:
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
