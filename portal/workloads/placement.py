"""The re-check of planned placements under locks: nodes first, then cards, each in id order.

Nothing is written here; whoever gets the claims back may write them in the same transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Sum

from portal.inventory.models import Accelerator, Node, Pool
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, AllocationDevice, Workload
from scheduler.core.entities import Placement, PoolId, PoolView, Request, demand
from scheduler.core.resources import Resources
from scheduler.core.states import LIVE_ALLOCATION, AcceleratorState, NodeState

LIVE = tuple(state.value for state in sorted(LIVE_ALLOCATION))


@dataclass(frozen=True, slots=True)
class Claim:
    """What one rank will hold: a locked node and locked cards with the slots on them."""

    rank: int
    node: Node
    slots: tuple[tuple[Accelerator, int], ...]


def replica_cost(workload: Workload) -> Resources:
    """Return what one replica costs in its pool."""
    pool = workload.pool
    view = PoolView(
        PoolId(str(pool.pk)),
        pool.name,
        slices_per_card=pool.slices_per_card,
        slice_mib=pool.slice_mib,
    )
    request = Request(
        cards=workload.cards,
        slices=workload.slices,
        cpu=workload.cpu_milli,
        memory=workload.memory_mib,
    )
    return demand(request, view)


def allocatable_cpu(node: Node, pool: Pool) -> int:
    """Return the milli-CPU that a node may promise, overcommit included."""
    return node.cpu_milli * pool.cpu_overcommit_pct // 100


class Ground:
    """The locked nodes and cards that a batch of placements names, with what is free on them.

    Claims are granted one after the other; what one takes, the next does not find.
    """

    def __init__(self, placements: Sequence[Placement]) -> None:
        """Lock everything that any of the placements names."""
        nodes = {placement.node for placement in placements}
        cards = {card for placement in placements for card, _ in placement.devices}
        self._nodes = _locked_nodes(nodes)
        self._used = _used_on(self._nodes)
        self._cards = _locked_cards(cards)
        self._taken = _taken_of(self._cards)

    def claim(self, workload: Workload, placements: Sequence[Placement]) -> tuple[Claim, ...]:
        """Take what the placements name, or raise why they do not hold any more."""
        if len(placements) != workload.replicas:
            raise PlacementRefusedError("gang_incomplete", ranks=len(placements))
        self._require_room(workload, placements)
        claims = tuple(
            self._claim_rank(workload, rank, placement) for rank, placement in enumerate(placements)
        )
        wanted = [(card.pk, slot) for claim in claims for card, slot in claim.slots]
        if len(set(wanted)) != len(wanted) or self._taken.intersection(wanted):
            raise _short_of_devices(workload)
        self._taken.update(wanted)
        for claim in claims:
            cpu, memory = self._used[claim.node.pk]
            self._used[claim.node.pk] = (cpu + workload.cpu_milli, memory + workload.memory_mib)
        return claims

    def _require_room(self, workload: Workload, placements: Sequence[Placement]) -> None:
        """Check state, CPU and memory of every node, with all ranks that shall go there together."""
        for node_id, ranks in Counter(UUID(placement.node) for placement in placements).items():
            node = self._nodes.get(node_id)
            if node is None or node.state != NodeState.READY or not _serves(node.pool, workload):
                raise PlacementRefusedError("node_unavailable", node=str(node_id))
            cpu, memory = self._used[node_id]
            if cpu + ranks * workload.cpu_milli > allocatable_cpu(node, node.pool):
                raise PlacementRefusedError("insufficient_now", resource="cpu", node=node.name)
            if memory + ranks * workload.memory_mib > node.memory_mib:
                raise PlacementRefusedError("insufficient_now", resource="memory", node=node.name)

    def _claim_rank(self, workload: Workload, rank: int, placement: Placement) -> Claim:
        node = self._nodes[UUID(placement.node)]
        slots = []
        for card_id, slot in placement.devices:
            card = self._cards.get(UUID(card_id))
            if card is None or card.node_id != node.pk or not _serves(card.pool, workload):
                raise PlacementRefusedError("node_unavailable", node=node.name)
            if card.state != AcceleratorState.OK or slot >= card.slices:
                raise _short_of_devices(workload)
            slots.append((card, slot))
        _require_shape(workload, slots)
        return Claim(rank, node, tuple(slots))


def _locked_nodes(ids: Iterable[str]) -> Mapping[UUID, Node]:
    found = Node.objects.filter(pk__in=ids).select_related("pool")
    return {
        row.pk: row for row in found.select_for_update(no_key=True, of=("self",)).order_by("id")
    }


def _locked_cards(ids: Iterable[str]) -> Mapping[UUID, Accelerator]:
    found = Accelerator.objects.filter(pk__in=ids).select_related("pool")
    return {
        row.pk: row for row in found.select_for_update(no_key=True, of=("self",)).order_by("id")
    }


def _used_on(nodes: Mapping[UUID, Node]) -> dict[UUID, tuple[int, int]]:
    """Return the (milli-CPU, MiB) that live allocations hold on each node."""
    used = dict.fromkeys(nodes, (0, 0))
    live = Allocation.objects.filter(node__in=nodes, state__in=LIVE).values("node")
    sums = live.annotate(cpu=Sum("cpu_milli"), memory=Sum("memory_mib"))
    used.update({row["node"]: (row["cpu"], row["memory"]) for row in sums})
    return used


def _taken_of(cards: Mapping[UUID, Accelerator]) -> set[tuple[UUID, int]]:
    live = AllocationDevice.objects.filter(accelerator__in=cards, released_at=None)
    return set(live.values_list("accelerator", "slot")) if cards else set()


def _serves(pool: Pool, workload: Workload) -> bool:
    """Tell whether a pool's nodes and cards may take this work."""
    return pool.pk == workload.pool_id


def _require_shape(workload: Workload, slots: Sequence[tuple[Accelerator, int]]) -> None:
    """Check that the devices are what was asked for: whole cards, or slices of one card.

    A whole card that is cut is taken slot by slot, all of them.
    """
    of_card: dict[UUID, set[int]] = defaultdict(set)
    for card, slot in slots:
        of_card[card.pk].add(slot)
    if workload.slices:
        is_as_asked = len(slots) == workload.slices and len(of_card) == 1
        is_as_asked &= all(card.slices > 1 for card, _ in slots)
    else:
        is_as_asked = len(of_card) == workload.cards
        is_as_asked &= all(len(of_card[card.pk]) == card.slices for card, _ in slots)
    if not is_as_asked or len(set(slots)) != len(slots):
        raise _short_of_devices(workload)


def _short_of_devices(workload: Workload) -> PlacementRefusedError:
    return PlacementRefusedError(
        "insufficient_now", resource="slices" if workload.slices else "cards"
    )
