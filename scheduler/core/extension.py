"""Which promised starts a longer time limit of running work would delay."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import GroupId, Millis, RunningWorkload, UserId, WorkloadId
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.timeline.node_reservation import UNKNOWN_FROM


@dataclass(frozen=True, slots=True)
class DelayedReservation:
    """A reservation that would begin later than it does now."""

    workload: WorkloadId
    group: GroupId
    user: UserId
    promised_at: Millis
    starts_at: Millis | None
    """When it would start instead; None is not known."""


def find_delayed_reservations(
    snapshot: Snapshot, workload: WorkloadId, more_s: int
) -> tuple[DelayedReservation, ...]:
    """Return the reservations that begin later if this running work may run so much longer.

    Both are decided by the cycle itself: once as things are, once with the longer limit.
    """
    longer = tuple(
        _with_later_end(item, more_s) if item.id == workload else item for item in snapshot.running
    )
    before = run_cycle(snapshot, snapshot.taken_at, explained=False)
    if not before.reservations or longer == snapshot.running:
        return ()
    after = run_cycle(replace(snapshot, running=longer), snapshot.taken_at, explained=False)
    return tuple(_delays(snapshot, before, after))


def _with_later_end(work: RunningWorkload, more_s: int) -> RunningWorkload:
    """Return the work with a later end; a prediction that the old limit cut off is forgotten."""
    if work.ends_at is None:
        return work
    return replace(
        work,
        ends_at=Millis(work.ends_at + more_s * 1000),
        leaves_by=None if work.leaves_by is None else Millis(work.leaves_by + more_s * 1000),
        expected_end=None if work.expected_end == work.ends_at else work.expected_end,
    )


def _delays(snapshot: Snapshot, before: Plan, after: Plan) -> Iterator[DelayedReservation]:
    waiting = {item.id: item for item in snapshot.pending}
    starts = {
        item.workload: item.starts_at
        for item in after.reservations
        if item.starts_at < UNKNOWN_FROM
    }
    started = {item.workload for item in after.starts}
    for promise in (each for each in before.reservations if each.starts_at < UNKNOWN_FROM):
        starts_at = starts.get(promise.workload)
        if promise.workload in started or (
            starts_at is not None and starts_at <= promise.starts_at
        ):
            continue
        work = waiting[promise.workload]
        yield DelayedReservation(work.id, work.group, work.user, promise.starts_at, starts_at)
