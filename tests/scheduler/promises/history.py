"""What happened in a world: every decision with what it was made on, and every attempt of every work."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from scheduler.core.model.advance_reservations import AdvanceReservationView, ReservationId
from scheduler.core.model.entities import Millis, Placement, PoolView, WorkloadId
from scheduler.core.model.plan import EvictionCause, Plan
from scheduler.core.model.policy import REAL_OVERHEADS, PoolPolicy
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.promises.worlds import Job, World


@dataclass(frozen=True, slots=True)
class Pass:
    """One decision: what the platform knew, and what it decided."""

    snapshot: Snapshot
    plan: Plan


@dataclass(slots=True)
class Attempt:
    """One run of one workload, from its placement until it has left."""

    job: Job
    placements: tuple[Placement, ...]
    placed_at: Millis
    inside: ReservationId | None
    """The advance reservation inside which it was started."""
    must_end_at: Millis | None
    started_at: Millis | None = None
    noticed_at: Millis | None = None
    """When it was told to leave, for whatever cause."""
    grace_s: int = 0
    """What it was given then."""
    cause: EvictionCause | None = None
    """The rule by which it was evicted; None: it ended, failed, or came to its limit."""
    beneficiary: WorkloadId | None = None
    left_at: Millis | None = None

    @property
    def id(self) -> WorkloadId:
        """The workload that it is an attempt of."""
        return self.job.workload.id

    def limit_from(self, begun: int) -> Millis | None:
        """Return when it is over its limit, if it begins then; None is an open end."""
        limit_s = self.job.workload.time_limit_s
        return None if limit_s is None else Millis(begun + limit_s * 1000)

    def is_late(self, at: Millis, policy: PoolPolicy) -> bool:
        """Return whether it has taken longer by then to start, or to leave, than it may."""
        begun = self.started_at or at
        if begun > self.placed_at + REAL_OVERHEADS.starting_s * 1000:
            return True
        stopped = first_of(self.noticed_at or self.limit_from(begun), self.must_end_at)
        if stopped is None:
            return False
        grace_s = policy.grace_s if self.noticed_at is None else self.grace_s
        return (self.left_at or at) > stopped + (grace_s + REAL_OVERHEADS.settling_s) * 1000

    @property
    def stayed_s(self) -> int:
        """How long it had its devices before it was told to leave."""
        return 0 if self.noticed_at is None else (self.noticed_at - self.placed_at) // 1000

    @property
    def ran_s(self) -> int:
        """How long it had run when it was told to leave."""
        if self.started_at is None or self.noticed_at is None:
            return 0
        return (self.noticed_at - self.started_at) // 1000


def first_of(*moments: Millis | None) -> Millis | None:
    """Return the earliest of those that are known."""
    return min((moment for moment in moments if moment is not None), default=None)


@dataclass(slots=True)
class History:
    """One world, played."""

    world: World
    passes: list[Pass] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    """In the order of their placement."""
    booked_at: dict[ReservationId, Millis] = field(default_factory=dict)
    """When each reservation was accepted."""
    reservations: dict[ReservationId, AdvanceReservationView] = field(default_factory=dict)


class Story:
    """A history, sorted for those who check it."""

    def __init__(self, history: History) -> None:
        """Read it."""
        self.history = history
        self.pools: Mapping[str, PoolView] = {pool.id: pool for pool in history.world.site.pools}

    @cached_property
    def by_work(self) -> Mapping[WorkloadId, Sequence[Attempt]]:
        """The attempts of each workload, in order."""
        found: defaultdict[WorkloadId, list[Attempt]] = defaultdict(list)
        for attempt in self.history.attempts:
            found[attempt.id].append(attempt)
        return found

    @cached_property
    def owner(self) -> Mapping[str, PoolView]:
        """The pool of each node."""
        return {card.node: self.pools[card.pool] for card in self.history.world.site.accelerators}

    def pool_under(self, attempt: Attempt) -> PoolView:
        """Return the pool whose devices it held."""
        return self.owner[attempt.placements[0].node]
