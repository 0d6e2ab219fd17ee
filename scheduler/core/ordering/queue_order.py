"""The line: a total and stable order of everything that waits.

At every level of the tree the child goes first that is below its guarantee, then the one that has
used least of what it is entitled to, then the one whose work is oldest. Inside a group the order is
priority, then the member who has used least, then the pool's hint (`hints.py`): age, or run time.
Everybody who is called is charged the entry penalty before the next is called, so a burst of one
member interleaves with the others' work.

Nobody's standing improves by being called, so calling the best head of several lines again and
again is the same as sorting all their work at once, each by the worst it had to wait for in its
own line: n log n for each level of the tree, on columns of integers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from scheduler.core.model.entities import (
    GroupId,
    PendingWorkload,
    PoolId,
    PoolView,
    Request,
    UserId,
)
from scheduler.core.model.policy import JobOrder
from scheduler.core.ordering.fair_share_state import FairShareState, total_gpu_milli
from scheduler.core.ordering.job_order import rank_waiting
from scheduler.core.quotas.fair_share import GroupPath

Column = npt.NDArray[np.int64]

_RESOLUTION: Final = 1 << 20
"""Parts of a second of the whole entitlement that two groups are told apart by."""


def sort_queue(
    pending: Iterable[PendingWorkload], standing: FairShareState
) -> tuple[PendingWorkload, ...]:
    """Order everything that waits, each pool by itself; no two workloads ever tie.

    The pools' lines are interleaved by the same rules, so that the whole is one line.
    """
    queue = _QueueColumns.of(pending, standing)
    order = np.lexsort((*queue.hints, -queue.priority, queue.member))
    order = _by_members(order, queue, standing)
    deepest = max((len(line.path) for line in queue.lines), default=0)
    for depth in range(deepest, 0, -1):
        order = _by_groups(order, queue, depth, standing)
    return tuple(queue.works[index] for index in order.tolist())


class _LeafQueue(NamedTuple):
    """The work of one group in one pool."""

    pool: PoolId
    path: GroupPath


@dataclass(frozen=True, slots=True)
class _QueueColumns:
    """Everything that waits, as columns in the order of ids."""

    works: Sequence[PendingWorkload]
    submitted: Column
    hints: tuple[Column, Column]
    """How work of equal standing and priority is ordered; the column that decides most is last."""
    priority: Column
    cards: Column
    """What each is charged for, in milli-cards; nothing while it is held."""
    member: Column
    """Number of (pool, group, user)."""
    members: Sequence[tuple[PoolId, GroupId, UserId]]
    line: Column
    """Number of the line that the work stands in."""
    lines: Sequence[_LeafQueue]

    @classmethod
    def of(cls, pending: Iterable[PendingWorkload], standing: FairShareState) -> "_QueueColumns":
        works = sorted(pending, key=attrgetter("id"))
        whose = list(map(attrgetter("pool", "group", "user"), works))
        members = tuple(dict.fromkeys(whose))
        numbers = {member: number for number, member in enumerate(members)}
        places = [(pool, group) for pool, group, _ in members]
        lines = [
            _LeafQueue(pool, standing.paths.get(group, (group,)))
            for pool, group in dict.fromkeys(places)
        ]
        member = _column([numbers[member] for member in whose])
        pools = standing.pools
        return cls(
            works=works,
            submitted=_column([work.submitted_at for work in works]),
            hints=_ranks(works, pools),
            priority=_column([work.priority for work in works]),
            cards=_column(list(_charges(works, pools))),
            member=member,
            members=members,
            line=_column(_numbers(places))[member],
            lines=lines,
        )


def _charges(works: Sequence[PendingWorkload], pools: Mapping[PoolId, PoolView]) -> Iterator[int]:
    """Yield what each work is charged for; thousands ask for one of a few shapes."""
    known: dict[tuple[PoolId, Request], int] = {}
    for work in works:
        shape = work.pool, work.request
        charge = known.get(shape)
        if charge is None:
            charge = known[shape] = total_gpu_milli(work, pools[work.pool])
        yield 0 if work.held else charge


def _ranks(
    works: Sequence[PendingWorkload], pools: Mapping[PoolId, PoolView]
) -> tuple[Column, Column]:
    if all(pool.policy.order is JobOrder.AGE for pool in pools.values()):
        ages = _column([work.submitted_at for work in works])
        return ages, np.zeros_like(ages)
    hints = [rank_waiting(work, pools[work.pool].policy) for work in works]
    return _column([value for _, value in hints]), _column([rank for rank, _ in hints])


def _by_members(order: Column, queue: _QueueColumns, standing: FairShareState) -> Column:
    """Merge the members' own lines into one for each group and pool."""
    if len(queue.members) == len(queue.lines):
        return order
    used = _column(
        [standing.used_by_member.get((group, user), 0) for _, group, user in queue.members]
    )
    member = queue.member[order]
    charged = _started_before(member, queue.cards[order]) * standing.entry_penalty_s
    hints = [hint[order] for hint in queue.hints]
    ranks = (*hints, used[member] + charged, -queue.priority[order])
    return _merged(order, member, ranks, queue.line[order])


