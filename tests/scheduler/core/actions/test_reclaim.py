"""Which work of other groups a group may reclaim: one row for each rule."""

import pytest

from scheduler.core.actions.reclaim import find_reclaimable
from tests.scheduler.core.tables import a_ledger, pending

Row = tuple[list[str], list[str], str, str]
"""Quotas, running work, the waiting work of `own`; what may be reclaimed."""

TABLE: dict[str, Row] = {
    "inside what it deserves, from a group above what that deserves": (
        ["own: deserved 4 cards", "other: deserved 4 cards"],
        ["x: 5 cards on n1 of other", "y: 3 cards on n1 of other"],
        "4 cards",
        "x y",
    ),
    "not from a group inside what it deserves": (
        ["own: deserved 4 cards", "other: deserved 4 cards"],
        ["x: 4 cards on n1 of other"],
        "4 cards",
        "",
    ),
    "not beyond what it deserves": (
        ["own: deserved 4 cards", "other: deserved 4 cards"],
        ["x: 8 cards on n1 of other"],
        "5 cards",
        "",
    ),
    "what it holds counts": (
        ["own: deserved 4 cards", "other: deserved 4 cards"],
        ["mine: 1 cards on n1 of own", "x: 7 cards on n1 of other"],
        "4 cards",
        "",
    ),
    "of the surplus only from a group whose weight entitles it to none": (
        ["own: weight low", "other: weight low", "spare: weight lowest"],
        ["x: 4 cards on n1 of other", "y: 4 cards on n1 of spare"],
        "2 cards",
        "y",
    ),
    "not from its own group": (
        ["own: deserved 4 cards"],
        ["mine: 8 cards on n1 of own"],
        "1 cards",
        "",
    ),
    "not what runs on loan from another pool's work": (
        ["own: deserved 4 cards", "other: deserved 4 cards"],
        ["x: 8 cards on n1 of other in elsewhere"],
        "4 cards",
        "",
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_may_be_reclaimed(row: Row) -> None:
    quotas, running, asked, expected = row

    assert _reclaimable("training", quotas, running, asked) == expected


def test_a_pool_may_forbid_it() -> None:
    quotas, running, asked, _ = TABLE[
        "inside what it deserves, from a group above what that deserves"
    ]

    assert _reclaimable("training: no reclaim", quotas, running, asked) == ""


def test_young_and_fixed_work_is_not_reclaimed() -> None:
    quotas = ["own: deserved 4 cards"]
    young = "young: 4 cards on n1 of other, preemptible, began 599 s ago"
    fixed = "fixed: 4 cards on n1 of other, began 900 s ago"
    ledger = a_ledger(
        pools=["training: reclaims after 600"],
        running=[young, fixed],
        waiting=["wanted: 4 cards of own"],
        groups=["own", "other"],
        quotas=quotas,
        now=1000,
    )

    holders = tuple(ledger.running.values())

    assert find_reclaimable(pending(ledger, "wanted"), holders, ledger, ledger.fair_shares) == ()


def test_a_group_loses_only_what_is_above_its_share() -> None:
    """Each of the two victims may go alone; once one is gone, the other may not."""
    ledger = a_ledger(
        running=[
            f"{name}: 3 cards on n1 of other, preemptible, began 900 s ago" for name in ("x", "y")
        ],
        waiting=["wanted: 2 cards of own"],
        groups=["own", "other"],
        quotas=["own: deserved 4 cards in training", "other: deserved 4 cards in training"],
        now=1000,
    )
    first, second = find_reclaimable(
        pending(ledger, "wanted"), tuple(ledger.running.values()), ledger, ledger.fair_shares
    )
    assert first.may_evict()
    assert second.may_evict()

    ledger.begin_decision(ledger.now)
    ledger.release(first.work.id)

    assert not second.may_evict()


def _reclaimable(pool: str, quotas: list[str], running: list[str], asked: str) -> str:
    ledger = a_ledger(
        running=[f"{work}, preemptible, began 900 s ago" for work in running],
        waiting=[f"wanted: {asked} of own"],
        pools=[pool, "elsewhere"],
        groups=["own", "other", "spare"],
        quotas=[f"{quota} in training" for quota in quotas],
        now=1000,
    )
    found = find_reclaimable(
        pending(ledger, "wanted"), tuple(ledger.running.values()), ledger, ledger.fair_shares
    )
    return " ".join(sorted(candidate.work.id for candidate in found))
