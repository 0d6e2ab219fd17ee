"""What happens to work on a lost card; work on other cards continues."""

from collections.abc import Iterable
from dataclasses import replace

from nodeagent.core.state import AgentState, Container, Finished, PendingStop
from wire.words import Device, ExitCause

_EXPLAINED_BY_LOSS = frozenset({ExitCause.EXITED, ExitCause.KILLED, ExitCause.DEVICE_LOST})
"""Ends that the loss of a card explains; all others had a cause of their own."""


def is_on_lost_card(state: AgentState, devices: Iterable[Device]) -> bool:
    """Return whether any of these devices is on a lost card."""
    return any(device.uuid in state.lost_cards for device in devices)


def stop_on_lost_cards(state: AgentState) -> AgentState:
    """Decide to stop containers that have lost a card: they cannot continue."""
    stop = PendingStop(ExitCause.DEVICE_LOST, state.timing.fence_grace_ms)
    hit = {
        key: replace(item, stop=stop)
        for key, item in state.containers.items()
        if item.stop is None and is_on_lost_card(state, item.devices)
    }
    return replace(state, containers={**state.containers, **hit}) if hit else state


def blame_lost_card(state: AgentState, container: Container, end: Finished) -> Finished:
    """Return the end of a container with its lost card as the cause, if it did not end well."""
    lost = [device.uuid for device in container.devices if device.uuid in state.lost_cards]
    is_bad = end.cause in _EXPLAINED_BY_LOSS and (
        end.cause is not ExitCause.EXITED or end.exit_code != 0
    )
    if not lost or not is_bad:
        return end
    return replace(
        end, cause=ExitCause.DEVICE_LOST, detail=f"{lost[0]}: {state.lost_cards[lost[0]]}"[:200]
    )
