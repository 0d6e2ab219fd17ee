"""What must hold of every history. Each rule yields what breaks it; none knows how decisions are made."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.model.plan import EvictionCause, MoveCause, PlannedReservation
from tests.scheduler.promises.history import Attempt, Pass, Story

NEVER: Final = Millis(1 << 62)
_PATIENCE_MS: Final = 30_000
"""Decisions are at most so far apart while something leaves."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One thing that should not have happened."""

    at: Millis
    subject: str
    detail: str


Rule = Callable[[Story], Iterator[Breach]]


def nobody_leaves_twice_for_one_cause(story: Story) -> Iterator[Breach]:
    """No workload is evicted twice within its protected run time for the same cause."""
    for attempts in story.by_work.values():
        evicted = [attempt for attempt in attempts if attempt.cause is not None]
        for before, again in pairwise(evicted):
            if _cause(before, story) == _cause(again, story) and (
                again.stayed_s < _alone_s(again, story)
                or _edge(before, story) == _edge(again, story)
            ):
                yield _breach(again, f"again after {again.stayed_s} s: {again.cause}")


def _cause(attempt: Attempt, story: Story) -> tuple[object, ...]:
    """Return why it had to leave; each start of other work is another reason."""
    if attempt.beneficiary is None:
        return (attempt.cause,)
    starts = story.by_work.get(attempt.beneficiary, ())
    begun = sum(start.placed_at <= (attempt.noticed_at or 0) for start in starts)
    return attempt.cause, attempt.beneficiary, begun


def _edge(attempt: Attempt, story: Story) -> Millis | None:
    """Return when the next window of its devices opens or closes; None where no rule is about that."""
    if attempt.cause is not EvictionCause.RESERVED or attempt.noticed_at is None:
        return attempt.noticed_at
    devices = {device for place in attempt.placements for device in place.devices}
    return min(
        edge
        for each in story.history.reservations.values()
        for window in each.windows
        for edge in (window.start, window.end)
        if edge >= attempt.noticed_at
        and any((card, slot) in devices for _, card, slot in each.devices)
    )


def nobody_starts_to_leave(story: Story) -> Iterator[Breach]:
    """No work starts into an eviction that is certain already, before its protected run time is over."""
    for attempt in story.history.attempts:
        if attempt.noticed_at is None or attempt.stayed_s >= _alone_s(attempt, story):
            continue
        is_for_nobody = attempt.cause is not None and attempt.beneficiary is None
        if is_for_nobody and not _booked_since(attempt, story):
            yield _breach(attempt, f"after {attempt.stayed_s} s: {attempt.cause}")


def _booked_since(attempt: Attempt, story: Story) -> bool:
    """Return whether one of its devices was reserved while it had them."""
    devices = {device for place in attempt.placements for device in place.devices}
    return any(
        story.history.booked_at[each.id] >= attempt.placed_at
        and any((card, slot) in devices for _, card, slot in each.devices)
        for each in story.history.reservations.values()
    )


def protected_run_time_is_kept(story: Story) -> Iterator[Breach]:
    """Higher priority, time slices, reclaim and moves wait until a start has had its time."""
    for attempt in story.history.attempts:
        protected_s = _protection(attempt, story)
        if protected_s is not None and attempt.ran_s < protected_s:
            yield _breach(attempt, f"{attempt.cause} after {attempt.ran_s} of {protected_s} s")


def published_starts_are_kept(story: Story) -> Iterator[Breach]:
    """A reserved start comes no later than it was published, or its plan says what moved it."""
    for earlier, later in pairwise(story.history.passes):
        waiting = {work.id: work for work in later.snapshot.pending}
        now = {each.workload: each.starts_at for each in later.plan.reservations}
        told = {each.workload for each in later.plan.moved}
        gone = {each.workload for each in later.plan.starts}
        for promise in (each for each in earlier.plan.reservations if each.is_promised):
            work = waiting.get(promise.workload)
            if work is None or work.held or promise.workload in told | gone:
                continue
            if now.get(promise.workload, NEVER) > promise.starts_at:
                yield Breach(
                    later.plan.made_at,
                    promise.workload,
                    f"{promise.starts_at} became {now.get(promise.workload)} without a word",
                )


def starts_move_for_named_causes(story: Story) -> Iterator[Breach]:
    """What a plan says of a moved start is what happened."""
    outages = story.history.world.outages
    booked = tuple(story.history.booked_at.values())
    promises = any(row.deserved or row.guarantee for row in story.history.world.site.quotas)
    for each in story.history.passes:
        at = each.plan.made_at
        for moved in each.plan.moved:
            is_true = {
                MoveCause.NODE: any(outage.start <= at for outage in outages),
                MoveCause.ADVANCE_RESERVATION: any(moment <= at for moment in booked),
                MoveCause.DESERVED: promises,
                MoveCause.OVERDUE: _is_behind(each, story),
                MoveCause.QUOTA: bool(story.history.world.site.quotas),
            }.get(moved.cause, False)
            if not is_true:
                yield Breach(at, moved.workload, f"moved from {moved.was} for {moved.cause}")


