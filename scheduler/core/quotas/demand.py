"""What work costs, by its request while it waits and by its devices while it runs; and what there is.

A whole card counts with the memory that it has, wherever it is: in a pool of several kinds of cards, on
loan, as a MIG instance. While work waits, its cost is that of the smallest card that it accepts.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Final

from scheduler.core.model.card_kind import (
    CardKind,
    device_memory_mib,
    is_card_suitable,
    kind_of,
)
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    PendingWorkload,
    Placement,
    PoolId,
    PoolView,
    Request,
    RunningWorkload,
)
from scheduler.core.model.request_cost import demand_per_replica
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState

Workload = PendingWorkload | RunningWorkload
Scope = PoolId | None
"""What a quota is about: one pool, or (None) all pools together."""
ScopeResource = tuple[Scope, Resource]
NOTHING: Final = Resources()


class DemandTable:
    """The cost of every request in every pool of a snapshot, and what running work holds."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Look at cards only where a quota depends on them: on their memory, or on their model."""
        self._pools = {pool.id: pool for pool in snapshot.pools}
        self._snapshot = snapshot
        self._counts_memory = any(row.resource is Resource.GPU_MEMORY for row in snapshot.quotas)
        self._owners = card_owners(snapshot)
        self._costs: dict[tuple[PoolId, Request], Resources] = {}
        self._totals: dict[tuple[PoolId, Request], Resources] = {}

    def per_replica(self, request: Request, pool: PoolId) -> Resources:
        """Return what one replica costs in its pool, on the smallest card that it accepts."""
        known = self._costs.get((pool, request))
        if known is None:
            device_mib = self._smallest_mib(request, pool) if self._counts_memory else 0
            known = demand_per_replica(request, self._pools[pool], device_mib)
            self._costs[pool, request] = known
        return known

    def of_all_replicas(self, request: Request, pool: PoolId) -> Resources:
        """Return what all replicas cost together in their pool, on the smallest cards."""
        known = self._totals.get((pool, request))
        if known is None:
            known = self.per_replica(request, pool).times(request.replicas)
            self._totals[pool, request] = known
        return known

    def total(self, work: Workload) -> Resources:
        """Return what all replicas cost together; of running work, what it holds."""
        cost = self.of_all_replicas(work.request, work.pool)
        if isinstance(work, PendingWorkload) or not self._holds_devices_by_memory(work):
            return cost
        return self._with_memory(cost, work.placements, work)

    def at_home_and_borrowed(self, work: Workload) -> tuple[Resources, Resources]:
        """Return what it holds, or would hold, in its own pool, and on cards of other pools."""
        if not self._owners or isinstance(work, PendingWorkload):
            return self.total(work), NOTHING
        home = [place for place in work.placements if self._is_at_home(place, work)]
        if len(home) == len(work.placements):
            return self.total(work), NOTHING
        abroad = [place for place in work.placements if not self._is_at_home(place, work)]
        one = self.per_replica(work.request, work.pool)
        amounts = one.times(len(home)), one.times(len(abroad))
        if not self._holds_devices_by_memory(work):
            return amounts
        return (
            self._with_memory(amounts[0], home, work),
            self._with_memory(amounts[1], abroad, work),
        )

    def gpu_milli_by_model(self, work: RunningWorkload) -> Mapping[str, int]:
        """Return the milli-GPUs that running work holds of each model of cards."""
        milli = self.per_replica(work.request, work.pool).gpu
        found: Counter[str] = Counter()
        for placement in work.placements:
            cards = dict.fromkeys(card for card, _ in placement.devices)
            for card in cards:
                found[self.cards[card].model] += milli // len(cards)
        return found

    def kinds_for(self, request: Request, pool: PoolId) -> tuple[CardKind, ...]:
        """Return the kinds of cards of the pool that the request accepts."""
        return tuple(kind for kind in self._kinds.get(pool, ()) if is_card_suitable(kind, request))

    @cached_property
    def card_sizes_mib(self) -> tuple[int, ...]:
        """The memory that cards have, smallest first; 0 before all of them."""
        return tuple(sorted({0, *(card.memory_mib for card in self._snapshot.accelerators)}))

    @cached_property
    def cards(self) -> Mapping[AcceleratorId, AcceleratorView]:
        """Every card by its id."""
        return {card.id: card for card in self._snapshot.accelerators}

    @cached_property
    def models(self) -> frozenset[str]:
        """The models of all cards."""
        return frozenset(kind.model for kinds in self._kinds.values() for kind in kinds)

    @cached_property
    def _kinds(self) -> Mapping[PoolId, tuple[CardKind, ...]]:
        found: defaultdict[PoolId, set[CardKind]] = defaultdict(set)
        for card in self._snapshot.accelerators:
            if card.state is not AcceleratorState.GONE:
                found[card.pool].add(kind_of(card))
        return {
            pool: tuple(sorted(kinds, key=lambda kind: (kind.memory_mib, kind.model)))
            for pool, kinds in found.items()
        }

    def _smallest_mib(self, request: Request, pool: PoolId) -> int:
        if not request.gpus and not request.mig_profile:
            return 0
        kinds = self.kinds_for(request, pool)
        return min((device_memory_mib(kind, request) for kind in kinds), default=0)

    def _holds_devices_by_memory(self, work: RunningWorkload) -> bool:
        return self._counts_memory and bool(work.request.gpus or work.request.mig_profile)

    def _with_memory(
        self, cost: Resources, placements: Sequence[Placement], work: Workload
    ) -> Resources:
        """Return the cost with the memory of the devices that these placements hold."""
        memory_mib = 0
        for placement in placements:
            for card in dict.fromkeys(card for card, _ in placement.devices):
                memory_mib += device_memory_mib(self.cards[card], work.request)
        return Resources(cost.gpu, memory_mib, cost.cpu, cost.memory)

    def _is_at_home(self, placement: Placement, work: RunningWorkload) -> bool:
        devices = placement.devices
        return not devices or self._owners.get(devices[0][0], work.pool) == work.pool


