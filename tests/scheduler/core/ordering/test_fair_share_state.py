"""The use and the entitlement by which groups and members are ordered: one row for each rule."""

import pytest

from scheduler.core.ordering.fair_share_state import FairShareState, divide_use
from tests.scheduler.core.tables import a_snapshot

Use = tuple[list[str], list[str], dict[str, int]]
"""Measured use and running work; milli-GPU-seconds by member of lab."""

USE: dict[str, Use] = {
    "nothing used": ([], [], {}),
    "what was measured": (["li of lab: 50 card-seconds"], [], {"li": 50_000}),
    "a start is charged before it has run": ([], ["x: 1 cards on n1"], {"li": 100_000}),
    "by its cards": ([], ["x: 2 cards on n1"], {"li": 200_000}),
    "by its ranks": ([], ["x: 2 cards, 2 ranks, on n1+n2"], {"li": 400_000}),
    "a start is charged what it has not yet run": (
        *([], ["x: 1 cards on n1, began 40 s ago"]),
        {"li": 60_000},
    ),
    "nearly all of it has run": ([], ["x: 1 cards on n1, began 99 s ago"], {"li": 1000}),
    "nothing once it has run as long": ([], ["x: 1 cards on n1, began 100 s ago"], {}),
    "nothing after that": ([], ["x: 1 cards on n1, began 500 s ago"], {}),
    "a start in this moment is charged in full": (
        *([], ["x: 1 cards on n1, began 0 s ago"]),
        {"li": 100_000},
    ),
    "measured use and starts add up": (
        ["li of lab: 5 card-seconds"],
        ["x: 1 cards on n1, began 90 s ago", "y: 1 cards on n1, began 80 s ago"],
        {"li": 5000 + 10_000 + 20_000},
    ),
    "each member alone": (
        ["wu of lab: 5 card-seconds"],
        ["x: 1 cards on n1 by li"],
        {"li": 100_000, "wu": 5000},
    ),
}


@pytest.mark.parametrize("row", USE.values(), ids=USE)
def test_use_of_members(row: Use) -> None:
    usage, running, expected = row
    state = FairShareState.from_snapshot(
        a_snapshot(
            nodes=["n1: 8 cards", "n2: 8 cards"],
            running=running,
            usage=usage,
            sharing="entry penalty 100",
            now=1000,
        )
    )

    assert {user: used for (_, user), used in state.used_by_member.items()} == expected
    assert sum(state.used.values()) == sum(expected.values())


def test_groups_use_what_all_groups_below_them_use() -> None:
    state = FairShareState.from_snapshot(
        a_snapshot(
            groups=["lab", "vision: in lab", "speech: in lab", "other"],
            usage=[
                "li of vision: 5 card-seconds",
                "wu of speech: 7 card-seconds",
                "li of other: 1 card-seconds",
            ],
        )
    )

    assert state.used == {"lab": 12_000, "vision": 5000, "speech": 7000, "other": 1000}


Guarantees = tuple[list[str], list[str], dict[tuple[str, str], int]]

GUARANTEES: dict[str, Guarantees] = {
    "none without a quota": ([], [], {}),
    "all of it while nothing runs": (
        ["lab: guarantee 4 cards in training"],
        [],
        {("lab", "training"): 4000},
    ),
    "without what runs": (
        ["lab: guarantee 4 cards in training"],
        ["x: 3 cards on n1"],
        {("lab", "training"): 1000},
    ),
    "none once all of it runs": (
        ["lab: guarantee 4 cards in training"],
        ["x: 4 cards on n1"],
        {},
    ),
    "over all pools in each": (
        ["lab: guarantee 2 cards"],
        [],
        {("lab", "training"): 2000, ("lab", "other"): 2000},
    ),
    "the greater of a pool's and that over all": (
        ["lab: guarantee 3 cards in training", "lab: guarantee 2 cards"],
        [],
        {("lab", "training"): 3000, ("lab", "other"): 2000},
    ),
    "what is only deserved is not guaranteed": (["lab: deserved 4 cards in training"], [], {}),
    "what is guaranteed of CPU is not of GPUs": (["lab: guarantee 4 cpu in training"], [], {}),
    "what is guaranteed of one model is not of any": (
        ["lab: guarantee 4 cards of B in training"],
        [],
        {},
    ),
}


@pytest.mark.parametrize("row", GUARANTEES.values(), ids=GUARANTEES)
def test_what_is_left_of_guarantees(row: Guarantees) -> None:
    quotas, running, expected = row
    state = FairShareState.from_snapshot(
        a_snapshot(
            nodes=["n1: 8 cards", "o1: 8 cards in other"],
            running=running,
            quotas=quotas,
            pools=["training", "other"],
        )
    )

    assert state.guarantee_left == expected


Entitled = tuple[list[str], dict[str, int]]

ENTITLED: dict[str, Entitled] = {
    "equal groups divide the pools": ([], {"lab": 5000, "vision": 5000}),
    "what is deserved comes first": (
        ["lab: deserved 6 cards in training"],
        {"lab": 6000 + 2000, "vision": 2000},
    ),
    "the surplus goes by weight": (
        ["lab: weight high in training", "vision: weight low in training"],
        {"lab": 6400 + 1000, "vision": 1600 + 1000},
    ),
    "a group that is entitled to nothing counts as one thousandth": (
        ["lab: weight none"],
        {"lab": 1, "vision": 10_000},
    ),
}


@pytest.mark.parametrize("row", ENTITLED.values(), ids=ENTITLED)
def test_entitlement_is_of_all_pools_together(row: Entitled) -> None:
    quotas, expected = row
    state = FairShareState.from_snapshot(
        a_snapshot(
            nodes=["n1: 8 cards", "o1: 2 cards in other"],
            quotas=quotas,
            groups=["lab", "vision"],
            pools=["training", "other"],
        )
    )

    assert state.entitled == expected


@pytest.mark.parametrize(
    ("used", "entitled", "rank"),
    [
        (0, 1, (0, 0)),
        (4000, 4000, (1, 0)),
        (6000, 4000, (1, 1 << 19)),
        (3000, 4000, (0, 3 << 18)),
        (1, 3, (0, (1 << 20) // 3)),
    ],
)
def test_use_is_compared_in_seconds_of_the_entitlement(
    used: int, entitled: int, rank: tuple[int, int]
) -> None:
    assert divide_use(used, entitled) == rank


def test_half_of_a_greater_entitlement_is_as_much_as_half_of_a_smaller() -> None:
    assert divide_use(500, 1000) == divide_use(4000, 8000) < divide_use(4001, 8000)
