"""What claims promise, in random worlds: nobody starves inside a guarantee, nothing exceeds a quota."""

from collections import Counter

from hypothesis import given

from scheduler.core.model.entities import WorkloadId
from scheduler.scaling.shares import ShareClaim
from scheduler.scaling.values import Quality
from tests.scheduler.scaling.claim_worlds import (
    GROUPS,
    ClaimPlay,
    ClaimWorld,
    WorldService,
    claim_worlds,
)

LATENCY, THROUGHPUT = Quality.LATENCY, Quality.THROUGHPUT
HERE, THERE = GROUPS


@given(claim_worlds())
def test_a_latency_service_inside_its_guarantee_is_never_starved(world: ClaimWorld) -> None:
    play = ClaimPlay.begin(world)

    play.settle()

    for service in world.services:
        if service.quality is LATENCY:
            assert play.running(service) >= service.minimum, service


@given(claim_worlds())
def test_no_claim_exceeds_a_quota_or_takes_what_is_promised(world: ClaimWorld) -> None:
    play = ClaimPlay.begin(world)

    for _ in range(12):
        play.step()
        held = Counter(service.group for key in _ids(play) if (service := play.of.get(key)))
        for group, most in zip(GROUPS, world.quota, strict=True):
            assert held[group] <= most

    assert all(claim is not ShareClaim.PROMISED for _, claim in play.evicted)
    met = [play.of[key] for key, _ in play.evicted if key in play.of]
    assert all(service.quality is THROUGHPUT for service in met)


@given(claim_worlds())
def test_replicas_come_to_rest(world: ClaimWorld) -> None:
    play = ClaimPlay.begin(world)
    play.settle()
    before = len(play.evicted), play.yielded

    play.settle(4)

    assert (len(play.evicted), play.yielded) == before


def test_near_its_target_a_service_gets_what_its_group_can_spare_and_nobody_else() -> None:
    batch = WorldService(HERE, THROUGHPUT, minimum=1, wanted=4, is_near=False)
    chat = WorldService(HERE, LATENCY, minimum=1, wanted=3, is_near=True)
    other = WorldService(THERE, THROUGHPUT, minimum=0, wanted=2, is_near=False)
    play = ClaimPlay.begin(ClaimWorld(6, (4, 2), (batch, other, chat), borrowers=0))

    play.settle()

    assert (play.running(chat), play.running(batch), play.running(other)) == (3, 1, 2)


def test_a_service_that_is_easy_waits_for_what_comes_free() -> None:
    batch = WorldService(HERE, THROUGHPUT, minimum=1, wanted=4, is_near=False)
    chat = WorldService(HERE, LATENCY, minimum=1, wanted=3, is_near=False)
    play = ClaimPlay.begin(ClaimWorld(4, (4, 0), (batch, chat), borrowers=0))

    play.settle()

    assert (play.running(chat), play.running(batch)) == (1, 3)


def test_a_latency_service_that_is_easy_lets_its_spare_replicas_leave_for_what_is_promised() -> (
    None
):
    early = WorldService(HERE, LATENCY, minimum=1, wanted=4, is_near=False)
    late = WorldService(HERE, LATENCY, minimum=2, wanted=2, is_near=False)
    play = ClaimPlay.begin(ClaimWorld(4, (4, 0), (early, late), borrowers=0))

    play.settle()

    assert (play.running(early), play.running(late)) == (2, 2)
    assert play.yielded


def test_borrowed_gpus_come_back_before_a_throughput_service_gives() -> None:
    batch = WorldService(HERE, THROUGHPUT, minimum=0, wanted=2, is_near=False)
    chat = WorldService(HERE, LATENCY, minimum=0, wanted=2, is_near=True)
    play = ClaimPlay.begin(ClaimWorld(4, (4, 0), (batch, chat), borrowers=4))

    play.settle()

    assert (play.running(chat), play.running(batch)) == (2, 2)
    assert all(key.startswith("job") for key, _ in play.evicted)


def _ids(play: ClaimPlay) -> list[WorkloadId]:
    return [work.id for work in play.snapshot.running]
