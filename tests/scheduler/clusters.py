"""Generated clusters: small, crowded and awkward, with work already on them."""

from dataclasses import replace

from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.cached_content import CachedContent
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    PoolId,
    PoolView,
    QuotaView,
    Request,
    UserCounters,
    UserId,
    WorkloadId,
)
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from tests.scheduler.counting import after, recounted, without

POOLS = (
    PoolView(PoolId("development"), "development", slices_per_card=4, slice_mib=8192),
    PoolView(PoolId("training"), "training"),
)
GROUPS = tuple(
    GroupView(GroupId(path[-1]), path[-1], tuple(GroupId(name) for name in path))
    for path in (("lab",), ("lab", "speech"), ("lab", "vision"))
)
USERS = (UserId("li"), UserId("wang"))
LEAVES = (GroupId("speech"), GroupId("vision"))

MODELS = {"A": (frozenset({"bf16"}), 900), "B": (frozenset({"bf16", "fp8"}), 3000)}
"""Features and memory bandwidth (GB/s) of each model of cards."""

_mostly_ready = st.sampled_from([NodeState.READY] * 5 + [NodeState.UNREADY, NodeState.DRAINING])
_mostly_ok = st.sampled_from([AcceleratorState.OK] * 9 + [AcceleratorState.BAD])


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """A cluster on which an earlier cycle has placed work, some of it ended, and more waits."""
    early = replace(draw(sites()), pending=draw(queues("early")))
    busy = after(early, run_cycle(early, Millis(0)))
    for workload in busy.running:
        if draw(st.booleans()):
            busy = without(busy, workload.id)
    snapshot = replace(busy, pending=(*busy.pending, *draw(queues("late"))))
    return _with_lower_ceilings(snapshot) if draw(st.booleans()) else snapshot


@st.composite
def sites(draw: st.DrawFn) -> Snapshot:
    """Nodes, cards, groups and quotas without any work."""
    nodes, cards = [], []
    for number in range(draw(st.integers(1, 4))):
        pool = draw(st.sampled_from(POOLS))
        node = NodeId(f"n{number}")
        cpu, memory = draw(st.integers(0, 24)), draw(st.integers(0, 48))
        nodes.append(NodeView(node, node, draw(_mostly_ready), cpu * 1000, memory * 1024))
        for index in range(draw(st.integers(1, 4))):
            model = draw(st.sampled_from(["A", "A", "B"]))
            cards.append(
                AcceleratorView(
                    id=AcceleratorId(f"{node}.{index}"),
                    node=node,
                    pool=pool.id,
                    model=model,
                    memory_mib=32768,
                    state=draw(_mostly_ok),
                    slices=pool.slices_per_card,
                    index=index,
                    features=MODELS[model][0],
                    bandwidth_gbps=MODELS[model][1],
                )
            )
    return Snapshot(
        taken_at=Millis(0),
        pools=POOLS,
        nodes=tuple(nodes),
        accelerators=tuple(cards),
        groups=GROUPS,
        quotas=draw(_quotas()),
        cached=draw(_cached()),
        counters=draw(_counters()),
    )


@st.composite
def requests(draw: st.DrawFn, pool: PoolId) -> Request:
    """What a workload might ask for in a pool, from nothing to more than there is."""
    devices = draw(st.integers(0, 4))
    is_share = pool == "training" and draw(st.sampled_from([False, False, False, True]))
    return Request(
        replicas=draw(st.sampled_from([1, 1, 1, 2, 3])),
        gpus=devices if pool == "training" and not is_share else 0,
        gpu_milli=devices * 150 + 100 if is_share else 0,
        gpu_memory_mib=devices * 4096 if is_share else 0,
        slices=devices if pool == "development" else 0,
        cpu_milli=draw(st.integers(0, 8)) * 1000,
        memory_mib=draw(st.integers(0, 16)) * 1024,
        gpu_models=draw(
            st.sampled_from([frozenset(), frozenset(), frozenset("A"), frozenset("AB")])
        ),
        gpu_features=draw(st.sampled_from([frozenset(), frozenset(), frozenset({"fp8"})])),
        gpu_bandwidth_min_gbps=draw(st.sampled_from([0, 0, 800, 2000])),
    )


@st.composite
def queues(draw: st.DrawFn, prefix: str) -> tuple[PendingWorkload, ...]:
    """Up to eight waiting workloads."""
    queue = []
    for number in range(draw(st.integers(0, 8))):
        pool = draw(st.sampled_from(POOLS)).id
        queue.append(
            PendingWorkload(
                id=WorkloadId(f"{prefix}-{number}"),
                pool=pool,
                group=draw(st.sampled_from(LEAVES)),
                user=draw(st.sampled_from(USERS)),
                priority=draw(st.sampled_from([-100, 0, 0, 100])),
                submitted_at=Millis(draw(st.integers(0, 5))),
                request=draw(requests(pool)),
                version=number,
                time_limit_s=draw(st.sampled_from([1, 60, 3600])),
                preemptible=draw(st.booleans()),
                contents=draw(st.sampled_from([(), ("image:a",), ("image:a", "dataset:b@1")])),
                avoid=frozenset(
                    draw(
                        st.sets(
                            st.sampled_from([NodeId("n0"), NodeId("n1"), AcceleratorId("n0.0")]),
                            max_size=2,
                        )
                    )
                ),
            )
        )
    return tuple(queue)


@st.composite
def _quotas(draw: st.DrawFn) -> tuple[QuotaView, ...]:
    counted = [(resource, "") for resource in (Resource.GPU, Resource.CPU, Resource.GPU_MEMORY)]
    keys = st.tuples(
        st.sampled_from([group.id for group in GROUPS]),
        st.sampled_from([None, *(pool.id for pool in POOLS)]),
        st.sampled_from([*counted, *((Resource.GPU, model) for model in MODELS)]),
    )
    ceilings = st.none() | st.integers(0, 12).map(lambda amount: amount * 1000)
    return tuple(
        QuotaView(group, pool, resource, draw(ceilings), user_ceiling=draw(ceilings), model=model)
        for group, pool, (resource, model) in sorted(draw(st.sets(keys, max_size=6)), key=str)
    )


@st.composite
def _cached(draw: st.DrawFn) -> tuple[CachedContent, ...]:
    nodes = st.frozensets(st.sampled_from([NodeId("n0"), NodeId("n1"), NodeId("n2")]))
    return tuple(
        CachedContent(name, draw(st.integers(0, 20_000)), draw(nodes))
        for name in ("dataset:b@1", "image:a")
    )


@st.composite
def _counters(draw: st.DrawFn) -> tuple[UserCounters, ...]:
    members = [(user, group) for user in USERS for group in LEAVES]
    most = st.none() | st.integers(0, 3)
    return tuple(UserCounters(*member, running_max=draw(most)) for member in members)


def _with_lower_ceilings(snapshot: Snapshot) -> Snapshot:
    """Cut every ceiling by half: what runs stays, and some groups are over."""
    return recounted(
        replace(
            snapshot,
            quotas=tuple(
                row if row.ceiling is None else replace(row, ceiling=row.ceiling // 2)
                for row in snapshot.quotas
            ),
        )
    )
