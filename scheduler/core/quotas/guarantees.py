"""Guarantees: what stays free for other groups, and how much that leaves to one group.

A guarantee is promised to a group whether it uses it or not. Other groups may hold what is left
once every unused guarantee is set aside:

    available(g) = capacity − Σ held − Σ max(0, guarantee − held)

where the last sum is over the siblings of g and of each of its ancestors. One walk up the group tree
answers it; a start or an end changes one sum for each level.
"""

from collections import defaultdict
from collections.abc import Mapping

from scheduler.core.model.entities import GroupId, PoolId
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.fair_share import (
    ROOT,
    FairShares,
    GroupPath,
    PoolResource,
    group_paths,
    pool_capacities,
)

_Place = tuple[PoolId, Resource, GroupId]


class GuaranteeBook:
    """The guarantees of all groups, and how far they are used; writes can be undone."""

    def __init__(
        self,
        capacity: Mapping[PoolResource, int],
        guarantees: Mapping[PoolResource, Mapping[GroupId, int]],
        paths: Mapping[GroupId, GroupPath],
        undo_log: UndoLog,
    ) -> None:
        """Take the guarantees of every pool and resource that has any; nothing is held yet."""
        self._undo_log = undo_log
        self._capacity = capacity
        self._guarantees = {
            scope: by_group for scope, by_group in guarantees.items() if any(by_group.values())
        }
        self._held: dict[_Place, int] = defaultdict(int)
        self._unused: dict[_Place, int] = defaultdict(int)
        """How much of the guarantees of a group's children is unused, together."""
        for (pool, resource), by_group in self._guarantees.items():
            for group, guarantee in by_group.items():
                path = paths[group]
                parent = path[-2] if len(path) > 1 else ROOT
                self._unused[pool, resource, parent] += guarantee
        self._guaranteed = dict(self._unused)
        self._scopes: dict[PoolId, tuple[Resource, ...]] = defaultdict(tuple)
        for pool, resource in self._guarantees:
            self._scopes[pool] += (resource,)

    def guaranteed_resources(self, pool: PoolId) -> tuple[Resource, ...]:
        """Return the resources of the pool of which anything is guaranteed."""
        return self._scopes.get(pool, ())

    def count(self, path: GroupPath, pool: PoolId, resource: Resource, amount: int) -> None:
        """Count so much more as held by the group at the end of the path; less if negative."""
        guarantees = self._guarantees[pool, resource]
        for parent, group in zip((ROOT, *path), path, strict=False):
            place, above = (pool, resource, group), (pool, resource, parent)
            guarantee, held = guarantees.get(group, 0), self._held[place]
            change = max(guarantee - held - amount, 0) - max(guarantee - held, 0)
            self._undo_log.write(self._held, place, held + amount)
            if change:
                self._undo_log.write(self._unused, above, self._unused[above] + change)
        top = (pool, resource, ROOT)
        self._undo_log.write(self._held, top, self._held[top] + amount)

    def held(self, group: GroupId, pool: PoolId, resource: Resource) -> int:
        """Return what the group and all below it hold."""
        return self._held[pool, resource, group]

    def reserved_for_others(self, path: GroupPath, pool: PoolId, resource: Resource) -> int:
        """Return what is set aside for all other groups."""
        guarantees = self._guarantees[pool, resource]
        others = 0
        for parent, group in zip((ROOT, *path), path, strict=False):
            own = max(guarantees.get(group, 0) - self._held[pool, resource, group], 0)
            others += self._unused[pool, resource, parent] - own
        return others

    def available(self, path: GroupPath, pool: PoolId, resource: Resource) -> int:
        """Return how much more the group may hold; negative where guarantees exceed the pool."""
        free = self._capacity[pool, resource] - self._held[pool, resource, ROOT]
        return free - self.reserved_for_others(path, pool, resource)

    def most_available(self, path: GroupPath, pool: PoolId, resource: Resource) -> int:
        """Return what the group could hold if no other group held more than its guarantee."""
        guarantees = self._guarantees[pool, resource]
        guaranteed = sum(
            self._guaranteed.get((pool, resource, parent), 0) - guarantees.get(group, 0)
            for parent, group in zip((ROOT, *path), path, strict=False)
        )
        return self._capacity[pool, resource] - guaranteed


def build_guarantee_books(
    snapshot: Snapshot, undo_log: UndoLog
) -> tuple[GuaranteeBook, GuaranteeBook]:
    """Return the books of what is guaranteed, and of what is deserved.

    The first is kept free of all other work, the second of work that cannot be preempted.
    """
    paths = group_paths(snapshot)
    if not any(row.guarantee or row.deserved for row in snapshot.quotas):
        return GuaranteeBook({}, {}, paths, undo_log), GuaranteeBook({}, {}, paths, undo_log)
    capacity, shares = pool_capacities(snapshot), FairShares.entitlements(snapshot)
    guarantees = {
        scope: {group: share.guarantee for group, share in by_group.items()}
        for scope, by_group in shares.shares.items()
    }
    deserved = {
        scope: {group: share.deserved for group, share in by_group.items()}
        for scope, by_group in shares.shares.items()
    }
    return GuaranteeBook(capacity, guarantees, paths, undo_log), GuaranteeBook(
        capacity, deserved, paths, undo_log
    )
