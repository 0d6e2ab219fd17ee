"""Frozen views of the cluster: all that a scheduling decision may look at.

Identifiers are opaque strings; times are integer milliseconds since the epoch (UTC).
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NewType

from typing_extensions import override

from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.mig import MigProfiles
from scheduler.core.model.policy import OverQuotaWeight, PoolPolicy
from scheduler.core.model.reasons import Reason
from scheduler.core.model.resources import Resource
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.model.work_traits import JOB, WorkTraits

WorkloadId = NewType("WorkloadId", str)
GroupId = NewType("GroupId", str)
UserId = NewType("UserId", str)
PoolId = NewType("PoolId", str)
NodeId = NewType("NodeId", str)
AcceleratorId = NewType("AcceleratorId", str)
ArrayId = NewType("ArrayId", str)
Millis = NewType("Millis", int)


class _Hashed:
    """A slot for a hash that is computed once."""

    __slots__ = ("_hash",)
    _hash: int


@dataclass(frozen=True, slots=True)
class Request(_Hashed):
    """What one workload asks for; every replica of it asks for the same.

    At most one of `gpus`, `slices` and `gpu_milli` is above zero; none is a CPU-only workload.
    """

    replicas: int = 1
    gpus: int = 0
    """Whole cards per replica, all on one node."""
    slices: int = 0
    """Slices per replica, all on one card."""
    cpu_milli: int = 0
    """Milli-CPU per replica."""
    memory_mib: int = 0
    """Host memory in MiB per replica."""
    gpu_models: frozenset[str] = frozenset()
    """Accepted models of cards; empty is any."""
    gpu_memory_min_mib: int = 0
    """Least memory of each card in MiB."""
    gpu_milli: int = 0
    """Guaranteed thousandths of one card, 1 to 999; instead of `gpus` or `slices`."""
    gpu_memory_mib: int = 0
    """Guaranteed memory of that share in MiB."""
    mig_profile: str = ""
    """MIG profile, such as `1g.10gb`, that covers `slices` memory slices of a card."""
    home_nodes: frozenset[NodeId] = frozenset()
    """The only possible nodes, because no others have its files, or can build images; empty is any."""
    builds_image: bool = False
    """Of `home_nodes`: they are those that can build images."""
    max_card_memory_mib: int = 0
    """Most memory of each card in MiB, where a quota leaves no more; 0 is any."""
    gpu_features: frozenset[str] = frozenset()
    """Features that each card must have, such as `fp8`."""
    gpu_bandwidth_min_gbps: int = 0
    """Least memory bandwidth of each card, in gigabytes per second."""

    @property
    def chooses_cards(self) -> bool:
        """Return whether it asks for certain cards: by model, memory, features or bandwidth."""
        return bool(
            self.gpu_models
            or self.gpu_memory_min_mib
            or self.gpu_features
            or self.gpu_bandwidth_min_gbps
        )

    @property
    def constrains_cards(self) -> bool:
        """Return whether only some kinds of cards will do, by choice or by quota."""
        return self.chooses_cards or bool(self.max_card_memory_mib)

    @override
    def __hash__(self) -> int:
        """Remember the hash: a cycle looks a request up many times."""
        try:
            return self._hash
        except AttributeError:
            own = hash(
                (
                    *(self.replicas, self.gpus, self.slices, self.cpu_milli, self.memory_mib),
                    *(self.gpu_models, self.gpu_memory_min_mib, self.gpu_milli),
                    *(self.gpu_memory_mib, self.mig_profile, self.home_nodes),
                    *(self.max_card_memory_mib, self.gpu_features, self.gpu_bandwidth_min_gbps),
                )
            )
            object.__setattr__(self, "_hash", own)
            return own


@dataclass(frozen=True, slots=True, eq=False)
class WorkClass:
    """Waiting work that rules and capacity cannot tell apart; its order and its holds may differ.

    Compared by identity, which is cheap: two objects of equal work only cost an answer twice.
    """

    pool: PoolId
    group: GroupId
    user: UserId
    array: ArrayId | None
    request: Request
    traits: WorkTraits
    priority: int
    time_limit_s: int | None
    preemptible: bool


_work_class = lru_cache(maxsize=65_536)(WorkClass)


class _Classed:
    """A slot for a class that is looked up once."""

    __slots__ = ("work_class",)
    work_class: WorkClass
    """What waiting work has in common with its equals."""


@dataclass(frozen=True, slots=True)
class PendingWorkload(_Classed):
    """A workload in `queued`."""

    id: WorkloadId
    pool: PoolId
    group: GroupId
    user: UserId
    priority: int
    """The greater goes first, inside one group."""
    submitted_at: Millis
    request: Request
    version: int
    """Row version that is re-checked when the plan is committed."""
    time_limit_s: int | None
    """None where its traits say that its end is open."""
    held: tuple[Reason, ...] = ()
    """Reasons set outside the scheduler (held by the user, image not available)."""
    avoid: frozenset[NodeId | AcceleratorId] = frozenset()
    """Nodes and cards on which it has just failed for a cause of their own."""
    preemptible: bool = False
    """May be evicted and queued again for other work; such work may borrow from other pools."""
    expected_s: int | None = None
    """Predicted run time, for order and backfill only; None expects the whole time limit."""
    attained_gpu_s: int = 0
    """GPU-seconds that earlier attempts have had."""
    evicted_for: WorkloadId | None = None
    """The workload it was evicted for, which starts before it in the capacity that came free."""
    array: ArrayId | None = None
    """The job array of which it is a task."""
    group_rank: int = 0
    """Where admins of its group put it among the group's work of equal priority; the smallest goes first."""
    contents: tuple[str, ...] = ()
    """Its image and data sets, of which nodes may have copies: names in `Snapshot.cached`."""
    traits: WorkTraits = JOB

    def __getattr__(self, name: str) -> WorkClass:
        """Fill the empty slot of the class; later reads of it do not come here."""
        if name != "work_class":
            raise AttributeError(name)
        found = _work_class(
            *(self.pool, self.group, self.user, self.array, self.request),
            *(self.traits, self.priority, self.time_limit_s, self.preemptible),
        )
        object.__setattr__(self, name, found)
        return found


