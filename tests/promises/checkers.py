"""What must hold of every story. Each rule yields what breaks it; none knows how decisions are made."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tests.promises.story import Attempt, Seen, Story

ROUNDING_S: Final = 60
"""Starts are promised for a whole minute."""
SETTLING_S: Final = 30
"""From a stop until its node has said that the cards are free."""
OVERDUE_S: Final = 60
"""Work that has not left so much later is not waited for any longer."""
FROM_NODE_S: Final = 60
"""A node that came back may still clear up for so long."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One thing that should not have happened."""

    at: float
    work: str
    detail: str


Rule = Callable[[Story], Iterator[Breach]]


def nobody_leaves_twice_for_one_cause(story: Story) -> Iterator[Breach]:
    """No workload is evicted again within its protected run time for what it was evicted for before."""
    for attempts in story.by_work.values():
        evicted = [attempt for attempt in attempts if attempt.cause]
        for before, again in pairwise(evicted):
            if _cause(before, story) != _cause(again, story) or again.evicted_at is None:
                continue
            alone_s = min(story.rules_at(again.placed_at).min_runtime_s, again.time_limit_s)
            disturbed = story.was_silent(before.evicted_at or 0.0, again.evicted_at) or (
                again.beneficiary is None and story.is_disturbed(again.placed_at, again.evicted_at)
            )
            if again.stayed_s < alone_s and not disturbed:
                detail = f"{again.cause} for {again.beneficiary} again after {again.stayed_s:.0f} s"
                yield Breach(again.evicted_at, again.work, detail)


def _cause(attempt: Attempt, story: Story) -> tuple[object, ...]:
    """Return why it had to leave; each start of other work is another reason."""
    starts = story.by_work.get(attempt.beneficiary or "", ())
    begun = sum(start.placed_at <= (attempt.evicted_at or 0.0) for start in starts)
    return attempt.cause, attempt.beneficiary, begun


def what_is_cleared_goes_to_whom_it_was_cleared_for(story: Story) -> Iterator[Breach]:
    """Work for which others were stopped starts once all have left, and nothing more is stopped for it."""
    rounds: defaultdict[tuple[str, float | None], list[Attempt]] = defaultdict(list)
    for attempt in story.attempts:
        if attempt.beneficiary is not None and attempt.evicted_at is not None:
            start = story.start_after(attempt.beneficiary, attempt.evicted_at)
            rounds[attempt.beneficiary, start].append(attempt)
    for (work, start), victims in rounds.items():
        yield from _check_cleared(work, start, victims, story)


def _check_cleared(
    work: str, start: float | None, victims: Sequence[Attempt], story: Story
) -> Iterator[Breach]:
    noticed = sorted(each.evicted_at or 0.0 for each in victims)
    left = [story.until if each.left_at is None else each.left_at for each in victims]
    promised = _last_promise(work, noticed[0], start or story.until, story)
    due = max([*left, promised or 0.0]) + SETTLING_S + story.slack_s
    late = any(
        gone > (each.evicted_at or 0.0) + each.grace_s + SETTLING_S + OVERDUE_S
        for each, gone in zip(victims, left, strict=True)
    )
    over = story.ended.get(work, story.until + 1)
    if late or story.is_disturbed(noticed[0] - FROM_NODE_S, due) or (start is None and over <= due):
        return
    if noticed[-1] - noticed[0] > story.slack_s:
        yield Breach(noticed[-1], work, f"more was stopped for it, first at {noticed[0]:.0f}")
    if due < story.until and (start is None or start > due):
        yield Breach(due, work, f"all had left at {max(left):.0f}, it started at {start}")


def _last_promise(work: str, begin: float, end: float, story: Story) -> float | None:
    """Return the start that was shown last while others left for it."""
    shown = [each for each in story.seen if each.work == work and begin <= each.at <= end]
    return shown[-1].starts_at if shown else None


def published_starts_are_kept(story: Story) -> Iterator[Breach]:
    """A promised start comes no later than it was shown, or its owner is shown what moved it."""
    shown: defaultdict[str, list[Seen]] = defaultdict(list)
    for each in sorted(story.seen, key=lambda each: each.at):
        shown[each.work].append(each)
    for work, looks in shown.items():
        for before, after in pairwise(looks):
            if before.starts_at is not None and not _started_between(work, before, after, story):
                yield from _check_look(before, after, story)
        yield from _check_last(looks[-1], story)


def _started_between(work: str, before: Seen, after: Seen, story: Story) -> bool:
    start = story.start_after(work, before.at - story.slack_s)
    return start is not None and start <= after.at


def _check_look(before: Seen, after: Seen, story: Story) -> Iterator[Breach]:
    assert before.starts_at is not None
    told = any(before.at - story.slack_s <= move <= after.at for move in after.moves)
    now = after.starts_at
    if not told and (now is None or now > max(before.starts_at, after.at) + ROUNDING_S):
        yield Breach(after.at, before.work, f"{before.starts_at:.0f} became {now} without a word")


def _check_last(last: Seen, story: Story) -> Iterator[Breach]:
    """Check the promise that was the last one before a start, or the end of the story."""
    if last.starts_at is None:
        return
    due = max(last.starts_at, last.at) + ROUNDING_S + story.slack_s
    start = story.start_after(last.work, last.at - story.slack_s)
    over = story.ended.get(last.work, story.until + 1)
    if due < min(story.until, over) and (start is None or start > due):
        yield Breach(due, last.work, f"promised for {last.starts_at:.0f}, started at {start}")


def nothing_is_killed_before_its_deadline(story: Story) -> Iterator[Breach]:
    """What got a notice has the whole grace that was announced with it."""
    for attempt in story.attempts:
        if attempt.evicted_at is None or attempt.killed_at is None:
            continue
        deadline = attempt.evicted_at + attempt.grace_s
        away = any(
            outage.meets(attempt.evicted_at - FROM_NODE_S, attempt.killed_at)
            for outage in story.outages
        )
        was_over = story.ended.get(attempt.work, deadline) < deadline
        if attempt.killed_at < deadline - 1 and not away and not was_over:
            detail = f"killed {deadline - attempt.killed_at:.0f} s before its deadline"
            yield Breach(attempt.killed_at, attempt.work, detail)


RULES: Final[tuple[Rule, ...]] = (
    nobody_leaves_twice_for_one_cause,
    what_is_cleared_goes_to_whom_it_was_cleared_for,
    published_starts_are_kept,
    nothing_is_killed_before_its_deadline,
)
"""Every rule; `tests/promises/test_checkers.py` has what breaks each."""
