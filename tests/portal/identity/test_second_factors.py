"""Second factors: an authenticator app with recovery codes, and passkeys."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client

from portal.audit.models import AuditEvent
from portal.identity.models import User
from tests.builders.people import a_user
from tests.portal.identity.browsers import (
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
from tests.rest import API, browser, json_of, problem_of
from tests.site_config import override_site_config

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis_url"),
]


def flows(answer: Any) -> dict[str, Any]:
    """Return what may come next, by its name."""
    return {flow["id"]: flow for flow in json_of(answer, 401)["data"]["flows"]}


def give_code(client: Client, code: str) -> Any:
    return send(client, f"{AUTH}/2fa/authenticate", {"code": code})


def acts() -> list[tuple[str, str]]:
    """Return what is in the audit log about second factors."""
    found = AuditEvent.objects.filter(action__contains="second_factor").order_by("id")
    return list(found.values_list("action", "outcome"))


def add_passkey(client: Client) -> Passkey:
    passkey = Passkey()
    confirm_password(client)
    options = json_of(client.get(f"{WEBAUTHN}?passwordless"))["data"]["creation_options"]
    credential = passkey.create(options["publicKey"])
    body = {"name": "laptop", "credential": credential, "passwordless": True}
    json_of(send(client, WEBAUTHN, body))
    return passkey


def test_who_has_enrolled_an_app_signs_in_with_password_and_code() -> None:
    client, user = a_signed_in_browser()
    app = enrol_app(client)
    elsewhere = a_browser()

    pending = flows(sign_in(elsewhere, user.username))["mfa_authenticate"]

    assert pending["is_pending"]
    assert set(pending["types"]) == {"totp", "recovery_codes"}
    problem_of(elsewhere.get(f"{API}/me"), 401, "not_authenticated")
    json_of(give_code(elsewhere, code_of(app)))
    assert json_of(elsewhere.get(f"{API}/me"))["username"] == user.username


def test_a_wrong_code_opens_nothing_and_is_in_the_audit_log() -> None:
    client, user = a_signed_in_browser()
    enrol_app(client)
    elsewhere = a_browser()
    sign_in(elsewhere, user.username)

    refused = json_of(give_code(elsewhere, "000000x"), 400)

    assert refused["errors"][0]["code"] == "incorrect_code"
    problem_of(elsewhere.get(f"{API}/me"), 401, "not_authenticated")
    assert acts()[-1] == ("second_factor.use", "failed")
    assert AuditEvent.objects.filter(action="session.open", outcome="ok").count() == 1


def test_a_code_is_taken_once() -> None:
    client, user = a_signed_in_browser()
    code = code_of(enrol_app(client))
    first, second = a_browser(), a_browser()
    sign_in(first, user.username)
    json_of(give_code(first, code))
    sign_in(second, user.username)
    json_of(give_code(second, code), 400)


def test_codes_are_not_guessed() -> None:
    client, user = a_signed_in_browser()
    app = enrol_app(client)
    elsewhere = a_browser()
    sign_in(elsewhere, user.username)
    for _ in range(10):
        json_of(give_code(elsewhere, "000000x"), 400)
    refused = json_of(give_code(elsewhere, code_of(app)), 400)
    assert refused["errors"][0]["code"] == "too_many_login_attempts"


def test_recovery_codes_are_shown_once_and_each_opens_one_session() -> None:
    client, user = a_signed_in_browser()
    enrol_app(client)
    shown = json_of(client.get(RECOVERY_CODES))["data"]
    assert len(shown["unused_codes"]) == 10
    assert "unused_codes" not in json_of(client.get(RECOVERY_CODES))["data"]
    first, second = a_browser(), a_browser()
    sign_in(first, user.username)
    json_of(give_code(first, shown["unused_codes"][0]))
    sign_in(second, user.username)
    json_of(give_code(second, shown["unused_codes"][0]), 400)
    json_of(give_code(second, shown["unused_codes"][1]))
    confirm_password(second)
    assert json_of(second.get(RECOVERY_CODES))["data"]["unused_code_count"] == 8
    renewed = json_of(send(second, RECOVERY_CODES, {}))["data"]["unused_codes"]
    assert not set(renewed) & set(shown["unused_codes"])


def test_a_stolen_session_alone_changes_no_second_factor() -> None:
    client, user = a_signed_in_browser()
    enrol_app(client)
    elsewhere = a_browser()
    sign_in(elsewhere, user.username)
    codes = json_of(client.get(RECOVERY_CODES))["data"]["unused_codes"]
    json_of(give_code(elsewhere, codes[0]))

    for method, address in [("DELETE", TOTP), ("POST", RECOVERY_CODES)]:
        asked = flows(send(elsewhere, address, {}, method=method))
        assert {"reauthenticate", "mfa_reauthenticate"} <= set(asked)

    assert Authenticator.objects.filter(user=user).count() == 2
    assert elsewhere.get(WEBAUTHN).status_code == 401


def test_without_the_app_the_password_is_enough_again() -> None:
    client, user = a_signed_in_browser()
    enrol_app(client)
    json_of(send(client, TOTP, {}, method="DELETE"))
    json_of(sign_in(a_browser(), user.username))
    assert not Authenticator.objects.filter(user=user).exists()
    assert acts() == [
        ("second_factor.add", "ok"),
        ("second_factor.add", "ok"),
        ("second_factor.remove", "ok"),
        ("second_factor.remove", "ok"),
    ]


def test_a_passkey_opens_a_session_without_a_password() -> None:
    client, user = a_signed_in_browser()
    passkey = add_passkey(client)
    elsewhere = a_browser()

    options = json_of(elsewhere.get(f"{AUTH}/webauthn/login"))["data"]["request_options"]
    credential = passkey.get(options["publicKey"])
    json_of(send(elsewhere, f"{AUTH}/webauthn/login", {"credential": credential}))

    assert json_of(elsewhere.get(f"{API}/me"))["username"] == user.username
    opened = AuditEvent.objects.filter(action="session.open", outcome="ok").order_by("id")
    assert [event.params for event in opened.filter(actor_name=user.username)] == [
        {"username": user.username},
        {"username": user.username, "type": "webauthn"},
    ]


def test_a_passkey_that_proves_nothing_is_in_the_audit_log() -> None:
    client, _ = a_signed_in_browser()
    passkey = add_passkey(client)
    elsewhere = a_browser()
    options = json_of(elsewhere.get(f"{AUTH}/webauthn/login"))["data"]["request_options"]
    forged = Passkey(credential_id=passkey.credential_id, user_handle=passkey.user_handle)
    proof = {"credential": forged.get(options["publicKey"])}
    refused = json_of(send(elsewhere, f"{AUTH}/webauthn/login", proof), 400)
    assert refused["errors"][0]["code"] == "incorrect_code"
    event = AuditEvent.objects.filter(action="session.open", outcome="failed").get()
    assert (event.actor_id, event.params) == ("", {"username": "", "type": "webauthn"})


def test_the_passkey_of_a_deactivated_person_opens_nothing() -> None:
    client, user = a_signed_in_browser()
    passkey = add_passkey(client)
    User.objects.filter(pk=user.pk).update(is_active=False)
    elsewhere = a_browser()
    options = json_of(elsewhere.get(f"{AUTH}/webauthn/login"))["data"]["request_options"]
    credential = passkey.get(options["publicKey"])
    answer = send(elsewhere, f"{AUTH}/webauthn/login", {"credential": credential})
    assert answer.status_code == 401
    problem_of(elsewhere.get(f"{API}/me"), 401, "not_authenticated")


def test_a_passkey_is_a_second_factor_after_the_password() -> None:
    client, user = a_signed_in_browser()
    passkey = add_passkey(client)
    elsewhere = a_browser()
    assert "webauthn" in flows(sign_in(elsewhere, user.username))["mfa_authenticate"]["types"]

    options = json_of(elsewhere.get(f"{AUTH}/webauthn/authenticate"))["data"]["request_options"]
    stranger = Passkey(credential_id=passkey.credential_id, user_handle=passkey.user_handle)
    forged = {"credential": stranger.get(options["publicKey"])}
    json_of(send(elsewhere, f"{AUTH}/webauthn/authenticate", forged), 400)

    options = json_of(elsewhere.get(f"{AUTH}/webauthn/authenticate"))["data"]["request_options"]
    phished = Passkey("https://elsewhere", passkey.key, passkey.credential_id, passkey.user_handle)
    borrowed = {"credential": phished.get(options["publicKey"])}
    json_of(send(elsewhere, f"{AUTH}/webauthn/authenticate", borrowed), 400)

    options = json_of(elsewhere.get(f"{AUTH}/webauthn/authenticate"))["data"]["request_options"]
    right = {"credential": passkey.get(options["publicKey"])}
    assert acts()[-2:] == [("second_factor.use", "failed"), ("second_factor.use", "failed")]
    json_of(send(elsewhere, f"{AUTH}/webauthn/authenticate", right))
    assert json_of(elsewhere.get(f"{API}/me"))["username"] == user.username


def test_an_administrator_removes_the_second_factors_of_who_lost_them() -> None:
    client, user = a_signed_in_browser()
    enrol_app(client)
    admin = browser(a_user(role="platform_admin"))
    address = f"{API}/users/{user.pk}/second-factors"
    problem_of(browser(a_user()).delete(address), 403, "denied")

    assert admin.delete(address).status_code == 204

    json_of(sign_in(a_browser(), user.username))
    event = AuditEvent.objects.get(action="user.second_factor")
    assert (event.object_id, event.params["username"]) == (str(user.pk), user.username)


def test_secrets_are_stored_encrypted() -> None:
    client, _ = a_signed_in_browser()
    app = enrol_app(client)
    codes = json_of(client.get(RECOVERY_CODES))["data"]["unused_codes"]
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert stored.count("gAAAA") == 2
    assert dict(parse_qsl(urlsplit(app).query))["secret"] not in stored
    assert not any(code in stored for code in codes)


def test_the_key_of_stored_secrets_is_changed_without_anyone_enrolling_again() -> None:
    client, user = a_signed_in_browser()
    app = enrol_app(client)
    with override_site_config() as config:
        old = config.encryption_keys
    with override_site_config(encryption_keys=("a-new-key", *old)):
        call_command("encrypt_again")
    with override_site_config(encryption_keys=("a-new-key",)):
        accepts(user, code_of(app))
    with (
        override_site_config(encryption_keys=("yet-another",)),
        pytest.raises(CommandError, match="nothing is changed"),
    ):
        call_command("encrypt_again")


def accepts(user: User, code: str) -> None:
    client = a_browser()
    sign_in(client, user.username)
    json_of(give_code(client, code))
