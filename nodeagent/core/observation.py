"""How each event changes the agent's state, before anything is decided."""

from dataclasses import replace

from nodeagent.core import lease, parking, time_limits
from nodeagent.core.events import (
    ActivitySeen,
    CheckpointSeen,
    ContainerChanged,
    ContainerEnded,
    ContainerFound,
    Event,
    FactsChanged,
    GpuReleaseChanged,
    LinkDown,
    LinkUp,
    Nudged,
    Replied,
    ReplyRefused,
    Ticked,
)
from nodeagent.core.lost_cards import blame_lost_card
from nodeagent.core.starts import record_epoch
from nodeagent.core.state import SEQ_BLOCK, AgentState, ContainerKey
from wire.words import Phase


def apply_event(state: AgentState, event: Event, now: int) -> AgentState:
    """Return the state after the event, with no decision taken yet."""
    if isinstance(event, Replied):
        return _apply_reply(state, event, now)
    if isinstance(event, ActivitySeen | GpuReleaseChanged):
        return parking.apply_notebook_event(state, event)
    if isinstance(event, ContainerFound | ContainerChanged | CheckpointSeen | ContainerEnded):
        return _apply_container_event(state, event, now)
    return _apply_link_event(state, event)


def _apply_link_event(
    state: AgentState, event: Ticked | LinkUp | LinkDown | Nudged | FactsChanged | ReplyRefused
) -> AgentState:
    match event:
        case ReplyRefused():
            return _apply_refusal(state, event.last_seq)
        case LinkUp() | LinkDown():
            is_up = isinstance(event, LinkUp)
            return replace(state, is_linked=is_up, awaited_seq=None, sent=(), is_dirty=True)
        case FactsChanged():
            return replace(state, lost_cards=event.lost_cards, is_dirty=True)
        case Nudged():
            return replace(state, is_dirty=True)
        case Ticked():
            return state


def _apply_refusal(state: AgentState, last_seq: int) -> AgentState:
    """Continue after the portal's `seq`: a restored state file may lack some heartbeats."""
    state = replace(state, awaited_seq=None)
    if last_seq <= state.seq:
        return state
    seq_limit = max(state.seq_limit, last_seq + 2 * SEQ_BLOCK)
    return replace(state, seq=last_seq, seq_limit=seq_limit, sent=(), is_dirty=True)


def _apply_container_event(
    state: AgentState,
    event: ContainerFound | ContainerChanged | CheckpointSeen | ContainerEnded,
    now: int,
) -> AgentState:
    match event:
        case ContainerFound():
            return _add_found(state, event)
        case ContainerChanged():
            return _apply_change(state, event, now)
        case CheckpointSeen():
            return _note_checkpoint(state, event)
        case ContainerEnded():
            return _finish(state, event)


def _apply_reply(state: AgentState, reply: Replied, now: int) -> AgentState:
    """Take over the desired state, unless the reply is old, unexpected, or past its own lease."""
    sent_at = next((item.sent_at for item in state.sent if item.seq == reply.seq), None)
    if sent_at is None or reply.seq <= state.applied:
        return state
    if state.awaited_seq == reply.seq:
        state = replace(state, awaited_seq=None)
    if reply.terms is not None:
        state = replace(state, timing=state.timing.with_terms(reply.terms))
    if now >= sent_at + state.timing.lease_ttl_ms:
        return state
    state = lease.extend_lease(state, sent_at)
    state = time_limits.update_deadlines(state, reply.desired, now)
    return replace(
        _forget_settled(state, frozenset(reply.acks)),
        applied=reply.seq,
        desired=reply.desired,
        unknown=reply.unknown,
        grace_periods=reply.grace_periods,
        sent=tuple(item for item in state.sent if item.seq > reply.seq),
    )


def _forget_settled(state: AgentState, acks: frozenset[ContainerKey]) -> AgentState:
    """Drop what the portal has settled; what still exists is kept."""
    settled = acks - state.containers.keys()
    return replace(
        state,
        finished=tuple(item for item in state.finished if item.key not in settled),
        tombstones=tuple(key for key in state.tombstones if key not in settled),
    )


def _add_found(state: AgentState, event: ContainerFound) -> AgentState:
    container = event.container
    if container.key in state.containers:
        return state
    containers = {**state.containers, container.key: container}
    return replace(record_epoch(state, container.key), containers=containers, is_dirty=True)


def _apply_change(state: AgentState, event: ContainerChanged, now: int) -> AgentState:
    container = state.containers.get(event.key)
    if container is None:
        return state
    begins = event.phase is Phase.RUNNING and container.phase is Phase.STARTING
    answers = event.is_ready is True and container.is_ready is not True
    changed = replace(
        container,
        running_since=now if begins else container.running_since,
        is_ready=container.is_ready if event.is_ready is None else event.is_ready,
        ready_since=now if answers else container.ready_since,
        phase=container.phase if container.phase is Phase.STOPPING else event.phase,
        port=event.port or container.port,
        started_at=event.started_at or container.started_at,
        detail=event.detail,
        progress_pct=event.progress_pct,
        isolation=event.isolation or container.isolation,
    )
    if changed == container:
        return state
    return replace(state, containers={**state.containers, event.key: changed}, is_dirty=True)


def _note_checkpoint(state: AgentState, event: CheckpointSeen) -> AgentState:
    """Record a checkpoint; it is reported with the next regular heartbeat."""
    container = state.containers.get(event.key)
    if container is None:
        return state
    noted = replace(container, checkpointed_at=event.at)
    return replace(state, containers={**state.containers, event.key: noted})


def _finish(state: AgentState, event: ContainerEnded) -> AgentState:
    container = state.containers.get(event.end.key)
    if container is None:
        return state
    end = blame_lost_card(state, container, event.end)
    end = replace(end, started_at=end.started_at or container.started_at)
    left = {key: item for key, item in state.containers.items() if key != end.key}
    return replace(state, containers=left, finished=(*state.finished, end), is_dirty=True)
