"""Advice that less of a card is enough: from measured runs only, with room to spare, never for more."""

from dataclasses import replace

import pytest

from scheduler.core.advice import (
    Advice,
    AdviceCode,
    MeasuredRun,
    advise_smaller_request,
    measure_need,
)
from scheduler.core.dry_run import DryRunOutcome
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    PoolId,
    PoolView,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.model.gpu_model import GpuModel
from scheduler.core.model.mig import MigProfileSpec
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState

GIB = 1024
BIG, SMALL, SLICED, SHARED, CUT = (
    PoolId(name) for name in ("big", "small", "sliced", "free", "cut")
)
ALL = frozenset({BIG, SMALL, SLICED, SHARED, CUT})
PROFILES = (
    MigProfileSpec("1g.10gb", 10 * GIB, 1, 1, tuple(range(7))),
    MigProfileSpec("3g.40gb", 40 * GIB, 3, 4, (0, 4)),
    MigProfileSpec("7g.80gb", 80 * GIB, 7, 8, (0,)),
)
LIGHT = (MeasuredRun(8 * GIB, 10), MeasuredRun(9 * GIB, 12), MeasuredRun(7 * GIB, 11))


def site() -> Snapshot:
    """One node with one card in each of five pools."""
    pools = (
        PoolView(BIG, "big"),
        PoolView(SMALL, "small"),
        PoolView(SLICED, "sliced", slices_per_card=4, slice_mib=20 * GIB),
        PoolView(SHARED, "free"),
        PoolView(CUT, "cut", slices_per_card=8, slice_mib=10 * GIB),
    )
    return Snapshot(
        taken_at=Millis(0),
        pools=pools,
        nodes=tuple(
            NodeView(NodeId(pool.id), pool.id, NodeState.READY, 64_000, 256 * GIB) for pool in pools
        ),
        accelerators=tuple(
            AcceleratorView(
                id=AcceleratorId(pool.id),
                node=NodeId(pool.id),
                pool=pool.id,
                model="L4" if pool.id == SMALL else "A100",
                memory_mib=(24 if pool.id == SMALL else 80) * GIB,
                state=AcceleratorState.OK,
                slices=pool.slices_per_card,
                is_fractional=pool.id == SHARED,
                mig_profiles=PROFILES if pool.id == CUT else (),
            )
            for pool in pools
        ),
        groups=(GroupView(GroupId("lab"), "lab", (GroupId("lab"),)),),
    )


def work(request: Request, pool: PoolId = BIG) -> PendingWorkload:
    return PendingWorkload(
        id=WorkloadId("w"),
        pool=pool,
        group=GroupId("lab"),
        user=UserId("li"),
        priority=0,
        submitted_at=Millis(0),
        request=replace(request, cpu_milli=1000, memory_mib=1024),
        version=0,
        time_limit_s=3600,
    )


def advice_for(
    request: Request, pool: PoolId = BIG, runs: tuple[MeasuredRun, ...] = LIGHT
) -> Advice | None:
    return advise_smaller_request(site(), work(request, pool), runs, ALL)


def test_each_kind_of_pool_offers_the_least_that_is_enough() -> None:
    found = {}
    for pool in (SMALL, SLICED, SHARED, CUT):
        advice = advise_smaller_request(site(), work(Request(gpus=1)), LIGHT, {pool})
        assert advice is not None
        [item] = advice.enough
        found[item.request.code] = item.request.request
        assert item.verdict.outcome is DryRunOutcome.STARTS_NOW
        assert (advice.need.runs, advice.need.peak_mib, advice.need.busy_pct) == (3, 9 * GIB, 12)
    bare = Request(cpu_milli=1000, memory_mib=1024)
    # 9 GiB and 12 % with a quarter to spare are 11.25 GiB and 150 thousandths.
    assert found == {
        AdviceCode.CARD: replace(bare, gpus=1),
        AdviceCode.SLICES: replace(bare, slices=1),
        AdviceCode.SHARE: replace(bare, gpu_milli=150, gpu_memory_mib=11 * GIB + 512),
        AdviceCode.PROFILE: replace(bare, slices=4, mig_profile="3g.40gb"),
    }


def test_the_smallest_comes_first_and_there_are_few() -> None:
    advice = advice_for(Request(gpus=1))
    assert advice is not None
    assert [item.request.pool for item in advice.enough] == [SHARED, SLICED, CUT]


def test_what_is_busy_is_not_sent_to_a_smaller_card() -> None:
    assert (
        advise_smaller_request(site(), work(Request(gpus=1)), (MeasuredRun(9 * GIB, 51),), {SMALL})
        is None
    )


def test_what_used_almost_all_it_had_is_told_nothing() -> None:
    assert advice_for(Request(gpus=1), runs=(MeasuredRun(70 * GIB, 90),)) is None


@pytest.mark.parametrize("runs", [(), (MeasuredRun(0, 0),)])
def test_without_measured_runs_nothing_is_said(runs: tuple[MeasuredRun, ...]) -> None:
    assert measure_need(runs) is None
    assert advice_for(Request(gpus=1), runs=runs) is None


@pytest.mark.parametrize("request_", [Request(), Request(gpus=2)], ids=["no card", "two cards"])
def test_of_no_card_and_of_several_nothing_is_known(request_: Request) -> None:
    assert advice_for(request_) is None


