"""The plan of the activity on a toy of the site: there is life, and there is always room for people."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from random import Random

import pytest

from portal.demo.activity.crew import WALKERS
from portal.demo.activity.plan import ARRIVALS_MAX, OPENING_MAX, decide, decide_end
from portal.demo.activity.world import (
    GPU,
    Amount,
    Ceiling,
    End,
    Leave,
    Open,
    ReleaseHold,
    Resume,
    Room,
    Step,
    Submit,
    Work,
    World,
)
from portal.demo.organisation import TEAMS
from tests.portal.demo.activity.toy_site import CEILINGS, ToySite

SEEDS = range(3)
MONDAY_NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SUNDAY_NIGHT = datetime(2026, 11, 29, 3, tzinfo=UTC)
TEN_MINUTES = 20
"""Rounds."""
HOURS = 300


def owner_of(step: Step) -> str:
    match step:
        case Submit(job):
            return job.owner
        case Open(notebook):
            return notebook.owner
        case _:
            return step.work.owner


@dataclass
class Day:
    """Some hours of a site, looked at after every round."""

    site: ToySite
    small: list[int]
    lent: list[int]
    slices: list[int]
    share_milli: list[int]
    held: Counter[str]
    """Most that a group has held at one time."""
    queue: list[int]
    reasons: Counter[str]
    """In how many rounds something waits for it."""


@cache
def hours(seed: int, ceiling: Ceiling) -> Day:
    """Return two hours and a half of a day."""
    site = ToySite(seed, now=MONDAY_NOON, ceiling=ceiling)
    day = Day(site, [], [], [], [], Counter(), [], Counter())
    for _ in range(HOURS):
        site.round()
        day.small.append(site.training_gpus())
        day.lent.append(site.lent())
        day.slices.append(site.slices())
        day.share_milli.append(site.share_milli())
        held: Counter[str] = Counter()
        for item in site.running():
            held[item.group] += item.amount.gpu_milli
        day.held |= held
        waiting = [item for item in site.work.values() if item.is_queued]
        day.queue.append(len(waiting))
        day.reasons.update({reason_of(item) for item in waiting})
    return day


def reason_of(work: Work) -> str:
    named = {
        "held": work.is_held,
        "begin": work.has_begin,
        "dependency": work.depends,
        "array": bool(work.array),
    }
    return next((name for name, is_so in named.items() if is_so), "quota")


@pytest.mark.parametrize("ceiling", CEILINGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_there_is_always_room_for_a_newcomer(seed: int, ceiling: Ceiling) -> None:
    day = hours(seed, ceiling)
    assert max(day.small) <= 14
    assert max(day.lent) <= 8
    free = [128 - 8 * lent - held for lent, held in zip(day.lent, day.slices, strict=True)]
    assert min(free) >= 24
    assert max(day.share_milli) <= 3 * GPU
    assert max(day.held.values()) <= 8 * GPU
    assert max(day.held["vision"], day.held["speech"]) <= 3 * GPU


@pytest.mark.parametrize("ceiling", CEILINGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_most_of_the_cluster_is_busy_by_day(seed: int, ceiling: Ceiling) -> None:
    day = hours(seed, ceiling)
    busy = [
        small + lent + -(-slices // 8) + -(-milli // GPU)
        for small, lent, slices, milli in zip(
            day.small, day.lent, day.slices, day.share_milli, strict=True
        )
    ][TEN_MINUTES:]
    assert 15 <= sum(busy) / len(busy) <= 28


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("now", "least"), [(MONDAY_NOON, 13), (SUNDAY_NIGHT, 6)])
def test_a_visitor_sees_life_within_ten_minutes(seed: int, now: datetime, least: int) -> None:
    site = ToySite(seed, now=now)
    seen: Counter[type[Step]] = Counter()
    for number in range(TEN_MINUTES):
        steps = site.round()
        assert len([step for step in steps if isinstance(step, Submit | Open | Resume)]) <= (
            ARRIVALS_MAX if number else OPENING_MAX
        )
        seen.update(type(step) for step in steps)
    busy = sum(item.amount.gpu_milli for item in site.running()) / GPU
    assert busy >= least
    assert seen[Submit] >= 6
    assert seen[Open] >= 3


@pytest.mark.parametrize("now", [MONDAY_NOON, SUNDAY_NIGHT])
@pytest.mark.parametrize("seed", range(10))
def test_the_first_round_has_work_that_runs_and_work_that_waits(seed: int, now: datetime) -> None:
    site = ToySite(seed, now=now)
    site.round()
    running = site.running()
    assert sum(item.is_job for item in running) >= 3
    assert sum(not item.is_job for item in running) >= 4
    waiting = {reason_of(item) for item in site.work.values() if item.is_queued}
    assert waiting >= {"held", "begin"}


@pytest.mark.parametrize("ceiling", CEILINGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_work_waits_for_several_reasons_and_some_evicts(seed: int, ceiling: Ceiling) -> None:
    day = hours(seed, ceiling)
    assert min(day.reasons[name] for name in ("held", "begin", "dependency", "array", "quota")) > 10
    assert max(day.queue) <= 20
    jobs = [step.job for step in day.site.log if isinstance(step, Submit)]
    assert any(job.priority > 0 for job in jobs)
    assert any(job.replicas == 2 for job in jobs)
    assert any(job.gpus == 8 for job in jobs) is (ceiling == CEILINGS[1])
    assert max(day.lent) >= 4
    assert {type(step) for step in day.site.log} == {Submit, Open, Resume, Leave, ReleaseHold, End}


@pytest.mark.parametrize("ceiling", CEILINGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_people_of_the_pages_for_users_are_left_alone(seed: int, ceiling: Ceiling) -> None:
    owners = {owner_of(step) for step in hours(seed, ceiling).site.log}
    assert WALKERS.isdisjoint(owners)
    assert owners <= {name for team in TEAMS for name in team.people}


@pytest.mark.parametrize("seed", SEEDS)
def test_people_who_come_and_go_keep_their_room(seed: int) -> None:
    rng = Random(seed)
    site = ToySite(seed)
    for _ in range(HOURS // 3):
        free = site.free_by_node()["train-1"]
        if free > 0 and rng.random() < 0.2:
            site.visit(1)
        elif site.visitors_training and rng.random() < 0.2:
            site.visit(-1)
        before = site.world()
        used = {team.name: site.used(team.name) for team in TEAMS}
        starting = 0
        for job in [step.job for step in decide(before) if isinstance(step, Submit)]:
            is_due = not (job.is_held or job.begins_in_s or job.after)
            has_node = job.gpus <= before.room.training_largest
            if is_due and has_node and site.ceiling.admits(used[job.group] + job.amount):
                used[job.group] += job.amount
                starting += job.amount.gpu_milli
        assert starting == 0 or before.room.training_free * GPU - starting >= 2 * GPU
        site.round()


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_added_while_people_wait(seed: int) -> None:
    site = ToySite(seed)
    for _ in range(TEN_MINUTES):
        site.round()
    for _ in range(TEN_MINUTES):
        steps = site.round(are_others_waiting=True)
        assert not any(isinstance(step, Submit | Open | Resume) for step in steps)


def test_the_same_world_gives_the_same_steps() -> None:
    one, other = ToySite(1), ToySite(1)
    for _ in range(TEN_MINUTES):
        assert one.round() == other.round()
    assert ToySite(2).round() != ToySite(1).round()


def test_a_cluster_without_nodes_gets_nothing() -> None:
    world = World(1, MONDAY_NOON, Room(), ceilings={team.name: CEILINGS[0] for team in TEAMS})
    assert [step for step in decide(world) if not isinstance(step, Submit)] == []
    assert [step.job for step in decide(world) if isinstance(step, Submit)] == []


def test_without_quotas_nobody_acts() -> None:
    assert decide(World(1, MONDAY_NOON, Room(8, 16, 16, 128, 4000))) == ()


def test_when_it_is_switched_off_everything_ends_the_newest_first() -> None:
    site = ToySite(3)
    for _ in range(2 * TEN_MINUTES):
        site.round()
    count = len(site.work)
    ended: list[Work] = []
    while steps := decide_end(site.world()):
        ended += [step.work for step in steps]
        for step in steps:
            del site.work[step.work.id]
    assert len(ended) == count > 10
    assert [item.age_s for item in ended] == sorted(item.age_s for item in ended)


def test_what_stops_already_is_not_ended_again() -> None:
    work = Work("a", "xu.na", "language", "training", True, "stopping", Amount(GPU), gpus=1)
    world = World(1, MONDAY_NOON, Room(), (work,), {"language": CEILINGS[0]})
    assert decide_end(world) == ()
    assert decide(world) == ()
