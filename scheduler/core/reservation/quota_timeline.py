"""When the limits that refuse waiting work leave room for it, as what holds them ends.

A ceiling, of a group or of a member, and a limit on running work are given back by their holders,
whose ends are known, but for open ends; a budget begins again with its next period. What is expected to start before
counts as held until its own end, so the answer is never too early by the work that is known.

A ceiling on one model of cards keeps work from that model only. So work that such ceilings refuse is
answered for each model that it accepts: it waits for the first of them.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Final, NamedTuple

from scheduler.core.ledger import Ledger
from scheduler.core.model.card_kind import is_card_suitable, kind_of
from scheduler.core.model.entities import (
    GroupId,
    NodeId,
    PendingWorkload,
    PoolId,
    QuotaView,
    Request,
    RunningWorkload,
    UserId,
)
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.resources import Resource
from scheduler.core.quotas.ceilings import Limit, row_key
from scheduler.core.quotas.demand import Workload
from scheduler.core.timeline.node_reservation import FREE_NOW, NEVER, TimePoint, to_millis

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


def ends_by_itself(refusals: Iterable[Reason]) -> bool:
    """Return whether all of these refusals end at a time that can be known."""
    return all(reason.code in _ENDING for reason in refusals)


def waits_for_a_model(refusals: Iterable[Reason]) -> bool:
    """Return whether ceilings on single models of cards leave none that the work accepts."""
    return any(reason.params.get("model") for reason in refusals)


class _Exceeded(NamedTuple):
    """A limit on a member's work, and by how much what is held exceeds it; negative below it."""

    resource: Resource
    balance: "_Balance"
    excess: int


class _Balance:
    """What comes back of one limit over time, and what is expected to be taken of it."""

    __slots__ = ("_ends", "_given", "_passed", "taken")

    def __init__(self) -> None:
        self._ends: list[tuple[TimePoint, int]] = []
        self._passed = 0
        """How many of the ends the last answer went through, and what they give back together."""
        self._given = 0
        self.taken = 0

    def give_back(self, end: TimePoint, amount: int) -> None:
        """Add an amount that is given back at the end of its holder."""
        place = bisect_right(self._ends, (end, amount))
        self._ends.insert(place, (end, amount))
        if place < self._passed:
            self._passed += 1
            self._given += amount

    def freed(self, more: int) -> TimePoint | None:
        """Return when so much more has been given back; None if never.

        Answers move little from one question to the next, so the search begins at the last one.
        """
        more += self.taken
        if more <= 0:
            return FREE_NOW
        ends = self._ends
        while self._passed and self._given - ends[self._passed - 1][1] >= more:
            self._passed -= 1
            self._given -= ends[self._passed][1]
        while self._given < more:
            if self._passed == len(ends):
                return None
            self._given += ends[self._passed][1]
            self._passed += 1
        return ends[self._passed - 1][0]


