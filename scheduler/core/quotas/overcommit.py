"""Over-commit: where quotas promise more than there is, or more than the group above has itself.

Nothing breaks by it: promises are cut in proportion (`promises.py`). But then no group can rely on
what its quota says, so a person who sets quotas should see it before.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from scheduler.core.model.entities import GroupId, PoolId, QuotaView
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quotas.demand import scope_capacities
from scheduler.core.quotas.group_tree import ROOT, GroupTree, group_paths
from scheduler.core.quotas.terms import TermsByGroup, sum_terms


class PromiseKind(StrEnum):
    """Which of a quota's amounts are summed."""

    GUARANTEE = "guarantee"
    DESERVED = "deserved"


@dataclass(frozen=True, slots=True)
class Overcommit:
    """The groups below one group, or all top groups, are promised more than can be had."""

    pool: PoolId | None
    resource: Resource
    kind: PromiseKind
    group: GroupId | None
    """The group whose children are promised too much; None: all of them, against the capacity."""
    promised: int
    available: int
    """What the group's own quota says, or what there is; in the unit of the resource."""
    is_ceiling: bool = False
    """`available` is the ceiling of the group, which its children can never exceed together."""


def find_overcommits(snapshot: Snapshot) -> tuple[Overcommit, ...]:
    """Return every over-commit, the capacity's first, then down the tree."""
    tree = GroupTree.of(group_paths(snapshot))
    capacities = scope_capacities(snapshot)
    found: list[Overcommit] = []
    for (pool, resource), terms in sum_terms(snapshot, tree).items():
        rows = {
            row.group: row
            for row in snapshot.quotas
            if (row.pool, row.resource, row.model) == (pool, resource, "")
        }
        capacity = capacities.get((pool, resource), 0)
        for kind in PromiseKind:
            promised = _sum_below(tree, terms, ROOT, kind)
            if promised > capacity:
                found.append(Overcommit(pool, resource, kind, None, promised, capacity))
            found += _below_groups(tree, terms, rows, kind)
    return tuple(sorted(found, key=_order))


def _below_groups(
    tree: GroupTree,
    terms: TermsByGroup,
    rows: Mapping[GroupId, QuotaView],
    kind: PromiseKind,
) -> Iterator[Overcommit]:
    for group in reversed(tree.bottom_up):
        row, promised = rows.get(group), _sum_below(tree, terms, group, kind)
        if row is None or not promised:
            continue
        own = row.guarantee if kind is PromiseKind.GUARANTEE else row.deserved
        where = row.pool, row.resource, kind, group, promised
        if row.ceiling is not None and promised > row.ceiling:
            yield Overcommit(*where, row.ceiling, is_ceiling=True)
        elif own and promised > own:
            yield Overcommit(*where, own)


def _sum_below(tree: GroupTree, terms: TermsByGroup, group: GroupId, kind: PromiseKind) -> int:
    below = (terms[child] for child in tree.children.get(group, ()))
    if kind is PromiseKind.GUARANTEE:
        return sum(each.guarantee for each in below)
    return sum(each.deserved for each in below)


def _order(found: Overcommit) -> tuple[bool, str, str, str]:
    return found.group is not None, found.pool or "", found.resource, found.kind
