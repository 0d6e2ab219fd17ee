"""What is done about work that outlives its time limit or its lease, when the agent does not do it.

The agent ends such work itself, and announces when. The watchdog comes later, and the shim of a process
container last. None of them ends anything before the deadline that the work was given, nor before the
grace that its limit carries.
"""

from dataclasses import dataclass
from typing import Final

from nodeagent.core.lease import ends_with_lease
from nodeagent.core.state import ContainerKey, Lease, PendingStop
from nodeagent.core.timing import Deadline
from wire.words import ExitCause, SilenceTerm

AGENT_FIRST_MS: Final = 5_000
"""How long after a stop is due a running agent, or the container's own shim, must have carried it out."""


@dataclass(frozen=True, slots=True)
class OvertimeStop:
    """Stop a container: SIGTERM at once, SIGKILL after the grace."""

    cause: ExitCause
    grace_ms: int


@dataclass(frozen=True, slots=True)
class OvertimeKill:
    """Kill a container: it should have been dead for a while."""


def decide_overtime(
    deadline: Deadline, stop: PendingStop | None, now: int
) -> OvertimeStop | OvertimeKill | None:
    """Return what is due at `now`; `stop` is what the agent had begun, or the watchdog before."""
    if stop is None:
        due = deadline.at + deadline.notice_ms + AGENT_FIRST_MS
        grace_ms = deadline.grace_ms - deadline.notice_ms
        return OvertimeStop(ExitCause.TIME_LIMIT, grace_ms) if now >= due else None
    if stop.kill_at is not None:
        return OvertimeKill() if now >= stop.kill_at + AGENT_FIRST_MS else None
    due = (stop.sigterm_at or 0) + AGENT_FIRST_MS
    return OvertimeStop(stop.cause, stop.grace_ms) if now >= due else None


def decide_alone(
    key: ContainerKey, silence: SilenceTerm, lease: Lease, stop: PendingStop | None, now: int
) -> OvertimeStop | None:
    """Return what is due of one container that goes by the file of the lease, and by nobody."""
    if ends_with_lease(key, silence) and now >= lease.until:
        return OvertimeStop(ExitCause.LEASE_ENDED, lease.grace_ms)
    deadline = lease.deadlines.get(key)
    if deadline is None:
        return None
    due = decide_overtime(deadline, stop, now - AGENT_FIRST_MS)
    return due if isinstance(due, OvertimeStop) else None
