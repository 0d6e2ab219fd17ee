"""The simulation engine: jobs arrive, the core decides, work starts, ends and is evicted.

A discrete-event loop in integer milliseconds. Everything that happens at one moment is applied,
then the core decides once, as it does in the portal after every change. The core sees only what the
portal would show it: how long a job really runs is known to the engine alone.
"""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from scheduler.core.model.entities import (
    Millis,
    PendingWorkload,
    Request,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.plan import Plan, PlannedEviction, PlannedStart
from scheduler.core.model.request_cost import gpu_milli_per_replica
from scheduler.core.model.snapshot import Snapshot
from scheduler.whatif.cluster import Cluster
from scheduler.whatif.metrics import Recorder, SimulationOutcome
from scheduler.whatif.report import ProgressReport

SECOND: Final = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """One job: what is submitted, and what only the engine knows."""

    workload: PendingWorkload
    """As it is submitted, at `workload.submitted_at`."""
    work_ms: int
    """How long it runs if it is not stopped; its time limit may be shorter."""
    checkpoint_ms: int | None = None
    """It saves its work so often; None saves at the notice of an eviction, in time."""
    leaves_ms: int | None = None
    """When its owner leaves: what runs then ends, what still waits is given up."""
    gives_up_ms: int | None = None
    """When its owner stops waiting for a first start."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What starting and moving work costs, by the request, in milliseconds."""

    start_up: Callable[[Request], int] = lambda _: 0
    """From the decision to the first useful second of the first attempt."""
    restart: Callable[[Request], int] = lambda _: 0
    """The same for an attempt after an eviction: load the checkpoint, join the ranks again."""


@dataclass(slots=True)
class _Life:
    """The state of one unfinished job."""

    job: Job
    left_ms: int
    """Useful work that is not saved yet."""
    pending: PendingWorkload
    """As it waits now: less what earlier attempts have saved."""
    submitted: PendingWorkload
    """As it was submitted."""
    attempt: int = 0
    running: RunningWorkload | None = None
    useful_from: int = 0
    """When the present attempt begins to do useful work."""
    leaving: PlannedEviction | None = None


@dataclass(slots=True)
class Hooks:
    """Where a study connects its own parts."""

    predict: Callable[[PendingWorkload], int | None] = lambda workload: workload.expected_s
    """Expected run time in seconds of a workload that arrives."""
    ended: Callable[[PendingWorkload, int], None] = lambda _workload, _ran_ms: None
    """Called for every job that ended by itself, with its run time: for a predictor to learn."""
    plan: Callable[[Plan], None] = lambda _: None
    """Called with every plan."""
    ticks: tuple[int, ...] = ()
    """Moments at which the core decides though nothing happened: the edges of a calendar."""
    every_ms: int | None = None
    """While work waits, the core decides at least so often, as in the portal's loop."""
    explain_every_ms: int | None = None
    """Plans so far apart have reasons and expected starts; None is no plan."""


@dataclass(slots=True)
class SimulationEngine:
    """One run of one demand on one site. The same input gives the same outcome."""

    site: Snapshot
    """Nodes, cards, pools, groups and quotas, with nothing running and nothing waiting."""
    costs: Costs = field(default_factory=Costs)
    hooks: Hooks = field(default_factory=Hooks)
    progress: bool = False
    """Print progress to stderr every few seconds."""
    complete: bool = True
    """Refuse a run at the end of which there is work that never starts."""
    _events: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _sequence: int = 0
    _lives: dict[WorkloadId, _Life] = field(default_factory=dict)
    _savers: dict[WorkloadId, _Life] = field(default_factory=dict)
    """Jobs that save their work periodically."""
    _next_look: int = 0
    _explained_at: int = 0
    now: int = 0
    cluster: Cluster = field(init=False)
    recorder: Recorder = field(init=False)

    def run(self, jobs: Iterable[Job], until_ms: int | None = None) -> SimulationOutcome:
        """Play all jobs to their end, or to `until_ms`, and return what was measured.

        Raises ValueError if work is left that can never start: the site is too small for it.
        """
        self.cluster = Cluster(self.site)
        self.recorder = Recorder(self.cluster.gpus, self._milli_of)
        for job in sorted(jobs, key=lambda job: (job.workload.submitted_at, job.workload.id)):
            self._at(job.workload.submitted_at, partial(self._arrive, job))
        for tick in self.hooks.ticks:
            self._at(tick, _nothing)
        progress = ProgressReport(self._sequence, enabled=self.progress)
        while self._events and (until_ms is None or self._events[0][0] <= until_ms):
            self.now = self._events[0][0]
            while self._events and self._events[0][0] == self.now:
                heapq.heappop(self._events)[2]()
            self._decide()
            progress.note(len(self.recorder.records), self.cluster.waiting, self.now)
        if self._lives and until_ms is None and self.complete:
            stuck = ", ".join(sorted(self._lives)[:5])
            raise ValueError(f"{len(self._lives)} jobs never start on this site: {stuck}")
        self.recorder.close(self.now if until_ms is None else until_ms)
        return self.recorder.outcome()

    def _milli_of(self, workload: PendingWorkload) -> int:
        pool = next(pool for pool in self.site.pools if pool.id == workload.pool)
        return gpu_milli_per_replica(workload.request, pool) * workload.request.replicas

    def _at(self, moment: int, action: Callable[[], None]) -> None:
        self._sequence += 1
        heapq.heappush(self._events, (moment, self._sequence, action))

    def _arrive(self, job: Job) -> None:
        expected = self.hooks.predict(job.workload)
        pending = replace(job.workload, expected_s=expected)
        life = self._lives[pending.id] = _Life(job, job.work_ms, pending, pending)
        if job.checkpoint_ms is not None:
            self._savers[pending.id] = life
        self.recorder.arrived(pending, self.now)
        self.cluster.arrive(pending)
        if job.leaves_ms is not None:
            self._at(job.leaves_ms, partial(self._go_home, pending.id))
        if job.gives_up_ms is not None:
            self._at(job.gives_up_ms, partial(self._give_up, pending.id))

    def _go_home(self, workload: WorkloadId) -> None:
        """End the job of an owner who leaves, running or waiting."""
        life = self._lives.get(workload)
        if life is not None and life.running is not None:
            self._end(life, life.attempt)
        elif life is not None:
            self._withdraw(life)

    def _give_up(self, workload: WorkloadId) -> None:
        life = self._lives.get(workload)
        if life is not None and life.attempt == 0:
            self._withdraw(life)

    def _withdraw(self, life: _Life) -> None:
        self.cluster.withdraw(life.pending.id)
        self.recorder.withdrawn(life.pending, self.now)
        del self._lives[life.pending.id]
        self._savers.pop(life.pending.id, None)

    def _note_checkpoints(self) -> None:
        """Report checkpoints to the core, which evicts first what loses least."""
        for life in self._savers.values():
            if life.running is None:
                continue
            saved = Millis(life.useful_from + self._saved_ms(life))
            if saved > max(life.running.checkpointed_at or 0, life.useful_from):
                life.running = replace(life.running, checkpointed_at=saved)
                if life.leaving is None:
                    self.cluster.revise(life.running)

    def _decide(self) -> None:
        self._note_checkpoints()
        every = self.hooks.explain_every_ms
        is_explained = every is not None and self.now >= self._explained_at + every
        if is_explained:
            self._explained_at = self.now
        plan = self.cluster.decide(Millis(self.now), explained=is_explained)
        for place in plan.starts:
            self._start(place)
        for evict in plan.evictions:
            self._notify(evict)
        self.hooks.plan(plan)
        every = self.hooks.every_ms
        looks = every is not None and self.cluster.waiting and self.cluster.is_busy
        if every is not None and looks and self._next_look <= self.now:
            self._next_look = self.now + every
            self._at(self._next_look, _nothing)

    def _start(self, place: PlannedStart) -> None:
        """Begin an attempt: it is set up, does its work, and ends by itself or by its limit."""
        life = self._lives[place.workload]
        request = life.pending.request
        cost = self.costs.restart if life.attempt else self.costs.start_up
        life.attempt += 1
        life.useful_from = self.now + cost(request)
        life.pending = replace(life.pending, evicted_for=None)
        runs, limit_s = life.left_ms + life.useful_from - self.now, life.pending.time_limit_s
        if limit_s is not None:
            runs = min(runs, limit_s * SECOND)
        life.running = self.cluster.start(place.workload, Millis(self.now))
        self.recorder.started(life.pending, self.now)
        attempt = life.attempt
        self._at(self.now + runs, partial(self._end, life, attempt))

    def _end(self, life: _Life, attempt: int) -> None:
        """End an attempt by itself, unless it has been stopped before."""
        if life.running is None or life.attempt != attempt:
            return
        life.running = None
        self.cluster.end(life.pending.id, Millis(self.now))
        self.recorder.ended(life.pending, self.now)
        self.hooks.ended(life.job.workload, life.job.work_ms)
        del self._lives[life.pending.id]
        self._savers.pop(life.pending.id, None)

    def _notify(self, evict: PlannedEviction) -> None:
        """Give notice; it is stopped when its grace is over, if it has not ended by then."""
        life = self._lives[evict.workload]
        if life.running is None or life.leaving is not None:
            return
        life.leaving = evict
        self.cluster.leaving(evict, Millis(self.now))
        attempt = life.attempt
        if evict.grace_s == 0:
            self._stop(life, attempt)
        else:
            self._at(self.now + evict.grace_s * SECOND, partial(self._stop, life, attempt))

    def _stop(self, life: _Life, attempt: int) -> None:
        """Release its cards and queue the work again as it was, with what it has saved."""
        if life.running is None or life.attempt != attempt or life.leaving is None:
            return
        self.cluster.end(life.pending.id, Millis(self.now))
        held_s = (self.now - (life.running.started_at or self.now)) // SECOND
        self.recorder.evicted(life.pending, self.now, life.leaving.cause)
        life.left_ms -= self._saved_ms(life)
        life.pending = _again(life, held_s, self.costs.restart)
        life.running, life.leaving = None, None
        self.cluster.arrive(life.pending)
        self._wake_now()

    def _wake_now(self) -> None:
        """Decide again at this moment: an eviction without grace frees cards at once."""
        if not self._events or self._events[0][0] != self.now:
            self._at(self.now, _nothing)

    def _saved_ms(self, life: _Life) -> int:
        done = max(self.now - life.useful_from, 0)
        every = life.job.checkpoint_ms
        return min(done if every is None else done // every * every, life.left_ms)


def _nothing() -> None:
    """An event without effect, after which the core decides."""


def _again(life: _Life, held_s: int, restart: Callable[[Request], int]) -> PendingWorkload:
    """Return the workload as it waits again: less left to do, plus the cost of a restart."""
    first, request = life.submitted, life.pending.request
    saved_s = (life.job.work_ms - life.left_ms) // SECOND
    restart_s = -(-restart(request) // SECOND)
    limit_s, expected = first.time_limit_s, first.expected_s
    return replace(
        life.pending,
        version=life.pending.version + 1,
        time_limit_s=None if limit_s is None else max(limit_s - saved_s, 1) + restart_s,
        expected_s=None if expected is None else max(expected - saved_s, 1) + restart_s,
        attained_gpu_s=life.pending.attained_gpu_s + held_s * request.gpus * request.replicas,
        evicted_for=life.leaving.beneficiary if life.leaving else None,
    )
