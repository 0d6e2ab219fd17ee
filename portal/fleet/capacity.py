"""Installed and free capacity of pools, counted from the database independently of the scheduler."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Count

from portal.common.postgresql.column_lists import fill_columns
from portal.inventory.card_facts import IN_PLACE, parse_mig_profiles
from portal.inventory.gpu_models import find_gpu_model, model_name
from portal.inventory.models import Node, Pool
from portal.workloads.models import Workload
from scheduler.core.model.gpu_model import GpuModel
from scheduler.core.model.mig import MigProfiles, MigProfileSpec
from scheduler.core.model.states import NodeState, WorkloadState
from wire.messages import REPLICAS_MAX


@dataclass(frozen=True, slots=True)
class FleetCard:
    """One card with the number of its slots in use."""

    pool_id: UUID
    node_id: UUID
    model: str
    """As its driver reports it."""
    memory_mib: int
    slices: int
    taken: int
    is_usable: bool
    is_simulated: bool
    is_lost: bool = False
    """Gone by an error: it is counted, and nothing can be requested of it."""
    shareable_mib: int = 0
    """Memory of it for fractions; 0 if it is not shared in fractions."""
    profiles: MigProfiles = ()
    """MIG profiles that it offers."""


@dataclass(frozen=True, slots=True)
class FleetNode:
    """What a node offers besides its cards, before overcommit."""

    pool_id: UUID
    node_id: UUID
    cpu_milli: int
    memory_mib: int


InPool = TypeVar("InPool", FleetCard, FleetNode)


@dataclass(frozen=True, slots=True)
class PoolCapacity:
    """What a pool has, and what of it is free now."""

    nodes: int = 0
    gpus_total: int = 0
    gpus_free: int = 0
    gpus_lost: int = 0
    slices_total: int = 0
    slices_free: int = 0
    largest_free: int = 0
    """Most free GPUs on one node; in a shared pool, most free slices on one card."""
    waiting: int = 0
    is_simulated: bool = False
    model: str = ""
    memory_mib: int = 0


@dataclass(frozen=True, slots=True)
class PoolModel:
    """The GPUs of one model in a pool."""

    name: str
    """In the catalogue, else as the driver reports it."""
    memory_mib: int
    """The least that any of them has, as their driver reports it."""
    gpus_total: int
    gpus_free: int
    known: GpuModel | None
    """What the catalogue says of it."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The most that one submission to a pool may request, independent of what is free."""

    gpus_max: int = 0
    slices_max: int = 0
    gpu_memory_mib_max: int = 0
    """Memory of a fraction of a GPU; 0 if the pool offers none."""
    profiles: tuple[str, ...] = ()
    """Names of MIG profiles, smallest first."""
    cpu_milli_max: int = 0
    memory_mib_max: int = 0
    replicas_max: int = REPLICAS_MAX


@dataclass(frozen=True, slots=True)
class FleetState:
    """Cards, nodes and queue lengths of all pools, read in three queries."""

    cards: Mapping[UUID, tuple[FleetCard, ...]]
    nodes: Mapping[UUID, tuple[FleetNode, ...]]
    waiting: Mapping[UUID, int]

    def count_capacity(self, pool_id: UUID) -> PoolCapacity:
        """Return the capacity of one pool."""
        cards = self.cards.get(pool_id, ())
        nodes = len(self.nodes.get(pool_id, ()))
        return count_capacity(cards, nodes=nodes, waiting=self.waiting.get(pool_id, 0))

    def count_models(self, pool_id: UUID) -> tuple[PoolModel, ...]:
        """Return the models of one pool, the most GPUs first."""
        return count_models(self.cards.get(pool_id, ()))

    def count_limits(self, pool_id: UUID, *, cpu_overcommit_pct: int) -> RequestLimits:
        """Return the most that one submission to the pool may request."""
        nodes = self.nodes.get(pool_id, ())
        return count_limits(self.cards.get(pool_id, ()), nodes, cpu_overcommit_pct)


@dataclass(frozen=True, slots=True)
class PoolGpus:
    """The GPUs of a pool: each is held, free, lost or out of service. What `PoolCapacity` counts, by SQL."""

    total: int = 0
    held: int = 0
    """With at least one holder, and not lost."""
    free: int = 0
    lost: int = 0
    slices_total: int = 0
    slices_free: int = 0
    is_simulated: bool = False

    @property
    def out(self) -> int:
        """Return how many have no holder and cannot be used: faulty, or on a node that takes no work."""
        return self.total - self.held - self.free - self.lost


_IN_SERVICE: Final = fill_columns(
    """
    FROM inventory_accelerator card JOIN inventory_node node ON node.id = card.node_id
    LEFT JOIN (
        SELECT accelerator_id, count(*) AS taken FROM workloads_allocationdevice
        WHERE released_at IS NULL GROUP BY accelerator_id
    ) live ON live.accelerator_id = card.id
    WHERE node.state <> 'retired' AND {in_place}
""",
    in_place=IN_PLACE,
)
"""Cards of nodes in service, lost ones too, with their slots in use, counted for all at once.

A subquery for each card takes most of the time of a large site.
"""
_POOL_GPUS: Final = (
    """
SELECT each.pool_id, count(*), count(*) FILTER (WHERE each.taken > 0 AND NOT each.is_lost),
    count(*) FILTER (WHERE each.taken = 0 AND each.is_usable), count(*) FILTER (WHERE each.is_lost),
    coalesce(sum(each.slices) FILTER (WHERE each.slices > 1), 0)::bigint,
    coalesce(sum(each.slices - each.taken) FILTER (WHERE each.slices > 1 AND each.is_usable), 0)::bigint,
    bool_or(each.is_simulated)
FROM (
    SELECT card.pool_id, card.slices, card.is_simulated, coalesce(live.taken, 0) AS taken,
        card.state = 'ok' AND node.state = 'ready' AS is_usable, card.state = 'gone' AS is_lost
"""
    + _IN_SERVICE
    + ") each GROUP BY each.pool_id"
)
_CARDS: Final = (
    """
SELECT card.mode, card.slice_mib, card.mig_profiles, card.pool_id, card.node_id, card.model,
    card.memory_mib, card.slices, coalesce(live.taken, 0),
    card.state = 'ok' AND node.state = 'ready', card.is_simulated, card.state = 'gone'
"""
    + _IN_SERVICE
)


