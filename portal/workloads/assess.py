"""What would become of a submission: asked by the form before it, and by the service on it."""

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from portal.common.clock import now, to_millis
from portal.common.errors import NotFoundError
from portal.common.ids import new_id
from portal.inventory.models import Pool
from portal.workloads.measured import runs_like
from portal.workloads.models import Workload
from portal.workloads.requests import columns_of, request_from
from portal.workloads.snapshot import load_site, load_snapshot
from scheduler.core import assess
from scheduler.core.advice import Advice, advise
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
    """How the work would stand in the queue, and what else is known of it."""

    priority: int = 0
    time_limit_s: int = 0
    preemptible: bool = False
    image_id: UUID | None = None
    """Only runs in this image are like it; None is in any."""


ORDINARY: Final = Wishes()


@dataclass(frozen=True, slots=True)
class Assessed:
    """What would become of a submission, and what less would do."""

    verdict: Verdict
    advice: Advice | None


def assess_submission(
    *,
    kind: str,
    group_id: UUID,
    pool_id: UUID,
    user_id: UUID,
    request: Request,
    wishes: Wishes = ORDINARY,
) -> Assessed:
    """Return whether the work would start now, wait (where, why) or be refused, as of now.

    With it goes advice, where earlier runs by the same user, in that image, used less of a card.

    Raises:
        NotFoundError: group or pool was removed since the caller has read it.
    """
    hypothetical = _hypothetical(kind, group_id, pool_id, user_id, request, wishes)
    snapshot = load_snapshot()
    for what, key, there in (
        ("pool", hypothetical.pool, {pool.id for pool in snapshot.pools}),
        ("group", hypothetical.group, {group.id for group in snapshot.groups}),
    ):
        if key not in there:
            raise NotFoundError(what)
    runs = runs_like(kind=kind, group_id=group_id, user_id=user_id, image_id=wishes.image_id)
    advice = advise(snapshot, hypothetical, runs, _pools_for(wishes)) if runs else None
    return Assessed(assess.assess(snapshot, hypothetical), advice)


def advice_on(work: Workload) -> Advice | None:
    """Return what less would do for work that was submitted, if it were submitted again now."""
    runs = runs_like(
        kind=work.kind,
        group_id=work.group_id,
        user_id=work.owner_id,
        image_id=work.image_id,
        command=work.command_digest if work.kind == Workload.Kind.TRAINING else "",
    )
    if not runs:
        return None
    wishes = Wishes(work.priority, work.time_limit_s, work.preemptible)
    request = request_from(columns_of(work))
    hypothetical = _hypothetical(
        work.kind, work.group_id, work.pool_id, work.owner_id, request, wishes
    )
    snapshot = load_snapshot()
    others = tuple(item for item in snapshot.pending if item.id != str(work.pk))
    snapshot = replace(snapshot, pending=others)
    return advise(snapshot, hypothetical, runs, _pools_for(wishes))


def _pools_for(wishes: Wishes) -> frozenset[PoolId]:
    """Return the pools in which such work may run as long as it asks for."""
    rows = Pool.objects.filter(is_open=True, time_limit_s_max__gte=wishes.time_limit_s)
    return frozenset(PoolId(str(key)) for key in rows.values_list("pk", flat=True))


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
        submitted_at=Millis(to_millis(now())),
        request=request,
        version=0,
        time_limit_s=wishes.time_limit_s,
        preemptible=wishes.preemptible,
    )
