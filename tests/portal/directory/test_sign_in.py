"""Sign-in by OpenID Connect, with a provider that answers over HTTP."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.test import Client

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.directory import services
from portal.directory.mapping import Rule
from portal.directory.models import Directory, ExternalAccount
from portal.identity.models import User
from portal.tenancy.models import Membership
from tests.builders.directories import ScimServer, a_directory
from tests.builders.people import a_group, a_user
from tests.oidc_provider import running_provider
from tests.portal.identity.browsers import AUTH, TOTP, a_browser, code_of, send
from tests.rest import API, browser, json_of, problem_of, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

ADA = {
    "preferred_username": "Ada@example.org",
    "name": "Ada Lovelace",
    "email": "ada@example.org",
    "groups": ["vision-team", "everyone"],
}


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """Start a provider that knows Ada; yield its address."""
    with running_provider({"u-ada": ADA}) as address:
        yield address


def signing_in(directory: Directory, issuer: str, **changes: Any) -> Directory:
    """Let people of a directory sign in by a provider."""
    given = {"issuer": issuer, "client_id": "berth", "client_secret": "s3cret", **changes}
    return services.change_directory(
        actor=Actor.system("test"), directory_id=directory.pk, changes=given
    )


def leave_for(client: Client, directory: Directory, then: str = "/") -> str:
    """Return the address of the provider to which a browser is sent."""
    sent = client.get(f"/sign-in/oidc/{directory.name}", {"next": then})
    assert sent.status_code == 302
    return str(sent["Location"])


def come_back(client: Client, address: str, **form: str) -> Any:
    """Answer the provider's page, and follow it back; return the answer of the portal."""
    answer = requests.post(address, data=form, allow_redirects=False, timeout=20)
    back = urlsplit(answer.headers["Location"])
    assert back.path.startswith("/sign-in/oidc/")
    return client.get(back.path, parse_qs(back.query))


def sign_in(client: Client, directory: Directory, then: str = "/", sub: str = "u-ada") -> str:
    """Sign in as somebody; return where the browser is led."""
    return str(come_back(client, leave_for(client, directory, then), sub=sub)["Location"])


def refused_as(client: Client, location: str) -> str:
    """Return why somebody was sent back, who is not signed in."""
    problem_of(client.get(f"{API}/me"), 401, "not_authenticated")
    assert urlsplit(location).path == "/sign-in"
    [code] = parse_qs(urlsplit(location).query)["refused"]
    return code


