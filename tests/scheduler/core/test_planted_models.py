"""Mistakes about models of cards, each noticed by the property that it breaks."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scheduler.core.capacity import pool_matrix
from scheduler.core.model.entities import AcceleratorId
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.placement.node_table import NodeTable
from scheduler.core.quotas.ceilings import CeilingBook
from scheduler.core.quotas.demand import DemandTable
from tests.scheduler.clusters import MODELS
from tests.scheduler.core import test_properties as rules
from tests.scheduler.scenario import snapshot_of

Plant = Callable[[pytest.MonkeyPatch], None]


def _world(*waiting: str, quotas: tuple[str, ...] = ()) -> Snapshot:
    """Return a world of two models, with the features and bandwidth that the properties know."""
    nodes = ["n1: 1 cards of A", "n2: 4 cards of B"]
    snapshot = snapshot_of({"nodes": nodes, "waiting": waiting, "quotas": quotas})
    cards = tuple(
        replace(card, features=MODELS[card.model][0], bandwidth_gbps=MODELS[card.model][1])
        for card in snapshot.accelerators
    )
    return replace(snapshot, accelerators=cards)


def _forget(name: str, nothing: object) -> Plant:
    """Let the kernel place as if requests did not choose their cards by this."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        real: Any = pool_matrix.shape_of
        patch.setattr(
            pool_matrix,
            "shape_of",
            lambda *given, **named: replace(real(*given, **named), **{name: nothing}),
        )

    return plant


def _any_kind_will_do(patch: pytest.MonkeyPatch) -> None:
    def allowed_kinds(table: NodeTable, _shape: object) -> object:
        return np.array([kind.memory_mib >= 0 for kind in table.kinds], np.bool_)

    patch.setattr(NodeTable, "allowed_kinds", allowed_kinds)


def _models_are_not_counted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(DemandTable, "gpu_milli_by_model", lambda *_: {})


def _quotas_of_models_leave_every_card(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CeilingBook, "narrow", lambda _book, work, _beside=None: work.request)


MODEL = _world("a: 2 cards, model A", "b: 1 cards, model A")
FEATURES = _world(*(f"x{n}: 1 cards, features fp8" for n in range(5)))
BANDWIDTH = _world(*(f"x{n}: 1 cards, 2000 GB/s" for n in range(5)))
QUOTA = _world("a: 2 cards, model B", "b: 2 cards, model B", quotas=("lab: 2 cards of B",))


@pytest.mark.parametrize(
    ("plant", "world"),
    [
        (_forget("models", frozenset()), MODEL),
        (_any_kind_will_do, MODEL),
        (_forget("features", frozenset()), FEATURES),
        (_forget("min_bandwidth_gbps", 0), BANDWIDTH),
        (_models_are_not_counted, QUOTA),
        (_quotas_of_models_leave_every_card, QUOTA),
    ],
)
def test_planted_bug_is_noticed(
    plant: Plant, world: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    check: Any = rules.test_a_plan_keeps_every_limit_and_answers_everybody
    check.hypothesis.inner_test(world)
    plant(monkeypatch)

    with pytest.raises(AssertionError):
        check.hypothesis.inner_test(world)


def test_a_chosen_model_is_what_the_plan_gives() -> None:
    plan = rules.plan_of(MODEL)

    given = {place.workload: place.placements[0].devices for place in plan.starts}
    assert given == {"b": ((AcceleratorId("n1.0"), 0),)}
