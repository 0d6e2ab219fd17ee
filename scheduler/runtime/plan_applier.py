"""Commits a plan in few transactions, each decision re-checked against the present.

A decision that no longer holds is dropped alone; the next pass decides again. So no row is locked
for longer than one batch takes, and a plan made from an old snapshot can do no harm.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import structlog
from django.db import DatabaseError

from portal.common.errors import DomainError
from portal.workloads import idleness
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.idle import parking
from portal.workloads.state import commit, lifecycle
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import Plan, PlannedEviction, PlannedStart
from scheduler.core.model.snapshot import Snapshot
from scheduler.runtime import board

BATCH: Final = 200
"""Starts per transaction: enough to share its cost, few enough to wait for."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AppliedPlan:
    """What became of the decisions of one plan."""

    placed: int
    refused: frozenset[WorkloadId]
    evicted: int = 0


def apply_plan(plan: Plan, snapshot: Snapshot) -> AppliedPlan:
    """Commit starts and evictions in plan order, then publish the reasons."""
    applied = commit_starts(plan.starts)
    return replace(applied, evicted=commit_rest(plan, snapshot, undecided=applied.refused))


def commit_starts(places: Sequence[PlannedStart]) -> AppliedPlan:
    """Commit placements, in the order of the plan."""
    returns = idleness.requests_for_system()
    starts = [place for place in places if place.workload not in returns]
    refused = {place.workload for place in places if _is_refused_return(place, returns)}
    for first in range(0, len(starts), BATCH):
        refused |= _commit(starts[first : first + BATCH])
    return AppliedPlan(len(places) - len(refused), frozenset(refused))


def commit_rest(
    plan: Plan, snapshot: Snapshot, *, undecided: Collection[WorkloadId], is_explained: bool = True
) -> int:
    """Commit evictions, then publish the reasons; return how many workloads were given notice.

    Work whose start was refused (`undecided`) keeps the published answer that it has.
    """
    evicted = sum(_evict(eviction) for eviction in plan.evictions)
    if is_explained:
        board.publish_plan(plan, snapshot, undecided=undecided)
    return evicted


def _commit(places: Sequence[PlannedStart]) -> set[WorkloadId]:
    """Write a batch and return which of it was refused.

    A batch that the database refuses is tried again one by one, so that only the decision at fault
    is dropped.
    """
    try:
        refused = commit.commit_placements(places)
    except (DatabaseError, ConcurrentChangeError):
        if len(places) > 1:
            return set().union(*(_commit((place,)) for place in places))
        logger.exception("placement.failed", workload=places[0].workload)
        return {places[0].workload}
    for workload, error in refused.items():
        logger.info("placement.refused", workload=workload, code=error.code, params=error.params)
    return set(refused)


def _is_refused_return(place: PlannedStart, returns: Collection[str]) -> bool:
    """Give the chosen cards back to a notebook that released its own; return whether that failed."""
    if place.workload not in returns:
        return False
    try:
        parking.commit_gpu_return(place)
    except (DomainError, DatabaseError) as error:
        logger.info("return.refused", request=place.workload, error=repr(error))
        return True
    return False


def _evict(eviction: PlannedEviction) -> bool:
    """Give notice to one workload; return whether it was given."""
    try:
        lifecycle.evict_workload(
            workload_id=eviction.workload,
            version=eviction.version,
            cause=eviction.cause,
            beneficiary=eviction.beneficiary,
            grace_s=eviction.grace_s,
        )
    except DomainError as error:
        logger.info("eviction.refused", workload=eviction.workload, code=error.code)
        return False
    except DatabaseError:
        logger.exception("eviction.failed", workload=eviction.workload)
        return False
    logger.info("eviction.given", workload=eviction.workload, cause=eviction.cause.value)
    return True
