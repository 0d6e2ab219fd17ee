"""A promised start is the earliest there is, is kept, and idles nothing that it does not need.

The promise of one cycle is checked against a replay by brute force: time goes from end to end, and
at each of them the head of the queue is tried alone on what is left. The promises of a whole run
are checked against each other and against what came true.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.model.plan import Plan, PlannedReservation
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import NodeState
from scheduler.core.ordering.fair_share_state import FairShareState
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.whatif.engine import Hooks, Job, SimulationEngine
from tests.scheduler.clusters import sites
from tests.scheduler.counting import after, recounted
from tests.scheduler.scenario import snapshot_of

SECOND = 1000
HOUR = 3600 * SECOND


@st.composite
def clusters(draw: st.DrawFn) -> Snapshot:
    """Full nodes whose holders end one after the other, and a queue of all sizes."""
    sliced = draw(st.booleans())
    pool, unit = ("training: 4 slices of 8192 MiB", "slices") if sliced else ("training", "cards")
    nodes: list[str] = []
    running: list[str] = []
    for node in range(draw(st.integers(1, 3))):
        nodes.append(f"n{node}: 4 cards, 16 cpu")
        for card in range(4 if sliced else 1):
            left = 4 - draw(st.integers(0, 2))
            while left > 0:
                held = draw(st.integers(1, left))
                left -= held
                where = f"n{node} card {card}" if sliced else f"n{node}"
                cpu, end = draw(st.integers(0, 1)), draw(st.integers(1, 9))
                name = f"r{len(running)}"
                running.append(f"{name}: {held} {unit}, {cpu} cpu, on {where}, ends in {end} s")
    waiting = [
        f"w{number}: {draw(st.integers(1, 4))} {unit}, {draw(st.integers(1, len(nodes)))} ranks, "
        f"{draw(st.integers(0, 6))} cpu, limit {draw(st.integers(1, 9))}"
        for number in range(draw(st.integers(2, 7)))
    ]
    form = {"pools": [pool], "nodes": nodes, "running": running, "waiting": waiting}
    return snapshot_of(form)


@settings(max_examples=60)
@given(clusters())
def test_a_promised_start_comes_true_beside_all_that_was_let_pass(snapshot: Snapshot) -> None:
    plan = run_cycle(snapshot, Millis(0))

    then = _started(snapshot, plan)
    for promise in plan.reservations:
        assert _starts_alone(then, promise.workload, promise.starts_at)


@settings(max_examples=60)
@given(clusters())
def test_no_start_is_promised_later_than_it_need_be(snapshot: Snapshot) -> None:
    plan = run_cycle(snapshot, Millis(0))

    for promise in plan.reservations:
        ahead = _without_those_that_passed(snapshot, plan, promise)
        for moment in _ends(ahead):
            if moment < promise.starts_at:
                assert not _starts_alone(ahead, promise.workload, moment)


@settings(max_examples=60)
@given(clusters())
def test_what_waits_behind_a_promise_would_delay_it_or_does_not_fit(snapshot: Snapshot) -> None:
    """Room that the promise does not need is never idle: whoever could use it has it."""
    plan = run_cycle(snapshot, Millis(0))

    then = _started(snapshot, plan)
    for promise in plan.reservations:
        for work in then.pending:
            harmless = work.pool == promise.pool and work.id != promise.workload
            limit_s = work.time_limit_s
            if harmless and limit_s is not None and limit_s * SECOND <= promise.starts_at:
                assert not _starts_alone(then, work.id, Millis(0))


@settings(max_examples=30)
@given(clusters())
def test_what_is_promised_is_what_is_expected(snapshot: Snapshot) -> None:
    plan = run_cycle(snapshot, Millis(0))

    expected = {hold.workload: hold.expected for hold in plan.holds}
    for promise in plan.reservations:
        told = expected[promise.workload]
        assert told is not None
        assert 0 <= told.earliest <= told.latest == promise.starts_at


@settings(max_examples=15)
@given(sites(), st.data())
def test_a_promise_never_moves_back_and_every_head_starts(
    site: Snapshot, data: st.DataObject
) -> None:
    healthy = _healthy(site)
    jobs = data.draw(_jobs(healthy))
    first: dict[WorkloadId, Millis] = {}
    last: dict[WorkloadId, Millis] = {}

    def watch(plan: Plan) -> None:
        for promise in plan.reservations:
            before = last.get(promise.workload, promise.starts_at)
            assert promise.starts_at <= before
            first.setdefault(promise.workload, promise.starts_at)
            last[promise.workload] = promise.starts_at

    outcome = SimulationEngine(healthy, hooks=Hooks(plan=watch)).run(jobs)

    assert len(outcome.finished) == len(jobs)
    for record in outcome.records:
        promised = first.get(record.workload.id)
        assert promised is None or (record.started or 0) <= promised


def test_without_promises_the_same_work_lets_a_big_job_starve() -> None:
    """What the promises are good for: the same stream, with a depth of one and of none."""
    waits = {}
    for depth in (0, 1):
        pool = PoolPolicy(backfill_depth=depth)
        site = snapshot_of({"nodes": ["n1: 4 cards"]})
        site = replace(site, pools=tuple(replace(each, policy=pool) for each in site.pools))
        stream = [
            _job(site, f"small-{number}", number * 300 * SECOND, "2 cards", 1000)
            for number in range(60)
        ]
        big = _job(site, "big", 1, "4 cards", 1000)
        outcome = SimulationEngine(site).run([*stream, big])
        waits[depth] = next(r.wait_s for r in outcome.records if r.workload.id == "big")

    assert waits[1] <= 1000
    assert waits[0] > 10 * waits[1]


def test_a_promise_survives_work_that_ends_early_and_nodes_that_break() -> None:
    site = snapshot_of(
        {
            "nodes": ["n1: 4 cards", "n2: 4 cards"],
            "running": ["a: 4 cards on n1, ends in 600 s", "b: 4 cards on n2, ends in 900 s"],
            "waiting": ["big: 4 cards"],
        }
    )
    broken = replace(
        site,
        nodes=tuple(
            replace(node, state=NodeState.UNREADY) if node.id == "n1" else node
            for node in site.nodes
        ),
    )

    promised = [run_cycle(each, Millis(0)).reservations[0] for each in (site, broken)]

    assert [(each.starts_at, each.nodes) for each in promised] == [
        (600 * SECOND, (("n1", 1),)),
        (900 * SECOND, (("n2", 1),)),
    ]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_as_many_starts_are_promised_as_the_pool_says(depth: int) -> None:
    snapshot = snapshot_of(
        {
            "pools": [f"training: depth {depth}"],
            "nodes": ["n1: 4 cards"],
            "running": ["a: 4 cards on n1, ends in 600 s"],
            "waiting": [f"w{number}: 4 cards, limit 100" for number in range(5)],
        }
    )

    promises = run_cycle(snapshot, Millis(0)).reservations

    starts = [600 * SECOND, 700 * SECOND, 800 * SECOND][:depth]
    assert [promise.starts_at for promise in promises] == starts


def _started(snapshot: Snapshot, plan: Plan) -> Snapshot:
    """Return the snapshot with everything placed, each with the end that its limit gives."""
    limits = {work.id: work.time_limit_s or 0 for work in snapshot.pending}
    then = after(snapshot, plan)
    return replace(
        then,
        running=tuple(
            replace(work, started_at=Millis(0), ends_at=Millis(limits[work.id] * SECOND))
            if work.id in limits
            else work
            for work in then.running
        ),
    )


def _without_those_that_passed(
    snapshot: Snapshot, plan: Plan, promise: PlannedReservation
) -> Snapshot:
    """Return what the promise was made on: only work that was called before it has started."""
    line = [
        work.id for work in sort_queue(snapshot.pending, FairShareState.from_snapshot(snapshot))
    ]
    called = set(line[: line.index(promise.workload)])
    earlier = tuple(place for place in plan.starts if place.workload in called)
    return _started(snapshot, replace(plan, starts=earlier))


def _starts_alone(snapshot: Snapshot, name: WorkloadId, moment: Millis) -> bool:
    """Let everything end that has ended by then, and try the workload as the only one that waits."""
    item = next(work for work in snapshot.pending if work.id == name)
    rest = tuple(work for work in snapshot.running if (work.ends_at or 0) > moment)
    alone = recounted(replace(snapshot, running=rest, pending=(item,), taken_at=moment))
    return bool(run_cycle(alone, moment).starts)


def _ends(snapshot: Snapshot) -> list[Millis]:
    return [Millis(0), *sorted({Millis(work.ends_at or 0) for work in snapshot.running})]


def _healthy(site: Snapshot) -> Snapshot:
    """Return the site with all nodes in use and one tenant: what can start must start."""
    return replace(
        site,
        nodes=tuple(
            replace(node, state=NodeState.READY, cpu_milli=24000, memory_mib=49152)
            for node in site.nodes
        ),
        quotas=(),
        counters=(),
    )


@st.composite
def _jobs(draw: st.DrawFn, site: Snapshot) -> list[Job]:
    """Work that fits the site when it is empty, and ends by its limit or before."""
    cards: dict[str, int] = {}
    for card in site.accelerators:
        if card.pool == "training" and card.state == "ok":
            cards[card.node] = cards.get(card.node, 0) + 1
    largest = max(cards.values(), default=0)
    nodes = sum(1 for count in cards.values() if count == largest)
    jobs = []
    for number in range(draw(st.integers(1, 12)) if largest else 0):
        ranks = draw(st.integers(1, nodes))
        request = f"{draw(st.integers(1, largest))} cards, {ranks} ranks"
        limit = draw(st.integers(1, 9))
        work = draw(st.integers(1, limit))
        jobs.append(
            _job(site, f"j{number}", draw(st.integers(0, 9)) * SECOND, request, limit, work)
        )
    return jobs


def _job(
    site: Snapshot, name: str, at: int, request: str, limit_s: int, work_s: int | None = None
) -> Job:
    form = {"nodes": ["n: 1 cards"], "waiting": [f"{name}: {request}, limit {limit_s}"]}
    work = snapshot_of(form).pending[0]
    group = site.groups[-1].id
    return Job(replace(work, submitted_at=Millis(at), group=group), (work_s or limit_s) * SECOND)
