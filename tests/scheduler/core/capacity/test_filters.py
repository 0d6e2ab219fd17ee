"""Where a replica fits, and what is short where it does not: one row for each rule."""

from dataclasses import replace

import pytest

from scheduler.core.capacity.filters import (
    Shortfall,
    count_replicas,
    count_whole_gpu_replicas,
    find_shortfall,
)
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import NodeId, Request
from tests.scheduler.core.tables import TRAINING, a_ledger, a_snapshot, a_waiting

Count = tuple[list[str], str, int]
"""Running work, the request; how many replicas fit on the node."""

WHOLE: dict[str, Count] = {
    "as many as there are cards": ([], "1 cards, 9 ranks", 4),
    "two cards each": ([], "2 cards, 9 ranks", 2),
    "what is left over is no replica": ([], "3 cards, 9 ranks", 1),
    "more cards than there are": ([], "5 cards", 0),
    "no more than are asked for": ([], "1 cards, 2 ranks", 2),
    "cards that are held do not count": (["3 cards on n1"], "1 cards, 9 ranks", 1),
    "CPU": ([], "1 cards, 9 ranks, 6 cpu", 2),
    "just enough CPU": ([], "16 cpu", 1),
    "a CPU too many": ([], "17 cpu", 0),
    "CPU that is held does not count": (["4 cpu on n1"], "9 ranks, 4 cpu", 3),
    "memory": ([], "9 ranks, 20 GiB", 3),
    "just enough memory": ([], "64 GiB", 1),
    "memory that is held does not count": (["1 GiB on n1"], "64 GiB", 0),
    "the scarcest of all": ([], "1 cards, 9 ranks, 5 cpu, 40 GiB", 1),
    "nothing asked for fits as often as asked": ([], "7 ranks", 7),
    "a model that is there": ([], "1 cards, 9 ranks, model A|B", 4),
    "a model that is not there": ([], "1 cards, model B", 0),
    "enough memory on each card": ([], "1 cards, cards of 32768 MiB", 1),
    "not enough memory on any card": ([], "1 cards, cards of 32769 MiB", 0),
    "slices of cards that are not cut": ([], "1 slices", 0),
}


@pytest.mark.parametrize("row", WHOLE.values(), ids=WHOLE)
def test_replicas_on_a_node_of_whole_cards(row: Count) -> None:
    running, words, expected = row
    ledger = a_ledger(
        ["n1: 4 cards, 16 cpu, 64 GiB"],
        [f"r{number}: {each}" for number, each in enumerate(running)],
    )
    node = ledger.free[TRAINING][NodeId("n1")]

    assert count_replicas(a_waiting(words).request, node) == expected


SLICED: dict[str, Count] = {
    "each on one card": ([], "3 slices, 9 ranks", 2),
    "two on a card": ([], "2 slices, 9 ranks", 4),
    "as many as there are slices": ([], "1 slices, 9 ranks", 8),
    "more than a card has": ([], "5 slices", 0),
    "slices that are held do not count": (["1 slices on n1"], "2 slices, 9 ranks", 3),
    "a card that is full": (["4 slices on n1"], "1 slices, 9 ranks", 4),
    "whole cards of a pool that is cut": ([], "1 cards", 0),
}


@pytest.mark.parametrize("row", SLICED.values(), ids=SLICED)
def test_replicas_on_a_node_of_slices(row: Count) -> None:
    running, words, expected = row
    ledger = a_ledger(
        ["n1: 2 cards"],
        [f"r{number}: {each}" for number, each in enumerate(running)],
        pools=["training: 4 slices of 8192 MiB"],
    )
    node = ledger.free[TRAINING][NodeId("n1")]

    assert count_replicas(a_waiting(words).request, node) == expected


@pytest.mark.parametrize(
    ("gpus", "cpu", "memory", "expected"),
    [
        (4, 99, 99, 2),
        (3, 99, 99, 1),
        (1, 99, 99, 0),
        (99, 99, 99, 5),
        (99, 9, 99, 3),
        (99, 99, 7, 1),
        (99, -1, 99, 0),
    ],
)
def test_replicas_by_amounts(gpus: int, cpu: int, memory: int, expected: int) -> None:
    request = Request(replicas=5, gpus=2, cpu_milli=3, memory_mib=5)

    assert count_whole_gpu_replicas(request, gpus, cpu, memory) == expected


