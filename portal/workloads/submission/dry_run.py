"""Dry run: what would become of a submission, by the code that decides on it later.

Forms call it before the submission, admission on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from portal.common.clock import now, to_millis
from portal.common.errors import NotFoundError
from portal.common.ids import new_id
from portal.common.work_kinds import KINDS
from portal.inventory.gpu_models import load_gpu_models
from portal.workloads.measured_use import find_similar_runs
from portal.workloads.models import Workload
from portal.workloads.request_columns import PENDING_FIELDS, request_of
from portal.workloads.snapshot.holds import queue_holds
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.submission.waiting import pools_for, ways_out_of
from scheduler.core.advice import Advice, MeasuredRun, advise_smaller_request
from scheduler.core.dry_run import DryRunOutcome, DryRunResult, Outlook, with_waiting
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ways_out import WayOut

_ASSIGNED: Final = frozenset(
    {
        *("id", "pool", "group", "user", "submitted_at", "version"),
        *("attained_gpu_s", "evicted_for", "array", "group_rank"),
    }
)
_SUBMITTED: Final = tuple(name for name in PENDING_FIELDS if name not in _ASSIGNED)
"""Fields of queued work that are columns which its submission fills."""
_READ: Final = ("kind", "held_by", "not_before")
"""Further columns from which fields are made."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """What would become of a submission, and what smaller request would be enough."""

    result: DryRunResult
    advice: Advice | None
    ways: tuple[WayOut, ...] = ()
    waiting: PendingWorkload | None = None


def run_dry(
    work: PendingWorkload, kind: str, *, image_id: UUID | None = None, with_ways_out: bool = False
) -> DryRun:
    """Return whether work of this kind would start now, wait (where, why) or be refused, as of now.

    Advice comes with it, where earlier runs by the same user used less of a GPU; only runs in this
    image count, or in any where it is None. `with_ways_out` adds changes after which it would start.

    Raises:
        NotFoundError: group or pool was removed since the caller has read it.
    """
    snapshot = load_snapshot()
    for what, key, known in (
        ("pool", work.pool, {pool.id for pool in snapshot.pools}),
        ("group", work.group, {group.id for group in snapshot.groups}),
    ):
        if key not in known:
            raise NotFoundError(what)
    runs = find_similar_runs(
        kind=kind, group_id=UUID(work.group), user_id=UUID(work.user), image_id=image_id
    )
    advice = _advise(snapshot, work, runs) if runs else None
    outlook = Outlook(with_waiting(snapshot, work))
    result = outlook.of(work)
    ways: tuple[WayOut, ...] = ()
    if with_ways_out and result.outcome is DryRunOutcome.WAITS:
        may_yield = KINDS[kind].preemptible_by_default
        ways = ways_out_of(outlook, work, is_interruptible=may_yield)
    return DryRun(result, advice, ways, work)


def advise_on_workload(workload: Workload) -> Advice | None:
    """Return what smaller request would be enough for a workload, if it were submitted again now."""
    runs = find_similar_runs(
        kind=workload.kind,
        group_id=workload.group_id,
        user_id=workload.owner_id,
        image_id=workload.image_id,
        command=workload.command_digest if workload.terms.runs_to_end else "",
    )
    if not runs:
        return None
    work = as_pending(workload)
    snapshot = load_snapshot()
    others = tuple(item for item in snapshot.pending if item.id != str(workload.pk))
    return _advise(replace(snapshot, pending=others), work, runs)


def as_pending(workload: Workload) -> PendingWorkload:
    """Return a workload as the engine would find it in the queue, if it were submitted again now."""
    return build_pending(
        {name: getattr(workload, name) for name in (*_SUBMITTED, *_READ)},
        pool=workload.pool_id,
        group=workload.group_id,
        user=workload.owner_id,
        request=request_of(workload),
    )


def build_pending(
    columns: Mapping[str, Any], *, pool: UUID, group: UUID, user: UUID, request: Request
) -> PendingWorkload:
    """Return work with these columns as the engine would find it in the queue now."""
    moment = Millis(to_millis(now()))
    return PendingWorkload(
        id=WorkloadId(str(new_id())),
        pool=PoolId(str(pool)),
        group=GroupId(str(group)),
        user=UserId(str(user)),
        submitted_at=moment,
        request=request,
        version=0,
        held=queue_holds(columns["held_by"], columns["not_before"], moment),
        traits=KINDS[columns["kind"]].traits,
        **{name: columns[name] for name in _SUBMITTED},
    )


def _advise(
    snapshot: Snapshot, work: PendingWorkload, runs: Sequence[MeasuredRun]
) -> Advice | None:
    return advise_smaller_request(snapshot, work, runs, _pools_for(work), load_gpu_models())


def _pools_for(work: PendingWorkload) -> frozenset[PoolId]:
    """Return the pools in which such work may run for its time limit."""
    rows = pools_for(work.time_limit_s)
    return frozenset(PoolId(str(key)) for key in rows.values_list("pk", flat=True))
