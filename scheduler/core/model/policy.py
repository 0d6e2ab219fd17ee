"""Every knob of the engine, as data: validated once, with a sane default, changeable per pool.

All times are integer seconds, all parts of a whole are integer percent. The defaults are the
product's: benchmarks and the simulator use them where nothing else is given.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from scheduler.core.model.isolation import SHARED_ISOLATION_LEVELS, IsolationLevel
from wire.words import SilenceTerm

WEEK_MINUTES: Final = 7 * 24 * 60


class QueueRule(StrEnum):
    """What may start behind the first workload of a pool that does not fit."""

    BEST_EFFORT = "best_effort"
    """Work that cannot delay a reserved start (backfill)."""
    STRICT = "strict"
    """Nothing."""


class Packing(StrEnum):
    """Which node a workload prefers when several would do."""

    PACK = "pack"
    """Keep large gaps large: the least fragmentation for the expected demand."""
    SPREAD = "spread"
    """Keep nodes equally busy: the emptiest node first."""


class JobOrder(StrEnum):
    """How work is ordered that fair share and priority leave equal; see `ordering/job_order.py`."""

    AGE = "age"
    SHORTEST = "shortest"
    """Least expected GPU time first; work submitted more than `patience_s` later never overtakes."""
    LEAST_SERVED = "least_served"
    """Least GPU time so far first, in levels that double, then age; needs no run times."""


class OverQuotaWeight(StrEnum):
    """A group's weight in the surplus (Run:ai: over-quota weight). `none` never gets more than
    deserved, `lowest` gets what all others leave."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    LOWEST = "lowest"
    NONE = "none"


OVER_QUOTA_WEIGHTS: Final = {
    OverQuotaWeight.HIGH: 4,
    OverQuotaWeight.MEDIUM: 2,
    OverQuotaWeight.LOW: 1,
    OverQuotaWeight.LOWEST: 0,
    OverQuotaWeight.NONE: 0,
}
"""Parts of the surplus; `lowest` has none before the others are satisfied."""


@dataclass(frozen=True, slots=True)
class WeekWindow:
    """A stretch of the week, in minutes after Monday 00:00 of the site; may wrap over Sunday."""

    start: int
    end: int

    def __post_init__(self) -> None:
        """Refuse minutes that are not in a week."""
        for name in ("start", "end"):
            if not 0 <= getattr(self, name) < WEEK_MINUTES:
                raise ValueError(f"{name} must be a minute of the week, 0 to {WEEK_MINUTES - 1}")


@dataclass(frozen=True, slots=True)
class LendingPolicy:
    """What a pool lends of its untouched cards to preemptible work of other pools.

    Inside `windows` every unused card is lent; outside them the pool keeps `keep_gpus` untouched
    cards for its own next work, and lends the rest too if `by_day`. No windows: the whole week is
    inside. A borrower leaves on demand: notice, then `PoolPolicy.grace_s`, so an own workload of the
    lender waits `bound_s` at the most.
    """

    to_pools: frozenset[str] = frozenset()
    """Pools that may borrow; empty lends nothing."""
    windows: tuple[WeekWindow, ...] = ()
    by_day: bool = True
    keep_gpus: int = 0
    """GPUs of untouched cards that stay free for new work of the lender, outside of the windows."""
    bound_s: int = 120
    """How long own work waits at the most for lent cards to come back."""


_NOT_NEGATIVE: Final = (
    "patience_s",
    "turn_s",
    "backfill_depth",
    "min_runtime_s",
    "reclaim_min_runtime_s",
    "grace_s",
    "victims_max",
    *("idle_warn_s", "idle_release_s", "idle_stop_s", "idle_keep_s", "idle_keeps_max"),
)


@dataclass(frozen=True, slots=True)
class Overheads:
    """What work takes of its devices beside its time limit and graces."""

    starting_s: int = 0
    """From its placement to its start."""
    settling_s: int = 0
    """From its stop until its node has said that the devices are free."""
    has_grace_at_limit: bool = False
    """Whether work that reaches its limit has the grace of its pool left."""
    rounding_s: int = 0
    """Starts are promised for a multiple of so many seconds: what is late by less moves nothing."""


NO_OVERHEADS: Final = Overheads()
REAL_OVERHEADS: Final = Overheads(
    starting_s=90, settling_s=30, has_grace_at_limit=True, rounding_s=60
)
"""What a site of containers is given before a reserved start is late."""
OVERDUE_S: Final = 60
"""Work that has not left so long after it was to have left is not waited for any longer."""


