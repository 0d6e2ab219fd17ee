"""The division of one amount between sibling groups: one row for each rule."""

import pytest

from scheduler.core.model.entities import GroupId
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.quotas.division import GroupDemand, divide_fairly

Row = tuple[int, str, str, dict[str, int]]

TABLE: dict[str, Row] = {
    "nothing is given beyond the request": (10, "3", "2", {"a": 3, "b": 2}),
    "nothing is given beyond the ceiling": (10, "9 ceiling 4", "9", {"a": 4, "b": 6}),
    "without promises the surplus is divided by weight": (
        *(12, "99 weight high", "99 weight medium"),
        {"a": 8, "b": 4},
    ),
    "what one cannot use goes to the other": (12, "1 weight high", "99", {"a": 1, "b": 11}),
    "the guarantee goes before what is deserved": (
        *(6, "99 guarantee 4 deserved 4", "99 deserved 6"),
        {"a": 4, "b": 2},
    ),
    "deserved goes before the surplus": (
        *(10, "99 deserved 7 weight low", "99 deserved 1 weight high"),
        {"a": 7, "b": 3},
    ),
    "an unused guarantee is divided": (10, "1 guarantee 6", "99", {"a": 1, "b": 9}),
    "too many guarantees are cut in proportion": (
        *(9, "99 guarantee 12", "99 guarantee 6"),
        {"a": 6, "b": 3},
    ),
    "weight lowest gets what the others leave": (10, "99 weight lowest", "7", {"a": 3, "b": 7}),
    "weight lowest gets nothing of what others want": (
        *(10, "99 weight lowest", "99 weight low"),
        {"a": 0, "b": 10},
    ),
    "weight none gets nothing beyond deserved": (
        *(10, "99 deserved 2 weight none", "3"),
        {"a": 2, "b": 3},
    ),
    "the last unit goes to the greater weight": (
        *(4, "99 weight low", "99 weight medium"),
        {"a": 1, "b": 3},
    ),
    "among equals the last unit goes by id": (3, "99", "99", {"a": 2, "b": 1}),
    "nothing is divided into nothing": (0, "5 guarantee 5", "5", {"a": 0, "b": 0}),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_division(row: Row) -> None:
    amount, first, second, parts = row

    assert divide_fairly(amount, [_demand("a", first), _demand("b", second)]) == parts


def test_the_order_of_the_groups_changes_nothing() -> None:
    demands = [_demand("c", "99 weight high"), _demand("a", "99"), _demand("b", "4 guarantee 4")]

    assert divide_fairly(17, demands) == divide_fairly(17, demands[::-1])


def _demand(group: str, words: str) -> GroupDemand:
    """Read `99 guarantee 4 deserved 4 ceiling 8 weight low`; the first number is the request."""
    requested, *rest = words.split()
    given = dict(zip(rest[::2], rest[1::2], strict=True))
    return GroupDemand(
        group=GroupId(group),
        requested=int(requested),
        guarantee=int(given.get("guarantee", 0)),
        deserved=int(given.get("deserved", 0)),
        ceiling=int(given["ceiling"]) if "ceiling" in given else None,
        weight=OverQuotaWeight(given.get("weight", OverQuotaWeight.MEDIUM)),
    )
