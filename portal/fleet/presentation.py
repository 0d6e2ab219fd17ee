"""Pools and nodes as the API shows them, read in a fixed number of queries per page."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Q

from portal.audit.versions import POOL, UNCHANGED, read_versions
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.projection import Extended, project_all
from portal.fleet.capacity import FleetState, PoolCapacity, PoolModel, load_fleet_for_system
from portal.fleet.shapes import AcceleratorOutput, NodeOutput, PoolOutput
from portal.fleet.slot_holders import NodeUse, SlotHolder, holders_by_card, use_by_node
from portal.inventory.card_facts import REMOVED
from portal.inventory.gpu_models import find_gpu_model
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.policy import read_policy
from portal.tenancy import policies
from portal.workloads.operations.node_loss import find_loss_faults
from portal.workloads.operations.node_state import silent_since
from scheduler.core.model.gpu_model import GpuModel
from scheduler.core.model.states import AcceleratorState

_CardRow = Mapping[str, Any]
_CARD_COLUMNS: Final = AcceleratorOutput().fields.keys() - {"holders", "is_retest_due"}
"""What a card shows, read as values: the cards of a page as objects cost a third of its time."""
_IS_RETEST_DUE: Final = Q(retests_done__lt=F("retests_asked"))


@dataclass(frozen=True, slots=True)
class _PoolFields:
    """Fields of a pool that are no columns."""

    isolation: str
    capacity: PoolCapacity
    limits: Extended
    models: Sequence[PoolModel]
    version: int


@dataclass(frozen=True, slots=True)
class _BurstLimit:
    """The limit that the policy sets beside those of the cards and nodes."""

    burst_pct: int


@dataclass(frozen=True, slots=True)
class _NodeModel:
    """A model of GPUs that a node has."""

    name: str
    known: GpuModel | None


@dataclass(frozen=True, slots=True)
class _NodeFields:
    """Fields of a node that are no columns, and those that depend on the reader."""

    address: str
    cpu_used_milli: int
    memory_used_mib: int
    containers_held: int
    faults: list[Mapping[str, Any]]
    silent_since: datetime | None
    models: Sequence[_NodeModel]
    accelerators: list[Extended]


@dataclass(frozen=True, slots=True)
class _CardFields:
    """Fields of a card that are no columns."""

    holders: Sequence[SlotHolder]


def present_pools(actor: Actor, pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """Return pools with what is free in each of them now; versions to those who may change them."""
    fleet = load_fleet_for_system()
    may_change = policies.can(actor, Action.POOL_MANAGE, None)
    versions = read_versions(POOL, [pool.pk for pool in pools]) if may_change else {}
    return project_all(
        PoolOutput,
        (
            Extended(pool, _pool_fields(pool, fleet, versions.get(str(pool.pk), UNCHANGED)))
            for pool in pools
        ),
    )


def present_nodes(actor: Actor, nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Return nodes with their cards, and the work on them as far as the actor may see it."""
    cards = _present_cards(nodes)
    holders = holders_by_card(actor, list(cards))
    uses = use_by_node(list(cards))
    shows_address = policies.can(actor, Action.NODE_MANAGE, None)
    return project_all(
        NodeOutput,
        (
            Extended(
                node,
                _node_fields(
                    node,
                    node.address if shows_address else "",
                    uses.get(node.pk, NodeUse()),
                    cards[node.pk],
                    holders,
                ),
            )
            for node in nodes
        ),
    )


def _pool_fields(pool: Pool, fleet: FleetState, version: int) -> _PoolFields:
    policy = read_policy(pool.name, pool.policy)
    limits = fleet.count_limits(pool.pk, cpu_overcommit_pct=pool.cpu_overcommit_pct)
    return _PoolFields(
        isolation=policy.isolation.value,
        capacity=fleet.count_capacity(pool.pk),
        limits=Extended(limits, _BurstLimit(policy.burst_pct)),
        models=fleet.count_models(pool.pk),
        version=version,
    )


def _node_fields(
    node: Node,
    address: str,
    use: NodeUse,
    cards: Collection[_CardRow],
    holders: Mapping[UUID, Sequence[SlotHolder]],
) -> _NodeFields:
    return _NodeFields(
        address=address,
        cpu_used_milli=use.cpu_milli,
        memory_used_mib=use.memory_mib,
        containers_held=use.containers,
        faults=[*node.faults, *find_loss_faults(node)],
        silent_since=silent_since(node),
        models=_models(cards),
        accelerators=[Extended(card, _CardFields(holders.get(card["id"], ()))) for card in cards],
    )


def _models(cards: Iterable[_CardRow]) -> list[_NodeModel]:
    """Return the models of these cards, each once, in the order of the cards."""
    reported = dict.fromkeys(card["model"] for card in cards)
    known = ((name, find_gpu_model(name)) for name in reported)
    found = {model.name if model else name: model for name, model in known}
    return [_NodeModel(name, model) for name, model in found.items()]


def _present_cards(nodes: Sequence[Node]) -> Mapping[UUID, list[_CardRow]]:
    """Return by node the cards that it reports, and those that it has lost (one query)."""
    away = Q(state=AcceleratorState.GONE.value, fault=REMOVED)
    rows = Accelerator.objects.filter(~away, node__in=nodes).order_by("node", "index")
    found: dict[UUID, list[_CardRow]] = {node.pk: [] for node in nodes}
    for row in rows.values("node", *_CARD_COLUMNS, is_retest_due=_IS_RETEST_DUE):
        found[row["node"]].append(row)
    return found
