"""Every scenario: run the cycle, or the dry run, and compare with what the table expects."""

import re
from typing import Final

import pytest

from scheduler.core.cycle import run_cycle
from scheduler.core.dry_run import evaluate_submission
from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import Hold, Plan, PlannedReservation, PlannedStart
from scheduler.core.model.reasons import Reason
from tests.scheduler.scenario import Scenario, read_scenarios

TIMED: Final = re.compile(r"hold \S+ at \d+ in ")


@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda scenario: scenario.id)
def test_scenario_ends_as_its_table_says(scenario: Scenario) -> None:
    if scenario.submit is not None:
        verdict = evaluate_submission(scenario.snapshot, scenario.submit)
        at = f" at {verdict.position}" if verdict.position else ""
        told = [f"{verdict.outcome}{at}: {_phrases(verdict.reasons)}".removesuffix(": ")]
        expected = [scenario.verdict]
    else:
        plan = run_cycle(scenario.snapshot, scenario.snapshot.taken_at)
        expected = list(scenario.expect)
        told = _told(plan, expected)

    assert len(told) == len(expected), f"{scenario.name}: {told}"
    for line, wanted in zip(told, expected, strict=True):
        assert _says(line, wanted), f"{scenario.name}\n  told: {line}\n  expected: {wanted}"


SEEDED: Final = {
    "what all pools deserve is reclaimed": "all_pools-seeded_group_takes_back_its_six",
    "what all pools deserve is kept": "all_pools-seeded_group_within_its_six_keeps_them",
    "what all pools guarantee stays free": "seeded-seeded_guarantee_stays_free_at_night",
    "memory of whole lent cards counts": "gpu_memory-seeded_lent_cards_count_with_their_memory",
    "priority reaches lent cards": "preemption-seeded_priority_preempts_what_runs_on_lent_cards",
    "priority reaches the other pool": "preemption-seeded_priority_preempts_in_the_other_pool",
    "a quota's wait has an end": "explain-seeded_work_behind_a_ceiling_has_an_expected_start",
    "a model's quota has an end": "seeded-seeded_wait_behind_a_model_quota",
    "lending follows the site's clock": "seeded-seeded_lending_follows_the_sites_own_clock",
    "lending at night": "seeded-seeded_lending_at_night_lends_all",
    "a hold by the owner": "seeded-seeded_held_work_starts_nowhere",
    "a model that is not there": "seeded-seeded_model_that_is_not_there",
    "lent cards count for their model": "gpu_models-seeded_lent_cards_count_for_their_model",
    "an advance reservation": "advance_reservations-seeded_course_in_the_evening",
}
"""What was once wrong, or missing, in the organisation that every installation is seeded with."""


@pytest.mark.parametrize("subject", SEEDED)
def test_the_seeded_organisation_has_a_scenario_for(subject: str) -> None:
    (scenario,) = [each for each in read_scenarios() if each.id == SEEDED[subject]]
    site = scenario.snapshot

    assert len(site.pools) > 1
    assert any(row.pool is None and row.deserved and row.resource == "gpu" for row in site.quotas)


def _told(plan: Plan, expected: list[str]) -> list[str]:
    """Write a plan in the words of the scenarios: times only where the scenario names them."""
    timed = {line.split()[1] for line in expected if TIMED.match(line)}
    reserves = any(line.startswith("reserve") for line in expected)
    return [
        *(_place(place) for place in plan.starts),
        *(f"evict {e.workload} for {e.beneficiary}: {e.cause}" for e in plan.evictions),
        *(_reserve(promise, plan.made_at) for promise in plan.reservations if reserves),
        *(_hold(hold, plan.made_at, timed=hold.workload in timed) for hold in plan.holds),
    ]


def _reserve(promise: PlannedReservation, now: Millis) -> str:
    nodes = " ".join(node for node, replicas in promise.nodes for _ in range(replicas))
    return f"reserve {promise.workload} in {(promise.starts_at - now) // 1000} s on {nodes}"


def _hold(hold: Hold, now: Millis, *, timed: bool) -> str:
    when = ""
    if timed and hold.expected is not None:
        earliest, latest = hold.expected.earliest - now, hold.expected.latest - now
        when = f" in {earliest // 1000}..{latest // 1000} s"
    return f"hold {hold.workload} at {hold.position}{when}: {_phrases(hold.reasons)}"


def _place(place: PlannedStart) -> str:
    nodes = " ".join(placement.node for placement in place.placements)
    devices = [
        f"{card}/{slot}" for placement in place.placements for card, slot in placement.devices
    ]
    inside = f" inside {place.reservation}" if place.reservation else ""
    return f"place {place.workload} on {nodes}{inside}: {' '.join(devices)}".removesuffix(": ")


def _phrases(reasons: tuple[Reason, ...]) -> str:
    return " and ".join(
        " ".join([reason.code, *(f"{name}={value}" for name, value in reason.params.items())])
        for reason in reasons
    )


def _says(told: str, expected: str) -> bool:
    """Tell whether everything expected is told; devices and numbers may be left out."""
    head, _, wanted = expected.partition(": ")
    told_head, _, given = told.partition(": ")
    if head != told_head:
        return False
    if head.startswith("place"):
        return not wanted or wanted == given
    pairs = list(zip(given.split(" and "), wanted.split(" and "), strict=False))
    return given.count(" and ") == wanted.count(" and ") and all(
        set(part.split()) <= set(phrase.split()) for phrase, part in pairs
    )
