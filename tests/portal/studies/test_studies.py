"""What if: asked by those who rule pools, told by the simulator, one at a time."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import TestCase

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.studies import services
from portal.studies.models import Study, StudyPhase
from portal.studies.stories import simulate_scenario, simulate_story
from portal.workloads.models import Allocation, Workload
from scheduler.whatif.scenario import Scenario, load_scenario
from scheduler.whatif.story import run_story
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.builders.workloads import a_workload, an_allocation
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

STUDIES = f"{API}/studies"
HOUR = timedelta(hours=1)
TOLD_AFTER = {"card_hours_per_card_day": 22.8, "utilisation_pct": 80, "tasks_per_week": 368}
"""What the customer of the story reported after the change."""
NOTHING: dict[str, Any] = {"pools": {}, "quotas": [], "nodes": []}


def a_past(scene: Scene, *, jobs: int = 2, cards: int = 8) -> None:
    """Save jobs that came an hour ago at one moment, and ran one after the other for ten minutes."""
    came = now() - HOUR
    for place in range(jobs):
        work = a_workload(scene.owner, scene.group, scene.pool, state="succeeded", gpus=cards)
        held = an_allocation(work, scene.nodes[0])
        began = came + place * timedelta(minutes=10)
        Workload.objects.filter(pk=work.pk).update(submitted_at=came)
        Allocation.objects.filter(pk=held.pk).update(
            state="released",
            created_at=began,
            started_at=began,
            finished_at=began + timedelta(minutes=10),
            released_at=began + timedelta(minutes=10),
        )


def short(name: str) -> Scenario:
    """Return one week of a scenario."""
    return replace(load_scenario(name), weeks=1, settle_weeks=0)


def asked(scene: Scene, **change: Any) -> Any:
    """Ask as an operator, tell it, and return the answer."""
    operator = browser(a_user(role="operator"))
    made = json_of(operator.post(STUDIES, {"days": 7, **change}, format="json"), 201)
    assert made["phase"] == "waiting"
    assert services.run_next_study()
    return json_of(operator.get(f"{STUDIES}/{made['id']}"))


def test_one_more_server_is_told_beside_today_and_beside_what_was() -> None:
    scene = a_scene()
    a_past(scene)
    bought = [{"like": str(scene.nodes[0].pk), "count": 1}]

    told = asked(scene, title="one more", nodes=bought)

    found = told["findings"]
    assert told["phase"] == "done"
    assert [found[kind]["longest_wait_s"] for kind in ("was", "today", "changed")] == [600, 600, 0]
    assert [found[kind]["gpu_hours"] for kind in ("was", "today", "changed")] == [None, 3, 3]
    assert found["today"]["utilisation_permille"] == 1000
    [group] = found["groups"]
    assert group["group"] == scene.group.name
    assert (group["mean_wait_s"], group["mean_wait_s_changed"]) == (300, 0)
    assert found["curves"]["today"][0]["busy_permille"] == 1000
    assert found["curves"]["changed"][0]["waiting"] == 0


def test_other_rules_and_limits_are_told() -> None:
    scene = a_scene()
    a_quota(scene.group, pool=scene.pool, ceiling=16_000)
    a_past(scene)
    rules = [{"pool": str(scene.pool.pk), "policy": {"queue": "strict", "backfill_depth": 0}}]
    limit = {"group": str(scene.group.pk), "pool": str(scene.pool.pk), "resource": "gpu"}

    told = asked(scene, pools=rules, quotas=[{**limit, "ceiling": 4000}])

    assert told["change"]["pools"] == {scene.pool.name: rules[0]["policy"]}
    assert told["findings"]["changed"]["never_start"] == 2
    assert told["findings"]["today"]["never_start"] == 0


def test_a_ceiling_of_null_is_unlimited() -> None:
    scene = a_scene()
    a_quota(scene.group, pool=scene.pool, ceiling=4000)
    a_past(scene)
    limit = {"group": str(scene.group.pk), "pool": str(scene.pool.pk), "resource": "gpu"}

    told = asked(scene, quotas=[{**limit, "ceiling": None}])

    assert told["findings"]["today"]["never_start"] == 2
    assert told["findings"]["changed"]["never_start"] == 0


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"days": 0}, "/days"),
        ({"days": 32}, "/days"),
        ({"pools": [{"pool": "POOL", "policy": {"patience_s": -1}}]}, "/pools/0/policy/patience_s"),
        ({"pools": [{"pool": "POOL", "policy": {"turns": 1}}]}, "/pools/0/policy/turns"),
        (
            {"pools": [{"pool": "POOL", "policy": {"idle_warn_s": 7200}}]},
            "/pools/0/policy/idle_warn_s",
        ),
        ({"pools": [{"pool": "POOL", "policy": {}}] * 2}, "/pools/1/pool"),
        ({"pools": [{"pool": "GROUP", "policy": {}}]}, "/pools/0/pool"),
        ({"quotas": [{"group": "POOL", "resource": "gpu"}]}, "/quotas/0/group"),
        ({"quotas": [{"group": "GROUP", "resource": "time"}]}, "/quotas/0/resource"),
        ({"quotas": [{"group": "GROUP", "pool": "GROUP", "resource": "gpu"}]}, "/quotas/0/pool"),
        ({"quotas": [{"group": "GROUP", "resource": "gpu"}] * 2}, "/quotas/1"),
        (
            {"quotas": [{"group": "GROUP", "resource": "gpu", "guarantee": 1}]},
            "/quotas/0/deserved",
        ),
        ({"nodes": [{"like": "POOL", "count": 1}]}, "/nodes/0/like"),
        ({"nodes": [{"like": "NODE", "count": 0}]}, "/nodes/0/count"),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(change: dict[str, Any], pointer: str) -> None:
    scene = a_scene()
    ids = {"POOL": scene.pool.pk, "GROUP": scene.group.pk, "NODE": scene.nodes[0].pk}

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: filled(item) for name, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        return str(ids[value]) if isinstance(value, str) and value in ids else value

    body = {"days": 7, **filled(change)}
    answer = browser(a_user(role="operator")).post(STUDIES, body, format="json")

    assert answer.status_code in (400, 422), answer.content
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    assert not Study.objects.exists()


def test_several_changes_are_simulated_together() -> None:
    scene = a_scene()
    a_quota(scene.group, pool=scene.pool, ceiling=8000)
    a_past(scene)
    bought = [{"like": str(scene.nodes[0].pk), "count": 1}]
    limit = {"group": str(scene.group.pk), "pool": str(scene.pool.pk), "resource": "gpu"}
    rules = [{"pool": str(scene.pool.pk), "policy": {"queue": "strict"}}]

    alone = asked(scene, nodes=bought)
    together = asked(scene, nodes=bought, quotas=[{**limit, "ceiling": None}], pools=rules)

    # The ceiling keeps one of two jobs waiting, whatever is bought; without both, nobody waits.
    assert alone["findings"]["changed"]["longest_wait_s"] == 600
    assert together["findings"]["changed"]["longest_wait_s"] == 0
    change = together["change"]
    assert change["nodes"] == [{"like": scene.nodes[0].name, "count": 1}]
    assert [row.get("unlimited") for row in change["quotas"]] == [True]
    assert change["pools"] == {scene.pool.name: {"queue": "strict"}}


def test_a_story_is_simulated_by_the_worker() -> None:
    def simulate_another(name: str) -> dict[str, Any]:
        assert name == "aistation"
        return simulate_scenario(short("two_labs"))

    operator = browser(a_user(role="operator"))
    made = json_of(
        operator.post(f"{STUDIES}/stories", {"scenario": "aistation"}, format="json"), 201
    )
    assert (made["phase"], made["scenario"], made["days"]) == ("waiting", "aistation", 0)
    assert (made["findings"], made["story"]) == (None, None)

    assert services.run_next_study(simulate_another)

    shown = json_of(operator.get(f"{STUDIES}/{made['id']}"))
    story = shown["story"]
    assert (shown["phase"], shown["findings"]) == ("done", None)
    assert (story["gpus"], story["people"], story["weeks"]) == (16, 20, 1)
    assert story["before"]["tasks_per_week"] == 200
    assert story["after"]["tasks_per_week"] <= story["limit"]["tasks_per_week"]
    week = story["curves"]["after"]
    assert [hour["hour"] for hour in week] == list(range(168))
    assert all(0 <= hour["busy"] <= hour["held"] <= 16 for hour in week)
    [row] = json_of(operator.get(STUDIES))["results"]
    assert (row["scenario"], row["title"]) == ("aistation", "")


@pytest.mark.long
def test_the_story_has_the_figures_of_the_command() -> None:
    story = simulate_story("aistation")

    before, after, limit = (story[name] for name in ("before", "after", "limit"))
    assert story["weeks"] == 2
    assert before["card_hours_per_card_day"] == pytest.approx(14.4, abs=0.1)
    assert before["tasks_per_week"] == 160
    assert 30 <= before["utilisation_pct"] < 40
    for name, least in TOLD_AFTER.items():
        assert least <= after[name] <= limit[name]


def test_curves_of_a_story_are_means_of_its_last_week() -> None:
    scenario = short("two_labs")

    told = simulate_scenario(scenario)

    run = run_story(scenario, scenario.after)
    assert told["after"] == run.figures()
    held = sum(hour["held"] for hour in told["curves"]["after"])
    assert held / scenario.site.gpus / 7 == pytest.approx(run.card_hours_per_card_day, abs=0.01)


def test_only_a_scenario_that_comes_along_is_simulated_and_only_for_those_who_rule_pools() -> None:
    operator = browser(a_user(role="operator"))
    for body in ({}, {"scenario": "burst"}, {"scenario": "../../secrets.toml"}):
        assert operator.post(f"{STUDIES}/stories", body, format="json").status_code == 400
    told = {"scenario": "aistation"}
    for user in (a_member(a_group(), "group_admin"), a_user(role="auditor")):
        refused = browser(user).post(f"{STUDIES}/stories", told, format="json")
        problem_of(refused, 403, "denied")
    assert not Study.objects.exists()
    json_of(operator.post(f"{STUDIES}/stories", told, format="json"), 201)
    act = AuditEvent.objects.latest("id")
    assert (act.action, act.params["scenario"]) == ("study.ask", "aistation")


def test_only_those_who_rule_pools_ask_and_read() -> None:
    scene = a_scene()
    asked_by_operator = Study.objects.create(
        asked_by=a_user(role="operator"), days=1, change=NOTHING
    )
    for user in (a_user(role="auditor"), scene.owner):
        client = browser(user)
        problem_of(client.get(STUDIES), 403, "denied")
        problem_of(client.post(STUDIES, {"days": 1}, format="json"), 403, "denied")
        problem_of(client.get(f"{STUDIES}/{asked_by_operator.pk}"), 403, "denied")
        problem_of(client.delete(f"{STUDIES}/{asked_by_operator.pk}"), 403, "denied")
    [row] = json_of(browser(a_user(role="platform_admin")).get(STUDIES))["results"]
    assert row["id"] == str(asked_by_operator.pk)


def test_a_past_without_work_and_a_change_that_no_longer_fits_fail_with_their_code() -> None:
    scene = a_scene()
    empty = asked(scene)
    assert (empty["phase"], empty["failure"], empty["findings"]) == ("failed", "no_past", None)

    a_past(scene)
    operator = browser(a_user(role="operator"))
    body = {"days": 1, "nodes": [{"like": str(scene.nodes[0].pk), "count": 1}]}
    made = json_of(operator.post(STUDIES, body, format="json"), 201)
    Study.objects.filter(pk=made["id"]).update(
        change={"pools": {}, "quotas": [], "nodes": [{"like": "gone", "count": 1}]}
    )
    assert services.run_next_study()
    assert json_of(operator.get(f"{STUDIES}/{made['id']}"))["failure"] == "change_outdated"


def test_questions_are_told_one_after_the_other_oldest_first() -> None:
    scene = a_scene()
    a_past(scene)
    asker = a_user(role="operator")
    first, second = (Study.objects.create(asked_by=asker, days=1, change=NOTHING) for _ in range(2))

    assert services.run_next_study()
    first.refresh_from_db()
    assert first.phase == StudyPhase.DONE
    Study.objects.filter(pk=first.pk).update(
        phase=StudyPhase.RUNNING, findings=None, started_at=now(), ended_at=None
    )
    assert not services.run_next_study()  # Another worker is at the first one.
    Study.objects.filter(pk=first.pk).update(started_at=now() - 2 * HOUR)
    assert services.run_next_study()  # That worker is dead.

    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.phase, first.failure) == (StudyPhase.FAILED, "interrupted")
    assert second.phase == StudyPhase.DONE
    assert not services.run_next_study()


def test_so_many_wait_and_no_more() -> None:
    operator = browser(a_user(role="operator"))
    for _ in range(services.WAITING_MAX):
        json_of(operator.post(STUDIES, {"days": 1}, format="json"), 201)
    problem_of(operator.post(STUDIES, {"days": 1}, format="json"), 409, "studies_waiting")


def test_a_question_is_forgotten_and_both_acts_are_audited() -> None:
    operator = browser(a_user(role="operator"))
    with TestCase.captureOnCommitCallbacks() as after_commit:
        made = json_of(operator.post(STUDIES, {"days": 1, "title": "为什么"}, format="json"), 201)

    assert operator.delete(f"{STUDIES}/{made['id']}").status_code == 204

    # The task that runs it, and what tells pages of it.
    assert len(after_commit) == 2
    problem_of(operator.get(f"{STUDIES}/{made['id']}"), 404, "not_found")
    acts = list(AuditEvent.objects.order_by("id").values_list("action", flat=True))
    assert acts[-2:] == ["study.ask", "study.delete"]
