"""The agent's one decision: `(state, event, now) → (state, commands)`.

`now` is in milliseconds since boot (CLOCK_BOOTTIME). The same function runs in the agent and in the
simulator. Rules: docs/architecture.md, "Node protocol".
"""

from dataclasses import replace
from typing import Final

from nodeagent.core import lease, time_limits
from nodeagent.core.commands import (
    Command,
    RemoveContainer,
    SaveLease,
    SaveState,
    SendHeartbeat,
    StopContainer,
    WarnContainer,
)
from nodeagent.core.events import Event
from nodeagent.core.lost_cards import stop_on_lost_cards
from nodeagent.core.observation import apply_event
from nodeagent.core.parking import order_gpu_moves
from nodeagent.core.starts import start_desired
from nodeagent.core.state import (
    GIVEN_UP,
    SEQ_BLOCK,
    AgentState,
    Container,
    ContainerKey,
    PendingStop,
    SentHeartbeat,
    stop_by,
)
from nodeagent.core.timing import Timing
from wire.words import ExitCause, Phase

REPORTS_MAX: Final = 4096
"""Most containers, ends or tombstones in one heartbeat; the oldest are reported first."""
SENT_MAX: Final = 16


def step(state: AgentState, event: Event, now: int) -> tuple[AgentState, tuple[Command, ...]]:
    """Apply one event, and return the new state with the commands that follow from it."""
    before = state
    state = lease.fence_if_expired(state, now)
    state = apply_event(state, event, now)
    state = time_limits.stop_over_time(_stop_undesired(state, now), now)
    state, moves = order_gpu_moves(stop_on_lost_cards(state))
    state, starts = start_desired(state, now)
    state, warnings = _issue_warnings(state, now)
    state, stops = _issue_stops(state, now)
    state, beats = _issue_heartbeat(state, now)
    removals = _issue_removals(before, state)
    orders = (*warnings, *stops, *moves, *starts, *removals)
    return state, (*_issue_saves(before, state), *orders, *beats)


def next_wake(state: AgentState) -> int | None:
    """Return when `Ticked` is due at the latest; None when only events can change anything."""
    times = [
        due
        for item in state.containers.values()
        if item.stop is not None and (due := _stop_due(item.stop, state.timing)) is not None
    ]
    if state.desired is not None or _has_fence_due(state):
        times.append(state.lease_until)
    deadline = time_limits.next_deadline(tuple(state.containers.values()))
    if deadline is not None:
        times.append(deadline)
    if state.is_linked:
        times.append(_heartbeat_due(state))
    return min(times, default=None)


def _has_fence_due(state: AgentState) -> bool:
    """Return whether the end of the lease will stop anything."""
    return any(
        item.stop is None and lease.ends_with_lease(key, item.silence)
        for key, item in state.containers.items()
    )


def _stop_undesired(state: AgentState, now: int) -> AgentState:
    """Decide to stop what is not desired; while the desired state is unknown, stop nothing."""
    if state.desired is None:
        return state
    desired_keys = {item.key for item in state.desired} | state.unknown
    containers = {
        key: item if key in desired_keys else replace(item, stop=_decide_stop(state, item, now))
        for key, item in state.containers.items()
    }
    return replace(state, containers=containers)


def _decide_stop(state: AgentState, container: Container, now: int) -> PendingStop:
    """Return how a container stops that is not desired: as decided before, or as the reply says.

    What the portal has given up ends now, whatever was decided: another copy may run.
    """
    grace = state.grace_periods.get(container.key)
    if container.stop is None:
        return _pending_stop(state, container.key)
    return stop_by(container.stop, now) if grace == GIVEN_UP else container.stop


def _pending_stop(state: AgentState, key: ContainerKey) -> PendingStop:
    """Return how a container stops that is not desired: by the reply's grace, or by the node's own."""
    grace = state.grace_periods.get(key)
    if grace is None:
        return PendingStop(ExitCause.STOPPED, state.timing.stop_grace_ms)
    return PendingStop(ExitCause.STOPPED, max(0, grace.total_ms - grace.notice_ms), notice=grace)


