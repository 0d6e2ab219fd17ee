"""The queue order: a total and stable order of everything that waits.

At every level of the group tree the child goes first that is below its guarantee, then the one that
has used least of its entitlement, then the one with the oldest work. Inside a group the order is
priority, then what its admins put first, then the member that has used least, then the pool's job order
(`job_order.py`). Whatever
is taken from a queue is charged the entry penalty before the next is taken, so a burst of one
member interleaves with the work of others.

Taken literally, that is a merge: again and again take the best head of several queues. Here it is
one sort. Taking work only ever worsens the rank of its own queue, so the merge equals sorting all
work by the worst rank up to it in its own queue: n log n for each level of the tree, on columns
of integers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scheduler.core.model.entities import GroupId, PendingWorkload, PoolId, PoolView, UserId
from scheduler.core.model.policy import JobOrder
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.ordering.fair_share_state import FairShareState, divide_use
from scheduler.core.ordering.job_order import rank_waiting
from scheduler.core.quotas.group_tree import GroupPath

Column = npt.NDArray[np.int64]


def sort_queue(
    pending: Iterable[PendingWorkload], state: FairShareState
) -> tuple[PendingWorkload, ...]:
    """Return everything that waits in queue order, each pool by itself; no two workloads ever tie.

    The queues of the pools are interleaved by the same rules, so that the whole is one sequence.
    """
    queue = _QueueColumns.of(pending, state)
    order = np.lexsort((*queue.job_ranks, -queue.priority, queue.member))
    order = _by_members(order, queue, state)
    deepest = max((len(leaf.path) for leaf in queue.leaves), default=0)
    for depth in range(deepest, 0, -1):
        order = _by_groups(order, queue, depth, state)
    return tuple(map(queue.works.__getitem__, _by_group_ranks(order, queue).tolist()))


class _LeafQueue(NamedTuple):
    """The waiting work of one group in one pool."""

    pool: PoolId
    path: GroupPath


@dataclass(frozen=True, slots=True)
class _QueueColumns:
    """Everything that waits, as columns in the order of ids."""

    works: Sequence[PendingWorkload]
    submitted: Column
    job_ranks: tuple[Column, Column]
    """The job order, as two columns; the one that decides more is last, as `lexsort` takes them."""
    priority: Column
    group_rank: Column
    gpu_milli: Column
    """What each is charged for; nothing while it is held."""
    member: Column
    """Number of (pool, group, user)."""
    members: Sequence[tuple[PoolId, GroupId, UserId]]
    leaf: Column
    """Number of the leaf queue of the work."""
    leaves: Sequence[_LeafQueue]

    @classmethod
    def of(cls, pending: Iterable[PendingWorkload], state: FairShareState) -> "_QueueColumns":
        works = sorted(pending, key=attrgetter("id"))
        # Thousands of workloads are of a few classes: what these have in common is computed once for each.
        classes = list(map(attrgetter("work_class"), works))
        of_class = _column(_numbers(classes))
        different = tuple(dict.fromkeys(classes))
        owners = [(each.pool, each.group, each.user) for each in different]
        members = tuple(dict.fromkeys(owners))
        member = _column(_numbers(owners))[of_class]
        places = [(pool, group) for pool, group, _ in members]
        leaves = [
            _LeafQueue(pool, state.paths.get(group, (group,)))
            for pool, group in dict.fromkeys(places)
        ]
        pools = state.pools
        submitted = _column(list(map(attrgetter("submitted_at"), works)))
        charges = _column([total_gpu_milli(each, pools[each.pool]) for each in different])
        is_held = np.array(list(map(bool, map(attrgetter("held"), works))), np.bool_)
        return cls(
            works=works,
            submitted=submitted,
            job_ranks=_job_ranks(works, submitted, pools),
            priority=_column([each.priority for each in different])[of_class],
            group_rank=_column(list(map(attrgetter("group_rank"), works))),
            gpu_milli=np.where(is_held, 0, charges[of_class]),
            member=member,
            members=members,
            leaf=_column(_numbers(places))[member],
            leaves=leaves,
        )


def _job_ranks(
    works: Sequence[PendingWorkload], submitted: Column, pools: Mapping[PoolId, PoolView]
) -> tuple[Column, Column]:
    if all(pool.policy.order is JobOrder.AGE for pool in pools.values()):
        return submitted, np.zeros_like(submitted)
    ranks = [rank_waiting(work, pools[work.pool].policy) for work in works]
    return _column([moment for _, moment in ranks]), _column([level for level, _ in ranks])


def _by_members(order: Column, queue: _QueueColumns, state: FairShareState) -> Column:
    """Merge the queues of the members of each group into one for each group and pool."""
    if len(queue.members) == len(queue.leaves):
        return order
    used = _column([state.used_by_member.get((group, user), 0) for _, group, user in queue.members])
    member = queue.member[order]
    charged = _taken_before(member, queue.gpu_milli[order]) * state.entry_penalty_s
    job_ranks = [column[order] for column in queue.job_ranks]
    ranks = (*job_ranks, used[member] + charged, -queue.priority[order])
    return _merged(order, member, ranks, queue.leaf[order])


def _by_groups(order: Column, queue: _QueueColumns, depth: int, state: FairShareState) -> Column:
    """Merge the queues of the groups at one depth into their parents'; at the top, into one."""
    children = _numbers(
        [(leaf.pool, leaf.path[:depth], len(leaf.path) < depth) for leaf in queue.leaves]
    )
    parents = _numbers(
        [(leaf.pool, leaf.path[: depth - 1]) if depth > 1 else None for leaf in queue.leaves]
    )
    if len(set(children)) == len(set(parents)):
        return order
    groups = [leaf.path[:depth][-1] for leaf in queue.leaves]
    used = _column([state.used.get(group, 0) for group in groups])
    entitled = _column([state.entitled.get(group, 1) for group in groups])
    guaranteed = _column(
        [
            state.guarantee_left.get((group, leaf.pool), 0)
            for group, leaf in zip(groups, queue.leaves, strict=True)
        ]
    )
    leaf, gpu_milli = queue.leaf[order], queue.gpu_milli[order]
    child = _column(children)[leaf]
    before = _taken_before(child, gpu_milli)
    within = (gpu_milli > 0) & (before + gpu_milli <= guaranteed[leaf])
    use = used[leaf] + before * state.entry_penalty_s
    seconds, parts = divide_use(use, entitled[leaf])
    ranks = (queue.submitted[order], parts, seconds, _column(~within))
    return _merged(order, child, ranks, _column(parents)[leaf])


