"""What members held of late and when they signed in last, for who looks after their group."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.common.clock import freeze
from portal.identity.models import User
from portal.tenancy.models import Group
from tests.builders.people import a_group, a_member, a_user
from tests.builders.usage import used
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

NOON = datetime(2030, 5, 15, 12, tzinfo=UTC)
TODAY = date(2030, 5, 15)
MILLI_S = 3_600_000
"""A GPU-hour in the unit of the API."""


def path_of(group: Group) -> str:
    return f"{API}/usage/groups/{group.pk}/members"


def shown_to(user: User, group: Group) -> dict[str, Any]:
    with freeze(NOON):
        rows = json_of(browser(user).get(path_of(group)))
    return {row.pop("user"): row for row in rows}


def test_the_head_sees_both_spans_of_each_member_in_the_group_and_below() -> None:
    lab = a_group("lab")
    vision, elsewhere = a_group("vision", parent=lab), a_group("elsewhere")
    head, member = a_member(lab, "group_admin"), a_member(lab)
    User.objects.filter(pk=member.pk).update(last_login=NOON - timedelta(days=3))
    for day, hours in ((0, 1), (6, 2), (7, 4), (29, 8), (30, 16)):
        used(member, vision, hours, day=TODAY - timedelta(days=day))
    used(member, elsewhere, 32, day=TODAY)

    rows = shown_to(head, lab)

    assert rows[str(member.pk)] == {
        "week_gpu_milli_s": 3 * MILLI_S,
        "month_gpu_milli_s": 15 * MILLI_S,
        "last_sign_in_at": "2030-05-12T12:00:00Z",
    }
    assert rows[str(head.pk)]["month_gpu_milli_s"] == 0
    # Of a member by a group above only the use, and nothing at all of the group above.
    rows = shown_to(a_member(vision, "group_admin"), vision)
    assert rows[str(member.pk)]["week_gpu_milli_s"] == 3 * MILLI_S
    assert rows[str(member.pk)]["last_sign_in_at"] is None


def test_who_does_not_look_after_the_group_sees_nothing_of_it() -> None:
    group = a_group("vision")
    for role in ("viewer", "developer"):
        problem_of(browser(a_member(group, role)).get(path_of(group)), 403, "denied")
    outsiders = (a_user(), a_member(a_group(), "group_admin"))
    for user in outsiders:
        problem_of(browser(user).get(path_of(group)), 404, "not_found")
    assert len(shown_to(a_user(role="auditor"), group)) == 2


def test_more_members_cost_no_more_queries() -> None:
    group = a_group("vision")
    head = a_member(group, "group_admin")

    def count() -> int:
        with freeze(NOON), CaptureQueriesContext(connection) as asked:
            json_of(browser(head).get(path_of(group)))
        return len(asked)

    used(a_member(group), group, 1, day=TODAY)
    before = count()
    for _ in range(5):
        used(a_member(group), group, 1, day=TODAY)
    assert count() == before
