"""Generated tenants: trees with promises that can be kept, work that runs and work that waits."""

from dataclasses import replace

from hypothesis import strategies as st

from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    BudgetView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    Placement,
    PoolId,
    PoolView,
    QuotaView,
    Request,
    RunningWorkload,
    UsageView,
    UserId,
    WorkloadId,
)
from scheduler.core.model.policy import OverQuotaWeight, PoolPolicy
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from tests.scheduler.counting import recounted

POOL = PoolId("training")
TREES = (
    (("a",), ("b",), ("c",)),
    (("x",), ("x", "a"), ("x", "b"), ("y",), ("y", "c")),
    (("r",), ("r", "x"), ("r", "x", "a"), ("r", "x", "b"), ("r", "c"), ("d",)),
)
USERS = (UserId("li"), UserId("wang"))
NOW = Millis(10**9)
LONG_AGO = Millis(0)
PERIOD_END = Millis(NOW + 7200 * 1000)


_limits = st.sampled_from([600, 3600, 9000])
"""Seconds that work may run."""


@st.composite
def worlds(
    draw: st.DrawFn,
    sizes: tuple[int, ...] = (1,),
    waiting: int = 0,
    busy: int = 0,
    *,
    held: bool = False,
) -> Snapshot:
    """One pool of whole cards, some taken; every workload is one replica of so many cards.

    At least so many wait, at least so many per cent of the cards are asked for by what runs, which
    began long ago. A few workloads may not be preempted; some that wait are `held`.
    """
    tree = draw(st.sampled_from(TREES))
    groups = tuple(
        GroupView(GroupId(path[-1]), path[-1], tuple(GroupId(name) for name in path))
        for path in tree
    )
    parents = {path[-2] for path in tree if len(path) > 1}
    leaves = [group.id for group in groups if group.id not in parents]
    cards = tuple(
        make_card(f"n{node}", index)
        for node in range(draw(st.integers(1, 3)))
        for index in range(draw(st.integers(max(sizes), 4)))
    )
    nodes = sorted({card.node for card in cards})
    snapshot = Snapshot(
        taken_at=NOW,
        pools=(PoolView(POOL, "training", policy=PoolPolicy(min_runtime_s=0)),),
        nodes=tuple(NodeView(name, name, NodeState.READY, 10**6, 10**6) for name in nodes),
        accelerators=cards,
        groups=groups,
        quotas=draw(_quotas(groups, len(cards))),
        running=draw(draw_running(cards, leaves, sizes, busy)),
        usage=draw(_usage(leaves)),
        pending=draw(draw_queue(leaves, sizes, waiting, held=held)),
    )
    return recounted(snapshot)


def make_card(node: str, index: int) -> AcceleratorView:
    """Return a free card of the pool."""
    return AcceleratorView(
        id=AcceleratorId(f"{node}.{index}"),
        node=NodeId(node),
        pool=POOL,
        model="A",
        memory_mib=32768,
        state=AcceleratorState.OK,
        slices=1,
        index=index,
    )


@st.composite
def _quotas(draw: st.DrawFn, groups: tuple[GroupView, ...], capacity: int) -> tuple[QuotaView, ...]:
    """Promise no more at any level than there is above it."""
    left: dict[GroupId | None, int] = {None: capacity}
    rows = []
    for group in groups:
        parent = group.path[-2] if len(group.path) > 1 else None
        deserved = draw(st.integers(0, left[parent]))
        left[parent] -= deserved
        left[group.id] = deserved
        guarantee = draw(st.integers(0, deserved)) if len(group.path) == 1 else 0
        ceiling = draw(st.none() | st.integers(deserved, capacity))
        if draw(st.integers(0, 4)):
            rows.append(
                QuotaView(
                    group=group.id,
                    pool=POOL,
                    resource=Resource.GPU,
                    ceiling=None if ceiling is None else ceiling * 1000,
                    guarantee=guarantee * 1000,
                    deserved=deserved * 1000,
                    weight=draw(st.sampled_from(list(OverQuotaWeight))),
                )
            )
    return tuple(rows)


