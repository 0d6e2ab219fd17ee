"""Which addresses of the sign-in library exist: those that pages use, by the methods that they use."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest
from allauth.account.models import EmailAddress
from allauth.headless import urls as library
from allauth.headless.constants import Client as Kind
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, URLResolver

from portal.audit.models import AuditEvent
from portal.identity.account_api.endpoints import ENDPOINTS
from portal.identity.models import User
from tests.builders.people import PASSWORD, a_user
from tests.portal.identity.browsers import (
    ACCOUNT,
    AUTH,
    RECOVERY_CODES,
    TOTP,
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
from tests.portal.identity.mail_server import site_with_mail
from tests.rest import API, browser, json_of, problem_of
from tests.waiting import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

BASE: Final = "/_allauth/browser/v1/"
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
USED: Final = {
    "auth/session": "GET DELETE",
    "auth/login": "POST",
    "auth/2fa/authenticate": "POST",
    "auth/webauthn/authenticate": "GET POST",
    "auth/webauthn/login": "GET POST",
    "auth/password/request": "POST",
    "auth/password/reset": "POST",
    "auth/reauthenticate": "POST",
    "auth/sessions": "GET DELETE",
    "account/password/change": "POST",
    "account/authenticators": "GET",
    "account/authenticators/totp": "GET POST DELETE",
    "account/authenticators/recovery-codes": "GET POST",
    "account/authenticators/webauthn": "GET POST DELETE",
}
"""What `frontend/src/shared/session/account.ts` and the pages beside it call."""


def addresses(patterns: Sequence[URLPattern | URLResolver], prefix: str) -> Iterator[str]:
    """Yield every address below some patterns."""
    for item in patterns:
        where = prefix + str(item.pattern)
        if isinstance(item, URLResolver):
            yield from addresses(item.url_patterns, where)
        else:
            yield where


LIBRARY: Final = sorted(
    {
        *addresses(library.urlpatterns, "/_allauth/"),
        *addresses(library.build_urlpatterns(Kind.BROWSER), "/_allauth/browser/"),
        *addresses(library.build_urlpatterns(Kind.APP), "/_allauth/app/"),
    }
)
CLOSED: Final = [
    (method, address)
    for address in LIBRARY
    for method in METHODS
    if method not in USED.get(address.removeprefix(BASE), "").split()
]


def test_pages_use_what_there_is() -> None:
    assert {each.path: " ".join(each.bodies) for each in ENDPOINTS} == USED
    assert {BASE + path for path in USED} <= set(LIBRARY)
    assert len(LIBRARY) > 50


@pytest.mark.parametrize("is_signed_in", [False, True])
def test_nothing_else_of_the_library_has_an_address(is_signed_in: bool) -> None:
    client = browser(a_user(can_sign_in=True)) if is_signed_in else Client()
    for method, address in CLOSED:
        if method == "HEAD":  # which has no body
            assert client.head(address).status_code == 404, address
            continue
        body = {"email": "x@example.org", "primary": True, "phone": "+8613800000000", "key": "x"}
        answer = client.generic(method, address, str(body), "application/json")
        problem_of(answer, 404, "not_found")


def test_a_session_changes_no_address_of_mail() -> None:
    """Neither by the library's addresses nor by rows of its table from before they were closed."""
    client, user = a_signed_in_browser()
    User.objects.filter(pk=user.pk).update(email="li.wei@example.org")
    send(client, f"{ACCOUNT}/email", {"email": "thief@example.net"})
    send(
        client, f"{ACCOUNT}/email", {"email": "thief@example.net", "primary": True}, method="PATCH"
    )
    user.refresh_from_db()
    assert user.email == "li.wei@example.org"
    assert not EmailAddress.objects.exists()


