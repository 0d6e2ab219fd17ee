"""The steps of the present attempt, from the event log: what the start-up timeline shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from scheduler.core.model.states import TERMINAL, WorkloadState


@dataclass(frozen=True, slots=True)
class Step:
    """One step that was reached."""

    step: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Arrival:
    """One event: a state and when it was reached."""

    state: WorkloadState
    at: datetime


_ENDED: Final = TERMINAL | {WorkloadState.SUSPENDED}


def timeline(arrivals: Sequence[Arrival], *, is_environment: bool) -> tuple[Step, ...]:
    """Return the steps since the work was last queued; `arrivals` are in the order of the log."""
    begins = max(
        (i for i, item in enumerate(arrivals) if item.state is WorkloadState.QUEUED), default=0
    )
    return tuple(
        Step(_name(item.state, is_environment=is_environment), item.at)
        for item in arrivals[begins:]
    )


def _name(state: WorkloadState, *, is_environment: bool) -> str:
    if state in _ENDED:
        return "ended"
    if state is WorkloadState.RUNNING and is_environment:
        return "ready"
    return state.value