def _by_group_ranks(order: Column, queue: _QueueColumns) -> Column:
    """Let each group and pool fill its own places as its admins ranked its work of equal priority.

    Places stay with their groups, so no work of another group moves.
    """
    if not queue.group_rank.any():
        return order
    leaf = queue.leaf[order]
    ranked = np.lexsort((queue.group_rank[order], -queue.priority[order], leaf))
    places = np.argsort(leaf, kind="stable")
    found = np.empty_like(order)
    found[places] = order[ranked]
    return found


def _merged(order: Column, child: Column, ranks: tuple[Column, ...], parent: Column) -> Column:
    """Merge the queues of each parent's children, always taking the best head.

    `order` holds the children's queues one after the other; `ranks` are columns beside it, the one
    that decides most is last, as `lexsort` takes them. Equal ranks are decided by id.
    """
    size = len(order)
    rank = np.empty(size, dtype=np.int64)
    rank[np.lexsort((order, *ranks))] = np.arange(size)
    # The running maximum of each queue at once: each one is lifted above all queues before it.
    segment = np.cumsum(_is_first(child)) * size
    worst = np.maximum.accumulate(rank + segment) - segment
    return order[np.lexsort((worst, parent))]


def _taken_before(child: Column, gpu_milli: Column) -> Column:
    """Return the milli-GPUs that are taken before each work from the same queue."""
    before = np.cumsum(gpu_milli) - gpu_milli
    starts = np.flatnonzero(_is_first(child))
    return before - np.repeat(before[starts], np.diff(np.append(starts, len(child))))


def _is_first(child: Column) -> npt.NDArray[np.bool_]:
    """Return where another queue begins."""
    return np.concatenate((np.ones(min(len(child), 1), dtype=np.bool_), child[1:] != child[:-1]))


def _column(values: Sequence[int] | npt.NDArray[np.bool_]) -> Column:
    return np.array(values, dtype=np.int64)


def _numbers(keys: Sequence[object]) -> list[int]:
    """Number equal keys equally."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return list(map(numbers.__getitem__, keys))
