"""The event loop: what is told is what happens, at its time, and the same again."""

from dataclasses import replace

import pytest

from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.policy import JobOrder, PoolPolicy
from scheduler.core.model.snapshot import Snapshot
from scheduler.whatif.engine import Costs, Hooks, Job, SimulationEngine
from tests.scheduler.scenario import snapshot_of

SECOND = 1000


def site(*nodes: str, policy: PoolPolicy | None = None) -> Snapshot:
    empty = snapshot_of({"nodes": list(nodes)})
    if policy is None:
        return empty
    return replace(empty, pools=tuple(replace(pool, policy=policy) for pool in empty.pools))


def job(phrase: str, at_s: int, work_s: int, checkpoint_s: int | None = None) -> Job:
    work = snapshot_of({"nodes": ["n: 1 cards"], "waiting": [phrase]}).pending[0]
    checkpoint = None if checkpoint_s is None else checkpoint_s * SECOND
    return Job(replace(work, submitted_at=Millis(at_s * SECOND)), work_s * SECOND, checkpoint)


TURNS = PoolPolicy(order=JobOrder.LEAST_SERVED, turn_s=100, grace_s=0)


def test_jobs_wait_for_each_other_and_are_measured() -> None:
    outcome = SimulationEngine(site("n1: 2 cards")).run(
        [job("a: 2 cards", 0, 100), job("b: 1 cards", 10, 50), job("c: 1 cards", 20, 50)]
    )

    assert [record.wait_s for record in outcome.records] == [0, 90, 80]
    assert outcome.mean_wait_s == pytest.approx(170 / 3)
    assert outcome.longest_wait_s == 90
    assert outcome.mean_completion_s == pytest.approx((100 + 140 + 130) / 3)
    assert outcome.gpu_hours == pytest.approx(300 / 3600)
    assert outcome.utilisation() == pytest.approx(1.0)


def test_a_start_takes_the_time_that_it_costs() -> None:
    engine = SimulationEngine(site("n1: 1 cards"), costs=Costs(start_up=lambda _: 30 * SECOND))

    outcome = engine.run([job("a: 1 cards, limit 1000", 0, 100)])

    assert outcome.records[0].completion_s == 130


def test_work_is_ended_by_its_limit() -> None:
    outcome = SimulationEngine(site("n1: 1 cards")).run([job("a: 1 cards, limit 60", 0, 100)])

    assert outcome.records[0].completion_s == 60


def test_evicted_work_goes_on_where_it_was_saved_and_pays_for_it() -> None:
    costs = Costs(restart=lambda _: 7 * SECOND)
    jobs = [
        job("long: 1 cards, preemptible, limit 9000", 0, 1000),
        job("short: 1 cards, preemptible, limit 9000", 200, 50),
    ]

    outcome = SimulationEngine(site("n1: 1 cards", policy=TURNS), costs=costs).run(jobs)

    long, short = outcome.records
    assert long.evictions == [EvictionCause.PREEMPTED]
    assert short.completion_s == 50
    assert long.completion_s == 1000 + 50 + 7
    assert long.idle_s == 50


def test_what_was_not_saved_is_done_again() -> None:
    jobs = [
        job("long: 1 cards, preemptible, limit 9000", 0, 1000, checkpoint_s=150),
        job("short: 1 cards, preemptible, limit 9000", 200, 50),
    ]

    outcome = SimulationEngine(site("n1: 1 cards", policy=TURNS)).run(jobs)

    assert outcome.records[0].completion_s == 1000 + 50 + 50


def test_grace_is_used_before_the_place_is_taken() -> None:
    policy = replace(TURNS, grace_s=30)
    jobs = [
        job("long: 1 cards, preemptible, limit 9000", 0, 1000),
        job("short: 1 cards, preemptible, limit 9000", 200, 50),
    ]

    outcome = SimulationEngine(site("n1: 1 cards", policy=policy)).run(jobs)

    assert outcome.records[1].wait_s == 30


def test_the_core_is_asked_again_while_work_waits() -> None:
    """Nothing happens when a turn is over; only somebody who looks now and then notices."""
    asked: list[int] = []
    hooks = Hooks(plan=lambda plan: asked.append(plan.made_at // SECOND), every_ms=60 * SECOND)
    jobs = [
        job("long: 1 cards, preemptible, limit 9000", 0, 1000),
        job("short: 1 cards, preemptible, limit 9000", 30, 50),
    ]

    outcome = SimulationEngine(site("n1: 1 cards", policy=TURNS), hooks=hooks).run(jobs)

    assert outcome.records[1].wait_s == 120
    assert {30, 90, 150} <= set(asked)


def test_the_same_demand_gives_the_same_outcome_in_any_order() -> None:
    jobs = [
        job(f"j{n}: {n % 3 + 1} cards, preemptible", n * 7 % 40, n % 5 * 90 + 60) for n in range(40)
    ]

    runs = [
        SimulationEngine(site("n1: 4 cards", "n2: 4 cards", policy=TURNS)).run(order)
        for order in (jobs, list(reversed(jobs)))
    ]

    assert [record.ended for record in runs[0].records] == [r.ended for r in runs[1].records]
    assert runs[0].moments == runs[1].moments


def test_work_that_no_node_can_ever_take_is_named() -> None:
    with pytest.raises(ValueError, match="1 jobs never start on this site: wide"):
        SimulationEngine(site("n1: 2 cards")).run([job("wide: 3 cards", 0, 10)])


def test_a_run_that_is_cut_short_counts_what_was_held() -> None:
    outcome = SimulationEngine(site("n1: 2 cards")).run(
        [job("a: 1 cards", 0, 1000)], until_ms=100 * SECOND
    )

    assert outcome.finished == ()
    assert outcome.gpu_hours == pytest.approx(100 / 3600)
    assert outcome.utilisation() == pytest.approx(0.5)
