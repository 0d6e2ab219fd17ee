"""Two pools with promises of each and over both: what a fair scheduler keeps, lends and takes back.

The oracle here knows nothing of how the scheduler counts: it asks how many more GPUs must be free
so that every group could still have what it is promised.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    AcceleratorView,
    GroupId,
    GroupView,
    NodeView,
    PendingWorkload,
    PoolId,
    PoolView,
    QuotaView,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.policy import OverQuotaWeight, PoolPolicy
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import NodeState
from scheduler.core.quotas.demand import DemandTable
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.quotas.reclaim_rule import can_reclaim
from tests.scheduler.counting import after, recounted, without
from tests.scheduler.fairness.play import settled
from tests.scheduler.fairness.worlds import (
    NOW,
    TREES,
    draw_queue,
    draw_running,
    make_card,
    paths,
)

W = TypeVar("W", PendingWorkload, RunningWorkload)
POOLS = (PoolId("old"), PoolId("training"))


@st.composite
def sites(draw: st.DrawFn, waiting: int = 2, busy: int = 0, *, firm: bool = False) -> Snapshot:
    """Two pools; quotas of none, one or both, and over both, which can all be kept together."""
    tree = draw(st.sampled_from(TREES))
    groups = tuple(
        GroupView(GroupId(path[-1]), path[-1], tuple(GroupId(name) for name in path))
        for path in tree
    )
    parents = {path[-2] for path in tree if len(path) > 1}
    leaves = [group.id for group in groups if group.id not in parents]
    cards: list[AcceleratorView] = []
    pending: list[PendingWorkload] = []
    running: list[RunningWorkload] = []
    for pool in POOLS:
        here = tuple(
            replace(make_card(f"{pool}{node}", index), pool=pool)
            for node in range(draw(st.integers(1, 2)))
            for index in range(draw(st.integers(1, 3)))
        )
        cards += here
        running += _in(pool, draw(draw_running(here, leaves, (1,), busy)))
        pending += _in(pool, draw(draw_queue(leaves, (1,), waiting, held=False, most=4)))
    names = sorted({card.node for card in cards})
    return recounted(
        Snapshot(
            taken_at=NOW,
            pools=tuple(PoolView(pool, pool, policy=PoolPolicy(min_runtime_s=0)) for pool in POOLS),
            nodes=tuple(NodeView(name, name, NodeState.READY, 10**6, 10**6) for name in names),
            accelerators=tuple(cards),
            groups=groups,
            quotas=_quotas(draw, groups, Counter(card.pool for card in cards)),
            running=tuple(running),
            pending=tuple(replace(work, preemptible=False) if firm else work for work in pending),
        )
    )


def _in(pool: PoolId, works: tuple[W, ...]) -> list[W]:
    return [replace(work, id=WorkloadId(f"{pool}-{work.id}"), pool=pool) for work in works]


def _quotas(
    draw: st.DrawFn, groups: tuple[GroupView, ...], capacity: Counter[PoolId]
) -> tuple[QuotaView, ...]:
    """Promise no more at any level than there is above it: first of each pool, then over both."""
    of_pools: Counter[GroupId] = Counter()
    rows: list[QuotaView] = []
    for pool in draw(st.sampled_from([(), POOLS[:1], POOLS])):
        promised = _promises(draw, groups, capacity[pool], Counter())
        of_pools.update(promised)
        rows += [_row(draw, group, pool, amount) for group, amount in promised.items() if amount]
    everywhere = _promises(draw, groups, capacity.total(), of_pools)
    rows += [
        _row(draw, group, None, amount)
        for group, amount in everywhere.items()
        if draw(st.booleans())
    ]
    return tuple(rows)


def _promises(
    draw: st.DrawFn, groups: tuple[GroupView, ...], capacity: int, least: Counter[GroupId]
) -> Counter[GroupId]:
    """Return what each group is promised, at least so much, its children's included."""
    left: dict[GroupId | None, int] = {None: capacity}
    for group in groups:
        left[_parent(group)] = left.get(_parent(group), 0) - least[group.id]
    found: Counter[GroupId] = Counter()
    for group in groups:
        more = draw(st.integers(0, left[_parent(group)]))
        left[_parent(group)] -= more
        found[group.id] = least[group.id] + more
        left[group.id] = left.get(group.id, 0) + found[group.id]
    return found


