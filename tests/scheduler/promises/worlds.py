"""Sites with pools, groups, reservations and lending, and everything that happens on them, by a seed.

What a world says that the platform cannot know (how long work really runs, how slowly it leaves,
which nodes fall silent) is used by `tests.scheduler.promises.play` alone.
"""

from dataclasses import dataclass
from random import Random
from typing import Final

from scheduler.core.model.advance_reservations import AdvanceReservationView, ReservationId
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
    UserId,
    WorkloadId,
)
from scheduler.core.model.policy import OverQuotaWeight
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.model.work_traits import JOB
from scheduler.whatif.people import NOTEBOOK
from tests.scheduler.promises.rules import (
    BEGIN,
    DEVELOPMENT,
    SLICES,
    TRAINING,
    draw_policies,
    draw_windows,
    edges_of,
)

TREES: Final = (
    (("a",), ("b",), ("c",)),
    (("x",), ("x", "a"), ("x", "b"), ("y",), ("y", "c")),
)
USERS: Final = (UserId("li"), UserId("wang"), UserId("zhao"))


@dataclass(frozen=True, slots=True)
class Leaving:
    """How work leaves once it was given notice."""

    of_grace_pct: int = 0
    """It ends by itself after so much of its grace; 100 or more ignores the notice."""
    kill_s: int = 0
    """So long after the grace it is gone."""


@dataclass(frozen=True, slots=True)
class Job:
    """One workload as it is submitted, and what only the world knows of it."""

    workload: PendingWorkload
    runs_s: int
    """How long an attempt runs if nothing stops it."""
    starts_s: tuple[int, ...]
    """How long each attempt is set up; the last value counts for all that follow."""
    leaving: Leaving
    fails_after_s: tuple[int, ...] = ()
    """Its first attempts fail so long after they have started, and are tried again."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A stretch in which a node is silent: nothing on it is heard of or can be stopped."""

    node: NodeId
    start: Millis
    end: Millis


@dataclass(frozen=True, slots=True)
class Booking:
    """A reservation that somebody asks for; the devices are chosen then, or it is refused."""

    at: Millis
    wanted: AdvanceReservationView
    count: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Budget:
    """So many GPU-seconds that a group may use in each period."""

    group: GroupId
    limit: int
    period_s: int


@dataclass(frozen=True, slots=True)
class World:
    """A site and its story."""

    seed: int
    site: Snapshot
    jobs: tuple[Job, ...]
    outages: tuple[Outage, ...]
    bookings: tuple[Booking, ...]
    until: Millis
    pass_every_s: int
    """The scheduler looks after each event, and at least so often while something goes on."""
    budgets: tuple[Budget, ...] = ()


def make_world(seed: int) -> World:
    """Return the world of a seed, always the same."""
    draw = Random(seed)
    hours = draw.choice([*[1] * 4, *[2] * 3, 4, 30])
    pools = draw_policies(draw, hours * 60)
    nodes = _draw_nodes(draw, pools)
    cards = tuple(_draw_cards(draw, nodes, pools))
    groups = tuple(
        GroupView(GroupId(path[-1]), path[-1], tuple(map(GroupId, path)))
        for path in draw.choice(TREES)
    )
    until = Millis(BEGIN + hours * 3_600_000)
    bookings = tuple(_draw_bookings(draw, pools, cards, groups, until))
    site = Snapshot(
        taken_at=BEGIN,
        pools=pools,
        nodes=tuple(NodeView(node, node, NodeState.READY, 64_000, 10**6) for node in nodes),
        accelerators=cards,
        groups=groups,
        quotas=tuple(_draw_quotas(draw, groups, cards)),
    )
    edges = edges_of(pools, [booking.wanted for booking in bookings], until)
    jobs = tuple(_draw_job(draw, n, site, edges, until) for n in range(draw.randint(8, 30)))
    outages = tuple(_draw_outages(draw, nodes, until))
    return World(seed, site, jobs, outages, bookings, until, draw.choice([5, 20]))


def leaves_of(groups: tuple[GroupView, ...]) -> list[GroupId]:
    """Return the groups that have none below them."""
    above = {name for group in groups for name in group.path[:-1]}
    return [group.id for group in groups if group.id not in above]


def _draw_nodes(draw: Random, pools: tuple[PoolView, ...]) -> dict[NodeId, PoolId]:
    return {
        NodeId(f"{pool.id[0]}{number}"): pool.id
        for pool in pools
        for number in range(draw.randint(1, 2))
    }


def _draw_cards(
    draw: Random, nodes: dict[NodeId, PoolId], pools: tuple[PoolView, ...]
) -> list[AcceleratorView]:
    slices = {pool.id: pool.slices_per_card for pool in pools}
    return [
        AcceleratorView(
            id=AcceleratorId(f"{node}.{index}"),
            node=node,
            pool=pool,
            model="A",
            memory_mib=32768,
            state=AcceleratorState.OK,
            slices=slices[pool],
            index=index,
        )
        for node, pool in nodes.items()
        for index in range(draw.randint(1, 4))
    ]