class QuotaTimeline:
    """The limits of quotas from now on; `occupy` adds what is expected to start."""

    def __init__(self, ledger: Ledger, end_of: Callable[[RunningWorkload], TimePoint]) -> None:
        """Take what runs; `end_of` says when each ends. What is not certain counts as its estimate."""
        self._quotas = ledger.quotas
        self._usable = ledger.usable
        self._balances: defaultdict[_Limit, _Balance] = defaultdict(_Balance)
        self._now = ledger.now
        self._rows: dict[
            tuple[GroupId, PoolId, UserId], list[tuple[QuotaView, tuple[_Balance, ...]]]
        ] = {}
        self._exceeded: dict[tuple[GroupId, PoolId, UserId], tuple[_Exceeded, ...]] = {}
        ends = [
            (to_millis(end, ledger.now), work)
            for work in ledger.running.values()
            if (end := end_of(work)) < NEVER
        ]
        for end, work in sorted(ends, key=itemgetter(0)):
            by_card = self._quotas.ceilings.depends_on_cards(work)
            milli = self._quotas.demand.gpu_milli_by_model(work) if by_card else {}
            for balance, amount in self._held_by(work, milli):
                balance.give_back(end, amount)

    def earliest(self, workload: PendingWorkload, refusals: Sequence[Reason]) -> TimePoint | None:
        """Return from when on no limit refuses the workload as now; None if that is not known.

        Ceilings on single models of cards are left to `by_model`.
        """
        if not ends_by_itself(refusals):
            return None
        cost = self._quotas.demand.total(workload)
        moments = [
            balance.freed(requested + excess)
            for resource, balance, excess in self._limits_over(workload)
            if (requested := cost.get(resource))
        ]
        for reason in refusals:
            if (counted := _COUNTED.get(reason.code)) is not None:
                more = int(reason.params["used"]) + 1 - int(reason.params["limit"])
                moments.append(self._balances[counted(workload)].freed(more))
        if any(reason.code is ReasonCode.QUOTA_BUDGET for reason in refusals):
            moments.append(self._quotas.budgets.opens_at(workload, self._now))
        return _last(moments)

    def within_budgets(
        self, workload: PendingWorkload, refusals: Iterable[Reason], at: TimePoint
    ) -> TimePoint | None:
        """Return the first moment from `at` on that budgets allow, for work that they refuse now."""
        if all(reason.code is not ReasonCode.QUOTA_BUDGET for reason in refusals):
            return at
        known = to_millis(at, self._now)
        opens = self._quotas.budgets.opens_at(workload, known)
        return at if opens == known else opens

    def by_model(
        self, workload: PendingWorkload, refusals: Sequence[Reason]
    ) -> Iterator[tuple[Request, TimePoint]]:
        """Yield the request for each model that the workload accepts, and from when on none refuses it."""
        ceilings, demand = self._quotas.ceilings, self._quotas.demand
        kinds = demand.kinds_for(workload.request, workload.pool)
        for model in sorted({kind.model for kind in kinds}):
            request = replace(workload.request, gpu_models=frozenset({model}))
            on_model = replace(workload, request=request)
            moments = [
                self._freed(limit, on_model) for limit in ceilings.limits_on(model, on_model)
            ]
            at = _last([self.earliest(on_model, refusals), *moments])
            if at is not None:
                yield request, at

    def occupy(
        self, workload: PendingWorkload, until: TimePoint, nodes: Iterable[NodeId] = ()
    ) -> None:
        """Count the workload as holding its limits until then; `nodes` say on which models it may be."""
        for balance, amount in self._taken_by(workload, nodes):
            if until < NEVER:
                balance.give_back(to_millis(until, self._now), amount)
            balance.taken += amount

    def _taken_by(
        self, workload: PendingWorkload, nodes: Iterable[NodeId]
    ) -> Iterator[tuple[_Balance, int]]:
        """Yield what it takes of its limits."""
        models: Mapping[str, int] = {}
        if self._quotas.ceilings.depends_on_cards(workload):
            amount = self._quotas.demand.total(workload).gpu
            models = dict.fromkeys(self._models_on(nodes, workload), amount)
        return self._held_by(workload, models)

    def _limits_over(self, workload: PendingWorkload) -> tuple[_Exceeded, ...]:
        """Return the limits on the member's work in its pool, whatever its size."""
        key = workload.group, workload.pool, workload.user
        found = self._exceeded.get(key)
        if found is None:
            found = self._exceeded[key] = tuple(
                _Exceeded(
                    limit.row.resource, self._balance_of(limit, workload), limit.used - limit.most
                )
                for limit in self._quotas.ceilings.limits_over(workload)
            )
        return found

    def _freed(self, limit: Limit, workload: PendingWorkload) -> TimePoint | None:
        more = limit.used + limit.requested - limit.most
        return self._balance_of(limit, workload).freed(more)

    def _balance_of(self, limit: Limit, workload: PendingWorkload) -> _Balance:
        return self._balances[(*row_key(limit.row), self._member(limit.code, workload))]

    def _models_on(self, nodes: Iterable[NodeId], workload: PendingWorkload) -> Iterator[str]:
        """Yield the models of the cards on these nodes that the workload accepts."""
        for node in nodes:
            for card in self._usable[workload.pool][node].cards:
                if is_card_suitable(kind_of(card.view), workload.request):
                    yield card.view.model

    def _held_by(
        self, work: Workload, milli_by_model: Mapping[str, int]
    ) -> Iterator[tuple[_Balance, int]]:
        cost = self._quotas.demand.total(work)
        for row, balances in self._limited(work):
            amount = milli_by_model.get(row.model, 0) if row.model else cost.get(row.resource)
            if amount:
                for balance in balances:
                    yield balance, amount
        for counted in _COUNTED.values():
            yield self._balances[counted(work)], 1

    def _limited(self, work: Workload) -> Sequence[tuple[QuotaView, tuple[_Balance, ...]]]:
        """Return the quotas over a member's work in one pool, each with what it limits."""
        key = work.group, work.pool, work.user
        found = self._rows.get(key)
        if found is None:
            rows = self._quotas.ceilings.rows_counting(work)
            limited = (
                (row, tuple(self._balances[limit] for limit in _limits_of(row, work.user)))
                for row in rows
            )
            found = self._rows[key] = [each for each in limited if each[1]]
        return found

    @staticmethod
    def _member(code: ReasonCode, workload: PendingWorkload) -> UserId | None:
        return workload.user if code is ReasonCode.QUOTA_USER_CEILING else None


def _last(moments: Iterable[TimePoint | None]) -> TimePoint | None:
    """Return the last of these moments; None if one of them is not known."""
    last: TimePoint = FREE_NOW
    for moment in moments:
        if moment is None:
            return None
        last = max(last, moment)
    return last


def _limits_of(row: QuotaView, user: UserId) -> Iterator[_Limit]:
    if row.ceiling is not None:
        yield (*row_key(row), None)
    if row.member_ceiling(user) is not None:
        yield (*row_key(row), user)
