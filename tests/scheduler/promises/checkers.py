"""What must hold of every history. Each rule yields what breaks it; none knows how decisions are made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


def _breach(attempt: Attempt, detail: str) -> Breach:
    return Breach(attempt.noticed_at or attempt.placed_at, attempt.id, detail)


RULES: Final[tuple[Rule, ...]] = (protected_run_time_is_kept,)
"""Every rule. A new one comes with a bug in `tests/scheduler/promises/bugs.py` that it must find."""
