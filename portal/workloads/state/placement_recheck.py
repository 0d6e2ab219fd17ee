"""The re-check of planned placements under locks: nodes first, then cards, each in id order.

Nothing is written here; whoever gets the claims back may write them in the same transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Sum

from portal.inventory.card_facts import (
    enforced_isolation,
    parse_mig_profiles,
    usable_gpu_memory_mib,
)
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.policy import read_policy
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, AllocationDevice
from portal.workloads.request_columns import build_request, columns_of
from scheduler.core.model.card_kind import CardKind, device_memory_mib
from scheduler.core.model.entities import Placement, PoolId, PoolView, Request, demand_per_replica
from scheduler.core.model.isolation import IsolationLevel, is_isolation_sufficient
from scheduler.core.model.mig import is_legal_placement
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import LIVE_ALLOCATION, AcceleratorState, NodeState
from scheduler.core.placement.shape import MILLI_PER_GPU


class LockedWorkload(NamedTuple):
    """The columns of a locked workload that a placement looks at."""

    id: UUID
    group_id: UUID
    owner_id: UUID
    pool_id: UUID
    state: str
    version: int
    replicas: int
    gpus: int
    slices: int
    cpu_milli: int
    memory_mib: int
    gpu_milli: int
    gpu_memory_mib: int
    mig_profile: str
    preemptible: bool
    time_limit_s: int

    @property
    def request(self) -> Request:
        """What it asks for, in the words of the engine."""
        return build_request(columns_of(self))


class LockedNode(NamedTuple):
    """The columns of a locked node."""

    id: UUID
    name: str
    pool_id: UUID
    state: str
    cpu_milli: int
    memory_mib: int


class LockedCard(NamedTuple):
    """The columns of a locked card."""

    id: UUID
    node_id: UUID
    pool_id: UUID
    state: str
    memory_mib: int
    slices: int
    slice_mib: int
    mode: str
    is_simulated: bool
    isolation: list[str]
    mig_profiles: list[Any]

    def is_isolation_sufficient(self, weakest: IsolationLevel) -> bool:
        """Tell whether it keeps tenants apart as its pool demands it now."""
        offered = enforced_isolation(self.isolation, is_simulated=self.is_simulated)
        return is_isolation_sufficient(offered, weakest, is_cut=self.mode != Pool.Mode.EXCLUSIVE)

    def device_memory_mib(self, request: Request) -> int:
        """Return the memory that the request gets on it: all of it, or that of a MIG instance."""
        usable = usable_gpu_memory_mib(self.memory_mib, self.slices, self.slice_mib)
        profiles = parse_mig_profiles(self.mig_profiles) if request.mig_profile else ()
        return device_memory_mib(CardKind("", usable, profiles), request)


@dataclass(frozen=True, slots=True)
class RankGrant:
    """What one rank will hold: a locked node and locked cards with the slots on them."""

    rank: int
    node: LockedNode
    slots: tuple[tuple[LockedCard, int], ...]


@dataclass(frozen=True, slots=True)
class AcceptedPlacement:
    """A placement that holds: what each rank takes, and what that costs."""

    workload: LockedWorkload
    ranks: tuple[RankGrant, ...]
    costs: tuple[Resources, ...]


class BatchPools:
    """The pools of a batch, and what a replica costs in each."""

    def __init__(self) -> None:
        """Read them; there are few, and none is locked: what they cut is pinned by the cards."""
        self._pools = Pool.objects.in_bulk()
        self._costs: dict[tuple[UUID, Request], Resources] = {}
        self._weakest: dict[UUID, IsolationLevel] = {}

    def __getitem__(self, pool_id: UUID) -> Pool:
        """Return a pool."""
        return self._pools[pool_id]

    def replica_cost(self, work: LockedWorkload) -> Resources:
        """Return what one replica costs in its pool, without the memory of whole GPUs."""
        key = (work.pool_id, work.request)
        found = self._costs.get(key)
        if found is None:
            pool = self._pools[work.pool_id]
            view = PoolView(
                PoolId(str(pool.pk)),
                pool.name,
                slices_per_card=pool.slices_per_card,
                slice_mib=pool.slice_mib,
            )
            found = self._costs[key] = demand_per_replica(work.request, view)
        return found

    def weakest_isolation(self, pool_id: UUID) -> IsolationLevel:
        """Return the weakest isolation that a pool accepts now."""
        found = self._weakest.get(pool_id)
        if found is None:
            pool = self._pools[pool_id]
            found = self._weakest[pool_id] = read_policy(pool.name, pool.policy).isolation
        return found

    def can_serve(self, pool_id: UUID, work: LockedWorkload) -> bool:
        """Tell whether a pool's nodes and cards may take this work.

        Its own may; so may, while it can be called back, those that its pool falls back to, and
        those that are lent to its pool. The calendar is the plan's business, not the re-check's.
        """
        if pool_id == work.pool_id:
            return True
        own, host = self._pools[work.pool_id], self._pools[pool_id]
        borrowers = host.policy.get("lending", {}).get("to_pools", ())
        may_be_guest = host.name in own.policy.get("fall_back", ()) or own.name in borrowers
        return work.preemptible and host.is_open and may_be_guest


def allocatable_cpu_milli(node: Node | LockedNode, pool: Pool) -> int:
    """Return the milli-CPU that a node may promise, overcommit included."""
    return node.cpu_milli * pool.cpu_overcommit_pct // 100


class PlacementRecheck:
    """The locked nodes and cards that a batch of placements names, with what is free on them.

    Claims are granted one after the other; what one takes, the next does not find.
    """

    def __init__(self, placements: Sequence[Placement], pools: BatchPools) -> None:
        """Lock everything that any of the placements names."""
        self._pools = pools
        nodes = {placement.node for placement in placements}
        cards = {card for placement in placements for card, _ in placement.devices}
        self._nodes = _lock_nodes(nodes)
        self._used = _used_by_node(self._nodes)
        self._cards = _lock_cards(cards)
        self._taken, self._shares = _taken_devices(self._cards)

    def grant_ranks(
        self, workload: LockedWorkload, placements: Sequence[Placement]
    ) -> tuple[RankGrant, ...]:
        """Take what the placements name, or raise why they do not hold any more."""
        if len(placements) != workload.replicas:
            raise PlacementRefusedError("gang_incomplete", ranks=len(placements))
        self._require_node_capacity(workload, placements)
        claims = tuple(
            self._grant_rank(workload, rank, placement) for rank, placement in enumerate(placements)
        )
        wanted = [(card.id, slot) for claim in claims for card, slot in claim.slots]
        if self._taken.intersection(wanted):
            raise _insufficient_devices(workload)
        if workload.gpu_milli:
            claims = self._number_shares(workload, claims)
        elif len(set(wanted)) != len(wanted) or any(card in self._shares for card, _ in wanted):
            raise _insufficient_devices(workload)
        else:
            self._taken.update(wanted)
        for claim in claims:
            cpu, memory = self._used[claim.node.id]
            self._used[claim.node.id] = (cpu + workload.cpu_milli, memory + workload.memory_mib)
        return claims

    def rank_costs(
        self, workload: LockedWorkload, placements: Sequence[Placement]
    ) -> tuple[Resources, ...]:
        """Return what each rank would hold; whole GPUs and MIG instances count with their memory."""
        one, request = self._pools.replica_cost(workload), workload.request
        if not request.gpus and not request.mig_profile:
            return (one,) * len(placements)
        return tuple(
            replace(one, gpu_memory=self._device_memory_mib(request, placement))
            for placement in placements
        )

    def _device_memory_mib(self, request: Request, placement: Placement) -> int:
        named = dict.fromkeys(UUID(card) for card, _ in placement.devices)
        cards = [self._cards[key] for key in named if key in self._cards]
        return sum(card.device_memory_mib(request) for card in cards)

    def _require_node_capacity(
        self, workload: LockedWorkload, placements: Sequence[Placement]
    ) -> None:
        """Check state, CPU and memory of every node, with all ranks that shall go there together."""
        for node_id, ranks in Counter(UUID(placement.node) for placement in placements).items():
            node = self._nodes.get(node_id)
            if (
                node is None
                or node.state != NodeState.READY
                or not self._pools.can_serve(node.pool_id, workload)
            ):
                raise PlacementRefusedError("node_unavailable", node=str(node_id))
            cpu, memory = self._used[node_id]
            if cpu + ranks * workload.cpu_milli > allocatable_cpu_milli(
                node, self._pools[node.pool_id]
            ):
                raise PlacementRefusedError("insufficient_now", resource="cpu", node=node.name)
            if memory + ranks * workload.memory_mib > node.memory_mib:
                raise PlacementRefusedError("insufficient_now", resource="memory", node=node.name)

    def _number_shares(
        self, workload: LockedWorkload, claims: Sequence[RankGrant]
    ) -> tuple[RankGrant, ...]:
        """Give each rank a number of its own on its card, if there is room for all their shares."""
        asked: Counter[UUID] = Counter(claim.slots[0][0].id for claim in claims)
        for card_id, ranks in asked.items():
            card, held = self._cards[card_id], self._shares.get(card_id) or _CardShares()
            milli = held.gpu_milli + ranks * workload.gpu_milli
            mib = held.gpu_memory_mib + ranks * workload.gpu_memory_mib
            if milli > MILLI_PER_GPU or mib > card.slice_mib:
                raise _insufficient_devices(workload)
        return tuple(self._with_share_number(workload, claim) for claim in claims)

    def _with_share_number(self, workload: LockedWorkload, claim: RankGrant) -> RankGrant:
        ((card, _),) = claim.slots
        held = self._shares[card.id]
        number = next(number for number in count() if number not in held.numbers)
        held.add(number, workload.gpu_milli, workload.gpu_memory_mib)
        return replace(claim, slots=((card, number),))

    def _grant_rank(self, workload: LockedWorkload, rank: int, placement: Placement) -> RankGrant:
        node = self._nodes[UUID(placement.node)]
        slots = []
        for card_id, slot in placement.devices:
            card = self._cards.get(UUID(card_id))
            if (
                card is None
                or card.node_id != node.id
                or not self._pools.can_serve(card.pool_id, workload)
            ):
                raise PlacementRefusedError("node_unavailable", node=node.name)
            if card.state != AcceleratorState.OK or slot >= card.slices:
                raise _insufficient_devices(workload)
            if not card.is_isolation_sufficient(
                weakest := self._pools.weakest_isolation(card.pool_id)
            ):
                raise PlacementRefusedError(
                    "isolation_unavailable", isolation=weakest.value, node=node.name
                )
            slots.append((card, slot))
        _require_requested_devices(workload, slots)
        return RankGrant(rank, node, tuple(slots))


def _lock_nodes(ids: Iterable[str]) -> Mapping[UUID, LockedNode]:
    found = Node.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("id")
    return {row[0]: LockedNode(*row) for row in found.values_list(*LockedNode._fields)}


def _lock_cards(ids: Iterable[str]) -> Mapping[UUID, LockedCard]:
    found = Accelerator.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("id")
    return {row[0]: LockedCard(*row) for row in found.values_list(*LockedCard._fields)}


def _used_by_node(nodes: Mapping[UUID, LockedNode]) -> dict[UUID, tuple[int, int]]:
    """Return the (milli-CPU, MiB) that live allocations hold on each node."""
    used = dict.fromkeys(nodes, (0, 0))
    live = Allocation.objects.filter(node__in=nodes, state__in=LIVE_ALLOCATION).values("node")
    sums = live.annotate(cpu=Sum("cpu_milli"), memory=Sum("memory_mib"))
    used.update({row["node"]: (row["cpu"], row["memory"]) for row in sums})
    return used


@dataclass(slots=True)
class _CardShares:
    """What shares hold of one card."""

    numbers: set[int] = field(default_factory=set)
    """By which they are told apart."""
    gpu_milli: int = 0
    gpu_memory_mib: int = 0

    def add(self, number: int, milli: int, mib: int) -> None:
        self.numbers.add(number)
        self.gpu_milli += milli
        self.gpu_memory_mib += mib


def _taken_devices(
    cards: Mapping[UUID, LockedCard],
) -> tuple[set[tuple[UUID, int]], dict[UUID, _CardShares]]:
    """Return the slots that are taken, and what shares hold, card by card."""
    taken: set[tuple[UUID, int]] = set()
    shares: dict[UUID, _CardShares] = defaultdict(_CardShares)
    if cards:
        live = AllocationDevice.objects.filter(accelerator__in=cards, released_at=None)
        columns = ("accelerator", "slot", "gpu_milli", "memory_mib")
        for card, slot, milli, mib in live.values_list(*columns):
            if milli:
                shares[card].add(slot, milli, mib)
            else:
                taken.add((card, slot))
    return taken, shares


def _require_requested_devices(
    workload: LockedWorkload, slots: Sequence[tuple[LockedCard, int]]
) -> None:
    """Check that the devices are what was asked for: whole cards, slices or a share of one card.

    A card of a shared pool that is lent as a whole is taken slot by slot, all of them.
    """
    of_card: dict[UUID, set[int]] = defaultdict(set)
    for card, slot in slots:
        of_card[card.id].add(slot)
    if workload.slices:
        is_as_asked = len(slots) == workload.slices and len(of_card) == 1
        is_as_asked &= all(_gives_slices(card, workload.mig_profile, of_card) for card, _ in slots)
    elif workload.gpu_milli:
        is_as_asked = [(card.mode, card.slices) for card, _ in slots] == [(Pool.Mode.SHARED, 1)]
    else:
        is_as_asked = len(of_card) == workload.gpus
        is_as_asked &= all(len(of_card[card.id]) == card.slices for card, _ in slots)
    if not is_as_asked or sum(map(len, of_card.values())) != len(slots):
        raise _insufficient_devices(workload)


def _gives_slices(card: LockedCard, profile: str, slots: Mapping[UUID, set[int]]) -> bool:
    """Tell whether slices of a card are given so: by profile at its places where it is cut, else any."""
    if not profile:
        return card.mode == Pool.Mode.SHARED and card.slices > 1
    is_cut = card.mode == Pool.Mode.MIG
    return is_cut and is_legal_placement(
        parse_mig_profiles(card.mig_profiles), profile, slots[card.id]
    )


def _insufficient_devices(workload: LockedWorkload) -> PlacementRefusedError:
    resource = "slices" if workload.slices else "share" if workload.gpu_milli else "gpus"
    return PlacementRefusedError("insufficient_now", resource=resource)
