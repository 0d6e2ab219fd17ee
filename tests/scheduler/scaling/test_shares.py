"""Share goes to latency services near their target, from those above their guarantee, and comes back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.scaling.shares import (
    EASY_MS,
    HeldShare,
    ShareHolder,
    ShareLoan,
    SharePlan,
    ShareReason,
    ShareState,
    plan_shares,
)

CHAT = HeldShare("chat", ShareHolder.LATENCY, 1_000, 1_000, 4_000, latency_permille=900)
BATCH = HeldShare("batch", ShareHolder.THROUGHPUT, 2_000, 500, 4_000)
NOTEBOOK = HeldShare("notebook", ShareHolder.NOTEBOOK, 1_000, 250, 1_000)
LOANED = HeldShare("loaned", ShareHolder.BORROWED, 100, 0, 1_000)


def after(holders: tuple[HeldShare, ...], plan: SharePlan) -> tuple[HeldShare, ...]:
    """The holders once the steps are made."""
    change: dict[str, int] = {}
    for step in plan.steps:
        change[step.giver] = change.get(step.giver, 0) - step.milli
        change[step.taker] = change.get(step.taker, 0) + step.milli
    return tuple(
        replace(each, share_milli=each.share_milli + change.get(each.key, 0)) for each in holders
    )


def test_near_its_target_it_takes_borrowed_gpus_first_then_throughput() -> None:
    plan = plan_shares(0, (CHAT, BATCH, NOTEBOOK, LOANED), ShareState())

    assert [(step.giver, step.milli, step.reason) for step in plan.steps] == [
        ("loaned", 100, ShareReason.NEAR_TARGET),
        ("batch", 150, ShareReason.NEAR_TARGET),
    ]
    assert dict(plan.steps[1].params) == {
        "latency_permille": 900,
        "share_milli": 1_100,
        "milli": 150,
        "above_milli": 1_500,
    }


def test_far_from_its_target_it_takes_nothing() -> None:
    assert plan_shares(0, (replace(CHAT, latency_permille=700), BATCH), ShareState()).steps == ()


def test_below_its_guarantee_it_gets_what_was_promised_whatever_its_latency() -> None:
    starved = replace(CHAT, share_milli=200, latency_permille=0)

    (step,) = plan_shares(0, (starved, BATCH), ShareState()).steps

    assert (step.milli, step.reason) == (800, ShareReason.BELOW_GUARANTEE)


@pytest.mark.parametrize(
    ("holders", "reason"),
    [
        ((replace(CHAT, ceiling_milli=1_000), BATCH), ShareReason.AT_CEILING),
        ((CHAT, replace(BATCH, share_milli=500)), ShareReason.NOBODY_ABOVE),
    ],
)
def test_what_keeps_it_from_taking_is_said(
    holders: tuple[HeldShare, ...], reason: ShareReason
) -> None:
    (step,) = plan_shares(0, holders, ShareState()).steps

    assert (step.milli, step.reason) == (0, reason)


def test_it_gives_back_after_it_was_easy_for_long_enough_and_no_more_than_it_can_spare() -> None:
    holders = (replace(CHAT, share_milli=2_000, latency_permille=500), BATCH)
    lent = ShareState(loans=(ShareLoan("batch", "chat", 1_000),))

    first = plan_shares(1_000, holders, lent)
    soon = plan_shares(1_000 + EASY_MS - 1, holders, first.state)
    later = plan_shares(1_000 + EASY_MS, holders, soon.state)

    assert first.steps == soon.steps == ()
    (step,) = later.steps
    assert (step.giver, step.taker, step.milli) == ("chat", "batch", 2_000 - 1_177)
    assert later.state.loans == (ShareLoan("batch", "chat", 177),)


def test_the_one_furthest_beyond_its_target_takes_first() -> None:
    worse = replace(CHAT, key="worse", latency_permille=1_400)
    little = replace(BATCH, share_milli=700)

    plan = plan_shares(0, (CHAT, worse, little), ShareState())

    assert [(step.taker, step.milli) for step in plan.steps] == [
        ("worse", 200),
        ("worse", 0),
        ("chat", 0),
    ]


HOLDERS = st.lists(
    st.builds(
        HeldShare,
        st.sampled_from("abcdefgh"),
        st.sampled_from(ShareHolder),
        st.integers(0, 4_000),
        st.integers(0, 2_000),
        st.integers(2_000, 4_000),
        st.integers(0, 2_000),
    ),
    unique_by=lambda each: each.key,
    max_size=8,
).map(tuple)


@given(HOLDERS, st.lists(st.integers(0, 300_000), min_size=1, max_size=5))
def test_shares_add_up_and_nobody_gives_what_was_promised(
    holders: tuple[HeldShare, ...], pauses: list[int]
) -> None:
    state, now = ShareState(), 0
    for pause in pauses:
        now += pause
        plan = plan_shares(now, holders, state)
        moved = after(holders, plan)
        assert sum(each.share_milli for each in moved) == sum(h.share_milli for h in holders)
        for old, new in zip(holders, moved, strict=True):
            if new.share_milli < old.share_milli:
                assert new.share_milli >= new.guarantee_milli
            if new.share_milli > old.share_milli:
                assert new.share_milli <= new.ceiling_milli
        state, holders = plan.state, moved


@given(HOLDERS)
def test_a_latency_service_never_gives_what_it_has_not_taken(
    holders: tuple[HeldShare, ...],
) -> None:
    latency = {each.key for each in holders if each.holder is ShareHolder.LATENCY}
    plan = plan_shares(EASY_MS, holders, ShareState(easy_since=tuple((k, 0) for k in latency)))

    assert not latency & {step.giver for step in plan.steps}
