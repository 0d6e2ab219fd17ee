"""What a start takes of one node, and what of it is reserved from now on: one row for each rule."""

import pytest

from scheduler.core.timeline.node_reservation import (
    NodeReservation,
    part_reserved_now,
    reserve_on_node,
)
from tests.scheduler.core.tables import N1, TRAINING, a_ledger, pending

Row = tuple[list[str], str, int, list[str], list[str]]
"""What runs on four cards, the request, its start in seconds; devices it takes, devices it
reserves now."""

TABLE: dict[str, Row] = {
    "a start now reserves all that it takes": ([], "2 cards", 0, ["0", "1"], ["0", "1"]),
    "devices that certainly come free are taken first, and reserve nothing": (
        ["a: 2 cards on n1, ends in 60 s"],
        *("2 cards", 60, ["0", "1"], []),
    ),
    "the rest of the need is taken from what is free": (
        ["a: 2 cards on n1, ends in 60 s"],
        *("3 cards", 60, ["0", "1", "2"], ["2"]),
    ),
    "what is free goes before the devices of work that is stopping": (
        ["a: 2 cards on n1, stopping"],
        *("3 cards", 60, ["2", "3", "0"], ["2", "3"]),
    ),
    "what ends after the start is not taken": (
        ["a: 2 cards on n1, ends in 90 s"],
        *("2 cards", 60, ["2", "3"], ["2", "3"]),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_devices_of_a_start(row: Row) -> None:
    running, asked, at_s, takes, reserves = row
    whole, now = _reservation(running, asked, at_s)

    assert [device[0].removeprefix("n1.") for device in whole.devices] == takes
    assert [device[0].removeprefix("n1.") for device in now.devices] == reserves


def test_cpu_that_comes_free_in_time_is_not_reserved() -> None:
    running = ["a: 1 cards on n1, 10 cpu, ends in 60 s", "b: 1 cards on n1, 4 cpu, stopping"]

    whole, now = _reservation(running, "1 cards, 12 cpu", 60)

    assert (whole.cpu_milli, now.cpu_milli) == (12_000, 2_000)


def _reservation(
    running: list[str], asked: str, at_s: int
) -> tuple[NodeReservation, NodeReservation]:
    ledger = a_ledger(["n1: 4 cards"], running, [f"new: {asked}"])
    node = ledger.free[TRAINING][N1]
    releases = ledger.timeline_cache.releases(N1, ledger.running_on.get(N1, ()))
    at = at_s * 1000
    (whole,) = reserve_on_node(pending(ledger, "new").request, 1, node, releases, at)
    return whole, part_reserved_now(whole, node, releases, at)
