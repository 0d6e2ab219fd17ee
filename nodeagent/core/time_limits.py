"""Time limits, which hold whether the portal is heard or not.

The portal names the remaining time with every reply and normally ends the work itself. The agent
keeps a deadline on its own boot clock, a little later, for the time in which no reply comes.
"""

from dataclasses import replace
from typing import Final

from nodeagent.core.state import (
    AgentState,
    Container,
    DesiredEntry,
    GracePeriod,
    PendingStop,
    RunLimit,
)
from nodeagent.core.timing import Deadline, Timing
from wire.words import ExitCause

TOLERANCE_MS: Final = 5_000
"""A deadline that differs by less is the same: replies take their time."""


def compute_deadline(limit: RunLimit | None, timing: Timing, now: int) -> Deadline | None:
    """Return when a container must be stopped by the agent, from a reply applied at `now`."""
    if limit is None:
        return None
    at = now + limit.remaining_ms + timing.limit_slack_ms
    return Deadline(at, limit.grace_ms, min(limit.notice_ms, limit.grace_ms), limit.signal)


def update_deadlines(state: AgentState, desired: tuple[DesiredEntry, ...], now: int) -> AgentState:
    """Move the deadlines of existing containers to where a reply has put them."""
    changed = {}
    for entry in desired:
        container = state.containers.get(entry.key)
        if container is None:
            continue
        deadline = compute_deadline(entry.limit, state.timing, now)
        if not _is_same(container.deadline, deadline):
            changed[entry.key] = replace(container, deadline=deadline)
    return replace(state, containers={**state.containers, **changed}) if changed else state


def stop_over_time(state: AgentState, now: int) -> AgentState:
    """Decide to stop every container whose deadline has passed, with its usual notice and grace."""
    over = {
        key: replace(item, stop=_pending_stop(item.deadline))
        for key, item in state.containers.items()
        if item.deadline is not None and item.stop is None and now >= item.deadline.at
    }
    return replace(state, containers={**state.containers, **over}) if over else state


def next_deadline(containers: tuple[Container, ...]) -> int | None:
    """Return the earliest deadline of a container that is not being stopped."""
    times = (item.deadline.at for item in containers if item.deadline and item.stop is None)
    return min(times, default=None)


def _is_same(held: Deadline | None, named: Deadline | None) -> bool:
    if held is None or named is None:
        return held is named
    return abs(held.at - named.at) <= TOLERANCE_MS and replace(held, at=named.at) == named


def _pending_stop(deadline: Deadline) -> PendingStop:
    reason = ExitCause.TIME_LIMIT.value
    notice = GracePeriod(deadline.grace_ms, deadline.notice_ms, deadline.signal, reason)
    return PendingStop(ExitCause.TIME_LIMIT, deadline.grace_ms - deadline.notice_ms, notice=notice)