def test_fewer_slices_of_the_same_pool_come_first() -> None:
    advice = advice_for(Request(slices=3), SLICED)
    assert advice is not None
    first = advice.enough[0].request
    assert (first.pool, first.request.slices, advice.asked.memory_mib) == (SLICED, 1, 60 * GIB)


def test_nothing_is_advised_that_takes_more_of_anything() -> None:
    """A slice holds 20 GiB and a quarter of the processors: no part of these pools is below that."""
    advice = advise_smaller_request(
        site(), work(Request(slices=1), SLICED), LIGHT, {SLICED, SMALL, CUT}
    )
    assert advice is None


def test_a_pool_that_is_closed_or_not_for_such_work_is_not_named() -> None:
    snapshot = site()
    closed = tuple(replace(pool, is_open=pool.id != SLICED) for pool in snapshot.pools)
    asked = work(Request(gpus=1))
    assert advise_smaller_request(replace(snapshot, pools=closed), asked, LIGHT, {SLICED}) is None
    assert advise_smaller_request(snapshot, asked, LIGHT, {BIG}) is None


def test_a_part_that_is_taken_says_when_it_would_start() -> None:
    snapshot = site()
    cards = tuple(
        replace(card, taken_slots=frozenset(range(4))) if card.pool == SLICED else card
        for card in snapshot.accelerators
    )
    advice = advise_smaller_request(
        replace(snapshot, accelerators=cards), work(Request(gpus=1)), LIGHT, {SLICED}
    )
    assert advice is not None
    [item] = advice.enough
    assert (item.verdict.outcome, item.verdict.position) == (DryRunOutcome.WAITS, 1)


CATALOGUE = {
    "A100": GpuModel("A100", "nvidia", 80 * GIB, fp16_tflops=312, bandwidth_gbps=2039),
    "L40S": GpuModel("L40S", "nvidia", 48 * GIB, fp16_tflops=362, bandwidth_gbps=864),
    "L4": GpuModel("L4", "nvidia", 24 * GIB, fp16_tflops=121, bandwidth_gbps=300),
    "A30": GpuModel("A30", "nvidia", 24 * GIB, fp16_tflops=165, bandwidth_gbps=933),
}


def mixed_site(*models: tuple[str, int]) -> Snapshot:
    """One more pool of whole cards, of these models with so many GiB."""
    snapshot = site()
    cards = [card for card in snapshot.accelerators if card.pool != SMALL]
    (like,) = (card for card in snapshot.accelerators if card.pool == SMALL)
    cards += [
        replace(like, id=AcceleratorId(model), model=model, memory_mib=gib * GIB, index=index)
        for index, (model, gib) in enumerate(models)
    ]
    return replace(snapshot, accelerators=tuple(cards))


@pytest.mark.parametrize(
    ("busy_pct", "models", "advised"),
    [
        # 30 % of an A100 is 94 TFLOPS and 612 GB/s; with a quarter to spare 117 and 765.
        (30, (("L4", 24), ("A30", 24)), "A30"),  # the L4 computes enough and reads too slowly
        (10, (("L4", 24), ("A30", 24)), "A30"),
        (30, (("L4", 24),), None),
        (30, (("L40S", 48), ("A30", 24)), "A30"),
        (30, (("homemade", 24), ("A30", 24)), "A30"),
        (30, (("homemade", 24),), "homemade"),  # not known how fast: half busy at most
        (60, (("homemade", 24),), None),
        (40, (("A30", 24), ("L40S", 48)), None),
        (5, (("L4", 24), ("A30", 24)), "A30"),
    ],
)
def test_a_whole_card_is_advised_by_what_the_catalogue_knows(
    busy_pct: int, models: tuple[tuple[str, int], ...], advised: str | None
) -> None:
    runs = (MeasuredRun(9 * GIB, busy_pct, "A100"),)

    advice = advise_smaller_request(
        mixed_site(*models), work(Request(gpus=1)), runs, {SMALL}, CATALOGUE
    )

    found = advice.enough[0].request if advice else None
    assert (found.model if found else None) == advised
    named = frozenset({advised}) if advised and len(models) > 1 else frozenset()
    assert (found.request.gpu_models if found else frozenset()) == named


def test_runs_on_an_unknown_card_say_nothing_about_speed() -> None:
    runs = (MeasuredRun(9 * GIB, 30, "A100"), MeasuredRun(8 * GIB, 10, "homemade"))

    need = measure_need(runs, CATALOGUE)

    assert need is not None
    assert need.speed is None


LESS: dict[str, tuple[int, int, bool]] = {
    "less compute and as much memory": (151, 11 * GIB + 512, True),
    "as much compute and less memory": (150, 11 * GIB + 513, True),
    "just as much of both": (150, 11 * GIB + 512, False),
    "less compute and more memory": (999, 11 * GIB + 511, False),
    "more compute and less memory": (149, 80 * GIB, False),
}


@pytest.mark.parametrize("row", LESS.values(), ids=LESS)
def test_a_share_is_advised_where_it_is(row: tuple[int, int, bool]) -> None:
    milli, mib, expected = row
    asked = work(Request(gpu_milli=milli, gpu_memory_mib=mib), SHARED)

    advice = advise_smaller_request(site(), asked, LIGHT, {SHARED})

    assert (advice is not None) is expected
    if advice is not None:
        (found,) = advice.enough
        request = found.request.request
        assert (request.gpu_milli, request.gpu_memory_mib) == (150, 11 * GIB + 512)
