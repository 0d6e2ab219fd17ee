"""Fair share: what every group is entitled to of every pool, and what it holds of it.

A pool's capacity is divided down the group tree (`division.py`): at each level a group gets what it
is guaranteed, then what it deserves, then its part of the surplus by weight, never more than it asks
for. What a group deserves over all pools is divided among the pools by what they have left, as an
entitlement only: it may be reclaimed anywhere.

The model is KAI's (`ResourceShare` of a queue: deserved, over-quota weight, fair share, allocated).
Amounts are in the unit of their resource: thousandths of GPUs and of CPUs, MiB.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from scheduler.core.model.entities import GroupId, PendingWorkload, PoolId, Request
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quotas.demand import (
    NOTHING,
    DemandTable,
    ScopeResource,
    Workload,
    scope_capacities,
)
from scheduler.core.quotas.division import GroupDemand, divide_fairly
from scheduler.core.quotas.group_tree import ROOT, GroupPath, GroupTree, group_paths
from scheduler.core.quotas.terms import TermsByGroup, TermsByScope, sum_terms

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


class AllPoolsShare(NamedTuple):
    """One group's numbers for one resource over all pools, all groups below it included."""

    deserved: int = 0
    allocated: int = 0
    """What it holds anywhere, and what pools promise it that it does not hold there."""


@dataclass(frozen=True, slots=True)
class FairShares:
    """The shares of every group at one moment; `with_allocation` returns those after a start or end."""

    paths: Mapping[GroupId, GroupPath]
    shares: Mapping[PoolResource, Mapping[GroupId, ResourceShare]]
    all_pools: Mapping[Resource, Mapping[GroupId, AllPoolsShare]]
    """Of the resources of which a quota over all pools promises something."""

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> "FairShares":
        """Divide every pool among the groups that hold or request some of it.

        GPUs are always divided; other resources only in pools where some group is promised some.
        """
        demand = DemandTable(snapshot)
        waiting = [work for work in snapshot.pending if not work.held]
        held, wanted = _use(snapshot.running, demand), _use(waiting, demand)
        return _divided(snapshot, scope_capacities(snapshot), held, wanted)

    @classmethod
    def entitlements(
        cls, snapshot: Snapshot, capacities: Mapping[ScopeResource, int] | None = None
    ) -> "FairShares":
        """Divide every pool as if every group asked for all of it: what each gets in the long run.

        `capacities` are those of the pools of a snapshot without cards.
        """
        paths = group_paths(snapshot)
        parents = {path[-2] for path in paths.values() if len(path) > 1}
        everything = {
            (pool.id, group): _EVERYTHING
            for pool in snapshot.pools
            for group in paths.keys() - parents
        }
        there_is = scope_capacities(snapshot) if capacities is None else capacities
        return _divided(snapshot, there_is, _Use({}, {}), _Use(everything, {}))

    def share_of(
        self, group: GroupId, pool: PoolId, resource: Resource = Resource.GPU
    ) -> ResourceShare:
        """Return a group's numbers; all zero where nothing is divided."""
        return self.shares.get((pool, resource), {}).get(group, ResourceShare())

    def allocated_over_all(
        self, group: GroupId, pool: PoolId, resource: Resource, more: int, borrowed: int = 0
    ) -> int:
        """Return what counts as held over all pools once the group holds so much more of this pool.

        What fills a promise of the pool was counted before. `borrowed` is on cards of other pools.
        """
        line = self.shares.get((pool, resource))
        if line is not None:
            here = line[group]
            after = max(here.allocated + more, here.deserved)
            more = after - max(here.allocated, here.deserved)
        return self.all_pools[resource][group].allocated + more + borrowed

    def with_allocation(
        self,
        group: GroupId,
        pool: PoolId,
        at_home: Resources,
        times: int = 1,
        *,
        borrowed: Resources = NOTHING,
    ) -> "FairShares":
        """Return the shares once the group holds so much more; with `times=-1`, less.

        `at_home` is on cards of the pool, `borrowed` on others. Only what is held changes: fair
        shares remain those of the snapshot.
        """
        path = self.paths.get(group, ())
        shares, all_pools = dict(self.shares), dict(self.all_pools)
        for resource, everywhere in self.all_pools.items():
            own, abroad = at_home.get(resource) * times, borrowed.get(resource) * times
            if own or abroad:
                all_pools[resource] = dict(everywhere) | {
                    step: everywhere[step]._replace(
                        allocated=self.allocated_over_all(step, pool, resource, own, abroad)
                    )
                    for step in path
                }
        for scope, line in self.shares.items():
            if scope[0] == pool and (more := at_home.get(scope[1]) * times):
                shares[scope] = dict(line) | {
                    step: line[step]._replace(allocated=line[step].allocated + more)
                    for step in path
                }
        return replace(self, shares=shares, all_pools=all_pools)


