"""The line: a total and stable order of everything that waits.

At every level of the tree the child goes first that is below its guarantee, then the one that has
used least of what it is entitled to, then the one whose work is oldest. Inside a group the order is
priority, then the member who has used least, then age. Everybody who is called is charged the entry
penalty before the next is called, so a burst of one member interleaves with the others' work.

A child's keys never fall along its own line, therefore calling the best head again and again gives
the same line as sorting by the keys: O(n log n), with the tree's depth as a factor.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Final

from scheduler.core.entities import GroupId, Millis, PendingWorkload, PoolId, UserId, WorkloadId
from scheduler.core.ordering.standing import Standing, cards_of
from scheduler.core.shares import Path

Item = tuple[PendingWorkload, int]
"""Waiting work and the milli-cards that it is charged for."""
Line = list[Item]
Rank = tuple[int, int, Millis, WorkloadId]
Keyed = list[tuple[Rank, Item]]

_RESOLUTION: Final = 1 << 32
"""Parts of a second of the whole entitlement that two groups are told apart by."""


def in_queue_order(
    pending: Iterable[PendingWorkload], standing: Standing, now: Millis
) -> tuple[PendingWorkload, ...]:
    """Order everything that waits, each pool by itself; no two workloads ever tie.

    The pools' lines are interleaved by the same keys, so that the whole is one line.
    """
    lines = _lines_of_groups(pending, standing)
    for depth in range(max((len(path) for _, path in lines), default=1), 1, -1):
        above: dict[tuple[PoolId, Path], list[Keyed]] = defaultdict(list)
        for pool, path in [key for key in lines if len(key[1]) == depth]:
            line = lines.pop((pool, path))
            above[pool, path[:-1]].append(_keyed_as_group(line, path[-1], pool, standing))
        for (pool, path), children in above.items():
            if own := lines.get((pool, path)):
                children.append(_keyed_as_group(own, path[-1], pool, standing))
            lines[pool, path] = _merged(children)
    tops = [_keyed_as_group(line, path[0], pool, standing) for (pool, path), line in lines.items()]
    return tuple(workload for workload, _ in _merged(tops))


def _lines_of_groups(
    pending: Iterable[PendingWorkload], standing: Standing
) -> dict[tuple[PoolId, Path], Line]:
    """Form the line of each group's own work in each pool."""
    waiting: dict[tuple[PoolId, GroupId, UserId], list[PendingWorkload]] = defaultdict(list)
    for workload in pending:
        waiting[workload.pool, workload.group, workload.user].append(workload)
    members: dict[tuple[PoolId, GroupId], list[Keyed]] = defaultdict(list)
    for (pool, group, user), own in waiting.items():
        own.sort(key=_own_rank)
        view = standing.pools[pool]
        line = [(item, 0 if item.held else cards_of(item, view)) for item in own]
        members[pool, group].append(_keyed_as_member(line, group, user, standing))
    return {
        (pool, standing.paths.get(group, (group,))): _merged(keyed)
        for (pool, group), keyed in members.items()
    }


def _own_rank(workload: PendingWorkload) -> tuple[int, Millis, WorkloadId]:
    return -workload.priority, workload.submitted_at, workload.id


def _keyed_as_member(line: Line, group: GroupId, user: UserId, standing: Standing) -> Keyed:
    """Rank one member's work among the group's: priority, use, age."""
    used = standing.used_by.get((group, user), 0)
    penalty_s = standing.penalty_s
    keyed: Keyed = []
    for item in line:
        workload, cards = item
        keyed.append(((-workload.priority, used, workload.submitted_at, workload.id), item))
        used += cards * penalty_s
    return keyed


def _keyed_as_group(line: Line, group: GroupId, pool: PoolId, standing: Standing) -> Keyed:
    """Rank one group's work among its sisters': below guarantee, use over entitlement, age."""
    used = standing.used.get(group, 0) * _RESOLUTION
    entitled = standing.entitled.get(group, 1)
    penalty = standing.penalty_s * _RESOLUTION
    guaranteed = standing.guaranteed.get((group, pool), 0)
    keyed: Keyed = []
    for item in line:
        workload, cards = item
        beyond = 0 if 0 < cards <= guaranteed else 1
        rank = (beyond, used // entitled, workload.submitted_at, workload.id)
        keyed.append((rank, item))
        used += cards * penalty
        guaranteed -= cards
    return keyed


def _merged(lines: Sequence[Keyed]) -> Line:
    """Call the best head until all are called; every line keeps its own order."""
    if len(lines) == 1:
        return [item for _, item in lines[0]]
    merged: Keyed = []
    for line in lines:
        worst = line[0][0]
        for rank, item in line:
            worst = max(worst, rank)
            merged.append((worst, item))
    merged.sort(key=itemgetter(0))
    return [item for _, item in merged]
