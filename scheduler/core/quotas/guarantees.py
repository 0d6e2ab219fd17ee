"""What stays free for others: floors under groups, and how much room they leave.

A floor is what a group is promised whether it uses it or not. Others may hold what is left once
every floor that is not filled yet is set aside:

    room(g) = capacity − Σ held − Σ over g's sisters and its ancestors' sisters max(0, floor − held)

One walk up the tree answers it; a start or an end changes one sum per level.
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
    """The floors of all groups, and what is held above and below them; writes can be undone."""

    def __init__(
        self,
        capacity: Mapping[PoolResource, int],
        floors: Mapping[PoolResource, Mapping[GroupId, int]],
        paths: Mapping[GroupId, GroupPath],
        journal: UndoLog,
    ) -> None:
        """Keep the floors of every pool and resource in which there are any; nothing is held."""
        self._journal = journal
        self._capacity = capacity
        self._floors = {scope: line for scope, line in floors.items() if any(line.values())}
        self._held: dict[_Place, int] = defaultdict(int)
        self._unfilled: dict[_Place, int] = defaultdict(int)
        """How much is missing to the floors of a group's children, together."""
        for (pool, resource), line in self._floors.items():
            for group, floor in line.items():
                path = paths[group]
                parent = path[-2] if len(path) > 1 else ROOT
                self._unfilled[pool, resource, parent] += floor
        self._promised = dict(self._unfilled)
        self._scopes: dict[PoolId, tuple[Resource, ...]] = defaultdict(tuple)
        for pool, resource in self._floors:
            self._scopes[pool] += (resource,)

    def guaranteed_resources(self, pool: PoolId) -> tuple[Resource, ...]:
        """Return the resources of the pool of which something is kept at all."""
        return self._scopes.get(pool, ())

    def count(self, path: GroupPath, pool: PoolId, resource: Resource, amount: int) -> None:
        """Count so much more as held by the group at the end of the path; less if negative."""
        floors = self._floors[pool, resource]
        for parent, group in zip((ROOT, *path), path, strict=False):
            place, above = (pool, resource, group), (pool, resource, parent)
            floor, held = floors.get(group, 0), self._held[place]
            missing = max(floor - held - amount, 0) - max(floor - held, 0)
            self._journal.write(self._held, place, held + amount)
            if missing:
                self._journal.write(self._unfilled, above, self._unfilled[above] + missing)
        top = (pool, resource, ROOT)
        self._journal.write(self._held, top, self._held[top] + amount)

    def held(self, group: GroupId, pool: PoolId, resource: Resource) -> int:
        """Return what the group and all below it hold."""
        return self._held[pool, resource, group]

    def reserved_for_others(self, path: GroupPath, pool: PoolId, resource: Resource) -> int:
        """Return what is set aside for everybody else."""
        floors = self._floors[pool, resource]
        kept = 0
        for parent, group in zip((ROOT, *path), path, strict=False):
            own = max(floors.get(group, 0) - self._held[pool, resource, group], 0)
            kept += self._unfilled[pool, resource, parent] - own
        return kept

    def available(self, path: GroupPath, pool: PoolId, resource: Resource) -> int:
        """Return how much more the group may hold; negative where promises exceed the pool."""
        free = self._capacity[pool, resource] - self._held[pool, resource, ROOT]
        return free - self.reserved_for_others(path, pool, resource)

    def most_available(self, path: GroupPath, pool: PoolId, resource: Resource) -> int:
        """Return what the group could hold if nobody held more than is kept for it anyway."""
        floors = self._floors[pool, resource]
        promised = sum(
            self._promised.get((pool, resource, parent), 0) - floors.get(group, 0)
            for parent, group in zip((ROOT, *path), path, strict=False)
        )
        return self._capacity[pool, resource] - promised


def build_guarantee_books(
    snapshot: Snapshot, journal: UndoLog
) -> tuple[GuaranteeBook, GuaranteeBook]:
    """Return what is kept free of all work, and what is kept free of work that cannot be moved."""
    paths = group_paths(snapshot)
    if not any(row.guarantee or row.deserved for row in snapshot.quotas):
        return GuaranteeBook({}, {}, paths, journal), GuaranteeBook({}, {}, paths, journal)
    capacity, shares = pool_capacities(snapshot), FairShares.entitlements(snapshot)
    guarantees = {
        scope: {group: share.guarantee for group, share in line.items()}
        for scope, line in shares.shares.items()
    }
    deserved = {
        scope: {group: share.deserved for group, share in line.items()}
        for scope, line in shares.shares.items()
    }
    return GuaranteeBook(capacity, guarantees, paths, journal), GuaranteeBook(
        capacity, deserved, paths, journal
    )
