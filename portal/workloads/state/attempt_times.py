"""When an attempt really began and ended: as its nodes say, also where the portal learns it later."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from portal.workloads.state.transitions import StateChange
from scheduler.core.model.states import TERMINAL, WorkloadState

_AT_REST: Final = TERMINAL | {WorkloadState.SUSPENDED}


@dataclass(slots=True)
class AttemptTimes:
    """When the present attempt of a workload began and ended, as its nodes say; None is now."""

    began: datetime | None = None
    """When its last rank did."""
    ended: datetime | None = None

    def see(self, started_at: datetime | None, finished_at: datetime | None) -> None:
        """Look at one rank."""
        self.began = max(filter(None, (self.began, started_at)), default=None)
        self.ended = max(filter(None, (self.ended, finished_at)), default=None)

    def of(self, step: StateChange) -> StateChange:
        """Return the step with the moment at which it really was: the portal may have been away."""
        if step.target is WorkloadState.RUNNING and self.began is not None:
            return replace(step, columns={**step.columns, "started_at": self.began})
        if step.target in _AT_REST and self.ended is not None:
            return replace(step, columns={**step.columns, "finished_at": self.ended})
        return step
