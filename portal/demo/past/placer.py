"""Places the work of a past on the cards of its lab, event by event; no card is held twice.

It follows the rules of the demo's pools in short: notebooks fill as few shared cards as they can, jobs
go by length and by how long they wait, and borrow shared cards until a notebook calls them back.
"""

import heapq
from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from portal.demo.past.board import Board, RunningJob, WaitingJob
from portal.demo.past.demand import draw_jobs, draw_notebooks, draw_outages
from portal.demo.past.plan import (
    HOUR,
    MINUTE,
    Attempt,
    Draw,
    Ending,
    Lab,
    LabPast,
    PastJob,
    PastNotebook,
    Session,
)

PATIENCE_S: Final = 24 * HOUR
"""After so long a job goes before shorter ones."""
LARGE_PATIENCE_S: Final = 3 * HOUR
"""The same of jobs that need a whole node, or several: cards are kept free for one of them at a time."""
LARGE: Final = 8
GRACE_S: Final = 60
"""Between the notice of an eviction and the end."""
CHECKPOINT_S: Final = 15 * MINUTE
"""What an eviction loses at the most."""
QUIET_S: Final = 2 * MINUTE
"""So short before the end of the past nothing begins."""
HANDOVER_S: Final = (20, 60)
"""So short before it what still runs has ended: the live activity takes over, and no curve falls to zero."""
RETRY_PAUSE_S: Final = 30
DESERVED: Final = 6
"""Cards of a group that others give back to it."""
RECLAIMED_PCT: Final = 20
"""How often a group that has less takes back what another one borrows."""


@dataclass(slots=True, eq=False)
class _Drain:
    """Cards that are kept free for one large job."""

    waiting: WaitingJob
    ranks: Sequence[Sequence[int]]
    free_at: int

    @property
    def cards(self) -> set[int]:
        return {card for rank in self.ranks for card in rank}