_Amounts = Mapping[tuple[PoolId, GroupId], Resources]


class _Use(NamedTuple):
    """What the work of each group holds or requests in its pool, and what it has borrowed."""

    at_home: _Amounts
    borrowed: Mapping[GroupId, Resources]


_EVERYTHING: Final = Resources(*[1 << 62] * 4)


def _use(works: Iterable[Workload], demand: DemandTable) -> _Use:
    at_home: defaultdict[tuple[PoolId, GroupId], Resources] = defaultdict(Resources)
    borrowed: defaultdict[GroupId, Resources] = defaultdict(Resources)
    alike: Counter[tuple[PoolId, GroupId, Request]] = Counter()
    for work in works:
        if isinstance(work, PendingWorkload):
            alike[work.pool, work.group, work.request] += 1
            continue
        home, abroad = demand.at_home_and_borrowed(work)
        at_home[work.pool, work.group] += home
        if abroad is not NOTHING:
            borrowed[work.group] += abroad
    for (pool, group, request), count in alike.items():
        at_home[pool, group] += demand.of_all_replicas(request, pool).times(count)
    return _Use(at_home, borrowed)


def _divided(
    snapshot: Snapshot, capacities: Mapping[ScopeResource, int], held: _Use, wanted: _Use
) -> FairShares:
    paths = group_paths(snapshot)
    tree = GroupTree.of(paths)
    terms = sum_terms(snapshot, tree)
    entitled = _entitlements(terms, capacities, tree)
    shares: dict[PoolResource, Mapping[GroupId, ResourceShare]] = {}
    for (pool, resource), by_group in sorted(terms.items(), key=str):
        if pool is None:
            continue
        own = {
            group: (
                held.at_home.get((pool, group), NOTHING).get(resource),
                wanted.at_home.get((pool, group), NOTHING).get(resource),
            )
            for group in paths
        }
        summed = _sum_up(tree, by_group, own)
        more = entitled.get((pool, resource), {})
        shares[pool, resource] = _divide_down(
            tree, summed, own, more, capacities.get((pool, resource), 0)
        )
    everywhere = {
        resource: _over_all_pools(tree, by_group, resource, shares, held)
        for (pool, resource), by_group in terms.items()
        if pool is None
    }
    return FairShares(paths, shares, everywhere)


_Own = Mapping[GroupId, tuple[int, int]]
"""What a group's own work holds, and what its waiting work requests."""


def _sum_up(tree: GroupTree, terms: TermsByGroup, own: _Own) -> dict[GroupId, ResourceShare]:
    """Sum up the tree what groups hold and request, each up to its ceiling."""
    shares: dict[GroupId, ResourceShare] = {}
    for group in tree.bottom_up:
        below = [shares[child] for child in tree.children.get(group, ())]
        held, waiting = own[group]
        requested = held + waiting + sum(share.requested for share in below)
        ceiling = terms[group].ceiling
        shares[group] = ResourceShare(
            *terms[group],
            requested=requested if ceiling is None else min(requested, ceiling),
            allocated=held + sum(share.allocated for share in below),
        )
    return shares


