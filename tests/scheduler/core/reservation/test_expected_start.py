"""Expected starts: what is played forward, by limits and by predictions; one row for each rule."""

import pytest

from scheduler.core.reservation.expected_start import estimate_starts
from tests.scheduler.core.tables import a_ledger

Row = tuple[list[str], list[str], dict[str, str]]

TABLE: dict[str, Row] = {
    "what fits is expected now": ([], ["a: 8 cards"], {"a": "0..0 s, limits"}),
    "by limits it is now at the earliest, the end of the holder at the latest": (
        ["r: 8 cards on n1, ends in 60 s"],
        ["a: 8 cards"],
        {"a": "0..60 s, limits"},
    ),
    "each starts after the limits of those before it": (
        ["r: 8 cards on n1, ends in 60 s"],
        ["a: 8 cards, limit 100", "b: 8 cards"],
        {"a": "0..60 s, limits", "b": "0..160 s, limits"},
    ),
    "learned run times give the earliest": (
        ["r: 8 cards on n1, expected in 20 s, ends in 60 s"],
        ["a: 8 cards, limit 100, expected 30", "b: 8 cards"],
        {"a": "20..60 s, predictions", "b": "50..160 s, predictions"},
    ),
    "a predicted time beyond the limit counts as the limit": (
        ["r: 8 cards on n1, ends in 60 s"],
        ["a: 8 cards, limit 100, expected 999", "b: 8 cards"],
        {"a": "60..60 s, predictions", "b": "160..160 s, predictions"},
    ),
    "at the latest, nothing overtakes": (
        ["r: 6 cards on n1, ends in 60 s"],
        ["a: 8 cards, limit 100", "b: 2 cards"],
        {"a": "0..60 s, limits", "b": "0..160 s, limits"},
    ),
    "beside the work before it, it starts in what is left": (
        ["r: 6 cards on n1, ends in 60 s"],
        ["a: 6 cards, limit 100", "b: 2 cards"],
        {"a": "0..60 s, limits", "b": "0..0 s, limits"},
    ),
    "held work has none, and delays nothing": (
        ["r: 8 cards on n1, ends in 60 s"],
        ["a: 8 cards, held held_by_user", "b: 8 cards"],
        {"b": "0..60 s, limits"},
    ),
    "work that no node can hold has none": ([], ["a: 9 cards"], {}),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_expected_starts(row: Row) -> None:
    running, waiting, expected = row
    ledger = a_ledger(running=running, waiting=waiting)

    found = estimate_starts(tuple(ledger.pending.values()), ledger)

    assert {
        name: f"{each.earliest // 1000}..{each.latest // 1000} s, {each.basis}"
        for name, each in found.items()
    } == expected


def test_in_a_strict_pool_nothing_starts_before_what_is_ahead() -> None:
    ledger = a_ledger(
        running=["r: 6 cards on n1, ends in 60 s"],
        waiting=["a: 8 cards, limit 100", "b: 2 cards"],
        pools=["training: strict"],
    )

    found = estimate_starts(tuple(ledger.pending.values()), ledger)

    assert {name: each.latest // 1000 for name, each in found.items()} == {"a": 60, "b": 160}


@pytest.mark.parametrize(
    ("waiting", "latest"),
    [
        (["a: 3 cards, limit 100", "b: 2 cards"], {"a": 600, "b": 700}),
        (["a: 1 cards, limit 100", "b: 2 cards"], {"a": 600, "b": 600}),
    ],
    ids=["a start that needs both waits for the later", "and so does what is behind it"],
)
def test_an_end_that_is_not_known_yet_counts_as_the_time_it_is_estimated_at(
    waiting: list[str], latest: dict[str, int]
) -> None:
    ledger = a_ledger(
        ["n1: 3 cards"],
        running=["r: 1 cards on n1, ends in 600 s", "s: 2 cards on n1, starting, limit 300"],
        waiting=waiting,
        pools=["training: strict"],
    )

    found = estimate_starts(tuple(ledger.pending.values()), ledger)

    assert {name: each.latest // 1000 for name, each in found.items()} == latest


def test_work_over_its_quota_and_work_of_a_closed_pool_have_none() -> None:
    ledger = a_ledger(
        ["n1: 8 cards", "o1: 8 cards in old"],
        waiting=["a: 2 cards", "b: 1 cards in old", "c: 1 cards"],
        pools=["training", "old: closed"],
        quotas=["lab: 1 cards in training"],
    )

    assert estimate_starts(tuple(ledger.pending.values()), ledger).keys() == {"c"}
