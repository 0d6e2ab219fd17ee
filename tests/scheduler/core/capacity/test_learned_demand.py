"""What pools expect before and after work has arrived."""

import pytest

from scheduler.core.capacity.learned_demand import LEARNED_MAX, LearnedDemand, prior_shapes
from scheduler.core.model.entities import PoolId
from scheduler.core.placement.shape import Shape
from tests.scheduler.core.tables import TRAINING, a_snapshot

PRIORS: dict[str, tuple[str, int, list[Shape]]] = {
    "whole cards": (
        *("", 12_000),
        [
            Shape(gpus=1, cpu_milli=6000),
            Shape(gpus=2, cpu_milli=12_000),
            Shape(gpus=4, cpu_milli=24_000),
            Shape(gpus=8, cpu_milli=48_000),
        ],
    ),
    "halves and quarters of cards that are cut into four": (
        *("4 slices", 8000),
        [
            Shape(gpus=1, cpu_milli=4000),
            Shape(gpu_milli=500, cpu_milli=2000),
            Shape(gpu_milli=250, cpu_milli=1000),
        ],
    ),
    "the sizes that halving five gives": (
        *("5 slices", 10_000),
        [
            Shape(gpus=1, cpu_milli=5000),
            Shape(gpu_milli=400, cpu_milli=2000),
            Shape(gpu_milli=200, cpu_milli=1000),
        ],
    ),
    "half of an odd number of CPUs is rounded down": (
        *("2 slices", 3),
        [Shape(gpus=1, cpu_milli=1), Shape(gpu_milli=500, cpu_milli=0)],
    ),
}


@pytest.mark.parametrize("row", PRIORS.values(), ids=PRIORS)
def test_a_pool_expects_one_of_each_simple_size(row: tuple[str, int, list[Shape]]) -> None:
    words, cpu, expected = row
    (pool,) = a_snapshot(pools=[f"training: {words}"]).pools

    assert list(prior_shapes(pool, cpu)) == expected


def _shapes(pool: str = "training", **site: object) -> set[tuple[int, int]]:
    """Return cards and thousandths of the shapes that a pool expects."""
    learned = LearnedDemand(a_snapshot(**site)).by_pool[PoolId(pool)]
    return {(each.shape.gpus, each.shape.gpu_milli) for each in learned.typical}


PRIOR = {(1, 0), (2, 0), (4, 0), (8, 0)}

LEARNED: dict[str, tuple[list[str], list[str], set[tuple[int, int]]]] = {
    "nothing": ([], [], PRIOR),
    "what waits": (["3 cards"], [], PRIOR | {(3, 0)}),
    "what runs": ([], ["5 cards on n1"], PRIOR | {(5, 0)}),
    "not what another pool is asked for": (["3 cards in other"], [], PRIOR),
}


@pytest.mark.parametrize("row", LEARNED.values(), ids=LEARNED)
def test_a_pool_learns_from_what_it_is_asked_for(
    row: tuple[list[str], list[str], set[tuple[int, int]]],
) -> None:
    waiting, running, expected = row

    assert (
        _shapes(
            pools=["training", "other"],
            nodes=["n1: 8 cards"],
            waiting=[f"w{number}: {words}" for number, words in enumerate(waiting)],
            running=[f"r{number}: {words}" for number, words in enumerate(running)],
        )
        == expected
    )


def test_only_the_latest_work_counts_whatever_its_place() -> None:
    newer = [f"w{number}: 1 cards, since {number + 1}" for number in range(LEARNED_MAX)]

    assert (3, 0) not in _shapes(waiting=["old: 3 cards, since 0", *newer])
    assert (3, 0) not in _shapes(waiting=[*newer, "old: 3 cards, since 0"])
    assert (3, 0) in _shapes(waiting=["new: 3 cards, since 9999", *newer])


def test_all_of_the_latest_work_counts_and_none_beyond() -> None:
    rows = [f"w{number}: 1 cards" for number in range(LEARNED_MAX + 80)]
    rows[79] = "w79: 5 cards"
    rows[80] = "w80: 3 cards"

    found = _shapes(waiting=rows)

    assert (3, 0) in found
    assert (5, 0) not in found


def test_cpu_of_the_prior_is_that_of_the_median_node() -> None:
    site = a_snapshot(
        nodes=["n1: 4 cards, 8 cpu", "n2: 4 cards, 16 cpu", "n3: 4 cards, 96 cpu", "n4: 99 cpu"]
    )
    one = min(
        (each.shape for each in LearnedDemand(site).by_pool[TRAINING].typical),
        key=lambda shape: shape.gpus,
    )

    assert one == Shape(gpus=1, cpu_milli=2000)
