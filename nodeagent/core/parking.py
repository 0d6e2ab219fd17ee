"""Parked containers: they release their GPUs, keep running, and reacquire GPUs when ordered.

Until `AWAY` a container holds its cards like any other. From then on its devices are free for
others, here as in the portal; it gets devices again only when nothing else holds them.
"""

from dataclasses import replace
from typing import Final

from nodeagent.core.commands import GpuCommand, ReacquireGpus, ReleaseGpus
from nodeagent.core.events import ActivitySeen, GpuReleaseChanged
from nodeagent.core.lost_cards import is_on_lost_card
from nodeagent.core.starts import have_conflict
from nodeagent.core.state import AgentState, Container, DesiredEntry
from wire.words import GpuReleaseState

REPORT_USE_AFTER_MS: Final = 60_000
"""Use after so long without any is reported at once: the notebook may be waiting for its GPUs."""


def order_gpu_moves(state: AgentState) -> tuple[AgentState, tuple[GpuCommand, ...]]:
    """Order releases and returns of GPUs as the desired state asks for them."""
    moves: list[GpuCommand] = []
    for desired in state.desired or ():
        container = state.containers.get(desired.key)
        if container is None or container.stop is not None or not container.is_in_service:
            continue
        changed, move = _next_move(state, container, desired)
        if changed is not container:
            containers = {**state.containers, desired.key: changed}
            state = replace(state, containers=containers, is_dirty=True)
        if move is not None:
            moves.append(move)
    return state, tuple(moves)


def _next_move(
    state: AgentState, container: Container, desired: DesiredEntry
) -> tuple[Container, GpuCommand | None]:
    key = desired.key
    match container.gpu_state:
        case GpuReleaseState.HELD if desired.is_parked:
            leaving = replace(container, gpu_state=GpuReleaseState.LEAVING, gpu_detail="")
            return leaving, ReleaseGpus(key, container.devices)
        case GpuReleaseState.KEPT if not desired.is_parked:
            return replace(container, gpu_state=GpuReleaseState.HELD, gpu_detail=""), None
        case GpuReleaseState.AWAY if (
            not desired.is_parked and desired.devices and _are_devices_free(state, desired)
        ):
            returning = replace(
                container, gpu_state=GpuReleaseState.RETURNING, devices=desired.devices
            )
            return returning, ReacquireGpus(key, desired.devices)
    return container, None


def _are_devices_free(state: AgentState, desired: DesiredEntry) -> bool:
    """Return whether nothing else on this node holds these devices, and none is on a lost card."""
    others = (item for item in state.containers.values() if item.key != desired.key)
    is_held = any(have_conflict(item.devices, desired.devices) for item in others)
    return not is_held and not is_on_lost_card(state, desired.devices)


def apply_notebook_event(state: AgentState, event: ActivitySeen | GpuReleaseChanged) -> AgentState:
    """Return the state after a check for use, or after a release or return of GPUs."""
    container = state.containers.get(event.key)
    if container is None:
        return state
    is_dirty = state.is_dirty
    if isinstance(event, ActivitySeen):
        was_idle = (container.idle_ms or 0) >= REPORT_USE_AFTER_MS
        changed = replace(
            container, idle_ms=event.idle_ms, use_mark=event.mark, used_by=event.source
        )
        is_dirty = is_dirty or (was_idle and event.idle_ms < REPORT_USE_AFTER_MS)
    else:
        devices = () if event.state is GpuReleaseState.AWAY else container.devices
        detail = event.detail[:200]
        changed = replace(container, gpu_state=event.state, gpu_detail=detail, devices=devices)
        is_dirty = True
    return replace(state, containers={**state.containers, event.key: changed}, is_dirty=is_dirty)
