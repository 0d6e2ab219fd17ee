"""Every knob of the engine, as data: validated once, with a sane default, changeable per pool.

All times are integer seconds, all parts of a whole are integer percent. The defaults are the
product's: benchmarks and the simulator run on them unless they say otherwise.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from scheduler.core.isolation import SHARED, Isolation

WEEK_MINUTES: Final = 7 * 24 * 60


class QueueRule(StrEnum):
    """What happens behind the first workload of a pool that does not fit."""

    BEST_EFFORT = "best_effort"
    """Work that cannot delay its reserved start may pass."""
    STRICT = "strict"
    """Nothing passes."""


class Packing(StrEnum):
    """Which node a workload prefers when several would do."""

    PACK = "pack"
    """Keep large gaps large: the least fragmentation of what the demand is expected to need."""
    SPREAD = "spread"
    """Keep nodes equally busy: the emptiest node first."""


class OrderHint(StrEnum):
    """How run times order work that fair share and priority leave equal."""

    AGE = "age"
    SHORTEST = "shortest"
    """Least expected card time first, but nobody passes who came more than `patience_s` later."""
    LEAST_SERVED = "least_served"
    """Least card time so far first, in levels that double, then age; needs no run times at all."""


class Weight(StrEnum):
    """Share of the surplus in words. `none` never goes above deserved, `lowest` takes leftovers."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    LOWEST = "lowest"
    NONE = "none"


WEIGHTS: Final = {
    Weight.HIGH: 4,
    Weight.MEDIUM: 2,
    Weight.LOW: 1,
    Weight.LOWEST: 0,
    Weight.NONE: 0,
}
"""Parts of the surplus."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of the week, in minutes after Monday 00:00 of the site; may wrap over Sunday."""

    start: int
    end: int

    def __post_init__(self) -> None:
        """Refuse minutes that are not in a week."""
        for name in ("start", "end"):
            if not 0 <= getattr(self, name) < WEEK_MINUTES:
                raise ValueError(f"{name} must be a minute of the week, 0 to {WEEK_MINUTES - 1}")


@dataclass(frozen=True, slots=True)
class Lending:
    """What a pool lends of its untouched cards to preemptible work of other pools.

    Inside `windows` everything that nobody uses is lent; outside them the pool keeps `keep_cards`
    untouched cards for those who come next, and lends the rest too if `by_day`. No windows: the
    whole week is inside. A borrower leaves on demand: notice, then `PoolPolicy.grace_s`, so an
    own workload of the lender waits `bound_s` at the most.
    """

    to_pools: frozenset[str] = frozenset()
    """Pools that may borrow; empty lends nothing."""
    windows: tuple[Window, ...] = ()
    by_day: bool = True
    keep_cards: int = 0
    """Untouched cards that it keeps for those who come next, outside of the windows."""
    bound_s: int = 120
    """How long own work waits at the most for lent cards to come back."""


_NOT_NEGATIVE: Final = (
    "patience_s",
    "turn_s",
    "backfill_depth",
    "min_runtime_s",
    "grace_s",
    "victims_max",
    *("idle_warn_s", "idle_release_s", "idle_stop_s", "idle_keep_s", "idle_keeps_max"),
)


@dataclass(frozen=True, slots=True)
class PoolPolicy:
    """The rules of one pool."""

    queue: QueueRule = QueueRule.BEST_EFFORT
    packing: Packing = Packing.PACK
    order: OrderHint = OrderHint.AGE
    patience_s: int = 6 * 3600
    """Work is not passed by shorter work that came so much later."""
    stretch: int = 1
    """Shortest first lets pass what came later by so many times the length of the work at most."""
    turn_s: int = 0
    """Preemptible work that has run so long makes way for work of its group that comes before it
    by `order`; 0: nobody takes turns."""
    backfill_depth: int = 1
    """Blocked workloads, from the head of the queue, that hold a reserved start."""
    preemption: bool = True
    """Higher priority takes from lower, inside one group."""
    reclaim: bool = True
    """Groups below their share take back what others have borrowed."""
    min_runtime_s: int = 600
    """No workload is evicted before it has run so long, except by a lender's own work."""
    grace_s: int = 60
    """Between the notice and the stop."""
    consolidate: bool = False
    """Move preemptible work when that frees the whole cards that a waiting one needs."""
    victims_max: int = 64
    """Workloads that one eviction plan may stop."""
    fall_back: tuple[str, ...] = ()
    """Pools to try, in order, for work that may borrow there."""
    lending: Lending = field(default_factory=Lending)
    isolation: Isolation = Isolation.TIMESLICE
    """The weakest that keeps tenants of a shared card apart; cards that have less take no work."""
    burst_pct: int = 100
    """What a share may grow to while others leave it free, in percent of what is guaranteed."""
    idle_warn_s: int = 1800
    """Who is about to lose the cards of an idle notebook, or the notebook, is told so long before."""
    idle_release_s: int = 2 * 3600
    """An idle notebook gives its cards up after so long, and lives on; 0 is never."""
    idle_stop_s: int = 24 * 3600
    """An idle notebook is stopped after so long, and keeps its files; 0 is never."""
    idle_keep_s: int = 3600
    """What one "keep it" adds."""
    idle_keeps_max: int = 4
    """How often that may be said before it is used again."""
    mix_groups: bool = False
    """Whether groups may share a card on which the fault of one ends the work of all (MPS)."""

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        for name in _NOT_NEGATIVE:
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative")
        if self.burst_pct < 100 or self.isolation not in SHARED:
            raise ValueError("a share keeps its guarantee, and a shared card is not exclusive")
        if self.stretch < 1:
            raise ValueError("stretch must be at least 1")
        limits = [limit for limit in (self.idle_release_s, self.idle_stop_s) if limit]
        if limits != sorted(limits) or any(self.idle_warn_s >= limit for limit in limits):
            raise ValueError("idle: first the warning, then the release, then the stop")
        if self.lending.bound_s < self.grace_s:
            raise ValueError("a lender cannot promise less than its borrowers' grace")


TRAINING: Final = PoolPolicy(order=OrderHint.SHORTEST, patience_s=24 * 3600, backfill_depth=8)
"""What suits a pool of training work: short work first for a day at most, eight promised starts.

On two months of Philly's jobs it ends work sooner than one line by age, and nobody waits longer
than in strict order (docs/benchmarks.md, "Waiting").
"""


@dataclass(frozen=True, slots=True)
class FairShare:
    """How past use orders groups and users."""

    half_life_s: int = 7 * 24 * 3600
    entry_penalty_s: int = 3600
    """Charged at a start as if the cards had been used so long, until they really are."""
    utc_offset_min: int = 480
    """The site's clock, for calendars and budget periods; no daylight saving."""

    def __post_init__(self) -> None:
        """Refuse a decay that never or always forgets."""
        if self.half_life_s <= 0 or self.entry_penalty_s < 0:
            raise ValueError("half_life_s must be positive, entry_penalty_s not negative")
        if not -14 * 60 <= self.utc_offset_min <= 14 * 60:
            raise ValueError("utc_offset_min must be within 14 hours")