def test_amounts_that_are_not_asked_for_do_not_matter() -> None:
    assert count_whole_gpu_replicas(Request(replicas=2, gpus=1), 2, 0, 0) == 2


Short = tuple[str, Shortfall | None]

SHORT: dict[str, Short] = {
    "nothing": ("4 cards", None),
    "cards in one piece": ("5 cards", Shortfall("gpus", 5, 4, 6)),
    "cards": ("7 cards", Shortfall("gpus", 7, 4, 6)),
    "cards of a model": ("1 cards, model B", Shortfall("gpus", 1, 0, 0)),
    "CPU beside cards": ("3 cards, 20 cpu", Shortfall("cpu", 20_000, 16_000, 16_000)),
    "CPU anywhere": ("20 cpu", Shortfall("cpu", 20_000, 16_000, 24_000)),
    "memory beside cards": (
        "4 cards, 128 GiB",
        Shortfall("memory", 128 << 10, 64 << 10, 64 << 10),
    ),
    "memory anywhere": ("2 cards, 200 GiB", Shortfall("memory", 200 << 10, 128 << 10, 192 << 10)),
    "memory beside CPU": (
        "16 cpu, 128 GiB",
        Shortfall("memory", 128 << 10, 64 << 10, 64 << 10),
    ),
    "places for all replicas": ("2 cards, 4 ranks", Shortfall("replicas", 4, 3, 3)),
    "places for all replicas without cards": (
        "8 cpu, 4 ranks",
        Shortfall("replicas", 4, 3, 3),
    ),
    "slices where no card is cut": ("1 slices", Shortfall("slices", 1, 0, 0)),
}


@pytest.mark.parametrize("row", SHORT.values(), ids=SHORT)
def test_the_first_rule_that_leaves_no_node_is_what_is_short(row: Short) -> None:
    words, expected = row
    ledger = a_ledger(["n1: 4 cards, 16 cpu, 64 GiB", "n2: 2 cards, 8 cpu, 128 GiB"])

    assert find_shortfall(a_waiting(words).request, ledger.free[TRAINING].matrix) == expected


def test_what_nobody_asks_for_is_not_what_is_short() -> None:
    overcommitted = ["a: 1 cards on n1, 3 cpu", "b: 1 cards on n2, 3 cpu"]
    ledger = a_ledger(["n1: 3 cards, 2 cpu", "n2: 2 cards, 2 cpu"], overcommitted)
    matrix = ledger.free[TRAINING].matrix

    assert find_shortfall(a_waiting("1 cards, 4 ranks").request, matrix) == Shortfall(
        "replicas", 4, 3, 3
    )
    assert find_shortfall(a_waiting("1 cards, 3 ranks").request, matrix) is None
    assert find_shortfall(a_waiting("1 cards, 1 cpu").request, matrix) == Shortfall(
        "cpu", 1000, 0, 0
    )


# Shares of cards of any size.


def _in_shares(
    *held: tuple[int, int], asked: tuple[int, int], ranks: int = 9
) -> tuple[Ledger, Request]:
    """Return cards of 1000 MiB of which so many thousandths and MiB are held, and a request."""
    site = a_snapshot(nodes=[f"n1: {len(held)} cards"])
    cards = tuple(
        replace(
            card,
            is_fractional=True,
            memory_mib=1000,
            gpu_milli_taken=milli,
            gpu_memory_taken_mib=mib,
        )
        for card, (milli, mib) in zip(site.accelerators, held, strict=True)
    )
    request = Request(replicas=ranks, gpu_milli=asked[0], gpu_memory_mib=asked[1])
    return Ledger(replace(site, accelerators=cards)), request


Held = tuple[list[tuple[int, int]], tuple[int, int], int]
"""What is held of each card, what a share asks for; how many fit."""

