"""Worlds in which some work has no time limit, and some groups have budgets."""

from dataclasses import replace
from random import Random

from scheduler.core.model.entities import GroupView
from tests.scheduler.promises.worlds import Budget, Job, World, make_world


def make_open_world(seed: int) -> World:
    """Return the world of a seed with open ends, always the same."""
    world, draw = make_world(seed), Random(f"open ends/{seed}")
    return replace(
        world,
        jobs=tuple(_opened(draw, job) if draw.random() < 0.3 else job for job in world.jobs),
        budgets=tuple(_draw_budget(draw, group) for group in world.site.groups[:1])
        if draw.random() < 0.5
        else (),
    )


def _opened(draw: Random, job: Job) -> Job:
    """Return a job that stays until somebody ends it, which is soon or after the end of the world."""
    work = job.workload
    traits = replace(work.traits, open_end=True, may_borrow=draw.random() < 0.5)
    if draw.random() < 0.3:
        traits = replace(traits, guaranteed=True)
    return replace(
        job,
        workload=replace(work, time_limit_s=None, traits=traits),
        runs_s=draw.choice([600, 3600, 1_000_000, 1_000_000]),
    )


def _draw_budget(draw: Random, group: GroupView) -> Budget:
    return Budget(
        group.id, draw.choice([3_600, 14_400, 100_000]), draw.choice([1800, 3600, 7200, 86_400])
    )
