"""Every time constant of the agent's decisions, in milliseconds, in one value."""

from dataclasses import dataclass

from wire import versions


@dataclass(frozen=True, slots=True)
class Timing:
    """Production values by default; tests and the simulator may scale them."""

    heartbeat_ms: int = versions.HEARTBEAT_S * 1000
    lease_ttl_ms: int = versions.LEASE_TTL_S * 1000
    stop_grace_ms: int = versions.STOP_GRACE_S * 1000
    fence_grace_ms: int = versions.LEASE_GRACE_S * 1000 // 3
    """Shorter than a normal stop: all must be gone before the server's grace is over."""
    reply_timeout_ms: int = versions.HEARTBEAT_S * 1000
    gap_ms: int = 50
    """Least time between two heartbeats, however much changes."""
    stop_retry_ms: int = 5_000
