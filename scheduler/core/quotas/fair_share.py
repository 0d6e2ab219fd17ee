"""Fair share: what every group is entitled to of every pool, and what it holds of it.

A pool's capacity is divided down the group tree (`division.py`): at each level a group gets what it
is guaranteed, then what it deserves, then its part of the surplus by weight, never more than it asks
for. A group is guaranteed at least as much as its children together, therefore
guarantee ≤ deserved ≤ ceiling holds for every ancestor too.

The model is KAI's (`ResourceShare` of a queue: deserved, over-quota weight, fair share, allocated).
Amounts are in the unit of their resource: thousandths of GPUs and of CPUs, MiB.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    PendingWorkload,
    PoolId,
    PoolView,
    QuotaView,
    Request,
    RunningWorkload,
    demand_per_replica,
)
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.quotas.division import GroupDemand, divide_fairly

ROOT: Final = GroupId("")
"""The parent of the top groups; no group has this id."""
GroupPath = tuple[GroupId, ...]
PoolResource = tuple[PoolId, Resource]


class ResourceShare(NamedTuple):
    """One group's numbers for one resource of one pool, all groups below it included."""

    guarantee: int = 0
    deserved: int = 0
    ceiling: int | None = None
    weight: OverQuotaWeight = OverQuotaWeight.MEDIUM
    requested: int = 0
    """What it holds and what it waits for, together."""
    allocated: int = 0
    fair_share: int = 0
    """What it should hold now, given what all groups ask for."""


@dataclass(frozen=True, slots=True)
class FairShares:
    """The shares of every group at one moment; `with_allocation` returns those after a start or end."""

    paths: Mapping[GroupId, GroupPath]
    shares: Mapping[PoolResource, Mapping[GroupId, ResourceShare]]

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> "FairShares":
        """Divide every pool among the groups that hold or request some of it.

        GPUs are always divided; other resources only in pools where some group is guaranteed some.
        """
        return cls._divided(snapshot, _use(snapshot, snapshot.running), _wanted(snapshot))

    @classmethod
    def entitlements(cls, snapshot: Snapshot) -> "FairShares":
        """Divide every pool as if every group asked for all of it: what each gets in the long run."""
        paths = group_paths(snapshot)
        parents = {path[-2] for path in paths.values() if len(path) > 1}
        everything = {
            (pool.id, group): _EVERYTHING
            for pool in snapshot.pools
            for group in paths.keys() - parents
        }
        return cls._divided(snapshot, {}, everything)

    @classmethod
    def _divided(
        cls,
        snapshot: Snapshot,
        held: Mapping[tuple[PoolId, GroupId], Resources],
        wanted: Mapping[tuple[PoolId, GroupId], Resources],
    ) -> "FairShares":
        paths = group_paths(snapshot)
        amounts = pool_capacities(snapshot)
        rows = _rows_by_scope(snapshot)
        tree = _GroupTree.of(paths)
        numbers = {}
        for scope in sorted(amounts):
            pool, resource = scope
            if resource is not Resource.GPU and scope not in rows:
                continue
            own = {
                group: (
                    held.get((pool, group), _NOTHING).get(resource),
                    wanted.get((pool, group), _NOTHING).get(resource),
                )
                for group in paths
            }
            summed = _sum_up(tree, rows.get(scope, {}), own)
            numbers[scope] = _divide_down(tree, summed, own, amounts[scope])
        return cls(paths, numbers)

    def share_of(
        self, group: GroupId, pool: PoolId, resource: Resource = Resource.GPU
    ) -> ResourceShare:
        """Return a group's numbers; all zero where nothing is divided."""
        return self.shares.get((pool, resource), {}).get(group, ResourceShare())

    def with_allocation(
        self, group: GroupId, pool: PoolId, amount: Resources, times: int = 1
    ) -> "FairShares":
        """Return the shares once the group holds so much more; with `times=-1`, less.

        Only what is held changes: fair shares remain those of the snapshot.
        """
        numbers = dict(self.shares)
        for scope, before in self.shares.items():
            if scope[0] != pool or not amount.get(scope[1]):
                continue
            line = dict(before)
            for step in self.paths.get(group, ()):
                share = line[step]
                more = amount.get(scope[1]) * times
                line[step] = share._replace(allocated=share.allocated + more)
            numbers[scope] = line
        return replace(self, shares=numbers)


def is_more_saturated(one: ResourceShare, other: ResourceShare) -> bool:
    """Return whether `one` holds more of its fair share than `other`, compared as exact fractions."""
    return one.allocated * other.fair_share > other.allocated * one.fair_share


