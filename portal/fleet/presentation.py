"""Pools and nodes as the API shows them, read in a fixed number of queries per page."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.projection import Extended, project_all
from portal.fleet.capacity import FleetState, PoolCapacity, PoolModel, load_fleet
from portal.fleet.shapes import NodeOutput, PoolOutput
from portal.fleet.slot_holders import NodeUse, SlotHolder, holders_by_card, use_by_node
from portal.inventory.gpu_models import find_gpu_model
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.policy import read_policy
from portal.tenancy import policies
from portal.workloads.operations.node_loss import find_loss_faults
from portal.workloads.operations.node_state import silent_since
from scheduler.core.model.gpu_model import GpuModel
from scheduler.core.model.states import AcceleratorState


@dataclass(frozen=True, slots=True)
class _PoolFields:
    """Fields of a pool that are no columns."""

    isolation: str
    capacity: PoolCapacity
    limits: Extended
    models: Sequence[PoolModel]


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


def present_pools(pools: Iterable[Pool]) -> list[dict[str, Any]]:
    """Return pools with what is free in each of them now."""
    fleet = load_fleet()
    return project_all(PoolOutput, (Extended(pool, _pool_fields(pool, fleet)) for pool in pools))


def present_nodes(actor: Actor, nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Return nodes with their cards, and the work on them as far as the actor may see it."""
    cards = {node.pk: _present_cards(node) for node in nodes}
    holders = holders_by_card(actor, [card.pk for found in cards.values() for card in found])
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


def _pool_fields(pool: Pool, fleet: FleetState) -> _PoolFields:
    policy = read_policy(pool.name, pool.policy)
    limits = fleet.count_limits(pool.pk, cpu_overcommit_pct=pool.cpu_overcommit_pct)
    return _PoolFields(
        isolation=policy.isolation.value,
        capacity=fleet.count_capacity(pool.pk),
        limits=Extended(limits, _BurstLimit(policy.burst_pct)),
        models=fleet.count_models(pool.pk),
    )


def _node_fields(
    node: Node,
    address: str,
    use: NodeUse,
    cards: Collection[Accelerator],
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
        accelerators=[Extended(card, _CardFields(holders.get(card.pk, ()))) for card in cards],
    )


def _models(cards: Iterable[Accelerator]) -> list[_NodeModel]:
    """Return the models of these cards, each once, in the order of the cards."""
    reported = dict.fromkeys(card.model for card in cards)
    known = ((name, find_gpu_model(name)) for name in reported)
    found = {model.name if model else name: model for name, model in known}
    return [_NodeModel(name, model) for name, model in found.items()]


def _present_cards(node: Node) -> list[Accelerator]:
    """Return the cards that a node reports, and those that it has lost by an error."""
    present = [
        card
        for card in node.accelerators.all()
        if card.state != AcceleratorState.GONE or card.fault != "gpu_missing"
    ]
    return sorted(present, key=lambda card: card.index)
