"""What the ledger answers about limits now and later, about ends, and what it learns from arrivals."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, Request, WorkloadId
from scheduler.core.model.policy import Overheads
from scheduler.core.reservation.reservations import reserve_start
from tests.scheduler.core.tables import TRAINING, a_ledger, a_snapshot, a_waiting, pending

GROUPS = ["lab", "vision", "club"]


def _site(quotas: Iterable[str], waiting: Iterable[str]) -> Ledger:
    """Return a site on which `big` of vision starts on n1 in 100 s, and `next` on n2 in 250 s."""
    ledger = a_ledger(
        ["n1: 4 cards", "n2: 4 cards", "n3: 4 cards"],
        ["a: 4 cards on n1 of lab, ends in 100 s", "b: 4 cards on n2 of lab, ends in 250 s"],
        [
            "big: 4 cards of vision, limit 100, home n1",
            "next: 2 cards of vision, limit 3600, home n2",
            *waiting,
        ],
        groups=GROUPS,
        quotas=list(quotas),
    )
    for name in ("big", "next"):
        assert reserve_start(pending(ledger, name), ledger)
    return ledger


Row = tuple[str, str, bool]
"""The ceiling of vision, the work; whether some limit is in its way."""

LATER: dict[str, Row] = {
    "room for all": ("vision: 6 cards", "2 cards, limit 9000", False),
    "no room beside the first start": ("vision: 5 cards", "2 cards, limit 9000", True),
    "room beside the first for what has left": ("vision: 5 cards", "2 cards, limit 100", False),
    "no room for what has not left": ("vision: 5 cards", "2 cards, limit 101", True),
    "room beside the second start alone": ("vision: 4 cards", "1 cards, limit 9000", True),
    "no room beside the second start": ("vision: 4 cards", "3 cards, limit 9000", True),
    "no room now": ("vision: 0 cards", "1 cards, limit 1", True),
    "a quota of others": ("club: 0 cards", "2 cards, limit 9000", False),
}


@pytest.mark.parametrize("row", LATER.values(), ids=LATER)
def test_limits_now_and_at_each_promised_start(row: Row) -> None:
    quota, words, expected = row
    ledger = _site([quota], [f"w: {words} of vision"])
    work = pending(ledger, "w")

    assert bool(ledger.refusals(work)) is expected
    assert bool(ledger.refusals_inside(work)) is expected


def test_a_limit_of_the_first_start_is_told_though_the_second_has_room() -> None:
    ledger = _site(["vision: 4 cards"], ["w: 2 cards of vision, open end"])
    work = pending(ledger, "w")
    first, second = ledger.later.beside(work)

    assert ledger.quotas.refusals(work, later=first)
    assert not ledger.quotas.refusals(work, later=second)
    assert ledger.refusals(work) == ledger.quotas.refusals(work, later=first)
    assert ledger.refusals_inside(work) == ledger.quotas.refusals_inside(work, first)


def test_a_limit_of_now_is_told_before_one_of_later() -> None:
    ledger = _site(["vision: 1 cards"], ["w: 2 cards of vision, open end"])
    work = pending(ledger, "w")

    assert ledger.refusals(work) == ledger.quotas.refusals(work) != ()


MODELS: dict[str, tuple[list[str], str, set[str] | None]] = {
    "any card without such quotas": ([], "1 cards of vision", set()),
    "none where its model may not be used": (["vision: 0 cards of A"], "1 cards of vision", None),
    "of another group's limit nothing": (["club: 0 cards of A"], "1 cards of vision", set()),
    "none of what the first start needs": (
        ["vision: 4 cards of A"],
        *("1 cards of vision, open end", None),
    ),
    "what is left beside both": (
        ["vision: 6 cards of A"],
        *("1 cards of vision, open end", set()),
    ),
    "what ends before the starts sees only now": (
        ["vision: 4 cards of A"],
        *("1 cards of vision, limit 100", set()),
    ),
}


@pytest.mark.parametrize("row", MODELS.values(), ids=MODELS)
def test_models_that_quotas_leave_now_and_later(
    row: tuple[list[str], str, set[str] | None],
) -> None:
    quotas, words, expected = row
    ledger = _site(quotas, [f"w: {words}"])

    found = ledger.narrow(pending(ledger, "w"))

    assert (None if found is None else set(found.gpu_models)) == expected


# How long work may hold its devices.

STAYS: dict[str, tuple[str, Overheads, str, int | None]] = {
    "its limit": ("", Overheads(), "limit 600", 600),
    "no known time for an open end": ("", Overheads(starting_s=90), "open end", None),
    "what starting takes besides": ("", Overheads(starting_s=90), "limit 600", 690),
    "what leaving takes besides": ("", Overheads(settling_s=30), "limit 600", 630),
    "the grace where it is given at the limit": (
        *("grace 45", Overheads(has_grace_at_limit=True)),
        *("limit 600", 645),
    ),
    "no grace where it is not": ("grace 45", Overheads(), "limit 600", 600),
    "all of it": (
        *("grace 45", Overheads(starting_s=90, settling_s=30, has_grace_at_limit=True)),
        *("limit 600", 765),
    ),
}


def _with_overheads(pool: str, overheads: Overheads) -> Ledger:
    site = a_snapshot(nodes=["n1: 4 cards"], pools=[f"training: {pool}"])
    return Ledger(replace(site, overheads=overheads))


@pytest.mark.parametrize("row", STAYS.values(), ids=STAYS)
def test_how_long_work_may_hold_its_devices(
    row: tuple[str, Overheads, str, int | None],
) -> None:
    pool, overheads, words, expected = row
    ledger, work = _with_overheads(pool, overheads), a_waiting(f"1 cards, {words}")

    assert ledger.stays_s(work) == expected
    if expected is not None:
        assert ledger.has_left_by(Millis(expected * 1000), work)
        assert not ledger.has_left_by(Millis(expected * 1000 - 1), work)
    else:
        assert not ledger.has_left_by(Millis(1 << 50), work)


def test_another_moment_is_looked_at_and_then_the_present_one_again() -> None:
    ledger, work = a_ledger(), a_waiting("1 cards, limit 100")
    assert ledger.has_left_by(Millis(100_000), work)

    with ledger.as_of(Millis(1000)):
        assert ledger.now == 1000
        assert not ledger.has_left_by(Millis(100_000), work)

    assert ledger.now == 0
    assert ledger.has_left_by(Millis(100_000), work)


# What leaves.


def test_work_with_notice_is_leaving_unless_nobody_knows_when() -> None:
    ledger = a_ledger(
        ["n1: 4 cards", "n2: 4 cards, lost"],
        ["a: 1 cards on n1", "b: 1 cards on n1, stopping", "c: 1 cards on n2, stopping"],
    )
    stays, leaves, silent = (ledger.running[WorkloadId(name)] for name in ("a", "b", "c"))

    assert not ledger.is_leaving(stays)
    assert ledger.is_leaving(leaves)
    assert not ledger.is_leaving(replace(leaves, is_overdue=True))
    assert ledger.is_silent(silent)
    assert not ledger.is_leaving(silent)


def test_work_that_should_have_left_long_ago_is_overdue_from_the_next_decision_on() -> None:
    ledger = a_ledger(running=["a: 1 cards on n1, stopping", "b: 1 cards on n1, stopping"])
    for name, leaves_s in (("a", 40), ("b", 41)):
        ledger.update(replace(ledger.running[WorkloadId(name)], leaves_by=Millis(leaves_s * 1000)))

    ledger.begin_decision(Millis(100_000))
    assert not any(work.is_overdue for work in ledger.running.values())
    ledger.begin_decision(Millis(100_001))

    assert [work.id for work in ledger.stopping.values() if work.is_overdue] == ["a"]


# What is learned from arrivals.


def _arrivals(count: int, gpus: int) -> list[PendingWorkload]:
    work = a_waiting("1 cards")
    return [
        replace(work, id=WorkloadId(f"w{number}"), request=Request(gpus=gpus))
        for number in range(count)
    ]


def _expects(ledger: Ledger, gpus: int) -> bool:
    return any(each.shape.gpus == gpus for each in ledger.learned_demand.by_pool[TRAINING].typical)


def test_what_arrives_is_learned_from() -> None:
    ledger = a_ledger()
    assert not _expects(ledger, 3)

    for work in _arrivals(40, 3):
        ledger.enqueue(work)

    assert _expects(ledger, 3)
    assert len(ledger.pending) == 40


def test_what_waits_already_is_not_learned_from_again() -> None:
    ledger = a_ledger(waiting=["w0: 1 cards"])

    for _ in range(60):
        ledger.enqueue(_arrivals(1, 3)[0])

    assert not _expects(ledger, 3)
    assert ledger.pending[WorkloadId("w0")].request.gpus == 3


def test_what_has_run_before_is_not_learned_from_again() -> None:
    ledger = a_ledger()

    for work in _arrivals(60, 3):
        ledger.enqueue(replace(work, attained_gpu_s=1))

    assert not _expects(ledger, 3)
