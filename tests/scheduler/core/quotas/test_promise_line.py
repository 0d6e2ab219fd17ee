"""What promises to others leave to a group in one pool of eight: each number by hand."""

import pytest

from scheduler.core.model.entities import GroupId
from scheduler.core.model.resources import Resource
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.group_tree import GroupPath, GroupTree
from scheduler.core.quotas.promises import PromiseLine
from tests.scheduler.core.tables import TRAINING

DEPT, LAB, VISION, CLUB = (GroupId(name) for name in ("dept", "lab", "vision", "club"))
PATHS: dict[str, GroupPath] = {
    "dept": (DEPT,),
    "lab": (DEPT, LAB),
    "vision": (DEPT, VISION),
    "club": (CLUB,),
}


def _line(
    promised: dict[str, int], held: dict[str, int], log: UndoLog | None = None
) -> PromiseLine:
    tree = GroupTree.of({GroupId(name): path for name, path in PATHS.items()})
    line = PromiseLine(
        (TRAINING, Resource.GPU),
        8,
        {GroupId(name): amount for name, amount in promised.items()},
        tree,
        undo_log=log or UndoLog(),
    )
    for name, amount in held.items():
        line.count(PATHS[name], amount)
    return line


Row = tuple[dict[str, int], dict[str, int], dict[str, int]]
"""What is promised, what is held; how much more each group may hold."""

TABLE: dict[str, Row] = {
    "everything without promises": ({}, {}, {"lab": 8, "vision": 8, "club": 8}),
    "what is free": ({}, {"lab": 5}, {"lab": 3, "vision": 3, "club": 3}),
    "not what is promised to others": (
        {"lab": 3, "club": 2},
        {},
        {"lab": 6, "vision": 3, "club": 5},
    ),
    "a promise that is used is not kept twice": (
        {"lab": 3, "club": 2},
        {"lab": 2},
        {"lab": 4, "vision": 3, "club": 5},
    ),
    "what is held beyond a promise is held": (
        {"lab": 3, "club": 2},
        {"lab": 5},
        {"lab": 1, "vision": 1, "club": 3},
    ),
    "a group's own promise is there for it": (
        {"lab": 3, "club": 2},
        {"vision": 3},
        {"lab": 3, "vision": 0, "club": 2},
    ),
    "more than allowed is held": (
        {"lab": 3, "club": 2},
        {"vision": 4},
        {"vision": -1, "lab": 2, "club": 1},
    ),
    "a parent's promise is for all its children": (
        {"dept": 5},
        {},
        {"lab": 8, "vision": 8, "dept": 8, "club": 3},
    ),
    "as far as its children are promised nothing themselves": (
        {"dept": 5, "lab": 4},
        {},
        {"lab": 8, "vision": 4, "club": 3},
    ),
    "a child's use fills the promise of its parent": (
        {"dept": 5},
        {"vision": 2},
        {"lab": 6, "vision": 6, "club": 3},
    ),
    "children are promised more than their parent": (
        {"dept": 2, "lab": 3, "vision": 3},
        {},
        {"lab": 5, "vision": 5, "club": 2},
    ),
    "work of the parent itself": (
        {"dept": 5, "lab": 2},
        {"dept": 3},
        {"dept": 3, "lab": 5, "club": 3},
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_how_much_more_a_group_may_hold(row: Row) -> None:
    promised, held, expected = row
    line = _line(promised, held)

    assert {name: line.available(PATHS[name], TRAINING) for name in expected} == expected


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_work_that_ends_leaves_what_there_was_before(row: Row) -> None:
    promised, held, _ = row
    line, fresh = _line(promised, held), _line(promised, {})

    for name, amount in held.items():
        line.count(PATHS[name], -amount)

    for path in PATHS.values():
        assert line.available(path, TRAINING) == fresh.available(path, TRAINING)
        assert line.held(path[-1]) == 0
        assert line.kept(path[-1]) == fresh.kept(path[-1])


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_what_is_undone_never_happened(row: Row) -> None:
    promised, held, _ = row
    log = UndoLog()
    line = _line(promised, {}, log)
    before = {name: line.available(path, TRAINING) for name, path in PATHS.items()}

    mark = log.mark()
    for name, amount in held.items():
        line.count(PATHS[name], amount)
    log.undo(mark)

    assert {name: line.available(path, TRAINING) for name, path in PATHS.items()} == before


KEPT: dict[str, tuple[dict[str, int], dict[str, int], int, int]] = {
    "nothing": ({}, {}, 0, 0),
    "its promise": ({"lab": 3}, {}, 0, 3),
    "what it holds beyond": ({"lab": 3}, {"lab": 5}, 5, 5),
    "its promise while it holds less": ({"lab": 3}, {"lab": 2}, 2, 3),
}


@pytest.mark.parametrize("row", KEPT.values(), ids=KEPT)
def test_what_is_held_and_kept(row: tuple[dict[str, int], dict[str, int], int, int]) -> None:
    promised, held, is_held, is_kept = row
    line = _line(promised, held)

    assert (line.held(LAB), line.kept(LAB)) == (is_held, is_kept)
    assert (line.held(DEPT), line.kept(DEPT)) == (is_held, is_kept)


@pytest.mark.parametrize(
    ("promised", "held", "shortage"),
    [
        ({"lab": 6, "club": 2}, {}, 0),
        ({"lab": 6, "club": 4}, {}, 2),
        ({"lab": 6, "club": 4}, {"vision": 1}, 3),
        ({"dept": 8}, {"club": 1}, 1),
    ],
)
def test_more_is_promised_than_there_is(
    promised: dict[str, int], held: dict[str, int], shortage: int
) -> None:
    assert _line(promised, held).shortage == shortage


@pytest.mark.parametrize(
    ("promised", "held", "group", "expected"),
    [
        ({}, {}, "lab", False),
        ({"club": 2}, {}, "lab", True),
        ({"club": 2}, {}, "club", False),
        ({"club": 2}, {"club": 2}, "lab", False),
        ({"club": 2}, {"club": 1}, "lab", True),
        ({"dept": 4}, {}, "lab", False),
    ],
)
def test_what_a_group_may_not_use_although_nobody_holds_it(
    promised: dict[str, int], held: dict[str, int], group: str, expected: bool
) -> None:
    assert _line(promised, held).is_set_aside(PATHS[group], TRAINING) is expected


@pytest.mark.parametrize(
    ("promised", "held", "group", "most"),
    [
        ({"club": 2}, {"club": 7}, "lab", 6),
        ({"club": 2}, {}, "club", 8),
        ({}, {"lab": 8}, "club", 8),
    ],
)
def test_the_most_that_a_group_could_ever_hold(
    promised: dict[str, int], held: dict[str, int], group: str, most: int
) -> None:
    assert _line(promised, held).most_available(PATHS[group], TRAINING) == most