def can_reclaim(
    shares: FairShares, reclaimer: GroupId, victim: GroupId, cost: Resources, pool: PoolId
) -> bool:
    """Return whether one group may reclaim from another in this pool.

    `cost` is what the reclaimer's work needs in all. Both strategies of KAI's `reclaim` are checked
    at every level from the two leaves up to where their paths part:

    * The reclaimer stays within what it deserves, and the victim is above what *it* deserves
      (KAI: `GuaranteeDeservedQuotaStrategy`).
    * The reclaimer stays within its fair share, the victim is above its own, and the reclaimer
      does not become more saturated than the victim was (KAI: `MaintainFairShareStrategy`).

    Work inside what its group deserves is never taken. The reclaimer is within its share
    afterwards, so nothing can be reclaimed from it, and the same cards do not go to and fro.
    """
    reclaimers, victims = _branches(shares.paths, reclaimer, victim)
    scopes = [scope for scope in shares.shares if scope[0] == pool and cost.get(scope[1])]
    if not reclaimers or not victims:
        return False
    within_deserved = True
    for scope in scopes:
        for group in reclaimers:
            share = _with(shares.share_of(group, *scope), cost.get(scope[1]))
            if share.allocated > max(share.fair_share, share.deserved):
                return False
            within_deserved &= share.allocated <= share.deserved
    return any(
        all(
            _may_lose(shares.share_of(group, *scope), to_deserved=within_deserved)
            for group in victims
        )
        and (
            within_deserved
            or not is_more_saturated(
                _with(shares.share_of(reclaimers[0], *scope), cost.get(scope[1])),
                shares.share_of(victims[0], *scope),
            )
        )
        for scope in scopes
    )


def _may_lose(share: ResourceShare, *, to_deserved: bool) -> bool:
    return share.allocated > (
        share.deserved if to_deserved else max(share.deserved, share.fair_share)
    )


def _with(share: ResourceShare, more: int) -> ResourceShare:
    return share._replace(allocated=share.allocated + more)


def _branches(
    paths: Mapping[GroupId, GroupPath], one: GroupId, other: GroupId
) -> tuple[GroupPath, GroupPath]:
    """Return both paths from where they part, top first; empty if one is above the other."""
    first, second = paths.get(one, (one,)), paths.get(other, (other,))
    common = 0
    while common < min(len(first), len(second)) and first[common] == second[common]:
        common += 1
    return first[common:], second[common:]


class _GroupTree(NamedTuple):
    children: Mapping[GroupId, tuple[GroupId, ...]]
    bottom_up: tuple[GroupId, ...]

    @classmethod
    def of(cls, paths: Mapping[GroupId, GroupPath]) -> "_GroupTree":
        children: dict[GroupId, list[GroupId]] = defaultdict(list)
        for group, path in sorted(paths.items()):
            children[path[-2] if len(path) > 1 else ROOT].append(group)
        by_depth = sorted(paths, key=lambda group: (-len(paths[group]), group))
        return cls({group: tuple(below) for group, below in children.items()}, tuple(by_depth))


_Own = Mapping[GroupId, tuple[int, int]]
"""What a group's own work holds, and what its waiting work requests."""


def _sum_up(
    tree: _GroupTree, rows: Mapping[GroupId, QuotaView], own: _Own
) -> dict[GroupId, ResourceShare]:
    """Sum up the tree: a parent requests, and is guaranteed, at least the sum of its children."""
    shares: dict[GroupId, ResourceShare] = {}
    for group in tree.bottom_up:
        below = [shares[child] for child in tree.children.get(group, ())]
        row = rows.get(group)
        held, waiting = own[group]
        ceiling = row.ceiling if row else None
        requested = held + waiting + sum(share.requested for share in below)
        guarantee = max(row.guarantee if row else 0, sum(share.guarantee for share in below))
        deserved = max(row.deserved if row else 0, sum(share.deserved for share in below))
        shares[group] = ResourceShare(
            guarantee=guarantee,
            deserved=max(deserved, guarantee),
            ceiling=ceiling,
            weight=row.weight if row else OverQuotaWeight.MEDIUM,
            requested=requested if ceiling is None else min(requested, ceiling),
            allocated=held + sum(share.allocated for share in below),
        )
    return shares


def _divide_down(
    tree: _GroupTree, summed: Mapping[GroupId, ResourceShare], own: _Own, capacity: int
) -> dict[GroupId, ResourceShare]:
    """Divide the capacity down the tree; what is held of lent cards beyond it counts too."""
    shares = dict(summed)
    tops = tree.children.get(ROOT, ())
    parts = {ROOT: max(capacity, sum(summed[group].allocated for group in tops))}
    for parent in (ROOT, *reversed(tree.bottom_up)):
        below = tree.children.get(parent, ())
        demands = [_demand(group, summed[group]) for group in below]
        if below and parent != ROOT and any(own[parent]):
            demands.append(GroupDemand(parent, requested=sum(own[parent])))
        for group, part in divide_fairly(parts[parent], demands).items():
            if group != parent:
                parts[group] = part
                shares[group] = shares[group]._replace(fair_share=part)
    return shares


