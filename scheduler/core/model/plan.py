"""The plan of a cycle: what starts, what is evicted and reserved, and why everything else waits."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from scheduler.core.model.advance_reservations import ReservationId, ReservedDevice
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
    cleared: "tuple[PlannedReservation, ...]" = ()
    """The starts of the work for which these evictions are, on what comes free."""


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
    is_promised: bool = False
    """It has a reserved start, and starts at `latest` at the latest."""
    possible_from: Millis | None = None
    """Its begin time, or the end of a pause after a failure; None: it may start now."""
    sure_percent: int | None = None
    """How many such estimates came true within such a range; None: too few have been judged."""
    estimates: int = 0
    """How many were judged."""


class MoveCause(StrEnum):
    """Why a published start could not be kept: the only causes there are."""

    NODE = "node"
    """A node or card that it counts on takes no work: it failed, was drained or cordoned."""
    ADVANCE_RESERVATION = "advance_reservation"
    """An advance reservation keeps the cards; it was made with the consent that this needs."""
    DESERVED = "deserved"
    """Another group took what it deserves."""
    LONGER_LIMIT = "longer_limit"
    """Work that runs on the cards was given more time, with the consent that this needs."""
    OVERDUE = "overdue"
    """Work on the cards is behind its time: it was slow to start, or has not left when it was to."""
    QUOTA = "quota"
    """A quota or budget that counts it was lowered, or is used by its own group in another pool; or what is
    guaranteed to other groups came free and is kept for them."""
    RULES = "rules"
    """An operator changed the rules of the pool."""


@dataclass(frozen=True, slots=True)
class PlannedReservation:
    """What is reserved for the start of waiting work."""

    workload: WorkloadId
    pool: PoolId
    starts_at: Millis
    """By time limits; earlier when work ends early. If it is not promised, an estimate."""
    nodes: tuple[tuple[NodeId, int], ...]
    """(node, replicas) that it will use."""
    devices: tuple[ReservedDevice, ...] = ()
    """What it will use of their cards; of a card in shares, slot 0."""
    since: Millis | None = None
    """When it was first promised."""
    is_cleared: bool = False
    """Other work was stopped for it: nothing else uses what that work leaves."""
    is_promised: bool = True
    """Nothing that is decided later delays it but what `MoveCause` names. Otherwise its time is not
    certain: it depends on work that is overdue, or on what is guaranteed to other groups."""


@dataclass(frozen=True, slots=True)
class MovedStart:
    """A promised start that is not kept."""

    workload: WorkloadId
    was: Millis
    starts_at: Millis | None
    """The start that is reserved instead; None reserves none."""
    cause: MoveCause


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
    moved: tuple[MovedStart, ...] = ()
    holds: tuple[Hold, ...] = ()
    boards: tuple[PoolBoard, ...] = ()
