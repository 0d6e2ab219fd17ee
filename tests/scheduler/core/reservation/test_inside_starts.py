"""When waiting work is expected to start inside a reservation that is for it: one row for each rule."""

from dataclasses import replace

import pytest

from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import ReservedWindow
from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.reservation.inside_starts import InsideTimelines
from scheduler.core.timeline.node_reservation import FREE_NOW
from tests.scheduler.core.tables import a_ledger, a_snapshot, pending

HOUR = 3600


def _site(windows: list[str], waiting: list[str], running: tuple[str, ...] = ()) -> Ledger:
    """Return a site on which each reservation has two cards of a node, for vision."""
    return a_ledger(
        ["n1: 8 cards", "n2: 8 cards", "o1: 4 cards in other"],
        running,
        waiting,
        pools=["training: protects 600, grace 60", "other"],
        groups=["lab", "vision", "speech: in vision", "club: in vision"],
        quotas=["club: 0 cards in training"],
        reservations=[
            f"{name}, for vision, {window}"
            for name, window in zip(
                ("course: 2 cards on n1", "exam: 2 cards on n2"), windows, strict=False
            )
        ],
    )


Row = tuple[list[str], list[str], str, int | None]
"""Windows, running work, the work that waits; seconds until its start, None for none inside."""

OPEN = "from -600 to 9000"
TABLE: dict[str, Row] = {
    "at once in an open window": ([OPEN], [], "2 cards of vision", 0),
    "when the window opens": (["from 700 to 9000"], [], "2 cards of vision", 700),
    "at once in the moment when it opens": (["from 0 to 9000"], [], "2 cards of vision", 0),
    "not once it is over": (["from -600 to 0"], [], "2 cards of vision", None),
    "not without a reservation": ([], [], "2 cards of vision", None),
    "work of a group below": ([OPEN], [], "1 cards of speech", 0),
    "not work of another group": ([OPEN], [], "1 cards of lab", None),
    "not work of another pool": ([OPEN], [], "1 cards of vision in other", None),
    "not work that its own group's quota refuses": ([OPEN], [], "1 cards of club", None),
    "not more than there is inside": ([OPEN], [], "3 cards of vision", None),
    "a gang as a whole": ([OPEN], [], "1 cards, 2 ranks of vision", 0),
    "not a gang that is larger": ([OPEN], [], "1 cards, 3 ranks of vision", None),
    "when what runs inside has ended": (
        [OPEN],
        ["a: 2 cards on n1 of vision, ends in 400 s"],
        *("1 cards of vision", 400),
    ),
    "on what is left beside it": (
        [OPEN],
        ["a: 1 cards on n1 of vision, ends in 400 s"],
        *("1 cards of vision", 0),
    ),
    "not after work that outlasts the window": (
        ["from -600 to 1800"],
        ["a: 2 cards on n1 of vision, ends in 1800 s"],
        *("1 cards of vision, limit 600", None),
    ),
    "whatever runs there now has left when a window opens": (
        ["from 700 to 9000"],
        ["a: 2 cards on n1 of lab, ends in 5000 s"],
        *("2 cards of vision", 700),
    ),
    "what runs on other cards is not in the way": (
        [OPEN],
        ["a: 1 cards on n1 card 5 of lab, ends in 5000 s"],
        *("2 cards of vision", 0),
    ),
    "not if it runs on for long after the window": (
        ["from -600 to 1000"],
        [],
        *("1 cards of vision, limit 1301", None),
    ),
    "if it ends soon enough after it": (
        ["from -600 to 1000"],
        [],
        *("1 cards of vision, limit 1300", 0),
    ),
    "in the next window if the first is too short": (
        ["from -600 to 900, again after 3600"],
        [],
        *("1 cards of vision, limit 1201", 3000),
    ),
    "in the window of the other that opens first": (
        ["from 900 to 9000", "from 700 to 9000"],
        [],
        *("2 cards of vision", 700),
    ),
    "in the later one where the first has no room": (
        ["from 700 to 2300", "from 900 to 9000"],
        [],
        *("2 cards of vision, limit 7000", 900),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_when_work_starts_inside(row: Row) -> None:
    windows, running, words, expected = row
    ledger = _site(windows, [f"w: {words}"], tuple(running))
    item = pending(ledger, "w")

    at = InsideTimelines(ledger).start(item, item.time_limit_s, None)

    assert at == (expected if expected is None else expected * 1000)


ELSEWHERE: dict[str, tuple[int | None, int | None]] = {
    "nowhere else": (None, 700_000),
    "later elsewhere": (700_001, 700_000),
    "at the same time elsewhere": (700_000, None),
    "earlier elsewhere": (699_999, None),
    "at once elsewhere": (FREE_NOW, None),
}


@pytest.mark.parametrize("row", ELSEWHERE.values(), ids=ELSEWHERE)
def test_only_what_is_earlier_than_elsewhere_counts(row: tuple[int | None, int | None]) -> None:
    elsewhere, expected = row
    ledger = _site(["from 700 to 9000"], ["w: 2 cards of vision"])

    assert InsideTimelines(ledger).start(pending(ledger, "w"), HOUR, elsewhere) == expected


def test_each_start_takes_its_devices_from_the_next() -> None:
    ledger = _site(
        [OPEN], [f"{name}: 1 cards of vision, limit 600" for name in ("a", "b", "c", "d", "e")]
    )
    inside = InsideTimelines(ledger)

    found = [inside.start(work, 600, None) for work in ledger.pending.values()]

    assert found == [0, 0, 600_000, 600_000, 1_200_000]


def test_what_starts_elsewhere_takes_nothing_inside() -> None:
    ledger = _site([OPEN], ["a: 2 cards of vision", "b: 2 cards of vision"])
    inside = InsideTimelines(ledger)

    assert inside.start(pending(ledger, "a"), 600, FREE_NOW) is None
    assert inside.start(pending(ledger, "b"), 600, None) == 0


def test_an_end_that_is_expected_sooner_lets_the_next_start_sooner() -> None:
    ledger = _site([OPEN], ["a: 2 cards of vision", "b: 2 cards of vision"])
    inside = InsideTimelines(ledger)

    assert inside.start(pending(ledger, "a"), 120, None) == 0
    assert inside.start(pending(ledger, "b"), HOUR, None) == 120_000


def test_an_open_end_holds_its_devices_to_the_end_of_the_window_and_no_longer() -> None:
    ledger = _site(
        ["from -600 to 3000, again after 7200"],
        [
            "a: 2 cards of vision, environment, open end",
            "b: 2 cards of vision, environment, open end",
            "c: 2 cards of vision, environment, open end",
        ],
    )
    inside = InsideTimelines(ledger)

    assert inside.start(pending(ledger, "a"), None, None) == 0
    assert inside.start(pending(ledger, "b"), None, None) == 6_600_000
    assert inside.start(pending(ledger, "c"), None, None) is None


def test_only_the_next_two_windows_are_looked_at() -> None:
    site = a_snapshot(
        nodes=["n1: 8 cards"],
        waiting=["w: 2 cards, limit 3000"],
        reservations=["course: 2 cards on n1, for lab, from 0 to 9000"],
    )
    (course,) = site.reservations

    def start_with(*windows: tuple[int, int]) -> int | None:
        rows = tuple(ReservedWindow(Millis(a * 1000), Millis(b * 1000)) for a, b in windows)
        ledger = Ledger(replace(site, reservations=(replace(course, windows=rows),)))
        return InsideTimelines(ledger).start(ledger.pending[WorkloadId("w")], 3000, None)

    short, other, long = (-50, 950), (1000, 2000), (3000, 9000)
    assert start_with(short, long) == 3_000_000
    assert start_with(short, other, long) is None
    assert start_with((-90, -60), other, long) == 3_000_000


def test_a_node_that_takes_no_work_lends_no_device_to_a_window() -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 8 cards, unready"],
        waiting=["a: 2 cards, limit 600", "b: 2 cards, limit 600"],
        reservations=[
            "near: 2 cards on n1, from 700 to 9000",
            "gone: 2 cards on n2, from 600 to 9000",
        ],
    )
    inside = InsideTimelines(ledger)

    assert inside.start(pending(ledger, "a"), 600, None) == 700_000
    assert inside.start(pending(ledger, "b"), 600, None) == 1_300_000
