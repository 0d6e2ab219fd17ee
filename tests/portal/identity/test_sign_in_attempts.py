"""How often anybody may try to sign in: guessers meet an end, and shut nobody out of a browser of their own."""

from typing import Any, Final

import pytest
from django.test import Client

from portal.audit.models import AuditEvent
from portal.identity.account_api.endpoints import RESETS_MAX, SIGN_INS_MAX
from portal.identity.known_browsers import KNOWN_ACCOUNTS_MAX
from portal.identity.models import User
from portal.identity.sign_in_attempts import (
    GUESSES_MAX,
    GUESSES_OF_ADDRESS_MAX,
    GUESSES_OF_NAME_MAX,
)
from tests.builders.people import PASSWORD, a_user
from tests.portal.identity.browsers import (
    ACCOUNT,
    AUTH,
    WEBAUTHN,
    Passkey,
    a_browser,
    a_signed_in_browser,
    code_of,
    confirm_password,
    enrol_app,
    send,
    sign_in,
)
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

CAMPUS: Final = "203.0.113.7"
"""One address with many people behind it."""
KNOWN: Final = "berth-known"
WRONG: Final = "wrong-password-here"


def at(address: str, client: Client | None = None) -> Client:
    """Return a browser at an address; one that was given has moved there."""
    found = client or a_browser()
    found.defaults["HTTP_X_FORWARDED_FOR"] = address
    return found


def a_known_browser(**columns: Any) -> tuple[Client, User]:
    """Return a browser in which somebody was signed in, and who."""
    client, user = a_signed_in_browser(**columns)
    send(client, f"{AUTH}/session", {}, method="DELETE")
    problem_of(client.get(f"{API}/me"), 401, "not_authenticated")
    return client, user


def guess(client: Client, username: str, times: int) -> list[str]:
    """Try wrong passwords; return the codes of the refusals."""
    answers = [json_of(sign_in(client, username, WRONG), 400) for _ in range(times)]
    return [answer["errors"][0]["code"] for answer in answers]


def is_open(client: Client, username: str) -> bool:
    """Return whether the right password opens a session here, which is closed again."""
    answer = sign_in(client, username)
    if answer.status_code == 400:
        assert answer.json()["errors"][0]["code"] == "too_many_login_attempts"
        return False
    json_of(answer)
    send(client, f"{AUTH}/session", {}, method="DELETE")
    return True


def test_whoever_guesses_a_name_shuts_it_only_where_he_is() -> None:
    user = a_user(can_sign_in=True)
    guess(at("198.51.100.1"), user.username, GUESSES_MAX)
    assert not is_open(at("198.51.100.1"), user.username)
    assert is_open(at("198.51.100.2"), user.username)
    assert is_open(at("198.51.100.1"), a_user(can_sign_in=True).username)


def test_one_network_of_ipv6_is_one_address() -> None:
    user = a_user(can_sign_in=True)
    for number in range(GUESSES_MAX):
        guess(at(f"2001:db8::{number}"), user.username, 1)
    assert not is_open(at("2001:db8::ffff"), user.username)


def test_one_who_tries_many_names_shuts_no_browser_that_is_known() -> None:
    known, user = a_known_browser()
    at(CAMPUS, known)
    for number in range(GUESSES_OF_ADDRESS_MAX):
        guess(at(CAMPUS), f"name-{number}", 1)
    guess(at(CAMPUS), user.username, GUESSES_MAX)
    assert not is_open(at(CAMPUS), user.username)
    assert is_open(known, user.username)
    assert is_open(at("198.51.100.2"), user.username)


