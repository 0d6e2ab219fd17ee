"""What is kept of a node for work that others were stopped for, and when that is not possible."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    Millis,
    NodeId,
    PendingWorkload,
    Placement,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.reservation.cleared import is_void, keep_cleared
from scheduler.core.timeline.node_reservation import FREE_NOW, FREE_SOON, UNKNOWN_FROM
from scheduler.core.timeline.pool_timeline import GangStart
from scheduler.core.timeline.reserved_starts import Reservation
from tests.scheduler.core.tables import N1, N2, TRAINING, a_ledger, a_snapshot, pending
from tests.scheduler.counting import recounted


def _planned(name: str, cards: str, starts_s: int = 60, ranks: int = 1) -> PlannedReservation:
    """Return what was planned for work on these cards, such as `n1.0 n1.1 n2.0`."""
    nodes = list(dict.fromkeys(NodeId(card.partition(".")[0]) for card in cards.split()))
    return PlannedReservation(
        WorkloadId(name),
        TRAINING,
        Millis(starts_s * 1000),
        tuple((node, ranks // len(nodes)) for node in nodes),
        devices=tuple(
            (NodeId(card.partition(".")[0]), AcceleratorId(card), 0) for card in cards.split()
        ),
        is_cleared=True,
    )


def _keep(ledger: Ledger, name: str, cards: str, starts_s: int = 60, ranks: int = 1) -> bool:
    return keep_cleared(_planned(name, cards, starts_s, ranks), pending(ledger, name), ledger)


def _free(ledger: Ledger) -> str:
    """Return the free cards; the unreserved ones are the same."""
    free, unreserved = (
        " ".join(card.view.id for node in view.values() for card in node.whole_cards())
        for view in (ledger.free[TRAINING], ledger.unreserved[TRAINING])
    )
    assert free == unreserved
    return free


Row = tuple[list[str], list[str], list[str], str, str, str | None]
"""Nodes, broken cards, running work, the work, its planned cards; the free cards that others are left."""

TWO = ["n1: 4 cards, 16 cpu", "n2: 2 cards, 16 cpu"]
ALL = "n1.0 n1.1 n1.2 n1.3"
TABLE: dict[str, Row] = {
    "what is free and what is left": (
        *(TWO, [], ["a: 2 cards on n1, stopping for big"]),
        *("4 cards", ALL, "n2.0 n2.1"),
    ),
    "only its own cards": (
        *(TWO, [], ["a: 2 cards on n1, stopping for big"]),
        *("3 cards", "n1.0 n1.1 n1.3", "n1.2 n2.0 n2.1"),
    ),
    "only what it gets of work that leaves more": (
        *(TWO, [], ["a: 3 cards on n1, stopping for big"]),
        *("1 cards", "n1.0", "n1.3 n2.0 n2.1"),
    ),
    "what is all free already": (TWO, [], [], "4 cards", ALL, "n2.0 n2.1"),
    "cards that work leaves for somebody else": (
        *(TWO, [], ["a: 2 cards on n1, stopping for other"]),
        *("4 cards", ALL, "n2.0 n2.1"),
    ),
    "cards that work leaves for nobody": (
        *(TWO, [], ["a: 2 cards on n1, stopping"]),
        *("4 cards", ALL, "n2.0 n2.1"),
    ),
    "the cards of a gang on two nodes": (
        *(TWO, [], ["a: 1 cards on n1, stopping for big", "b: 1 cards on n2, stopping for big"]),
        *("1 cards, 2 ranks", "n1.0 n2.0", "n1.1 n1.2 n1.3 n2.1"),
    ),
    "nothing where a card is held by work that stays": (
        *(TWO, [], ["a: 2 cards on n1"]),
        *("4 cards", ALL, None),
    ),
    "nothing where one card of a gang is": (
        *(TWO, [], ["a: 1 cards on n1, stopping for big", "b: 1 cards on n2"]),
        *("1 cards, 2 ranks", "n1.0 n2.0", None),
    ),
    "nothing of a node that takes no work": (
        ["n1: 4 cards, unready", "n2: 2 cards"],
        *([], []),
        *("4 cards", ALL, None),
    ),
    "nothing where a card is broken": (
        *(TWO, ["n1: card 2 bad"], ["a: 2 cards on n1, stopping for big"]),
        *("4 cards", ALL, None),
    ),
    "nothing of cards of which the work accepts none": (
        *(TWO, [], ["a: 2 cards on n1, stopping for big"]),
        *("2 cards, model B", "n1.0 n1.1", None),
    ),
    "nothing of cards that are too small": (
        *(TWO, [], ["a: 2 cards on n1, stopping for big"]),
        *("2 cards of 40960 MiB", "n1.0 n1.1", None),
    ),
    "nothing where work that stays holds the CPU": (
        *(TWO, [], ["a: 2 cards on n1, stopping for big, 1 cpu", "b: 1 cards on n1, 13 cpu"]),
        *("2 cards, 4 cpu", "n1.0 n1.1", None),
    ),
    "all where just enough CPU is left": (
        *(TWO, [], ["a: 2 cards on n1, stopping for big, 1 cpu", "b: 1 cards on n1, 12 cpu"]),
        *("2 cards, 4 cpu", "n1.0 n1.1", "n1.3 n2.0 n2.1"),
    ),
    "all where the work that leaves holds the CPU": (
        *(TWO, [], ["a: 2 cards on n1, stopping for big, 13 cpu"]),
        *("2 cards, 4 cpu", "n1.0 n1.1", "n1.2 n1.3 n2.0 n2.1"),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_is_kept_for_work_that_others_make_room_for(row: Row) -> None:
    nodes, broken, running, words, cards, left = row
    ledger = a_ledger(nodes, running, [f"big: {words}"], broken=broken)
    before = _free(ledger)
    ranks = pending(ledger, "big").request.replicas

    assert _keep(ledger, "big", cards, ranks=ranks) is (left is not None)

    assert _free(ledger) == (before if left is None else left)
    assert (ledger.starts.find(WorkloadId("big"), TRAINING) is not None) is (left is not None)


def test_what_is_kept_comes_back_when_the_start_is_dropped() -> None:
    ledger = a_ledger(TWO, ["a: 1 cards on n1, stopping for big, 8 cpu"], ["big: 4 cards, 10 cpu"])
    before = ledger.free[TRAINING][N1]
    assert _keep(ledger, "big", ALL)
    assert ledger.free[TRAINING][N1] != before

    ledger.starts.forget(pending(ledger, "big"))

    assert ledger.free[TRAINING][N1] == before
    assert ledger.unreserved[TRAINING][N1] == before


AMOUNTS: dict[str, tuple[list[str], int, int, int]] = {
    "the rest of its need beyond what comes": (
        ["a: 1 cards on n1, stopping for big, 8 cpu"],
        10,
        6,
        6,
    ),
    "nothing where enough comes": (["a: 1 cards on n1, stopping for big, 8 cpu"], 8, 8, 8),
    "nothing where more comes": (["a: 1 cards on n1, stopping for big, 8 cpu"], 2, 8, 14),
    "all of it where nothing comes": ([], 10, 6, 6),
    "all that is free": ([], 16, 0, 0),
}


@pytest.mark.parametrize("row", AMOUNTS.values(), ids=AMOUNTS)
def test_cpu_that_others_are_left_now_and_once_all_has_left(
    row: tuple[list[str], int, int, int],
) -> None:
    running, cpu, now, then = row
    ledger = a_ledger(TWO, running, [f"big: 2 cards, {cpu} cpu"])

    assert _keep(ledger, "big", "n1.0 n1.1")

    assert ledger.free[TRAINING][N1].cpu_milli == now * 1000
    if running:
        ledger.release(WorkloadId("a"))
    # What is released first goes to the start; the rest is for all.
    assert ledger.free[TRAINING][N1].cpu_milli >= then * 1000


def test_two_starts_never_keep_the_same_card() -> None:
    ledger = a_ledger(
        TWO,
        ["a: 2 cards on n1, stopping for big"],
        ["big: 2 cards", "next: 2 cards", "last: 1 cards"],
    )

    assert _keep(ledger, "big", "n1.0 n1.1")
    assert not _keep(ledger, "next", "n1.1 n1.2")
    assert _keep(ledger, "next", "n1.2 n1.3")
    assert not _keep(ledger, "last", "n1.3")
    assert _free(ledger) == "n2.0 n2.1"


def test_two_starts_never_keep_the_same_cpu() -> None:
    ledger = a_ledger(
        TWO, [], ["big: 2 cards, 10 cpu", "next: 2 cards, 7 cpu", "last: 2 cards, 6 cpu"]
    )

    assert _keep(ledger, "big", "n1.0 n1.1")
    assert not _keep(ledger, "next", "n1.2 n1.3")
    assert _keep(ledger, "last", "n1.2 n1.3")


TIMES: dict[str, tuple[str, int | None, int, int, int]] = {
    "now where all is free": ("a: 1 cards on n2", None, 60, FREE_NOW, 60_000),
    "soon where nothing is known": (
        "a: 1 cards on n1, stopping for big",
        None,
        60,
        FREE_SOON,
        60_000,
    ),
    "when the work has left": ("a: 1 cards on n1, stopping for big", 90, 60, 90_000, 90_000),
    "not before it was planned": ("a: 1 cards on n1, stopping for big", 30, 60, 30_000, 60_000),
    "never before now": ("a: 1 cards on n2", None, -5, FREE_NOW, 0),
    "when what stops for it elsewhere has left": (
        *("a: 1 cards on n2, stopping for big", 90),
        *(60, 90_000, 90_000),
    ),
    "not for what stops for others elsewhere": (
        *("a: 1 cards on n2, stopping for next", 90),
        *(60, FREE_NOW, 60_000),
    ),
    "when what stops for others on its cards has left": (
        *("a: 1 cards on n1, stopping for next", 90),
        *(60, 90_000, 90_000),
    ),
}


@pytest.mark.parametrize("row", TIMES.values(), ids=TIMES)
def test_when_a_cleared_start_comes(row: tuple[str, int | None, int, int, int]) -> None:
    running, leaves_s, planned_s, at, promised_for = row
    ledger = a_ledger(TWO, [running], ["big: 4 cards"])
    work = ledger.running[WorkloadId("a")]
    leaves_by = None if leaves_s is None else Millis(leaves_s * 1000)
    ledger.update(replace(work, leaves_by=leaves_by))

    assert _keep(ledger, "big", ALL, planned_s)

    found = ledger.starts.cleared[WorkloadId("big")]
    assert (found.start.at, found.promised_for) == (at, promised_for)
    assert found.is_cleared


def test_the_last_to_leave_decides_when_it_comes() -> None:
    ledger = a_ledger(
        TWO,
        ["a: 1 cards on n1, stopping for big", "b: 1 cards on n1, stopping for big"],
        ["big: 4 cards"],
    )
    for name, leaves_s in (("a", 30), ("b", 80)):
        ledger.update(replace(ledger.running[WorkloadId(name)], leaves_by=Millis(leaves_s * 1000)))

    assert _keep(ledger, "big", ALL)

    assert ledger.starts.cleared[WorkloadId("big")].start.at == 80_000


def test_work_that_is_overdue_is_not_waited_for() -> None:
    ledger = a_ledger(TWO, ["a: 1 cards on n1, stopping for big"], ["big: 4 cards"])
    ledger.update(replace(ledger.running[WorkloadId("a")], is_overdue=True))

    assert not _keep(ledger, "big", ALL)


# Shares of cards.


def _sharing(shares: Iterable[tuple[str, int, int, bool]], asked: tuple[int, int]) -> Ledger:
    """Return two cards in shares: of the first, each work holds so much, and may be stopping."""
    site = a_snapshot(nodes=["n1: 2 cards"], waiting=["big: 1 ranks"])
    (work,) = site.pending
    first, second = (
        replace(card, is_fractional=True, memory_mib=1000) for card in site.accelerators
    )
    running = tuple(
        RunningWorkload(
            WorkloadId(name),
            TRAINING,
            work.group,
            work.user,
            0,
            replace(work.request, gpu_milli=milli, gpu_memory_mib=mib),
            (Placement(N1, ((first.id, 0),)),),
            ends_at=None,
            stopping=stopping,
        )
        for name, milli, mib, stopping in shares
    )
    milli, mib = asked
    request = replace(work.request, gpu_milli=milli, gpu_memory_mib=mib)
    return Ledger(_counted(site, (first, second), running, replace(work, request=request)))


def _counted(
    site: Snapshot,
    cards: tuple[AcceleratorView, ...],
    running: tuple[RunningWorkload, ...],
    work: PendingWorkload,
) -> Snapshot:
    return recounted(replace(site, accelerators=cards, running=running, pending=(work,)))


ShareRow = tuple[list[tuple[str, int, int, bool]], tuple[int, int], tuple[int, int] | None]
"""Shares of the card (name, thousandths, MiB, stopping), what is asked; what others see as held."""

SHARES: dict[str, ShareRow] = {
    "all of it on an empty card": ([], (500, 400), (500, 400)),
    "nothing now where as much is left to it": ([("a", 500, 400, True)], (500, 400), (500, 400)),
    "nothing now where more is left to it": ([("a", 900, 900, True)], (500, 400), (900, 900)),
    "what is missing beside what comes": ([("a", 200, 100, True)], (500, 400), (500, 400)),
    "beside a share that stays": (
        [("a", 200, 100, True), ("s", 300, 300, False)],
        *((500, 400), (800, 700)),
    ),
    "the last bit of a card": (
        [("a", 500, 400, True), ("s", 500, 600, False)],
        *((500, 400), (1000, 1000)),
    ),
    "not beyond the compute of the card": (
        [("a", 400, 400, True), ("s", 501, 300, False)],
        *((500, 400), None),
    ),
    "not beyond the memory of the card": (
        [("a", 500, 400, True), ("s", 300, 601, False)],
        *((500, 400), None),
    ),
    "more memory and less compute than comes": (
        [("a", 600, 100, True)],
        *((500, 400), (601, 400)),
    ),
    "more compute and less memory than comes": (
        [("a", 100, 600, True)],
        *((500, 400), (500, 600)),
    ),
}


@pytest.mark.parametrize("row", SHARES.values(), ids=SHARES)
def test_what_is_kept_of_a_card_in_shares(row: ShareRow) -> None:
    shares, asked, expected = row
    ledger = _sharing(shares, asked)
    before = ledger.free[TRAINING][N1]

    assert _keep(ledger, "big", "n1.0") is (expected is not None)

    after = ledger.free[TRAINING][N1]
    if expected is None:
        assert after == before
    else:
        held, other = after.cards
        assert (held.shared_milli, held.shared_mib) == expected
        assert other == before.cards[1]
        ledger.starts.forget(pending(ledger, "big"))
        assert ledger.free[TRAINING][N1] == before


def test_a_card_that_is_held_as_a_whole_is_kept_for_no_share() -> None:
    ledger = _sharing([], (500, 400))
    whole = replace(
        ledger.pending[WorkloadId("big")],
        id=WorkloadId("whole"),
        request=replace(ledger.pending[WorkloadId("big")].request, gpus=1, gpu_milli=0),
    )
    ledger.allocate(whole, (Placement(N1, ((AcceleratorId("n1.0"), 0),)),))

    assert not _keep(ledger, "big", "n1.0")
    assert _keep(ledger, "big", "n1.1")


# Whether there is anything left to wait for.

VOID: dict[str, tuple[list[str], list[str], int, bool]] = {
    "what still leaves for it": ([], ["a: 1 cards on n1, stopping"], FREE_SOON, False),
    "a time that is known": ([], [], 90_000, False),
    "a time that is not known": ([], [], UNKNOWN_FROM, False),
    "nothing leaves any more": ([], [], FREE_NOW, True),
    "something leaves, and no quota is in the way": (
        ["lab: 9 cards"],
        ["a: 1 cards on n2, stopping"],
        *(FREE_NOW, True),
    ),
    "something leaves, and a quota is in the way": (
        ["lab: 4 cards"],
        ["a: 1 cards on n2, stopping", "b: 1 cards on n2"],
        *(FREE_NOW, False),
    ),
    "a quota is in the way, and nothing leaves": (
        ["lab: 4 cards"],
        ["b: 1 cards on n2"],
        *(FREE_NOW, True),
    ),
}


@pytest.mark.parametrize("row", VOID.values(), ids=VOID)
def test_a_cleared_start_is_void_where(row: tuple[list[str], list[str], int, bool]) -> None:
    quotas, running, at, expected = row
    ledger = a_ledger(TWO, running, ["big: 4 cards"], quotas=quotas)
    start = GangStart(at, ((N1, 1),), pinned=frozenset(_planned("big", ALL).devices))

    assert is_void(Reservation(pending(ledger, "big"), start, is_cleared=True), ledger) is expected


def test_a_start_is_void_though_something_overdue_still_stops() -> None:
    ledger = a_ledger(
        TWO,
        ["a: 1 cards on n2, stopping", "b: 1 cards on n2"],
        ["big: 4 cards"],
        quotas=["lab: 4 cards"],
    )
    ledger.update(replace(ledger.running[WorkloadId("a")], is_overdue=True))
    start = GangStart(FREE_NOW, ((N2, 1),))

    assert is_void(Reservation(pending(ledger, "big"), start, is_cleared=True), ledger)
