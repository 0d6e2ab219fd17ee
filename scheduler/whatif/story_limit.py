"""What no scheduler can exceed: every card always held, notebooks packed tightly, nothing lost."""

from scheduler.whatif.command import Figures
from scheduler.whatif.people import MONDAY, WEEK_MS, presences
from scheduler.whatif.scenario import People, Scenario

_HOUR_MS = 3_600_000


def compute_limit(scenario: Scenario) -> Figures:
    """Return the figures of a week without any loss.

    Notebooks hold the fewest cards that have enough slices at each moment; all other cards train
    all the time. Tasks are no more than what is asked for.
    """
    for_notebooks, slices = _notebooks_ms(scenario)
    whole = scenario.site.cards * scenario.weeks * WEEK_MS
    training = whole - for_notebooks
    busy = training * scenario.busy.training_pct + slices * scenario.busy.notebook_pct
    asked = sum(_tasks(people) for people in scenario.people)
    length = sum(_tasks(people) * _task_ms(people) for people in scenario.people)
    possible = training * asked / length / scenario.weeks if length else 0.0
    return {
        "card_hours_per_card_day": 24.0,
        "utilisation_pct": round(busy / whole, 2),
        "tasks_per_week": round(min(possible, asked), 2),
        "notebook_wait_s_max": 0.0,
    }


def _notebooks_ms(scenario: Scenario) -> tuple[int, int]:
    """Return the card-milliseconds that notebooks need, and their slice-milliseconds."""
    per_card = max(pool.slices for pool in scenario.after.pools)
    moves: list[tuple[int, int]] = []
    for people in scenario.people:
        for member in range(people.members if people.notebook else 0):
            each = 2 if member < people.heavy_members else 1
            for day in presences(scenario, people, member):
                moves += [(day.comes, each), (day.goes, -each)]
    began = last = MONDAY + scenario.settle_weeks * WEEK_MS
    cards = slices = in_use = 0
    for moment, change in sorted(moves):
        if moment > began:
            cards += -(-in_use // per_card) * (moment - last)
            slices += in_use * (moment - last)
            last = moment
        in_use += change
    return cards, slices


def _tasks(people: People) -> int:
    return people.tasks_per_week * people.members


def _task_ms(people: People) -> int:
    return int(people.task_hours * _HOUR_MS) * people.task_cards * people.task_ranks
