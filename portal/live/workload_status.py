"""The few columns of a workload that waiting requests and followed logs read repeatedly."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self
from uuid import UUID

from django.db.models import Max

from portal.audit import denials
from portal.audit.denials import Denial
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
class WorkloadStatus:
    """State and attempt of a workload at one moment."""

    kind: str
    state: WorkloadState
    epoch: int
    replicas: int
    group_id: UUID
    owner_id: UUID
    finished_at: datetime | None
    released_at: datetime | None
    """When the end of its last attempt was proven: its nodes may have reported it much later."""

    @classmethod
    def load_for_system(cls, workload_id: UUID) -> Self | None:
        """Read the status of a workload without a check of rights; None if it is gone. Blocks."""
        rows = Workload.objects.filter(pk=workload_id).annotate(
            released_at=Max("allocations__released_at")
        )
        row = rows.values_list(*_COLUMNS, "released_at").first()
        return cls(row[0], WorkloadState(row[1]), *row[2:]) if row else None

    @classmethod
    def load(cls, actor: Actor, workload_id: UUID, kind: str) -> Self:
        """Read the status of a workload that the actor may see. Blocks.

        Raises:
            NotFoundError: for another kind and for another tenant's workload.
        """
        found = cls.load_for_system(workload_id)
        if found is None or found.kind != kind:
            raise NotFoundError("workload")
        with denials.recorded(Denial(actor, Action.WORKLOAD_VIEW, kind, str(workload_id))):
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
        """Whether the workload stays as it is until a user acts: ended or suspended."""
        return self.state in _AT_REST

    def has_rested_for(self, duration: timedelta) -> bool:
        """Return whether it has been at rest for at least this long."""
        known = [at for at in (self.finished_at, self.released_at) if at is not None]
        return self.is_at_rest and all(now() - at >= duration for at in known)

    def has_reached(self, state: WorkloadState | None) -> bool:
        """Return whether waiting for `state` is over; None waits for the end, and rest ends any."""
        return self.is_at_rest or self.state == state
