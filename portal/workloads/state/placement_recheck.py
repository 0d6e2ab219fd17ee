"""The re-check of planned placements under locks: nodes first, then cards, each in id order.

Nothing is written here: the caller writes the grants in the same transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import NamedTuple
from uuid import UUID

from django.db.models import Sum

from portal.inventory.card_facts import (
    parse_mig_profiles,
)
from portal.inventory.gpu_models import model_name
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.policy import read_policy
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, AllocationDevice
from portal.workloads.state.locked_rows import LockedCard, LockedNode, LockedWorkload
from scheduler.core.model.card_kind import (
    describe_choice,
)
from scheduler.core.model.entities import Placement, PoolId, PoolView, Request
from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.mig import is_legal_placement
from scheduler.core.model.request_cost import demand_per_replica
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import LIVE_ALLOCATION, AcceleratorState, NodeState
from scheduler.core.placement.shape import MILLI_PER_GPU


class RankCost(NamedTuple):
    """What one rank holds, or would hold."""

    amount: Resources
    gpu_milli_by_model: Mapping[str, int]
    """The GPUs of `amount` by their model."""


@dataclass(frozen=True, slots=True)
class RankGrant:
    """What one rank will hold: a locked node and locked cards with the slots on them."""

    rank: int
    node: LockedNode
    slots: tuple[tuple[LockedCard, int], ...]


@dataclass(frozen=True, slots=True)
class AcceptedPlacement:
    """A placement whose assumptions still hold: what each rank gets, and what that costs."""

    workload: LockedWorkload
    ranks: tuple[RankGrant, ...]
    costs: tuple[RankCost, ...]
    must_end_at: datetime | None = None
    """When an advance reservation needs what it gets, or the one inside which it starts ends."""


class BatchPools:
    """Pools, and what replicas cost in each, read once for a batch."""

    def __init__(self) -> None:
        """Read every pool. None is locked: how its cards are cut is pinned by the locked cards."""
        self._pools = Pool.objects.in_bulk()
        self._costs: dict[tuple[UUID, Request], Resources] = {}
        self._weakest: dict[UUID, IsolationLevel] = {}

    def __getitem__(self, pool_id: UUID) -> Pool:
        """Return a pool."""
        return self._pools[pool_id]

    def replica_cost(self, work: LockedWorkload) -> Resources:
        """Return what one replica takes in its pool, without the memory of whole GPUs."""
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
        """Return whether nodes and cards of a pool may take this work.

        Its own pool's may. For preemptible work so may those of pools that its own falls back to,
        or that lend to it; at which times they lend is decided by the plan and not checked again.
        """
        if pool_id == work.pool_id:
            return True
        own, lender = self._pools[work.pool_id], self._pools[pool_id]
        borrowers = lender.policy.get("lending", {}).get("to_pools", ())
        may_borrow = lender.name in own.policy.get("fall_back", ()) or own.name in borrowers
        return work.preemptible and lender.is_open and may_borrow


def allocatable_cpu_milli(node: Node | LockedNode, pool: Pool) -> int:
    """Return the milli-CPU that a node may give away, overcommit included."""
    return node.cpu_milli * pool.cpu_overcommit_pct // 100


class PlacementRecheck:
    """The locked nodes and cards that a batch of placements names, with what is free on them.

    Placements are granted one after the other; what one takes is not free for the next.
    """

    def __init__(
        self, placements: Sequence[Placement], pools: BatchPools, *, is_adoption: bool = False
    ) -> None:
        """Lock everything that any of the placements names.

        Work that is adopted runs already: whether nodes and cards may take new work is not asked.
        """
        self._pools, self._is_adoption = pools, is_adoption
        nodes = {placement.node for placement in placements}
        cards = {card for placement in placements for card, _ in placement.devices}
        self._nodes = _lock_nodes(nodes)
        self._used = _used_by_node(self._nodes)
        self._cards = _lock_cards(cards)
        self._taken, self._shares = _taken_devices(self._cards)

    def locked_nodes(self, placements: Sequence[Placement]) -> list[LockedNode]:
        """Return the nodes of these placements, in their order, without those that are gone."""
        found = (self._nodes.get(placement.node) for placement in placements)
        return [node for node in found if node is not None]

    def grant_ranks(
        self, workload: LockedWorkload, placements: Sequence[Placement]
    ) -> tuple[RankGrant, ...]:
        """Take what the placements of one workload name, or raise why that is not possible any more."""
        if len(placements) != workload.request.replicas:
            raise PlacementRefusedError("gang_incomplete", ranks=len(placements))
        self._require_node_capacity(workload, placements)
        grants = tuple(
            self._grant_rank(workload, rank, placement) for rank, placement in enumerate(placements)
        )
        wanted = [(card.id, slot) for grant in grants for card, slot in grant.slots]
        if self._taken.intersection(wanted):
            raise _insufficient_devices(workload.request)
        if workload.request.gpu_milli:
            grants = self._number_shares(workload.request, grants)
        elif len(set(wanted)) != len(wanted) or any(card in self._shares for card, _ in wanted):
            raise _insufficient_devices(workload.request)
        else:
            self._taken.update(wanted)
        for grant in grants:
            cpu, memory = self._used[grant.node.id]
            request = workload.request
            self._used[grant.node.id] = (cpu + request.cpu_milli, memory + request.memory_mib)
        return grants

    def rank_costs(
        self, workload: LockedWorkload, placements: Sequence[Placement]
    ) -> tuple[RankCost, ...]:
        """Return what each rank would hold; whole GPUs and MIG instances count with their memory."""
        one, request = self._pools.replica_cost(workload), workload.request
        has_own_memory = request.gpus or request.mig_profile
        return tuple(
            RankCost(
                replace(one, gpu_memory=self._device_memory_mib(request, placement))
                if has_own_memory
                else one,
                self._gpu_milli_by_model(one.gpu, placement),
            )
            for placement in placements
        )

    def _gpu_milli_by_model(self, gpu_milli: int, placement: Placement) -> Mapping[str, int]:
        found: Counter[str] = Counter()
        cards = self._cards_of(placement)
        for card in cards:
            found[model_name(card.model)] += gpu_milli // len(cards)
        return found

    def _cards_of(self, placement: Placement) -> list[LockedCard]:
        named = dict.fromkeys(card for card, _ in placement.devices)
        return [self._cards[key] for key in named if key in self._cards]

    def _device_memory_mib(self, request: Request, placement: Placement) -> int:
        return sum(card.device_memory_mib(request) for card in self._cards_of(placement))

    def _require_node_capacity(
        self, workload: LockedWorkload, placements: Sequence[Placement]
    ) -> None:
        """Check state, CPU and memory of every node, for all ranks that are to run there together."""
        for node_id, ranks in Counter(placement.node for placement in placements).items():
            node = self._nodes.get(node_id)
            if (
                node is None
                or not (self._is_adoption or node.state == NodeState.READY)
                or not self._pools.can_serve(node.pool_id, workload)
            ):
                raise PlacementRefusedError("node_unavailable", node=node_id)
            cpu, memory = self._used[node_id]
            allocatable = allocatable_cpu_milli(node, self._pools[node.pool_id])
            if cpu + ranks * workload.request.cpu_milli > allocatable:
                raise PlacementRefusedError("insufficient_now", resource="cpu", node=node.name)
            if memory + ranks * workload.request.memory_mib > node.memory_mib:
                raise PlacementRefusedError("insufficient_now", resource="memory", node=node.name)

    def _number_shares(
        self, request: Request, grants: Sequence[RankGrant]
    ) -> tuple[RankGrant, ...]:
        """Give each rank a number of its own on its card, if all their shares fit."""
        ranks_on: Counter[str] = Counter(grant.slots[0][0].id for grant in grants)
        for card_id, ranks in ranks_on.items():
            card, held = self._cards[card_id], self._shares.get(card_id) or _CardShares()
            milli = held.gpu_milli + ranks * request.gpu_milli
            mib = held.gpu_memory_mib + ranks * request.gpu_memory_mib
            if milli > MILLI_PER_GPU or mib > card.slice_mib:
                raise _insufficient_devices(request)
        return tuple(self._with_share_number(request, grant) for grant in grants)

    def _with_share_number(self, request: Request, grant: RankGrant) -> RankGrant:
        ((card, _),) = grant.slots
        held = self._shares[card.id]
        number = next(number for number in count() if number not in held.numbers)
        held.add(number, request.gpu_milli, request.gpu_memory_mib)
        return replace(grant, slots=((card, number),))

    def _grant_rank(self, workload: LockedWorkload, rank: int, placement: Placement) -> RankGrant:
        node = self._nodes[placement.node]
        slots = []
        for card_id, slot in placement.devices:
            card = self._cards.get(card_id)
            if (
                card is None
                or card.node_id != node.id
                or not self._pools.can_serve(card.pool_id, workload)
            ):
                raise PlacementRefusedError("node_unavailable", node=node.name)
            slots.append((card, slot))
            if self._is_adoption:
                continue
            if card.state != AcceleratorState.OK or slot >= card.slices:
                raise _insufficient_devices(workload.request)
            if not card.is_isolation_sufficient(
                weakest := self._pools.weakest_isolation(card.pool_id)
            ):
                raise PlacementRefusedError(
                    "isolation_unavailable", isolation=weakest.value, node=node.name
                )
            if not card.is_chosen(workload.request):
                raise PlacementRefusedError(
                    "no_matching_model", model=describe_choice(workload.request), node=node.name
                )
        _require_requested_devices(workload.request, slots)
        return RankGrant(rank, node, tuple(slots))


def _lock_nodes(ids: Iterable[str]) -> Mapping[str, LockedNode]:
    found = Node.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("id")
    rows = found.values_list(*LockedNode._fields)
    return {(key := str(row_id)): LockedNode(key, *rest) for row_id, *rest in rows}


def _lock_cards(ids: Iterable[str]) -> Mapping[str, LockedCard]:
    found = Accelerator.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("id")
    rows = found.values_list(*LockedCard._fields)
    return {(key := str(row_id)): LockedCard(key, str(node), *rest) for row_id, node, *rest in rows}


def _used_by_node(nodes: Mapping[str, LockedNode]) -> dict[str, tuple[int, int]]:
    """Return the (milli-CPU, MiB) that live allocations hold on each node."""
    used = dict.fromkeys(nodes, (0, 0))
    keys = [UUID(node) for node in nodes]
    live = Allocation.objects.filter(node__in=keys, state__in=LIVE_ALLOCATION).values("node")
    sums = live.annotate(cpu=Sum("cpu_milli"), memory=Sum("memory_mib"))
    used.update({str(row["node"]): (row["cpu"], row["memory"]) for row in sums})
    return used


@dataclass(slots=True)
class _CardShares:
    """Shares that live work holds of one card."""

    numbers: set[int] = field(default_factory=set)
    """Slots that tell the shares of the card apart."""
    gpu_milli: int = 0
    gpu_memory_mib: int = 0

    def add(self, number: int, milli: int, mib: int) -> None:
        self.numbers.add(number)
        self.gpu_milli += milli
        self.gpu_memory_mib += mib


def _taken_devices(
    cards: Mapping[str, LockedCard],
) -> tuple[set[tuple[str, int]], dict[str, _CardShares]]:
    """Return the taken slots of these cards, and the shares of each."""
    taken: set[tuple[str, int]] = set()
    shares: dict[str, _CardShares] = defaultdict(_CardShares)
    if cards:
        keys = [UUID(card) for card in cards]
        live = AllocationDevice.objects.filter(accelerator__in=keys, released_at=None)
        columns = ("accelerator", "slot", "gpu_milli", "memory_mib")
        for card, slot, milli, mib in live.values_list(*columns):
            if milli:
                shares[str(card)].add(slot, milli, mib)
            else:
                taken.add((str(card), slot))
    return taken, shares


def _require_requested_devices(request: Request, slots: Sequence[tuple[LockedCard, int]]) -> None:
    """Check that the devices are what was requested: whole GPUs, slices or a share of one card.

    A whole card of a shared pool, as it is lent, is all of its slots.
    """
    of_card: dict[str, set[int]] = defaultdict(set)
    for card, slot in slots:
        of_card[card.id].add(slot)
    if request.slices:
        is_as_requested = len(slots) == request.slices and len(of_card) == 1
        is_as_requested &= all(
            _gives_slices(card, request.mig_profile, of_card) for card, _ in slots
        )
    elif request.gpu_milli:
        is_as_requested = [(card.mode, card.slices) for card, _ in slots] == [(Pool.Mode.SHARED, 1)]
    else:
        is_as_requested = len(of_card) == request.gpus
        is_as_requested &= all(len(of_card[card.id]) == card.slices for card, _ in slots)
    if not is_as_requested or sum(map(len, of_card.values())) != len(slots):
        raise _insufficient_devices(request)


def _gives_slices(card: LockedCard, profile: str, slots: Mapping[str, set[int]]) -> bool:
    """Return whether these slots are slices that the card gives: at places of the profile under MIG."""
    if not profile:
        return card.mode == Pool.Mode.SHARED and card.slices > 1
    is_cut = card.mode == Pool.Mode.MIG
    return is_cut and is_legal_placement(
        parse_mig_profiles(card.mig_profiles), profile, slots[card.id]
    )


def _insufficient_devices(request: Request) -> PlacementRefusedError:
    resource = "slices" if request.slices else "share" if request.gpu_milli else "gpus"
    return PlacementRefusedError("insufficient_now", resource=resource)