@dataclass(slots=True)
class PastPlacer:
    """One run over one demand."""

    lab: Lab
    now: int = 0
    _events: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _count: int = 0
    _queue: list[WaitingJob] = field(default_factory=list)
    """By what is left, the shortest first."""
    _guests: list[tuple[PastNotebook, Session, int]] = field(default_factory=list)
    """Notebooks that wait, and since when."""
    _held: Counter[str] = field(default_factory=Counter)
    """Cards that jobs of each group hold."""
    _drain: _Drain | None = None
    _draw: Draw = field(init=False)
    _board: Board = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing held."""
        self._draw = Draw(f"{self.lab.seed}/placer")
        self._board = Board(self.lab)

    def run(self, jobs: Sequence[PastJob], notebooks: Sequence[PastNotebook]) -> LabPast:
        """Return what became of the work that was not waiting for its first start at the end."""
        self._plan(jobs, notebooks)
        last = self.lab.length_s - QUIET_S
        while self._events and self._events[0][0] < self.lab.length_s:
            self.now = self._events[0][0]
            while self._events and self._events[0][0] == self.now:
                heapq.heappop(self._events)[2]()
            if self.now < last:
                self._fill()
        for waiting in self._queue:  # evicted, and not started again
            if waiting.job.attempts and waiting.job.cancelled_s is None:
                waiting.job.cancelled_s = self.lab.length_s - 1
        return LabPast(
            [job for job in jobs if job.attempts or job.cancelled_s is not None],
            [notebook for notebook in notebooks if notebook.attempts],
        )

    def _plan(self, jobs: Sequence[PastJob], notebooks: Sequence[PastNotebook]) -> None:
        """Note what happens whatever is placed where."""
        for job in jobs:
            self._at(job.submitted_s, partial(self._submit, job))
        for notebook in notebooks:
            for session in notebook.sessions:
                self._at(session.begins_s, partial(self._open, notebook, session))
        for node, begins, ends in draw_outages(self.lab):
            self._at(begins, partial(self._lose, node))
            self._at(ends, partial(self._board.down.discard, node))
        for moment in range(0, self.lab.length_s, HOUR):
            self._at(moment, lambda: None)  # what is lent changes with the hour

    def _at(self, moment: int, action: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (moment, self._count, action))

    def _last_end(self) -> int:
        """Return when something ends at the latest that begins now."""
        return self.lab.length_s - self._draw.randint(*HANDOVER_S)

    # Nodes.

    def _lose(self, node: str) -> None:
        """End the jobs of a node that is not heard any more; notebooks on it come through."""
        self._board.down.add(node)
        for running in self._board.running_on(node):
            self._finish(running, Ending.NODE_LOST, "node_lost")
        if self._drain and any(self.lab.cards[card].node == node for card in self._drain.cards):
            self._drain = None

    # Jobs.

    def _submit(self, job: PastJob) -> None:
        waiting = WaitingJob(job, job.length_s)
        insort(self._queue, waiting)
        if job.gives_up_s is not None:
            self._at(job.gives_up_s, partial(self._give_up, waiting))
        if self._draw.randrange(100) < RECLAIMED_PCT:
            self._reclaim(job)

    def _give_up(self, waiting: WaitingJob) -> None:
        if not waiting.job.attempts and waiting in self._queue:
            self._queue.remove(waiting)
            waiting.job.cancelled_s = self.now

    def _reclaim(self, job: PastJob) -> None:
        """Evict a job of a group beyond its share for one of a group below."""
        if self._held[job.group] + job.cards > DESERVED:
            return
        for running in self._board.whole.values():
            other = running.waiting.job
            is_enough = len(running.cards) == job.cards and other.group != job.group
            if is_enough and self._held[other.group] > DESERVED and other.preemptible:
                self._evict(running, "reclaimed")
                return

    def _fill(self) -> None:
        """Start what fits, the longest waiting and then the shortest first."""
        for guest in list(self._guests):
            self._seat(*guest)
        self._start_kept()
        free = self._board.free_by_node(self.now)
        overdue = [waiting for waiting in self._queue if self._is_overdue(waiting)]
        overdue.sort(key=lambda waiting: waiting.job.submitted_s)
        others = [waiting for waiting in self._queue if not self._is_overdue(waiting)]
        in_vain: set[tuple[int, int, bool, bool]] = set()
        for waiting in [*overdue, *others]:
            if not any(free.values()):
                return
            shape = self._shape(waiting)
            if shape in in_vain or self._is_held_back(waiting.job):
                continue
            ranks = self._board.find_ranks(waiting.job, free, self._kept_from(waiting))
            if ranks is not None:
                self._start(waiting, ranks)
                free = self._board.free_by_node(self.now)
                continue
            in_vain.add(shape)
            if self._drain is None and self._is_overdue(waiting):
                self._keep_free(waiting)

    def _start_kept(self) -> None:
        """Start the large job for which all cards have come free that were kept for it."""
        if self._drain and not self._drain.cards & self._board.whole.keys():
            drain, self._drain = self._drain, None
            if drain.waiting in self._queue and not self._is_beyond(drain.waiting.job):
                self._start(drain.waiting, drain.ranks)

    def _shape(self, waiting: WaitingJob) -> tuple[int, int, bool, bool]:
        """Return all that decides whether a job fits."""
        job = waiting.job
        return job.project.gpus, job.project.ranks, job.preemptible, self._ends_before(waiting)

    def _ends_before(self, waiting: WaitingJob) -> bool:
        """Return whether a job would end before the cards are needed that are kept free."""
        if self._drain is None:
            return False
        return self.now + waiting.left_s + 3 * MINUTE <= self._drain.free_at

    def _kept_from(self, waiting: WaitingJob) -> set[int]:
        """Return the cards that a job may not have, because another one needs them before it would end."""
        return set() if self._drain is None or self._ends_before(waiting) else self._drain.cards

    def _is_held_back(self, job: PastJob) -> bool:
        ended = job.attempts[-1].ends_s if job.attempts else -RETRY_PAUSE_S
        return self._is_beyond(job) or self.now < ended + RETRY_PAUSE_S

    def _is_overdue(self, waiting: WaitingJob) -> bool:
        patience = LARGE_PATIENCE_S if waiting.job.cards >= LARGE else PATIENCE_S
        return self.now - waiting.job.submitted_s > patience

    def _is_beyond(self, job: PastJob) -> bool:
        return self._held[job.group] + job.cards > self.lab.ceiling

    def _keep_free(self, waiting: WaitingJob) -> None:
        """Keep the cards free that come free first for a large job; shared ones are never kept."""
        if waiting.job.cards < LARGE or self._is_beyond(waiting.job):
            return
        if found := self._board.first_free(waiting.job, self.now):
            free_at, ranks = found
            self._drain = _Drain(waiting, ranks, free_at)

    def _start(self, waiting: WaitingJob, ranks: Sequence[Sequence[int]]) -> None:
        self._queue.remove(waiting)
        job = waiting.job
        runs = self.now + self._draw.randint(9, 40)
        own = runs + waiting.left_s
        ends = min(own, self._last_end())
        held = [[self._board.whole_card(card) for card in rank] for rank in ranks]
        attempt = Attempt(held, self.now, runs, max(ends, runs + 5))
        job.attempts.append(attempt)
        running = RunningJob(waiting, attempt, [card for rank in ranks for card in rank])
        self._board.whole |= dict.fromkeys(running.cards, running)
        self._held[job.group] += job.cards
        self._at(attempt.ends_s, partial(self._end, running, is_own=ends == own))

    def _end(self, running: RunningJob, *, is_own: bool) -> None:
        if running.attempt.ends_s != self.now or running.is_leaving:
            return
        fate = running.waiting.job.fate
        is_again = fate.ending is Ending.RETRIED and len(running.waiting.job.attempts) > 1
        if not is_own or is_again:
            self._finish(running, Ending.SUCCEEDED, "")
        else:
            self._finish(running, fate.ending, fate.cause)

    def _finish(self, running: RunningJob, ending: Ending, cause: str) -> None:
        """Release the cards; what did not end by itself waits again."""
        attempt, waiting = running.attempt, running.waiting
        if (
            running.cards[0] not in self._board.whole
            or self._board.whole[running.cards[0]] is not running
        ):
            return
        attempt.ends_s, attempt.ending, attempt.cause = self.now, ending, cause
        attempt.runs_s = min(attempt.runs_s, self.now)
        for card in running.cards:
            del self._board.whole[card]
        self._held[waiting.job.group] -= waiting.job.cards
        if ending in (Ending.EVICTED, Ending.NODE_LOST, Ending.RETRIED):
            done = max(0, self.now - attempt.runs_s - self._draw.randrange(CHECKPOINT_S))
            left = waiting.left_s - (0 if ending is Ending.RETRIED else done)
            insort(self._queue, WaitingJob(waiting.job, max(left, 5 * MINUTE)))

    def _evict(self, running: RunningJob, cause: str) -> None:
        """Give a job notice; its cards are free after the grace."""
        ends = self.now + GRACE_S
        if running.is_leaving or running.attempt.ends_s <= ends:
            return
        running.is_leaving = True
        self._at(ends, partial(self._finish, running, Ending.EVICTED, cause))

    # Notebooks.

    def _open(self, notebook: PastNotebook, session: Session) -> None:
        self._guests.append((notebook, session, self.now))
        if not self._board.find_slots(notebook.slices):
            self._call_back()

    def _seat(self, notebook: PastNotebook, session: Session, since: int) -> None:
        if session.ends_s - self.now < 10 * MINUTE:
            self._guests.remove((notebook, session, since))
            return
        found = self._board.find_slots(notebook.slices)
        if not found:
            return
        self._guests.remove((notebook, session, since))
        self._board.take(found)
        runs = self.now + self._draw.randint(4, 12)
        ends = max(min(session.ends_s, self._last_end()), runs + 5)
        attempt = Attempt([[found]], self.now, runs, ends, session.ending)
        notebook.asked.append(since)
        notebook.attempts.append(attempt)
        self._at(ends, partial(self._board.leave, found))

    def _call_back(self) -> None:
        """Evict a job on lent cards."""
        if lent := self._board.least_lent():
            self._evict(lent, "called_back")


def make_past(lab: Lab) -> LabPast:
    """Return all work of a lab's past, none of which is left at its end."""
    return PastPlacer(lab).run(draw_jobs(lab), draw_notebooks(lab))