def _divide_down(
    tree: GroupTree,
    summed: Mapping[GroupId, ResourceShare],
    own: _Own,
    more: Mapping[GroupId, int],
    capacity: int,
) -> dict[GroupId, ResourceShare]:
    """Divide the capacity down the tree; what is held beyond it counts too.

    `more` is what a group is entitled to beyond what this pool itself promises it.
    """
    shares = dict(summed)
    tops = tree.children.get(ROOT, ())
    parts = {ROOT: max(capacity, sum(summed[group].allocated for group in tops))}
    for parent in (ROOT, *reversed(tree.bottom_up)):
        below = tree.children.get(parent, ())
        if not below:
            continue
        demands = [_demand(group, summed[group], more.get(group, 0)) for group in below]
        if parent != ROOT and any(own[parent]):
            demands.append(GroupDemand(parent, requested=sum(own[parent])))
        for group, part in divide_fairly(parts[parent], demands).items():
            if group != parent:
                parts[group] = part
                shares[group] = shares[group]._replace(fair_share=part)
    return shares


def _demand(group: GroupId, share: ResourceShare, more: int) -> GroupDemand:
    return GroupDemand(
        group=group,
        requested=share.requested,
        guarantee=share.guarantee,
        deserved=share.deserved + more,
        ceiling=share.ceiling,
        weight=share.weight,
    )


def _entitlements(
    terms: TermsByScope, capacities: Mapping[ScopeResource, int], tree: GroupTree
) -> Mapping[PoolResource, Mapping[GroupId, int]]:
    """Divide what is deserved over all pools, beyond what pools promise, among the pools.

    Each pool takes a part in proportion to what it has not promised itself.
    """
    found: defaultdict[PoolResource, dict[GroupId, int]] = defaultdict(dict)
    for (scope, resource), everywhere in terms.items():
        if scope is not None:
            continue
        pools = sorted(pool for pool, each in terms if pool is not None and each is resource)
        in_pool = {pool: terms[pool, resource] for pool in pools}
        left = [
            max(capacities.get((pool, resource), 0) - _promised_at_top(in_pool[pool], tree), 0)
            for pool in pools
        ]
        for group, promised in everywhere.items():
            unbound = promised.deserved - sum(in_pool[pool][group].deserved for pool in pools)
            for pool, part in zip(pools, _in_proportion(unbound, left), strict=True):
                found[pool, resource][group] = part
    return found


def _promised_at_top(terms: TermsByGroup, tree: GroupTree) -> int:
    return sum(terms[group].deserved for group in tree.children.get(ROOT, ()))


def _in_proportion(amount: int, weights: Sequence[int]) -> list[int]:
    """Divide an amount by weights, exactly: what rounding leaves goes to the first."""
    total = sum(weights)
    if amount <= 0 or not total:
        return [0] * len(weights)
    parts = [amount * weight // total for weight in weights]
    parts[0] += amount - sum(parts)
    return parts


def _over_all_pools(
    tree: GroupTree,
    terms: TermsByGroup,
    resource: Resource,
    shares: Mapping[PoolResource, Mapping[GroupId, ResourceShare]],
    held: _Use,
) -> Mapping[GroupId, AllPoolsShare]:
    lines = [line for (_, each), line in shares.items() if each is resource]
    counted = {pool for pool, each in shares if each is resource}
    elsewhere: Counter[GroupId] = Counter()
    for group, amount in held.borrowed.items():
        elsewhere[group] += amount.get(resource)
    for (pool, group), amount in held.at_home.items():
        elsewhere[group] += 0 if pool in counted else amount.get(resource)
    found: dict[GroupId, AllPoolsShare] = {}
    for group in tree.bottom_up:
        elsewhere[group] += sum(elsewhere[child] for child in tree.children.get(group, ()))
        in_pools = sum(max(line[group].allocated, line[group].deserved) for line in lines)
        found[group] = AllPoolsShare(terms[group].deserved, in_pools + elsewhere[group])
    return found
