"""From when on a node takes replicas: rows for each rule, and counting after each release as a check."""

from dataclasses import replace
from random import Random

import pytest

from scheduler.core.capacity.filters import count_replicas
from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import AcceleratorId, Placement, Request
from scheduler.core.timeline.node_reservation import (
    FREE_NOW,
    FREE_SOON,
    UNKNOWN_FROM,
    Release,
    Releases,
    apply_release,
)
from scheduler.core.timeline.replica_times import (
    count_missing,
    first_card_times,
    releases_of,
    replica_times,
    sort_by_time,
)
from tests.scheduler.core.tables import N1, N2, TRAINING, a_ledger, a_running, a_snapshot, a_waiting


def _node(words: str, running: list[str], pool: str = "") -> tuple[NodeCapacity, Releases]:
    """Return what is free of a node, and what its work releases."""
    ledger = a_ledger(
        [f"n1: {words}"],
        [f"r{number}: {each}" for number, each in enumerate(running)],
        pools=[f"training: {pool}"],
    )
    releases = ledger.timeline_cache.releases(N1, ledger.running_on.get(N1, ()))
    return ledger.free[TRAINING][N1], releases


Row = tuple[list[str], str, list[int]]
"""What runs on four cards with 16 CPUs, what is asked for; the seconds at which one more fits."""

TIMES: dict[str, Row] = {
    "now as far as is free": ([], "1 cards, 3 ranks", [0, 0, 0]),
    "no more than are asked for": ([], "1 cards", [0]),
    "no more than the node ever has": ([], "1 cards, 9 ranks", [0, 0, 0, 0]),
    "never on too few cards": ([], "5 cards", []),
    "as work ends": (
        ["2 cards on n1, ends in 60 s", "1 cards on n1, ends in 30 s"],
        *("1 cards, 9 ranks", [0, 30, 60, 60]),
    ),
    "when enough has ended": (
        ["2 cards on n1, ends in 60 s", "1 cards on n1, ends in 30 s"],
        *("3 cards", [60]),
    ),
    "not for what an open end holds": (
        ["1 cards on n1, environment, open end"],
        *("1 cards, 9 ranks", [0, 0, 0]),
    ),
    "when the CPU comes free": (
        ["1 cards on n1, 14 cpu, ends in 60 s"],
        *("1 cards, 4 cpu, 9 ranks", [60, 60, 60, 60]),
    ),
    "when work without cards leaves its CPU": (
        ["14 cpu on n1, ends in 60 s"],
        *("1 cards, 4 cpu, 9 ranks", [60, 60, 60, 60]),
    ),
    "now where just enough CPU is left": (
        ["1 cards on n1, 12 cpu, ends in 60 s"],
        *("1 cards, 4 cpu, 9 ranks", [0, 60, 60, 60]),
    ),
    "work without cards as CPU comes free": (
        ["9 cpu on n1, ends in 60 s", "5 cpu on n1, ends in 30 s"],
        *("7 cpu, 9 ranks", [30, 60]),
    ),
    "never for a model that is not there": (
        ["4 cards on n1, ends in 60 s"],
        *("1 cards, model B", []),
    ),
}