def pool_gpus_for_system() -> dict[UUID, PoolGpus]:
    """Return how many GPUs of each pool are held and free (one query)."""
    with connection.cursor() as cursor:
        cursor.execute(_POOL_GPUS)
        return {key: PoolGpus(*counts) for key, *counts in cursor.fetchall()}


def load_fleet_for_system() -> FleetState:
    """Return all cards, nodes and queue lengths."""
    in_service = Node.objects.exclude(state=NodeState.RETIRED)
    nodes = in_service.values_list("pool_id", "pk", "cpu_milli", "memory_mib")
    return FleetState(
        cards=_by_pool(_cards()),
        nodes=_by_pool(FleetNode(*row) for row in nodes),
        waiting=count_waiting_for_system(),
    )


def count_waiting_for_system() -> dict[UUID, int]:
    """Return how much work waits, by pool; a pool for which nothing waits is left out (one query)."""
    queued = Workload.objects.filter(state=WorkloadState.QUEUED).values("pool").order_by()
    return dict(queued.annotate(count=Count("pk")).values_list("pool", "count"))


def count_capacity(cards: Iterable[FleetCard], *, nodes: int, waiting: int) -> PoolCapacity:
    """Return the capacity of a pool with these cards; pure."""
    present = tuple(cards)
    usable = [card for card in present if card.is_usable]
    whole = [card for card in usable if not card.taken]
    shared = [card for card in present if card.slices > 1]
    free_slices = [card.slices - card.taken for card in usable if card.slices > 1]
    first = max(present, key=lambda card: card.memory_mib, default=None)
    return PoolCapacity(
        nodes=nodes,
        gpus_total=len(present),
        gpus_free=len(whole),
        gpus_lost=sum(card.is_lost for card in present),
        slices_total=sum(card.slices for card in shared),
        slices_free=sum(free_slices),
        largest_free=max(free_slices, default=0) if shared else _most_on_one_node(whole),
        waiting=waiting,
        is_simulated=any(card.is_simulated for card in present),
        model=first.model if first else "",
        memory_mib=first.memory_mib if first else 0,
    )


def count_models(cards: Iterable[FleetCard]) -> tuple[PoolModel, ...]:
    """Return how many GPUs of each model there are, the most first; pure."""
    found: dict[str, list[FleetCard]] = defaultdict(list)
    for card in cards:
        found[model_name(card.model)].append(card)
    models = (
        PoolModel(
            name=name,
            memory_mib=min(card.memory_mib for card in mine),
            gpus_total=len(mine),
            gpus_free=sum(card.is_usable and not card.taken for card in mine),
            known=find_gpu_model(name),
        )
        for name, mine in found.items()
    )
    return tuple(sorted(models, key=lambda model: (-model.gpus_total, model.name)))


def count_limits(
    cards: Iterable[FleetCard], nodes: Iterable[FleetNode], cpu_overcommit_pct: int
) -> RequestLimits:
    """Return the largest request that one of these nodes could run when empty; pure."""
    present, machines = tuple(card for card in cards if not card.is_lost), tuple(nodes)
    return RequestLimits(
        gpus_max=_most_on_one_node(card for card in present if card.slices == 1),
        slices_max=max(
            (card.slices for card in present if card.slices > 1 and not card.profiles), default=0
        ),
        gpu_memory_mib_max=max((card.shareable_mib for card in present), default=0),
        profiles=_names(profile for card in present for profile in card.profiles),
        cpu_milli_max=max((node.cpu_milli for node in machines), default=0)
        * cpu_overcommit_pct
        // 100,
        memory_mib_max=max((node.memory_mib for node in machines), default=0),
    )


def _names(profiles: Iterable[MigProfileSpec]) -> tuple[str, ...]:
    ordered = sorted(profiles, key=lambda item: (item.size, item.compute, item.name))
    return tuple(dict.fromkeys(profile.name for profile in ordered))


def _most_on_one_node(cards: Iterable[FleetCard]) -> int:
    counts: dict[UUID, int] = defaultdict(int)
    for card in cards:
        counts[card.node_id] += 1
    return max(counts.values(), default=0)


def _cards() -> list[FleetCard]:
    with connection.cursor() as cursor:
        cursor.execute(_CARDS)
        return [_card(*row) for row in cursor.fetchall()]


def _card(mode: str, slice_mib: int, profiles: str, *columns: Any) -> FleetCard:
    card = FleetCard(*columns)
    if mode == Pool.Mode.MIG:
        return replace(card, profiles=parse_mig_profiles(json.loads(profiles)))
    is_divided = mode == Pool.Mode.SHARED and card.slices == 1
    return replace(card, shareable_mib=slice_mib) if is_divided else card


def _by_pool(rows: Iterable[InPool]) -> dict[UUID, tuple[InPool, ...]]:
    found: dict[UUID, list[InPool]] = defaultdict(list)
    for row in rows:
        found[row.pool_id].append(row)
    return {pool_id: tuple(items) for pool_id, items in found.items()}
