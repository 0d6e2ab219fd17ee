"""What holds for every eviction plan: whole, minimal, lawful, and never to and fro."""

import random
from collections import Counter, defaultdict
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.actions.victims import is_evictable, lost_gpu_milli_s
from scheduler.core.cycle import run_cycle
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, RunningWorkload, WorkloadId
from scheduler.core.model.plan import EvictionCause, Plan, PlannedEviction
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.core.actions.worlds import DEVELOPMENT, SLICES, TRAINING, worlds
from tests.scheduler.counting import recounted
from tests.scheduler.fairness.play import applied, settled


def plan_of(snapshot: Snapshot) -> Plan:
    return run_cycle(snapshot, snapshot.taken_at)


def without(snapshot: Snapshot, gone: set[WorkloadId]) -> Snapshot:
    stay = tuple(work for work in snapshot.running if work.id not in gone)
    return recounted(replace(snapshot, running=stay))


@settings(max_examples=20)
@given(worlds())
def test_every_beneficiary_starts_once_its_victims_are_gone(snapshot: Snapshot) -> None:
    plan = plan_of(snapshot)

    then = plan_of(applied(snapshot, plan))

    promised = {evict.beneficiary for evict in plan.evictions if evict.beneficiary}
    assert promised <= {place.workload for place in then.starts}


@settings(max_examples=20)
@given(worlds(waiting_max=1))
def test_no_victim_could_have_stayed(snapshot: Snapshot) -> None:
    victims = {evict.workload for evict in plan_of(snapshot).evictions if evict.beneficiary}

    for spared in victims:
        almost = without(snapshot, victims - {spared})
        assert plan_of(almost).starts == ()


@settings(max_examples=20)
@given(worlds())
def test_only_who_may_leave_has_to(snapshot: Snapshot) -> None:
    running = {work.id: work for work in snapshot.running}
    waiting = {work.id: work for work in snapshot.pending}
    pools = {card.node: card.pool for card in snapshot.accelerators}
    policies = {pool.id: pool.policy for pool in snapshot.pools}

    for evict in plan_of(snapshot).evictions:
        victim = running[evict.workload]
        assert victim.preemptible
        assert evict.version == victim.version
        host = pools[victim.placements[0].node]
        assert evict.grace_s == policies[host].grace_s
        if evict.cause is EvictionCause.CALLED_BACK:
            assert victim.pool != host
            assert evict.grace_s <= policies[host].lending.bound_s
            continue
        assert evict.beneficiary is not None
        gains = waiting[evict.beneficiary]
        protects = victim.pool if evict.cause is EvictionCause.PREEMPTED else host
        rules = policies[protects]
        is_reclaimed = evict.cause is EvictionCause.RECLAIMED
        protected_s = rules.reclaim_min_runtime_s if is_reclaimed else rules.min_runtime_s
        assert snapshot.taken_at - (victim.started_at or 0) >= protected_s * 1000
        if evict.cause is EvictionCause.PREEMPTED:
            assert victim.group == gains.group
            assert victim.priority < gains.priority
            assert policies[victim.pool].preemption
            is_elsewhere = {victim.pool, host} != {gains.pool}
            assert (
                not is_elsewhere or gains.preemptible or _share_a_ceiling(snapshot, victim, gains)
            )
            continue
        assert victim.pool == host == gains.pool
        if evict.cause is EvictionCause.RECLAIMED:
            assert victim.group != gains.group
            assert policies[host].reclaim
            assert _is_above_deserved(snapshot, victim)
        if evict.cause is EvictionCause.CONSOLIDATED:
            assert policies[host].consolidate


def _share_a_ceiling(snapshot: Snapshot, one: RunningWorkload, other: PendingWorkload) -> bool:
    quotas = Ledger(snapshot).quotas
    rows = {(row.group, row.pool) for row in quotas.rows_over(one) if row.ceiling is not None}
    return any((row.group, row.pool) in rows for row in quotas.rows_over(other))


def _is_above_deserved(snapshot: Snapshot, victim: RunningWorkload) -> bool:
    """Return whether its group holds more here than the pool promises it, and more in all than all do."""
    rows = {
        row.pool: (row.used, max(row.deserved, row.guarantee))
        for row in Ledger(snapshot).quotas.rows()
        if row.resource is Resource.GPU and row.group == victim.group
    }
    held = Counter(
        {
            pool: sum(
                run.request.gpus * 1000 * run.request.replicas + run.request.slices * 1000 // SLICES
                for run in snapshot.running
                if run.group == victim.group and run.pool == pool
            )
            for pool in (DEVELOPMENT, TRAINING)
        }
    )
    of_pools = {pool: most for pool, (_, most) in rows.items() if pool is not None}
    if held[victim.pool] <= of_pools.get(victim.pool, 0):
        return False
    if None not in rows:
        return True
    counted = held.total() + sum(max(most - held[pool], 0) for pool, most in of_pools.items())
    return counted > max(rows[None][1], sum(of_pools.values()))


