"""Generated sites with two pools that lend and fall back, crowded with work that may have to leave."""

from hypothesis import strategies as st

from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
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
    UserId,
    WorkloadId,
)
from scheduler.core.model.policy import LendingPolicy, PoolPolicy
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.model.work_traits import JOB
from scheduler.whatif.people import NOTEBOOK
from tests.scheduler.counting import recounted

NOW = Millis(1_000_000_000)
DEVELOPMENT, TRAINING = PoolId("development"), PoolId("training")
SLICES = 4
GROUPS = (GroupId("speech"), GroupId("vision"))


@st.composite
def worlds(draw: st.DrawFn, waiting_max: int = 5) -> Snapshot:
    """A site on which most cards are held, partly by borrowers, and some work waits."""
    pools = (_development(draw), _training(draw))
    cards: list[AcceleratorView] = []
    nodes: list[NodeView] = []
    for number in range(draw(st.integers(2, 4))):
        pool = pools[number % 2]
        node = NodeId(f"n{number}")
        nodes.append(NodeView(node, node, NodeState.READY, draw(st.sampled_from([6000, 64000])), 1))
        cards += [
            AcceleratorView(
                id=AcceleratorId(f"{node}.{index}"),
                node=node,
                pool=pool.id,
                model="A",
                memory_mib=32768,
                state=AcceleratorState.OK,
                slices=pool.slices_per_card,
                index=index,
            )
            for index in range(draw(st.integers(1, 4)))
        ]
    return recounted(
        Snapshot(
            taken_at=NOW,
            pools=pools,
            nodes=tuple(nodes),
            accelerators=tuple(cards),
            groups=tuple(GroupView(group, group, (group,)) for group in GROUPS),
            quotas=_quotas(draw),
            running=_running(draw, cards),
            pending=tuple(
                draw(_pending(number)) for number in range(draw(st.integers(1, waiting_max)))
            ),
        )
    )


def _development(draw: st.DrawFn) -> PoolView:
    lending = LendingPolicy(to_pools=frozenset({TRAINING}), keep_gpus=draw(st.integers(0, 2)))
    return PoolView(DEVELOPMENT, DEVELOPMENT, True, SLICES, 4096, PoolPolicy(lending=lending))


def _training(draw: st.DrawFn) -> PoolView:
    policy = PoolPolicy(
        fall_back=draw(st.sampled_from([(), (), (DEVELOPMENT,)])),
        consolidate=draw(st.booleans()),
        reclaim=draw(st.booleans()),
        reclaim_min_runtime_s=draw(st.sampled_from([0, 600])),
        victims_max=draw(st.sampled_from([1, 64])),
    )
    return PoolView(TRAINING, TRAINING, policy=policy)


def _quotas(draw: st.DrawFn) -> tuple[QuotaView, ...]:
    """Draw quotas of single pools and over all pools, many with a ceiling that is soon reached."""
    return tuple(
        QuotaView(
            group,
            pool,
            Resource.GPU,
            ceiling=draw(st.sampled_from([None, None, 3000])),
            guarantee=draw(st.sampled_from([0, 0, 1000])),
            deserved=draw(st.integers(1, 4)) * 1000,
        )
        for group in GROUPS
        for pool in (DEVELOPMENT, TRAINING, None)
        if draw(st.booleans())
    )


def _running(draw: st.DrawFn, cards: list[AcceleratorView]) -> tuple[RunningWorkload, ...]:
    """Let something hold most of the cards: notebooks a few slices, the rest one card each."""
    running = []
    for card in cards:
        kind = draw(st.sampled_from(["own", "own", "borrower", "nothing"]))
        if kind == "nothing" or (kind == "borrower" and card.slices == 1):
            continue
        is_notebook = kind == "own" and card.slices > 1
        cut = draw(st.integers(1, card.slices)) if is_notebook else card.slices
        parts = [(0, cut), (cut, card.slices)] if is_notebook else [(0, cut)]
        running += [
            _holding(
                draw, card, range(*part), is_notebook=is_notebook, is_borrower=kind == "borrower"
            )
            for part in parts
            if part[0] < part[1] and (part[0] == 0 or draw(st.booleans()))
        ]
    return tuple(running)


def _holding(
    draw: st.DrawFn, card: AcceleratorView, slots: range, *, is_notebook: bool, is_borrower: bool
) -> RunningWorkload:
    began = NOW - draw(st.sampled_from([60, 700, 3600, 90000])) * 1000
    return RunningWorkload(
        id=WorkloadId(f"run-{card.id}-{slots.start}"),
        pool=DEVELOPMENT if is_notebook else TRAINING,
        group=draw(st.sampled_from(GROUPS)),
        user=UserId("li"),
        priority=draw(st.sampled_from([0, 0, 100])),
        request=Request(slices=len(slots)) if is_notebook else Request(gpus=1, cpu_milli=1000),
        placements=(Placement(card.node, tuple((card.id, slot) for slot in slots)),),
        ends_at=Millis(NOW + 86_400_000),
        version=draw(st.integers(0, 9)),
        started_at=Millis(began),
        preemptible=is_borrower or draw(st.booleans()),
        checkpointed_at=draw(st.sampled_from([None, Millis(NOW - 30_000)])),
        traits=NOTEBOOK if is_notebook else JOB,
    )


@st.composite
def _pending(draw: st.DrawFn, number: int) -> PendingWorkload:
    pool = draw(st.sampled_from([DEVELOPMENT, TRAINING]))
    size = draw(st.integers(1, 3))
    request = (
        Request(slices=size, cpu_milli=1000)
        if pool == DEVELOPMENT
        else Request(gpus=size, replicas=draw(st.integers(1, 2)), cpu_milli=1000)
    )
    return PendingWorkload(
        id=WorkloadId(f"wait-{number}"),
        pool=pool,
        group=draw(st.sampled_from(GROUPS)),
        user=UserId(draw(st.sampled_from(["li", "wang"]))),
        priority=draw(st.sampled_from([0, 100])),
        submitted_at=Millis(NOW - draw(st.integers(0, 3)) * 1000),
        request=request,
        version=0,
        time_limit_s=7200,
        preemptible=draw(st.booleans()),
        traits=NOTEBOOK if pool == DEVELOPMENT else JOB,
    )
