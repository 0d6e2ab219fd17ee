"""The rules by example: each number here could be worked out on paper."""

from dataclasses import replace

import pytest

from scheduler.core.model.entities import GroupId, Millis, PoolId, QuotaView, UsageView, UserId
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.ordering.fair_share_state import FairShareState
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.core.quotas.decayed_usage import UsageMeter, accrue, decay
from scheduler.core.quotas.division import GroupDemand, divide_fairly
from scheduler.core.quotas.fair_share import FairShares, ResourceShare
from scheduler.core.quotas.quota_book import QuotaBook
from scheduler.core.quotas.reclaim_rule import can_reclaim, is_more_saturated
from tests.scheduler.scenario import snapshot_of

TRAINING = PoolId("training")
A, B, C = (GroupId(name) for name in "abc")


def test_surplus_goes_by_weight_and_a_full_one_leaves_its_rest() -> None:
    claims = [
        GroupDemand(A, requested=100, weight=OverQuotaWeight.HIGH),
        GroupDemand(B, requested=100, weight=OverQuotaWeight.LOW),
        GroupDemand(C, requested=2, weight=OverQuotaWeight.HIGH),
    ]

    assert divide_fairly(12, claims) == {A: 8, B: 2, C: 2}


def test_the_last_units_go_to_the_heaviest_then_by_id() -> None:
    three = [GroupDemand(group, requested=10) for group in (C, B, A)]

    assert divide_fairly(8, three) == {A: 3, B: 3, C: 2}


def test_lowest_gets_leftovers_and_none_nothing_beyond_deserved() -> None:
    claims = [
        GroupDemand(A, requested=6, weight=OverQuotaWeight.LOW),
        GroupDemand(B, requested=10, deserved=1, weight=OverQuotaWeight.LOWEST),
        GroupDemand(C, requested=10, deserved=1, weight=OverQuotaWeight.NONE),
    ]

    assert divide_fairly(10, claims) == {A: 6, B: 3, C: 1}


def test_promises_beyond_the_capacity_are_cut_in_proportion() -> None:
    claims = [GroupDemand(A, requested=9, deserved=9), GroupDemand(B, requested=9, deserved=3)]

    assert divide_fairly(8, claims) == {A: 6, B: 2}


def test_a_parent_owes_what_it_promised_to_its_children() -> None:
    site = snapshot_of(
        {
            "nodes": ["n1: 8 cards"],
            "groups": ["dept", "a: in dept", "b: in dept", "other"],
            "quotas": ["a: guarantee 2 cards, deserved 3 cards in training"],
            "waiting": ["w: 8 cards of a", "x: 8 cards of other"],
        }
    )

    shares = FairShares.from_snapshot(site)

    dept, leaf = shares.share_of(GroupId("dept"), TRAINING), shares.share_of(A, TRAINING)
    assert (dept.guarantee, dept.deserved, dept.fair_share) == (2000, 3000, 5500)
    assert leaf.fair_share == 5500


def test_saturation_is_compared_without_rounding() -> None:
    third = ResourceShare(allocated=1, fair_share=3)
    less = ResourceShare(allocated=333_333_333, fair_share=1_000_000_000)

    assert is_more_saturated(third, less)
    assert not is_more_saturated(less, third)
    assert not is_more_saturated(third, third)


def test_what_is_held_moves_with_the_work_and_reclaim_ends_at_deserved() -> None:
    site = snapshot_of(
        {
            "nodes": ["n1: 4 cards"],
            "groups": ["a", "b"],
            "quotas": ["a: deserved 2 cards in training", "b: deserved 2 cards in training"],
            "running": [f"r{number}: 1 cards on n1 of b, preemptible" for number in range(4)],
            "waiting": [f"w{number}: 1 cards of a" for number in range(3)],
        }
    )
    card, shares = Resources(gpu=1000), FairShares.from_snapshot(site)

    for _ in range(2):
        assert can_reclaim(shares, A, B, card, TRAINING)
        shares = shares.with_allocation(B, TRAINING, card, -1).with_allocation(A, TRAINING, card)

    assert not can_reclaim(shares, A, B, card, TRAINING)
    assert not can_reclaim(shares, B, A, card, TRAINING)
    assert not can_reclaim(shares, A, A, card, TRAINING)


