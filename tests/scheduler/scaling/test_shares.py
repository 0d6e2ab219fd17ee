"""Claims of services: who is promised what, when a claim begins, and when it ends."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.scaling.shares import (
    EASY_MS,
    EASY_PERMILLE,
    NEAR_PERMILLE,
    STALE_MS,
    ServiceShare,
    ShareClaim,
    ShareReason,
    ShareState,
    decide_claims,
    share_from_record,
)
from scheduler.scaling.values import Quality

CHAT = ServiceShare(
    quality=Quality.LATENCY,
    minimum=1,
    replicas=("a", "b", "c"),
    waiting=1,
    open_requests=4,
    slots=16,
    latency_permille=500,
    load_age_ms=0,
)
CLAIMING = ShareState(claims_since_ms=1)
P, N, S = ShareClaim.PROMISED, ShareClaim.NEEDED, ShareClaim.SPARE


def claims(share: ServiceShare, now_ms: int = 0) -> list[ShareClaim]:
    return [claim for _, claim in decide_claims(now_ms, share).claims]


def test_its_least_number_is_promised_and_the_rest_is_spare() -> None:
    assert claims(CHAT) == [P, S, S]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"latency_permille": NEAR_PERMILLE}, ShareReason.NEAR_TARGET),
        ({"open_requests": 17}, ShareReason.CROWDED),
    ],
)
def test_near_its_target_or_crowded_it_claims_what_it_needs_and_the_numbers_are_kept(
    change: dict[str, Any], reason: ShareReason
) -> None:
    pressed = replace(CHAT, **change)

    decision = decide_claims(7, pressed)

    assert claims(pressed) == [P, N, N]
    assert (decision.reason, decision.state.claims_since_ms) == (reason, 7)
    said = dict(decision.params)
    assert (said["open"], said["slots"], said["waiting"]) == (pressed.open_requests, 16, 1)


def test_it_claims_nothing_while_none_of_its_replicas_waits() -> None:
    decision = decide_claims(0, replace(CHAT, waiting=0, latency_permille=2_000))

    assert (decision.reason, decision.state) == (None, ShareState())


def test_a_claim_ends_after_it_was_easy_for_long_enough() -> None:
    easy = replace(CHAT, waiting=0, latency_permille=EASY_PERMILLE, state=CLAIMING)

    first = decide_claims(1_000, easy)
    soon = decide_claims(1_000 + EASY_MS - 1, replace(easy, state=first.state))
    late = decide_claims(1_000 + EASY_MS, replace(easy, state=soon.state))

    assert (first.reason, soon.reason, late.reason) == (None, None, ShareReason.EASY)
    assert late.state == ShareState()
    assert dict(late.params) == {"latency_permille": EASY_PERMILLE, "easy_ms": EASY_MS}


def test_between_easy_and_near_a_claim_stays_and_its_ease_begins_anew() -> None:
    between = replace(CHAT, latency_permille=700, state=ShareState(1, easy_since_ms=2))

    assert decide_claims(EASY_MS * 2, between).state == CLAIMING


def test_stale_load_begins_no_claim_and_ends_none() -> None:
    stale = replace(CHAT, latency_permille=2_000, load_age_ms=STALE_MS + 1)
    old_ease = replace(stale, latency_permille=0, state=ShareState(1, easy_since_ms=2))

    assert decide_claims(0, stale).state == ShareState()
    assert decide_claims(EASY_MS * 2, old_ease).state == old_ease.state


def test_a_throughput_service_claims_its_least_number_only() -> None:
    pressed = replace(CHAT, quality=Quality.THROUGHPUT, open_requests=1_000, state=CLAIMING)

    assert claims(pressed) == [P, S, S]


@given(
    st.builds(ShareState, st.none() | st.integers(0), st.none() | st.integers(0), st.integers(0))
)
def test_a_state_comes_back_from_its_record(state: ShareState) -> None:
    assert share_from_record(state.record()) == state


def test_a_record_of_another_shape_is_forgotten() -> None:
    assert share_from_record({"claims_since_ms": "x", "given": None}) == ShareState()


SHARES = st.builds(
    ServiceShare,
    quality=st.sampled_from(Quality),
    minimum=st.integers(0, 4),
    replicas=st.lists(st.sampled_from("abcdefgh"), unique=True).map(tuple),
    waiting=st.integers(0, 8),
    open_requests=st.integers(0, 100),
    slots=st.integers(0, 100),
    latency_permille=st.integers(0, 3_000),
    load_age_ms=st.integers(0, 2 * STALE_MS),
    state=st.builds(ShareState, st.none() | st.integers(0, 10), st.none() | st.integers(0, 10)),
)


@given(SHARES, st.integers(10, 10 * EASY_MS))
def test_the_least_number_is_always_promised_and_only_latency_claims_more(
    share: ServiceShare, now_ms: int
) -> None:
    decision = decide_claims(now_ms, share)

    kept = [claim for _, claim in decision.claims]
    promised = min(share.minimum, len(share.replicas))
    assert kept[:promised] == [P] * promised
    assert P not in kept[promised:]
    assert [key for key, _ in decision.claims] == list(share.replicas)
    if N in kept:
        assert share.quality is Quality.LATENCY
    begun = decision.reason in {ShareReason.NEAR_TARGET, ShareReason.CROWDED}
    if begun:
        assert share.waiting
