"""What would become of a submission: asked by the form before it, and by the service on it."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.common.clock import millis, now
from portal.common.ids import new_id
from portal.workloads.snapshot import load_site, load_snapshot
from scheduler.core import assess
from scheduler.core.assess import Verdict
from scheduler.core.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the work would stand in the queue."""

    priority: int = 0
    time_limit_s: int = 0
    preemptible: bool = False


ORDINARY: Final = Wishes()


def assess_submission(
    *,
    kind: str,
    group_id: UUID,
    pool_id: UUID,
    user_id: UUID,
    request: Request,
    wishes: Wishes = ORDINARY,
) -> Verdict:
    """Return whether the work would start now, wait (where, why) or be refused, as of now."""
    hypothetical = _hypothetical(kind, group_id, pool_id, user_id, request, wishes)
    return assess.assess(load_snapshot(), hypothetical)


def reasons_to_refuse(
    *, kind: str, group_id: UUID, pool_id: UUID, user_id: UUID, request: Request
) -> tuple[Reason, ...]:
    """Return why such work could never start, however long it waits; empty if it could.

    Cheap enough for every submission: nothing that waits or runs is read.
    """
    hypothetical = _hypothetical(kind, group_id, pool_id, user_id, request, ORDINARY)
    return assess.refusals(load_site(), hypothetical)


def _hypothetical(
    kind: str, group_id: UUID, pool_id: UUID, user_id: UUID, request: Request, wishes: Wishes
) -> PendingWorkload:
    return PendingWorkload(
        id=WorkloadId(str(new_id())),
        pool=PoolId(str(pool_id)),
        group=GroupId(str(group_id)),
        user=UserId(str(user_id)),
        kind=kind,
        priority=wishes.priority,
        submitted_at=Millis(millis(now())),
        request=request,
        version=0,
        time_limit_s=wishes.time_limit_s,
        preemptible=wishes.preemptible,
    )
