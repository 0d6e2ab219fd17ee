"""Worlds and the rule of expected starts: they never contradict a promise, whatever waits and runs."""

from dataclasses import replace

from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis, PendingWorkload, PoolView, RunningWorkload
from scheduler.core.model.plan import Hold, Plan
from scheduler.core.model.policy import PoolPolicy, QueueRule
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.counting import recounted
from tests.scheduler.fairness.worlds import worlds

_STARTING = None
"""The end of work that is being set up is not known."""


@st.composite
def busy_worlds(draw: st.DrawFn) -> Snapshot:
    """A crowded pool whose policy, ends, protected run times, ceilings and learned times vary."""
    world = draw(worlds((1, 2, 3), waiting=3, busy=80))
    policy = PoolPolicy(
        queue=draw(st.sampled_from([QueueRule.BEST_EFFORT, QueueRule.STRICT])),
        backfill_depth=draw(st.sampled_from([1, 2, 8])),
        min_runtime_s=draw(st.sampled_from([0, 600])),
        reclaim_min_runtime_s=draw(st.sampled_from([0, 600])),
        grace_s=draw(st.sampled_from([0, 60])),
    )
    [pool] = world.pools
    ceiling = st.sampled_from([None, None, 2000, 4000])
    return recounted(
        replace(
            world,
            pools=(PoolView(pool.id, pool.name, policy=policy),),
            running=tuple(_running(draw, work, world.taken_at) for work in world.running),
            pending=tuple(_pending(draw, work) for work in world.pending),
            quotas=tuple(
                replace(row, ceiling=max(most, row.deserved, row.guarantee) if most else None)
                for row in world.quotas
                for most in (draw(ceiling),)
            ),
        )
    )


def _running(draw: st.DrawFn, work: RunningWorkload, now: Millis) -> RunningWorkload:
    began = Millis(now - draw(st.sampled_from([0, 60, 900])) * 1000)
    limit_s = draw(st.sampled_from([300, 3600, 7200]))
    if draw(st.integers(0, 7)) == 0:
        return replace(work, started_at=None, ends_at=_STARTING, time_limit_s=limit_s)
    ends = Millis(began + limit_s * 1000)
    expected = draw(st.sampled_from([None, Millis(min(ends, now + 120_000))]))
    return replace(work, started_at=began, ends_at=ends, expected_end=expected or ends)


def _pending(draw: st.DrawFn, work: PendingWorkload) -> PendingWorkload:
    return replace(work, expected_s=draw(st.sampled_from([None, 60, 900])))


def expected_starts_contradict_no_promise(world: Snapshot) -> None:
    """Every expected start agrees with the promises and the reasons of the same plan."""
    plan = run_cycle(world, world.taken_at)
    promised = {each.workload: each.starts_at for each in plan.reservations}
    for hold in plan.holds:
        _check_range(hold, plan)
        if hold.workload in promised:
            _check_promise(hold, promised[hold.workload], plan)
    if world.pools[0].policy.queue is QueueRule.STRICT:
        _check_strict(plan)
    _check_evictions(plan)


def _check_range(hold: Hold, plan: Plan) -> None:
    if hold.expected is None:
        return
    assert plan.made_at <= hold.expected.earliest <= hold.expected.latest, hold
    for reason in hold.reasons:
        if reason.code is ReasonCode.PROTECTED_RUN_TIME:
            assert hold.expected.latest >= int(reason.params["ends_at"]), hold


def _check_promise(hold: Hold, starts_at: Millis, plan: Plan) -> None:
    """What is promised has an expected start, and not after the promise."""
    assert hold.expected is not None, f"{hold.workload} is promised and not expected"
    assert hold.expected.latest <= starts_at, (hold, starts_at, plan.made_at)


def _check_strict(plan: Plan) -> None:
    """In a strict queue what waits for capacity only is expected in the order of the queue."""
    short = (ReasonCode.INSUFFICIENT_NOW, ReasonCode.FRAGMENTED, ReasonCode.BEHIND_RESERVATION)
    waits = [
        hold.expected.latest
        for hold in plan.holds
        if hold.expected is not None and all(reason.code in short for reason in hold.reasons)
    ]
    assert waits == sorted(waits), plan.holds


def _check_evictions(plan: Plan) -> None:
    """Work for which all others leave now starts when their grace is over, at the latest."""
    leaving = {each.beneficiary: each.grace_s for each in plan.evictions if each.beneficiary}
    for hold in plan.holds:
        if hold.workload in leaving:
            assert hold.expected is not None, hold
            grace_ms = leaving[hold.workload] * 1000
            assert hold.expected.latest <= plan.made_at + grace_ms, hold
