"""The few facts about a workload that waiting and following need, read again and again."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import NotFoundError
from portal.tenancy import policies
from portal.workloads.models import Workload
from scheduler.core.model.states import TERMINAL, WorkloadState

_COLUMNS: Final = (
    "kind", "state", "epoch", "replicas", "group_id", "owner_id", "finished_at",
)  # fmt: skip
_AT_REST: Final = TERMINAL | {WorkloadState.SUSPENDED}


@dataclass(frozen=True, slots=True)
class Glance:
    """A workload at one moment."""

    kind: str
    state: WorkloadState
    epoch: int
    replicas: int
    group_id: UUID
    owner_id: UUID
    finished_at: datetime | None

    @classmethod
    def for_system(cls, workload_id: UUID) -> Self | None:
        """Look at a workload, whoever asks; None when there is none. Blocks."""
        row = Workload.objects.filter(pk=workload_id).values_list(*_COLUMNS).first()
        return cls(row[0], WorkloadState(row[1]), *row[2:]) if row else None

    @classmethod
    def of(cls, actor: Actor, workload_id: UUID, kind: str) -> Self:
        """Look at a workload that the actor may see; another's does not exist. Blocks."""
        found = cls.for_system(workload_id)
        if found is None or found.kind != kind:
            raise NotFoundError("workload")
        policies.require(
            actor,
            Action.WORKLOAD_VIEW,
            found.group_id,
            owner_id=found.owner_id,
            what="workload",
        )
        return found

    @property
    def is_at_rest(self) -> bool:
        """Tell whether nothing more will happen unless somebody acts."""
        return self.state in _AT_REST

    def has_rested_for(self, duration: timedelta) -> bool:
        """Tell whether it has been at rest for so long."""
        return self.is_at_rest and (
            self.finished_at is None or now() - self.finished_at >= duration
        )

    def has_reached(self, state: WorkloadState | None) -> bool:
        """Tell whether waiting for `state` (None: the end) is over; rest always ends it."""
        return self.is_at_rest or self.state == state
