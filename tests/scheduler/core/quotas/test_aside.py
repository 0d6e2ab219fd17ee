"""What advance reservations keep aside from others: one row for each rule."""

import pytest

from scheduler.core.model.entities import AcceleratorId, GroupId, Millis, PoolId
from scheduler.core.quotas.aside import Aside, AsideTable, count_asides
from tests.scheduler.core.tables import TRAINING, a_snapshot, a_waiting

Row = tuple[str, int, list[str], int]
"""The reservation, the time in seconds, held devices; milli-GPUs kept aside."""

ASIDES: dict[str, Row] = {
    "all of it before the window": ("2 cards on n1, from 600 to 900", 0, [], 2000),
    "before the window also what is held": ("2 cards on n1, from 600 to 900", 0, ["n1.0 0"], 2000),
    "up to the moment of its start": ("2 cards on n1, from 600 to 900", 599, ["n1.0 0"], 2000),
    "in the window only what is free": ("2 cards on n1, from 600 to 900", 600, ["n1.0 0"], 1000),
    "in the window all while nothing is held": ("2 cards on n1, from 600 to 900", 700, [], 2000),
    "nothing once all is held": (
        *("2 cards on n1, from 600 to 900", 700),
        ["n1.0 0", "n1.1 0"],
        0,
    ),
    "what is held elsewhere does not count": (
        *("2 cards on n1, from 600 to 900", 700),
        ["n1.2 0"],
        2000,
    ),
    "between two windows all of it again": (
        *("2 cards on n1, from 600 to 900, again after 3600", 900),
        ["n1.0 0"],
        2000,
    ),
    "in the second window only what is free": (
        *("2 cards on n1, from 600 to 900, again after 3600", 4200),
        ["n1.0 0"],
        1000,
    ),
    "slices as parts of a card": ("3 slices on s1, from 600 to 900", 0, [], 3 * 250),
    "slices that are free": ("3 slices on s1, from 600 to 900", 600, ["s1.0 1"], 2 * 250),
}


@pytest.mark.parametrize("row", ASIDES.values(), ids=ASIDES)
def test_what_a_reservation_keeps_aside(row: Row) -> None:
    words, at_s, taken, expected = row
    site = a_snapshot(
        pools=["training", "sliced: 4 slices of 4096 MiB"],
        nodes=["n1: 4 cards", "s1: 1 cards in sliced"],
        reservations=[f"course: {words}, for lab"],
    )
    (pool,) = [each for each in site.pools if each.id == site.reservations[0].pool]
    held = {(AcceleratorId(name[:-2]), int(name[-1])) for name in taken}

    (aside,) = count_asides(site.reservations, pool, Millis(at_s * 1000), held)

    assert aside == Aside(GroupId("lab"), pool.id, expected)


LAB, VISION = GroupId("lab"), GroupId("vision")
LEVELS: dict[int, tuple[Aside, ...]] = {
    0: (),
    1: (Aside(LAB, TRAINING, 1000),),
    2: (Aside(LAB, TRAINING, 1000), Aside(VISION, TRAINING, 500)),
    3: (Aside(LAB, TRAINING, 3000), Aside(VISION, TRAINING, 500)),
}


@pytest.mark.parametrize("level", LEVELS)
def test_the_first_reservations_of_a_pool_are_kept_together(level: int) -> None:
    kept = (
        Aside(LAB, TRAINING, 1000),
        Aside(VISION, TRAINING, 500),
        Aside(LAB, TRAINING, 2000),
    )
    table = AsideTable({TRAINING: kept, PoolId("other"): kept[:1]}, lambda _: level)

    found = table.kept_from(a_waiting("1 cards"))

    assert found.level == level
    assert found.asides == LEVELS[level]


def test_work_of_one_level_shares_an_answer_and_a_group_of_nothing_is_left_out() -> None:
    table = AsideTable({TRAINING: (Aside(LAB, TRAINING, 0),)}, lambda _: 1)

    assert table.kept_from(a_waiting("1 cards")) is table.kept_from(a_waiting("2 cards"))
    assert table.kept_from(a_waiting("1 cards")).asides == ()