def _row(draw: st.DrawFn, group: GroupId, pool: PoolId | None, deserved: int) -> QuotaView:
    ceiling = draw(st.none() | st.integers(deserved, deserved + 4))
    return QuotaView(
        group=group,
        pool=pool,
        resource=Resource.GPU,
        ceiling=None if ceiling is None else ceiling * 1000,
        guarantee=draw(st.integers(0, deserved)) * 1000,
        deserved=deserved * 1000,
        weight=draw(st.sampled_from(list(OverQuotaWeight))),
    )


def _parent(group: GroupView) -> GroupId | None:
    return group.path[-2] if len(group.path) > 1 else None


@dataclass(frozen=True)
class Promised:
    """What is promised of one kind, and what is held of it, in GPUs."""

    snapshot: Snapshot
    kind: str
    only_firm: bool = False
    """Count only what cannot be taken back."""

    def of_pool(self, group: GroupId, pool: PoolId) -> int:
        below = sum(self.of_pool(child, pool) for child in self._children[group])
        return max(self._row(group, pool), below)

    def over_all(self, group: GroupId) -> int:
        below = sum(self.over_all(child) for child in self._children[group])
        in_pools = sum(self.of_pool(group, pool) for pool in POOLS)
        return max(self._row(group, None), below, in_pools)

    def held(self, group: GroupId, pool: PoolId) -> int:
        return sum(self._held[below, pool] for below in self._below[group])

    def counted(self, group: GroupId, pool: PoolId | None = None, more: int = 0) -> int:
        """Return what counts as held over all pools, with so much more of a pool."""
        return sum(
            max(self.held(group, each) + (more if each == pool else 0), self.of_pool(group, each))
            for each in POOLS
        )

    def lacking(self) -> dict[PoolId | None, int]:
        """Return how many more GPUs must be free in each pool, and in all, than are.

        What a pool itself is short of, free GPUs of another cannot make up for.
        """
        tops = [group for group, path in paths(self.snapshot).items() if len(path) == 1]
        found: dict[PoolId | None, int] = {
            pool: sum(self._missing_in(top, pool) for top in tops) - self._free(pool)
            for pool in POOLS
        }
        short = sum(max(amount, 0) for amount in found.values())
        found[None] = sum(map(self._missing, tops)) - sum(map(self._free, POOLS)) - short
        return found

    def _missing_in(self, group: GroupId, pool: PoolId) -> int:
        """Return how many more of the pool the group must get to have what the pool promises."""
        below = sum(self._missing_in(child, pool) for child in self._children[group])
        return max(self._row(group, pool) - self.held(group, pool), below, 0)

    def _missing(self, group: GroupId) -> int:
        """Return how many more it must get to have everything; what is of a pool, in that pool."""
        below = sum(map(self._missing, self._children[group]))
        in_pools = sum(self._missing_in(group, pool) for pool in POOLS)
        held = sum(self.held(group, pool) for pool in POOLS)
        return max(self._row(group, None) - held, below, in_pools)

    def _free(self, pool: PoolId) -> int:
        there_is = sum(card.pool == pool for card in self.snapshot.accelerators)
        return there_is - sum(held for (_, each), held in self._held.items() if each == pool)

    def _row(self, group: GroupId, pool: PoolId | None) -> int:
        return self._rows.get((group, pool), 0)

    @cached_property
    def _rows(self) -> dict[tuple[GroupId, PoolId | None], int]:
        return {
            (row.group, row.pool): int(getattr(row, self.kind)) // 1000
            for row in self.snapshot.quotas
        }

    @cached_property
    def _held(self) -> Counter[tuple[GroupId, PoolId]]:
        return Counter(
            (run.group, run.pool)
            for run in self.snapshot.running
            if not (self.only_firm and run.preemptible)
        )

    @cached_property
    def _children(self) -> dict[GroupId, list[GroupId]]:
        return {
            group: [
                child
                for child, path in paths(self.snapshot).items()
                if len(path) > 1 and path[-2] == group
            ]
            for group in paths(self.snapshot)
        }

    @cached_property
    def _below(self) -> dict[GroupId, list[GroupId]]:
        return {
            group: [each for each, path in paths(self.snapshot).items() if group in path]
            for group in paths(self.snapshot)
        }


