"""Work that waits for different reasons, so that the queue has something to explain; pure.

None of it waits for capacity: a reservation for it would keep a newcomer's job waiting, too.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Final

from portal.demo.activity.books import OWN_MAX, Books, is_show
from portal.demo.activity.crew import Crew
from portal.demo.activity.drafts import MINUTE_S, draft_job
from portal.demo.activity.world import GPU, JOB_CPU_MILLI, Amount, JobDraft, Work, World
from portal.quotas.priorities import PRIORITIES

CHANCE: Final = 0.25
"""Of each kind that does not wait at the moment, in one round; the first round has all that can wait."""
URGENT_CHANCE: Final = 0.06
BLOCKED_MAX: Final = 2
ARRAY_TASKS: Final = (4, 6)
ARRAY_RUNNING: Final = 2
ARRAY_LENGTH_S: Final = (3 * MINUTE_S, 6 * MINUTE_S)
EVICTABLE_AFTER_S: Final = 11 * MINUTE_S
"""A little longer than a start is protected from eviction (`PoolPolicy.min_runtime_s`)."""
GANG_GPUS: Final = 8
"""Of each of its two ranks."""
GANG_CPU_MILLI: Final = 1_500
"""For each of its GPUs."""
GANG_BLOCKED_CPU_MILLI: Final = 28_000
"""What its group uses of 40 cores when it is submitted."""
HIGH: Final = PRIORITIES["high"]

Story = Callable[[World, Crew, Books, Random], JobDraft | None]


def draft_queue_stories(world: World, crew: Crew, books: Books, rng: Random) -> Iterator[JobDraft]:
    """Yield jobs that will wait: for a quota, a moment, another job, their owner, other tasks."""
    if not books.groups():
        return
    stories: list[tuple[Story, float]] = [
        (_over_quota, CHANCE),
        (_large_gang, CHANCE),
        (_begins_later, CHANCE),
        (_after_another, CHANCE),
        (_held, CHANCE),
        (_array, CHANCE),
        (_urgent, URGENT_CHANCE),
    ]
    rng.shuffle(stories)
    for story, chance in stories:
        is_due = not world.work or rng.random() < chance
        if is_due and (draft := story(world, crew, books, rng)) is not None:
            yield draft


def _over_quota(world: World, crew: Crew, books: Books, rng: Random) -> JobDraft | None:
    """Draft a job of two GPUs, or a gang of two such ranks, for a group whose quota is in use."""
    groups = [
        name for name in books.groups() if name not in OWN_MAX and books.is_full(name, _jobs(2))
    ]
    waiting = [item for item in world.work if item.is_queued and _waits_for_nothing_else(item)]
    if not groups or len(waiting) >= BLOCKED_MAX:
        return None
    return _draft(crew, rng, rng.choice(groups), gpus=2, replicas=rng.choice((1, 2)))


def _large_gang(world: World, crew: Crew, books: Books, rng: Random) -> JobDraft | None:
    """Draft two ranks of eight GPUs for a group that may have them, but not beside what it has."""
    if any(is_show(item.amount) for item in world.work):
        return None
    cpu_milli = 2 * GANG_GPUS * GANG_CPU_MILLI
    groups = [
        name
        for name in books.groups()
        if name not in OWN_MAX
        and world.ceilings[name].admits(Amount(2 * GANG_GPUS * GPU, cpu_milli))
        and books.used(name).cpu_milli >= GANG_BLOCKED_CPU_MILLI
    ]
    draft = _draft(crew, rng, rng.choice(groups), gpus=GANG_GPUS, replicas=2) if groups else None
    return draft and replace(draft, name=f"pretrain-{draft.name}", cpu_milli_per_gpu=GANG_CPU_MILLI)


def _begins_later(world: World, crew: Crew, books: Books, rng: Random) -> JobDraft | None:
    if any(item.has_begin for item in world.work):
        return None
    draft = _draft(crew, rng, rng.choice(books.groups_in_turn(GPU)), gpus=1)
    return draft and replace(draft, begins_in_s=rng.randint(5, 12) * MINUTE_S)


def _after_another(world: World, crew: Crew, books: Books, rng: Random) -> JobDraft | None:
    """Draft the evaluation of a training that runs."""
    if any(item.depends for item in world.work):
        return None
    groups = books.groups_in_turn(GPU)
    running = [
        item
        for item in world.work
        if item.is_job and item.run_s > 0 and not item.array and item.group in groups
    ]
    if not running:
        return None
    first = rng.choice(running)
    draft = _draft(crew, rng, first.group, gpus=1)
    return draft and replace(draft, name=f"eval-{draft.name}", after=first.id)


def _held(world: World, crew: Crew, books: Books, rng: Random) -> JobDraft | None:
    if any(item.is_held for item in world.work):
        return None
    draft = _draft(crew, rng, rng.choice(books.groups_in_turn(GPU)), gpus=1)
    return draft and replace(draft, is_held=True)


def _array(world: World, crew: Crew, books: Books, rng: Random) -> JobDraft | None:
    """Draft a small search over parameters."""
    if any(item.array for item in world.work):
        return None
    group = rng.choice(books.groups_in_turn(ARRAY_RUNNING * GPU))
    draft = _draft(crew, rng, group, gpus=1, length_s=rng.randint(*ARRAY_LENGTH_S))
    return draft and replace(
        draft,
        name=f"sweep-{draft.name}",
        tasks=rng.randint(*ARRAY_TASKS),
        running_max=ARRAY_RUNNING,
    )


def _urgent(world: World, crew: Crew, books: Books, rng: Random) -> JobDraft | None:
    """Draft a job of high priority where only an eviction lets it start."""
    if any(item.priority for item in world.work):
        return None
    groups = sorted(
        {
            item.group
            for item in world.work
            if item.is_job
            and item.run_s >= EVICTABLE_AFTER_S
            and books.is_full(item.group, _jobs(1))
        }
        - OWN_MAX.keys()
    )
    if not groups:
        return None
    group = rng.choice(groups)
    draft = draft_job(rng, owner=crew.head(group), group=group, gpus=1)
    return replace(draft, name=f"deadline-{draft.name}", priority=HIGH)


def _draft(
    crew: Crew, rng: Random, group: str, *, gpus: int, replicas: int = 1, length_s: int = 0
) -> JobDraft | None:
    owner = crew.pick(group, rng)
    if owner is None:
        return None
    return draft_job(rng, owner=owner, group=group, gpus=gpus, replicas=replicas, length_s=length_s)


def _jobs(gpus: int) -> Amount:
    """Return what jobs with so many GPUs count as."""
    return Amount(gpus * GPU, gpus * JOB_CPU_MILLI)


def _waits_for_nothing_else(item: Work) -> bool:
    is_otherwise = item.is_held or item.has_begin or item.depends or item.array
    return not is_otherwise and not is_show(item.amount)
