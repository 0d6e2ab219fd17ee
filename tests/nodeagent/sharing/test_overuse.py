"""Fault F35: a share without a wall. Who is warned, who is stopped, and who never is."""

from hypothesis import given
from hypothesis import strategies as st

from nodeagent.core.state import ContainerKey
from nodeagent.sharing.overuse import (
    GRACE_MS,
    GpuHolding,
    OveruseAction,
    OveruseState,
    OveruseStop,
    OveruseWarning,
    evaluate_overuse,
)

A, B, C = (ContainerKey(f"{name}.0", 1) for name in "abc")
CARD = "GPU-1"
NOTHING_KNOWN: dict[str, int] = {}


def held(
    key: ContainerKey, used: int, guarantee: int = 4096, ceiling: int | None = None
) -> GpuHolding:
    return GpuHolding(key, CARD, used, guarantee, ceiling or guarantee)


def over_time(samples: list[list[GpuHolding]], step_ms: int) -> list[tuple[int, OveruseAction]]:
    """Look again and again, and return what was done when."""
    watch, done = OveruseState(), []
    for index, holdings in enumerate(samples):
        watch, acts = evaluate_overuse(watch, holdings, NOTHING_KNOWN, index * step_ms)
        done += [(index * step_ms, act) for act in acts]
    return done


def test_within_the_margin_is_left_alone() -> None:
    assert over_time([[held(A, 4300)]] * 30, 2_000) == []


def test_f35_too_much_for_ten_seconds_is_warned_of_then_stopped_and_nobody_else() -> None:
    done = over_time([[held(A, 4400), held(B, 4096)]] * 12, 2_000)
    (warned_at, warn), (stopped_at, stop) = done[:2]
    assert isinstance(warn, OveruseWarning)
    assert isinstance(stop, OveruseStop)
    assert (warned_at, stopped_at) == (GRACE_MS, 2 * GRACE_MS)
    assert {act.holding.key for _, act in done} == {A}
    assert stop.detail == "over_gpu_memory: 4400 MiB used, 4096 MiB granted on GPU-1"


def test_who_gives_back_in_time_begins_anew() -> None:
    over, good = [held(A, 9000)], [held(A, 100)]
    assert over_time([over] * 5 + [good] + [over] * 5, 2_000) == []
    done = over_time([over] * 8 + [good] + [over] * 6, 2_000)
    assert [type(act) for _, act in done] == [OveruseWarning, OveruseWarning]


def test_burst_is_allowed_while_the_card_has_room() -> None:
    _, acts = evaluate_overuse(
        OveruseState(), [held(A, 7000, 4096, 8192), held(B, 0)], {CARD: 9000}, 0
    )
    assert acts == ()


def test_f35_full_card_costs_the_burster_not_the_guaranteed_owner() -> None:
    holdings = [held(A, 12000, 4096, 12288), held(B, 3000, 8192, 8192), held(C, 1000)]
    _, (act,) = evaluate_overuse(OveruseState(), holdings, {CARD: 10}, 0)
    assert isinstance(act, OveruseStop)
    assert act.is_for_others
    assert act.holding.key == A
    assert act.detail == "gpu_memory_full: 12000 MiB used, 4096 MiB guaranteed on GPU-1"


holdings_of_a_card = st.lists(
    st.tuples(st.integers(0, 30_000), st.integers(1, 16_000), st.integers(0, 16_000)),
    min_size=1,
    max_size=6,
).map(
    lambda rows: [
        held(ContainerKey(f"w{index}.0", 1), used, guarantee, guarantee + more)
        for index, (used, guarantee, more) in enumerate(rows)
    ]
)


@given(holdings=holdings_of_a_card, free=st.integers(0, 40_000), now=st.integers(0, 10**6))
def test_whoever_keeps_to_the_guarantee_is_never_stopped(
    holdings: list[GpuHolding], free: int, now: int
) -> None:
    past = {(item.key, CARD): item for item in holdings}
    watch, first = evaluate_overuse(OveruseState(), holdings, {CARD: free}, now)
    watch, second = evaluate_overuse(watch, holdings, {CARD: free}, now + GRACE_MS)
    _, third = evaluate_overuse(watch, holdings, {CARD: free}, now + 2 * GRACE_MS)
    for act in (*first, *second, *third):
        item = past[act.holding.key, CARD]
        assert item.used_mib > item.guarantee_mib
    assert len({act.holding.key for act in third}) == len(third)
