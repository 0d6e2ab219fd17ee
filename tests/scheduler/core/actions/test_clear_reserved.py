"""Work that leaves reserved devices, before a window opens and when it ends: one row for each rule."""

import pytest

from scheduler.core.actions.clear_reserved import find_overstaying
from scheduler.core.model.plan import EvictionCause
from tests.scheduler.core.tables import TRAINING, a_ledger

Row = tuple[str, list[str], str]
"""The reservation of four cards of n1 for vision, running work; what is given notice."""

TABLE: dict[str, Row] = {
    "nothing long before the window": (
        "from 600 to 900",
        ["a: 1 cards on n1 of lab, preemptible"],
        "",
    ),
    "nothing until the notice has to be given": (
        "from 91 to 900",
        ["a: 1 cards on n1 of lab, preemptible"],
        "",
    ),
    "what is in the way at the window": (
        "from 90 to 900",
        ["a: 1 cards on n1 of lab, preemptible"],
        "a",
    ),
    "however short it ran": (
        "from 90 to 900",
        ["a: 1 cards on n1 of lab, preemptible, began 1 s ago"],
        "a",
    ),
    "not what may not be evicted": ("from 90 to 900", ["a: 1 cards on n1 of lab"], ""),
    "not what holds other cards": (
        "from 90 to 900",
        ["a: 1 cards on n1 card 5 of lab, preemptible"],
        "",
    ),
    "what holds one of the cards among others": (
        "from 90 to 900",
        ["a: 3 cards on n1 of vision, preemptible", "b: 3 cards on n1 of lab, preemptible"],
        "a b",
    ),
    "work of the group too, before the window": (
        "from 90 to 900",
        ["a: 1 cards on n1 of vision, preemptible"],
        "a",
    ),
    "not work of the group in the window": (
        "from -600 to 900",
        ["a: 1 cards on n1 of vision, preemptible"],
        "",
    ),
    "nor in the moment when it opens": (
        "from 0 to 900",
        ["a: 1 cards on n1 of vision, preemptible"],
        "",
    ),
    "work of others in the window": (
        "from -600 to 900",
        ["a: 1 cards on n1 of lab, preemptible"],
        "a",
    ),
    "work of the group when the window ends": (
        "from -600 to 90",
        ["a: 1 cards on n1 of vision, preemptible"],
        "a",
    ),
    "not a second before that": (
        "from -600 to 91",
        ["a: 1 cards on n1 of vision, preemptible"],
        "",
    ),
    "work of members that it is not for": (
        "from -600 to 900, by wu",
        ["a: 1 cards on n1 of vision by li, preemptible", "b: 1 cards on n1 of vision by wu"],
        "a",
    ),
    "nothing once the window is over": (
        "from -600 to -1",
        ["a: 1 cards on n1 of lab, preemptible"],
        "",
    ),
    "by id": (
        "from 90 to 900",
        ["b: 1 cards on n1 of lab, preemptible", "a: 1 cards on n1 of lab, preemptible"],
        "a b",
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_leaves_reserved_devices(row: Row) -> None:
    window, running, expected = row
    ledger = a_ledger(
        running=running,
        pools=["training: grace 60"],
        groups=["lab", "vision"],
        reservations=[f"course: 4 cards on n1, for vision, {window}"],
    )

    leaving = find_overstaying(tuple(ledger.running.values()), TRAINING, ledger)

    assert " ".join(candidate.work.id for candidate in leaving) == expected
    assert all(candidate.cause is EvictionCause.RESERVED for candidate in leaving)


def test_of_several_reservations_those_whose_notice_is_due() -> None:
    ledger = a_ledger(
        ["n1: 3 cards"],
        [f"{name}: 1 cards on n1 card {card}, preemptible" for card, name in enumerate("abc")],
        pools=["training: grace 60"],
        groups=["lab", "vision"],
        reservations=[
            f"r{card}: 1 cards on n1 card {card}, for vision, from {start} to 9000"
            for card, start in enumerate((60, 90, 91))
        ],
    )

    leaving = find_overstaying(tuple(ledger.running.values()), TRAINING, ledger)

    assert [candidate.work.id for candidate in leaving] == ["a", "b"]
