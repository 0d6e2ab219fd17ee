"""The demand of a scenario's people: the same days and tasks under whatever rules."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.model.work_traits import EvictAs, WorkTraits
from scheduler.whatif.engine import Job
from scheduler.whatif.form import parse_day_of_week, parse_minute_of_day
from scheduler.whatif.scenario import (
    CLOCK,
    WORKDAYS,
    People,
    Regime,
    Scenario,
    ScenarioPool,
    pools_for,
)

MINUTE_MS: Final = 60_000
DAY_MS: Final = 24 * 60 * MINUTE_MS
WEEK_MS: Final = 7 * DAY_MS
MONDAY: Final = 4 * DAY_MS - CLOCK.utc_offset_min * MINUTE_MS
"""The first Monday 00:00 of the epoch, on the site's clock."""
EVERYBODY: Final = GroupId("everybody")
"""The parent of all groups; without a queue it is the only group."""
_BY_HAND_MS: Final = 30 * MINUTE_MS
"""A member who starts a task by hand gives up if no card comes free for so long."""
_BY_HAND_PRIORITY: Final = 100
"""A member who leaves starts the task on the card of the own notebook, before all others."""
NOTEBOOK: Final = WorkTraits(may_borrow=False, guaranteed=True, evict_as=EvictAs.SUSPENDED)
"""The traits of a notebook."""
_NOTEBOOK_LIMIT_S: Final = 16 * 3600
_LIMIT_FACTOR: Final = 2
"""Time limit of a task, in lengths of the task."""


class _SeededRandom(random.Random):
    """Random numbers that are the same for the same name."""


@dataclass(frozen=True, slots=True)
class Presence:
    """When one person arrives and leaves on one day."""

    arrives_ms: int
    leaves_ms: int


def presences(scenario: Scenario, people: People, member: int) -> Iterator[Presence]:
    """Yield one person's days; the same seed gives the same days."""
    first, last = (parse_minute_of_day(text) for text in people.arrive)
    for week in range(scenario.settle_weeks + scenario.weeks):
        for day in range(len(WORKDAYS)):
            draw = _SeededRandom(f"{scenario.seed}/{people.group}/{member}/{week}/{day}")
            jitter = people.stay_jitter_minutes
            midnight = MONDAY + week * WEEK_MS + day * DAY_MS
            comes = midnight + int(draw.uniform(first, last) * MINUTE_MS)
            stay = people.stay_hours * 60 + draw.uniform(-jitter, jitter)
            yield Presence(comes, comes + int(stay * MINUTE_MS))


@dataclass(frozen=True, slots=True)
class _Person:
    """One member under one regime."""

    people: People
    name: str
    group: GroupId
    heavy: bool
    days: list[Presence]


def generate_demand(scenario: Scenario, regime: Regime) -> list[Job]:
    """Return all notebooks and tasks as jobs for the pools of one regime."""
    jobs: list[Job] = []
    members = [(people, member) for people in scenario.people for member in range(people.members)]
    for number, (people, member) in enumerate(members):
        person = _Person(
            people,
            name=f"{people.group}-{member}",
            group=EVERYBODY if regime.by_hand else GroupId(people.group),
            heavy=member < people.heavy_members,
            days=list(presences(scenario, people, member)),
        )
        if people.notebook:
            pool = _pool_of(pools_for(regime, people.group, "notebooks"), number)
            jobs += [_notebook(person, pool, day) for day in person.days]
        if people.tasks_per_week:
            pool = _pool_of(pools_for(regime, people.group, "tasks"), number)
            jobs += _tasks(scenario, person, pool, by_hand=regime.by_hand)
    return jobs


def _pool_of(pools: tuple[ScenarioPool, ...], number: int) -> ScenarioPool:
    return pools[number % len(pools)]


def _notebook(person: _Person, pool: ScenarioPool, day: Presence) -> Job:
    slices = 2 if person.heavy else 1
    request = (
        Request(slices=slices, cpu_milli=1000)
        if pool.slices > 1
        else Request(gpus=1, cpu_milli=1000)
    )
    workload = PendingWorkload(
        id=WorkloadId(f"notebook-{person.name}-{day.arrives_ms // DAY_MS}"),
        pool=PoolId(pool.name),
        group=person.group,
        user=UserId(person.name),
        priority=0,
        submitted_at=Millis(day.arrives_ms),
        request=request,
        version=0,
        time_limit_s=_NOTEBOOK_LIMIT_S,
        traits=NOTEBOOK,
    )
    return Job(workload, work_ms=_NOTEBOOK_LIMIT_S * 1000, leaves_ms=day.leaves_ms)


def _tasks(
    scenario: Scenario, person: _Person, pool: ScenarioPool, *, by_hand: bool
) -> Iterator[Job]:
    """Yield a person's tasks: queued during the day, or started by hand when leaving."""
    people = person.people
    when = [parse_day_of_week(day) for day in people.task_days]
    for week in range(scenario.settle_weeks + scenario.weeks):
        present = [person.days[week * len(WORKDAYS) + day] for day in when]
        draw = _SeededRandom(f"{scenario.seed}/{person.name}/{week}/tasks")
        count = min(people.tasks_per_week, len(present)) if by_hand else people.tasks_per_week
        for number in range(count):
            day = present[number % len(present)]
            moment = day.leaves_ms if by_hand else int(draw.uniform(day.arrives_ms, day.leaves_ms))
            name = f"task-{person.name}-{week}-{number}"
            yield _task(person, pool, name, moment, by_hand=by_hand)


def _task(person: _Person, pool: ScenarioPool, name: str, moment: int, *, by_hand: bool) -> Job:
    people = person.people
    length_ms = int(people.task_hours * 60 * MINUTE_MS)
    workload = PendingWorkload(
        id=WorkloadId(name),
        pool=PoolId(pool.name),
        group=person.group,
        user=UserId(person.name),
        priority=_BY_HAND_PRIORITY if by_hand else 0,
        submitted_at=Millis(moment),
        request=Request(replicas=people.task_ranks, gpus=people.task_gpus, cpu_milli=4000),
        version=0,
        time_limit_s=_LIMIT_FACTOR * length_ms // 1000,
        preemptible=people.preemptible and not by_hand,
    )
    return Job(
        workload,
        work_ms=length_ms,
        checkpoint_ms=people.checkpoint_minutes * MINUTE_MS,
        gives_up_ms=moment + _BY_HAND_MS if by_hand else None,
    )