def card_owners(snapshot: Snapshot) -> dict[AcceleratorId, PoolId]:
    """Return the pool of every card; empty where no pool has work on another's cards."""
    if not any(pool.policy.lending.to_pools or pool.policy.fall_back for pool in snapshot.pools):
        return {}
    return {card.id: card.pool for card in snapshot.accelerators}


def scope_capacities(snapshot: Snapshot) -> Mapping[ScopeResource, int]:
    """Return what there is in each pool and in all of them together.

    In a pool that is healthy cards of ready nodes, and what is held anyway. Over all pools a closed
    pool counts only with what is held there: nothing else of it can be used.
    """
    ready = {node.id for node in snapshot.nodes if node.state is NodeState.READY}
    closed = {pool.id for pool in snapshot.pools if not pool.is_open}
    held = [card for card in snapshot.accelerators if card.taken_slots or card.gpu_milli_taken]
    idle = [
        card
        for card in snapshot.accelerators
        if not card.taken_slots
        and not card.gpu_milli_taken
        and card.state is AcceleratorState.OK
        and card.node in ready
    ]
    amounts = _amounts_of((*held, *idle), snapshot)
    left = _amounts_of([card for card in held if card.pool in closed], snapshot) if closed else {}
    total: Counter[ScopeResource] = Counter()
    for (pool, resource), amount in amounts.items():
        total[None, resource] += left.get((pool, resource), 0) if pool in closed else amount
    return amounts | total


def installed_capacities(snapshot: Snapshot) -> Mapping[ScopeResource, int]:
    """Return the same for everything that is installed, in whatever state it is."""
    amounts = _amounts_of(snapshot.accelerators, snapshot)
    total: Counter[ScopeResource] = Counter()
    for (_, resource), amount in amounts.items():
        total[None, resource] += amount
    return amounts | total


def _amounts_of(cards: Collection[AcceleratorView], snapshot: Snapshot) -> Counter[ScopeResource]:
    pools = {pool.id: pool for pool in snapshot.pools}
    nodes = {node.id: node for node in snapshot.nodes}
    amounts: Counter[ScopeResource] = Counter()
    for pool, count in Counter(card.pool for card in cards).items():
        amounts[pool, Resource.GPU] = 1000 * count
    for card in cards:
        amounts[card.pool, Resource.GPU_MEMORY] += _memory_of(card, pools[card.pool])
    for pool, node in {(card.pool, card.node) for card in cards}:
        amounts[pool, Resource.CPU] += nodes[node].cpu_milli
        amounts[pool, Resource.MEMORY] += nodes[node].memory_mib
    return amounts


def _memory_of(card: AcceleratorView, pool: PoolView) -> int:
    """Return the memory that a pool's own work can get of a card."""
    return card.memory_mib if card.mig_profiles else pool.slice_mib * card.slices or card.memory_mib