def _demand(group: GroupId, share: ResourceShare) -> GroupDemand:
    return GroupDemand(
        group=group,
        requested=share.requested,
        guarantee=share.guarantee,
        deserved=share.deserved,
        ceiling=share.ceiling,
        weight=share.weight,
    )


_NOTHING: Final = Resources()
_EVERYTHING: Final = Resources(*[1 << 62] * 4)


def group_paths(snapshot: Snapshot) -> dict[GroupId, GroupPath]:
    """Return every group's path from the top of the tree down to itself."""
    return {group.id: group.path or (group.id,) for group in snapshot.groups}


def pool_capacities(snapshot: Snapshot) -> dict[PoolResource, int]:
    """Return the capacity of each pool today: healthy cards of ready nodes, and what is held anyway."""
    pools = {pool.id: pool for pool in snapshot.pools}
    nodes = {node.id: node for node in snapshot.nodes}
    amounts: Counter[PoolResource] = Counter()
    counted: set[tuple[PoolId, str]] = set()
    for card in snapshot.accelerators:
        node = nodes[card.node]
        works = card.state is AcceleratorState.OK and node.state is NodeState.READY
        if not works and not card.taken_slots:
            continue
        slice_mib = pools[card.pool].slice_mib
        amounts[card.pool, Resource.GPU] += 1000
        amounts[card.pool, Resource.GPU_MEMORY] += slice_mib * card.slices or card.memory_mib
        if (card.pool, card.node) not in counted:
            counted.add((card.pool, card.node))
            amounts[card.pool, Resource.CPU] += node.cpu_milli
            amounts[card.pool, Resource.MEMORY] += node.memory_mib
    return amounts


def _rows_by_scope(snapshot: Snapshot) -> dict[PoolResource, dict[GroupId, QuotaView]]:
    """Return the rows of every pool and resource of which some group is guaranteed something.

    Rows for all pools together are limits, but no guarantee in a single pool.
    """
    rows: dict[PoolResource, dict[GroupId, QuotaView]] = defaultdict(dict)
    guaranteed: set[PoolResource] = set()
    for row in snapshot.quotas:
        if row.pool is None:
            continue
        rows[row.pool, row.resource][row.group] = row
        if row.guarantee or row.deserved:
            guaranteed.add((row.pool, row.resource))
    return {
        scope: line
        for scope, line in rows.items()
        if scope in guaranteed or scope[1] is Resource.GPU
    }


def _use(
    snapshot: Snapshot, works: Iterable[PendingWorkload | RunningWorkload]
) -> dict[tuple[PoolId, GroupId], Resources]:
    pools = {pool.id: pool for pool in snapshot.pools}
    used: dict[tuple[PoolId, GroupId], Resources] = {}
    alike: Counter[tuple[PoolId, GroupId, Request]] = Counter()
    owners = card_owners(snapshot)
    for work in works:
        alike[work.pool, work.group, work.request] += count_home_replicas(work, owners)
    for (pool, group, request), count in alike.items():
        cost = demand_per_replica(request, pools[pool]).times(count)
        used[pool, group] = used.get((pool, group), _NOTHING) + cost
    return used


def card_owners(snapshot: Snapshot) -> dict[AcceleratorId, PoolId]:
    """Return the pool of every card; empty where no pool has work on another's cards."""
    if not any(pool.policy.lending.to_pools or pool.policy.fall_back for pool in snapshot.pools):
        return {}
    return {card.id: card.pool for card in snapshot.accelerators}


def count_home_replicas(
    work: PendingWorkload | RunningWorkload, owners: Mapping[AcceleratorId, PoolId]
) -> int:
    """Return how many replicas hold, or request, cards of their own pool: borrowed cards are extra."""
    if not owners or not isinstance(work, RunningWorkload):
        return work.request.replicas
    return sum(
        not placement.devices or owners.get(placement.devices[0][0], work.pool) == work.pool
        for placement in work.placements
    )


def _wanted(snapshot: Snapshot) -> dict[tuple[PoolId, GroupId], Resources]:
    return _use(snapshot, (work for work in snapshot.pending if not work.held))


def total_demand(work: PendingWorkload | RunningWorkload, pool: PoolView) -> Resources:
    """Return what all replicas cost together."""
    return demand_per_replica(work.request, pool).times(work.request.replicas)