@st.composite
def draw_running(
    draw: st.DrawFn,
    cards: tuple[AcceleratorView, ...],
    leaves: list[GroupId],
    sizes: tuple[int, ...],
    busy: int,
) -> tuple[RunningWorkload, ...]:
    running = []
    free: dict[NodeId, list[AcceleratorId]] = {}
    for card in cards:
        free.setdefault(card.node, []).append(card.id)
    for number in range(draw(st.integers(len(cards) * busy // 100, len(cards)))):
        size = draw(st.sampled_from(sizes))
        node = next((node for node, ids in free.items() if len(ids) >= size), None)
        if node is None:
            continue
        taken, free[node] = free[node][:size], free[node][size:]
        running.append(
            RunningWorkload(
                id=WorkloadId(f"run-{number:02}"),
                pool=POOL,
                group=draw(st.sampled_from(leaves)),
                user=draw(st.sampled_from(USERS)),
                priority=0,
                request=Request(gpus=size),
                placements=(Placement(node, tuple((card, 0) for card in taken)),),
                ends_at=Millis(NOW + draw(_limits) * 1000),
                submitted_at=LONG_AGO,
                started_at=LONG_AGO,
                preemptible=draw(st.sampled_from([True, True, True, False])),
            )
        )
    return tuple(running)


@st.composite
def _usage(draw: st.DrawFn, leaves: list[GroupId]) -> tuple[UsageView, ...]:
    amounts = st.sampled_from([0, 0, 1800, 3600, 40000])
    return tuple(
        UsageView(group, user, amount)
        for group in leaves
        for user in USERS
        if (amount := draw(amounts))
    )


@st.composite
def draw_queue(
    draw: st.DrawFn,
    leaves: list[GroupId],
    sizes: tuple[int, ...],
    least: int,
    *,
    held: bool,
    most: int = 10,
) -> tuple[PendingWorkload, ...]:
    reasons = [(), (), (Reason(ReasonCode.HELD_BY_USER),)] if held else [()]
    return tuple(
        PendingWorkload(
            id=WorkloadId(f"new-{number:02}"),
            pool=POOL,
            group=draw(st.sampled_from(leaves)),
            user=draw(st.sampled_from(USERS)),
            priority=draw(st.sampled_from([0, 0, 0, 100])),
            submitted_at=Millis(NOW - draw(st.integers(0, 9)) * 1000),
            request=Request(gpus=draw(st.sampled_from(sizes))),
            version=0,
            time_limit_s=draw(_limits),
            held=draw(st.sampled_from(reasons)),
            preemptible=draw(st.sampled_from([True, True, True, False])),
        )
        for number in range(draw(st.integers(least, max(least, most))))
    )


@st.composite
def budgeted(draw: st.DrawFn) -> Snapshot:
    """A world in which some groups have a budget, partly used; what runs fits into it."""
    snapshot = draw(worlds())
    budgets = []
    for group in snapshot.groups:
        if draw(st.booleans()):
            runs = [run for run in snapshot.running if _is_below(snapshot, run.group, group.id)]
            used = draw(st.integers(0, 3600))
            ends = [min(run.ends_at or PERIOD_END, PERIOD_END) for run in runs]
            promised = sum((end - NOW) // 1000 for end in ends)
            limit = used + promised + draw(st.integers(0, 3 * 3600))
            budgets.append(BudgetView(group.id, None, limit, used, PERIOD_END))
    return replace(snapshot, budgets=tuple(budgets))


def _is_below(snapshot: Snapshot, group: GroupId, above: GroupId) -> bool:
    return above in paths(snapshot)[group]


def paths(snapshot: Snapshot) -> dict[GroupId, tuple[GroupId, ...]]:
    """Return the path of every group."""
    return {group.id: group.path for group in snapshot.groups}
