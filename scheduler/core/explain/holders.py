"""Who holds the limits that keep a workload waiting, and until when.

A limit is a ceiling of a group or a member, a member's limit on running work, or a budget; what runs
holds a part of it until it ends.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    Millis,
    PendingWorkload,
    QuotaView,
    RunningWorkload,
    UserId,
    WorkloadId,
)
from scheduler.core.model.reasons import Reason, ReasonCode

_Amount = Callable[[RunningWorkload], int]


@dataclass(frozen=True, slots=True)
class Holder:
    """Running work that holds a part of a limit."""

    workload: WorkloadId
    amount: int
    """In the unit of the limit; of a counted limit, one; of a budget, GPU-seconds it may still use."""
    ends_at: Millis | None
    """At the latest, by its time limit; None while it is being set up."""
    expected_end: Millis | None
    """By learned run times; None where none is known."""


@dataclass(frozen=True, slots=True)
class HeldLimit:
    """A limit that refuses a workload, and what holds it."""

    reason: Reason
    holders: tuple[Holder, ...]
    """The first to end comes first."""


def find_holders(workload: PendingWorkload, ledger: Ledger) -> tuple[HeldLimit, ...]:
    """Return every limit that starting the workload now would break, with all that holds it."""
    return tuple(
        HeldLimit(reason, _holders(amount_of, ledger))
        for reason, amount_of in _limits(workload, ledger)
    )


def _limits(workload: PendingWorkload, ledger: Ledger) -> Iterator[tuple[Reason, _Amount]]:
    quotas = ledger.quotas
    for limit in quotas.ceilings.broken(workload, borrowed=False):
        of_member = limit.code is ReasonCode.QUOTA_USER_CEILING
        user = workload.user if of_member else None
        yield quotas.reason_of(limit), partial(_amount_in_row, limit.row, user, ledger)
    for reason, budget in quotas.budgets.refusing(workload):
        yield reason, partial(quotas.budgets.committed_to, budget)
    for reason in quotas.refusals(workload):
        if reason.code is ReasonCode.USER_COUNTER:
            yield reason, partial(_is_of_member, workload)
        if reason.code is ReasonCode.ARRAY_TASK_LIMIT:
            yield reason, partial(_is_of_array, workload)


def _amount_in_row(
    row: QuotaView, user: UserId | None, ledger: Ledger, work: RunningWorkload
) -> int:
    """Return what the work holds of a quota, of one member's part of it if one is given."""
    is_counted = user is None or work.user == user
    return ledger.quotas.ceilings.amount_in(row, work) if is_counted else 0


def _is_of_member(workload: PendingWorkload, work: RunningWorkload) -> int:
    return int((work.user, work.group) == (workload.user, workload.group))


def _is_of_array(workload: PendingWorkload, work: RunningWorkload) -> int:
    return int(work.array == workload.array)


def _holders(amount_of: _Amount, ledger: Ledger) -> tuple[Holder, ...]:
    found = [
        Holder(work.id, amount, work.ends_at, _expected_end(work))
        for work in ledger.running.values()
        if (amount := amount_of(work))
    ]
    return tuple(sorted(found, key=_by_end))


def _expected_end(work: RunningWorkload) -> Millis | None:
    return None if work.expected_end == work.ends_at else work.expected_end


def _by_end(holder: Holder) -> tuple[bool, int, WorkloadId]:
    """Order by the time at which each ends, as far as that is known."""
    end = holder.expected_end or holder.ends_at
    return end is None, end or 0, holder.workload
