"""Budgets at the moment of a commit: what is used, what is promised, and whether work may still start."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from portal.common.clock import from_millis, now, to_millis
from portal.common.work_kinds import KINDS
from portal.quotas.budgets import BudgetStatus, spending_of
from portal.quotas.models import Budget
from portal.quotas.prices import round_cost
from portal.site.selectors import settings_for_system
from portal.workloads.models import Workload
from portal.workloads.request_columns import request_of
from portal.workloads.snapshot import budgeted, loader, usage
from portal.workloads.state.locked_rows import LockedWorkload
from scheduler.core.model.entities import (
    BudgetView,
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    UserId,
    WorkloadId,
)
from scheduler.core.model.reasons import Reason
from scheduler.core.model.request_cost import uses_gpus
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.budget import BudgetBalance, BudgetBook


def load_budget_statuses(rows: Sequence[Budget]) -> list[BudgetStatus]:
    """Return the use of these budgets, in their order."""
    if not rows:
        return []
    views, book = _open_book(rows)
    return [
        _money_status(row, view, spent)
        if row.currency
        else BudgetStatus(row, spent.used, spent.promised, from_millis(view.ends_at))
        for row, view, spent in zip(rows, views, book.uses(), strict=True)
    ]


def _money_status(row: Budget, view: BudgetView, spent: BudgetBalance) -> BudgetStatus:
    """Return what the meter has counted; what came since then is among what is promised."""
    first, _ = settings_for_system().days.current_period(row.period, now())
    counted = spending_of(row, first)
    used = round_cost(int(counted.cost)) if counted else 0
    return BudgetStatus(
        row,
        used,
        max(spent.used + spent.promised - used, 0),
        from_millis(view.ends_at),
        counted.counted_until if counted else None,
        sorted(
            {price.model for price in view.prices if price.hourly is None}.union(
                counted.unpriced if counted else ()
            )
        ),
    )


class BudgetCheck:
    """What a batch of placements may still use of the budgets that apply to it."""

    def __init__(self, workloads: Collection[LockedWorkload]) -> None:
        """Lock every budget and count what is used and promised; without budgets that is one query.

        For work that takes nothing of a GPU it is none: budgets are about GPUs.
        """
        self._book: BudgetBook | None = None
        if not any(uses_gpus(workload.request) for workload in workloads):
            return
        rows = list(
            Budget.objects.select_related("spending")
            .select_for_update(of=("self",), no_key=True)
            .order_by("id")
        )
        if rows:
            self._book = _open_book(rows)[1]

    def find_refusal(self, work: LockedWorkload) -> Reason | None:
        """Return the first budget that might end before the work does."""
        return next(iter(self._book.refusals(_as_pending(work))), None) if self._book else None

    def commit(self, work: LockedWorkload) -> None:
        """Count what the work may use, for the rest of the batch."""
        if self._book:
            limit_s = work.time_limit_s
            ends = None if limit_s is None else Millis(self._book.now + limit_s * 1000)
            self._book.commit(_as_pending(work), ends)


def find_extension_refusal(workload: Workload, ends_at: datetime, more_s: int) -> Reason | None:
    """Return the first budget that might end before running work does if it may run longer.

    `ends_at` is when it reaches its present limit, until which its use is set aside already.
    """
    rows = list(
        Budget.objects.select_related("spending")
        .select_for_update(of=("self",), no_key=True)
        .order_by("id")
    )
    if not rows or more_s <= 0:
        return None
    book = _open_book(rows)[1]
    left_s = max(to_millis(ends_at) - book.now, 0) // 1000
    work = replace(_as_pending(_as_locked(workload)), time_limit_s=left_s + more_s)
    book.commit(work, Millis(to_millis(ends_at)), times=-1)
    return next(iter(book.refusals(work)), None)


def _as_locked(workload: Workload) -> LockedWorkload:
    columns = [getattr(workload, name) for name in LockedWorkload._fields[:-1]]
    return LockedWorkload._make((*columns, request_of(workload)))


def _open_book(rows: Sequence[Budget]) -> tuple[tuple[BudgetView, ...], BudgetBook]:
    """Return these budgets as the engine counts them, as of now."""
    moment = now()
    at, groups = Millis(to_millis(moment)), loader.load_groups_for_system()
    held = budgeted.load_budgeted(groups, {GroupId(str(row.group_id)) for row in rows})
    views = usage.load_budgets(held, moment, settings_for_system().days, rows)
    site = Snapshot(
        taken_at=at,
        pools=loader.load_pools_for_system(),
        groups=groups,
        running=budgeted.build_budgeted(held, at),
        budgets=views,
    )
    return views, BudgetBook(site, UndoLog())


def _as_pending(work: LockedWorkload) -> PendingWorkload:
    """Return the work as the rule takes it; order and age do not matter to a budget."""
    return PendingWorkload(
        id=WorkloadId(str(work.id)),
        pool=PoolId(str(work.pool_id)),
        group=GroupId(str(work.group_id)),
        user=UserId(str(work.owner_id)),
        priority=0,
        submitted_at=Millis(0),
        request=work.request,
        version=work.version,
        time_limit_s=work.time_limit_s,
        traits=KINDS[work.kind].traits,
    )
