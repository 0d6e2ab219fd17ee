"""All time constants of the agent's decisions, in milliseconds, in one value."""

from dataclasses import dataclass, replace

from wire import versions
from wire.words import Terms


@dataclass(frozen=True, slots=True)
class Timing:
    """The protocol's defaults; each reply of the portal may set others."""

    heartbeat_ms: int = versions.HEARTBEAT_S * 1000
    lease_ttl_ms: int = versions.LEASE_TTL_S * 1000
    stop_grace_ms: int = versions.STOP_GRACE_S * 1000
    fence_grace_ms: int = versions.LEASE_GRACE_S * 1000 // 3
    """Shorter than a normal stop: all work must be gone before the portal's grace is over."""
    reply_timeout_ms: int = versions.HEARTBEAT_S * 1000
    min_gap_ms: int = 50
    """Least time between two heartbeats, however much changes."""
    stop_retry_ms: int = 5_000

    @property
    def limit_slack_ms(self) -> int:
        """How long after a time limit the agent ends work itself: the portal usually does it first."""
        return self.lease_ttl_ms

    def with_terms(self, terms: Terms) -> "Timing":
        """Return these times with those that the portal has set."""
        return replace(
            self,
            heartbeat_ms=terms.heartbeat_ms,
            reply_timeout_ms=terms.heartbeat_ms,
            lease_ttl_ms=terms.lease_ttl_ms,
            fence_grace_ms=terms.lease_grace_ms // 3,
        )


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a container must be stopped, whether the portal is heard or not."""

    at: int
    """Milliseconds since boot."""
    grace_ms: int
    """Until SIGKILL."""
    notice_ms: int = 0
    """Of these, between the warning and SIGTERM."""
    signal: str = ""