SHARES: dict[str, Held] = {
    "three thirds of a card": ([(0, 0)], (333, 0), 3),
    "no share of what is left over": ([(0, 0)], (334, 0), 2),
    "beside what is held": ([(500, 0)], (250, 0), 2),
    "just the rest of a card": ([(750, 0)], (250, 0), 1),
    "not a thousandth too much": ([(751, 0)], (250, 0), 0),
    "as many as memory is left for": ([(0, 400)], (100, 300), 2),
    "just the rest of its memory": ([(0, 700)], (100, 300), 1),
    "not a MiB too much": ([(0, 701)], (100, 300), 0),
    "what is held of the memory does not matter without": ([(0, 1000)], (500, 0), 2),
    "on all cards together": ([(0, 0), (500, 0), (900, 0)], (250, 0), 6),
    "the scarcer of both on each card": ([(0, 900), (900, 0)], (100, 100), 2),
}


@pytest.mark.parametrize("row", SHARES.values(), ids=SHARES)
def test_shares_on_a_node(row: Held) -> None:
    held, asked, expected = row
    ledger, request = _in_shares(*held, asked=asked)

    assert count_replicas(request, ledger.free[TRAINING][NodeId("n1")]) == expected
    assert ledger.free[TRAINING].matrix.count_replicas(request).tolist() == [expected]


SHARES_SHORT: dict[str, tuple[list[tuple[int, int]], tuple[int, int], Shortfall | None]] = {
    "nothing": ([(0, 0)], (500, 500), None),
    "a share in one piece": ([(600, 0), (700, 0)], (500, 0), Shortfall("share", 500, 400, 700)),
    "shares": ([(600, 0), (950, 0)], (500, 0), Shortfall("share", 500, 400, 450)),
    "memory in one piece": (
        [(0, 600), (0, 700)],
        (100, 500),
        Shortfall("gpu_memory", 500, 400, 700),
    ),
    "memory of the cards that have the share": (
        [(950, 0), (0, 700)],
        (100, 500),
        Shortfall("gpu_memory", 500, 300, 300),
    ),
}


@pytest.mark.parametrize("row", SHARES_SHORT.values(), ids=SHARES_SHORT)
def test_shares_that_are_short(
    row: tuple[list[tuple[int, int]], tuple[int, int], Shortfall | None],
) -> None:
    held, asked, expected = row
    ledger, request = _in_shares(*held, asked=asked, ranks=1)

    assert find_shortfall(request, ledger.free[TRAINING].matrix) == expected


SLICES_SHORT: dict[str, Short] = {
    "slices in one piece": ("3 slices", Shortfall("slices", 3, 2, 3)),
    "slices": ("4 slices", Shortfall("slices", 4, 2, 3)),
    "a share of cards that are cut": ("1 cards", Shortfall("gpus", 1, 0, 0)),
}


@pytest.mark.parametrize("row", SLICES_SHORT.values(), ids=SLICES_SHORT)
def test_slices_that_are_short(row: Short) -> None:
    words, expected = row
    ledger = a_ledger(
        ["n1: 2 cards"],
        ["a: 2 slices on n1 card 0", "b: 3 slices on n1 card 1"],
        pools=["training: 4 slices of 8192 MiB"],
    )

    assert find_shortfall(a_waiting(words).request, ledger.free[TRAINING].matrix) == expected


FRAGMENTED: dict[str, tuple[Shortfall, bool, bool]] = {
    "enough cards in pieces": (Shortfall("gpus", 5, 4, 6), True, True),
    "just enough": (Shortfall("gpus", 5, 4, 5), True, True),
    "too few cards": (Shortfall("gpus", 5, 4, 4), True, False),
    "CPU is no device": (Shortfall("cpu", 5, 4, 6), False, False),
    "places are no devices": (Shortfall("replicas", 4, 3, 9), False, False),
    "memory of shares": (Shortfall("gpu_memory", 5, 4, 6), True, True),
}


@pytest.mark.parametrize("row", FRAGMENTED.values(), ids=FRAGMENTED)
def test_what_is_free_only_in_pieces(row: tuple[Shortfall, bool, bool]) -> None:
    shortfall, in_devices, fragmented = row

    assert shortfall.is_in_devices is in_devices
    assert shortfall.is_fragmented is fragmented
