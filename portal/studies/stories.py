"""Simulating a scenario that comes along: the same people and work, before and after."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from scheduler.whatif.meter import Stretch
from scheduler.whatif.people import WEEK_MS
from scheduler.whatif.scenario import Scenario, load_scenario
from scheduler.whatif.story import compute_limit, run_story

POINTS: Final = 168
"""Of each curve: one for each hour of a week."""
_STEP_MS: Final = WEEK_MS // POINTS


def simulate_story(name: str) -> dict[str, Any]:
    """Return what `python -m scheduler.whatif run` says of a scenario, and its last week as curves.

    Raises:
        ValueError: there is no such scenario.
    """
    return simulate_scenario(load_scenario(name))


def simulate_scenario(scenario: Scenario) -> dict[str, Any]:
    """Return `{"before", "after", "limit", "gpus", "people", "weeks", "curves"}` of a scenario."""
    before, after = (run_story(scenario, each) for each in (scenario.before, scenario.after))
    return {
        "before": before.figures(),
        "after": after.figures(),
        "limit": compute_limit(scenario),
        "gpus": scenario.site.gpus,
        "people": sum(people.members for people in scenario.people),
        "weeks": scenario.weeks,
        "curves": {
            "before": list(_last_week(before.stretches)),
            "after": list(_last_week(after.stretches)),
        },
    }


def _last_week(stretches: Sequence[Stretch]) -> Iterator[dict[str, Any]]:
    """Yield the means of each hour; hours are counted from Monday 0:00 by the scenario's clock."""
    began = stretches[-1].to_ms - WEEK_MS
    sums = [[0.0, 0.0, 0.0] for _ in range(POINTS)]
    for stretch in stretches:
        values = (stretch.held, stretch.busy, stretch.waiting)
        start = max(stretch.from_ms - began, 0)
        while start < stretch.to_ms - began:
            place = start // _STEP_MS
            stop = min((place + 1) * _STEP_MS, stretch.to_ms - began)
            for index, value in enumerate(values):
                sums[place][index] += value * (stop - start)
            start = stop
    for hour, parts in enumerate(sums):
        held, busy, waiting = (round(part / _STEP_MS, 2) for part in parts)
        yield {"hour": hour, "held": held, "busy": busy, "waiting": waiting}