def _issue_warnings(state: AgentState, now: int) -> tuple[AgentState, tuple[WarnContainer, ...]]:
    """Warn each container once, before SIGTERM; one that was not ready yet has nothing to save."""
    changed = {}
    commands = []
    for key, item in state.containers.items():
        stop = item.stop
        if stop is None or stop.notice is None or stop.warned_at is not None:
            continue
        if item.is_in_service:
            warned = replace(stop, warned_at=now)
            changed[key] = replace(item, stop=warned)
            commands.append(WarnContainer(key, warned))
        else:
            changed[key] = replace(item, stop=replace(stop, notice=None))
    if changed:
        state = replace(state, containers={**state.containers, **changed})
    return state, tuple(commands)


def _stop_due(stop: PendingStop, timing: Timing) -> int | None:
    """Return when to request this stop, again or for the first time; None is now."""
    if stop.requested_at is not None:
        return stop.requested_at + timing.stop_retry_ms
    return stop.sigterm_at


def _issue_stops(state: AgentState, now: int) -> tuple[AgentState, tuple[StopContainer, ...]]:
    """Request every decided stop, and again after a while: the first request may have failed."""
    containers = dict(state.containers)
    commands = []
    for key, item in state.containers.items():
        stop = item.stop
        if stop is None:
            continue
        due = _stop_due(stop, state.timing)
        if due is not None and now < due:
            continue
        kill_at = now + stop.grace_ms if stop.kill_at is None else stop.kill_at
        commands.append(StopContainer(key, stop.cause, max(0, kill_at - now)))
        requested = replace(stop, requested_at=now, kill_at=kill_at)
        containers[key] = replace(item, phase=Phase.STOPPING, stop=requested)
    if not commands:
        return state, ()
    is_news = any(state.containers[item.key].phase is not Phase.STOPPING for item in commands)
    state = replace(state, containers=containers, is_dirty=state.is_dirty or is_news)
    return state, tuple(commands)


def _heartbeat_due(state: AgentState) -> int:
    """Return when the next heartbeat may be sent; one is in flight at a time."""
    if state.last_sent_at is None:
        return 0
    timing = state.timing
    pause_ms = timing.min_gap_ms if state.is_dirty else timing.heartbeat_ms
    if state.awaited_seq is not None:
        pause_ms = max(pause_ms, timing.reply_timeout_ms)
    return state.last_sent_at + pause_ms


def _issue_heartbeat(state: AgentState, now: int) -> tuple[AgentState, tuple[SendHeartbeat, ...]]:
    if not state.is_linked or now < _heartbeat_due(state):
        return state, ()
    seq = state.seq + 1
    state = replace(
        state,
        seq=seq,
        seq_limit=max(state.seq_limit, seq // SEQ_BLOCK * SEQ_BLOCK + 2 * SEQ_BLOCK),
        awaited_seq=seq,
        sent=(*state.sent, SentHeartbeat(seq, now))[-SENT_MAX:],
        last_sent_at=now,
        is_dirty=False,
    )
    reported = {*state.containers, *(item.key for item in state.finished)}
    beat = SendHeartbeat(
        seq=seq,
        applied=state.applied,
        containers=tuple(state.containers.values())[:REPORTS_MAX],
        unknown=state.unknown,
        finished=state.finished[:REPORTS_MAX],
        tombstones=tuple(key for key in state.tombstones if key not in reported)[:REPORTS_MAX],
    )
    return state, (beat,)


def _issue_saves(before: AgentState, after: AgentState) -> tuple[Command, ...]:
    saves: list[Command] = []
    if after.durable != before.durable:
        saves.append(SaveState(after.durable))
    lease_after, lease_before = after.lease, before.lease
    has_moved = after.lease_until != before.lease_until
    if has_moved or lease_after.deadlines != lease_before.deadlines:
        saves.append(SaveLease(lease_after))
    return tuple(saves)


def _issue_removals(before: AgentState, after: AgentState) -> tuple[RemoveContainer, ...]:
    """Remove every container whose end was just settled."""
    if after.finished is before.finished:
        return ()
    left = {item.key for item in after.finished}
    return tuple(RemoveContainer(item.key) for item in before.finished if item.key not in left)
