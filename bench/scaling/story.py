"""`python -m bench.scaling.story FOLDER`: the story's weeks with two services on the same GPUs.

*Static*: each service holds for ever as many GPUs as keep its promise without scaling. *Scaled*: its
replicas come and go by the rule, before the tasks of their group and by the same queue, quotas and
notices; the time that each waits for its GPU is part of its cold start when the requests are played
again, so the attainment is that of the weeks as they were scheduled.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Final

from bench.scaling.cases import DAY_MS, LOADS, PICTURES
from bench.scaling.play import Played, Start, play
from bench.scaling.rules import Berth, Static
from bench.scaling.traffic import Traffic, load_times, pictures
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.scaling.values import ReplicaBounds
from scheduler.whatif.engine import Job
from scheduler.whatif.people import MONDAY, WEEK_MS
from scheduler.whatif.report import print_table
from scheduler.whatif.scenario import Scenario, load_scenario
from scheduler.whatif.story import StoryRun, StoryServices, run_story

SLACK_MS: Final = 60_000
FIRST_MONDAY: Final = 3 * DAY_MS
"""The trace begins on a Friday."""
SERVICES: Final = ("pictures-a", "pictures-b")
PRIORITY: Final = 100
BUSY_PCT: Final = 90
"""Of a GPU while it answers, as that of a task that computes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.scaling.story", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the traces lie")
    parser.add_argument("--static", type=int, default=5, help="GPUs of each service, static")
    parser.add_argument("--weeks", type=int, default=2, help="measured, after one that settles")
    given = parser.parse_args(arguments)
    scenario = replace(load_scenario("aistation"), weeks=given.weeks)
    weeks = scenario.settle_weeks + scenario.weeks
    traffic = repeated(pictures(given.folder / PICTURES, SLACK_MS), weeks)
    loads = load_times(given.folder / LOADS)
    fixed = play(traffic, Static(given.static), Start((1,), given.static, WEEK_MS))
    static = run_story(scenario, scenario.after, _services(fixed), progress=True)
    ordered = play(traffic, _rule(traffic), Start(loads, 1, WEEK_MS))
    scaled = run_story(scenario, scenario.after, _services(ordered), progress=True)
    waits = scaled.service_waits_s[:: len(SERVICES)]
    delayed = tuple(
        load + round(1000 * wait) for load, wait in zip(cycle(loads), waits, strict=False)
    )
    answered = play(traffic, _rule(traffic), Start(delayed, 1, WEEK_MS))
    rows = [
        _row("static", fixed, fixed.attained, static, scenario),
        _row("scaled", ordered, answered.attained, scaled, scenario),
    ]
    print_table(rows)
    return 0


def _rule(traffic: Traffic) -> Berth:
    return Berth(traffic, ReplicaBounds(1, 12))


def repeated(traffic: Traffic, weeks: int) -> Traffic:
    """The trace's first whole week, again and again."""
    week = traffic.between(FIRST_MONDAY, FIRST_MONDAY + WEEK_MS)
    return Traffic(
        tuple(at + number * WEEK_MS for number in range(weeks) for at in week.arrivals),
        week.services * weeks,
        week.slots,
        week.slack_ms,
    )


def _services(played: Played) -> StoryServices:
    """The replicas of all services as work of the groups in turn, in the pool of tasks."""
    scenario = load_scenario("aistation")
    groups = sorted(people.group for people in scenario.people)
    pool = next(pool for pool in scenario.after.pools if "tasks" in pool.serves)
    jobs = [
        Job(
            PendingWorkload(
                id=WorkloadId(f"{service}-{number}"),
                pool=PoolId(pool.name),
                group=GroupId(groups[number % len(groups)]),
                user=UserId(service),
                priority=PRIORITY,
                submitted_at=Millis(MONDAY + began),
                request=Request(gpus=1, cpu_milli=1000),
                version=0,
                time_limit_s=2 * (ended - began) // 1000 + 1,
                preemptible=False,
            ),
            work_ms=max(1, ended - began),
        )
        for number, (began, ended) in enumerate(played.runs)
        for service in SERVICES
    ]
    return StoryServices(tuple(jobs), BUSY_PCT * played.busy_slot_ms / _held(played))


def _row(
    title: str, played: Played, attained: float, story: StoryRun, scenario: Scenario
) -> dict[str, object]:
    hours = played.replica_ms / 3_600_000 / scenario.weeks
    waits = sorted(story.service_waits_s)
    return {
        "services": title,
        "in time %": round(100 * attained, 2),
        "GPU-hours a week, each": round(hours, 1),
        "tasks a week": round(story.tasks_per_week, 1),
        "GPUs compute %": round(story.utilisation_pct, 1),
        "their GPUs compute %": round(BUSY_PCT * played.busy_slot_ms / _held(played), 1),
        "wait for a GPU p99 s": round(waits[len(waits) * 99 // 100], 1),
        "notebook waits at most s": round(story.notebook_wait_s_max, 1),
    }


def _held(played: Played) -> int:
    return sum(ended - began for began, ended in played.runs)


if __name__ == "__main__":
    sys.exit(main())