def test_mail_goes_where_administrators_have_written() -> None:
    owner, thief = a_user("owner", can_sign_in=True), a_user("thief", can_sign_in=True)
    User.objects.filter(pk=owner.pk).update(email="Owner@example.org")
    for person, address in ((owner, "thief@example.net"), (thief, "owner@example.org")):
        EmailAddress.objects.create(user=person, email=address, primary=True, verified=True)
    cache.clear()
    with site_with_mail() as sink:
        for address in ("thief@example.net", "owner@EXAMPLE.org"):
            json_of(send(a_browser(), f"{AUTH}/password/request", {"email": address}))
        wait_until(lambda: len(sink.mails) == 1)
    assert [mail["To"] for mail in sink.mails] == ["Owner@example.org"]


def test_rows_of_the_librarys_own_table_keep_nobody_from_second_factors() -> None:
    client, user = a_signed_in_browser()
    EmailAddress.objects.create(user=user, email="x@example.org", verified=False)
    enrol_app(client)
    assert Authenticator.objects.filter(user=user, type="totp").exists()


@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("GET", TOTP),
        ("POST", TOTP),
        ("DELETE", TOTP),
        ("GET", RECOVERY_CODES),
        ("POST", RECOVERY_CODES),
        ("GET", f"{WEBAUTHN}?passwordless"),
        ("POST", WEBAUTHN),
        ("DELETE", WEBAUTHN),
    ],
)
def test_means_of_sign_in_change_only_after_the_password(method: str, address: str) -> None:
    """Whoever is signed in, also by a passkey just now; the body is right in each case."""
    client, user = a_signed_in_browser()
    if (method, address) in (("GET", TOTP), ("POST", TOTP)):
        body, held = {"code": "123456"}, 0
        if method == "POST":
            confirm_password(client)
            body = {"code": code_of(json_of(client.get(TOTP), 404)["meta"]["totp_url"])}
    else:
        enrol_app(client)
        body, held = _right_body(client, user, method, address), Authenticator.objects.count()
    _forget_password(client)
    before = AuditEvent.objects.count()

    answer = json_of(send(client, address, body, method=method), 401)

    assert answer["meta"]["is_authenticated"]
    assert "reauthenticate" in {flow["id"] for flow in answer["data"]["flows"]}
    assert Authenticator.objects.count() == held
    assert AuditEvent.objects.count() == before


def _right_body(client: Client, user: User, method: str, address: str) -> dict[str, Any]:
    if address != WEBAUTHN:
        return {}
    options = json_of(client.get(f"{WEBAUTHN}?passwordless"))["data"]["creation_options"]
    body = {"name": "laptop", "credential": Passkey().create(options["publicKey"])}
    if method == "POST":
        return body
    json_of(send(client, WEBAUTHN, body))
    return {"authenticators": [Authenticator.objects.get(user=user, type="webauthn").pk]}


def _forget_password(client: Client) -> None:
    """Let more time pass than the password counts for."""
    session = client.session
    methods = session["account_authentication_methods"]
    session["account_authentication_methods"] = [{**each, "at": 0} for each in methods]
    session.save()


def test_a_password_changes_only_by_the_present_one_and_both_are_logged() -> None:
    client, user = a_signed_in_browser()
    address, new = f"{ACCOUNT}/password/change", "another-long-password"
    for body in (
        {"new_password": new},
        {"current_password": "", "new_password": new},
        {"current_password": None, "new_password": new},
        {"current_password": "wrong", "new_password": new},
    ):
        assert send(client, address, body).status_code == 400
    json_of(send(client, address, {"current_password": PASSWORD, "new_password": new}))
    json_of(sign_in(a_browser(), user.username, new))
    acts = AuditEvent.objects.filter(action="password.change").order_by("id")
    assert [(act.outcome, act.actor_name, act.params) for act in acts] == [
        ("failed", user.username, {"username": user.username}),
        ("ok", user.username, {"username": user.username}),
    ]


def test_whoever_has_no_password_sets_none_with_a_session() -> None:
    user = a_user()
    user.set_unusable_password()
    user.save()
    client = a_browser()
    client.force_login(user)
    client.get(f"{API}/me")
    answer = send(client, f"{ACCOUNT}/password/change", {"new_password": "another-long-password"})
    problem_of(answer, 400, "invalid_input")
    user.refresh_from_db()
    assert not user.has_usable_password()
