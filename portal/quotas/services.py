"""Quotas: counting use against them. Its counters are written by `portal.quotas.counters`.

Counts are exact under any concurrency: all rows that a transaction counts against are locked first,
in one statement and in the order of their ids, so that two transactions never deadlock.
"""

from collections.abc import Collection

import structlog
from django.db import transaction

from portal.quotas.counters import QuotaCounters, QuotaUse
from portal.quotas.ties import quota_ties
from scheduler.core.model.reasons import Reason

logger = structlog.get_logger(__name__)


class QuotaReservations:
    """Uses that one transaction counts, checked one by one against locked quotas.

    The constructor locks all rows that any use counts against; `write` stores the new counts.
    """

    def __init__(self, uses: Collection[QuotaUse]) -> None:
        """Lock every row that these uses count against."""
        self._counters = QuotaCounters.lock(uses)

    def find_refusal(self, use: QuotaUse) -> Reason | None:
        """Return which limit the use would exceed: of the group, an ancestor or the user."""
        return self._counters.find_refusal(use)

    def reserve(self, use: QuotaUse) -> None:
        """Count a use against the group, all its ancestors and the user."""
        self._counters.count_uses((use,), sign=1)

    def write(self) -> None:
        """Store the new counts."""
        self._counters.save()


def release_quota(uses: Collection[QuotaUse]) -> None:
    """Subtract uses that `QuotaReservations` have counted."""
    if uses:
        counters = QuotaCounters.lock(uses)
        counters.count_uses(uses, sign=-1)
        counters.save()


@transaction.atomic
def recount_quotas() -> int:
    """Set every counter to the sum over the live uses; return how many were wrong.

    Nothing can be reserved or released while the rows are locked, so the sums are exact.
    """
    counters = QuotaCounters.lock_all()
    before = {row.id: row.used for row in counters.rows}
    uses = tuple(quota_ties.get().read_uses())
    counters.clear_counts()
    counters.count_uses(uses, sign=1)
    counters.save()
    wrong = sum(before[row.id] != row.used for row in counters.rows)
    if wrong:
        logger.error("quota.drift", rows=wrong)
    return wrong
