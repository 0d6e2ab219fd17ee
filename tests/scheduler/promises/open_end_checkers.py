"""What must hold of histories with open ends; no rule knows how decisions are made."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, RunningWorkload, WorkloadId
from scheduler.core.model.plan import EstimateBasis
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import NodeState
from tests.scheduler.counting import after, recounted
from tests.scheduler.promises.budgets import used_between
from tests.scheduler.promises.checkers import Breach, Rule
from tests.scheduler.promises.history import Pass, Story
from tests.scheduler.promises.rules import BEGIN

_FAR_MS: Final = 10 * 365 * 86_400_000
"""No limit, window or period of these worlds is so far away."""
_SHORT: Final = frozenset(
    {ReasonCode.GANG_INCOMPLETE, ReasonCode.FRAGMENTED, ReasonCode.INSUFFICIENT_NOW}
)


def no_reserved_start_counts_on_an_open_end(story: Story) -> Iterator[Breach]:
    """Nothing is reserved on a device of work with an open end, unless that was given notice."""
    for each in story.history.passes:
        leaving = {eviction.workload for eviction in each.plan.evictions}
        held = {
            (place.node, *device)
            for work in each.snapshot.running
            if _stays(work) and work.id not in leaving
            for place in work.placements
            for device in place.devices
        }
        for start in each.plan.reservations:
            if not held.isdisjoint(start.devices):
                yield Breach(each.plan.made_at, start.workload, f"reserved at {start.starts_at}")


def no_expected_start_counts_on_an_open_end(story: Story) -> Iterator[Breach]:
    """What is expected to start fits beside all work with an open end, or that is evicted for it."""
    for each in story.history.passes:
        heard = tuple(replace(node, state=NodeState.READY) for node in each.snapshot.nodes)
        rest = _once_limits_are_over(each, replace(each.snapshot, nodes=heard))
        for hold in () if _defers_any(each) else each.plan.holds:
            expected = hold.expected
            if rest is None or expected is None or expected.basis is EstimateBasis.EVICTIONS:
                continue
            if not _fits(rest, hold.workload):
                yield Breach(each.plan.made_at, hold.workload, f"expected at {expected.latest}")


def open_ends_in_the_way_are_named(story: Story) -> Iterator[Breach]:
    """Work that waits for capacity is told of open ends if, and only if, it does not fit beside them."""
    for each in story.history.passes:
        rest = _once_limits_are_over(each, after(each.snapshot, each.plan))
        for hold in each.plan.holds:
            codes = {reason.code for reason in hold.reasons}
            if codes.isdisjoint(_SHORT):
                continue
            is_in_the_way = rest is not None and not _fits(rest, hold.workload)
            is_told = ReasonCode.BEHIND_OPEN_END in codes
            if is_told != is_in_the_way and (is_told or not _defers_any(each)):
                yield Breach(each.plan.made_at, hold.workload, f"told {sorted(codes)}")


def no_time_is_absurd(story: Story) -> Iterator[Breach]:
    """Every published time is to come, and within what calendars and limits reach."""
    for each in story.history.passes:
        at = each.plan.made_at
        times = [(hold.workload, hold.expected.latest) for hold in each.plan.holds if hold.expected]
        times += [(start.workload, start.starts_at) for start in each.plan.reservations]
        for workload, moment in times:
            if not BEGIN <= moment <= at + _FAR_MS:
                yield Breach(at, workload, f"at {moment}")


def no_budget_is_exceeded_by_open_ends(story: Story) -> Iterator[Breach]:
    """In no period does work with an open end use more than the budget has."""
    history = story.history
    pools = {pool.id: pool for pool in history.world.site.pools}
    for budget in history.world.budgets:
        length = budget.period_s * 1000
        for begins in range(BEGIN, history.world.until, length):
            until = min(begins + length, history.world.until)
            used = used_between(budget, history, pools, begins, until, only_open_ends=True)
            if used > budget.limit:
                yield Breach(Millis(begins), budget.group, f"{used} of {budget.limit}")


def _once_limits_are_over(each: Pass, site: Snapshot) -> Ledger | None:
    """Return the site once all has left but what has an open end; None if nothing has."""
    leaving = {eviction.workload for eviction in each.plan.evictions}
    lasting = tuple(work for work in site.running if _stays(work) and work.id not in leaving)
    if not lasting:
        return None
    pending = each.snapshot.pending
    return Ledger(recounted(replace(site, running=lasting, pending=pending, reservations=())))


def _stays(work: RunningWorkload) -> bool:
    """Return whether nothing but its owner ends it."""
    return work.traits.open_end and work.ends_at is None and not work.stopping


def _fits(site: Ledger, workload: WorkloadId) -> bool:
    work = site.pending[workload]
    return place_gang(work.request, site.free[work.pool].matrix) is not None


def _defers_any(each: Pass) -> bool:
    """Return whether some work leaves once its protected run time is over: the plan does not say which."""
    return any(
        reason.code is ReasonCode.PROTECTED_RUN_TIME
        for hold in each.plan.holds
        for reason in hold.reasons
    )


OPEN_END_RULES: Final[tuple[Rule, ...]] = (
    no_reserved_start_counts_on_an_open_end,
    no_expected_start_counts_on_an_open_end,
    open_ends_in_the_way_are_named,
    no_time_is_absurd,
    no_budget_is_exceeded_by_open_ends,
)
"""Rules of worlds with open ends, beside those of all worlds."""
