"""The cluster as plain facts: everything that the invariants look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    NodeId,
    PoolId,
    QuotaView,
    UserId,
    WorkloadId,
)
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import LIVE_ALLOCATION, AllocationState, WorkloadState


@dataclass(frozen=True, slots=True)
class WorkloadFact:
    """One workload row."""

    id: WorkloadId
    group: GroupId
    user: UserId
    pool: PoolId
    state: WorkloadState
    epoch: int
    replicas: int
    preemptible: bool = False
    """May be evicted for other work; only such work may borrow from another pool."""


@dataclass(frozen=True, slots=True)
class DeviceFact:
    """One card or slice as an allocation holds it."""

    accelerator: AcceleratorId
    slot: int
    slices: int
    """Into how many slices the card was cut when it was allocated."""
    gpu_milli: int = 0
    """Thousandths of the card, if it is a share; `slot` then distinguishes the shares."""
    gpu_memory_mib: int = 0


@dataclass(frozen=True, slots=True)
class AllocationFact:
    """One allocation row, live or released."""

    workload: WorkloadId
    rank: int
    epoch: int
    node: NodeId
    state: AllocationState
    amount: Resources
    devices: tuple[DeviceFact, ...] = ()
    metered: int = 0
    """What of it the meter has counted so far, in milli-GPUs × milliseconds."""
    metered_pieces: int = 0
    """In at most so many pieces, each of which may have lost a part of a millisecond."""
    metered_slack: int = 0
    """What rounding may have lost besides, of cards that it held before."""
    gpu_milli_by_model: Mapping[str, int] = field(default_factory=dict)
    """The GPUs of `amount` by their model."""
    user: UserId | None = None
    """Whose it was, of work that was handed over since; None is the owner of the work."""

    def counted_by(self, quota: QuotaView) -> int:
        """Return how much of it a quota counts."""
        if quota.model:
            return self.gpu_milli_by_model.get(quota.model, 0)
        return self.amount.get(quota.resource)

    @property
    def is_live(self) -> bool:
        """Return whether it still occupies capacity and quota."""
        return self.state in LIVE_ALLOCATION


@dataclass(frozen=True, slots=True)
class ContainerFact:
    """One container that really exists on a node at this instant."""

    node: NodeId
    workload: WorkloadId
    rank: int
    epoch: int
    devices: tuple[DeviceFact, ...] = ()


@dataclass(frozen=True, slots=True)
class CardFact:
    """One card with its present cut."""

    id: AcceleratorId
    node: NodeId
    pool: PoolId
    slices: int
    slice_mib: int
    reserve_mib: int
    memory_mib: int


@dataclass(frozen=True, slots=True)
class NodeFact:
    """What a node can give; amounts include the pool's overcommit."""

    id: NodeId
    cpu_milli: int
    memory_mib: int


@dataclass(frozen=True, slots=True)
class EventFact:
    """One row of the event log. `source` is empty for the first."""

    workload: WorkloadId
    source: WorkloadState | None
    target: WorkloadState
    epoch: int
    cause: str = ""


@dataclass(frozen=True, slots=True)
class MeterFact:
    """What the meter has counted for a member in a pool, in milli-GPUs × milliseconds."""

    group: GroupId
    user: UserId
    pool: PoolId
    held: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything the checks look at. `containers` is empty where the nodes cannot be seen."""

    workloads: tuple[WorkloadFact, ...] = ()
    allocations: tuple[AllocationFact, ...] = ()
    containers: tuple[ContainerFact, ...] = ()
    cards: tuple[CardFact, ...] = ()
    nodes: tuple[NodeFact, ...] = ()
    quotas: tuple[QuotaView, ...] = ()
    ancestry: tuple[tuple[GroupId, tuple[GroupId, ...]], ...] = ()
    """Each group with its path from the root to itself."""
    events: tuple[EventFact, ...] = ()
    """In the order they were written."""
    meter: tuple[MeterFact, ...] = ()
    accepted: tuple[WorkloadId, ...] = ()
    """Submissions that were answered with success."""
