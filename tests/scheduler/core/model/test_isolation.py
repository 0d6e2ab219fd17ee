"""A pool accepts what it says, or stronger; a card that has less takes no work, and says why."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.dry_run import DryRunOutcome, evaluate_submission
from scheduler.core.model.isolation import (
    ISOLATION_LEVELS,
    SHARED_ISOLATION_LEVELS,
    IsolationLevel,
    is_isolation_sufficient,
)
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.scenario import snapshot_of
from wire.words import Isolation as OnTheWire

Offer = frozenset[IsolationLevel] | None
offers = st.none() | st.frozensets(st.sampled_from(ISOLATION_LEVELS))


def site(weakest: IsolationLevel, *offered: Offer) -> Snapshot:
    """Return one waiting notebook, and a node with one card per offer."""
    made = snapshot_of(
        {
            "pools": ["development: 4 slices of 8192 MiB"],
            "nodes": [f"d1: {len(offered)} cards in development"],
            "waiting": ["notebook: 1 slices in development"],
        }
    )
    pools = tuple(replace(pool, policy=PoolPolicy(isolation=weakest)) for pool in made.pools)
    cards = tuple(
        replace(card, isolation=offer)
        for card, offer in zip(made.accelerators, offered, strict=True)
    )
    return replace(made, pools=pools, accelerators=cards)


def placed_on(snapshot: Snapshot) -> list[str]:
    plan = run_cycle(snapshot, snapshot.taken_at)
    return [
        card
        for item in plan.starts
        for placement in item.placements
        for card, _ in placement.devices
    ]


def test_words_are_those_of_the_wire() -> None:
    assert [mode.value for mode in ISOLATION_LEVELS] == [mode.value for mode in OnTheWire]


@pytest.mark.parametrize("weakest", SHARED_ISOLATION_LEVELS)
@given(one=offers, other=offers)
def test_work_is_placed_on_cards_that_suffice_and_on_no_others(
    weakest: IsolationLevel, one: Offer, other: Offer
) -> None:
    snapshot = site(weakest, one, other)
    able = {
        card.id
        for card in snapshot.accelerators
        if card.isolation is None
        or card.isolation & set(ISOLATION_LEVELS[1 : ISOLATION_LEVELS.index(weakest) + 1])
    }
    placed = set(placed_on(snapshot))
    assert placed <= able
    assert bool(placed) == bool(able)


def test_waiting_work_is_told_what_is_missing() -> None:
    snapshot = site(
        IsolationLevel.CGROUP, frozenset({IsolationLevel.MPS, IsolationLevel.TIMESLICE})
    )
    (hold,) = run_cycle(snapshot, snapshot.taken_at).holds
    params: dict[str, int | str] = {
        "isolation": "cgroup",
        "resource": "slices",
        "requested": 1,
        "most": 0,
    }
    assert hold.reasons == (Reason(ReasonCode.ISOLATION_UNAVAILABLE, params),)


def test_dry_run_says_the_same_and_refuses_nothing() -> None:
    snapshot = site(IsolationLevel.MIG, frozenset({IsolationLevel.CGROUP}))
    (work,) = snapshot.pending
    verdict = evaluate_submission(replace(snapshot, pending=()), work)
    assert verdict.outcome is DryRunOutcome.WAITS
    assert [reason.code for reason in verdict.reasons] == [ReasonCode.ISOLATION_UNAVAILABLE]


def test_whole_cards_need_no_mode_unless_the_hardware_is_cut() -> None:
    for offered, expected in (
        (None, True),
        (frozenset[IsolationLevel](), True),
        (frozenset({IsolationLevel.EXCLUSIVE}), True),
        (frozenset({IsolationLevel.MIG}), False),
    ):
        assert is_isolation_sufficient(offered, IsolationLevel.TIMESLICE, is_cut=False) is expected


@pytest.mark.parametrize("wrong", [{"isolation": IsolationLevel.EXCLUSIVE}, {"burst_pct": 99}])
def test_rules_without_a_meaning_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="keeps its guarantee"):
        PoolPolicy(**wrong)  # type: ignore[arg-type]
