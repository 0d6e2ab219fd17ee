"""The terms of quotas, summed up the tree: guarantee, deserved, ceiling and weight of each group.

A quota is about one pool, or about all pools together. Both kinds mean the same in their scope, and a
group may have both:

* In every scope a group is guaranteed, and deserves, at least as much as its children together, and
  what it deserves is at least what it is guaranteed.
* Over all pools it is promised at least what the pools promise it together. What is promised beyond
  that is not bound to a pool: the group may have it anywhere.
* Ceilings do not merge: each holds in its own scope.
* The weight over all pools divides the surplus of each pool in which the group has no quota of its
  own.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

from scheduler.core.model.entities import GroupId, PoolId, QuotaView
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quotas.demand import Scope, ScopeResource
from scheduler.core.quotas.group_tree import GroupTree

_ScopeRows = Mapping[GroupId, QuotaView]


class GroupTerms(NamedTuple):
    """What one group may expect of one resource in one scope, all groups below it included."""

    guarantee: int = 0
    deserved: int = 0
    ceiling: int | None = None
    """Of its own quotas here, the smaller if a pool's and one over all pools meet."""
    weight: OverQuotaWeight = OverQuotaWeight.MEDIUM


NO_TERMS: Final = GroupTerms()
TermsByGroup = Mapping[GroupId, GroupTerms]
TermsByScope = Mapping[ScopeResource, TermsByGroup]


def sum_terms(snapshot: Snapshot, tree: GroupTree) -> TermsByScope:
    """Return the terms of every group in each scope in which something is divided or promised.

    GPUs are divided in every pool; another resource only where some group is promised some of it. All
    pools together are a scope of their own only if a quota over all pools promises something.
    """
    rows = _rows_by_scope(snapshot)
    found: dict[ScopeResource, TermsByGroup] = {}
    for resource in Resource:
        everywhere = rows.get((None, resource), {})
        for pool in snapshot.pools:
            own = rows.get((pool.id, resource), {})
            if resource is Resource.GPU or _promises(own):
                found[pool.id, resource] = _sum_pool(tree, own, everywhere)
        if _promises(everywhere):
            of_pools = [terms for (_, each), terms in found.items() if each is resource]
            found[None, resource] = _sum_all_pools(tree, everywhere, of_pools)
    return found


def weight_in(pool: PoolId, rows: Mapping[Scope, QuotaView]) -> OverQuotaWeight:
    """Return by which weight a group with these GPU quotas shares in the surplus of a pool."""
    row = rows.get(pool) or rows.get(None)
    return row.weight if row else OverQuotaWeight.MEDIUM


def _rows_by_scope(snapshot: Snapshot) -> Mapping[ScopeResource, _ScopeRows]:
    rows: defaultdict[ScopeResource, dict[GroupId, QuotaView]] = defaultdict(dict)
    for row in snapshot.quotas:
        if not row.model:
            rows[row.pool, row.resource][row.group] = row
    return rows


def _promises(rows: _ScopeRows) -> bool:
    return any(row.guarantee or row.deserved for row in rows.values())


def _sum_pool(tree: GroupTree, rows: _ScopeRows, everywhere: _ScopeRows) -> TermsByGroup:
    terms: dict[GroupId, GroupTerms] = {}
    for group in tree.bottom_up:
        row, over_all = rows.get(group), everywhere.get(group)
        ceilings = [
            each.ceiling
            for each in (row, over_all)
            if each is not None and each.ceiling is not None
        ]
        either = row or over_all
        terms[group] = GroupTerms(
            *_promised(tree, terms, group, row),
            min(ceilings, default=None),
            either.weight if either else OverQuotaWeight.MEDIUM,
        )
    return terms


def _sum_all_pools(tree: GroupTree, rows: _ScopeRows, of_pools: list[TermsByGroup]) -> TermsByGroup:
    terms: dict[GroupId, GroupTerms] = {}
    for group in tree.bottom_up:
        row = rows.get(group)
        guarantee, deserved = _promised(tree, terms, group, row)
        terms[group] = GroupTerms(
            max(guarantee, sum(each[group].guarantee for each in of_pools)),
            max(deserved, sum(each[group].deserved for each in of_pools)),
            row.ceiling if row else None,
            row.weight if row else OverQuotaWeight.MEDIUM,
        )
    return terms


def _promised(
    tree: GroupTree, terms: TermsByGroup, group: GroupId, row: QuotaView | None
) -> tuple[int, int]:
    """Return what a group is guaranteed and deserves: at least as much as its children together."""
    below = [terms[child] for child in tree.children.get(group, ())]
    guarantee = max(row.guarantee if row else 0, sum(each.guarantee for each in below))
    deserved = max(row.deserved if row else 0, sum(each.deserved for each in below))
    return guarantee, max(deserved, guarantee)
