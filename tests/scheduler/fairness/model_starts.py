"""Worlds and the rule of waits behind the quota of one model: each names its end, and none too early."""

from collections import Counter
from dataclasses import replace

from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    NodeId,
    PendingWorkload,
    QuotaView,
)
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.counting import held_by, recounted
from tests.scheduler.fairness.expected_starts import (
    busy_worlds,
    expected_starts_contradict_no_promise,
)
from tests.scheduler.fairness.worlds import paths

MODELS = ("A", "B")


@st.composite
def worlds_of_models(draw: st.DrawFn) -> Snapshot:
    """A busy pool of two models, each node of one; some work names its model, some groups may hold few.

    Only the quotas of models are limits: nobody deserves anything, and nothing is evicted.
    """
    world = draw(busy_worlds())
    of_node = {node.id: draw(st.sampled_from(MODELS)) for node in world.nodes}
    chosen = st.sampled_from([frozenset[str](), frozenset({"A"}), frozenset({"B"})])
    most = st.sampled_from([None, 0, 1000, 2000, 3000])
    pool = world.pools[0]
    policy = replace(pool.policy, preemption=False, reclaim=False)
    return recounted(
        replace(
            world,
            pools=(replace(pool, policy=policy),),
            accelerators=tuple(
                replace(card, model=of_node[card.node]) for card in world.accelerators
            ),
            pending=tuple(
                replace(work, request=replace(work.request, gpu_models=draw(chosen)))
                for work in world.pending
            ),
            quotas=tuple(
                QuotaView(group.id, pool.id, Resource.GPU, ceiling, model=model)
                for group in world.groups
                for model in MODELS
                if (ceiling := draw(most)) is not None
            ),
        )
    )


def waits_for_a_model_name_their_end(world: Snapshot) -> None:
    """A wait for the quota of a model ends when its holders do, and not before they can have ended."""
    expected_starts_contradict_no_promise(world)
    plan = run_cycle(world, world.taken_at)
    pending = {work.id: work for work in world.pending}
    promised = {each.workload for each in plan.reservations}
    for hold in plan.holds:
        of_model = [reason for reason in hold.reasons if reason.params.get("model")]
        if not of_model or hold.workload in promised:
            continue
        work = pending[hold.workload]
        if hold.expected is not None:
            at = hold.expected.latest
            assert any(_has_room(world, work, model, at) for model in _accepted(work)), hold
        elif {reason.code for reason in hold.reasons} == {ReasonCode.QUOTA_CEILING}:
            assert not _could_ever_start(world, work), f"no end: {hold}"


def _accepted(work: PendingWorkload) -> frozenset[str]:
    return work.request.gpu_models or frozenset(MODELS)


def _has_room(world: Snapshot, work: PendingWorkload, model: str, at: Millis) -> bool:
    """Return whether what runs now leaves room under the quotas of the model, by its time limits."""
    return all(
        _held(world, row.group, model, at) + work.request.gpus * 1000 <= (row.ceiling or 0)
        for row in _rows(world, work, model)
    )


def _held(world: Snapshot, group: GroupId, model: str, at: Millis) -> int:
    above = paths(world)
    return sum(
        held_by(run, world)[Resource.GPU, model]
        for run in world.running
        if group in above[run.group] and run.ends_at is not None and run.ends_at > at
    )


def _could_ever_start(world: Snapshot, work: PendingWorkload) -> bool:
    """Return whether a node of some model can hold the work, once everything has ended."""
    for model in _accepted(work):
        cards: Counter[NodeId] = Counter(
            card.node for card in world.accelerators if card.model == model
        )
        fits = any(count >= work.request.gpus for count in cards.values())
        rows = _rows(world, work, model)
        if fits and all(work.request.gpus * 1000 <= (row.ceiling or 0) for row in rows):
            return True
    return False


def _rows(world: Snapshot, work: PendingWorkload, model: str) -> list[QuotaView]:
    path = paths(world)[work.group]
    return [row for row in world.quotas if row.model == model and row.group in path]
