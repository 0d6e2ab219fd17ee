"""Quotas: what a group, its ancestors and its members may hold, and must leave to others.

The same few questions are put thousands of times in a cycle: may work of this group, of this size,
start? `refusals` reduces each workload to a question with only those of its traits that the quotas
over it depend on, and answers equal questions once between two changes of use.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Final, NamedTuple

from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    QuotaView,
    Request,
    RunningWorkload,
    UserId,
    demand_per_replica,
)
from scheduler.core.model.policy import OVER_QUOTA_WEIGHTS
from scheduler.core.model.reasons import Reason, ReasonCode, ReasonParams
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.budget import BudgetBook
from scheduler.core.quotas.fair_share import (
    card_owners,
    count_home_replicas,
    group_paths,
    total_demand,
)
from scheduler.core.quotas.guarantees import build_guarantee_books
from scheduler.core.quotas.member_counters import MemberCounters

_Row = tuple[GroupId, PoolId | None, Resource]
_Question = tuple[object, ...]
_STATE: Final = "state"
Workload = PendingWorkload | RunningWorkload


class _Limit(NamedTuple):
    """One ceiling, of a group or of one member, against what a workload asks for."""

    code: ReasonCode
    row: QuotaView
    used: int
    requested: int
    most: int

    @property
    def is_broken(self) -> bool:
        """Return whether the request does not fit above what is used."""
        return self.used + self.requested > self.most


class _RelevantTraits(NamedTuple):
    """The traits of a workload on which the quotas over one group in one pool depend."""

    resources: tuple[Resource, ...]
    user: bool
    preemptible: bool
    time_limit: bool
    amounts: dict[Request, tuple[int, ...]]
    """What each request costs of these resources; filled on first use."""


class QuotaBook:
    """Every quota row with its use, the guarantees of others, and the budgets; writable.

    A workload must fit under the rows of its group and of every ancestor, each for its pool and
    for all pools together. It must leave the guarantees of other groups free, even idle ones. Work
    that may not be preempted must leave free what they deserve too, because that could not be
    reclaimed from it. A request of nothing is never refused: a group above its ceiling of GPUs may
    still start work without GPUs.
    """

    def __init__(self, snapshot: Snapshot, undo_log: UndoLog) -> None:
        """Copy what the snapshot counted; all later writes go through the undo log."""
        self._undo_log = undo_log
        self._pools = {pool.id: pool for pool in snapshot.pools}
        self._groups = {group.id: group for group in snapshot.groups}
        self._paths = group_paths(snapshot)
        self._rows: dict[GroupId, list[QuotaView]] = defaultdict(list)
        for row in sorted(snapshot.quotas, key=_row_order):
            self._rows[row.group].append(row)
        self._views: dict[_Row, QuotaView] = {}
        self._over: dict[tuple[GroupId, PoolId], tuple[QuotaView, ...]] = {}
        self._costs: dict[tuple[PoolId, Request], Resources] = {}
        self._leftovers: dict[tuple[GroupId, PoolId], bool] = {}
        self._traits: dict[tuple[GroupId, PoolId], _RelevantTraits] = {}
        self._used = {_key(row): row.used for row in snapshot.quotas}
        self._used_by = {
            (use.user, (use.group, use.pool, use.resource)): use.used for use in snapshot.user_use
        }
        self._counters = MemberCounters(snapshot, undo_log)
        self._guaranteed, self._deserved = build_guarantee_books(snapshot, undo_log)
        self._owners = card_owners(snapshot)
        for run in snapshot.running:
            self._hold(run, 1)
        self.budgets: Final = BudgetBook(snapshot, undo_log)
        self._state = {_STATE: 0}
        """Changes with every write and, through the undo log, back with every undo."""
        self._states = count(1)
        self._answers: dict[_Question, tuple[int, tuple[Reason, ...]]] = {}

    def set_now(self, now: Millis) -> None:
        """Set the present moment, from which budgets count."""
        self.budgets.now = now
        self._answers.clear()

    def refusals(
        self,
        workload: PendingWorkload,
        *,
        beside: PendingWorkload | None = None,
        borrowed: bool = False,
    ) -> tuple[Reason, ...]:
        """Return every limit that starting the workload now would break.

        `beside` is waiting work whose start must stay possible: it counts as if it ran. `borrowed`
        is a start on another pool's cards, which takes nothing from the guarantees in its own.
        """
        if borrowed:
            found = self.refusals(workload, beside=beside)
            own_pool = ReasonCode.OVER_DESERVED_NOT_LENDABLE
            return tuple(reason for reason in found if reason.code is not own_pool)
        question = self._question(workload, beside)
        state, answer = self._answers.get(question, (-1, ()))
        if state != self._state[_STATE]:
            answer = self._find_refusals(workload, beside)
            self._answers[question] = self._state[_STATE], answer
        return answer

    def _question(self, workload: PendingWorkload, beside: PendingWorkload | None) -> _Question:
        """Return everything that the answer depends on."""
        place = workload.group, workload.pool
        traits = self._traits_of(place, workload)
        amounts = traits.amounts.get(workload.request)
        if amounts is None:
            cost = self._cost(workload)
            amounts = tuple([cost.get(resource) for resource in traits.resources])
            traits.amounts[workload.request] = amounts
        return (
            place,
            amounts,
            workload.user if traits.user else None,
            workload.preemptible if traits.preemptible else None,
            workload.time_limit_s if traits.time_limit else None,
            beside.id if beside else None,
        )

    def member_key(self, workload: PendingWorkload) -> tuple[UserId | None, int | None]:
        """Return why equal requests of one group may get different answers: the user, the time limit."""
        traits = self._traits_of((workload.group, workload.pool), workload)
        return (
            workload.user if traits.user else None,
            workload.time_limit_s if traits.time_limit else None,
        )

    def _traits_of(
        self, place: tuple[GroupId, PoolId], workload: PendingWorkload
    ) -> _RelevantTraits:
        traits = self._traits.get(place)
        if traits is None:
            traits = self._traits[place] = self._relevant_traits(workload)
        return traits

    def _relevant_traits(self, workload: PendingWorkload) -> _RelevantTraits:
        rows, pool = self._rows_over(workload), workload.pool
        deserved = self._deserved.guaranteed_resources(pool)
        named = {
            *self._guaranteed.guaranteed_resources(pool),
            *deserved,
            *(row.resource for row in rows),
        }
        if self.budgets.has_any:
            named.add(Resource.GPU)
        return _RelevantTraits(
            resources=tuple(resource for resource in Resource if resource in named),
            user=self._counters.has_any(workload.group)
            or any(row.user_ceiling is not None for row in rows),
            preemptible=bool(deserved),
            time_limit=self.budgets.has_any,
            amounts={},
        )

    def waits_for_guarantees(self, workload: PendingWorkload, reasons: Iterable[Reason]) -> bool:
        """Return whether only unused guarantees of others refuse it, and not permanently.

        Such work waits for capacity like work that does not fit, and may get a reservation.
        """
        path, pool, cost = self._paths[workload.group], workload.pool, self._cost(workload)
        return all(_is_for_guarantees(reason) for reason in reasons) and all(
            cost.get(resource) <= self._guaranteed.most_available(path, pool, resource)
            for resource in self._guaranteed.guaranteed_resources(pool)
        )

    def permanent_refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every limit that the workload would break even in an empty cluster."""
        limits = self._limits(workload, None)
        broken = [self._reason(limit) for limit in limits if limit.requested > limit.most]
        return (*broken, *self.budgets.permanent_refusals(workload))

    def _find_refusals(
        self, workload: PendingWorkload, beside: PendingWorkload | None
    ) -> tuple[Reason, ...]:
        broken = [
            self._reason(limit) for limit in self._limits(workload, beside) if limit.is_broken
        ]
        # `beside` may fill a guarantee of its own group, which would look like more capacity: so
        # guarantees are checked without it first.
        guarantees = tuple(self._guarantee_refusals(workload))
        mark = self._undo_log.mark()
        if beside is not None:
            self._commit(beside)
            guarantees = guarantees or tuple(self._guarantee_refusals(workload))
        budgets = self.budgets.refusals(workload)
        self._undo_log.undo(mark)
        return (*broken, *budgets, *self._counters.refusals(workload, beside), *guarantees)

    def rows(self) -> tuple[QuotaView, ...]:
        """Return every quota with what is used of it now."""
        return tuple(self._counted(row) for rows in self._rows.values() for row in rows)

    def rows_over(self, workload: Workload) -> tuple[QuotaView, ...]:
        """Return the quotas that count the workload, from the root down, with their use now."""
        return tuple(self._counted(row) for row in self._rows_over(workload))

    def takes_only_leftovers(self, group: GroupId, pool: PoolId) -> bool:
        """Return whether the group's weight entitles it to none of the pool's surplus."""
        if (place := (group, pool)) not in self._leftovers:
            self._leftovers[place] = any(
                row.pool == pool
                and row.resource is Resource.GPU
                and OVER_QUOTA_WEIGHTS[row.weight] == 0
                for row in self._rows.get(group, ())
            )
        return self._leftovers[place]

    def charge(self, workload: Workload) -> None:
        """Count the whole workload as held by its user and group, under every ancestor."""
        self._count(workload, 1)
        self._commit(workload)

    def refund(self, workload: Workload) -> None:
        """Take back what `charge`, or the snapshot, counted for this workload."""
        self._count(workload, -1)
        self._hold(workload, -1)
        self.budgets.commit(workload, self._ends(workload), -1)

    def _commit(self, workload: Workload) -> None:
        self._hold(workload, 1)
        self.budgets.commit(workload, self._ends(workload))

    def _ends(self, workload: Workload) -> Millis | None:
        if isinstance(workload, RunningWorkload):
            return workload.ends_at
        return Millis(self.budgets.now + workload.time_limit_s * 1000)

    def _hold(self, workload: Workload, times: int) -> None:
        """Count the workload against the guarantees; reclaimable work leaves `deserved` alone."""
        books = (self._guaranteed,) if workload.preemptible else (self._guaranteed, self._deserved)
        for book in books:
            if resources := book.guaranteed_resources(workload.pool):
                home = count_home_replicas(workload, self._owners)
                amount = demand_per_replica(workload.request, self._pools[workload.pool]).times(
                    home
                )
                path = self._paths[workload.group]
                for resource in resources:
                    book.count(path, workload.pool, resource, amount.get(resource) * times)

    def _counted(self, row: QuotaView) -> QuotaView:
        key = _key(row)
        used, view = self._used[key], self._views.get(key, row)
        if view.used != used:
            view = self._views[key] = replace(row, used=used)
        return view

    def _count(self, workload: Workload, times: int) -> None:
        amount = self._cost(workload)
        for row in self._rows_over(workload):
            requested = amount.get(row.resource) * times
            if requested == 0:
                continue
            holder = (workload.user, key := _key(row))
            self._undo_log.write(self._used, key, self._used[key] + requested)
            self._undo_log.write(self._used_by, holder, self._used_by.get(holder, 0) + requested)
        self._counters.count(workload, times)
        self._undo_log.write(self._state, _STATE, next(self._states))

    def _rows_over(self, workload: Workload) -> tuple[QuotaView, ...]:
        """Return the rows from the root down to the workload's own group."""
        place = workload.group, workload.pool
        if place not in self._over:
            self._over[place] = tuple(
                row
                for group in self._paths[workload.group]
                for row in self._rows.get(group, ())
                if row.pool in {None, workload.pool}
            )
        return self._over[place]

    def _limits(
        self, workload: PendingWorkload, beside: PendingWorkload | None
    ) -> Iterator[_Limit]:
        """Yield every finite limit on something that the workload asks for."""
        amount = self._cost(workload)
        rows_beside = self._rows_over(beside) if beside else ()
        for row in self._rows_over(workload):
            key, requested = _key(row), amount.get(row.resource)
            if requested == 0:
                continue
            more = self._cost(beside).get(row.resource) if beside and row in rows_beside else 0
            if row.ceiling is not None:
                used = self._used[key] + more
                yield _Limit(ReasonCode.QUOTA_CEILING, row, used, requested, row.ceiling)
            if row.user_ceiling is not None:
                used = self._used_by.get((workload.user, key), 0)
                used += more if beside and beside.user == workload.user else 0
                yield _Limit(ReasonCode.QUOTA_USER_CEILING, row, used, requested, row.user_ceiling)

    def _cost(self, workload: Workload) -> Resources:
        """Return what all replicas cost together."""
        question = workload.pool, workload.request
        if question not in self._costs:
            self._costs[question] = total_demand(workload, self._pools[workload.pool])
        return self._costs[question]

    def _reason(self, limit: _Limit) -> Reason:
        row = limit.row
        params: ReasonParams = {
            "group": self._groups[row.group].name,
            "pool": self._pools[row.pool].name if row.pool else "",
            "resource": row.resource.value,
            "used": limit.used,
            "requested": limit.requested,
            "limit": limit.most,
        }
        return Reason(limit.code, params)

    def _guarantee_refusals(self, workload: PendingWorkload) -> Iterator[Reason]:
        """Yield the guarantees of other groups that this start would take."""
        path, pool, cost = self._paths[workload.group], workload.pool, self._cost(workload)
        firm = ((self._deserved, "deserved"),) if not workload.preemptible else ()
        for book, promise in ((self._guaranteed, "guarantee"), *firm):
            for resource in book.guaranteed_resources(pool):
                requested = cost.get(resource)
                available = book.available(path, pool, resource)
                if (
                    not requested
                    or requested <= available
                    or not book.reserved_for_others(path, pool, resource)
                ):
                    continue
                held = book.held(workload.group, pool, resource)
                params: ReasonParams = {
                    "group": self._groups[workload.group].name,
                    "pool": self._pools[pool].name,
                    "resource": resource.value,
                    "used": held,
                    "requested": requested,
                    "limit": held + max(available, 0),
                    "promise": promise,
                }
                yield Reason(ReasonCode.OVER_DESERVED_NOT_LENDABLE, params)


def _is_for_guarantees(reason: Reason) -> bool:
    return (
        reason.code is ReasonCode.OVER_DESERVED_NOT_LENDABLE
        and reason.params.get("promise") == "guarantee"
    )


def _key(row: QuotaView) -> _Row:
    return row.group, row.pool, row.resource


def _row_order(row: QuotaView) -> tuple[str, str]:
    """Order the rows of a group: all pools together first, then by pool and resource."""
    return row.pool or "", row.resource
