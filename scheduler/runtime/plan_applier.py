"""Commits a plan in few transactions, each decision re-checked against the present.

A decision that no longer holds is dropped alone; the next pass decides again. So no row is locked
for longer than one batch takes, and a plan made from an old snapshot can do no harm.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import structlog
from django.db import DatabaseError, connection
from typing_extensions import override

from portal.common.errors import DomainError
from portal.workloads import idleness
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.idle import parking
from portal.workloads.state import commit, lifecycle
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import Plan, PlannedEviction, PlannedStart
from scheduler.core.model.snapshot import Snapshot
from scheduler.runtime import board

BATCH: Final = 400
"""Starts per transaction: enough to share its cost, few enough to wait for."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AppliedPlan:
    """What became of the starts of one plan."""

    placed: int
    refused: frozenset[WorkloadId]


class _AtOnce(Executor):
    """Does what is submitted before it returns."""

    @override
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@dataclass(frozen=True, slots=True)
class StartCommits:
    """The batches of starts that are being committed."""

    placed: int
    """Starts in them."""
    commits: Sequence[Future[set[WorkloadId]]]

    def finish(self) -> AppliedPlan:
        """Wait until all are committed, and return what became of them."""
        wait(self.commits)
        refused = frozenset[WorkloadId]().union(*(commit.result() for commit in self.commits))
        return AppliedPlan(self.placed - len(refused), refused)


def begin_starts(places: Iterable[PlannedStart], committer: Executor | None = None) -> StartCommits:
    """Begin to commit placements in the order of the plan, batch by batch as they are decided.

    A committer, with one thread, commits a batch while the next is decided, and the last one after this
    has returned. Without one all are committed then.
    """
    committer = committer or _AtOnce()
    returns = idleness.requests_for_system()
    count, commits, places = 0, list[Future[set[WorkloadId]]](), iter(places)
    try:
        while batch := tuple(islice(places, BATCH)):
            if commits:
                commits[-1].result()
            count += len(batch)
            commits.append(committer.submit(_commit_batch, batch, returns))
    except BaseException:
        wait(commits)
        raise
    return StartCommits(count, commits)


def commit_rest(
    plan: Plan, snapshot: Snapshot, *, undecided: Collection[WorkloadId], is_explained: bool = True
) -> int:
    """Commit evictions, then publish the reasons; return how many workloads were given notice.

    Work whose start was refused (`undecided`) keeps the published answer that it has.
    """
    evicted, waiting = 0, set[WorkloadId]()
    for group in _by_beneficiary(plan.evictions):
        if _evict(group):
            evicted += len(group)
        elif (beneficiary := group[0].beneficiary) is not None:
            waiting.add(beneficiary)
    publish = board.publish_plan if is_explained else board.publish_reservations
    publish(_without(waiting, plan), snapshot, undecided=waiting.union(undecided))
    return evicted


def _by_beneficiary(
    evictions: Iterable[PlannedEviction],
) -> Iterable[Sequence[PlannedEviction]]:
    """Return what is stopped for the same work together, in the order of the plan; the rest one by one."""
    groups: dict[WorkloadId, list[PlannedEviction]] = {}
    for each in evictions:
        groups.setdefault(each.beneficiary or each.workload, []).append(each)
    return groups.values()


def _without(waiting: Collection[WorkloadId], plan: Plan) -> Plan:
    """Return the plan without what it says of work for which nothing was stopped after all."""
    return replace(
        plan,
        holds=tuple(each for each in plan.holds if each.workload not in waiting),
        reservations=tuple(each for each in plan.reservations if each.workload not in waiting),
    )


def _commit_batch(places: Sequence[PlannedStart], returns: Collection[str]) -> set[WorkloadId]:
    """Commit a batch, returns of cards among it; return which of it was refused."""
    starts = [place for place in places if place.workload not in returns]
    refused = {place.workload for place in places if _is_refused_return(place, returns)}
    return refused | _commit(starts) if starts else refused


def _commit(places: Sequence[PlannedStart]) -> set[WorkloadId]:
    """Write a batch and return which of it was refused.

    A batch that the database refuses is tried again in halves, so that only the decision at fault
    is dropped. Where the connection had broken, the halves have another one.
    """
    try:
        refused = commit.commit_placements(places)
    except (DatabaseError, ConcurrentChangeError):
        # A committer's session is its own: where that has broken, nobody else replaces it.
        if not (connection.in_atomic_block or connection.is_usable()):
            connection.close()
        if len(places) > 1:
            half = len(places) // 2
            return _commit(places[:half]) | _commit(places[half:])
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


def _evict(evictions: Sequence[PlannedEviction]) -> bool:
    """Give notice to all that is stopped for one workload, or to none of it; return whether it was given."""
    names = [each.workload for each in evictions]
    try:
        lifecycle.evict_workloads(evictions)
    except DomainError as error:
        logger.info("eviction.refused", workloads=names, code=error.code)
        return False
    except DatabaseError:
        logger.exception("eviction.failed", workloads=names)
        return False
    logger.info("eviction.given", workloads=names, cause=evictions[0].cause.value)
    return True
