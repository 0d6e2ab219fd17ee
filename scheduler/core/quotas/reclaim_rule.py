"""Whether one group may take back from another: both are compared with what their quotas promise them.

A promise of the pool and one over all pools count equally. A group may claim by either; and work is safe
inside either, so what one group takes back no other can take from it, and nothing goes to and fro.
"""

from scheduler.core.model.entities import GroupId, PoolId
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.quotas.fair_share import FairShares, ResourceShare
from scheduler.core.quotas.group_tree import GroupPath, where_paths_part


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
    reclaimers, victims = where_paths_part(shares.paths, reclaimer, victim)
    if not reclaimers or not victims:
        return False
    resources = [
        resource
        for resource in Resource
        if cost.get(resource)
        and ((pool, resource) in shares.shares or resource in shares.all_pools)
    ]
    by_deserved = all(
        _stays_within_deserved(shares, reclaimers, pool, resource, cost) for resource in resources
    )
    if not by_deserved and not all(
        _stays_within_fair_share(shares, reclaimers, pool, resource, cost) for resource in resources
    ):
        return False
    return any(
        _may_lose(shares, victims, pool, resource, to_deserved=by_deserved)
        and (
            by_deserved
            or not is_more_saturated(
                _with(shares.share_of(reclaimers[0], pool, resource), cost.get(resource)),
                shares.share_of(victims[0], pool, resource),
            )
        )
        for resource in resources
    )


def stays_within_deserved(
    shares: FairShares, group: GroupId, cost: Resources, pool: PoolId
) -> bool:
    """Return whether the group itself deserves so many more GPUs here, in the pool or over all."""
    return _stays_within_deserved(shares, (group,), pool, Resource.GPU, cost)


def above_deserved(shares: FairShares, group: GroupId, pool: PoolId, resource: Resource) -> int:
    """Return how much the group holds here above every promise to it: what it can lose by reclaim.

    It is 0 for a group that holds no more than what the pool, or all pools together, promise it.
    """
    share = shares.share_of(group, pool, resource)
    above = share.allocated - share.deserved
    everywhere = shares.all_pools.get(resource)
    if everywhere is not None:
        above = min(above, everywhere[group].allocated - everywhere[group].deserved)
    return max(above, 0)


def is_more_saturated(one: ResourceShare, other: ResourceShare) -> bool:
    """Return whether `one` holds more of its fair share than `other`, compared as exact fractions."""
    return one.allocated * other.fair_share > other.allocated * one.fair_share


def _stays_within_deserved(
    shares: FairShares, groups: GroupPath, pool: PoolId, resource: Resource, cost: Resources
) -> bool:
    """Return whether every group stays within what the pool promises it, or what is promised over all."""
    after = {
        group: _with(shares.share_of(group, pool, resource), cost.get(resource)) for group in groups
    }
    if all(share.allocated <= share.deserved for share in after.values()):
        return True
    everywhere = shares.all_pools.get(resource)
    return everywhere is not None and all(
        shares.allocated_over_all(group, pool, resource, cost.get(resource))
        <= everywhere[group].deserved
        for group in groups
    )


def _stays_within_fair_share(
    shares: FairShares, groups: GroupPath, pool: PoolId, resource: Resource, cost: Resources
) -> bool:
    after = [_with(shares.share_of(group, pool, resource), cost.get(resource)) for group in groups]
    return all(share.allocated <= max(share.fair_share, share.deserved) for share in after)


def _may_lose(
    shares: FairShares, groups: GroupPath, pool: PoolId, resource: Resource, *, to_deserved: bool
) -> bool:
    """Return whether every group is above its promise of the pool and above that over all pools."""
    everywhere = shares.all_pools.get(resource)
    if everywhere is not None and not all(
        everywhere[group].allocated > everywhere[group].deserved for group in groups
    ):
        return False
    if (pool, resource) not in shares.shares:
        return True
    return all(
        _is_above(shares.share_of(group, pool, resource), to_deserved=to_deserved)
        for group in groups
    )


def _is_above(share: ResourceShare, *, to_deserved: bool) -> bool:
    most = share.deserved if to_deserved else max(share.deserved, share.fair_share)
    return share.allocated > most


def _with(share: ResourceShare, more: int) -> ResourceShare:
    return share._replace(allocated=share.allocated + more)
