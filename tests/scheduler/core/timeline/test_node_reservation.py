"""What a start takes of one node, and what of it is reserved from now on: one row for each rule."""

from random import Random

import pytest

from scheduler.core.model.entities import AcceleratorId, Millis
from scheduler.core.timeline.node_reservation import (
    FREE_NOW,
    FREE_SOON,
    UNKNOWN_FROM,
    NodeReservation,
    Release,
    Releases,
    is_certain,
    leave_releases,
    part_reserved_now,
    reserve_on_node,
    to_millis,
)
from scheduler.core.timeline.replica_times import sort_by_time
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


def _releases(random: Random) -> Releases:
    """Return what random work releases of a node, in the order of time."""
    cards = [AcceleratorId(f"n1.{number}") for number in range(8)]
    releases: list[Release] = []
    for _ in range(random.randint(0, 5)):
        count = random.randint(0, min(2, len(cards)))
        mine, cards = cards[:count], cards[count:]
        releases.append(
            Release(
                random.choice([FREE_SOON, 1000, 2000, 2000, 3000, UNKNOWN_FROM + 1000]),
                tuple((card, 0) for card in mine),
                random.randint(1, 4) * 1000,
                random.randint(0, 8) * 1024,
            )
        )
    return sort_by_time(releases)


@pytest.mark.parametrize("seed", range(60))
def test_a_start_takes_from_releases_and_from_what_is_free_just_what_it_needs(seed: int) -> None:
    random = Random(seed)
    releases = _releases(random)
    at = random.choice([FREE_NOW, 1000, 2000, 3000])
    due = [release for release in releases if release.at <= at]
    devices = tuple(device for release in due for device in release.devices)[: random.randint(0, 3)]
    wanted = NodeReservation(
        N1, devices, random.randint(0, 12) * 1000, random.randint(0, 20) * 1024
    )

    left, cpu, memory = leave_releases(releases, frozenset(devices), at, wanted)

    before_cpu, after_cpu = (sum(each.cpu_milli for each in some) for some in (releases, left))
    assert before_cpu - after_cpu + cpu == wanted.cpu_milli
    before_mib, after_mib = (sum(each.memory_mib for each in some) for some in (releases, left))
    assert before_mib - after_mib + memory == wanted.memory_mib
    assert cpu == max(wanted.cpu_milli - sum(each.cpu_milli for each in due), 0)
    kept = [device for release in left for device in release.devices]
    assert sorted(kept) == sorted(
        device for release in releases for device in release.devices if device not in devices
    )
    assert [each for each in left if each.at > at] == [each for each in releases if each.at > at]
    assert all(each.devices or each.cpu_milli or each.memory_mib for each in left)


SURE: dict[str, tuple[int, bool]] = {
    "now is no known end": (FREE_NOW, False),
    "soon is no known end": (FREE_SOON, False),
    "a time is": (FREE_SOON + 1, True),
    "the last time that is known": (UNKNOWN_FROM - 1, True),
    "what is not known is not": (UNKNOWN_FROM, False),
}


@pytest.mark.parametrize("row", SURE.values(), ids=SURE)
def test_which_ends_are_certain(row: tuple[int, bool]) -> None:
    at, expected = row

    assert is_certain(at) is expected


MILLIS: dict[str, tuple[int, int]] = {
    "now": (FREE_NOW, 5000),
    "soon": (FREE_SOON, 5000),
    "a time to come": (9000, 9000),
    "a time that is over": (4000, 5000),
    "a limit that has not begun to run": (UNKNOWN_FROM + 3000, 8000),
}


@pytest.mark.parametrize("row", MILLIS.values(), ids=MILLIS)
def test_the_time_that_a_point_means(row: tuple[int, int]) -> None:
    at, expected = row

    assert to_millis(at, Millis(5000)) == expected


RESERVED: dict[str, tuple[list[tuple[int, int, int]], tuple[int, int]]] = {
    "all of a share where nothing comes": ([], (500, 400)),
    "what does not certainly come in time": ([(1000, 200, 100)], (300, 300)),
    "nothing where more comes": ([(1000, 900, 900)], (0, 0)),
    "all where it comes too late": ([(2001, 900, 900)], (500, 400)),
    "what comes just in time": ([(2000, 500, 400)], (0, 0)),
    "all where nobody knows when it comes": ([(FREE_SOON, 900, 900)], (500, 400)),
    "the rest after several": ([(1000, 200, 100), (2000, 200, 100)], (100, 200)),
}


@pytest.mark.parametrize("row", RESERVED.values(), ids=RESERVED)
def test_what_of_a_share_is_reserved_from_now_on(
    row: tuple[list[tuple[int, int, int]], tuple[int, int]],
) -> None:
    comes, expected = row
    device = ((AcceleratorId("n1.0"), 0),)
    capacity = a_ledger(["n1: 2 cards"]).free[TRAINING][N1]
    releases = tuple(Release(at, device, 0, 0, milli, mib) for at, milli, mib in comes)
    elsewhere = Release(1000, ((AcceleratorId("n1.1"), 0),), 0, 0, 900, 900)

    kept = part_reserved_now(
        NodeReservation(N1, device, 0, 0, 500, 400), capacity, (*releases, elsewhere), 2000
    )

    assert (kept.gpu_milli, kept.gpu_memory_mib) == expected