def _draw_quotas(
    draw: Random, groups: tuple[GroupView, ...], cards: tuple[AcceleratorView, ...]
) -> list[QuotaView]:
    """Promise no more than there is; a few groups have a ceiling, many nothing."""
    left = sum(card.pool == TRAINING for card in cards)
    rows = []
    for group in draw.sample(groups, len(groups)):
        if len(group.path) > 1 or draw.random() < 0.3:
            continue
        deserved = draw.randint(0, left)
        left -= deserved
        ceiling = draw.choice([*[None] * 6, max(deserved, 2)])
        rows.append(
            QuotaView(
                group=group.id,
                pool=TRAINING,
                resource=Resource.GPU,
                ceiling=None if ceiling is None else ceiling * 1000,
                guarantee=draw.choice([0, 0, deserved]) * 1000,
                deserved=deserved * 1000,
                weight=draw.choice(list(OverQuotaWeight)),
            )
        )
    return rows


def _draw_bookings(
    draw: Random,
    pools: tuple[PoolView, ...],
    cards: tuple[AcceleratorView, ...],
    groups: tuple[GroupView, ...],
    until: Millis,
) -> list[Booking]:
    found = []
    for number in range(draw.choice([0, 1, 1, 2])):
        pool = draw.choice(pools)
        whole = pool.id != DEVELOPMENT or draw.random() < 0.3
        size = sum(card.pool == pool.id for card in cards) * (1 if whole else SLICES)
        wanted = AdvanceReservationView(
            id=ReservationId(f"course-{number}"),
            name=f"course-{number}",
            pool=pool.id,
            group=draw.choice(groups).id,
            devices=(),
            windows=draw_windows(draw, until),
            users=draw.choice([frozenset[UserId](), frozenset(USERS[:1])]),
        )
        at = (
            BEGIN
            if draw.random() < 0.7
            else wanted.windows[0].start - draw.randint(60, 1800) * 1000
        )
        found.append(Booking(Millis(max(at, BEGIN)), wanted, draw.randint(1, size), whole))
    return found


def _draw_job(draw: Random, number: int, site: Snapshot, edges: list[Millis], until: Millis) -> Job:
    """Draw one workload; every second is submitted shortly before or after an edge of some window."""
    pool = draw.choice([*(pool.id for pool in site.pools), TRAINING])
    kind = "environment" if pool == DEVELOPMENT and draw.random() < 0.8 else "training"
    at = draw.randint(BEGIN, (BEGIN + until) // 2)
    if edges and draw.random() < 0.5:
        at = draw.choice(edges) - draw.randint(-120, 1500) * 1000
    limit_s = draw.choice([60, 300, 900, 1800, 3600, 86_400])
    if kind == "environment":
        limit_s = draw.choice([3600, 43_200])
    workload = PendingWorkload(
        id=WorkloadId(f"{kind[0]}{number:02}"),
        pool=pool,
        group=draw.choice(leaves_of(site.groups)),
        user=draw.choice(USERS),
        priority=draw.choice([0, 0, 0, 100]),
        submitted_at=Millis(min(max(at, BEGIN), until)),
        request=_draw_request(draw, pool, kind),
        version=0,
        time_limit_s=limit_s,
        preemptible=draw.random() < (0.5 if kind == "environment" else 0.75),
        traits=NOTEBOOK if kind == "environment" else JOB,
    )
    runs_s = draw.choice([limit_s // 10, limit_s // 2, limit_s, 2 * limit_s])
    setups = draw.choice([(0,), (1,), (5, 1), (60, 10), (400, 30)])
    fails = draw.choice([(), (), (), (), (30,), (5, 5)])
    return Job(workload, max(runs_s, 1), setups, _draw_leaving(draw), fails)


def _draw_request(draw: Random, pool: PoolId, kind: str) -> Request:
    if kind == "environment" or (pool == DEVELOPMENT and draw.random() < 0.5):
        return Request(slices=draw.randint(1, SLICES), cpu_milli=1000)
    if pool == DEVELOPMENT:
        return Request(gpus=1, cpu_milli=1000)
    sizes = draw.choice([(1, 1), (1, 1), (2, 1), (1, 2), (4, 1), (2, 2)])
    return Request(gpus=sizes[0], replicas=sizes[1], cpu_milli=1000)


def _draw_leaving(draw: Random) -> Leaving:
    """Most end within their grace; some are killed after it, and a few are stuck for minutes."""
    if draw.random() < 0.6:
        return Leaving(draw.choice([0, 0, 10, 50, 99]))
    return Leaving(100, draw.choice([0, 2, 10, 45, 300, 1500]))


def _draw_outages(draw: Random, nodes: dict[NodeId, PoolId], until: Millis) -> list[Outage]:
    found = []
    for node in nodes:
        if draw.random() < 0.15:
            start = draw.randint(BEGIN, until)
            length_ms = draw.choice([20, 90, 600, 3000]) * 1000
            found.append(Outage(node, Millis(start), Millis(start + length_ms)))
    return found
