"""The tree of groups: the path of each from the top, and which stand below which."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

from scheduler.core.model.entities import GroupId
from scheduler.core.model.snapshot import Snapshot

ROOT: Final = GroupId("")
"""The parent of the top groups; no group has this id."""
GroupPath = tuple[GroupId, ...]
"""From the top of the tree down to the group itself."""


class GroupTree(NamedTuple):
    """The groups below each group, and an order in which children come before their parents."""

    children: Mapping[GroupId, tuple[GroupId, ...]]
    bottom_up: tuple[GroupId, ...]

    @classmethod
    def of(cls, paths: Mapping[GroupId, GroupPath]) -> "GroupTree":
        """Return the tree that the paths span."""
        children: dict[GroupId, list[GroupId]] = defaultdict(list)
        for group, path in sorted(paths.items()):
            children[path[-2] if len(path) > 1 else ROOT].append(group)
        by_depth = sorted(paths, key=lambda group: (-len(paths[group]), group))
        return cls({group: tuple(below) for group, below in children.items()}, tuple(by_depth))


def group_paths(snapshot: Snapshot) -> dict[GroupId, GroupPath]:
    """Return the path of every group."""
    return {group.id: group.path or (group.id,) for group in snapshot.groups}


def where_paths_part(
    paths: Mapping[GroupId, GroupPath], one: GroupId, other: GroupId
) -> tuple[GroupPath, GroupPath]:
    """Return both paths from where they part, top first; empty if one is above the other."""
    first, second = paths.get(one, (one,)), paths.get(other, (other,))
    common = 0
    while common < min(len(first), len(second)) and first[common] == second[common]:
        common += 1
    return first[common:], second[common:]