@settings(max_examples=10)
@given(worlds(waiting_max=1))
def test_notebooks_inside_a_guarantee_stay(snapshot: Snapshot) -> None:
    """Not one by one, and not all that one plan takes together either."""
    gone = {evict.workload for evict in plan_of(snapshot).evictions}
    left = Ledger(without(snapshot, gone)).quotas

    for work in snapshot.running:
        if work.id in gone and work.traits.guaranteed:
            cards = [row for row in left.rows_over(work) if row.resource is Resource.GPU]
            assert all(row.used >= row.guarantee for row in cards)


@settings(max_examples=10)
@given(worlds(waiting_max=1))
def test_nobody_else_would_have_lost_less(snapshot: Snapshot) -> None:
    """Of what a higher priority may displace: whoever would be enough alone has more to lose."""
    ledger = Ledger(snapshot)
    running = {work.id: work for work in snapshot.running}
    plan = [evict for evict in plan_of(snapshot).evictions if evict.beneficiary]
    if {evict.cause for evict in plan} != {EvictionCause.PREEMPTED}:
        return
    (gains,) = snapshot.pending
    protected_s = ledger.pools[gains.pool].policy.min_runtime_s
    loses = sum(lost_gpu_milli_s(running[evict.workload], ledger) for evict in plan)
    for other in snapshot.running:
        is_lower = (other.pool, other.group) == (gains.pool, gains.group)
        if not is_lower or other.priority >= gains.priority:
            continue
        if is_evictable(other, ledger, protected_s):
            is_enough = plan_of(without(snapshot, {other.id})).starts
            assert not is_enough or lost_gpu_milli_s(other, ledger) >= loses


@settings(max_examples=20)
@given(worlds())
def test_nobody_is_told_twice_and_no_plan_is_too_big(snapshot: Snapshot) -> None:
    plan = plan_of(snapshot)

    told = [evict.workload for evict in plan.evictions]
    assert len(told) == len(set(told))
    assert not set(told) & {place.workload for place in plan.starts}
    by_beneficiary: defaultdict[WorkloadId, list[PlannedEviction]] = defaultdict(list)
    for evict in plan.evictions:
        if evict.beneficiary:
            by_beneficiary[evict.beneficiary].append(evict)
    most = {pool.id: pool.policy.victims_max for pool in snapshot.pools}
    for work in snapshot.pending:
        assert len(by_beneficiary[work.id]) <= most[work.pool]


@settings(max_examples=20)
@given(worlds())
def test_while_victims_leave_nobody_else_has_to(snapshot: Snapshot) -> None:
    plan = plan_of(snapshot)
    for_whom = {evict.workload: evict.beneficiary for evict in plan.evictions}
    placed = {place.workload for place in plan.starts}
    leaving = replace(
        snapshot,
        pending=tuple(work for work in snapshot.pending if work.id not in placed),
        running=tuple(
            replace(work, stopping=True, stopping_for=for_whom[work.id])
            if work.id in for_whom
            else work
            for work in snapshot.running
        ),
    )

    if not placed:
        assert plan_of(leaving).evictions == ()


@settings(max_examples=20)
@given(worlds())
def test_evictions_come_to_an_end(snapshot: Snapshot) -> None:
    rest = settled(snapshot, cycles_max=40)

    assert plan_of(rest).evictions == ()


@settings(max_examples=20)
@given(worlds(waiting_max=3))
def test_a_lenders_own_notebook_never_waits_for_a_guest(snapshot: Snapshot) -> None:
    """Where it still waits after a round of calling back, no guest could have helped."""
    rest = settled(snapshot, cycles_max=40)
    pools = {card.node: card.pool for card in snapshot.accelerators}

    borrowers = {
        work.id
        for work in rest.running
        if work.pool == TRAINING and pools[work.placements[0].node] == DEVELOPMENT
    }
    for work in rest.pending:
        if work.pool == DEVELOPMENT:
            alone = replace(without(rest, borrowers), pending=(work,))
            assert plan_of(alone).starts == ()


@settings(max_examples=20)
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(snapshot: Snapshot, chance: random.Random) -> None:
    shuffled = replace(
        snapshot,
        running=tuple(chance.sample(snapshot.running, len(snapshot.running))),
        pending=tuple(chance.sample(snapshot.pending, len(snapshot.pending))),
    )

    assert plan_of(shuffled) == plan_of(snapshot)
