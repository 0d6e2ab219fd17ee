"""The messages in which logs of containers travel, in chunks that are acknowledged."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from wire.log_marks import MARKS_PER_CHUNK_MAX
from wire.values import Count, Identifier, Message, Millis

LOG_CHUNK_MAX = 64 * 1024
"""Bytes of log text in one message, before base64."""


class LogChunk(Message):
    """Log bytes of one container from `offset` on; the server's file size is authoritative."""

    type: Literal["log"] = "log"
    allocation: Identifier
    epoch: Count
    offset: Count
    data: Annotated[str, StringConstraints(max_length=LOG_CHUNK_MAX * 4 // 3 + 4)]
    """Base64 of at most 64 KiB."""
    marks: Annotated[tuple[tuple[Count, Millis], ...], Field(max_length=MARKS_PER_CHUNK_MAX)] = ()
    """When the lines that begin in these bytes were written: offset and time of each `wire.log_marks.LogMark`."""
    is_excess: bool = False
    """They are of the metrics lines that came after the beginning of the log, which have offsets of their own."""
    is_events: bool = False
    """They are of the metrics lines of its event files. A portal that does not know them would take them
    for the log, so the first chunk is empty, and more follows once its acknowledgement says the same."""


class LogAck(Message):
    """How many log bytes of this container the server has; the agent continues from there."""

    type: Literal["log_ack"] = "log_ack"
    allocation: Identifier
    epoch: Count
    size: Count
    is_excess: bool = False
    is_events: bool = False