def _by_groups(order: Column, queue: _QueueColumns, depth: int, standing: FairShareState) -> Column:
    """Merge the lines of the groups at one depth into their parents'; at the top, into one."""
    children = _numbers(
        [(line.pool, line.path[:depth], len(line.path) < depth) for line in queue.lines]
    )
    parents = _numbers(
        [(line.pool, line.path[: depth - 1]) if depth > 1 else None for line in queue.lines]
    )
    if len(set(children)) == len(set(parents)):
        return order
    groups = [line.path[:depth][-1] for line in queue.lines]
    used = _column([standing.used.get(group, 0) for group in groups])
    entitled = _column([standing.entitled.get(group, 1) for group in groups])
    guaranteed = _column(
        [
            standing.guarantee_left.get((group, line.pool), 0)
            for group, line in zip(groups, queue.lines, strict=True)
        ]
    )
    line, cards = queue.line[order], queue.cards[order]
    child = _column(children)[line]
    called = _started_before(child, cards)
    within = (cards > 0) & (called + cards <= guaranteed[line])
    use = used[line] + called * standing.entry_penalty_s
    seconds = use // entitled[line]
    parts = (use - seconds * entitled[line]) * _RESOLUTION // entitled[line]
    ranks = (queue.submitted[order], parts, seconds, _column(~within))
    return _merged(order, child, ranks, _column(parents)[line])


def _merged(order: Column, child: Column, ranks: tuple[Column, ...], parent: Column) -> Column:
    """Call the best head of each parent's lines until all are called.

    `order` holds the children's lines one after the other; `ranks` are columns beside it, the one
    that decides most last, as `lexsort` wants them. Equal ranks are decided by id.
    """
    size = len(order)
    rank = np.empty(size, dtype=np.int64)
    rank[np.lexsort((order, *ranks))] = np.arange(size)
    segment = np.cumsum(_is_first(child)) * size
    worst = np.maximum.accumulate(rank + segment) - segment
    return order[np.lexsort((worst, parent))]


def _started_before(child: Column, cards: Column) -> Column:
    """Return the milli-cards that are called before each work of the same line."""
    before = np.cumsum(cards) - cards
    starts = np.flatnonzero(_is_first(child))
    return before - np.repeat(before[starts], np.diff(np.append(starts, len(child))))


def _is_first(child: Column) -> npt.NDArray[np.bool_]:
    """Tell where another line begins."""
    return np.concatenate((np.ones(min(len(child), 1), dtype=np.bool_), child[1:] != child[:-1]))


def _column(values: Sequence[int] | npt.NDArray[np.bool_]) -> Column:
    return np.array(values, dtype=np.int64)


def _numbers(keys: Sequence[object]) -> list[int]:
    """Number equal keys equally."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return [numbers[key] for key in keys]