def guarantees_of_all_scopes_are_left_free(snapshot: Snapshot) -> None:
    """No start leaves fewer GPUs free than idle guarantees of a pool, or of all, still need."""
    then = after(snapshot, run_cycle(snapshot, NOW))
    _assert_no_worse(Promised(snapshot, "guarantee"), Promised(then, "guarantee"))


def firm_work_leaves_what_others_deserve_anywhere(snapshot: Snapshot) -> None:
    """What may not be preempted never keeps a group from what it deserves, in whichever scope."""
    then = after(snapshot, run_cycle(snapshot, NOW))
    _assert_no_worse(
        Promised(snapshot, "deserved", only_firm=True), Promised(then, "deserved", only_firm=True)
    )


def _assert_no_worse(before: Promised, then: Promised) -> None:
    was, lacks = before.lacking(), then.lacking()
    for scope, amount in lacks.items():
        assert amount <= max(was[scope], 0), f"{scope or 'all pools'} lacks {amount}"


def nobody_below_deserved_anywhere_waits_while_another_is_above(snapshot: Snapshot) -> None:
    """At rest, no work waits that its group deserves, in its pool or over all, for work beyond that.

    Unless what would come free is guaranteed to a third group.
    """
    rest = settled(snapshot, cycles_max=80)
    deserved, quotas, tree = Promised(rest, "deserved"), Ledger(rest).quotas, paths(rest)
    for work in rest.pending:
        limits = {reason.code for reason in quotas.refusals(work)}
        if limits - {ReasonCode.OVER_DESERVED_NOT_LENDABLE}:
            continue
        if not _deserves_one_more(deserved, tree[work.group], work.pool):
            continue
        for run in rest.running:
            apart = [group for group in tree[run.group] if group not in tree[work.group]]
            if not apart or not run.preemptible or run.pool != work.pool:
                continue
            is_above = all(_is_above(deserved, group, run.pool) for group in apart)
            assert not is_above or Ledger(without(rest, run.id)).quotas.refusals(work), (
                f"{work.id} of {work.group} waits for what {run.group} has beyond its share"
            )


def _deserves_one_more(deserved: Promised, path: tuple[GroupId, ...], pool: PoolId) -> bool:
    return all(
        deserved.held(group, pool) + 1 <= deserved.of_pool(group, pool) for group in path
    ) or all(deserved.counted(group, pool, 1) <= deserved.over_all(group) for group in path)


def _is_above(deserved: Promised, group: GroupId, pool: PoolId) -> bool:
    return deserved.held(group, pool) > deserved.of_pool(group, pool) and deserved.counted(
        group
    ) > deserved.over_all(group)


def reclaim_across_pools_comes_to_an_end(snapshot: Snapshot) -> None:
    """Moving GPUs as the rule allows, in either pool, never leads back."""
    shares, demand = FairShares.from_snapshot(snapshot), DemandTable(snapshot)
    waiting: list[PendingWorkload | RunningWorkload] = list(snapshot.pending)
    running: list[PendingWorkload | RunningWorkload] = list(snapshot.running)
    for _ in range(120):
        move = next(
            (
                (taker, loser)
                for taker in sorted(waiting, key=lambda work: work.id)
                for loser in sorted(running, key=lambda work: work.id)
                if loser.preemptible and loser.pool == taker.pool
                if can_reclaim(shares, taker.group, loser.group, demand.total(taker), taker.pool)
            ),
            None,
        )
        if move is None:
            return
        taker, loser = move
        waiting = [*(work for work in waiting if work is not taker), loser]
        running = [*(work for work in running if work is not loser), taker]
        for work, times in ((loser, -1), (taker, 1)):
            shares = shares.with_allocation(work.group, work.pool, demand.total(work), times)
    raise AssertionError("the same GPUs go round and round")