def _is_behind(each: Pass, story: Story) -> bool:
    """Return whether some work on the site has not started, or not left, in its time."""
    at = each.plan.made_at
    return any(
        work.is_late(at, story.pools[work.job.workload.pool].policy)
        for work in story.history.attempts
        if work.placed_at <= at and (work.left_at is None or work.left_at >= at - 120_000)
    )


def what_is_cleared_stays(story: Story) -> Iterator[Breach]:
    """Who was stopped for somebody was not stopped in vain: that work starts once all have left.

    Nothing else is stopped for it meanwhile.
    """
    placed: defaultdict[WorkloadId, list[Millis]] = defaultdict(list)
    for attempt in story.history.attempts:
        placed[attempt.id].append(attempt.placed_at)
    for each in story.history.passes:
        for beneficiary in {e.beneficiary for e in each.plan.evictions if e.beneficiary}:
            yield from _check_cleared(beneficiary, each, placed[beneficiary], story)


def _check_cleared(
    beneficiary: WorkloadId, each: Pass, placed: Sequence[Millis], story: Story
) -> Iterator[Breach]:
    at = each.plan.made_at
    victims = [
        attempt
        for attempt in story.history.attempts
        if attempt.beneficiary == beneficiary and attempt.noticed_at == at
    ]
    if not victims or _is_excused(beneficiary, victims, at, story):
        return
    starts = min((moment for moment in placed if moment >= at), default=None)
    left = [attempt.left_at for attempt in victims]
    if None in left:
        return  # the world ends first
    last = max(moment for moment in left if moment is not None)
    again = {
        attempt.noticed_at
        for attempt in story.history.attempts
        if attempt.beneficiary == beneficiary
        and attempt.noticed_at is not None
        and at < attempt.noticed_at < (starts or last + 1)
    }
    if again:
        yield Breach(at, beneficiary, f"more was stopped for it at {sorted(again)}")
    promised = [promise.starts_at for promise in _cleared_for(beneficiary, each)]
    latest = max([last, *promised]) + _PATIENCE_MS
    if (starts is None and latest < story.history.world.until) or (starts or 0) > latest:
        yield Breach(at, beneficiary, f"all had left at {last}, it started at {starts}")


def _cleared_for(beneficiary: WorkloadId, each: Pass) -> list[PlannedReservation]:
    """Return the start that was promised with the notices: later if it needs what leaves anyway."""
    return [
        promise
        for promise in each.plan.reservations
        if promise.is_cleared and promise.workload == beneficiary
    ]


def _is_excused(
    beneficiary: WorkloadId, victims: Sequence[Attempt], at: Millis, story: Story
) -> bool:
    """Return whether something happened that the guide names: nodes, rules, stuck work, reservations."""
    longest = max(story.pool_under(each).policy.grace_s for each in victims)
    over = at + (longest + 30 + 60) * 1000
    late = [each for each in victims if (each.left_at or over) >= over]
    window = at, max([over, *(each.left_at or over for each in victims)]) + _PATIENCE_MS
    outages = any(
        o.start <= window[1] and o.end >= window[0] - 20_000 for o in story.history.world.outages
    )
    booked = any(window[0] <= moment <= window[1] for moment in story.history.booked_at.values())
    return bool(late) or outages or booked


def _protection(attempt: Attempt, story: Story) -> int | None:
    """Return for how long the rule that evicted it leaves a start alone; None: it does not."""
    policy = story.pools[attempt.job.workload.pool].policy
    if attempt.cause is EvictionCause.PREEMPTED:
        return min(policy.min_runtime_s, policy.turn_s or policy.min_runtime_s)
    if attempt.cause is EvictionCause.RECLAIMED:
        return policy.reclaim_min_runtime_s
    return policy.min_runtime_s if attempt.cause is EvictionCause.CONSOLIDATED else None


def _alone_s(attempt: Attempt, story: Story) -> int:
    """Return how long it may have its devices at least, if nothing new comes up."""
    policy = story.pool_under(attempt).policy
    limit_s = attempt.job.workload.time_limit_s
    return policy.min_runtime_s if limit_s is None else min(policy.min_runtime_s, limit_s)


def _breach(attempt: Attempt, detail: str) -> Breach:
    return Breach(attempt.noticed_at or attempt.placed_at, attempt.id, detail)


RULES: Final[tuple[Rule, ...]] = (
    nobody_leaves_twice_for_one_cause,
    nobody_starts_to_leave,
    protected_run_time_is_kept,
    published_starts_are_kept,
    starts_move_for_named_causes,
    what_is_cleared_stays,
)
"""Every rule. A new one comes with a bug in `tests/scheduler/promises/bugs.py` that it must find."""
