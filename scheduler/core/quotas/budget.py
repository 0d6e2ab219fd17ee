"""Budgets of GPU-hours or money with the safe start: work starts only if it can finish inside.

Counted are what was used, what running work may still use until its time limit or the end of the
period, and what the new work may use by the same rule. Of money that is the price of the most expensive
model that it may get. Internally amounts are thousandths of a GPU-second, times the price of an hour
where they are money; reasons give whole GPU-seconds, or amounts of money, rounded up.

Work with an open end takes its part of every period to come. It starts only if the present one has room until
its end, and each later one as a whole, beside all other such work.

Source: Slurm's `GrpTRESMins` with `AccountingStorageEnforce=safe`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from scheduler.core.model.entities import (
    BudgetView,
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    PoolView,
    PriceView,
    RunningWorkload,
)
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.request_cost import gpu_milli_per_replica
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.group_tree import GroupPath, group_paths

LATE_START_S_MIN: Final = 10
"""Seconds that a budget must last for, so that work which is too large for the whole period may start at its end."""
_Row = tuple[int, BudgetView]
"""A budget and its place in the snapshot: one group may have several, of other periods."""
_MILLI: Final = 1000
_MILLI_S_PER_HOUR: Final = 3_600_000
_MICROS_PER_CENT: Final = 10_000


class BudgetBalance(NamedTuple):
    """What is used and committed of a budget, in whole units of its limit, rounded up."""

    used: int
    promised: int
    """What running work may still use until its time limit or the end of the period."""


class BudgetBook:
    """Every budget with what is used of it and committed to running work."""

    def __init__(self, snapshot: Snapshot, undo_log: UndoLog) -> None:
        """Commit what running work may still use; all later writes go through the undo log."""
        self._undo_log = undo_log
        self._pools: Mapping[PoolId, PoolView] = {pool.id: pool for pool in snapshot.pools}
        self._paths = group_paths(snapshot)
        self._names = {group.id: group.name for group in snapshot.groups}
        self._rows: dict[GroupId, list[_Row]] = defaultdict(list)
        rows = list(enumerate(snapshot.budgets))
        for number, row in sorted(rows, key=lambda item: (item[1].pool or "", item[1].ends_at)):
            self._rows[row.group].append((number, row))
        self._used = {number: row.used * _scale(row) for number, row in rows}
        self._scales = {number: _scale(row) for number, row in rows}
        self._committed = dict.fromkeys(self._used, 0)
        self._lasting = dict.fromkeys(self._used, 0)
        """What running work with an open end uses in a second, permanently."""
        self.now = snapshot.taken_at
        for run in snapshot.running if snapshot.budgets else ():
            self.commit(run, run.ends_at)

    @property
    def has_any(self) -> bool:
        """Return whether there is any budget at all."""
        return bool(self._used)

    @property
    def depends_on_cards(self) -> bool:
        """Return whether it matters which cards work asks for, because they cost money."""
        return any(row.currency for rows in self._rows.values() for _, row in rows)

    def refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every budget in which the workload might not finish."""
        return tuple(reason for reason, _ in self.refusing(workload))

    def refusing(self, workload: PendingWorkload) -> tuple[tuple[Reason, BudgetView], ...]:
        """Return the same with the budgets themselves."""
        if not self._used:
            return ()
        limit_s = workload.time_limit_s
        ends = None if limit_s is None else Millis(self.now + limit_s * 1000)
        found = (
            (self._refusal((number, row), workload, ends), row)
            for number, row in self._rows_over(workload)
        )
        return tuple((reason, row) for reason, row in found if reason is not None)

    def _refusal(
        self, budget: _Row, workload: PendingWorkload, ends: Millis | None
    ) -> Reason | None:
        number, row = budget
        if self._gpu_milli(workload) and (models := self._unpriced(workload, row)):
            params = {"currency": row.currency, "model": ", ".join(models)}
            return Reason(ReasonCode.BUDGET_NO_PRICE, {**self._named(row), **params})
        if hopeless := self._hopeless(workload, row):
            return hopeless
        most = self._most(workload, row, ends)
        if most and self._taken(number) + most > row.limit * _scale(row):
            return self._reason(row, self._spent(number), most)
        if not self._may_last(budget, workload):
            lasting = -(-self._lasting[number] * _longest_s(row) // _scale(row))
            return self._reason(row, BudgetBalance(0, lasting), self._whole(workload, row))
        return None

    def _may_last(self, budget: _Row, workload: PendingWorkload) -> bool:
        """Return whether every period to come has room for the workload, if its end is open."""
        number, row = budget
        rate = self._rate(workload, row) if workload.time_limit_s is None else 0
        lasting = self._lasting[number] + rate
        return not rate or lasting * _longest_s(row) <= row.limit * _scale(row)

    def committed_to(self, budget: BudgetView, work: RunningWorkload) -> int:
        """Return the GPU-seconds that running work may still use of a budget, rounded up."""
        if not any(row is budget for _, row in self._rows_over(work)):
            return 0
        return -(-self._gpu_milli(work) * self._seconds(budget, work.ends_at) // 1000)

    def longest_s(self, workload: PendingWorkload) -> int | None:
        """Return for how long the workload could run inside every budget; None is any time."""
        left = [
            (row.limit * _scale(row) - self._taken(number)) // rate
            for number, row in self._rows_over(workload)
            if (rate := self._rate(workload, row))
        ]
        return max(min(left), 0) if left else None

    def opens_at(self, workload: PendingWorkload, since: Millis) -> Millis | None:
        """Return from when on, not before `since`, every budget allows the workload; None if none is known.

        Only what it uses until the end of a period counts, so work that is too large for a whole one starts late
        in it. Of later periods nothing is known to be used
        but by what has an open end.
        """
        rows = self._rows_over(workload)
        at = since
        while True:
            opens = [self._opens_at(row, workload, at) for row in rows]
            last = at
            for each in opens:
                if each is None:
                    return None
                last = max(last, each)
            if last == at:
                return at
            at = last

    def _opens_at(self, budget: _Row, workload: PendingWorkload, since: Millis) -> Millis | None:
        """Return the same of one budget."""
        number, row = budget
        if self._unpriced(workload, row) or not self._may_last(budget, workload):
            return None
        rate, limit, limit_s = (
            self._rate(workload, row),
            row.limit * _scale(row),
            workload.time_limit_s,
        )
        for begins, ends, taken in self._periods(budget):
            at = max(since, begins)
            if at < ends and taken <= limit:
                if not rate or (limit_s is not None and taken + rate * limit_s <= limit):
                    return at
                late = Millis(ends - (limit - taken) // rate * 1000)
                if late < ends:
                    return max(at, late)
        if limit_s is None or self._lasting[number] or rate * limit_s > limit:
            return None
        return max(since, (row.ends_at, *row.later_ends)[-1])

    def _periods(self, budget: _Row) -> Iterator[tuple[Millis, Millis, int]]:
        """Yield from when to when each known period is yet to last, and what is taken of it already."""
        number, row = budget
        yield self.now, row.ends_at, self._taken(number)
        for begins, ends in pairwise((row.ends_at, *row.later_ends)):
            yield begins, ends, self._lasting[number] * -(-(ends - begins) // 1000)

    def permanent_refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every budget of which no period lasts for the workload, however late in it that starts."""
        found = (self._hopeless(workload, row) for _, row in self._rows_over(workload))
        return tuple(reason for reason in found if reason is not None)

    def _hopeless(self, workload: PendingWorkload, row: BudgetView) -> Reason | None:
        gpu_milli, rate = self._gpu_milli(workload), self._rate(workload, row)
        if gpu_milli and row.limit == 0:
            return Reason(ReasonCode.NO_BUDGET, self._named(row))
        limit, whole = row.limit * _scale(row), self._whole(workload, row)
        may_be_late = workload.time_limit_s is not None
        if whole <= limit or (may_be_late and limit // rate >= LATE_START_S_MIN):
            return None
        amounts = {"requested": -(-whole // _scale(row)), "limit": row.limit}
        return Reason(ReasonCode.NEVER_FITS_BUDGET, self._said(row, amounts))

    def commit(
        self, work: PendingWorkload | RunningWorkload, ends: Millis | None, times: int = 1
    ) -> None:
        """Set aside what the work may use until it ends; None, not known or open, is the whole period."""
        if not self._used:
            return
        lasts = ends is None and work.traits.open_end
        for number, row in self._rows_over(work):
            most = self._most(work, row, ends)
            self._undo_log.write(self._committed, number, self._committed[number] + most * times)
            if lasts:
                rate = self._rate(work, row) * times
                self._undo_log.write(self._lasting, number, self._lasting[number] + rate)

    def uses(self) -> tuple[BudgetBalance, ...]:
        """Return what is used and committed of every budget, in the order of the snapshot."""
        return tuple(self._spent(number) for number in self._used)

    def _rows_over(self, work: PendingWorkload | RunningWorkload) -> list[_Row]:
        """Return the budgets that have not ended, from the root down to the work's own group."""
        path: GroupPath = self._paths.get(work.group, (work.group,))
        return [
            (number, row)
            for group in path
            for number, row in self._rows.get(group, ())
            if row.pool in {None, work.pool} and row.ends_at > self.now
        ]

    def _most(
        self, work: PendingWorkload | RunningWorkload, row: BudgetView, ends: Millis | None
    ) -> int:
        """Return what the work may use of the budget from now to its end, in internal units."""
        return self._rate(work, row) * self._seconds(row, ends)

    def _whole(self, work: PendingWorkload, row: BudgetView) -> int:
        """Return what the work may use in all; with an open end, of the longest period to come."""
        limit_s = work.time_limit_s
        return self._rate(work, row) * (_longest_s(row) if limit_s is None else limit_s)

    def _seconds(self, row: BudgetView, ends: Millis | None) -> int:
        until = row.ends_at if ends is None else min(ends, row.ends_at)
        return -(-max(until - self.now, 0) // 1000)

    def _rate(self, work: PendingWorkload | RunningWorkload, row: BudgetView) -> int:
        """Return what the work may use of the budget in a second; what has no price uses nothing."""
        gpu_milli = self._gpu_milli(work)
        if not row.currency:
            return gpu_milli
        prices = [price.hourly for price in _prices_of(work, row) if price.hourly is not None]
        return gpu_milli * max(prices, default=0)

    def _unpriced(self, work: PendingWorkload, row: BudgetView) -> list[str]:
        """Return the models without a price that the work may get."""
        return [price.model for price in _prices_of(work, row) if price.hourly is None]

    def _taken(self, number: int) -> int:
        return self._used[number] + self._committed[number]

    def _gpu_milli(self, work: PendingWorkload | RunningWorkload) -> int:
        one = gpu_milli_per_replica(work.request, self._pools[work.pool])
        return one * work.request.replicas

    def _spent(self, number: int) -> BudgetBalance:
        scale = self._scales[number]
        return BudgetBalance(-(-self._used[number] // scale), -(-self._committed[number] // scale))

    def _reason(self, row: BudgetView, balance: BudgetBalance, most: int) -> Reason:
        amounts = {
            **balance._asdict(),
            "requested": -(-most // _scale(row)),
            "limit": row.limit,
        }
        return Reason(ReasonCode.QUOTA_BUDGET, self._said(row, amounts))

    def _said(self, row: BudgetView, amounts: Mapping[str, int]) -> dict[str, int | str]:
        said = amounts if not row.currency else _in_money(amounts, row.currency)
        return {**self._named(row), **said}

    def _named(self, row: BudgetView) -> dict[str, int | str]:
        return {
            "group": self._names.get(row.group, row.group),
            "pool": self._pools[row.pool].name if row.pool else "",
        }


def _longest_s(row: BudgetView) -> int:
    """Return how long the longest of the periods is that are known to come; 0 where none is."""
    ends = (row.ends_at, *row.later_ends)
    return max((-(-(after - before) // 1000) for before, after in pairwise(ends)), default=0)


def _scale(row: BudgetView) -> int:
    """Return how many internal units are one unit of the limit."""
    return _MILLI_S_PER_HOUR if row.currency else _MILLI


def _prices_of(work: PendingWorkload | RunningWorkload, row: BudgetView) -> list[PriceView]:
    models = work.request.gpu_models
    return [
        price
        for price in row.prices
        if price.pool == work.pool and (not models or price.model in models)
    ]


def _in_money(amounts: Mapping[str, int], currency: str) -> dict[str, str]:
    """Return amounts as a sentence has them: `12.50 CNY`, what is used without the currency."""
    said = {}
    for name, micros in amounts.items():
        cents = -(-micros // _MICROS_PER_CENT)
        number = f"{cents // 100:,}.{cents % 100:02}"
        said[name] = number if name == "used" else f"{number} {currency}"
    return said
