"""The sessions of a person: seen, and ended from another one."""

from typing import Any

import pytest
from django.test import Client

from portal.audit.models import AuditEvent
from portal.identity.second_factors import SESSIONS_MAX
from tests.portal.identity.browsers import AUTH, a_browser, a_signed_in_browser, send, sign_in
from tests.rest import API, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
SESSIONS = f"{AUTH}/sessions"


def sessions(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json_of(client.get(SESSIONS))["data"]
    return found


def test_every_sign_in_is_listed_with_its_browser_and_address() -> None:
    client, user = a_signed_in_browser(headers={"User-Agent": "Firefox/140"})
    sign_in(a_browser(headers={"User-Agent": "curl/8"}), user.username)
    found = {row["user_agent"]: row for row in sessions(client)}
    assert set(found) == {"Firefox/140", "curl/8"}
    assert found["Firefox/140"]["is_current"]
    assert not found["curl/8"]["is_current"]
    assert found["curl/8"]["ip"] == "127.0.0.1"


def test_a_session_ended_elsewhere_is_over_at_once() -> None:
    client, user = a_signed_in_browser()
    elsewhere = a_browser()
    sign_in(elsewhere, user.username)
    [other] = [row["id"] for row in sessions(client) if not row["is_current"]]

    json_of(send(client, SESSIONS, {"sessions": [other]}, method="DELETE"))

    problem_of(elsewhere.get(f"{API}/me"), 401, "not_authenticated")
    json_of(client.get(f"{API}/me"))
    assert len(sessions(client)) == 1
    event = AuditEvent.objects.get(action="session.end")
    assert (event.actor_name, event.params["address"]) == (user.username, "127.0.0.1")


def test_a_sign_in_too_many_ends_the_oldest_session() -> None:
    oldest, user = a_signed_in_browser()
    later = [a_browser() for _ in range(SESSIONS_MAX)]
    for browser in later:
        sign_in(browser, user.username)

    problem_of(oldest.get(f"{API}/me"), 401, "not_authenticated")
    json_of(later[0].get(f"{API}/me"))
    assert len(sessions(later[-1])) == SESSIONS_MAX
    assert AuditEvent.objects.filter(action="session.end", object_id=user.pk).count() == 1


def test_the_sessions_of_others_cannot_be_ended() -> None:
    client, _ = a_signed_in_browser()
    theirs, _ = a_signed_in_browser()
    [other] = [row["id"] for row in sessions(theirs)]
    json_of(send(client, SESSIONS, {"sessions": [other]}, method="DELETE"), 400)
    json_of(theirs.get(f"{API}/me"))


def test_a_changed_password_ends_the_other_sessions_only() -> None:
    client, user = a_signed_in_browser()
    elsewhere = a_browser()
    sign_in(elsewhere, user.username)
    change = {
        "current_password": "a-long-password-for-tests",
        "new_password": "another-long-password",
    }
    address = "/_allauth/browser/v1/account/password/change"
    json_of(send(client, address, change))
    problem_of(elsewhere.get(f"{API}/me"), 401, "not_authenticated")
    assert [row["is_current"] for row in sessions(client)] == [True]
