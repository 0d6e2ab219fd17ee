"""The dry run: what would happen to a workload if it were submitted now (Slurm: `--test-only`)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Final

from scheduler.core.cycle import Decision
from scheduler.core.explain.holders import HeldLimit, find_holders
from scheduler.core.explain.holds import explain_impossible
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, Placement, WorkloadId
from scheduler.core.model.plan import Hold, Plan, PlannedEviction, StartRange
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
    placements: tuple[Placement, ...] = ()
    """Where it would start, one per rank and in rank order; empty if it would not start now."""


class Outlook:
    """What a cycle would decide now about everything that waits; decided once, for many questions."""

    def __init__(self, snapshot: Snapshot, *, depth: EstimateDepth = HEAD) -> None:
        """Decide nothing yet. `depth` is how far down the queue expected starts are computed."""
        self.snapshot: Final = snapshot
        self._depth: Final = depth

    def of(self, waiting: PendingWorkload) -> DryRunResult:
        """Return what is decided about one workload that waits in the snapshot."""
        ledger, plan = self._decided
        hold = self._holds.get(waiting.id)
        if hold is None:
            started = (start.placements for start in plan.starts if start.workload == waiting.id)
            return DryRunResult(DryRunOutcome.STARTS_NOW, placements=next(started, ()))
        if reasons := find_permanent_refusals(ledger, waiting):
            return DryRunResult(DryRunOutcome.REFUSED, reasons=reasons)
        return DryRunResult(
            DryRunOutcome.WAITS,
            hold.position,
            hold.reasons,
            hold.expected,
            tuple(item for item in plan.evictions if item.beneficiary == waiting.id),
            find_holders(waiting, ledger),
        )

    @property
    def after(self) -> Ledger:
        """The cluster once everything has started that starts now; it must not be changed."""
        return self._decided[0]

    @cached_property
    def _decided(self) -> tuple[Ledger, Plan]:
        ledger = Ledger(self.snapshot)
        decision = Decision(ledger, self.snapshot.taken_at)
        decision.plan_starts()
        return ledger, decision.plan_rest(depth=self._depth)

    @cached_property
    def _holds(self) -> Mapping[WorkloadId, Hold]:
        return {hold.workload: hold for hold in self._decided[1].holds}


def evaluate_submission(snapshot: Snapshot, hypothetical: PendingWorkload) -> DryRunResult:
    """Run a cycle with one more workload and return what it decides about that one.

    One that waits already is replaced by the given form of it.
    """
    return Outlook(with_waiting(snapshot, hypothetical)).of(hypothetical)


def with_waiting(snapshot: Snapshot, workload: PendingWorkload) -> Snapshot:
    """Return the snapshot in which this workload waits, and no other form of it."""
    others = tuple(item for item in snapshot.pending if item.id != workload.id)
    return replace(snapshot, pending=(*others, workload))


def find_permanent_refusals(ledger: Ledger, hypothetical: PendingWorkload) -> tuple[Reason, ...]:
    """Return why it could never start, not even in an empty cluster; the queue is not looked at."""
    limits = ledger.quotas.permanent_refusals(hypothetical)
    return (*explain_impossible(hypothetical, ledger), *limits)
