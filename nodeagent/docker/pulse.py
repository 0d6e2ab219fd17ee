"""Since when an engine owes an answer; pure, times in milliseconds since boot."""

from dataclasses import dataclass
from typing import Final

from wire.facts import NodeFault

SILENT_MS: Final = 10_000


@dataclass(slots=True)
class Pulse:
    """Any answer at all counts, an error too: it proves that the engine lives."""

    silent_ms: int = SILENT_MS
    """After this long without an answer the node takes no new work."""
    waiting_since: int | None = None

    def asked(self, now: int) -> None:
        """Note a question; only the first unanswered one counts."""
        if self.waiting_since is None:
            self.waiting_since = now

    def answered(self) -> None:
        """Note an answer to whatever question."""
        self.waiting_since = None

    def is_silent(self, now: int) -> bool:
        """Tell whether the engine owes an answer for too long."""
        return self.waiting_since is not None and now - self.waiting_since >= self.silent_ms

    def faults(self, now: int) -> tuple[NodeFault, ...]:
        """Return what the portal should know: an engine that hangs or is gone."""
        if self.waiting_since is None or not self.is_silent(now):
            return ()
        silent_s = (now - self.waiting_since) // 1000
        return (NodeFault(code="engine_silent", detail=f"no answer for {silent_s} s"),)
