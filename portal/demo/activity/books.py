"""What the activity holds and may yet hold, so that it never takes what is left for people; pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from portal.demo.activity.world import GPU, Amount, JobDraft, Work, World

TRAINING_MAX: Final = 14 * GPU
"""Of the sixteen GPUs of the training pool, the activity never holds more."""
LENT_MAX: Final = 8 * GPU
"""What it borrows of the development pool at most."""
KEEP_TRAINING: Final = 2
"""GPUs of the training pool that a submission leaves free."""
KEEP_CARDS: Final = 3
"""Untouched cards of the development pool that a borrower leaves."""
KEEP_SLICES: Final = 24
KEEP_SHARE_MILLI: Final = GPU
QUEUE_MAX: Final = 10
OWN_MAX: Final = {"vision": 3 * GPU, "speech": 3 * GPU}
"""What the activity may have in the groups of the people who follow `docs/users`; the rest is theirs."""

TURN_S: Final = 2 * 3600
ASIDE_MAX: Final = 2 * GPU
"""What a large group has at most when it submits a small job and is not in turn."""


class Books:
    """The GPUs of the activity by group and pool, with what this round has submitted so far.

    Queued jobs count as if they ran, but no more of a group than its quota lets run at once: so nothing
    that the engine starts later, when a quota or a moment allows it, exceeds what was planned.
    """

    def __init__(self, world: World, *, gone: Iterable[str] = ()) -> None:
        """`gone` is work that ends in this round: it holds its GPUs until it has ended, but waits no more."""
        left = frozenset(gone)
        self._room = world.room
        self._turn = int(world.now.timestamp()) // TURN_S
        self._ceilings = world.ceilings
        self._used: dict[str, Amount] = defaultdict(Amount, world.used_by_others)
        self._own: dict[str, int] = defaultdict(int)
        self._at_home: dict[str, int] = defaultdict(int)
        self._lent = self._starting_lent = self._starting_at_home = 0
        self._starting_slices = self._starting_share = 0
        self.queued = 0
        for item in filter(lambda each: each.is_placed, world.work):
            self._hold(item)
        for item in _startable(world.work):
            if item.id not in left:
                self._wait(item)

    def groups(self) -> list[str]:
        """Return the groups that may be used, in alphabetical order."""
        return sorted(self._ceilings)

    def groups_in_turn(self, milli: int) -> list[str]:
        """Return the groups of which somebody may submit a small job of this size now.

        One of the large groups has most of them for a while, so that some quota is full; the others keep
        their quotas for wide jobs.
        """
        large = [name for name in self.groups() if name not in OWN_MAX]
        focus = large[self._turn % len(large)] if large else ""
        return [
            name
            for name in self.groups()
            if name in OWN_MAX or name == focus or self._own[name] + milli <= ASIDE_MAX
        ]

    def used(self, group: str) -> Amount:
        """Return what a group holds, people's work included, and what starts in it now."""
        return self._used[group]

    def is_full(self, group: str, amount: Amount) -> bool:
        """Return whether the quotas of a group keep work of this size waiting."""
        return not self._ceilings[group].admits(self._used[group] + amount)

    def training_gpus(self) -> int:
        """Return on how many GPUs of the training pool jobs run, or may run before the next round."""
        return sum(map(self._may_run, self._at_home)) // GPU

    def may_submit(self, job: JobDraft) -> bool:
        """Return whether a job may be submitted: it starts in its own pool, or its group's quota is full."""
        gpu_milli, is_blocked = job.amount.gpu_milli, self.is_full(job.group, job.amount)
        if self.queued >= QUEUE_MAX or not self._is_within_own(job.group, gpu_milli):
            return False
        if is_show(job.amount):
            return is_blocked
        before = sum(map(self._may_run, self._at_home))
        after = before + self._may_run(job.group, gpu_milli) - self._may_run(job.group)
        if after > TRAINING_MAX:
            return False
        free = self._room.training_free * GPU - self._starting_at_home - gpu_milli
        has_room = free >= KEEP_TRAINING * GPU and self._room.training_largest >= job.gpus
        return is_blocked or has_room

    def may_borrow(self, job: JobDraft) -> bool:
        """Return whether a job starts on borrowed GPUs: no node of its own pool has room, a lender has."""
        gpu_milli = job.amount.gpu_milli
        cards = self._room.lendable * GPU - self._starting_lent - gpu_milli
        return (
            self._room.training_largest < job.gpus
            and self.queued < QUEUE_MAX
            and self._is_within_own(job.group, gpu_milli)
            and not self.is_full(job.group, job.amount)
            and self._lent + gpu_milli <= LENT_MAX
            and cards >= KEEP_CARDS * GPU
        )

    def may_open(self, group: str, amount: Amount, slices: int) -> bool:
        """Return whether a notebook starts at once and leaves room: on slices, or with none on a share."""
        if self.is_full(group, amount) or not self._is_within_own(group, amount.gpu_milli):
            return False
        if slices:
            return self._room.slices_free - self._starting_slices - slices >= KEEP_SLICES
        free = self._room.share_milli_free - self._starting_share - amount.gpu_milli
        return free >= KEEP_SHARE_MILLI

    def add_job(self, job: JobDraft, *, is_lent: bool = False) -> None:
        """Count a job that is submitted now."""
        self._queue_job(job.group, job.amount, is_lent=is_lent)

    def add_notebook(self, group: str, amount: Amount, slices: int) -> None:
        """Count a notebook that starts now."""
        self._own[group] += amount.gpu_milli
        self._used[group] += amount
        self._starting_slices += slices
        self._starting_share += 0 if slices else amount.gpu_milli

    def _hold(self, item: Work) -> None:
        self._own[item.group] += item.amount.gpu_milli
        self._used[item.group] += item.amount
        if item.is_lent:
            self._lent += item.amount.gpu_milli
        elif item.is_job:
            self._at_home[item.group] += item.amount.gpu_milli

    def _wait(self, item: Work) -> None:
        if item.is_job:
            self._queue_job(item.group, item.amount, is_lent=False)
        else:
            self.queued += 1
            self.add_notebook(item.group, item.amount, item.slices)

    def _queue_job(self, group: str, amount: Amount, *, is_lent: bool) -> None:
        """Count a queued job: what may start now takes room, what is blocked only its place."""
        is_blocked = self.is_full(group, amount)
        self.queued += 1
        if is_show(amount):
            return
        self._own[group] += amount.gpu_milli
        if is_lent:
            self._lent += amount.gpu_milli
            self._starting_lent += amount.gpu_milli
        else:
            self._at_home[group] += amount.gpu_milli
            self._starting_at_home += 0 if is_blocked else amount.gpu_milli
        if not is_blocked:
            self._used[group] += amount

    def _may_run(self, group: str, more: int = 0) -> int:
        """Return how much jobs of a group may hold of the training pool at one time."""
        ceiling = self._ceilings[group].gpu_milli_of_jobs if group in self._ceilings else None
        most = self._at_home[group] + more
        return most if ceiling is None else min(ceiling, most)

    def _is_within_own(self, group: str, milli: int) -> bool:
        most = OWN_MAX.get(group)
        return most is None or self._own[group] + milli <= most


def is_show(amount: Amount) -> bool:
    """Return whether a job is larger than the activity may be: it waits for its quota, and never starts."""
    return amount.gpu_milli > TRAINING_MAX


def _startable(work: Collection[Work]) -> Iterator[Work]:
    """Yield what is queued, without tasks of arrays beyond those that may run at once."""
    running = Counter(item.array for item in work if item.array and item.is_placed)
    for item in work:
        if not item.is_queued:
            continue
        if item.array:
            running[item.array] += 1
            if running[item.array] > item.running_max:
                continue
        yield item
