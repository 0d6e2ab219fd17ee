"""Settings that several administrators change are not replaced unseen."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.alarms.kinds import AlarmKind
from portal.audit.models import AuditEvent
from tests.builders.apps import an_app
from tests.builders.machines import a_pool, an_image
from tests.builders.people import a_user
from tests.portal.alarms.scenes import only_rule
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

Change = dict[str, Any]


def list_of(client: APIClient, path: str, key: str) -> Any:
    return json_of(client.get(f"{API}/{path}"))[key]


@pytest.mark.parametrize(
    ("path", "key", "mine", "theirs"),
    [
        ("pools", "results", {"title_en": "Mine"}, {"title_en": "Theirs"}),
        ("images", "results", {"title_en": "Mine"}, {"for_training": False}),
        ("apps", "results", {"title_en": "Mine"}, {"idle_s": 3600}),
        ("alarm-rules", "rules", {"severity": "info"}, {"severity": "critical"}),
    ],
)
def test_a_row_that_another_has_changed_since_is_not_replaced(
    path: str, key: str, mine: Change, theirs: Change
) -> None:
    admin, other = (browser(a_user(name, role="platform_admin")) for name in ("me", "li.wei"))
    a_pool("one")
    an_image("python")
    an_app("viewer")
    only_rule(AlarmKind.GPU_IDLE)
    row = list_of(admin, path, key)[0]
    own = f"{API}/{path}/{row['id']}"
    changed = json_of(other.patch(own, theirs | {"version": row["version"]}, "json"))

    refused = admin.patch(own, mine | {"version": row["version"]}, "json")

    problem = problem_of(refused, 409, "changed_by_another")
    assert problem["params"]["who"] == "li.wei"
    [now] = [each for each in list_of(admin, path, key) if each["id"] == row["id"]]
    assert now["version"] == changed["version"] > row["version"]
    assert {name: now[name] for name in theirs} == theirs
    saved = json_of(admin.patch(own, mine | {"version": now["version"]}, "json"))
    assert {name: saved[name] for name in mine} == mine
    json_of(admin.patch(own, theirs, "json"))


def test_settings_of_the_site_that_another_has_changed_since_are_not_replaced() -> None:
    admin, other = (browser(a_user(name, role="platform_admin")) for name in ("me", "li.wei"))
    path = f"{API}/site-settings"
    seen = json_of(admin.get(path))["version"]
    theirs = json_of(other.patch(path, {"currency": "EUR", "version": seen}, "json"))

    refused = admin.patch(path, {"currency": "CNY", "version": seen}, "json")

    assert problem_of(refused, 409, "changed_by_another")["params"]["who"] == "li.wei"
    assert json_of(admin.get(path)) == theirs
    assert AuditEvent.objects.filter(action="site.change").count() == 1
    mine = json_of(admin.patch(path, {"currency": "CNY", "version": theirs["version"]}, "json"))
    assert (mine["currency"], mine["version"] > theirs["version"]) == ("CNY", True)
