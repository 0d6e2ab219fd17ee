"""What holds for every cluster and every queue."""

import json
import random
from collections import defaultdict
from dataclasses import fields, replace
from typing import Any, TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Placement, PoolView, RunningWorkload
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.snapshot_codec import decode_snapshot, encode_snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.quotas.ceilings import row_key
from tests.scheduler.clusters import MODELS, POOLS, snapshots
from tests.scheduler.counting import after

Row = TypeVar("Row")


def plan_of(snapshot: Snapshot) -> Plan:
    return run_cycle(snapshot, snapshot.taken_at)


@settings(max_examples=60)
@given(snapshots())
def test_a_plan_keeps_every_limit_and_answers_everybody(snapshot: Snapshot) -> None:
    plan = plan_of(snapshot)

    then = after(snapshot, plan)  # counting fails if a slot is given twice

    _assert_no_node_is_overcommitted(plan, then)
    _assert_every_rank_gets_what_it_asked_for(snapshot, plan, then)
    _assert_no_quota_is_exceeded(snapshot, then)
    _assert_everything_is_placed_or_told_why_not(snapshot, plan)


def _assert_no_node_is_overcommitted(plan: Plan, then: Snapshot) -> None:
    touched = {placement.node for place in plan.starts for placement in place.placements}
    for node in then.nodes:
        if node.id in touched:
            assert node.state is NodeState.READY
            assert node.cpu_used_milli <= node.cpu_milli
            assert node.memory_used_mib <= node.memory_mib


def _assert_every_rank_gets_what_it_asked_for(
    snapshot: Snapshot, plan: Plan, then: Snapshot
) -> None:
    placed = {place.workload for place in plan.starts}
    for workload in then.running:
        if workload.id in placed:
            assert len(workload.placements) == workload.request.replicas
            for placement in workload.placements:
                _assert_as_asked(snapshot, workload, placement)


def _assert_as_asked(snapshot: Snapshot, workload: RunningWorkload, placement: Placement) -> None:
    request = workload.request
    cards = {card.id: card for card in snapshot.accelerators}
    held = [cards[card] for card, _ in placement.devices]
    shares = 1 if request.gpu_milli else 0
    assert len(held) == len(set(placement.devices)) == request.gpus + request.slices + shares
    assert len({card.id for card in held}) == (1 if request.slices else request.gpus + shares)
    for card, (_, slot) in zip(held, placement.devices, strict=True):
        assert (card.node, card.pool) == (placement.node, workload.pool)
        assert card.state is AcceleratorState.OK
        assert slot in set(range(card.slices)) - card.taken_slots
        assert card.is_sliced == (request.slices > 0)
        assert not request.gpu_models or card.model in request.gpu_models
        features, bandwidth_gbps = MODELS[card.model]
        assert request.gpu_features <= features
        assert request.gpu_bandwidth_min_gbps <= bandwidth_gbps


def _assert_no_quota_is_exceeded(snapshot: Snapshot, then: Snapshot) -> None:
    before = {row_key(row): row.used for row in snapshot.quotas}
    for row in then.quotas:
        was = before[row_key(row)]
        assert row.ceiling is None or row.used <= max(row.ceiling, was)
    _assert_user_limits(snapshot, then)


def _assert_user_limits(before: Snapshot, then: Snapshot) -> None:
    most = {row_key(row): row.user_ceiling for row in then.quotas}
    was = {(use.user, row_key(use)): use.used for use in before.user_use}
    for use in then.user_use:
        ceiling = most.get(row_key(use))
        held = was.get((use.user, row_key(use)), 0)
        assert ceiling is None or use.used <= max(ceiling, held)
    for counters in then.counters:
        assert counters.running_max is None or counters.running <= counters.running_max


def _assert_everything_is_placed_or_told_why_not(snapshot: Snapshot, plan: Plan) -> None:
    placed = [place.workload for place in plan.starts]
    held = [hold.workload for hold in plan.holds]
    assert sorted(placed + held) == sorted(item.id for item in snapshot.pending)
    positions = defaultdict(list)
    for hold in plan.holds:
        assert hold.reasons
        positions[hold.pool].append(hold.position)
    assert all(
        sorted(numbers) == list(range(1, len(numbers) + 1)) for numbers in positions.values()
    )


@given(snapshots(), st.randoms())
def test_neither_the_order_of_rows_nor_a_dump_changes_the_plan(
    snapshot: Snapshot, chance: random.Random
) -> None:
    def shuffle(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(chance.sample(rows, len(rows)))

    rows: dict[str, Any] = {
        field.name: shuffle(value)
        for field in fields(snapshot)
        if isinstance(value := getattr(snapshot, field.name), tuple)
    }

    dumped = decode_snapshot(json.loads(json.dumps(encode_snapshot(snapshot))))

    assert dumped == snapshot
    assert plan_of(replace(dumped, **rows)) == plan_of(snapshot)


@given(snapshots(), st.sampled_from(POOLS))
def test_a_second_cycle_finds_nothing_more_to_place(snapshot: Snapshot, pool: PoolView) -> None:
    in_one_pool = tuple(item for item in snapshot.pending if item.pool == pool.id)
    once = replace(snapshot, pending=in_one_pool)

    then = after(once, plan_of(once))

    assert plan_of(then).starts == ()


@given(snapshots())
def test_held_for_capacity_means_that_it_would_not_fit_alone(snapshot: Snapshot) -> None:
    for workload in snapshot.pending:
        alone = replace(snapshot, pending=(workload,), quotas=(), counters=())

        could = workload.request.replicas == 1 and _fits_somewhere(snapshot, workload.id)

        if workload.request.replicas == 1:
            assert bool(plan_of(alone).starts) == could


def _fits_somewhere(snapshot: Snapshot, workload_id: str) -> bool:
    """Try every node and every card, without any of the engine's own arithmetic."""
    workload = next(item for item in snapshot.pending if item.id == workload_id)
    request = workload.request
    for node in snapshot.nodes:
        cards = [c for c in snapshot.accelerators if c.node == node.id and c.pool == workload.pool]
        good = [
            card
            for card in cards
            if card.state is AcceleratorState.OK
            and (not request.gpu_models or card.model in request.gpu_models)
            and request.gpu_features <= MODELS[card.model][0]
            and request.gpu_bandwidth_min_gbps <= MODELS[card.model][1]
        ]
        free = [card for card in good if not card.taken_slots and not card.gpu_milli_taken]
        has_share = not request.gpu_milli or any(
            1000 - card.gpu_milli_taken >= request.gpu_milli
            and card.memory_mib - card.gpu_memory_taken_mib >= request.gpu_memory_mib
            for card in good
            if not card.taken_slots
        )
        has_slices = not request.slices or any(
            card.slices - len(card.taken_slots) >= request.slices for card in good
        )
        has_rest = (
            node.cpu_milli - node.cpu_used_milli >= request.cpu_milli
            and node.memory_mib - node.memory_used_mib >= request.memory_mib
        )
        has_cards = len(free) >= request.gpus and has_share
        if cards and node.state is NodeState.READY and has_cards and has_slices and has_rest:
            return True
    return False
