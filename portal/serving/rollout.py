"""What follows for a service's replicas from what they are; pure.

Replicas are started, drained and stopped one step at a time: the next call sees what came of the last one. A
replica that answers is removed only while enough others do, and only after it has been drained.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from uuid import UUID

SETTLING_MS: Final = 3_000
"""So long after a replica began to drain a request may still have been sent to it."""
CRASHES_MAX: Final = 5
"""After so many replicas in a row a revision that never stayed up is given up."""
STEADY_S: Final = 30
"""A replica that was ready for so long has proved its revision, and ends a row of crashes."""
FIRST_PAUSE_MS: Final = 10_000
"""Between the first crash and the next start; it doubles with each crash."""
LONGEST_PAUSE_MS: Final = 300_000
"""Between two starts of a revision that crashes at most."""


class Stage(StrEnum):
    """How far a replica is."""

    WAITING = "waiting"
    """In the queue, also after an eviction or the loss of its node."""
    STARTING = "starting"
    READY = "ready"
    ENDING = "ending"
    """It is to stop, and its node has not said yet that it is gone."""


_ORDER: Final = (Stage.WAITING, Stage.STARTING, Stage.READY)
"""The order in which surplus replicas leave: those that serve nobody first."""


@dataclass(frozen=True, slots=True)
class SeenReplica:
    """One replica that has not ended."""

    id: UUID
    revision: int
    stage: Stage
    draining_since: int | None = None
    """Since when it gets no new requests, in milliseconds."""
    open_requests: int = 0
    reported_at: int | None = None
    """When these were counted; None is never."""
    is_dismissed: bool = False
    """It drains because somebody has asked for its end: it does not come back, and another takes its place."""

    def is_drained(self, now: int, drain_ms: int) -> bool:
        """Return whether nothing is lost if it stops now, or its time is over."""
        if self.draining_since is None or self.stage is not Stage.READY:
            return self.draining_since is not None
        since = self.draining_since
        is_idle = self.open_requests == 0 and (self.reported_at or 0) >= since + SETTLING_MS
        return is_idle or now >= since + drain_ms


@dataclass(frozen=True, slots=True)
class WantedReplicas:
    """How many replicas of which revision are to serve."""

    count: int
    revision: int
    canary: int | None = None
    canary_pct: int = 0
    drain_ms: int = 60_000

    def by_revision(self) -> Mapping[int, int]:
        """Return the number of replicas of each revision; a canary has one at least, beside one at least."""
        if self.canary is None or self.count == 0:
            return {self.revision: self.count}
        few = max(1, math.floor(self.count * self.canary_pct / 100 + 0.5))
        few = min(few, max(1, self.count - 1))
        return {self.revision: max(1, self.count - few), self.canary: few}


@dataclass(frozen=True, slots=True)
class Rollout:
    """What to do now."""

    start: Mapping[int, int] = field(default_factory=dict)
    """How many new replicas of each revision."""
    drain: tuple[UUID, ...] = ()
    revive: tuple[UUID, ...] = ()
    """They were draining and are wanted again."""
    stop: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class EndedReplica:
    """One that has ended without a request to."""

    ended_at: int
    ready_s: int
    """For how long it was ready; 0 is never."""
    was_late: bool = False
    """It had not become ready in the time that it has for its start."""


def plan_rollout(
    wanted: WantedReplicas,
    replicas: Sequence[SeenReplica],
    now: int,
    starts_at: Mapping[int, int | None] | None = None,
) -> Rollout:
    """Return the next step.

    Args:
        wanted: what is to serve.
        replicas: those that have not ended.
        now: in milliseconds.
        starts_at: when a replica of a revision may be started again after a crash; None is never.
    """
    stop = [item.id for item in replicas if _is_over(item, wanted, now)]
    staying = [item for item in replicas if item.id not in stop and item.stage is not Stage.ENDING]
    sizes = wanted.by_revision()
    leaving = _surplus([item for item in staying if item.draining_since is None], sizes)
    stop += [item.id for item in leaving if item.stage is not Stage.READY]
    serving = [item for item in leaving if item.stage is Stage.READY]
    drain = serving[: _may_leave(staying, wanted)]
    gone = {*stop}
    present = [item for item in staying if item.id not in gone]
    dismissed = sum(item.is_dismissed for item in present)
    most = max(wanted.count, sum(sizes.values())) + (1 if serving else 0) + dismissed
    start, revive = _fill(present, {*(item.id for item in leaving)}, sizes, most)
    delayed = starts_at or {}
    return Rollout(
        start={key: count for key, count in start.items() if _may_start(delayed, key, now)},
        drain=tuple(item.id for item in drain),
        revive=tuple(revive),
        stop=tuple(stop),
    )


def _is_over(item: SeenReplica, wanted: WantedReplicas, now: int) -> bool:
    return item.stage is not Stage.ENDING and item.is_drained(now, wanted.drain_ms)


def _surplus(live: Collection[SeenReplica], sizes: Mapping[int, int]) -> list[SeenReplica]:
    """Return the replicas that are not wanted, those first that are missed least."""
    kept: Counter[int] = Counter()
    found = []
    for item in sorted(live, key=_missed, reverse=True):
        if kept[item.revision] < sizes.get(item.revision, 0):
            kept[item.revision] += 1
        else:
            found.append(item)
    return found[::-1]


def _missed(item: SeenReplica) -> tuple[int, int, str]:
    """Order replicas by how much they are missed; of equals the youngest leaves first."""
    return _ORDER.index(item.stage), item.open_requests, _younger(item)


def _younger(item: SeenReplica) -> str:
    """Return a text that is the smaller, the younger its key is: keys rise with time."""
    return "".join(f"{15 - int(digit, 16):x}" for digit in item.id.hex)


def _may_leave(staying: Collection[SeenReplica], wanted: WantedReplicas) -> int:
    ready = sum(item.stage is Stage.READY and item.draining_since is None for item in staying)
    return max(0, ready - wanted.count)


def _fill(
    present: Collection[SeenReplica], leaving: Collection[UUID], sizes: Mapping[int, int], most: int
) -> tuple[dict[int, int], list[UUID]]:
    """Return how many to start of each revision, and which come back that were draining."""
    room, start, revive = most - len(present), {}, []
    for revision, size in sizes.items():
        own = [item for item in present if item.revision == revision]
        live = sum(item.draining_since is None and item.id not in leaving for item in own)
        draining = [
            item.id for item in own if item.draining_since is not None and not item.is_dismissed
        ]
        revived = draining[-max(0, size - live) :] if size > live else []
        revive += revived
        count = min(size - live - len(revived), room)
        if count > 0:
            start[revision] = count
            room -= count
    return start, revive


def _may_start(starts_at: Mapping[int, int | None], revision: int, now: int) -> bool:
    at = starts_at.get(revision, 0)
    return at is not None and now >= at


def crashes_in_a_row(ended: Sequence[EndedReplica]) -> int:
    """Return how many of these, the latest first, have ended before they had proved their revision."""
    return next(
        (number for number, item in enumerate(ended) if item.ready_s >= STEADY_S), len(ended)
    )


def next_start_at(ended: Sequence[EndedReplica]) -> int:
    """Return when a replica may be started again after these ends, the latest first; 0 is at once."""
    crashes = crashes_in_a_row(ended)
    if not crashes:
        return 0
    pause = min(FIRST_PAUSE_MS << min(crashes - 1, 10), LONGEST_PAUSE_MS)
    return ended[0].ended_at + pause


def find_failure(ended: Sequence[EndedReplica], *, is_proved: bool) -> EndedReplica | None:
    """Return the end for which a revision that never stayed up is given up.

    That it did not answer in its time to start is enough once; else `CRASHES_MAX` ends in a row are.
    """
    if is_proved:
        return None
    if late := next((item for item in ended if item.was_late), None):
        return late
    return ended[0] if crashes_in_a_row(ended) >= CRASHES_MAX else None


def choose_revision(wanted: int, stable: int | None, failed: Collection[int]) -> int:
    """Return the revision to serve with: what is wanted, or if that was given up the last that proved itself."""
    is_stable = wanted in failed and stable is not None and stable not in failed
    return stable if is_stable and stable is not None else wanted
