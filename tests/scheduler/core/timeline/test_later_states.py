"""Which later states work would still be there to see, and what has left and started in each."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId, WorkloadId
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.quotas.quota_book import Later
from scheduler.core.reservation.cleared import keep_cleared
from scheduler.core.reservation.reservations import reserve_start
from scheduler.core.timeline.later_states import LaterStates
from scheduler.core.timeline.reserved_starts import Reservation
from tests.scheduler.core.tables import N1, N2, TRAINING, a_ledger, a_waiting, pending

NODES = ["n1: 4 cards", "n2: 4 cards", "o1: 4 cards in other"]
RUNNING = ["a: 4 cards on n1, ends in 100 s", "b: 4 cards on n2, ends in 200 s"]
BIG, NEXT = "big: 4 cards, limit 3600", "next: 4 cards, limit 3600"


def _site(
    waiting: Iterable[str] = (BIG, NEXT),
    running: Iterable[str] = RUNNING,
    quotas: Iterable[str] = ("lab: 99 cards",),
    reserved: Iterable[str] = ("big", "next"),
) -> Ledger:
    """Return a site with starts that are reserved for `big` on n1 and for `next` on n2."""
    ledger = a_ledger(
        NODES, list(running), list(waiting), pools=["training", "other"], quotas=list(quotas)
    )
    for name in reserved:
        assert reserve_start(pending(ledger, name), ledger)
    return ledger


def _clear(ledger: Ledger, name: str, node: NodeId = N1) -> None:
    """Keep the cards of a node for a workload, as work that stops for it leaves them."""
    planned = PlannedReservation(
        WorkloadId(name),
        TRAINING,
        Millis(0),
        ((node, 1),),
        devices=tuple((node, AcceleratorId(f"{node}.{card}"), 0) for card in range(4)),
        is_cleared=True,
    )
    assert keep_cleared(planned, pending(ledger, name), ledger)


def _said(states: Iterable[Later]) -> list[str]:
    """Return each state as the names of what has left, and of what has started."""
    return [
        f"{' '.join(sorted(work.id for work in each.left))} -> "
        f"{' '.join(sorted(work.id for work in each.started))}"
        for each in states
    ]


FIRST, BOTH = "a -> big", "a b -> big next"
BESIDE: dict[str, tuple[str, list[str]]] = {
    "work that has left before the first start": ("limit 99", []),
    "in the moment when it comes": ("limit 100", []),
    "work that is still there when it comes": ("limit 101", [FIRST]),
    "but not when the second comes": ("limit 200", [FIRST]),
    "work that sees both": ("limit 201", [FIRST, BOTH]),
    "an open end sees all": ("open end", [FIRST, BOTH]),
    "work of another pool sees none": ("open end, in other", []),
}


@pytest.mark.parametrize("row", BESIDE.values(), ids=BESIDE)
def test_states_that_work_would_see(row: tuple[str, list[str]]) -> None:
    words, expected = row

    assert (
        _said(
            LaterStates(_site()).beside(a_waiting(f"1 cards, {words}", pools=["training", "other"]))
        )
        == expected
    )


def test_work_with_a_reserved_start_does_not_see_its_own() -> None:
    ledger = _site()

    assert _said(LaterStates(ledger).beside(pending(ledger, "big"))) == ["b -> next"]
    assert _said(LaterStates(ledger).beside(pending(ledger, "next"))) == [FIRST]


def test_nothing_is_looked_at_where_no_quota_could_refuse() -> None:
    ledger = _site(quotas=())

    assert LaterStates(ledger).beside(a_waiting("1 cards, open end")) == []


def test_nothing_is_looked_at_where_no_start_is_reserved() -> None:
    assert LaterStates(_site(reserved=())).beside(a_waiting("1 cards, open end")) == []


def test_a_start_that_has_ended_by_then_is_no_longer_there() -> None:
    ledger = _site(waiting=["big: 4 cards, limit 99", NEXT])
    work = a_waiting("1 cards, open end")

    assert _said(LaterStates(ledger).beside(work)) == [FIRST, "a -> next"]  # on n1 at 199
    longer = _site(waiting=["big: 4 cards, limit 101", NEXT])
    assert _said(LaterStates(longer).beside(work)) == [FIRST, BOTH]


def test_a_start_that_comes_later_is_not_in_an_earlier_state() -> None:
    ledger = _site(reserved=("next", "big"))

    found = _said(LaterStates(ledger).beside(a_waiting("1 cards, limit 150")))

    assert found == ["a -> next"]  # what asks first has the node that comes free first


def test_what_has_been_given_notice_has_left_in_every_state() -> None:
    ledger = _site(running=[*RUNNING, "c: 1 cards on o1 in other, stopping"])

    found = _said(LaterStates(ledger).beside(a_waiting("1 cards, open end")))

    assert found == ["a c -> big", "a b c -> big next"]


def test_what_is_overdue_has_not_left() -> None:
    ledger = _site(running=[*RUNNING, "c: 1 cards on o1 in other, stopping"])
    late = replace(ledger.running[WorkloadId("c")], is_overdue=True)
    ledger.update(late)

    found = _said(LaterStates(ledger).beside(a_waiting("1 cards, open end")))

    assert found == [FIRST, BOTH]


def test_a_start_for_which_quotas_keep_no_room_is_in_no_state() -> None:
    ledger = _site()
    first, second = ledger.starts.by_pool[TRAINING]
    ledger.starts.swap(first, replace(first, keeps_quotas=False))
    work = a_waiting("1 cards, open end")

    assert _said(LaterStates(ledger).beside(work)) == ["b -> next"]
    ledger.starts.swap(second, replace(second, keeps_quotas=False))
    assert LaterStates(ledger).beside(work) == []


def test_what_a_start_takes_the_place_of_is_what_holds_its_devices() -> None:
    ledger = _site(
        waiting=["big: 2 cards"],
        running=["a: 2 cards on n1, ends in 50 s", "b: 2 cards on n1", "c: 4 cards on n2"],
        reserved=("big",),
    )

    assert _said(LaterStates(ledger).beside(a_waiting("1 cards, open end"))) == [FIRST]


def test_a_start_has_the_devices_that_are_reserved_for_it() -> None:
    ledger = _site()

    first, second = LaterStates(ledger).beside(a_waiting("1 cards, open end"))

    (big,) = first.started
    assert [place.node for place in big.placements] == [N1]
    assert {card for card, _ in big.placements[0].devices} == {f"n1.{card}" for card in range(4)}
    assert {place.node for work in second.started for place in work.placements} == {N1, N2}


def test_states_are_remembered_and_have_keys_of_their_own() -> None:
    ledger = _site()
    states, work = LaterStates(ledger), a_waiting("1 cards, open end")

    first = states.beside(work)
    assert [each.key for each in states.beside(work)] == [each.key for each in first]
    assert len({each.key for each in first}) == 2

    mark = ledger.mark()
    ledger.starts.remove(ledger.starts.by_pool[TRAINING][1])
    fewer = states.beside(work)
    assert _said(fewer) == [FIRST]
    assert {each.key for each in fewer}.isdisjoint(each.key for each in first)

    ledger.undo(mark)
    assert _said(states.beside(work)) == [FIRST, BOTH]


def test_states_follow_what_holds_the_devices() -> None:
    ledger = _site()
    states, work = LaterStates(ledger), a_waiting("1 cards, open end")
    assert _said(states.beside(work)) == [FIRST, BOTH]

    ledger.release(WorkloadId("a"))

    assert _said(states.beside(work)) == [" -> big", "b -> big next"]


# What is cleared.


def _cleared() -> Ledger:
    """Return a site on which `a` leaves n1 for `big`, and a start is reserved for `next` on n2."""
    ledger = _site(running=["a: 4 cards on n1, stopping for big", RUNNING[1]], reserved=())
    _clear(ledger, "big")
    assert reserve_start(pending(ledger, "next"), ledger)
    return ledger


CLEARED: dict[str, tuple[str, list[str]]] = {
    "work that ends soon sees what is cleared": ("limit 1", [FIRST]),
    "work of another pool does too": ("open end, in other", [FIRST]),
    "work of its pool sees what is reserved besides": ("open end", [FIRST, BOTH]),
}


@pytest.mark.parametrize("row", CLEARED.values(), ids=CLEARED)
def test_states_with_a_cleared_start(row: tuple[str, list[str]]) -> None:
    words, expected = row
    work = a_waiting(f"1 cards, {words}", pools=["training", "other"])

    assert _said(LaterStates(_cleared()).beside(work)) == expected


def test_the_work_for_which_something_was_cleared_sees_only_the_others() -> None:
    ledger = _cleared()

    assert _said(LaterStates(ledger).beside(pending(ledger, "big"))) == ["a b -> next"]
    assert _said(LaterStates(ledger).beside(pending(ledger, "next"))) == [FIRST]


# The state into which a start comes itself.


def _at_start(ledger: Ledger, number: int, *, is_exact: bool = False) -> list[str]:
    later = LaterStates(ledger).at_start_of(tuple(ledger.starts)[number], is_exact=is_exact)
    assert later.is_asked_then
    return _said([later])


def test_a_start_comes_beside_those_before_it_in_the_place_of_what_it_needs() -> None:
    ledger = _site()

    assert _at_start(ledger, 0) == ["a -> "]
    assert _at_start(ledger, 1) == ["a b -> big"]


def test_exactly_all_has_left_that_ends_by_the_time_of_the_start() -> None:
    running = [
        *RUNNING,
        "c: 1 cards on o1 in other, ends in 200 s",
        "d: 1 cards on o1 in other, ends in 201 s",
    ]
    ledger = _site(running=running)

    assert _at_start(ledger, 1) == ["a b -> big"]
    assert _at_start(ledger, 1, is_exact=True) == ["a b c -> big"]
    assert _at_start(ledger, 0, is_exact=True) == ["a -> "]


def test_each_work_has_left_once() -> None:
    ledger = _site()

    later = LaterStates(ledger).at_start_of(tuple(ledger.starts)[1], is_exact=True)

    assert len(later.left) == len({work.id for work in later.left}) == 2


PROMISED: dict[str, tuple[int, str]] = {
    "a cleared start that comes later is not there yet": (300, "a b -> "),
    "one at the same time is": (200, "a b -> big"),
    "one that comes before is": (199, "a b -> big"),
}


@pytest.mark.parametrize("row", PROMISED.values(), ids=PROMISED)
def test_which_cleared_starts_have_happened(row: tuple[int, str]) -> None:
    promised_for, expected = row
    ledger = _cleared()
    cleared = ledger.starts.cleared[WorkloadId("big")]
    later: Reservation = replace(cleared, promised_for=Millis(promised_for * 1000))
    ledger.starts.cleared[WorkloadId("big")] = later

    assert _at_start(ledger, 1) == [expected]


def test_the_promised_moment_counts_where_the_start_may_be_earlier() -> None:
    running = [*RUNNING, "c: 1 cards on o1 in other, ends in 150 s"]
    ledger = _site(running=running)
    first, _ = ledger.starts.by_pool[TRAINING]

    later = LaterStates(ledger).at_start_of(first, is_exact=True)
    assert _said([later]) == ["a -> "]
    later_promise = replace(first, promised_for=Millis(150_000))
    ledger.starts.swap(first, later_promise)
    later = LaterStates(ledger).at_start_of(later_promise, is_exact=True)
    assert _said([later]) == ["a c -> "]
