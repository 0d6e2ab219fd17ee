"""Quotas: what a group, its ancestors and its members may hold, and must leave to others.

The same few questions are put thousands of times in a cycle: may work of this group, of this size,
start? `refusals` reduces each workload to a question with only those of its traits that the quotas
over it depend on, and answers equal questions once between two changes of use.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Final, NamedTuple

from scheduler.core.model.entities import (
    ArrayId,
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    QuotaView,
    Request,
    RunningWorkload,
    UserId,
)
from scheduler.core.model.policy import OVER_QUOTA_WEIGHTS
from scheduler.core.model.reasons import Reason, ReasonCode, ReasonParams
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.array_counters import ArrayCounters
from scheduler.core.quotas.aside import Aside, KeptAside
from scheduler.core.quotas.budget import BudgetBook
from scheduler.core.quotas.ceilings import CeilingBook, Limit
from scheduler.core.quotas.demand import DemandTable, Workload
from scheduler.core.quotas.group_tree import group_paths
from scheduler.core.quotas.member_counters import MemberCounters
from scheduler.core.quotas.promises import PromiseBook, PromiseLine, build_promise_books
from scheduler.core.quotas.terms import weight_in

_Question = tuple[object, ...]
_Place = tuple[GroupId, PoolId]


class Later(NamedTuple):
    """A later state: what has left by then, and what has started."""

    key: int
    """Equal for equal states, as long as nothing else changes."""
    left: tuple[RunningWorkload, ...]
    started: tuple[RunningWorkload, ...]
    is_asked_then: bool = False
    """The workload comes then, not now: what advance reservations keep now does not matter to it."""


_STATE: Final = "state"
_NOTHING: Final = Resources()


class _RelevantTraits(NamedTuple):
    """The traits of a workload on which the quotas over one group in one pool depend."""

    resources: tuple[Resource, ...]
    user: bool
    preemptible: bool
    time_limit: bool
    cards: bool
    amounts: dict[Request, tuple[int, ...]]
    """What each request costs of these resources; filled on first use."""


class QuotaBook:
    """Every quota row with its use, the promises to others, and the budgets; writable.

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
        self._names = {group.id: group.name for group in snapshot.groups}
        self._paths = group_paths(snapshot)
        self.demand: Final = DemandTable(snapshot)
        """What work costs and holds."""
        self.ceilings: Final = CeilingBook(snapshot, self._paths, self.demand, undo_log)
        self._leftovers: dict[_Place, bool] = {}
        self._traits: dict[_Place, _RelevantTraits] = {}
        self._counters = MemberCounters(snapshot, undo_log)
        self._arrays = ArrayCounters(snapshot, undo_log)
        self._guaranteed, self._deserved = build_promise_books(snapshot, undo_log)
        for run in snapshot.running:
            self._hold(run, 1)
        self.budgets: Final = BudgetBook(snapshot, undo_log)
        self.keep_aside: Callable[[PendingWorkload], KeptAside] | None = None
        """What advance reservations keep from a workload: promises count it as held."""
        self._state = {_STATE: 0}
        """Changes with every write and, through the undo log, back with every undo."""
        self._states = count(1)
        self._answers: dict[_Question, tuple[int, tuple[Reason, ...]]] = {}

    @property
    def state(self) -> int:
        """A number that changes with what is held, and with an undo back."""
        return self._state[_STATE]

    def set_now(self, now: Millis) -> None:
        """Set the present moment, from which budgets count."""
        self.budgets.now = now
        self._answers.clear()

    def refusals(
        self,
        workload: PendingWorkload,
        *,
        later: Later | None = None,
        borrowed: bool = False,
    ) -> tuple[Reason, ...]:
        """Return every limit that starting the workload would break, now or in a later state.

        `borrowed` is a start on another pool's cards, which takes nothing from the promises of its own.
        """
        if not self.may_refuse(workload):
            return ()
        question = self._question(workload, later, borrowed=borrowed)
        if self.keep_aside is not None:
            question = (*question, self.keep_aside(workload).level)
        state, answer = self._answers.get(question, (-1, ()))
        if state != self._state[_STATE]:
            now = self._state[_STATE]
            has_asides = later is None or not later.is_asked_then
            with self._as_of(later):
                answer = self._find_refusals(workload, borrowed=borrowed, has_asides=has_asides)
            self._answers[question] = now, answer
        return answer

    def refusals_inside(
        self, workload: PendingWorkload, later: Later | None = None
    ) -> tuple[Reason, ...]:
        """Return the same inside an advance reservation, which was checked against promises itself."""
        with self._as_of(later):
            broken = self.ceilings.broken(workload, borrowed=False)
            return (
                *(self.reason_of(limit) for limit in broken),
                *self.budgets.refusals(workload),
                *self._counters.refusals(workload),
                *self._arrays.refusals(workload),
            )

    def narrow(self, workload: PendingWorkload, later: Later | None = None) -> Request | None:
        """Return the request for the cards that the quotas leave it; None if they leave none."""
        if later is None or not self.ceilings.depends_on_cards(workload):
            return self.ceilings.narrow(workload)
        with self._as_of(later):
            return self.ceilings.narrow(workload)

    @contextmanager
    def _as_of(self, later: Later | None) -> Iterator[None]:
        """Count, until the end of the block, as in a later state."""
        mark = self._undo_log.mark()
        if later is not None:
            for work in later.left:
                self.refund(work)
            for work in later.started:
                self.charge(work)
        try:
            yield
        finally:
            self._undo_log.undo(mark)

    def left_out(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return the limits for which `narrow` leaves some cards out."""
        return tuple(self.reason_of(limit) for limit in self.ceilings.left_out(workload))

    def may_refuse(self, workload: PendingWorkload) -> bool:
        """Return whether any limit could ever keep the workload from starting."""
        traits = self._traits_of((workload.group, workload.pool), workload)
        return any(traits[:-1]) or self._arrays.limited(workload) is not None

    def _question(
        self, workload: PendingWorkload, later: Later | None, *, borrowed: bool
    ) -> _Question:
        """Return everything that the answer depends on."""
        place = workload.group, workload.pool
        traits = self._traits_of(place, workload)
        amounts = traits.amounts.get(workload.request)
        if amounts is None:
            cost = self.demand.total(workload)
            amounts = tuple([cost.get(resource) for resource in traits.resources])
            traits.amounts[workload.request] = amounts
        return (
            place,
            amounts,
            workload.user if traits.user else None,
            workload.preemptible if traits.preemptible else None,
            workload.time_limit_s if traits.time_limit else None,
            workload.request if traits.cards else None,
            self._arrays.limited(workload),
            later.key if later else None,
            borrowed,
        )

    def member_key(
        self, workload: PendingWorkload
    ) -> tuple[UserId | None, int | None, ArrayId | None]:
        """Return why equal requests of one group may get different answers.

        That is the user, the time limit, and the array that limits its tasks.
        """
        traits = self._traits_of((workload.group, workload.pool), workload)
        return (
            workload.user if traits.user else None,
            workload.time_limit_s if traits.time_limit else None,
            self._arrays.limited(workload) if workload.array else None,
        )

    def _traits_of(self, place: _Place, workload: PendingWorkload) -> _RelevantTraits:
        traits = self._traits.get(place)
        if traits is None:
            traits = self._traits[place] = self._relevant_traits(workload)
        return traits

    def _relevant_traits(self, workload: PendingWorkload) -> _RelevantTraits:
        rows, pool = self.ceilings.rows_counting(workload), workload.pool
        deserved = self._deserved.lines_over(pool)
        lines = (*self._guaranteed.lines_over(pool), *deserved)
        named = {row.resource for row in rows} | {line.resource for line in lines}
        if self.budgets.has_any:
            named.add(Resource.GPU)
        return _RelevantTraits(
            resources=tuple(resource for resource in Resource if resource in named),
            user=self._counters.has_any(workload.group) or any(row.limits_members for row in rows),
            preemptible=bool(deserved),
            time_limit=self.budgets.has_any,
            cards=self.ceilings.depends_on_cards(workload) or self.budgets.depends_on_cards,
            amounts={},
        )

    def waits_for_guarantees(self, workload: PendingWorkload, reasons: Iterable[Reason]) -> bool:
        """Return whether only unused guarantees of others refuse it, and not permanently.

        Such work waits for capacity like work that does not fit, and may get a reservation.
        """
        path, pool = self._paths[workload.group], workload.pool
        cost = self.demand.total(workload)
        return all(_is_for_guarantees(reason) for reason in reasons) and all(
            cost.get(line.resource) <= line.most_available(path, pool)
            for line in self._guaranteed.lines_over(pool)
        )

    def permanent_refusals(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        """Return every limit that the workload would break even in an empty cluster."""
        broken = self.ceilings.permanently_broken(workload)
        return (
            *(self.reason_of(limit) for limit in broken),
            *self.budgets.permanent_refusals(workload),
        )

    def _find_refusals(
        self, workload: PendingWorkload, *, borrowed: bool, has_asides: bool
    ) -> tuple[Reason, ...]:
        broken = self.ceilings.broken(workload, borrowed=borrowed)
        promises = tuple(self._promise_refusals(workload, borrowed=borrowed))
        mark = self._undo_log.mark()
        asides = self.keep_aside(workload).asides if self.keep_aside and has_asides else ()
        if asides and not promises and not self._leave_enough(asides, workload, borrowed=borrowed):
            for aside in asides:
                self._set_aside(aside, is_firm=not workload.preemptible)
            promises = tuple(self._promise_refusals(workload, borrowed=borrowed))
        self._undo_log.undo(mark)
        budgets = self.budgets.refusals(workload)
        counters = (*self._counters.refusals(workload), *self._arrays.refusals(workload))
        return (*(self.reason_of(limit) for limit in broken), *budgets, *counters, *promises)

    def rows(self) -> tuple[QuotaView, ...]:
        """Return every quota with what is used of it now."""
        return self.ceilings.rows()

    def rows_over(self, workload: Workload) -> tuple[QuotaView, ...]:
        """Return the quotas that count the workload, from the root down, with their use now."""
        return self.ceilings.rows_over(workload)

    def takes_only_leftovers(self, group: GroupId, pool: PoolId) -> bool:
        """Return whether the group's weight entitles it to none of the pool's surplus."""
        if (place := (group, pool)) not in self._leftovers:
            rows = {
                row.pool: row
                for row in self.ceilings.rows_of(group)
                if row.resource is Resource.GPU and not row.model
            }
            self._leftovers[place] = OVER_QUOTA_WEIGHTS[weight_in(pool, rows)] == 0
        return self._leftovers[place]

    def charge(self, workload: RunningWorkload) -> None:
        """Count the whole workload as held by its user and group, under every ancestor."""
        self._count(workload, 1)
        self._hold(workload, 1)
        self.budgets.commit(workload, workload.ends_at)

    def refund(self, workload: RunningWorkload) -> None:
        """Take back what `charge`, or the snapshot, counted for this workload."""
        self._count(workload, -1)
        self._hold(workload, -1)
        self.budgets.commit(workload, workload.ends_at, -1)

    def _hold(self, workload: Workload, times: int) -> None:
        """Count the workload against the promises; reclaimable work leaves `deserved` alone."""
        books = (self._guaranteed,) if workload.preemptible else (self._guaranteed, self._deserved)
        for book in books:
            if book.lines_over(workload.pool):
                amounts = self.demand.at_home_and_borrowed(workload)
                book.count(self._paths[workload.group], workload.pool, *amounts, times)

    def find_unkept_guarantees(
        self, pool: PoolId, beside: Iterable[Aside], more: Aside
    ) -> Mapping[GroupId, int]:
        """Return the guaranteed groups that one more reservation would leave short, and of how much."""
        mark = self._undo_log.mark()
        lines = [
            line for line in self._guaranteed.lines_over(pool) if line.resource is Resource.GPU
        ]
        for aside in beside:
            self._set_aside(aside)
        before = [line.shortage for line in lines]
        self._set_aside(more)
        short = {
            group: line.shortage
            for line, was in zip(lines, before, strict=True)
            if line.shortage > was
            for group, promised in line.promised.items()
            if promised > line.held(group)
        }
        self._undo_log.undo(mark)
        return short

    def _set_aside(self, aside: Aside, *, is_firm: bool = True) -> None:
        """Count it as held; what is deserved matters to work only that cannot be preempted."""
        kept, path = Resources(gpu=aside.gpu_milli), self._paths[aside.group]
        for book in (self._guaranteed, self._deserved) if is_firm else (self._guaranteed,):
            if book.lines_over(aside.pool):
                book.count(path, aside.pool, kept, _NOTHING, 1)

    def _count(self, workload: RunningWorkload, times: int) -> None:
        self.ceilings.count(workload, times)
        self._counters.count(workload, times)
        self._arrays.count(workload, times)
        self._undo_log.write(self._state, _STATE, next(self._states))

    def reason_of(self, limit: Limit) -> Reason:
        """Return a broken ceiling as a reason, with its numbers."""
        row = limit.row
        params: dict[str, int | str] = {
            "group": self._names[row.group],
            "pool": self._pools[row.pool].name if row.pool else "",
            "resource": row.resource.value,
            "used": limit.used,
            "requested": limit.requested,
            "limit": limit.most,
        }
        if row.model:
            params["model"] = row.model
        return Reason(limit.code, params)

    def _promise_refusals(self, workload: PendingWorkload, *, borrowed: bool) -> Iterator[Reason]:
        """Yield the promises to other groups that this start would take; of each kind the tightest."""
        firm = ((self._deserved, "deserved"),) if not workload.preemptible else ()
        for book, promise in ((self._guaranteed, "guarantee"), *firm):
            tightest: dict[Resource, tuple[int, PromiseLine]] = {}
            for line in _lines_for(book, workload, borrowed=borrowed):
                left = self._left_by_promises(line, workload, borrowed=borrowed)
                if left is not None and left < tightest.get(line.resource, (left + 1, line))[0]:
                    tightest[line.resource] = left, line
            for left, line in tightest.values():
                yield self._promise_reason(workload, line, left, promise)

    def _leave_enough(
        self, asides: Iterable[Aside], workload: PendingWorkload, *, borrowed: bool
    ) -> bool:
        """Return whether promises leave enough even if all of what is kept aside comes on top."""
        kept = sum(aside.gpu_milli for aside in asides)
        path, requested = self._paths[workload.group], self._cost_of(workload, Resource.GPU)
        books = (self._guaranteed,) if workload.preemptible else (self._guaranteed, self._deserved)
        return all(
            requested + kept <= line.available(path, workload.pool, borrowed=borrowed)
            for book in books
            for line in _lines_for(book, workload, borrowed=borrowed)
            if line.resource is Resource.GPU
        )

    def _left_by_promises(
        self, line: PromiseLine, workload: PendingWorkload, *, borrowed: bool
    ) -> int | None:
        """Return how much more promises to others leave to its group; None if that is enough."""
        path, requested = self._paths[workload.group], self._cost_of(workload, line.resource)
        left = line.available(path, workload.pool, borrowed=borrowed) if requested else requested
        if requested <= left or not line.is_set_aside(path, workload.pool, borrowed=borrowed):
            return None
        return left

    def _promise_reason(
        self, workload: PendingWorkload, line: PromiseLine, left: int, promise: str
    ) -> Reason:
        held = line.held(workload.group)
        params: ReasonParams = {
            "group": self._names[workload.group],
            "pool": self._pools[line.scope].name if line.scope else "",
            "resource": line.resource.value,
            "used": held,
            "requested": self._cost_of(workload, line.resource),
            "limit": held + max(left, 0),
            "promise": promise,
        }
        return Reason(ReasonCode.OVER_DESERVED_NOT_LENDABLE, params)

    def _cost_of(self, workload: PendingWorkload, resource: Resource) -> int:
        return self.demand.total(workload).get(resource)


def _lines_for(
    book: PromiseBook, workload: PendingWorkload, *, borrowed: bool
) -> tuple[PromiseLine, ...]:
    """Return the lines that a start counts in: on borrowed cards only those over all pools."""
    return book.over_all_pools() if borrowed else book.lines_over(workload.pool)


def _is_for_guarantees(reason: Reason) -> bool:
    return (
        reason.code is ReasonCode.OVER_DESERVED_NOT_LENDABLE
        and reason.params.get("promise") == "guarantee"
    )
