"""What is set aside for reserved starts, and what comes back when they go."""

from dataclasses import replace

import pytest

from scheduler.core.cycle import decide
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId, WorkloadId
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.reservation.cleared import keep_cleared
from scheduler.core.reservation.reservations import reserve_start
from scheduler.core.timeline.node_reservation import FREE_NOW, UNKNOWN_FROM
from scheduler.core.timeline.pool_timeline import GangStart
from scheduler.core.timeline.reserved_starts import Reservation
from tests.scheduler.core.tables import N1, TRAINING, a_ledger, a_running, a_waiting, pending


def _decided(depth: int = 2) -> Ledger:
    """Return a ledger with reserved starts for `big`, then `next`, behind work on both nodes."""
    ledger = a_ledger(
        ["n1: 4 cards", "n2: 4 cards"],
        ["a: 1 cards on n1, ends in 100 s", "b: 1 cards on n2, ends in 200 s"],
        ["big: 4 cards", "next: 4 cards"],
        pools=[f"training: depth {depth}"],
    )
    decide(ledger, ledger.now, explained=False)
    return ledger


def _unreserved(ledger: Ledger) -> dict[str, int]:
    return {
        node: len(capacity.whole_cards()) for node, capacity in ledger.unreserved[TRAINING].items()
    }


def test_free_cards_that_a_start_needs_are_set_aside_and_come_back_with_it() -> None:
    ledger = _decided()
    starts = ledger.starts
    first, second = starts.by_pool[TRAINING]
    assert [each.workload.id for each in (first, second)] == ["big", "next"]
    assert _unreserved(ledger) == {"n1": 0, "n2": 0}
    mark, state = ledger.mark(), starts.state

    starts.remove(first)
    assert _unreserved(ledger) == {"n1": 3, "n2": 0}
    assert starts.first_blocked[TRAINING].id == "next"
    assert starts.find(WorkloadId("big"), TRAINING) is None
    assert starts.state != state

    starts.remove(second)
    assert _unreserved(ledger) == {"n1": 3, "n2": 3}
    assert not starts
    assert not starts.first_blocked

    ledger.undo(mark)
    assert _unreserved(ledger) == {"n1": 0, "n2": 0}
    assert tuple(starts) == (first, second)
    assert starts.first_blocked[TRAINING].id == "big"
    assert starts.state == state


def test_a_workload_that_starts_is_forgotten_and_others_are_not() -> None:
    ledger = _decided()

    ledger.starts.forget(pending(ledger, "next"))
    assert [each.workload.id for each in ledger.starts] == ["big"]
    ledger.starts.forget(pending(ledger, "next"))
    assert [each.workload.id for each in ledger.starts] == ["big"]


def test_only_new_starts_are_dropped_on_demand() -> None:
    ledger = _decided()
    first, second = ledger.starts.by_pool[TRAINING]
    published = PlannedReservation(first.workload.id, TRAINING, Millis(100_000), first.start.nodes)
    ledger.starts.swap(first, replace(first, published=published))

    assert ledger.starts.drop(only_new=True) == (second,)
    assert [each.workload.id for each in ledger.starts] == ["big"]
    assert [each.workload.id for each in ledger.starts.drop()] == ["big"]
    assert _unreserved(ledger) == {"n1": 3, "n2": 3}


def test_a_new_decision_reserves_nothing_any_more() -> None:
    ledger = _decided()

    ledger.starts.begin()

    assert not ledger.starts
    assert not ledger.starts.first_blocked
    assert _unreserved(ledger) == {"n1": 3, "n2": 3}


def _reservation(words: str, at: int = FREE_NOW, cards: int = 4, ranks: int = 1) -> Reservation:
    devices = frozenset((N1, AcceleratorId(f"n1.{number}"), 0) for number in range(cards))
    return Reservation(a_waiting(words), GangStart(at, ((N1, ranks),), pinned=devices))


PROMISED: dict[str, tuple[int, int, bool, bool]] = {
    "for a later moment": (5000, 5000, True, True),
    "not for this moment": (5000, 1000, True, False),
    "not for an earlier one": (5000, 999, True, False),
    "not without a known time": (UNKNOWN_FROM, 5000, True, False),
    "not if guarantees of others may keep it away": (5000, 5000, False, False),
}


@pytest.mark.parametrize("row", PROMISED.values(), ids=PROMISED)
def test_which_starts_have_a_time_that_can_be_promised(row: tuple[int, int, bool, bool]) -> None:
    at, promised_for, is_certain, expected = row
    reservation = replace(
        _reservation("1 cards", at), promised_for=Millis(promised_for), is_certain=is_certain
    )

    assert reservation.is_promised(Millis(1000)) is expected


DEVICES: dict[str, tuple[str, int, int, list[list[str]]]] = {
    "all to one rank": ("2 cards", 2, 1, [["n1.0", "n1.1"]]),
    "in equal parts to several": ("2 cards, 2 ranks", 4, 2, [["n1.0", "n1.1"], ["n1.2", "n1.3"]]),
    "none to work without cards": ("2 ranks", 0, 2, [[], []]),
}


