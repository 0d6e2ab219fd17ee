"""Budgets that admins of a group set beside those of staff: never above them, and both hold."""

from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.identity.models import User
from portal.quotas.models import Budget
from portal.tenancy.models import Group
from portal.workloads.snapshot.loader import load_snapshot
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def put(user: User, group: Group, **more: Any) -> Any:
    body = {"group": str(group.pk), "period": "month", "gpu_hours": 50} | more
    return browser(user).put(f"{API}/budgets", body, format="json")


def remove(user: User, budget: Any) -> Any:
    return browser(user).delete(f"{API}/budgets/{budget['id']}")


def test_the_head_sets_one_for_the_group_and_those_below_and_both_hold() -> None:
    lab = a_group()
    team = a_group(parent=lab)
    head, admin = a_member(lab, "group_admin"), a_user(role="platform_admin")
    by_staff = json_of(put(admin, lab, gpu_hours=100))
    own = json_of(put(head, lab, gpu_hours=80))
    below = json_of(put(head, team, gpu_hours=60))

    assert [each["by_group"] for each in (by_staff, own, below)] == [False, True, True]
    assert json_of(put(head, lab, gpu_hours=100))["id"] == own["id"]
    hours = sorted(budget.limit // 3600 for budget in load_snapshot().budgets)
    assert hours == [60, 100, 100]
    problem_of(remove(head, by_staff), 403, "denied")
    assert remove(head, own).status_code == 204
    assert remove(admin, below).status_code == 204
    assert Budget.objects.get().by_group is False
    acts = AuditEvent.objects.filter(outcome="ok", actor_name=head.username).order_by("id")
    assert list(acts.values_list("action", flat=True)) == [*["budget.set"] * 3, "budget.remove"]


def test_none_is_above_what_staff_has_set_for_the_group_or_one_above_it() -> None:
    lab = a_group()
    team = a_group(parent=lab)
    head = a_member(team, "group_admin")
    Budget.objects.create(group=lab, period="month", gpu_hours=100)
    Budget.objects.create(group=team, period="day", gpu_hours=1)
    Budget.objects.create(group=team, period="week", money_micros=7_000_000, currency="CNY")

    refused = problem_of(put(head, team, gpu_hours=101), 422, "budget_above_staffs_gpu_hours")
    assert "100 GPU-hours" in refused["detail"]
    json_of(put(head, team, gpu_hours=100))
    problem_of(put(head, team, period="day", gpu_hours=2), 422, "budget_above_staffs_gpu_hours")
    money = {"period": "week", "gpu_hours": None}
    refused = problem_of(
        put(head, team, **money, money_micros=7_000_001), 422, "budget_above_staffs_money_micros"
    )
    assert "7.00 CNY" in refused["detail"]
    json_of(put(head, team, **money, money_micros=7_000_000))
    # Of another unit both simply hold.
    json_of(put(head, team, period="week", gpu_hours=9000))


def test_nobody_else_sets_or_removes_one() -> None:
    group = a_group()
    head = a_member(group, "group_admin")
    own = json_of(put(head, group))
    outsider = a_member(a_group(), "group_admin")
    for user in (a_member(group), a_member(group, "viewer"), a_user(role="operator")):
        problem_of(put(user, group), 403, "denied")
        problem_of(remove(user, own), 403, "denied")
    problem_of(put(outsider, group), 404, "not_found")
    problem_of(remove(outsider, own), 404, "not_found")
