"""When the limits that refuse waiting work leave room for it, as what holds them ends.

A ceiling, of a group or of a member, and a limit on running work are given back by their holders,
whose ends are known; a budget begins anew with its next period. What is expected to start before
counts as held until its own end, so the answer is never too early by the work that is known.
"""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, QuotaView, RunningWorkload, UserId
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.quotas.ceilings import row_key
from scheduler.core.quotas.demand import Workload
from scheduler.core.timeline.node_reservation import FREE_NOW, TimePoint

_ENDING: Final = frozenset(
    {
        ReasonCode.QUOTA_CEILING,
        ReasonCode.QUOTA_USER_CEILING,
        ReasonCode.USER_COUNTER,
        ReasonCode.ARRAY_TASK_LIMIT,
        ReasonCode.QUOTA_BUDGET,
    }
)
"""Refusals that end at a time that can be known."""
_Limit = tuple[object, ...]
"""What identifies a limit: a quota, with its member or without; a counter of running work."""
_COUNTED: Final[Mapping[ReasonCode, Callable[[Workload], _Limit]]] = {
    ReasonCode.USER_COUNTER: lambda work: (work.user, work.group),
    ReasonCode.ARRAY_TASK_LIMIT: lambda work: ("array", work.array),
}
"""Which running work counts together against a limit on running work."""


class _Held(NamedTuple):
    limit: _Limit
    amount: int


def ends_by_itself(refusals: Iterable[Reason]) -> bool:
    """Return whether all of these refusals end at a time that can be known."""
    return all(reason.code in _ENDING and not reason.params.get("model") for reason in refusals)


class QuotaTimeline:
    """The limits of quotas from now on; `occupy` adds what is expected to start."""

    def __init__(self, ledger: Ledger, end_of: Callable[[RunningWorkload], TimePoint]) -> None:
        """Take what runs; `end_of` says when each ends."""
        self._quotas = ledger.quotas
        self._ends: defaultdict[_Limit, list[tuple[TimePoint, int]]] = defaultdict(list)
        self._added: Counter[_Limit] = Counter()
        for work in ledger.running.values():
            end = end_of(work)
            for held in self._held_by(work):
                self._ends[held.limit].append((end, held.amount))
        for ends in self._ends.values():
            ends.sort()

    def earliest(self, workload: PendingWorkload) -> TimePoint | None:
        """Return from when on no limit refuses the workload; None if that is not known."""
        refusals = self._quotas.refusals(workload)
        if not ends_by_itself(refusals):
            return None
        moments: list[TimePoint | None] = [FREE_NOW]
        for limit in self._quotas.ceilings.limits(workload):
            key = (*row_key(limit.row), self._member(limit.code, workload))
            moments.append(self._freed(key, limit.used + limit.requested - limit.most))
        for reason in refusals:
            if (counted := _COUNTED.get(reason.code)) is not None:
                more = int(reason.params["used"]) + 1 - int(reason.params["limit"])
                moments.append(self._freed(counted(workload), more))
        if self._quotas.budgets.refusals(workload):
            moments.append(self._quotas.budgets.renewed_at(workload))
        known = [moment for moment in moments if moment is not None]
        return max(known) if len(known) == len(moments) else None

    def occupy(self, workload: PendingWorkload, until: TimePoint) -> None:
        """Count the workload as holding its limits until then."""
        for held in self._held_by(workload):
            insort(self._ends[held.limit], (until, held.amount))
            self._added[held.limit] += held.amount

    def _freed(self, limit: _Limit, more: int) -> TimePoint | None:
        """Return when so much more of a limit is given back; None if never."""
        more += self._added[limit]
        if more <= 0:
            return FREE_NOW
        for end, amount in self._ends.get(limit, ()):
            more -= amount
            if more <= 0:
                return end
        return None

    def _held_by(self, work: Workload) -> Iterator[_Held]:
        cost = self._quotas.demand.total(work)
        for row in self._quotas.ceilings.rows_counting(work):
            amount = 0 if row.model else cost.get(row.resource)
            if amount:
                yield from (_Held(limit, amount) for limit in _limits_of(row, work.user))
        yield from (_Held(counted(work), 1) for counted in _COUNTED.values())

    @staticmethod
    def _member(code: ReasonCode, workload: PendingWorkload) -> UserId | None:
        return workload.user if code is ReasonCode.QUOTA_USER_CEILING else None


def _limits_of(row: QuotaView, user: UserId) -> Iterator[_Limit]:
    if row.ceiling is not None:
        yield (*row_key(row), None)
    if row.member_ceiling(user) is not None:
        yield (*row_key(row), user)
