"""The tree of groups, and where two paths part."""

import pytest

from scheduler.core.model.entities import GroupId
from scheduler.core.quotas.group_tree import ROOT, GroupTree, group_paths, where_paths_part
from tests.scheduler.core.tables import a_snapshot

GROUPS = ["dept", "lab: in dept", "vision: in lab", "speech: in lab", "club"]


def test_children_come_before_their_parents() -> None:
    tree = GroupTree.of(group_paths(a_snapshot(groups=GROUPS)))

    assert tree.bottom_up == ("speech", "vision", "lab", "club", "dept")
    assert tree.children == {
        ROOT: ("club", "dept"),
        "dept": ("lab",),
        "lab": ("speech", "vision"),
    }


PARTS: dict[tuple[str, str], tuple[list[str], list[str]]] = {
    ("speech", "vision"): (["speech"], ["vision"]),
    ("vision", "club"): (["dept", "lab", "vision"], ["club"]),
    ("club", "dept"): (["club"], ["dept"]),
    ("lab", "vision"): ([], ["vision"]),
    ("vision", "dept"): (["lab", "vision"], []),
    ("lab", "lab"): ([], []),
    ("stranger", "lab"): (["stranger"], ["dept", "lab"]),
    ("lab", "stranger"): (["dept", "lab"], ["stranger"]),
}


@pytest.mark.parametrize("pair", PARTS, ids="-".join)
def test_where_two_paths_part(pair: tuple[str, str]) -> None:
    one, other = PARTS[pair]
    paths = group_paths(a_snapshot(groups=GROUPS))

    found = where_paths_part(paths, GroupId(pair[0]), GroupId(pair[1]))

    assert found == (tuple(one), tuple(other))
