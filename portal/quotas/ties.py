"""What apps above know of quotas, budgets and limits: what is used of them, and what waits for more."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.common.uses.ports import Port
from portal.quotas.budgets import BudgetStatus
from portal.quotas.counters import QuotaUse
from portal.quotas.models import Budget
from scheduler.core.ordering.fair_share_state import FairShareState


@dataclass(frozen=True, slots=True)
class QuotaTies:
    """Answers of apps above."""

    read_uses: Callable[[], Iterable[QuotaUse]]
    """What everyone holds."""
    load_budget_statuses: Callable[[Sequence[Budget]], Sequence[BudgetStatus]]
    """How much of budgets is used, in their order."""
    load_fair_share: Callable[[], FairShareState]
    volumes_mib_by_group: Callable[[], Mapping[UUID, int]]
    """What the quotas of the volumes of each group add up to."""
    lock_requests: Callable[[Collection[UUID]], None]
    """Locks the requests about quotas that are removed in this transaction, before these are locked."""


quota_ties: Final[Port[QuotaTies]] = Port()
