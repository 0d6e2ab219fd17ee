"""What users submit and what they change their minds about."""

import random
from collections.abc import Callable
from functools import partial

from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedWindow,
)
from scheduler.core.model.entities import GroupId, Millis, Request, WorkloadId
from scheduler.core.model.states import WorkloadState
from tests.simulation.cluster import DEVELOPMENT, TRAINING, USERS
from tests.simulation.engine import Behaviour
from tests.simulation.loop import SECOND, Loop
from tests.simulation.reserving import cancel_reservation, reserve
from tests.simulation.server import Server
from tests.simulation.store import WorkloadRow

JOBS, NOTEBOOKS = 14, 4
TIGHTENED_PCT = 10
"""Of the work asks to be placed elsewhere when its node is silent, whatever its pool says."""
OPEN_ENDS = range(13, 1_000_000_000, 20)
"""Runs of these seeds have work without a time limit."""
OPEN_PCT = 40
SUBMIT_MS = 180 * SECOND
"""Everything is submitted in the first three minutes."""


class People:
    """Submits work, cancels some of it, and remembers what was asked for."""

    def __init__(self, loop: Loop, server: Server) -> None:
        self.loop = loop
        self.server = server
        self.behaviours: dict[WorkloadId, Behaviour] = {}
        self.cancelled: set[WorkloadId] = set()
        self.time_limits_s: dict[WorkloadId, int | None] = {}
        self._reserving = random.Random(f"{loop.seed} reservations")
        self.is_long = False
        """The run lasts for hours, and so does some of the work."""
        self._modesty = random.Random(f"{loop.seed} modesty")
        self._modest = self._modesty.choice((0, 50, 100))
        """Percent of the jobs that may be stopped for others."""
        self._queue = random.Random(f"{loop.seed} queue")
        """Draws of its own, so that the other choices of a seed stay as they were."""
        self._open = random.Random(f"{loop.seed} open ends")

    def arrive(self) -> None:
        """Plan all submissions and changes of mind of the run."""
        for number in range(JOBS):
            self._plan(WorkloadId(f"job{number:02}"), is_notebook=False)
        for number in range(NOTEBOOKS):
            self._plan(WorkloadId(f"env{number:02}"), is_notebook=True)
        for number in range(self._reserving.choice((0, 0, 1, 2))):
            self._plan_reservation(ReservationId(f"res{number}"))

    def _plan_reservation(self, reservation: ReservationId) -> None:
        """Reserve cards or slices for some minutes of the run, and maybe cancel that."""
        rng = self._reserving
        asks_at = rng.randrange(SUBMIT_MS)
        start = asks_at + rng.randrange(10, 120) * SECOND
        wanted = AdvanceReservationView(
            id=reservation,
            name=reservation,
            pool=rng.choice((DEVELOPMENT, TRAINING)),
            group=rng.choice(list(USERS)),
            devices=(),
            windows=(
                ReservedWindow(Millis(start), Millis(start + rng.randrange(30, 180) * SECOND)),
            ),
        )
        count = rng.randint(1, 3)
        self.loop.after(asks_at, lambda: reserve(self.server, wanted, count))
        if rng.randrange(100) < 30:
            cancels_at = asks_at + rng.randrange(200) * SECOND
            self.loop.after(cancels_at, lambda: cancel_reservation(self.server.store, reservation))

    def leave(self) -> None:
        """Close every notebook that is still there, so that the cluster becomes quiet."""
        for row in self.server.store.workloads.values():
            if not row.is_notebook or row.state is WorkloadState.CANCELLED:
                continue
            if row.state is WorkloadState.SUSPENDED:
                self.server.store.move(row, WorkloadState.CANCELLED, "deleted")
            else:
                self._cancel(row.id)

    def behaviour_of(self, allocation: str) -> Behaviour:
        """Return how the containers of an allocation behave."""
        return self.behaviours[WorkloadId(allocation.rsplit(".", 1)[0])]

    def _plan(self, workload_id: WorkloadId, *, is_notebook: bool) -> None:
        when = self.loop.rng.randrange(SUBMIT_MS)
        row = self._draw(workload_id, when, is_notebook=is_notebook)
        if self.loop.seed in OPEN_ENDS and self._open.randrange(100) < OPEN_PCT:
            row.time_limit_s = None
        self.time_limits_s[workload_id] = row.time_limit_s
        self.behaviours[workload_id] = self._draw_behaviour(is_notebook=is_notebook)
        self.loop.after(when, lambda: self._submit(row))
        if self.loop.chance(30):
            self.loop.after(when + self.loop.between(0, 180), lambda: self._regret(row))

    def _submit(self, row: WorkloadRow) -> None:
        """Submit, perhaps held or after another job; later perhaps hold, release or requeue it."""
        store, draw = self.server.store, self._queue
        jobs = [other.id for other in store.workloads.values() if not other.is_notebook]
        if not row.is_notebook:
            row.is_held = draw.randrange(100) < 15
            row.after_any = draw.choice(jobs) if jobs and draw.randrange(100) < 15 else None
            self._change(row, self.server.hold, 15)
            self._change(row, self.server.requeue, 15)
        store.insert(row)

    def _change(self, row: WorkloadRow, act: Callable[[WorkloadId], None], percent: int) -> None:
        """Do this to some of the work a while later; whatever is held then is released later still."""
        draw = self._queue
        first, second = draw.randint(1, 90), draw.randint(1, 60)
        if draw.randrange(100) < percent:
            self.loop.after(first * SECOND, lambda: act(row.id))
        self.loop.after((first + second) * SECOND, lambda: self.server.release(row.id))

    def _regret(self, row: WorkloadRow) -> None:
        if row.is_notebook and self.loop.chance(60):
            self.server.stop(row.id, WorkloadState.SUSPENDED, "stopped")
            self.loop.after(self.loop.between(1, 60), lambda: self.server.start(row.id))
        else:
            self._cancel(row.id)

    def _cancel(self, workload_id: WorkloadId) -> None:
        self.server.stop(workload_id, WorkloadState.CANCELLED, "cancelled")
        row = self.server.store.workloads.get(workload_id)
        if row is not None and row.cause == "cancelled":
            self.cancelled.add(workload_id)

    def forget(self) -> None:
        """Expect no more of the portal than what the backup knows that it was restored from."""
        rows = self.server.store.workloads
        for row in rows.values():
            if row.is_held:
                self.loop.after(SECOND, partial(self.server.release, row.id))
        self.cancelled = {
            key for key in self.cancelled if key in rows and rows[key].cause == "cancelled"
        }

    def _draw(self, workload_id: WorkloadId, when: int, *, is_notebook: bool) -> WorkloadRow:
        rng = self.loop.rng
        group: GroupId = rng.choice(list(USERS))
        if is_notebook:
            request = Request(slices=rng.randint(1, 3), cpu_milli=4_000, memory_mib=8_192)
        elif self.loop.chance(30):
            request = Request(
                replicas=rng.randint(2, 4), gpus=1, cpu_milli=8_000, memory_mib=16_384
            )
        else:
            request = Request(gpus=rng.choice((0, 1, 1, 2, 4)), cpu_milli=8_000, memory_mib=16_384)
        return WorkloadRow(
            id=workload_id,
            is_notebook=is_notebook,
            group=group,
            user=rng.choice(USERS[group]),
            pool=DEVELOPMENT if is_notebook else TRAINING,
            request=request,
            priority=rng.choice((-100, 0, 0, 100)),
            submitted_at=when,
            time_limit_s=rng.choice((90, 3600, 3600)),
            retries_max=rng.choice((0, 0, 2)),
            preemptible=not is_notebook and self._modesty.randrange(100) < self._modest,
            silence="replace" if self._modesty.randrange(100) < TIGHTENED_PCT else "",
        )

    def _draw_behaviour(self, *, is_notebook: bool) -> Behaviour:
        return Behaviour(
            is_notebook=is_notebook,
            runs_ms=self.loop.between(5, 7200 if self.is_long else 120),
            exit_code=1 if self.loop.chance(15) else 0,
            fails_to_start=self.loop.chance(4),
            ignores_polite_stop=self.loop.chance(20),
            create_ms=self.loop.between(0.2, 12) if self.loop.chance(20) else 300,
            ready_ms=self.loop.between(0.5, 4) if is_notebook else 0,
        )