@pytest.mark.parametrize("row", DEVICES.values(), ids=DEVICES)
def test_devices_of_each_rank(row: tuple[str, int, int, list[list[str]]]) -> None:
    words, cards, ranks, expected = row
    reservation = _reservation(words, cards=cards, ranks=ranks)

    assert [[card for card, _ in each.devices] for each in reservation.placements()] == expected


def test_shares_of_several_ranks_may_be_on_one_card() -> None:
    work = a_waiting("3 ranks, 2 cpu, 1 GiB")
    work = replace(work, request=replace(work.request, gpu_milli=300, gpu_memory_mib=512))
    reservation = replace(_reservation("3 ranks", cards=2, ranks=3), workload=work)

    parts = list(reservation.parts())

    assert [part.devices[0][0] for part in parts] == ["n1.0", "n1.1", "n1.0"]
    assert {(part.cpu_milli, part.memory_mib) for part in parts} == {(2000, 1024)}
    assert {(part.gpu_milli, part.gpu_memory_mib) for part in parts} == {(300, 512)}


def test_work_is_in_the_place_of_a_start_by_its_devices() -> None:
    reservation = _reservation("2 cards", cards=2)

    assert reservation.uses_devices_of(a_running("2 cards on n1"))
    assert not reservation.uses_devices_of(a_running("1 cards on n1 card 3"))
    elsewhere = a_running("2 cards on n2", nodes=["n2: 4 cards"])
    assert not reservation.uses_devices_of(elsewhere)
    assert NodeId("n2") not in {part.node for part in reservation.parts()}


def test_what_goes_gives_back_only_its_own_part_of_a_node() -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "n2: 2 cards"],
        ["a: 6 cards on n1, ends in 100 s", "b: 1 cards on n2, ends in 100 s"],
        ["big: 7 cards", "next: 1 cards, home n1", "far: 2 cards, home n2"],
    )
    for name in ("big", "next", "far"):
        assert reserve_start(pending(ledger, name), ledger)
    assert _unreserved(ledger) == {"n1": 0, "n2": 0}

    ledger.starts.forget(pending(ledger, "big"))
    assert _unreserved(ledger) == {"n1": 1, "n2": 0}
    ledger.starts.forget(pending(ledger, "far"))
    assert _unreserved(ledger) == {"n1": 1, "n2": 1}
    ledger.starts.forget(pending(ledger, "next"))
    assert _unreserved(ledger) == {"n1": 2, "n2": 1}


def _cleared() -> Ledger:
    """Return a ledger on which a card of n1 was cleared for `big`."""
    ledger = a_ledger(
        ["n1: 4 cards", "n2: 4 cards"],
        ["a: 1 cards on n1, stopping for big", "b: 4 cards on n2, ends in 100 s"],
        ["big: 4 cards", "next: 4 cards, home n2"],
    )
    devices = tuple((N1, AcceleratorId(f"n1.{card}"), 0) for card in range(4))
    planned = PlannedReservation(
        WorkloadId("big"), TRAINING, Millis(0), ((N1, 1),), devices, is_cleared=True
    )
    assert keep_cleared(planned, pending(ledger, "big"), ledger)
    return ledger


def test_a_cleared_start_is_a_start_like_any_other() -> None:
    ledger = _cleared()

    assert ledger.starts
    found = ledger.starts.find(WorkloadId("big"), TRAINING)
    assert found is not None
    assert found.is_cleared
    assert tuple(ledger.starts) == (found,)
    ledger.starts.remove(found)
    assert not ledger.starts


def test_the_first_that_was_blocked_stays_the_first_until_it_starts() -> None:
    ledger = _cleared()
    assert ledger.starts.first_blocked[TRAINING].id == "big"

    assert reserve_start(pending(ledger, "next"), ledger)
    assert ledger.starts.first_blocked[TRAINING].id == "big"
    assert [each.workload.id for each in ledger.starts] == ["big", "next"]

    ledger.starts.forget(pending(ledger, "big"))
    assert ledger.starts.first_blocked[TRAINING].id == "next"
    ledger.starts.forget(pending(ledger, "next"))
    assert TRAINING not in ledger.starts.first_blocked


def test_cards_that_are_kept_for_a_cleared_start_are_free_for_nobody() -> None:
    ledger = _cleared()

    assert ledger.free[TRAINING][N1].whole_cards() == ()
    assert _unreserved(ledger)["n1"] == 0
    kept = ledger.starts.capacities(TRAINING)[N1].whole_cards()
    assert [card.view.id for card in kept] == ["n1.1", "n1.2", "n1.3"]


def test_a_new_decision_gives_back_what_was_kept_for_a_cleared_start() -> None:
    ledger = _cleared()

    ledger.starts.begin()

    assert not ledger.starts
    assert len(ledger.free[TRAINING][N1].whole_cards()) == 3
    assert _unreserved(ledger)["n1"] == 3
