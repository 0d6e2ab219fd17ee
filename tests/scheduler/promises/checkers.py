"""What must hold of every history. Each rule yields what breaks it; none knows how decisions are made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import EvictionCause
from tests.scheduler.promises.history import Attempt, Story


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
    return min(policy.min_runtime_s, attempt.job.workload.time_limit_s)


def _breach(attempt: Attempt, detail: str) -> Breach:
    return Breach(attempt.noticed_at or attempt.placed_at, attempt.id, detail)


RULES: Final[tuple[Rule, ...]] = (
    nobody_leaves_twice_for_one_cause,
    nobody_starts_to_leave,
    protected_run_time_is_kept,
)
"""Every rule. A new one comes with a bug in `tests/scheduler/promises/bugs.py` that it must find."""