@dataclass(frozen=True, slots=True)
class Placement:
    """Devices of one replica on one node: (card, slot) pairs.

    Slot 0 of an exclusive card; every slot of a card that a shared pool lends as a whole. The
    cards need not be of the workload's own pool: they may be borrowed.
    """

    node: NodeId
    devices: tuple[tuple[AcceleratorId, int], ...] = ()


@dataclass(frozen=True, slots=True)
class RunningWorkload:
    """A workload that holds live allocations."""

    id: WorkloadId
    pool: PoolId
    group: GroupId
    user: UserId
    priority: int
    request: Request
    placements: tuple[Placement, ...]
    ends_at: Millis | None
    """Start plus time limit; None while it has not started, and of work with an open end."""
    stopping: bool = False
    version: int = 0
    submitted_at: Millis = Millis(0)
    started_at: Millis | None = None
    """Start of this attempt; None while it is being set up."""
    expected_end: Millis | None = None
    """Start plus predicted run time, never after `ends_at`."""
    preemptible: bool = False
    checkpointed_at: Millis | None = None
    """When its work was last saved; an eviction loses what came after."""
    attained_gpu_s: int = 0
    """GPU-seconds that earlier attempts have had."""
    idle_since: Millis | None = None
    stopping_for: WorkloadId | None = None
    """The workload that starts on what it leaves, once it was given notice; None: no other."""
    time_limit_s: int = 0
    """The limit of this attempt, for as long as `ends_at` is not known; 0 is not known either."""
    array: ArrayId | None = None
    """The job array of which it is a task."""
    leaves_by: Millis | None = None
    """When its devices are free again at the latest: after its limit or its notice, the grace, and what
    its node takes to say so (`Overheads`). None: `ends_at`, or at an unknown time if it stops."""
    is_overdue: bool = False
    """It was to have left by now, and nothing says when it will."""
    traits: WorkTraits = JOB

    @property
    def is_open_ended(self) -> bool:
        """Return whether it stays until somebody, or a rule, ends it."""
        return self.traits.open_end and self.ends_at is None


