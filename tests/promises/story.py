"""What happened on a site, as its database and its API told it; all times are Unix seconds."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from scheduler.core.model.plan import EvictionCause

EVICTIONS: Final = frozenset(cause.value for cause in EvictionCause)


@dataclass(frozen=True, slots=True)
class Rules:
    """What the pools promised from one moment on."""

    at: float
    grace_s: int
    min_runtime_s: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a workload, of all its ranks together."""

    work: str
    epoch: int
    placed_at: float
    time_limit_s: int
    left_at: float | None = None
    """When its last container was proven gone."""
    killed_at: float | None = None
    """When the portal heard of the first that was killed."""
    evicted_at: float | None = None
    grace_s: int = 0
    cause: str = ""
    beneficiary: str | None = None

    @property
    def stayed_s(self) -> float:
        """How long it had its cards before it was told to leave."""
        return 0.0 if self.evicted_at is None else self.evicted_at - self.placed_at


@dataclass(frozen=True, slots=True)
class Seen:
    """What the owner of waiting work was shown at one moment."""

    at: float
    work: str
    starts_at: float | None
    """The promised start; None: none."""
    moves: tuple[float, ...] = ()
    """When its promised starts were moved, each with a cause."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time in which something was so."""

    start: float
    end: float

    def meets(self, start: float, end: float) -> bool:
        """Return whether it has a moment in common with another one."""
        return self.start <= end and self.end >= start


@dataclass
class Story:
    """One run of the site."""

    slack_s: float
    """What a round of the scheduler, a message to a node and a look at the API take at most."""
    rules: list[Rules] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    outages: list[Window] = field(default_factory=list)
    silences: list[Window] = field(default_factory=list)
    """When some node that was not lost had not reported for so long that it got no work."""
    booked: list[float] = field(default_factory=list)
    """When reservations were made, or given back."""
    ended: dict[str, float] = field(default_factory=dict)
    """When work was over for good."""
    until: float = 0.0

    @cached_property
    def by_work(self) -> Mapping[str, Sequence[Attempt]]:
        """The attempts of each workload, in order."""
        found: defaultdict[str, list[Attempt]] = defaultdict(list)
        for attempt in sorted(self.attempts, key=lambda each: each.epoch):
            found[attempt.work].append(attempt)
        return found

    def rules_at(self, at: float) -> Rules:
        """Return what the pools promised then."""
        return max((each for each in self.rules if each.at <= at), key=lambda each: each.at)

    def is_disturbed(self, start: float, end: float) -> bool:
        """Return whether a node was away or silent, rules changed or reservations were made meanwhile."""
        moments = [*self.booked, *(each.at for each in self.rules[1:])]
        return (
            any(start <= at <= end for at in moments)
            or any(outage.meets(start, end) for outage in self.outages)
            or self.was_silent(start, end)
        )

    def was_silent(self, start: float, end: float) -> bool:
        """Return whether some node had not reported for too long meanwhile."""
        return any(silence.meets(start, end) for silence in self.silences)

    def is_silent(self, at: float) -> bool:
        """Return whether some node was silent at the look of that moment."""
        return bool(self.silences) and self.silences[-1].end == at

    @property
    def silent_s(self) -> float:
        """How long some node was silent."""
        return sum(each.end - each.start for each in self.silences)

    def start_after(self, work: str, at: float) -> float | None:
        """Return when work was placed next."""
        return min(
            (each.placed_at for each in self.by_work.get(work, ()) if each.placed_at >= at),
            default=None,
        )
