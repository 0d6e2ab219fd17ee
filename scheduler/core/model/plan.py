"""The plan of a cycle: what starts, what is evicted and reserved, and why everything else waits."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from scheduler.core.model.advance_reservations import ReservationId
from scheduler.core.model.entities import Millis, NodeId, Placement, PoolId, WorkloadId
from scheduler.core.model.reasons import Reason


@dataclass(frozen=True, slots=True)
class PlannedStart:
    """Start this workload on these placements, one per rank and in rank order."""

    workload: WorkloadId
    version: int
    """Version of the row that the decision was made on; the commit refuses any other."""
    placements: tuple[Placement, ...]
    reservation: ReservationId | None = None
    """The advance reservation inside which it starts, on its devices only."""


class EvictionCause(StrEnum):
    """The rule by which running work is evicted."""

    PREEMPTED = "preempted"
    """Work of its own group goes first: by priority, or by time slice."""
    RECLAIMED = "reclaimed"
    """A group below its share reclaims what this group uses beyond its own."""
    CALLED_BACK = "called_back"
    """The pool that lent the cards needs them itself."""
    CONSOLIDATED = "consolidated"
    """It moves to other cards, so that whole cards come free here."""
    RESERVED = "reserved"
    """An advance reservation begins on its cards, or the one inside which it runs ends."""


@dataclass(frozen=True, slots=True)
class PlannedEviction:
    """Stop this preemptible workload after its grace, and queue it again as it was."""

    workload: WorkloadId
    version: int
    cause: EvictionCause
    beneficiary: WorkloadId | None
    """The workload that starts on what comes free; None: a lender, or a reservation, has the cards."""
    grace_s: int
    """Between the notice and the stop. From the notice on the work is `stopping`."""


@dataclass(frozen=True, slots=True)
class DeferredEviction:
    """Evictions that a rule will allow once the protected run time of the work is over."""

    beneficiary: WorkloadId
    victims: tuple[WorkloadId, ...]
    at: Millis
    """When the last of them has run for its protected time."""
    grace_s: int
    protected_s: int
    """How long it will have run by then."""


class EvictionPlans(NamedTuple):
    """The evictions of one decision, and those that a later decision will begin."""

    evictions: tuple[PlannedEviction, ...] = ()
    deferred: tuple[DeferredEviction, ...] = ()


NO_PLANS: Final = EvictionPlans()


class EstimateBasis(StrEnum):
    """What an expected start is computed from."""

    LIMITS = "limits"
    """Time limits of running work only: an upper bound."""
    PREDICTIONS = "predictions"
    """Learned run times too."""
    EVICTIONS = "evictions"
    """When the work that leaves for it has run for its protected time, and has left."""


@dataclass(frozen=True, slots=True)
class StartRange:
    """When a waiting workload is expected to start, and what the estimate rests on."""

    earliest: Millis
    latest: Millis
    basis: EstimateBasis


@dataclass(frozen=True, slots=True)
class PlannedReservation:
    """A reserved start: nothing that starts before it may delay it."""

    workload: WorkloadId
    pool: PoolId
    starts_at: Millis
    """By time limits; earlier when work ends early."""
    nodes: tuple[tuple[NodeId, int], ...]
    """(node, replicas) that it will use."""


class Hold(NamedTuple):
    """This workload waits, and here is why."""

    workload: WorkloadId
    pool: PoolId
    position: int
    """1 is the next to start in its pool."""
    reasons: tuple[Reason, ...]
    expected: StartRange | None = None
    """None where nothing is known: held, over its quota, or too far down the queue."""


@dataclass(frozen=True, slots=True)
class PoolBoard:
    """Free capacity of one pool after the plan."""

    pool: PoolId
    gpus_total: int
    gpus_free: int
    """Whole cards that are healthy and untouched."""
    slices_total: int
    slices_free: int
    largest_free: int
    """Most free cards on one node (exclusive) or most free slices on one card (shared)."""
    waiting: int
    slices_in_pieces: int = 0
    """Free slices on cards of which other slices are held: capacity for small work only."""
    gpus_lent: int = 0
    """Cards of this pool that work of others holds."""
    gpus_borrowed: int = 0
    """Cards of others that work of this pool holds."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The ordered outcome of one cycle."""

    made_at: Millis
    starts: tuple[PlannedStart, ...] = ()
    evictions: tuple[PlannedEviction, ...] = ()
    reservations: tuple[PlannedReservation, ...] = ()
    holds: tuple[Hold, ...] = ()
    boards: tuple[PoolBoard, ...] = ()