@dataclass(frozen=True, slots=True)
class AcceleratorView:
    """One card. `slices` is 1 for an exclusive card."""

    id: AcceleratorId
    node: NodeId
    pool: PoolId
    model: str
    memory_mib: int
    state: AcceleratorState
    slices: int
    taken_slots: frozenset[int] = frozenset()
    """Slots held by live allocations; {0} for a whole card that is taken."""
    index: int = 0
    """Stable position on the node, for tie-breaks only."""
    island: int = 0
    """Cards of one node with the same number are connected by NVLink."""
    gpu_milli_taken: int = 0
    """Thousandths that shares of live allocations hold; such a card is not sliced."""
    gpu_memory_taken_mib: int = 0
    """Memory that they hold."""
    isolation: frozenset[IsolationLevel] | None = None
    """Isolation levels that it can enforce; None is any, as simulated cards have."""
    is_fractional: bool = False
    """Its pool allocates it in shares of any size, besides as a whole."""
    mig_profiles: MigProfiles = ()
    """Its MIG profiles; with any, `slices` are its memory slices."""
    features: frozenset[str] = frozenset()
    """What its model can do, such as `fp8`; empty where the model is not known."""
    bandwidth_gbps: int = 0
    """Memory bandwidth of its model in gigabytes per second; 0 where it is not known."""

    @property
    def is_sliced(self) -> bool:
        """Return whether the card is cut into slices."""
        return self.slices > 1


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node: allocatable amounts already include the pool's CPU overcommit."""

    id: NodeId
    name: str
    state: NodeState
    cpu_milli: int
    """Allocatable milli-CPU."""
    memory_mib: int
    """Allocatable MiB."""
    cpu_used_milli: int = 0
    memory_used_mib: int = 0
    switch: str = ""
    """Network switch or rack; nodes with the same one are near each other."""


@dataclass(frozen=True, slots=True)
class PoolView:
    """A set of cards with one purpose and one sharing mode."""

    id: PoolId
    name: str
    is_open: bool = True
    slices_per_card: int = 1
    slice_mib: int = 0
    policy: PoolPolicy = field(default_factory=PoolPolicy)


@dataclass(frozen=True, slots=True)
class QuotaView:
    """Limits and use of one group for one resource, in one pool or (pool None) in all together."""

    group: GroupId
    pool: PoolId | None
    resource: Resource
    ceiling: int | None
    """Never exceeded; None is unlimited, 0 is zero."""
    used: int = 0
    user_ceiling: int | None = None
    """The same for each single member of the group."""
    guarantee: int = 0
    """Kept free for the group even while it is idle."""
    deserved: int = 0
    """Used by other groups while idle, and taken back by reclaim."""
    weight: OverQuotaWeight = OverQuotaWeight.MEDIUM
    """Its part of what is above all deserved amounts."""
    model: str = ""
    """Only cards of this model count (Slurm: `gres/gpu:h100`); such a row has ceilings only."""
    own_ceilings: tuple[tuple[UserId, int], ...] = ()
    """Of single members, besides the one for each member."""

    @property
    def limits_members(self) -> bool:
        """Return whether any member has a ceiling."""
        return self.user_ceiling is not None or bool(self.own_ceilings)

    def member_ceiling(self, user: UserId) -> int | None:
        """Return the least of what each member may hold and what this one may; None is any."""
        own = next((most for member, most in self.own_ceilings if member == user), None)
        found = [most for most in (self.user_ceiling, own) if most is not None]
        return min(found, default=None)


@dataclass(frozen=True, slots=True)
class UsageView:
    """Decayed past use of GPUs, as of `Snapshot.taken_at`, by one user in one leaf group."""

    group: GroupId
    user: UserId
    gpu_seconds: int


@dataclass(frozen=True, slots=True)
class PriceView:
    """What an hour of a model costs that work of one pool may get; None is no price."""

    pool: PoolId
    model: str
    hourly: int | None
    """In millionths of the currency; the highest until the end of the period."""


@dataclass(frozen=True, slots=True)
class BudgetView:
    """GPU-seconds, or millionths of a currency, that a group and all below it may use in the period."""

    group: GroupId
    pool: PoolId | None
    limit: int
    used: int
    """By work that has ended or runs, up to now."""
    ends_at: Millis
    """End of the period."""
    later_ends: tuple[Millis, ...] = ()
    """Ends of the periods after it, as far as they are known: each begins with nothing used."""
    currency: str = ""
    prices: tuple[PriceView, ...] = ()
    """Of every model in the pools that a budget of money counts."""


@dataclass(frozen=True, slots=True)
class UserQuotaUse:
    """What one user holds in one group, against the user ceilings of its quotas."""

    user: UserId
    group: GroupId
    pool: PoolId | None
    resource: Resource
    used: int
    model: str = ""


@dataclass(frozen=True, slots=True)
class UserCounters:
    """Counted things of one user in one group, with the group's maxima (None: unlimited)."""

    user: UserId
    group: GroupId
    running: int = 0
    running_max: int | None = None


@dataclass(frozen=True, slots=True)
class ArrayView:
    """A job array that limits how many of its tasks run at once."""

    id: ArrayId
    running_max: int


@dataclass(frozen=True, slots=True)
class GroupView:
    """A node of the group tree; `path` runs from the root to the group itself."""

    id: GroupId
    name: str
    path: tuple[GroupId, ...] = ()
