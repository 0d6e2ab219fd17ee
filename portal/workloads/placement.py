"""The re-check of a planned placement under locks: nodes first, then cards, each in id order.

Nothing is written here; whoever gets the claims back may write them in the same transaction.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
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


def claim(workload: Workload, placements: tuple[Placement, ...]) -> tuple[Claim, ...]:
    """Lock what the placements name and return it, or raise why they do not hold any more."""
    if len(placements) != workload.replicas:
        raise PlacementRefusedError("gang_incomplete", ranks=len(placements))
    nodes = _locked_nodes(placement.node for placement in placements)
    _require_room(workload, nodes, placements)
    cards = _locked_cards(card for placement in placements for card, _ in placement.devices)
    claims = tuple(
        _claim_rank(workload, rank, placement, nodes, cards)
        for rank, placement in enumerate(placements)
    )
    _require_free(workload, claims)
    return claims


def _locked_nodes(ids: Iterable[str]) -> Mapping[UUID, Node]:
    found = Node.objects.filter(pk__in=set(ids)).select_for_update(no_key=True).order_by("id")
    return {node.pk: node for node in found}


def _locked_cards(ids: Iterable[str]) -> Mapping[UUID, Accelerator]:
    found = Accelerator.objects.filter(pk__in=set(ids))
    return {card.pk: card for card in found.select_for_update(no_key=True).order_by("id")}


def _require_room(
    workload: Workload, nodes: Mapping[UUID, Node], placements: tuple[Placement, ...]
) -> None:
    """Check state, CPU and memory of every node, with all ranks that shall go there together."""
    used = {
        row["node"]: (row["cpu"], row["memory"])
        for row in Allocation.objects.filter(node__in=nodes, state__in=LIVE)
        .values("node")
        .annotate(cpu=Sum("cpu_milli"), memory=Sum("memory_mib"))
    }
    for node_id, ranks in Counter(UUID(placement.node) for placement in placements).items():
        node = nodes.get(node_id)
        if node is None or node.state != NodeState.READY or node.pool_id != workload.pool_id:
            raise PlacementRefusedError("node_unavailable", node=str(node_id))
        cpu, memory = used.get(node_id, (0, 0))
        if cpu + ranks * workload.cpu_milli > allocatable_cpu(node, workload.pool):
            raise PlacementRefusedError("insufficient_now", resource="cpu", node=node.name)
        if memory + ranks * workload.memory_mib > node.memory_mib:
            raise PlacementRefusedError("insufficient_now", resource="memory", node=node.name)


def allocatable_cpu(node: Node, pool: Pool) -> int:
    """Return the milli-CPU that a node may promise, overcommit included."""
    return node.cpu_milli * pool.cpu_overcommit_pct // 100


def _claim_rank(
    workload: Workload,
    rank: int,
    placement: Placement,
    nodes: Mapping[UUID, Node],
    cards: Mapping[UUID, Accelerator],
) -> Claim:
    node = nodes[UUID(placement.node)]
    slots = []
    for card_id, slot in placement.devices:
        card = cards.get(UUID(card_id))
        if card is None or card.node_id != node.pk or card.pool_id != workload.pool_id:
            raise PlacementRefusedError("node_unavailable", node=node.name)
        if card.state != AcceleratorState.OK or slot >= card.slices:
            raise _short_of_devices(workload)
        slots.append((card, slot))
    _require_shape(workload, slots)
    return Claim(rank, node, tuple(slots))


def _require_shape(workload: Workload, slots: list[tuple[Accelerator, int]]) -> None:
    """Check that the devices are what was asked for: whole cards, or slices of one card."""
    whole = [card for card, _ in slots if card.slices == 1]
    as_asked = (
        len(slots) == len(whole) == workload.cards
        if not workload.slices
        else len(slots) == workload.slices and not whole and len({c.pk for c, _ in slots}) == 1
    )
    if not as_asked or len(set(slots)) != len(slots):
        raise _short_of_devices(workload)


def _require_free(workload: Workload, claims: tuple[Claim, ...]) -> None:
    wanted = [(card.pk, slot) for claim in claims for card, slot in claim.slots]
    taken = set(
        AllocationDevice.objects.filter(
            accelerator__in={card_id for card_id, _ in wanted}, released_at=None
        ).values_list("accelerator", "slot")
    )
    if len(set(wanted)) != len(wanted) or taken.intersection(wanted):
        raise _short_of_devices(workload)


def _short_of_devices(workload: Workload) -> PlacementRefusedError:
    return PlacementRefusedError(
        "insufficient_now", resource="slices" if workload.slices else "cards"
    )
