"""Which desired containers may start now: the agent's own guard against double allocation."""

from dataclasses import replace
from enum import Enum, auto
from itertools import combinations
from typing import Final

from nodeagent.core.commands import StartContainer
from nodeagent.core.lost_cards import is_on_lost_card
from nodeagent.core.state import AgentState, Container, ContainerKey, DesiredEntry
from nodeagent.core.time_limits import compute_deadline
from wire.words import Device, Phase

HIGHEST_MAX: Final = 16_384
"""Allocations whose highest epoch is kept; the longest settled are dropped first."""


class StartDecision(Enum):
    """What to do about one desired container."""

    START = auto()
    WAIT = auto()
    """A container that is being stopped still holds its devices or its allocation."""
    REFUSE = auto()
    """It must never start under this epoch; a tombstone reports that to the portal."""
    KEEP = auto()
    """It exists, or its end is being reported."""


def start_desired(state: AgentState, now: int) -> tuple[AgentState, tuple[StartContainer, ...]]:
    """Start what may start, in the portal's order; refuse what never may."""
    starts = []
    for desired in state.desired or ():
        match decide_start(state, desired):
            case StartDecision.START:
                state = _begin_start(state, desired, now)
                starts.append(StartContainer(desired))
            case StartDecision.REFUSE:
                state = record_epoch(state, desired.key)
            case StartDecision.WAIT | StartDecision.KEEP:
                pass
    return state, tuple(starts)


def decide_start(state: AgentState, desired: DesiredEntry) -> StartDecision:
    """Decide about one desired container by everything that exists on the node now."""
    key = desired.key
    if key in state.containers or any(item.key == key for item in state.finished):
        return StartDecision.KEEP
    if key.epoch <= state.highest_epochs.get(key.allocation, -1):
        return StartDecision.REFUSE
    if any(one.conflicts_with(other) for one, other in combinations(desired.devices, 2)):
        return StartDecision.REFUSE
    if is_on_lost_card(state, desired.devices):
        return StartDecision.REFUSE
    obstacles = [item for item in state.containers.values() if _blocks(item, desired)]
    if not obstacles:
        return StartDecision.START
    return StartDecision.WAIT if all(item.stop for item in obstacles) else StartDecision.REFUSE


def record_epoch(state: AgentState, key: ContainerKey) -> AgentState:
    """Record that this epoch was taken: it never starts again, and its tombstone will be reported."""
    is_new = key not in state.tombstones
    highest = max(key.epoch, state.highest_epochs.get(key.allocation, -1))
    return replace(
        state,
        highest_epochs=_bounded_epochs(state, key.allocation, highest),
        tombstones=(*state.tombstones, key) if is_new else state.tombstones,
        is_dirty=state.is_dirty or is_new,
    )


def _begin_start(state: AgentState, desired: DesiredEntry, now: int) -> AgentState:
    container = Container(
        key=desired.key,
        devices=desired.devices,
        phase=Phase.STARTING,
        silence=desired.silence,
        deadline=compute_deadline(desired.limit, state.timing, now),
    )
    containers = {**state.containers, desired.key: container}
    return replace(record_epoch(state, desired.key), containers=containers, is_dirty=True)


def _blocks(container: Container, desired: DesiredEntry) -> bool:
    """Return whether it is another epoch of the same rank, or holds one of the desired devices."""
    return container.key.allocation == desired.key.allocation or have_conflict(
        container.devices, desired.devices
    )


def have_conflict(held: tuple[Device, ...], asked: tuple[Device, ...]) -> bool:
    """Return whether two sets of devices cannot be held at once."""
    return any(one.conflicts_with(other) for one in held for other in asked)


def _bounded_epochs(state: AgentState, allocation: str, epoch: int) -> dict[str, int]:
    """Put the allocation last, and drop the oldest ones that nothing refers to any more."""
    highest = {name: seen for name, seen in state.highest_epochs.items() if name != allocation}
    highest[allocation] = epoch
    if len(highest) > HIGHEST_MAX:
        owed = {key.allocation for key in (*state.tombstones, *state.containers)}
        settled = [name for name in highest if name not in owed and name != allocation]
        for name in settled[: len(highest) - HIGHEST_MAX]:
            del highest[name]
    return highest
