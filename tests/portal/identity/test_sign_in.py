"""Signing in with a browser: the session, its CSRF token, and its end."""

import pytest

from portal.audit.models import AuditEvent
from portal.identity.models import User, UserKind
from tests.builders.people import PASSWORD, a_user
from tests.portal.identity.browsers import AUTH, a_browser, a_signed_in_browser, send, sign_in
from tests.rest import API, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_the_right_password_opens_a_session_and_sign_out_ends_it() -> None:
    client, user = a_signed_in_browser()
    assert json_of(client.get(f"{API}/me"))["username"] == user.username
    cookie = client.cookies["berth-session"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    send(client, f"{AUTH}/session", {}, method="DELETE")
    problem_of(client.get(f"{API}/me"), 401, "not_authenticated")


@pytest.mark.parametrize("password", ["wrong-password-here", ""])
def test_a_wrong_password_opens_nothing(password: str) -> None:
    user, client = a_user(can_sign_in=True), a_browser()
    assert sign_in(client, user.username, password).status_code == 400
    problem_of(client.get(f"{API}/me"), 401, "not_authenticated")


def test_guessing_is_limited_even_for_the_right_password() -> None:
    user, client = a_user(can_sign_in=True), a_browser()
    for _ in range(10):
        assert sign_in(client, user.username, "wrong-password-here").status_code == 400
    assert sign_in(client, user.username, "wrong-password-here").status_code == 400
    assert sign_in(client, user.username).status_code == 400


def test_every_attempt_is_in_the_audit_log() -> None:
    user, client = a_user(can_sign_in=True), a_browser()
    sign_in(client, user.username, "wrong-password-here")
    sign_in(client, user.username)
    events = AuditEvent.objects.order_by("id").values_list(
        "action", "outcome", "actor_id", "address", "params__username"
    )
    assert list(events) == [
        ("session.open", "failed", "", "127.0.0.1", user.username),
        ("session.open", "ok", str(user.pk), "127.0.0.1", user.username),
    ]


@pytest.mark.usefixtures("redis_away")
def test_people_sign_in_while_redis_is_away() -> None:
    client, _ = a_signed_in_browser()
    json_of(client.get(f"{API}/me"))


def test_nobody_signs_up() -> None:
    client = a_browser()
    body = {"username": "intruder", "password": PASSWORD}
    assert send(client, f"{AUTH}/signup", body).status_code == 404
    assert not User.objects.exists()


def test_robots_cannot_sign_in() -> None:
    robot = a_user("ci-vision")
    robot.kind = UserKind.ROBOT
    robot.save()
    assert sign_in(a_browser(), "ci-vision", "").status_code == 400


def test_unsafe_methods_need_the_csrf_token() -> None:
    client, _ = a_signed_in_browser()
    wish = {"name": "n", "scopes": ["me.view"], "expires_in_days": 1}
    refused = client.post(f"{API}/tokens", wish, "application/json")
    problem_of(refused, 403, "csrf_failed")
    json_of(send(client, f"{API}/tokens", wish), 201)


def test_a_disabled_user_is_out_at_once() -> None:
    client, user = a_signed_in_browser()
    user.is_active = False
    user.save()
    problem_of(client.get(f"{API}/me"), 401, "not_authenticated")
    assert sign_in(a_browser(), user.username).status_code in (400, 401)
