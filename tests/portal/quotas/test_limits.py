"""Budgets and counted limits: who sets them, who sees them, what they do to a submission."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import freeze
from portal.quotas.models import Budget, GroupLimit
from portal.tenancy.models import Group
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene()


def a_budget(scene: Scene, **more: object) -> dict[str, object]:
    return {"group": str(scene.group.pk), "period": "week", "gpu_hours": 100, **more}


def put(user: Any, body: dict[str, object]) -> Any:
    return browser(user).put(f"{API}/budgets", body, format="json")


def test_the_platform_admin_sets_changes_and_removes_a_budget(scene: Scene) -> None:
    admin = a_user(role="platform_admin")

    json_of(put(admin, a_budget(scene)))
    changed = json_of(put(admin, a_budget(scene, gpu_hours=50)))
    json_of(put(admin, a_budget(scene, pool=str(scene.pool.pk))))

    shown = json_of(browser(scene.owner).get(f"{API}/budgets"))
    assert [(row["pool"] is None, row["gpu_hours"]) for row in shown] == [(True, 50), (False, 100)]
    assert browser(admin).delete(f"{API}/budgets/{changed['id']}").status_code == 204
    assert Budget.objects.get().pool_id == scene.pool.pk
    assert AuditEvent.objects.filter(action__startswith="budget.").count() == 4


def test_others_only_see_their_own(scene: Scene) -> None:
    stranger = a_member(a_group())
    row = Budget.objects.create(group=scene.group, period="day", gpu_hours=1)

    problem_of(put(scene.owner, a_budget(scene)), 403, "denied")
    problem_of(put(stranger, a_budget(scene)), 403, "denied")
    problem_of(browser(stranger).delete(f"{API}/budgets/{row.pk}"), 403, "denied")
    assert json_of(browser(stranger).get(f"{API}/budgets")) == []


def test_a_groups_longest_run_time_bounds_its_submissions(scene: Scene) -> None:
    address = f"{API}/groups/{scene.group.pk}/limits"
    admin = a_user(role="platform_admin")
    job = {
        "name": "work",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": an_image().name,
        "command": ["true"],
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }

    answer = json_of(browser(admin).patch(address, {"time_limit_s_max": 3600}, format="json"))
    long = browser(scene.owner).post(f"{API}/jobs", {**job, "time_limit_s": 7200}, format="json")
    usual = browser(scene.owner).post(f"{API}/jobs", job, format="json")

    assert (answer["time_limit_s_max"], answer["pending_per_user_max"]) == (3600, 10_000)
    assert problem_of(long, 422, "time_limit_too_long")
    assert json_of(usual, 202)["time_limit_s"] == 3600
    assert GroupLimit.objects.get().time_limit_s_max == 3600
    seen = json_of(browser(scene.owner).get(address))
    assert seen == answer
    problem_of(browser(a_member(a_group())).get(address), 404, "not_found")
    problem_of(browser(scene.owner).patch(address, {}, format="json"), 403, "denied")


def test_a_budget_tells_what_is_used_and_promised(scene: Scene) -> None:
    moment = datetime(2030, 5, 16, 4, tzinfo=UTC)
    Budget.objects.create(group=scene.group, period="month", gpu_hours=10)
    with freeze(moment):
        scene.place(scene.work(gpus=2), scene.placement(cards=(0, 1)))
    with freeze(moment + timedelta(minutes=30)):
        (shown,) = json_of(browser(scene.owner).get(f"{API}/budgets"))

    assert (shown["used"], shown["promised"]) == (2 * 1800, 2 * 3600)
    assert shown["ends_at"] == "2030-05-31T16:00:00Z"


def test_counted_limits_are_listed_with_their_defaults(scene: Scene) -> None:
    a_group()

    (mine,) = json_of(browser(scene.owner).get(f"{API}/group-limits"))
    everybody = json_of(browser(a_user(role="platform_admin")).get(f"{API}/group-limits"))

    assert (mine["group"]["name"], mine["pending_per_user_max"]) == (scene.group.name, 10_000)
    assert len(everybody) == Group.objects.count()


def test_one_members_longest_run_time_bounds_that_members_work(scene: Scene) -> None:
    admin, other = a_user(role="platform_admin"), a_member(scene.group)
    limit = {"group": str(scene.group.pk), "user": str(scene.owner.pk), "time_limit_s_max": 1800}
    notebook = scene.work(kind="environment", state="suspended")
    job = {
        "name": "work",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": an_image().name,
        "command": ["true"],
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "time_limit_s": 3600,
    }

    json_of(
        browser(admin).put(f"{API}/member-limits", {**limit, "time_limit_s_max": 60}, format="json")
    )
    made = json_of(browser(admin).put(f"{API}/member-limits", limit, format="json"))
    refused = browser(scene.owner).post(f"{API}/jobs", job, format="json")
    json_of(browser(other).post(f"{API}/jobs", job, format="json"), 202)
    again = browser(scene.owner).post(f"{API}/environments/{notebook.pk}/start")

    assert problem_of(refused, 422, "time_limit_too_long")["params"]["max"] == 1800
    assert json_of(again, 202)["time_limit_s"] == 1800
    assert json_of(browser(other).get(f"{API}/member-limits")) == [made]
    assert browser(admin).delete(f"{API}/member-limits/{made['id']}").status_code == 204
    json_of(browser(scene.owner).post(f"{API}/jobs", job, format="json"), 202)
    assert AuditEvent.objects.filter(action__startswith="member_limit.").count() == 3


def test_only_platform_admins_limit_members_and_only_members_are_limited(scene: Scene) -> None:
    admin, stranger = a_user(role="platform_admin"), a_member(a_group())
    address = f"{API}/member-limits"
    limit = {"group": str(scene.group.pk), "user": str(scene.owner.pk), "time_limit_s_max": 1800}

    problem_of(browser(scene.owner).put(address, limit, format="json"), 403, "denied")
    problem_of(browser(stranger).put(address, limit, format="json"), 403, "denied")
    wrong = {**limit, "user": str(stranger.pk)}
    problem_of(browser(admin).put(address, wrong, format="json"), 422, "not_a_member")
    made = json_of(browser(admin).put(address, limit, format="json"))
    assert json_of(browser(stranger).get(address)) == []
    problem_of(browser(stranger).delete(f"{address}/{made['id']}"), 403, "denied")
    members = f"{API}/groups/{scene.group.pk}/members"
    shown = json_of(browser(scene.owner).get(members))
    assert [(row["user"]["id"], row["role"]) for row in shown] == [
        (str(scene.owner.pk), "developer")
    ]
    problem_of(browser(stranger).get(members), 404, "not_found")


def test_a_budget_of_nothing_refuses_in_words(scene: Scene) -> None:
    Budget.objects.create(group=scene.group, period="day", gpu_hours=0)
    job = {
        "name": "run",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": an_image().name,
        "command": ["true"],
        "gpus": 1,
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }
    for language, words in (("en", "budget of group"), ("zh-CN", "的预算为零")):
        answer = browser(scene.owner).post(
            f"{API}/jobs", job, format="json", HTTP_ACCEPT_LANGUAGE=language
        )
        assert words in problem_of(answer, 422, "no_budget")["detail"]
