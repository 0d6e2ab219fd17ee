"""The small cluster and organisation that every run begins with."""

import random
from collections.abc import Mapping
from dataclasses import replace

from scheduler.core.invariants.facts import CardFact, Facts, NodeFact
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    NodeId,
    PoolId,
    PoolView,
    QuotaView,
    UserId,
)
from scheduler.core.model.policy import LendingPolicy, PoolPolicy
from scheduler.core.model.resources import Resource
from scheduler.core.model.states import AcceleratorState
from tests.simulation.store import NodeRow, Store
from wire.facts import AcceleratorFacts
from wire.words import SilenceTerm

ROOT, LEFT, RIGHT = GroupId("root"), GroupId("left"), GroupId("right")
TRAINING, DEVELOPMENT = PoolId("training"), PoolId("development")
USERS = {LEFT: (UserId("ada"), UserId("bo")), RIGHT: (UserId("chen"), UserId("dai"))}

SHAPE = {
    NodeId("t1"): (TRAINING, 4),
    NodeId("t2"): (TRAINING, 4),
    NodeId("t3"): (TRAINING, 2),
    NodeId("d1"): (DEVELOPMENT, 2),
}
"""Nodes with their pool and number of cards."""

POOLS = (
    PoolView(TRAINING, "training", policy=PoolPolicy(min_runtime_s=10, grace_s=5)),
    PoolView(
        DEVELOPMENT,
        "development",
        slices_per_card=4,
        slice_mib=4096,
        policy=PoolPolicy(
            min_runtime_s=10, grace_s=5, lending=LendingPolicy(frozenset({TRAINING}), keep_gpus=1)
        ),
    ),
)
"""Everything that the policies allow happens within minutes: lending, calling back, eviction."""

GROUPS = (
    GroupView(ROOT, "root", (ROOT,)),
    GroupView(LEFT, "left", (ROOT, LEFT)),
    GroupView(RIGHT, "right", (ROOT, RIGHT)),
)
CARD_MIB = 32_768
NODE_CPU, NODE_MEMORY = 64_000, 262_144


def draw_terms(seed: int) -> dict[PoolId, SilenceTerm]:
    """Draw what each pool does with work whose node is silent."""
    rng = random.Random(f"{seed} terms of silence")
    return {pool.id: rng.choice(list(SilenceTerm)) for pool in POOLS}


def draw_grace_s(seed: int) -> int:
    """Draw how long work has to end that is stopped: mostly as short as everything else here."""
    return random.Random(f"{seed} grace").choice((5, 5, 5, 60))


def new_store(terms: Mapping[PoolId, SilenceTerm], grace_s: int) -> Store:
    """Return the rows of the cluster before anything has happened."""
    pools = tuple(
        replace(pool, policy=replace(pool.policy, silence=terms[pool.id], grace_s=grace_s))
        for pool in POOLS
    )
    store = Store(pools=pools, groups=GROUPS, quotas=_quotas())
    for node, (pool, count) in SHAPE.items():
        store.nodes[node] = NodeRow(node, pool, NODE_CPU, NODE_MEMORY)
        slices = next(p.slices_per_card for p in POOLS if p.id == pool)
        for index in range(count):
            card = AcceleratorId(card_name(node, index))
            store.cards[card] = AcceleratorView(
                card, node, pool, "Sim", CARD_MIB, AcceleratorState.OK, slices, index=index
            )
    return store


def card_name(node: NodeId, index: int) -> str:
    """Return the UUID of a card."""
    return f"{node}-card{index}"


def card_facts(node: NodeId) -> list[AcceleratorFacts]:
    """Return a node's cards as its driver sees them."""
    return [
        AcceleratorFacts(
            uuid=card_name(node, index),
            index=index,
            vendor="sim",
            model="Sim",
            memory_mib=CARD_MIB,
            simulated=True,
        )
        for index in range(SHAPE[node][1])
    ]


def fixed_facts() -> Facts:
    """Return the part of the facts that never changes in a run."""
    slices = {pool.id: pool.slices_per_card for pool in POOLS}
    return Facts(
        nodes=tuple(NodeFact(node, NODE_CPU, NODE_MEMORY) for node in SHAPE),
        cards=tuple(
            CardFact(
                AcceleratorId(card_name(node, index)),
                node,
                pool,
                slices=slices[pool],
                slice_mib=4096,
                reserve_mib=0,
                memory_mib=CARD_MIB,
            )
            for node, (pool, count) in SHAPE.items()
            for index in range(count)
        ),
        ancestry=tuple((group.id, group.path) for group in GROUPS),
    )


def _quotas() -> list[QuotaView]:
    """Tight enough that the ceilings of a group, of all and of one user are all reached."""
    return [
        QuotaView(ROOT, None, Resource.GPU, ceiling=11_000),
        QuotaView(LEFT, None, Resource.GPU, ceiling=6_000, user_ceiling=5_000, deserved=5_000),
        QuotaView(RIGHT, None, Resource.GPU, ceiling=6_000, deserved=5_000),
        QuotaView(RIGHT, DEVELOPMENT, Resource.GPU, ceiling=1_000),
        QuotaView(LEFT, None, Resource.CPU, ceiling=64_000),
    ]
