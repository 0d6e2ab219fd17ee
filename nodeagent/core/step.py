"""The agent's one decision: `(state, event, now) → (state, commands)`.

`now` is in milliseconds since boot (the clock goes on while the host sleeps). The same function
runs in the agent and in the simulator. Rules: docs/architecture.md, "Node protocol".
"""

from dataclasses import replace
from typing import Final

from nodeagent.core import lease
from nodeagent.core.commands import (
    Command,
    RemoveContainer,
    SaveLease,
    SaveState,
    SendHeartbeat,
    StopContainer,
)
from nodeagent.core.events import Event
from nodeagent.core.observing import observed
from nodeagent.core.placing import start_wanted
from nodeagent.core.state import SEQ_BLOCK, AgentState, Cause, Phase, Sent, Stop

REPORTS_MAX: Final = 4096
"""Most containers, ends or tombstones in one heartbeat; the oldest go first."""
SENT_MAX: Final = 16


def step(state: AgentState, event: Event, now: int) -> tuple[AgentState, tuple[Command, ...]]:
    """Apply one event and say what is to be done now."""
    before = state
    state = lease.fenced(state, now)
    state = observed(state, event, now)
    state, starts = start_wanted(_unwanted_stopped(state))
    state, stops = _stops_asked(state, now)
    state, beats = _heartbeat(state, now)
    return state, (*_saves(before, state), *stops, *starts, *_removals(before, state), *beats)


def next_wake(state: AgentState) -> int | None:
    """Return when `Ticked` is due at the latest; None when only events can change anything."""
    times = [
        item.stop.asked_at + state.timing.stop_retry_ms
        for item in state.containers.values()
        if item.stop is not None and item.stop.asked_at is not None
    ]
    if any(item.stop is None for item in state.containers.values()) or state.desired is not None:
        times.append(state.lease_until)
    if state.is_linked:
        times.append(_heartbeat_due(state))
    return min(times, default=None)


def _unwanted_stopped(state: AgentState) -> AgentState:
    """Decide to stop what is not desired; unknown wishes stop nothing."""
    if state.desired is None:
        return state
    wanted = {item.key for item in state.desired}
    usual_ms = state.timing.stop_grace_ms
    containers = {
        key: item
        if key in wanted or item.stop
        else replace(item, stop=Stop(Cause.STOPPED, state.graces.get(key, usual_ms)))
        for key, item in state.containers.items()
    }
    return replace(state, containers=containers)


def _stops_asked(state: AgentState, now: int) -> tuple[AgentState, tuple[StopContainer, ...]]:
    """Ask for every decided stop, and again after a while: the first may have failed."""
    containers = dict(state.containers)
    commands = []
    for key, item in state.containers.items():
        stop = item.stop
        if stop is None:
            continue
        if stop.asked_at is not None and now < stop.asked_at + state.timing.stop_retry_ms:
            continue
        commands.append(StopContainer(key, stop.cause, stop.grace_ms))
        containers[key] = replace(item, phase=Phase.STOPPING, stop=replace(stop, asked_at=now))
    if not commands:
        return state, ()
    is_news = any(state.containers[item.key].phase is not Phase.STOPPING for item in commands)
    state = replace(state, containers=containers, is_dirty=state.is_dirty or is_news)
    return state, tuple(commands)


def _heartbeat_due(state: AgentState) -> int:
    """Return when the next heartbeat may leave; one is in flight at a time."""
    if state.last_sent_at is None:
        return 0
    timing = state.timing
    pause_ms = timing.gap_ms if state.is_dirty else timing.heartbeat_ms
    if state.awaited is not None:
        pause_ms = max(pause_ms, timing.reply_timeout_ms)
    return state.last_sent_at + pause_ms


def _heartbeat(state: AgentState, now: int) -> tuple[AgentState, tuple[SendHeartbeat, ...]]:
    if not state.is_linked or now < _heartbeat_due(state):
        return state, ()
    seq = state.seq + 1
    state = replace(
        state,
        seq=seq,
        seq_limit=max(state.seq_limit, seq // SEQ_BLOCK * SEQ_BLOCK + 2 * SEQ_BLOCK),
        awaited=seq,
        sent=(*state.sent, Sent(seq, now))[-SENT_MAX:],
        last_sent_at=now,
        is_dirty=False,
    )
    reported = {*state.containers, *(item.key for item in state.finished)}
    beat = SendHeartbeat(
        seq=seq,
        applied=state.applied,
        containers=tuple(state.containers.values())[:REPORTS_MAX],
        finished=state.finished[:REPORTS_MAX],
        tombstones=tuple(key for key in state.tombstones if key not in reported)[:REPORTS_MAX],
    )
    return state, (beat,)


def _saves(before: AgentState, after: AgentState) -> tuple[Command, ...]:
    saves: list[Command] = []
    if after.durable != before.durable:
        saves.append(SaveState(after.durable))
    if after.lease_until != before.lease_until:
        saves.append(SaveLease(after.lease_until))
    return tuple(saves)


def _removals(before: AgentState, after: AgentState) -> tuple[RemoveContainer, ...]:
    """Clear away every end that was just settled."""
    if after.finished is before.finished:
        return ()
    left = {item.key for item in after.finished}
    return tuple(RemoveContainer(item.key) for item in before.finished if item.key not in left)
