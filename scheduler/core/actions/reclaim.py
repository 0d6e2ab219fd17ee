"""A group takes back what others have borrowed of its share; work inside a share is safe.

The group that takes stays within what it deserves, the one that gives is above it: so it can never
take the same cards back, and nobody's work goes to and fro.
"""

from functools import partial

from scheduler.core.entities import Millis, PendingWorkload, QuotaView, RunningWorkload
from scheduler.core.ledger import Ledger
from scheduler.core.plan import EvictionCause
from scheduler.core.resources import Resource
from scheduler.core.victims import Candidate, Holders, cards_of, lost, may_stop


def borrowed_share(
    workload: PendingWorkload, holders: Holders, ledger: Ledger, now: Millis
) -> tuple[Candidate, ...]:
    """Return the work of other groups on cards that the workload's group deserves."""
    policy = ledger.pools[workload.pool].policy
    if not policy.reclaim or not _stays_within_deserved(workload, ledger):
        return ()
    return tuple(
        Candidate(
            work,
            EvictionCause.RECLAIMED,
            lost(work, ledger, now),
            may_leave=partial(_is_above_deserved, work, workload, ledger),
        )
        for work in holders
        if work.pool == workload.pool
        and work.group != workload.group
        and may_stop(work, ledger, now, policy.min_runtime_s)
    )


def _stays_within_deserved(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Tell whether the group and all above it deserve what they would hold; somebody must."""
    cards = cards_of(workload, ledger)
    rows = [row for row in _card_rows(workload, ledger) if row.deserved]
    return bool(rows) and all(row.used + cards <= row.deserved for row in rows)


def _is_above_deserved(work: RunningWorkload, beneficiary: PendingWorkload, ledger: Ledger) -> bool:
    """Tell whether every group that holds the work, but not the beneficiary, is above its share."""
    shared = {row.group for row in _card_rows(beneficiary, ledger)}
    rows = [row for row in _card_rows(work, ledger) if row.group not in shared]
    return all(row.used > row.deserved for row in rows)


def _card_rows(work: PendingWorkload | RunningWorkload, ledger: Ledger) -> list[QuotaView]:
    return [row for row in ledger.quotas.rows_over(work) if row.resource is Resource.GPU]
