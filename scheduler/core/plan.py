"""What a cycle decided: placements to commit, and a board that explains everything that waits."""

from dataclasses import dataclass

from scheduler.core.entities import Millis, Placement, PoolId, WorkloadId
from scheduler.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class Place:
    """Start this workload on these placements, one per rank and in rank order."""

    workload: WorkloadId
    version: int
    """Version of the row the decision was made on; the applier refuses another."""
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Hold:
    """This workload waits, and here is why."""

    workload: WorkloadId
    pool: PoolId
    position: int
    """1 is the next to start in its pool."""
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class PoolBoard:
    """Free capacity of one pool after the plan."""

    pool: PoolId
    cards_total: int
    cards_free: int
    """Whole cards that are healthy and untouched."""
    slices_total: int
    slices_free: int
    largest_free: int
    """Most free cards on one node (exclusive) or most free slices on one card (shared)."""
    waiting: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The ordered outcome of one cycle."""

    made_at: Millis
    places: tuple[Place, ...] = ()
    holds: tuple[Hold, ...] = ()
    boards: tuple[PoolBoard, ...] = ()