def test_a_person_comes_in_with_the_groups_that_the_provider_claims(provider: str) -> None:
    vision = a_group("vision")
    rule = Rule("vision-team", group="vision", role="developer")
    directory = signing_in(a_directory(rule), provider)
    client = Client()

    away = leave_for(client, directory, "/jobs?show=all")
    asked = parse_qs(urlsplit(away).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert set(asked["scope"][0].split()) == {"openid", "profile", "email"}
    back = come_back(client, away, sub="u-ada")

    assert back["Location"] == "/jobs?show=all"
    me = json_of(client.get(f"{API}/me"))
    assert (me["username"], me["display_name"]) == ("ada", "Ada Lovelace")
    assert [(row["group"]["name"], row["role"]) for row in me["memberships"]] == [
        ("vision", "developer")
    ]
    assert Membership.objects.get(group=vision).directory == directory.name
    assert AuditEvent.objects.filter(action="session.open", outcome="ok").count() == 1
    assert not User.objects.get(username="ada").has_usable_password()


def test_the_next_sign_in_takes_what_is_claimed_no_more(provider: str) -> None:
    rule = Rule("vision-team", group="vision", role="developer")
    a_group("vision")
    directory = signing_in(a_directory(rule), provider)
    sign_in(Client(), directory)
    assert Membership.objects.count() == 1

    signing_in(directory, provider, groups_claim="teams")
    sign_in(Client(), directory)

    assert Membership.objects.count() == 0
    assert User.objects.filter(username__startswith="ada").count() == 1


def test_of_a_directory_that_provisions_only_its_people_come_in(provider: str) -> None:
    directory = signing_in(a_directory(), provider, subject_claim="preferred_username")
    server = ScimServer(directory)
    client = Client()
    assert refused_as(client, sign_in(client, directory)) == "not_provisioned"
    assert not ExternalAccount.objects.exists()

    person = server.add_person("ada@example.org", externalId="another-id")

    assert sign_in(client, directory) == "/"
    assert json_of(client.get(f"{API}/me"))["username"] == "ada"
    server.patch(f"Users/{person['id']}", {"op": "Replace", "path": "active", "value": "False"})
    assert refused_as(client, sign_in(client, directory)) == "account_inactive"


def test_a_local_administrator_of_the_same_name_is_somebody_else(provider: str) -> None:
    a_user("ada", role="platform_admin")
    client = Client()
    sign_in(client, signing_in(a_directory(links_existing=True), provider))

    me = json_of(client.get(f"{API}/me"))
    assert (me["username"], me["platform_role"]) == ("ada-2", "")


def test_a_second_factor_that_was_enrolled_here_is_asked_for(provider: str) -> None:
    directory = signing_in(a_directory(), provider)
    at_home, client = a_browser(), a_browser()
    sign_in(at_home, directory)
    app = json_of(at_home.get(TOTP), 404)["meta"]["totp_url"]
    json_of(send(at_home, TOTP, {"code": code_of(app)}))

    location = urlsplit(sign_in(client, directory, "/jobs"))

    assert (location.path, parse_qs(location.query)) == (
        "/sign-in",
        {"second": ["true"], "next": ["/jobs"]},
    )
    problem_of(client.get(f"{API}/me"), 401, "not_authenticated")
    pending = client.get(f"{AUTH}/session").json()["data"]["flows"]
    assert "mfa_authenticate" in [flow["id"] for flow in pending if flow.get("is_pending")]

    refused = json_of(send(client, f"{AUTH}/2fa/authenticate", {"code": "000000x"}), 400)
    assert refused["errors"][0]["code"] == "incorrect_code"
    problem_of(client.get(f"{API}/me"), 401, "not_authenticated")
    json_of(send(client, f"{AUTH}/2fa/authenticate", {"code": code_of(app)}))
    assert json_of(client.get(f"{API}/me"))["username"] == "ada"


@pytest.mark.parametrize("then", ["//evil.example", "https://evil.example/", "jobs", "/\\evil"])
def test_nobody_is_led_to_another_site(provider: str, then: str) -> None:
    client = Client()
    assert sign_in(client, signing_in(a_directory(), provider), then) == "/"


def test_who_gives_up_or_brings_what_nobody_asked_for_is_sent_back(provider: str) -> None:
    directory = signing_in(a_directory(), provider)
    client = Client()
    state = parse_qs(urlsplit(leave_for(client, directory)).query)["state"][0]
    refusal = {"error": "access_denied", "state": state}
    cancelled = client.get(f"/sign-in/oidc/{directory.name}/callback", refusal)
    assert refused_as(client, cancelled["Location"]) == "sign_in_cancelled"

    away = leave_for(client, directory)
    stolen = requests.post(away, data={"sub": "u-ada"}, allow_redirects=False, timeout=20)
    back = urlsplit(stolen.headers["Location"])
    other = Client()
    foreign = other.get(back.path, parse_qs(back.query))
    assert refused_as(other, foreign["Location"]) == "provider_failed"
    query = {"code": "invented", "state": parse_qs(back.query)["state"][0]}
    invented = client.get(back.path, query)
    assert refused_as(client, invented["Location"]) == "provider_failed"
    failed = AuditEvent.objects.filter(action="session.open", outcome="failed")
    assert failed.count() == 3


def test_a_provider_that_is_away_lets_nobody_in_and_breaks_nothing() -> None:
    directory = signing_in(a_directory(), "http://localhost:1")
    client = Client()
    sent = client.get(f"/sign-in/oidc/{directory.name}")
    assert refused_as(client, sent["Location"]) == "provider_failed"


def test_only_what_is_set_up_is_offered(provider: str) -> None:
    assert json_of(stranger().get(f"{API}/config"))["sign_in"] == []
    directory = a_directory()
    assert stranger().get(f"/sign-in/oidc/{directory.name}").status_code == 404

    signing_in(directory, provider, title="Entra ID")

    offered = json_of(stranger().get(f"{API}/config"))["sign_in"]
    assert offered == [{"name": directory.name, "title": "Entra ID", "kind": "oidc"}]
    assert stranger().get("/sign-in/oidc/another").status_code == 404
    assert stranger().post(f"/sign-in/oidc/{directory.name}").status_code == 405


def test_the_secret_of_the_client_is_kept_encrypted_and_ends_with_its_issuer() -> None:
    admin = browser(a_user(role="platform_admin"))
    address = f"{API}/directories/{a_directory().pk}"
    change = {"issuer": "https://login.example.org/", "client_id": "c", "client_secret": "s3cret"}

    shown = json_of(admin.patch(address, change, format="json"))

    assert (shown["issuer"], shown["has_client_secret"]) == ("https://login.example.org", True)
    assert shown["callback_url"].endswith("/callback")
    assert "s3cret" not in str(shown)
    assert "s3cret" not in Directory.objects.get().encrypted_client_secret
    assert not AuditEvent.objects.filter(params__icontains="s3cret").exists()
    assert services.encrypt_again() == 1
    moved = json_of(admin.patch(address, {"issuer": "https://else.example.org"}, format="json"))
    assert not moved["has_client_secret"]


@pytest.mark.parametrize(
    "issuer", ["http://login.example.org", "https://a:b@c", "https://a?b", "ftp://a", "a"]
)
def test_a_provider_is_reached_by_tls(issuer: str) -> None:
    admin = browser(a_user(role="platform_admin"))
    address = f"{API}/directories/{a_directory().pk}"
    problem_of(admin.patch(address, {"issuer": issuer}, format="json"), 400, "invalid_input")