def test_idle_guarantees_of_others_are_not_lendable() -> None:
    site = snapshot_of(
        {
            "nodes": ["n1: 8 cards"],
            "groups": ["a", "b"],
            "quotas": ["a: guarantee 3 cards, deserved 3 cards in training"],
            "running": ["r: 1 cards on n1 of a"],
            "waiting": ["five: 5 cards of b", "six: 6 cards of b", "seven: 7 cards of a"],
        }
    )
    book = QuotaBook(site, UndoLog())

    refused = {work.id for work in site.pending if book.refusals(work)}

    assert refused == {"six"}, "8 cards less 1 that is held and 2 that a has not used yet"


def test_memory_of_cards_has_guarantees_and_ceilings_too() -> None:
    pool = "development: 8 slices of 4096 MiB"
    site = snapshot_of(
        {
            "pools": [pool],
            "nodes": ["d1: 1 cards in development"],
            "groups": ["a", "b"],
            "waiting": ["w: 4 slices in development of b", "x: 6 slices in development of b"],
        }
    )
    kept = QuotaView(
        A, PoolId("development"), Resource.GPU_MEMORY, None, guarantee=16384, deserved=16384
    )
    most = QuotaView(B, PoolId("development"), Resource.GPU_MEMORY, ceiling=8 * 4096)
    book = QuotaBook(replace(site, quotas=(kept, most)), UndoLog())
    four, six = site.pending

    assert book.refusals(four) == ()
    assert [reason.params["limit"] for reason in book.refusals(six)] == [16384, 16384]


def test_after_a_half_life_half_is_left() -> None:
    assert [decay(1000, turns * 60, 60) for turns in range(4)] == [1000, 500, 250, 125]
    assert decay(10**15, 10**9, 60) == 0


def test_time_does_not_run_backwards() -> None:
    with pytest.raises(ValueError, match="elapsed_s"):
        decay(1000, -1, 60)


def test_a_card_held_for_ever_comes_to_a_half_life_over_ln_2() -> None:
    assert accrue(0, 1000, 100 * 86400, 86400) == 124_648_852  # 86,400,000 / 0.693147…


def test_the_meter_counts_starts_and_ends_of_many() -> None:
    meter = UsageMeter([UsageView(A, UserId("li"), 100)], Millis(0), half_life_s=10**9)

    meter.hold(A, UserId("li"), 2000, Millis(0))
    meter.hold(B, UserId("wang"), 500, Millis(10_000))
    meter.hold(A, UserId("li"), -2000, Millis(20_000))

    assert meter.usage(Millis(30_000)) == (
        UsageView(A, UserId("li"), 140),
        UsageView(B, UserId("wang"), 10),
    )


def _line(form: dict[str, list[str]]) -> list[str]:
    site: Snapshot = snapshot_of({"nodes": ["n1: 8 cards"], **form})
    return [work.id for work in sort_queue(site.pending, FairShareState.from_snapshot(site))]


def test_a_light_member_of_a_heavy_department_waits_for_the_light_department() -> None:
    line = _line(
        {
            "groups": ["heavy", "h1: in heavy", "h2: in heavy", "light", "l1: in light"],
            "usage": ["li of h1: 90000 card-seconds", "wang of l1: 40000 card-seconds"],
            "waiting": ["x: 1 cards of h2 by zhao", "y: 1 cards of l1 by wang"],
        }
    )

    assert line == ["y", "x"]


def test_who_deserves_more_may_have_used_more() -> None:
    line = _line(
        {
            "groups": ["a", "b"],
            "quotas": ["a: deserved 6 cards in training", "b: deserved 2 cards in training"],
            "usage": ["li of a: 50000 card-seconds", "li of b: 20000 card-seconds"],
            "waiting": ["w: 1 cards of b", "x: 1 cards of a"],
        }
    )

    assert line == ["x", "w"]


def test_what_started_just_now_counts_before_it_is_measured() -> None:
    line = _line(
        {
            "groups": ["a", "b"],
            "running": ["r: 4 cards on n1 of a, began 60 s ago"],
            "waiting": ["w: 1 cards of a, since 1", "x: 1 cards of b, since 9"],
        }
    )

    assert line == ["x", "w"]


def test_held_work_takes_nobodys_turn() -> None:
    held = [f"h{number}: 8 cards by li, held held_by_user, since {number}" for number in range(5)]
    line = _line({"waiting": [*held, "w: 1 cards by li, since 6", "x: 1 cards by wang, since 7"]})

    assert line[-2:] == ["w", "x"]