@pytest.mark.parametrize("row", TIMES.values(), ids=TIMES)
def test_when_a_node_takes_replicas(row: Row) -> None:
    running, words, expected = row
    capacity, releases = _node("4 cards, 16 cpu", running)

    found = replica_times(a_waiting(words).request, capacity, releases)

    assert [at // 1000 for at in found if at < UNKNOWN_FROM] == expected


SLICED: dict[str, Row] = {
    "two on a card": ([], "2 slices, 9 ranks", [0, 0, 0, 0]),
    "as slices come free": (
        ["3 slices on n1 card 0, ends in 60 s", "1 slices on n1 card 1, ends in 30 s"],
        *("2 slices, 9 ranks", [0, 30, 60, 60]),
    ),
    "when a whole card is free": (
        ["1 slices on n1 card 0, ends in 60 s", "1 slices on n1 card 1, ends in 30 s"],
        *("4 slices, 9 ranks", [30, 60]),
    ),
}


@pytest.mark.parametrize("row", SLICED.values(), ids=SLICED)
def test_when_a_node_of_slices_takes_replicas(row: Row) -> None:
    running, words, expected = row
    capacity, releases = _node("2 cards", running, "4 slices of 8192 MiB")

    found = replica_times(a_waiting(words).request, capacity, releases)

    assert [at // 1000 for at in found] == expected


MISSING: dict[str, tuple[list[str], str, int, tuple[int, int, int]]] = {
    "nothing": ([], "2 cards, 8 cpu", 2, (0, 0, 0)),
    "cards": (["3 cards on n1"], "2 cards", 2, (3, 0, 0)),
    "CPU": ([], "1 cards, 9 cpu", 2, (0, 2000, 0)),
    "memory": ([], "1 cards, 40 GiB", 2, (0, 0, 16 << 10)),
    "all of them": (["4 cards on n1, 16 cpu, 64 GiB"], "1 cards, 1 cpu, 1 GiB", 1, (1, 1000, 1024)),
    "only CPU for work without cards": (["10 cpu on n1"], "9 cpu", 1, (0, 3000, 0)),
    "cards of a model that is not there": ([], "2 cards, model B", 2, (4, 0, 0)),
}


@pytest.mark.parametrize("row", MISSING.values(), ids=MISSING)
def test_what_a_node_lacks_now(row: tuple[list[str], str, int, tuple[int, int, int]]) -> None:
    running, words, replicas, expected = row
    capacity, _ = _node("4 cards, 16 cpu, 64 GiB", running)

    assert count_missing(a_waiting(words).request, replicas, capacity) == expected


MISSING_SLICES: dict[str, tuple[list[str], str, int, int]] = {
    "nothing": ([], "3 slices", 2, 0),
    "what the fullest card lacks": (
        ["3 slices on n1 card 0", "2 slices on n1 card 1"],
        "3 slices",
        1,
        1,
    ),
    "all of them on full cards": (
        ["4 slices on n1 card 0", "4 slices on n1 card 1"],
        "3 slices",
        1,
        3,
    ),
    "at least one where pieces add up": (["1 slices on n1 card 0"], "3 slices", 3, 1),
}


@pytest.mark.parametrize("row", MISSING_SLICES.values(), ids=MISSING_SLICES)
def test_slices_that_a_node_lacks_now(row: tuple[list[str], str, int, int]) -> None:
    running, words, replicas, expected = row
    capacity, _ = _node("2 cards", running, "4 slices of 8192 MiB")

    assert count_missing(a_waiting(words).request, replicas, capacity) == (expected, 0, 0)


CARDS: dict[str, tuple[list[str], str, list[int]]] = {
    "now where all is free": ([], "", [0, 0, 0]),
    "as work ends, in order": (
        ["1 cards on n1, ends in 60 s", "2 cards on n1, ends in 30 s"],
        *("", [30, 30, 60]),
    ),
    "none of cards that are cut": ([], "4 slices of 8192 MiB", []),
}


@pytest.mark.parametrize("row", CARDS.values(), ids=CARDS)
def test_when_cards_of_a_node_are_free(row: tuple[list[str], str, list[int]]) -> None:
    running, pool, expected = row

    found = first_card_times(*_node("3 cards", running, pool))

    assert [at // 1000 for at in found] == expected


def test_a_card_in_shares_counts_as_free_from_the_start() -> None:
    site = a_snapshot(nodes=["n1: 2 cards"])
    first, second = site.accelerators
    shared = replace(first, is_fractional=True, gpu_milli_taken=500)
    node = Ledger(replace(site, accelerators=(shared, second))).free[TRAINING][N1]

    assert first_card_times(node, ()) == (FREE_NOW, FREE_NOW)
    share = Release(60_000, ((first.id, 0),), 0, 0, 500, 0)
    assert first_card_times(node, (share,)) == (FREE_NOW, FREE_NOW)
    assert replica_times(Request(gpus=2), node, (share,)) == (60_000,)


def test_work_releases_all_of_a_node_at_once_and_each_share_by_itself() -> None:
    gang = a_running(
        "2 cards, 3 ranks on n1+n1+n2, 4 cpu, 8 GiB", nodes=["n1: 4 cards", "n2: 2 cards"]
    )
    (here,), (there,) = releases_of(gang, N1, 7), releases_of(gang, N2, 7)
    assert (here.at, len(here.devices), here.cpu_milli, here.memory_mib) == (7, 4, 8000, 16 << 10)
    assert (len(there.devices), there.cpu_milli, there.memory_mib) == (2, 4000, 8 << 10)

    request = replace(gang.request, gpus=0, gpu_milli=300, gpu_memory_mib=512)
    place = Placement(N1, ((AcceleratorId("n1.0"), 0),))
    shares = replace(gang, request=request, placements=(place, place))
    found = list(releases_of(shares, N1, 7))
    assert [(each.gpu_milli, each.gpu_memory_mib, each.cpu_milli) for each in found] == [
        (300, 512, 4000)
    ] * 2
    assert list(releases_of(shares, N2, 7)) == []


# Counting after each release is the same, only slower.


def _world(random: Random) -> tuple[NodeCapacity, Releases, Request]:
    """Return a node of which random work holds random parts, and a request."""
    cards = random.randint(1, 6)
    (site_node,) = a_ledger([f"n1: {cards} cards, 32 cpu, 64 GiB"]).free[TRAINING].values()
    free, capacity = [card.view.id for card in site_node.cards], site_node
    releases: list[Release] = []
    for _ in range(random.randint(0, 5)):
        count = random.randint(0, min(2, len(free)))
        mine, free = free[:count], free[count:]
        release = Release(
            random.choice([FREE_SOON, 1000, 2000, 2000, 3000, UNKNOWN_FROM + 1000]),
            tuple((card, 0) for card in mine),
            random.randint(1, 4) * 1000,
            random.randint(0, 8) * 1024,
        )
        capacity = capacity.after_allocating(release.devices, release.cpu_milli, release.memory_mib)
        releases.append(release)
    request = Request(
        replicas=random.randint(1, 5),
        gpus=random.randint(0, 3),
        cpu_milli=random.randint(0, 12) * 1000,
        memory_mib=random.randint(0, 20) * 1024,
    )
    return capacity, sort_by_time(releases), request


def _counted(capacity: NodeCapacity, releases: Releases, request: Request) -> list[int]:
    """Return the times at which one more replica fits, by counting again after each release."""
    times = [FREE_NOW] * count_replicas(request, capacity)
    for release in releases:
        capacity = apply_release(capacity, release)
        times += [release.at] * (count_replicas(request, capacity) - len(times))
    return times


@pytest.mark.parametrize("seed", range(60))
def test_times_are_those_of_counting_after_each_release(seed: int) -> None:
    capacity, releases, request = _world(Random(seed))

    times = replica_times(request, capacity, releases)

    assert list(times) == _counted(capacity, releases, request)
    assert list(times) == sorted(times)
    assert len(times) <= request.replicas


@pytest.mark.parametrize("seed", range(60))
def test_cards_are_free_when_as_many_single_ones_would_fit(seed: int) -> None:
    capacity, releases, _ = _world(Random(seed))

    times = first_card_times(capacity, releases)

    assert list(times) == _counted(capacity, releases, Request(replicas=99, gpus=1))
