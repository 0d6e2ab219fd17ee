"""Pools and nodes put together for the reader, in a fixed number of queries per page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.fleet.capacity import FleetState, load_fleet
from portal.fleet.slot_holders import NodeUse, SlotHolder, holders_by_card, use_by_node
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.policy import read_policy
from portal.tenancy import policies
from scheduler.core.model.states import AcceleratorState

_POOL_COLUMNS = (
    "id",
    "name",
    "title_en",
    "title_zh",
    "purpose",
    "mode",
    "slices_per_card",
    "slice_mib",
    "cpu_overcommit_pct",
    "default_time_limit_s",
    "time_limit_s_max",
    "is_open",
)
_NODE_COLUMNS = (
    "id",
    "name",
    "pool",
    "state",
    "hold",
    "drain_until",
    "drain_stops",
    "faults",
    "runtime",
    "is_isolated",
    "cpu_milli",
    "memory_mib",
    "agent_version",
    "last_seen_at",
)
_CARD_COLUMNS = (
    "id",
    "uuid",
    "index",
    "vendor",
    "model",
    "memory_mib",
    "mode",
    "slices",
    "state",
    "fault",
    "island",
    "isolation",
    "driver",
    "is_simulated",
    "utilisation_pct",
    "memory_used_mib",
    "power_mw",
    "temperature_c",
)


def present_pools(pools: Iterable[Pool]) -> list[dict[str, Any]]:
    """Return pools with what is free in each of them now."""
    now_there = load_fleet()
    return [_pool(pool, now_there) for pool in pools]


def present_nodes(actor: Actor, nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Return nodes with their cards, and who holds them as far as the actor may know."""
    cards = {node.pk: _present_cards(node) for node in nodes}
    holders = holders_by_card(actor, [card.pk for found in cards.values() for card in found])
    uses = use_by_node(list(cards))
    shows_address = policies.can(actor, Action.NODE_MANAGE, None)
    return [
        {
            **_columns(node, _NODE_COLUMNS),
            "address": node.address if shows_address else "",
            "cpu_used_milli": uses.get(node.pk, NodeUse()).cpu_milli,
            "memory_used_mib": uses.get(node.pk, NodeUse()).memory_mib,
            "containers_held": uses.get(node.pk, NodeUse()).containers,
            "accelerators": [_card(card, holders) for card in cards[node.pk]],
        }
        for node in nodes
    ]


def _pool(pool: Pool, now_there: FleetState) -> dict[str, Any]:
    rules = read_policy(pool.name, pool.policy)
    limits = now_there.count_limits(pool.pk, cpu_overcommit_pct=pool.cpu_overcommit_pct)
    return {
        **_columns(pool, _POOL_COLUMNS),
        "isolation": rules.isolation.value,
        "capacity": asdict(now_there.count_capacity(pool.pk)),
        "limits": {**asdict(limits), "burst_pct": rules.burst_pct},
    }


def _present_cards(node: Node) -> list[Accelerator]:
    """Return the cards that a node speaks of, also those that it has lost by an error."""
    present = [
        card
        for card in node.accelerators.all()
        if card.state != AcceleratorState.GONE or card.fault != "gpu_missing"
    ]
    return sorted(present, key=lambda card: card.index)


def _card(card: Accelerator, holders: Mapping[UUID, list[SlotHolder]]) -> dict[str, Any]:
    return {
        **_columns(card, _CARD_COLUMNS),
        "is_retest_due": card.retests_asked > card.retests_done,
        "holders": holders.get(card.pk, []),
    }


def _columns(row: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
