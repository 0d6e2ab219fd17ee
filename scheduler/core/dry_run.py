"""The dry run: what would happen to a workload if it were submitted now (Slurm: `--test-only`)."""

from dataclasses import dataclass, replace
from enum import StrEnum

from scheduler.core.cycle import run_cycle
from scheduler.core.explain.holds import explain_impossible
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload
from scheduler.core.model.plan import PlannedEviction, StartRange
from scheduler.core.model.reasons import Reason
from scheduler.core.model.snapshot import Snapshot


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


def evaluate_submission(snapshot: Snapshot, hypothetical: PendingWorkload) -> DryRunResult:
    """Run a cycle with one more workload and return what it decides about that one."""
    if reasons := find_permanent_refusals(Ledger(snapshot), hypothetical):
        return DryRunResult(DryRunOutcome.REFUSED, reasons=reasons)
    pending = (*snapshot.pending, hypothetical)
    plan = run_cycle(replace(snapshot, pending=pending), snapshot.taken_at)
    for hold in plan.holds:
        if hold.workload == hypothetical.id:
            leaving = tuple(item for item in plan.evictions if item.beneficiary == hypothetical.id)
            return DryRunResult(
                DryRunOutcome.WAITS, hold.position, hold.reasons, hold.expected, leaving
            )
    return DryRunResult(DryRunOutcome.STARTS_NOW)


def find_permanent_refusals(ledger: Ledger, hypothetical: PendingWorkload) -> tuple[Reason, ...]:
    """Return why it could never start, not even in an empty cluster; the queue is not looked at."""
    limits = ledger.quotas.permanent_refusals(hypothetical)
    return (*explain_impossible(hypothetical, ledger), *limits)
