"""What would become of a submission: asked by the form before it, and by the service on it."""

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from portal.common.clock import now, to_millis
from portal.common.errors import NotFoundError
from portal.common.ids import new_id
from portal.inventory.models import Pool
from portal.workloads.measured_use import find_similar_runs
from portal.workloads.models import Workload
from portal.workloads.request_columns import build_request, columns_of
from portal.workloads.snapshot.loader import load_site, load_snapshot
from scheduler.core import dry_run
from scheduler.core.advice import Advice, advise_smaller_request
from scheduler.core.dry_run import DryRunResult
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.model.reasons import Reason


@dataclass(frozen=True, slots=True)
class QueueTraits:
    """How the work would stand in the queue, and what else is known of it."""

    priority: int = 0
    time_limit_s: int = 0
    preemptible: bool = False
    image_id: UUID | None = None
    """Only runs in this image are like it; None is in any."""


ORDINARY_TRAITS: Final = QueueTraits()


@dataclass(frozen=True, slots=True)
class DryRun:
    """What would become of a submission, and what less would do."""

    result: DryRunResult
    advice: Advice | None


def run_dry(
    *,
    kind: str,
    group_id: UUID,
    pool_id: UUID,
    user_id: UUID,
    request: Request,
    wishes: QueueTraits = ORDINARY_TRAITS,
) -> DryRun:
    """Return whether the work would start now, wait (where, why) or be refused, as of now.

    With it goes advice, where earlier runs by the same user, in that image, used less of a card.

    Raises:
        NotFoundError: group or pool was removed since the caller has read it.
    """
    hypothetical = _as_pending(kind, group_id, pool_id, user_id, request, wishes)
    snapshot = load_snapshot()
    for what, key, there in (
        ("pool", hypothetical.pool, {pool.id for pool in snapshot.pools}),
        ("group", hypothetical.group, {group.id for group in snapshot.groups}),
    ):
        if key not in there:
            raise NotFoundError(what)
    runs = find_similar_runs(
        kind=kind, group_id=group_id, user_id=user_id, image_id=wishes.image_id
    )
    advice = (
        advise_smaller_request(snapshot, hypothetical, runs, _pools_for(wishes)) if runs else None
    )
    return DryRun(dry_run.evaluate_submission(snapshot, hypothetical), advice)


def advise_on_workload(work: Workload) -> Advice | None:
    """Return what less would do for work that was submitted, if it were submitted again now."""
    runs = find_similar_runs(
        kind=work.kind,
        group_id=work.group_id,
        user_id=work.owner_id,
        image_id=work.image_id,
        command=work.command_digest if work.kind == Workload.Kind.TRAINING else "",
    )
    if not runs:
        return None
    wishes = QueueTraits(work.priority, work.time_limit_s, work.preemptible)
    request = build_request(columns_of(work))
    hypothetical = _as_pending(
        work.kind, work.group_id, work.pool_id, work.owner_id, request, wishes
    )
    snapshot = load_snapshot()
    others = tuple(item for item in snapshot.pending if item.id != str(work.pk))
    snapshot = replace(snapshot, pending=others)
    return advise_smaller_request(snapshot, hypothetical, runs, _pools_for(wishes))


def _pools_for(wishes: QueueTraits) -> frozenset[PoolId]:
    """Return the pools in which such work may run as long as it asks for."""
    rows = Pool.objects.filter(is_open=True, time_limit_s_max__gte=wishes.time_limit_s)
    return frozenset(PoolId(str(key)) for key in rows.values_list("pk", flat=True))


def find_refusals(
    *, kind: str, group_id: UUID, pool_id: UUID, user_id: UUID, request: Request
) -> tuple[Reason, ...]:
    """Return why such work could never start, however long it waits; empty if it could.

    Cheap enough for every submission: nothing that waits or runs is read.
    """
    hypothetical = _as_pending(kind, group_id, pool_id, user_id, request, ORDINARY_TRAITS)
    return dry_run.find_permanent_refusals(load_site(), hypothetical)


def _as_pending(
    kind: str, group_id: UUID, pool_id: UUID, user_id: UUID, request: Request, wishes: QueueTraits
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
