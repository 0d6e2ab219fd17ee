"""The dry run: what would happen to a workload if it were submitted now (Slurm: `--test-only`)."""

from dataclasses import dataclass, replace
from enum import StrEnum

from scheduler.core.cycle import Decision
from scheduler.core.explain.holders import HeldLimit, find_holders
from scheduler.core.explain.holds import explain_impossible
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload
from scheduler.core.model.plan import PlannedEviction, StartRange
from scheduler.core.model.reasons import Reason
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.reservation.expected_start import HEAD, EstimateDepth


class DryRunOutcome(StrEnum):
    """What would happen to it."""

    STARTS_NOW = "starts_now"
    WAITS = "waits"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """What would happen to a submission that has not been made."""

    outcome: DryRunOutcome
    position: int | None = None
    """Place in the queue of its pool, if it would wait."""
    reasons: tuple[Reason, ...] = ()
    expected: StartRange | None = None
    """When it would start, if it would wait and that is known."""
    evictions: tuple[PlannedEviction, ...] = ()
    """Running work that would be evicted for it."""
    limits: tuple[HeldLimit, ...] = ()
    """The limits that keep it waiting, and who holds them until when."""


def evaluate_submission(
    snapshot: Snapshot, hypothetical: PendingWorkload, *, depth: EstimateDepth = HEAD
) -> DryRunResult:
    """Run a cycle with one more workload and return what it decides about that one.

    One that waits already is replaced by the given form of it. `depth` is how far down the queue
    expected starts are computed.
    """
    ledger = Ledger(with_waiting(snapshot, hypothetical))
    if reasons := find_permanent_refusals(ledger, hypothetical):
        return DryRunResult(DryRunOutcome.REFUSED, reasons=reasons)
    decision = Decision(ledger, snapshot.taken_at)
    decision.plan_starts()
    plan = decision.plan_rest(depth=depth)
    for hold in plan.holds:
        if hold.workload == hypothetical.id:
            leaving = tuple(item for item in plan.evictions if item.beneficiary == hypothetical.id)
            return DryRunResult(
                DryRunOutcome.WAITS,
                hold.position,
                hold.reasons,
                hold.expected,
                leaving,
                find_holders(hypothetical, ledger),
            )
    return DryRunResult(DryRunOutcome.STARTS_NOW)


def with_waiting(snapshot: Snapshot, workload: PendingWorkload) -> Snapshot:
    """Return the snapshot in which this workload waits, and no other form of it."""
    others = tuple(item for item in snapshot.pending if item.id != workload.id)
    return replace(snapshot, pending=(*others, workload))


def find_permanent_refusals(ledger: Ledger, hypothetical: PendingWorkload) -> tuple[Reason, ...]:
    """Return why it could never start, not even in an empty cluster; the queue is not looked at."""
    limits = ledger.quotas.permanent_refusals(hypothetical)
    return (*explain_impossible(hypothetical, ledger), *limits)
