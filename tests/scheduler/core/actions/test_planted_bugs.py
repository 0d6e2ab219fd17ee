"""Each rule of evictions is broken by a mistake that it is there for, where a scenario shows it."""

from collections.abc import Callable
from typing import Any

import pytest

from scheduler.core.actions import evictions, preempt, reclaim, victims
from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.model.plan import EvictionCause, PlannedEviction
from tests.scheduler.core.actions import test_eviction_plans as rules
from tests.scheduler.scenario import read_scenarios

SCENARIOS = {scenario.id: scenario for scenario in read_scenarios()}
Plant = Callable[[pytest.MonkeyPatch], None]


def _looks_at_each_notebook_alone(patch: pytest.MonkeyPatch) -> None:
    """Two may leave, one by one, though not both."""
    patch.setattr(victims, "_is_still_evictable", lambda candidate, _: candidate.may_evict())


def _spares_nobody(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(victims, "_spare_superfluous", lambda _workload, chosen, _ledger: chosen)
    patch.setattr(victims, "_from_cheapest_nodes", lambda *_: iter(()))


def _stops_who_has_most_to_lose(patch: pytest.MonkeyPatch) -> None:
    rank = property(lambda candidate: (-candidate.lost, candidate.work.priority))
    patch.setattr(EvictionCandidate, "rank", rank)
    patch.setattr(victims, "_cost", lambda chosen: -sum(each.lost for each in chosen))


def _protects_nobody(patch: pytest.MonkeyPatch) -> None:
    def is_evictable(work: Any, ledger: Any, _protected_s: int) -> bool:
        return victims.is_evictable(work, ledger, 0)

    for rule in (preempt, reclaim):
        patch.setattr(rule, "is_evictable", is_evictable)


def _makes_half_a_plan(patch: pytest.MonkeyPatch) -> None:
    """Stops the first of those who would have to leave, and hopes for the rest."""
    real = victims._first_sufficient
    patch.setattr(victims, "_first_sufficient", lambda *given: real(*given)[:1])
    patch.setattr(victims, "_spare_superfluous", lambda _workload, chosen, _ledger: chosen)


def _calls_back_at_leisure(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        evictions,
        "PlannedEviction",
        lambda **given: PlannedEviction(**given | {"grace_s": given["grace_s"] + 120}),
    )


def _calls_back_its_own(patch: pytest.MonkeyPatch) -> None:
    """Takes whoever is there for a guest, and a notebook for nobody's."""
    patch.setattr(victims, "_is_inside_guarantee", lambda *_: False)

    def everybody(workload: Any, holders: Any, ledger: Any) -> Any:
        return tuple(
            victims.make_candidate(work, EvictionCause.CALLED_BACK, ledger) for work in holders
        )

    patch.setattr(evictions, "find_borrowers", everybody)


@pytest.mark.parametrize(
    ("plant", "rule", "scenario"),
    [
        (
            _looks_at_each_notebook_alone,
            rules.test_notebooks_inside_a_guarantee_stay,
            "reclaim-two_notebooks_of_one_guarantee_do_not_both_leave",
        ),
        (
            _spares_nobody,
            rules.test_no_victim_could_have_stayed,
            "preemption-victims_leave_one_node_not_three",
        ),
        (
            _stops_who_has_most_to_lose,
            rules.test_nobody_else_would_have_lost_less,
            "preemption-the_newest_checkpoint_leaves",
        ),
        (
            _protects_nobody,
            rules.test_only_who_may_leave_has_to,
            "preemption-young_work_is_protected",
        ),
        (
            _makes_half_a_plan,
            rules.test_every_beneficiary_starts_once_its_victims_are_gone,
            "preemption-victims_leave_one_node_not_three",
        ),
        (
            _calls_back_at_leisure,
            rules.test_only_who_may_leave_has_to,
            "borrowing-notebook_reclaims_a_lent_card",
        ),
        (
            _calls_back_its_own,
            rules.test_only_who_may_leave_has_to,
            "reclaim-notebook_inside_the_guarantee_stays",
        ),
    ],
)
def test_planted_bug_is_noticed(
    plant: Plant, rule: Any, scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = SCENARIOS[scenario].snapshot
    check = rule.hypothesis.inner_test
    check(snapshot)
    plant(monkeypatch)

    with pytest.raises(AssertionError):
        check(snapshot)
