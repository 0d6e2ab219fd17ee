"""What work writes, on its way to its log; a port of every back end."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol
from uuid import UUID

from portal.execution.report import OfAttempt
from wire.log_marks import LogMark


class LogFile(Enum):
    """Which file of an attempt bytes belong to."""

    TEXT = "text"
    """What it printed."""
    EXCESS = "excess"
    """Metrics lines that it printed after the beginning of its log."""
    EVENTS = "events"
    """Metrics lines that its event files amount to."""


@dataclass(frozen=True, slots=True)
class GrownLog(OfAttempt):
    """What was added to a file of one attempt's log; no bytes ask how much of it is stored."""

    offset: int
    data: bytes
    file: LogFile = LogFile.TEXT
    marks: Sequence[LogMark] = ()
    """When lines of the text were written."""


class GrowthObserver(Protocol):
    """What is notified, in the thread of the chunk, of bytes that were added to a log."""

    def __call__(self, workload: UUID, rank: int, epoch: int, data: bytes) -> None:
        """Take note; must return at once."""


def observe_nothing(workload: UUID, rank: int, epoch: int, data: bytes) -> None:
    """Take no note."""


class LogStore(Protocol):
    """Stores what a node sends of the logs of its own attempts."""

    def __call__(self, node_id: UUID, grown: GrownLog) -> int:
        """Return from which offset on the node continues.

        What cannot be stored counts as stored, or it would be sent for ever.
        """
