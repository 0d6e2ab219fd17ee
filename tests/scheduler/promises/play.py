"""A world played on the pure core: each decision is committed as the portal does, then time goes on.

Work that is evicted is queued again at once and waits until its old attempt is gone; what was placed
is set up before it starts; what must leave takes its time; a silent node reports and stops nothing.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from scheduler.core.capacity.notice import leaving_s
from scheduler.core.cycle import run_cycle
from scheduler.core.model.advance_reservations import ReservationId
from scheduler.core.model.entities import (
    AcceleratorId,
    Millis,
    NodeView,
    Placement,
    PoolId,
    PoolView,
    WorkloadId,
)
from scheduler.core.model.plan import (
    EvictionCause,
    Plan,
    PlannedEviction,
    PlannedReservation,
    PlannedStart,
)
from scheduler.core.model.policy import REAL_OVERHEADS, PoolPolicy
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import NodeState
from scheduler.core.quotas.decayed_usage import UsageMeter
from scheduler.core.reserve_devices import choose_devices
from tests.scheduler.counting import recounted
from tests.scheduler.promises.budgets import budgets_of
from tests.scheduler.promises.history import Attempt, History, Pass
from tests.scheduler.promises.lives import Life
from tests.scheduler.promises.rules import BEGIN
from tests.scheduler.promises.worlds import Booking, Job, World

_UNREADY_AFTER_MS: Final = 5_000
"""A silent node still takes work for so long."""
_LOST_AFTER_MS: Final = 45_000
"""After so long its work may be gone."""
_RETRY_MS: Final = 30_000
"""A failed attempt is followed by the next after so long."""
_SLOWER_MAX: Final = 64
"""While nothing changes, decisions are at most so many times as far apart; edges of time are looked at."""
_PASS_MS: Final = 500
"""Decisions are at least so far apart."""
_PASSES_MAX: Final = 4_000
"""A world in which so many decisions are made has a storm, and what broke is seen by then."""


def play(world: World, *, explained: bool = False) -> History:
    """Return what happens in a world; the same world gives the same history."""
    return _Player(world, explained=explained).run()


@dataclass(slots=True)
class _Player:
    world: World
    explained: bool
    now: Millis = field(init=False)
    history: History = field(init=False)
    _lives: dict[WorkloadId, Life] = field(default_factory=dict)
    _events: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _sequence: int = 0
    _tick_at: int = 0
    _slower: int = 1
    _rests_until: int = 0
    _published: tuple[PlannedReservation, ...] = ()
    _usage: UsageMeter = field(init=False)
    _pools: Mapping[PoolId, PoolView] = field(init=False)

    def __post_init__(self) -> None:
        world = self.world
        self.now = world.site.taken_at
        self.history = History(world)
        self._pools = {pool.id: pool for pool in world.site.pools}
        self._usage = UsageMeter((), self.now, world.site.fair_share.half_life_s)
        for job in world.jobs:
            self._at(job.workload.submitted_at, partial(self._submit, job))
        for booking in world.bookings:
            self._at(booking.at, partial(self._book, booking))
        for outage in world.outages:
            changes = (outage.start + after for after in (0, _UNREADY_AFTER_MS, _LOST_AFTER_MS))
            for moment in (*changes, outage.end):
                self._at(moment, _look)
        for pool in world.site.pools:
            for hours in pool.policy.lending.windows:
                for minute in (hours.start, hours.end):
                    self._look_at_edge(Millis(BEGIN + minute * 60_000), pool.policy)

    def run(self) -> History:
        """Go from event to event; decide after each, and in between as often as the world says."""
        while (moment := self._next()) is not None and moment <= self.world.until:
            self.now = Millis(moment)
            if self._happened():
                self._slower = 1
            if self._lives:
                self._decide()
            if len(self.history.passes) == _PASSES_MAX:
                break
        return self.history

    def _next(self) -> int | None:
        """Return when something happens next, or is looked for."""
        ticks = [self._tick_at] if self._lives else []
        first = min([*ticks, *(event[0] for event in self._events[:1])], default=None)
        return None if first is None else max(first, self._rests_until)

    def _happened(self) -> bool:
        """Let everything of this moment happen; return whether anything did."""
        found = False
        while self._events and self._events[0][0] <= self.now:
            heapq.heappop(self._events)[2]()
            found = True
        return found

    def _at(self, moment: int, action: Callable[[], None]) -> None:
        self._sequence += 1
        heapq.heappush(self._events, (moment, self._sequence, action))

    def _decide(self) -> None:
        snapshot = self.snapshot()
        plan = run_cycle(snapshot, self.now, explained=self.explained)
        self.history.passes.append(Pass(snapshot, plan))
        self._published = plan.reservations
        self._commit(plan)
        self._slower = 1 if plan.starts or plan.evictions else min(self._slower * 2, _SLOWER_MAX)
        self._rests_until = self.now + _PASS_MS
        self._tick_at = self.now + self.world.pass_every_s * 1000 * self._slower

    def snapshot(self) -> Snapshot:
        """Return what the platform knows at this moment."""
        lives = self._lives.values()
        return recounted(
            replace(
                self.world.site,
                taken_at=self.now,
                nodes=tuple(self._node(node) for node in self.world.site.nodes),
                pending=tuple(life.as_waiting(self.now) for life in lives if life.waits),
                running=tuple(
                    life.as_running(life.attempt, self._policy(life).grace_s, self.now)
                    for life in lives
                    if life.attempt
                ),
                overheads=REAL_OVERHEADS,
                published=self._published,
                budgets=budgets_of(self.history, self._pools, self.now),
                usage=self._usage.usage(self.now),
                reservations=tuple(
                    each
                    for each in self.history.reservations.values()
                    if each.next_window(self.now) is not None
                ),
            )
        )

    def _node(self, node: NodeView) -> NodeView:
        silent_ms = max(
            (
                self.now - outage.start
                for outage in self.world.outages
                if outage.node == node.id and outage.start <= self.now < outage.end
            ),
            default=-1,
        )
        if silent_ms < _UNREADY_AFTER_MS:
            return node
        is_lost = silent_ms >= _LOST_AFTER_MS
        return replace(node, state=NodeState.LOST if is_lost else NodeState.UNREADY)

    def _submit(self, job: Job) -> None:
        self._lives[job.workload.id] = Life(job)

    def _book(self, booking: Booking) -> None:
        """Make a reservation as an operator does: refused where promises are in the way."""
        choice = choose_devices(self.snapshot(), booking.wanted, booking.count, whole=booking.whole)
        if not choice.devices:
            return
        made = replace(booking.wanted, devices=choice.devices)
        self.history.reservations[made.id] = made
        self.history.booked_at[made.id] = self.now
        policy = self._pools[made.pool].policy
        for window in made.windows:
            for edge in (window.start, window.end):
                self._look_at_edge(edge, policy)

    def _look_at_edge(self, edge: Millis, policy: PoolPolicy) -> None:
        """Look when a window opens or closes, and when that needs a notice."""
        for early_s in (leaving_s(policy), policy.grace_s, 0):
            if edge - early_s * 1000 >= self.now:
                self._at(edge - early_s * 1000, _look)

    def _commit(self, plan: Plan) -> None:
        for start in plan.starts:
            self._place(start)
        for eviction in plan.evictions:
            self._evict(eviction)
        for promise in plan.reservations:
            if promise.starts_at > self.now:
                self._at(promise.starts_at, _look)

    def _place(self, start: PlannedStart) -> None:
        life = self._lives[start.workload]
        assert life.waits
        assert life.attempt is None
        assert life.version == start.version
        must_end_at = self._must_end_at(life, start.placements, start.reservation)
        attempt = Attempt(life.job, start.placements, self.now, start.reservation, must_end_at)
        self.history.attempts.append(attempt)
        self._usage_of(life, 1)
        setups = life.job.starts_s
        life.waits, life.evicted_for, life.attempt = False, None, attempt
        life.version += 1
        setup_s = setups[min(life.attempts, len(setups) - 1)]
        life.attempts += 1
        self._later(attempt, setup_s, partial(self._started, life, attempt))
        if must_end_at is not None:
            self._at(must_end_at, partial(self._must_end, life, attempt))

    def _must_end_at(
        self, life: Life, placements: tuple[Placement, ...], inside: ReservationId | None
    ) -> Millis | None:
        """Return when it must have left beside its limit, as the portal writes it at the commit."""
        if inside is not None:
            return self.history.reservations[inside].ends_at(self.now)
        if life.job.workload.preemptible:
            return None
        held = {device for place in placements for device in place.devices}
        return min(
            (
                window.start
                for each in self.history.reservations.values()
                for window in each.windows
                if window.start > self.now and not held.isdisjoint(_devices(each.devices))
            ),
            default=None,
        )

    def _started(self, life: Life, attempt: Attempt) -> None:
        if attempt.noticed_at is not None:
            return
        attempt.started_at = self.now
        life.version += 1
        rules = self._policy(life)
        for protected_s in {rules.min_runtime_s, rules.reclaim_min_runtime_s, rules.turn_s}:
            self._at(self.now + protected_s * 1000, _look)
        fails = life.job.fails_after_s
        limit_s = life.job.workload.time_limit_s
        fails_s = fails[life.attempts - 1] if life.attempts <= len(fails) else None
        if fails_s is not None and (limit_s is None or fails_s < limit_s):
            self._later(attempt, fails_s, partial(self._failed, life, attempt))
        elif limit_s is None or life.job.runs_s < limit_s:
            self._later(attempt, life.job.runs_s, partial(self._ended, life, attempt))
        else:
            self._later(attempt, limit_s, partial(self._stop, life, attempt, None))

    def _failed(self, life: Life, attempt: Attempt) -> None:
        if attempt.noticed_at is None:
            self._leave(life, attempt)
            life.waits, life.retry_at = True, self.now + _RETRY_MS
            life.version += 1
            self._at(life.retry_at, _look)

    def _ended(self, life: Life, attempt: Attempt) -> None:
        if attempt.noticed_at is None:
            self._leave(life, attempt)
            del self._lives[attempt.id]

    def _must_end(self, life: Life, attempt: Attempt) -> None:
        """Clear what is still there at the end of its reservation, or at the begin of another."""
        if attempt.noticed_at is not None or attempt.left_at is not None:
            return
        if not life.job.workload.preemptible:
            self._stop(life, attempt, None)
            return
        attempt.cause = EvictionCause.RESERVED
        self._requeue(life, attempt, None)
        self._leave_after(life, attempt, 0)

    def _stop(self, life: Life, attempt: Attempt, _cause: None) -> None:
        """Stop it for good: it has come to its limit, or to the end of its reservation."""
        if attempt.noticed_at is not None or attempt.left_at is not None:
            return
        attempt.noticed_at = self.now
        self._leave_after(life, attempt, self._policy(life).grace_s)

    def _evict(self, eviction: PlannedEviction) -> None:
        """Give notice, unless something has changed since the plan was made."""
        life = self._lives[eviction.workload]
        attempt, beneficiary = life.attempt, eviction.beneficiary
        assert attempt is not None
        assert attempt.noticed_at is None
        assert life.version == eviction.version
        assert life.job.workload.preemptible
        if beneficiary is not None and not self._waits(beneficiary):
            return
        attempt.cause, attempt.beneficiary = eviction.cause, beneficiary
        self._requeue(life, attempt, beneficiary)
        self._leave_after(life, attempt, eviction.grace_s)

    def _waits(self, workload: WorkloadId) -> bool:
        return workload in self._lives and self._lives[workload].waits

    def _requeue(self, life: Life, attempt: Attempt, beneficiary: WorkloadId | None) -> None:
        attempt.noticed_at = self.now
        life.waits, life.evicted_for = True, beneficiary
        life.version += 1

    def _leave_after(self, life: Life, attempt: Attempt, grace_s: int) -> None:
        """Let it go as slowly as it does, within its grace or after it."""
        attempt.grace_s = grace_s
        leaving = life.job.leaving
        slow_s = grace_s + leaving.kill_s
        if leaving.of_grace_pct < 100:
            slow_s = grace_s * leaving.of_grace_pct // 100
        self._later(attempt, slow_s, partial(self._gone, life, attempt))

    def _gone(self, life: Life, attempt: Attempt) -> None:
        self._leave(life, attempt)
        if not life.waits:
            del self._lives[attempt.id]

    def _leave(self, life: Life, attempt: Attempt) -> None:
        attempt.left_at = self.now
        held_s = (self.now - attempt.placed_at) // 1000
        life.attained_gpu_s += held_s * self._milli(life) // 1000
        self._usage_of(life, -1)
        life.attempt = None

    def _policy(self, life: Life) -> PoolPolicy:
        return self._pools[life.job.workload.pool].policy

    def _milli(self, life: Life) -> int:
        work = life.job.workload
        return total_gpu_milli(work, self._pools[work.pool])

    def _usage_of(self, life: Life, times: int) -> None:
        work = life.job.workload
        self._usage.hold(work.group, work.user, times * self._milli(life), self.now)

    def _later(self, attempt: Attempt, seconds: int, action: Callable[[], None]) -> None:
        self._at(self.now + seconds * 1000, partial(self._heard, attempt, action))

    def _heard(self, attempt: Attempt, action: Callable[[], None]) -> None:
        """Do it, or when its nodes are heard of again."""
        if (until := max(self._silences(attempt), default=None)) is not None:
            self._at(until, partial(self._heard, attempt, action))
        elif attempt.left_at is None:
            action()

    def _silences(self, attempt: Attempt) -> Iterator[Millis]:
        nodes = {placement.node for placement in attempt.placements}
        for outage in self.world.outages:
            if outage.node in nodes and outage.start <= self.now < outage.end:
                yield outage.end


def _look() -> None:
    """Nothing happens, but a decision follows."""


def _devices(
    reserved: tuple[tuple[str, AcceleratorId, int], ...],
) -> set[tuple[AcceleratorId, int]]:
    return {(card, slot) for _, card, slot in reserved}
