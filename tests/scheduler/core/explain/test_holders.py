"""Who holds the limits that keep work waiting: one row for each kind of limit."""

import pytest

from scheduler.core.explain.holders import find_holders
from tests.scheduler.core.tables import a_ledger, pending

Row = tuple[list[str], list[str], str, list[str]]
"""Quotas, running work, the waiting work; limits with their holders, the first to end first."""

CEILING: dict[str, Row] = {
    "nothing refuses it": ([], ["a: 4 cards on n1"], "1 cards", []),
    "a ceiling that has room": (
        ["lab: 5 cards in training"],
        ["a: 4 cards on n1"],
        *("1 cards", []),
    ),
    "a ceiling, with what each holds of it": (
        ["lab: 4 cards in training"],
        ["a: 3 cards on n1, ends in 100 s", "b: 1 cards on n1, ends in 200 s"],
        *("1 cards", ["quota_ceiling: a 3000, b 1000"]),
    ),
    "the first to end comes first": (
        ["lab: 4 cards in training"],
        ["a: 3 cards on n1, ends in 200 s", "b: 1 cards on n1, ends in 100 s"],
        *("1 cards", ["quota_ceiling: b 1000, a 3000"]),
    ),
    "by the expected end where one is known": (
        ["lab: 4 cards in training"],
        ["a: 3 cards on n1, ends in 200 s, expected in 50 s", "b: 1 cards on n1, ends in 100 s"],
        *("1 cards", ["quota_ceiling: a 3000, b 1000"]),
    ),
    "what has no end comes last": (
        ["lab: 4 cards in training"],
        ["a: 3 cards on n1", "b: 1 cards on n1, ends in 900 s"],
        *("1 cards", ["quota_ceiling: b 1000, a 3000"]),
    ),
    "equal ends by id": (
        ["lab: 4 cards in training"],
        ["b: 3 cards on n1, ends in 100 s", "a: 1 cards on n1, ends in 100 s"],
        *("1 cards", ["quota_ceiling: a 1000, b 3000"]),
    ),
    "all that is below the group": (
        ["dept: 4 cards in training"],
        ["a: 3 cards on n1 of vision", "b: 1 cards on n1 of club"],
        *("2 cards", ["quota_ceiling: a 3000"]),
    ),
    "not what holds another pool": (
        ["lab: 4 cards in training"],
        ["a: 4 cards on n1", "b: 2 cards on o1 in other"],
        *("1 cards", ["quota_ceiling: a 4000"]),
    ),
    "of a limit over all pools what holds any": (
        ["lab: 4 cards"],
        ["a: 2 cards on n1", "b: 2 cards on o1 in other"],
        *("1 cards", ["quota_ceiling: a 2000, b 2000"]),
    ),
    "what holds nothing of the resource is no holder": (
        ["lab: 4 cpu in training"],
        ["a: 1 cards, 4 cpu on n1", "b: 1 cards on n1"],
        *("1 cards, 1 cpu", ["quota_ceiling: a 4000"]),
    ),
    "a member's limit is held by that member": (
        ["lab: 2 cards per user in training"],
        ["a: 2 cards on n1 by li", "b: 2 cards on n1 by wu"],
        *("1 cards by li", ["quota_user_ceiling: a 2000"]),
    ),
    "two limits, each with its holders": (
        ["lab: 4 cards in training", "dept: 5 cards in training"],
        ["a: 4 cards on n1", "b: 1 cards on n1 of vision"],
        *("1 cards", ["quota_ceiling: a 4000", "quota_ceiling: a 4000, b 1000"]),
    ),
}


def _holders(running: list[str], waiting: str, **site: object) -> list[str]:
    ledger = a_ledger(
        ["n1: 8 cards", "o1: 8 cards in other"],
        running,
        [f"wanted: {waiting}"],
        pools=["training", "other"],
        groups=["dept", "lab: in dept", "vision: in dept", "club"],
        **site,
    )
    return sorted(
        f"{limit.reason.code}: "
        + ", ".join(f"{holder.workload} {holder.amount}" for holder in limit.holders)
        for limit in find_holders(pending(ledger, "wanted"), ledger)
    )


@pytest.mark.parametrize("row", CEILING.values(), ids=CEILING)
def test_who_holds_a_ceiling(row: Row) -> None:
    quotas, running, waiting, expected = row

    assert _holders(running, waiting, quotas=quotas) == expected


COUNTED: dict[str, tuple[list[str], str, list[str]]] = {
    "a member's work, one by one": (
        ["a: 4 cards on n1 by li", "b: 1 cards on n1 by wu"],
        *("1 cards by li", ["user_counter: a 1"]),
    ),
    "not the member's work in another group": (
        ["a: 1 cards on n1 by li", "b: 1 cards on n1 by li of vision"],
        *("1 cards by li", ["user_counter: a 1"]),
    ),
    "tasks of the array, one by one": (
        ["a: 1 cards on n1 by wu, array sweep", "b: 1 cards on n1 by wu, array other"],
        *("1 cards by wu, array sweep", ["array_task_limit: a 1"]),
    ),
    "both": (
        ["a: 1 cards on n1 by li, array sweep", "b: 1 cards on n1 by wu, array sweep"],
        *("1 cards by li, array sweep", ["array_task_limit: a 1, b 1", "user_counter: a 1"]),
    ),
}


@pytest.mark.parametrize("row", COUNTED.values(), ids=COUNTED)
def test_who_holds_a_counted_limit(row: tuple[list[str], str, list[str]]) -> None:
    running, waiting, expected = row

    found = _holders(
        running, waiting, counted=["li: 1 running in lab"], arrays=["sweep: 1 at once"]
    )

    assert found == expected


BUDGETS: dict[str, tuple[list[str], list[str]]] = {
    "what running work may still use": (
        ["a: 2 cards on n1, ends in 100 s"],
        ["quota_budget: a 200"],
    ),
    "no more than until the period ends": (
        ["a: 1 cards on n1, ends in 5000 s"],
        ["quota_budget: a 1000"],
    ),
    "until the period ends while the end is unknown": (
        ["a: 1 cards on n1"],
        ["quota_budget: a 1000"],
    ),
    "not the work of groups that it is not about": (
        ["a: 1 cards on n1 of vision, ends in 100 s", "b: 1 cards on n1, ends in 50 s"],
        ["quota_budget: b 50"],
    ),
}


@pytest.mark.parametrize("row", BUDGETS.values(), ids=BUDGETS)
def test_who_holds_a_budget(row: tuple[list[str], list[str]]) -> None:
    running, expected = row

    found = _holders(
        running, "1 cards, limit 900", budgets=["lab: 9900 of 10000 card-seconds, ends in 1000 s"]
    )

    assert found == expected


def test_an_end_is_expected_only_where_run_times_are_learned() -> None:
    ledger = a_ledger(
        running=[
            "a: 1 cards on n1, ends in 100 s",
            "b: 1 cards on n1, ends in 100 s, expected in 9 s",
        ],
        waiting=["wanted: 1 cards"],
        quotas=["lab: 2 cards in training"],
    )
    ((limit),) = find_holders(pending(ledger, "wanted"), ledger)

    assert [(each.workload, each.ends_at, each.expected_end) for each in limit.holders] == [
        ("b", 100_000, 9000),
        ("a", 100_000, None),
    ]
