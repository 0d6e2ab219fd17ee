"""Log chunks of agents as plain values, and how much of a log is stored as an acknowledgement."""

import base64
import binascii
from uuid import UUID

from portal.execution.logs import GrownLog, LogFile, LogStore
from wire.log_marks import LogMark
from wire.logs import LOG_CHUNK_MAX, LogAck, LogChunk


def append_log(store: LogStore, node_id: UUID, chunk: LogChunk) -> LogAck:
    """Store a chunk and acknowledge it; what is not base64 is taken for no bytes."""
    grown = GrownLog(
        allocation=chunk.allocation,
        epoch=chunk.epoch,
        offset=chunk.offset,
        data=_decoded(chunk.data),
        file=_file_of(chunk),
        marks=[LogMark(*mark) for mark in chunk.marks],
    )
    return LogAck(
        allocation=chunk.allocation,
        epoch=chunk.epoch,
        size=store(node_id, grown),
        is_excess=chunk.is_excess,
        is_events=chunk.is_events,
    )


def _file_of(chunk: LogChunk) -> LogFile:
    if chunk.is_events:
        return LogFile.EVENTS
    return LogFile.EXCESS if chunk.is_excess else LogFile.TEXT


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)[:LOG_CHUNK_MAX]
    except (binascii.Error, ValueError):
        return b""
