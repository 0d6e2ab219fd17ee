"""The warning that work gets before it is stopped."""

from dataclasses import dataclass

from nodeagent.core.state import PendingStop


@dataclass(frozen=True, slots=True)
class StopNotice:
    """The warning before a stop; times are UTC milliseconds."""

    reason: str
    signal: str
    """Sent to the work once, such as `SIGUSR1`; empty is none."""
    stop_at: int
    """When SIGTERM is sent."""
    deadline: int
    """When SIGKILL is sent."""
    stop: PendingStop | None = None
    """The stop that was decided; None where the work may still prevent it."""

    def content(self) -> dict[str, int | str]:
        """Return the content of the notice file; times in seconds since 1970, as `date +%s`."""
        times = {"stop_at": self.stop_at // 1000, "deadline": self.deadline // 1000}
        return {"reason": self.reason, **times}
