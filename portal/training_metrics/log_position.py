"""Which log, and how far it was read."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class LogStream:
    """The log of one attempt of a rank."""

    workload_id: UUID
    rank: int
    epoch: int


@dataclass(frozen=True, slots=True)
class LogPosition:
    """How far a log was read, the metrics lines that came after it was full, and those of event files."""

    log: int = 0
    excess: int = 0
    events: int = 0

    def is_beyond(self, other: "LogPosition") -> bool:
        """Return whether anything after `other` was read."""
        return self.log > other.log or self.excess > other.excess or self.events > other.events
