"""What the people of the demo do next: a pure decision on what there is and what is free.

The activity keeps most of the cluster busy and never all of it: a newcomer's first notebook and job start
at once. What the engine may start by itself between two rounds is counted as started (`Books`).
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from random import Random
from typing import Final

from portal.demo.activity.books import Books, is_show
from portal.demo.activity.crew import Crew
from portal.demo.activity.drafts import (
    draft_job,
    draft_notebook,
    draw_hold_s,
    draw_patience_s,
    draw_regret_s,
    draw_stay_s,
    seeded,
)
from portal.demo.activity.queue_stories import draft_queue_stories
from portal.demo.activity.world import (
    GPU,
    JOB_CPU_MILLI,
    STOPPING,
    WIDE_GPUS,
    Amount,
    End,
    Leave,
    Open,
    ReleaseHold,
    Resume,
    Step,
    Submit,
    Work,
    World,
)
from portal.demo.organisation import DEVELOPMENT, SHARES

ROUND_S: Final = 30
"""Between two rounds."""
ARRIVALS_MAX: Final = 2
"""Submissions of one round."""
OPENING_MAX: Final = 15
"""The same where the activity has nothing yet: there is life as soon as the past is seeded."""
ENDS_MAX: Final = 10
"""What ends in one round when the activity is switched off."""
WIDE_LENGTH_S: Final = (15 * 60, 40 * 60)
GIVE_UP_CPU_MILLI: Final = 24_000
"""Below so much in use, a job that is never to start would soon have room in the quota of its group."""
SIZES: Final = (1, 1, 2)
NIGHT: Final = range(1, 7)
DAY: Final = range(9, 22)


def decide(world: World) -> tuple[Step, ...]:
    """Return what is submitted, released, left and ended now; the same world gives the same steps."""
    rng = seeded(world.seed, int(world.now.timestamp()) // ROUND_S)
    leaving = tuple(_departures(world))
    if world.are_others_waiting:
        return leaving
    gone = {step.work.id for step in leaving if not isinstance(step, ReleaseHold)}
    round_ = _Round(world, Crew(world, gone), Books(world, gone=gone), rng)
    return (*leaving, *islice(round_.arrivals(), ARRIVALS_MAX if world.work else OPENING_MAX))


def decide_end(world: World) -> tuple[End, ...]:
    """Return what ends now that the activity is off: the newest first, some of it in each round."""
    ending = [item for item in world.work if item.state != STOPPING]
    newest = sorted(ending, key=lambda item: (item.age_s, item.id))
    return tuple(End(item) for item in newest[:ENDS_MAX])


def training_gpus_wanted(now: datetime) -> int:
    """Return on how many GPUs of the training pool jobs run at this hour of the site."""
    return 10 if now.hour in NIGHT else 14 if now.hour in DAY else 12


def notebooks_wanted(now: datetime) -> int:
    """Return how many notebooks on slices are open at this hour."""
    return 8 if now.hour in DAY else 5


def shares_wanted(now: datetime) -> int:
    """Return how many notebooks on shares of cards are open at this hour."""
    return 4 if now.hour in DAY else 3


def _departures(world: World) -> Iterator[ReleaseHold | End | Leave]:
    for item in world.work:
        if item.is_queued and is_show(item.amount) and _used(world, item.group) < GIVE_UP_CPU_MILLI:
            yield End(item)
        elif item.is_held:
            if item.age_s >= draw_hold_s(world.seed, item.id):
                yield ReleaseHold(item)
        elif item.is_queued:
            if item.wait_s >= draw_patience_s(world.seed, item.id):
                yield End(item) if item.is_job else Leave(item)
        elif item.run_s > 0 and _has_enough(world.seed, item):
            yield End(item) if item.is_job else Leave(item)


def _used(world: World, group: str) -> int:
    """Return how much of its processors a group uses."""
    own = sum(
        item.amount.cpu_milli for item in world.work if item.group == group and item.is_placed
    )
    return own + world.used_by_others.get(group, Amount()).cpu_milli


def _has_enough(seed: int, item: Work) -> bool:
    if not item.is_job:
        return item.run_s >= draw_stay_s(seed, item.id)
    regret_s = draw_regret_s(seed, item.id)
    return regret_s is not None and item.run_s >= regret_s


class _Round:
    """The arrivals of one round."""

    def __init__(self, world: World, crew: Crew, books: Books, rng: Random) -> None:
        self._world = world
        self._crew = crew
        self._books = books
        self._rng = rng

    def arrivals(self) -> Iterator[Step]:
        """Yield what is worth submitting, one of each kind in turn, each counted in the books.

        Where there is nothing yet, what waits comes first: a queue has something to show.
        """
        kinds = [self._small_jobs(), self._wide_jobs()]
        if self._world.work:
            kinds.append(self._stories())
        else:
            yield from self._stories()
        kinds += [self._notebooks(pool) for pool in (DEVELOPMENT, SHARES)]
        self._rng.shuffle(kinds)
        while kinds:
            kind = kinds.pop(0)
            step = next(kind, None)
            if step is not None:
                yield step
                kinds.append(kind)

    def _small_jobs(self) -> Iterator[Step]:
        wanted = training_gpus_wanted(self._world.now)
        while self._books.training_gpus() < wanted:
            step = self._submit_small(self._rng.choice(SIZES))
            if step is None:
                return
            yield step

    def _submit_small(self, gpus: int) -> Step | None:
        """Submit a job of a group with room for it; None if there is none."""
        amount = Amount(gpus * GPU, gpus * JOB_CPU_MILLI)
        in_turn = self._books.groups_in_turn(amount.gpu_milli)
        groups = [name for name in in_turn if not self._books.is_full(name, amount)]
        for group in self._rng.sample(groups, len(groups)):
            owner = self._crew.pick(group, self._rng)
            if owner is None:
                continue
            draft = draft_job(self._rng, owner=owner, group=group, gpus=gpus)
            if self._books.may_submit(draft):
                self._books.add_job(draft)
                return Submit(draft)
        return None

    def _wide_jobs(self) -> Iterator[Step]:
        """Yield jobs of four GPUs, in their own pool or on borrowed GPUs; not for groups at their quota."""
        is_wanted = self._books.training_gpus() < training_gpus_wanted(self._world.now)
        amount = Amount(WIDE_GPUS * GPU, WIDE_GPUS * JOB_CPU_MILLI)
        groups = [name for name in self._books.groups() if not self._books.is_full(name, amount)]
        for group in self._rng.sample(groups, len(groups)):
            owner = self._crew.pick(group, self._rng)
            if owner is None:
                continue
            length_s = self._rng.randint(*WIDE_LENGTH_S)
            draft = draft_job(
                self._rng, owner=owner, group=group, gpus=WIDE_GPUS, length_s=length_s
            )
            is_lent = self._books.may_borrow(draft)
            if is_lent or (is_wanted and self._books.may_submit(draft)):
                self._books.add_job(draft, is_lent=is_lent)
                yield Submit(draft)

    def _stories(self) -> Iterator[Step]:
        for draft in draft_queue_stories(self._world, self._crew, self._books, self._rng):
            if self._books.may_submit(draft):
                self._books.add_job(draft)
                yield Submit(draft)

    def _notebooks(self, pool: str) -> Iterator[Step]:
        is_on_share = pool == SHARES
        now = self._world.now
        wanted = shares_wanted(now) if is_on_share else notebooks_wanted(now)
        wanted -= sum(
            not (item.is_job or item.is_suspended) and item.pool == pool
            for item in self._world.work
        )
        for group in self._rng.sample(self._books.groups(), len(self._books.groups())):
            if wanted <= 0:
                return
            step = self._open(group, pool)
            if step is not None:
                wanted -= 1
                yield step

    def _open(self, group: str, pool: str) -> Step | None:
        """Take up a notebook that was left, or open one for somebody who has none."""
        left = [item for item in self._crew.find_left(pool) if item.group == group]
        if left:
            chosen = self._rng.choice(left)
            return Resume(chosen) if self._takes(group, chosen.amount, chosen.slices) else None
        owner = self._crew.newcomer(group, pool, self._rng)
        if owner is None:
            return None
        draft = draft_notebook(self._rng, owner=owner, group=group, is_on_share=pool == SHARES)
        return Open(draft) if self._takes(group, draft.amount, draft.slices) else None

    def _takes(self, group: str, amount: Amount, slices: int) -> bool:
        """Count a notebook if there is room for it, and return whether there is."""
        has_room = self._books.may_open(group, amount, slices)
        if has_room:
            self._books.add_notebook(group, amount, slices)
        return has_room
