"""The snapshot: a consistent view of everything that a cycle decides on."""

from dataclasses import dataclass, field

from scheduler.core.model.advance_reservations import AdvanceReservationView
from scheduler.core.model.cached_content import CachedContent
from scheduler.core.model.entities import (
    AcceleratorView,
    ArrayView,
    BudgetView,
    GroupView,
    Millis,
    NodeView,
    PendingWorkload,
    PoolView,
    QuotaView,
    RunningWorkload,
    UsageView,
    UserCounters,
    UserQuotaUse,
)
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.model.policy import NO_OVERHEADS, FairSharePolicy, Overheads
from scheduler.core.model.site_clock import SiteClock


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the loader read in one repeatable-read transaction. Tuples are sorted by id."""

    taken_at: Millis
    pools: tuple[PoolView, ...] = ()
    nodes: tuple[NodeView, ...] = ()
    accelerators: tuple[AcceleratorView, ...] = ()
    groups: tuple[GroupView, ...] = ()
    quotas: tuple[QuotaView, ...] = ()
    user_use: tuple[UserQuotaUse, ...] = ()
    counters: tuple[UserCounters, ...] = ()
    pending: tuple[PendingWorkload, ...] = ()
    running: tuple[RunningWorkload, ...] = ()
    usage: tuple[UsageView, ...] = ()
    budgets: tuple[BudgetView, ...] = ()
    arrays: tuple[ArrayView, ...] = ()
    """Those with a limit on tasks that run at once; tasks that still stop count as running."""
    fair_share: FairSharePolicy = field(default_factory=FairSharePolicy)
    reservations: tuple[AdvanceReservationView, ...] = ()
    """Advance reservations that are not over."""
    overheads: Overheads = NO_OVERHEADS
    published: tuple[PlannedReservation, ...] = ()
    """The reserved starts of the last plan, in its order: they are kept."""
    cached: tuple[CachedContent, ...] = ()
    """What nodes have copies of, by name."""
    clock: SiteClock = field(default_factory=SiteClock)