def test_many_addresses_guess_one_name_a_hundred_times_an_hour() -> None:
    known, user = a_known_browser()
    codes = [
        code
        for number in range(GUESSES_OF_NAME_MAX // GUESSES_MAX + 1)
        for code in guess(at(f"198.51.100.{number}"), user.username, GUESSES_MAX)
    ]
    assert codes.count("username_password_mismatch") == GUESSES_OF_NAME_MAX
    assert not is_open(at("192.0.2.1"), user.username)
    assert is_open(at("192.0.2.1", known), user.username)


def test_a_known_browser_guesses_no_more_than_others() -> None:
    known, user = a_known_browser()
    codes = guess(known, user.username, GUESSES_MAX + 1)
    assert codes.count("username_password_mismatch") == GUESSES_MAX
    assert not is_open(known, user.username)
    assert is_open(a_browser(), user.username)


def test_a_browser_is_known_for_those_who_signed_in_there_only() -> None:
    known, _ = a_known_browser()
    victim = a_user(can_sign_in=True)
    at(CAMPUS, known)
    guess(known, victim.username, GUESSES_MAX)
    assert not is_open(known, victim.username)
    assert guess(at(CAMPUS), victim.username, 1) == ["too_many_login_attempts"]


def test_what_was_right_is_not_counted() -> None:
    user, client = a_user(can_sign_in=True), a_browser()
    for _ in range(GUESSES_MAX + 2):
        client.cookies.pop(KNOWN, None)
        assert is_open(client, user.username)


def test_names_that_nobody_has_are_refused_alike() -> None:
    user = a_user(can_sign_in=True)
    known, unknown = (
        [
            sign_in(client, name, WRONG).json()["errors"]
            for client in [at(address)]
            for _ in range(GUESSES_MAX + 2)
        ]
        for name, address in ((user.username, "198.51.100.1"), ("nobody", "198.51.100.2"))
    )
    assert known == unknown


@pytest.mark.parametrize("way", ["own", "reset by an administrator"])
def test_a_new_password_makes_browsers_unknown(way: str) -> None:
    known, user = a_known_browser()
    client, new = a_browser(), "another-long-password"
    json_of(sign_in(client, user.username))
    if way == "own":
        change = {"current_password": PASSWORD, "new_password": new}
        json_of(send(client, f"{ACCOUNT}/password/change", change))
    else:
        admin = browser(a_user(role="platform_admin"))
        new = json_of(admin.post(f"{API}/users/{user.pk}/password"))["password"]
    guess(at(CAMPUS), user.username, GUESSES_MAX)
    for each, is_known in ((known, False), (client, way == "own")):
        send(at(CAMPUS, each), f"{AUTH}/session", {}, method="DELETE")
        assert (sign_in(each, user.username, new).status_code == 200) == is_known


def test_a_cookie_is_ours_or_nothing() -> None:
    known, user = a_known_browser()
    guess(at(CAMPUS), user.username, GUESSES_MAX)
    value = known.cookies[KNOWN].value
    for forged in ("", "x", value[:-1], f"x{value}", value.partition(":")[0], "é"):
        client = at(CAMPUS)
        client.cookies[KNOWN] = forged
        assert not is_open(client, user.username), forged
    copied = at(CAMPUS)
    copied.cookies[KNOWN] = value
    assert is_open(copied, user.username)


def test_the_cookie_is_for_the_server_and_for_few_accounts() -> None:
    client = a_browser()
    people = [a_user(can_sign_in=True) for _ in range(KNOWN_ACCOUNTS_MAX + 1)]
    for person in people:
        assert is_open(client, person.username)
    cookie = client.cookies[KNOWN]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert len(cookie.value) < 2048
    at(CAMPUS, client)
    for person in (people[0], people[-1]):
        guess(at(CAMPUS), person.username, GUESSES_MAX)
    assert not is_open(client, people[0].username)
    assert is_open(client, people[-1].username)


def test_the_second_step_is_open_in_a_known_browser_too() -> None:
    client, user = a_signed_in_browser()
    app = enrol_app(client)
    send(at(CAMPUS, client), f"{AUTH}/session", {}, method="DELETE")
    for number in range(GUESSES_OF_ADDRESS_MAX):
        guess(at(CAMPUS), f"name-{number}", 1)
    assert sign_in(client, user.username).status_code == 401
    json_of(send(client, f"{AUTH}/2fa/authenticate", {"code": code_of(app)}))
    assert KNOWN in client.cookies


def test_a_passkey_makes_a_browser_known() -> None:
    client, user = a_signed_in_browser()
    confirm_password(client)
    options = json_of(client.get(f"{WEBAUTHN}?passwordless"))["data"]["creation_options"]
    passkey = Passkey()
    body = {"name": "key", "credential": passkey.create(options["publicKey"])}
    json_of(send(client, WEBAUTHN, body))
    other = a_browser()
    options = json_of(other.get(f"{AUTH}/webauthn/login"))["data"]["request_options"]
    proof = {"credential": passkey.get(options["publicKey"])}
    json_of(send(other, f"{AUTH}/webauthn/login", proof))
    send(other, f"{AUTH}/session", {}, method="DELETE")
    guess(at(CAMPUS), user.username, GUESSES_MAX)
    assert sign_in(at(CAMPUS, other), user.username).status_code == 401  # the second step


def test_a_person_who_is_signed_in_confirms_the_password_whoever_else_guesses() -> None:
    client, user = a_signed_in_browser()
    at(CAMPUS, client).cookies.pop(KNOWN)
    guess(at(CAMPUS), user.username, GUESSES_MAX)
    confirm_password(client)
    refused = json_of(send(client, f"{AUTH}/reauthenticate", {"password": WRONG}), 400)
    assert refused["errors"][0]["code"] == "incorrect_password"
    for _ in range(GUESSES_MAX):
        send(client, f"{AUTH}/reauthenticate", {"password": WRONG})
    last = send(client, f"{AUTH}/reauthenticate", {"password": PASSWORD})
    problem_of(last, 429, "too_many_requests")
    acts = AuditEvent.objects.filter(action="session.confirm").values_list("outcome", "actor_name")
    assert list(acts) == [("ok", user.username)]


def test_a_session_of_ones_own_helps_with_no_other_name() -> None:
    client, _ = a_signed_in_browser()
    victim = a_user(can_sign_in=True)
    assert guess(client, victim.username, GUESSES_MAX + 1)[-1] == "too_many_login_attempts"


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("login", SIGN_INS_MAX),
        ("webauthn/login", SIGN_INS_MAX),
        ("password/request", RESETS_MAX),
        ("password/reset", RESETS_MAX),
    ],
)
def test_one_address_asks_so_often_and_a_known_browser_there_is_another(
    path: str, limit: int
) -> None:
    known, _ = a_known_browser()
    stranger = at(CAMPUS)
    for _ in range(limit):
        problem_of(send(stranger, f"{AUTH}/{path}", {}), 400, "invalid_input")
    refused = send(at(CAMPUS), f"{AUTH}/{path}", {})
    problem_of(refused, 429, "too_many_requests")
    assert refused["Retry-After"] == "60"
    at(CAMPUS, known)
    for _ in range(limit):
        problem_of(send(known, f"{AUTH}/{path}", {}), 400, "invalid_input")
    problem_of(send(known, f"{AUTH}/{path}", {}), 429, "too_many_requests")


def test_a_stranger_opens_no_endless_row_of_challenges() -> None:
    """Each is a session in the database."""
    for _ in range(SIGN_INS_MAX):
        json_of(at(CAMPUS).get(f"{AUTH}/webauthn/login"))
    problem_of(at(CAMPUS).get(f"{AUTH}/webauthn/login"), 429, "too_many_requests")