@dataclass(frozen=True, slots=True)
class PoolPolicy:
    """The rules of one pool."""

    queue: QueueRule = QueueRule.BEST_EFFORT
    packing: Packing = Packing.PACK
    order: JobOrder = JobOrder.AGE
    patience_s: int = 6 * 3600
    """Work is not overtaken by shorter work that was submitted so much later."""
    stretch: int = 1
    """Shorter work may overtake if submitted later by at most so many times the work's length."""
    turn_s: int = 0
    """Time slice: preemptible work that has run so long may be preempted by work of its group that
    goes before it by `order`; 0 is no time slicing."""
    backfill_depth: int = 1
    """How many blocked workloads, from the head of the queue, get a reservation."""
    preemption: bool = True
    """Higher priority preempts lower, inside one group."""
    reclaim: bool = True
    """Groups below their share reclaim what other groups use beyond theirs."""
    min_runtime_s: int = 600
    """No workload is evicted before it has run so long, except by reclaim and a lender's own work."""
    reclaim_min_runtime_s: int = 0
    """No workload is reclaimed before it has run so long: by default a deserved share comes back
    within the grace period (KAI's `reclaimMinRuntime`)."""
    grace_s: int = 60
    """Between the notice of an eviction and the stop."""
    consolidate: bool = False
    """Move preemptible work when that frees the whole cards that waiting work needs."""
    victims_max: int = 64
    """Workloads that one eviction plan may stop."""
    fall_back: tuple[str, ...] = ()
    """Pools to try, in order, for work that may borrow there."""
    lending: LendingPolicy = field(default_factory=LendingPolicy)
    isolation: IsolationLevel = IsolationLevel.TIMESLICE
    """The weakest isolation that tenants of a shared card accept; cards with less take no work."""
    burst_pct: int = 100
    """Up to what a share may use idle parts of its card, in percent of what is guaranteed."""
    idle_warn_s: int = 1800
    """How long before an idle notebook loses its cards, or is stopped, its owner is warned."""
    idle_release_s: int = 2 * 3600
    """An idle notebook releases its cards after so long, and keeps running; 0 is never."""
    idle_stop_s: int = 24 * 3600
    """An idle notebook is stopped after so long, and keeps its files; 0 is never."""
    idle_keep_s: int = 3600
    """What one "keep it" adds."""
    idle_keeps_max: int = 4
    """How often that may be added before the notebook is used again."""
    mix_groups: bool = False
    """Whether groups may share a card on which a fault of one ends the work of all (MPS)."""
    silence: SilenceTerm = SilenceTerm.KEEP
    """What happens to work whose node is not heard; work may ask for `replace` itself."""

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        for name in _NOT_NEGATIVE:
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative")
        if self.burst_pct < 100 or self.isolation not in SHARED_ISOLATION_LEVELS:
            raise ValueError("a share keeps its guarantee, and a shared card is not exclusive")
        if self.stretch < 1:
            raise ValueError("stretch must be at least 1")
        limits = [limit for limit in (self.idle_release_s, self.idle_stop_s) if limit]
        if limits != sorted(limits) or any(self.idle_warn_s >= limit for limit in limits):
            raise ValueError("idle: first the warning, then the release, then the stop")
        if self.lending.bound_s < self.grace_s:
            raise ValueError("a lender cannot promise less than its borrowers' grace")


TRAINING_POLICY: Final = PoolPolicy(order=JobOrder.SHORTEST, patience_s=24 * 3600, backfill_depth=8)
"""A policy for pools of training work: short work first for a day at most, eight reservations.

On two months of Philly's jobs it ends work sooner than one queue by age, and no job waits longer
than in strict order (docs/benchmarks.md, "Waiting").
"""


@dataclass(frozen=True, slots=True)
class FairSharePolicy:
    """How past use orders groups and users."""

    half_life_s: int = 7 * 24 * 3600
    entry_penalty_s: int = 3600
    """A start counts at once as so much use, until it has really used as much."""

    def __post_init__(self) -> None:
        """Refuse a decay that never or always forgets."""
        if self.half_life_s <= 0 or self.entry_penalty_s < 0:
            raise ValueError("half_life_s must be positive, entry_penalty_s not negative")
