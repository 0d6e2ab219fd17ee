"""Sign-in with the password of a real directory, which is asked by LDAP."""

import pytest

from portal.audit.models import AuditEvent
from portal.directory.mapping import Rule
from portal.directory.models import Directory, ExternalAccount
from portal.identity.models import User
from portal.identity.sign_in_attempts import GUESSES_MAX
from portal.tenancy.models import Membership
from tests.builders.directories import an_ldap_directory
from tests.builders.people import a_group, a_user
from tests.ldap_server import PASSWORD, LdapServer
from tests.portal.identity.browsers import AUTH, a_browser, send, sign_in
from tests.rest import API, json_of, problem_of, stranger

pytestmark = [
    pytest.mark.docker,
    pytest.mark.django_db,
    pytest.mark.usefixtures("redis_url"),
]


def refused(username: str, password: str) -> str:
    """Return why somebody does not come in."""
    answer = json_of(sign_in(a_browser(), username, password), 400)
    return str(answer["errors"][0]["code"])


def test_a_person_comes_in_with_the_groups_that_the_directory_has(
    people_server: LdapServer,
) -> None:
    vision = a_group("vision")
    inner = people_server.add_group("inner", people_server.add_person("ada"))
    people_server.add_group("outer", inner)
    rule = Rule("outer", group="vision", role="developer")
    directory = an_ldap_directory(people_server, rule)
    client = a_browser()

    json_of(sign_in(client, "ada", PASSWORD))

    me = json_of(client.get(f"{API}/me"))
    assert (me["username"], me["display_name"]) == ("ada", "Ada")
    assert Membership.objects.get(group=vision).directory == directory.name
    assert AuditEvent.objects.filter(action="session.open", outcome="ok").count() == 1
    assert Directory.objects.get().signed_in_at is not None
    assert not User.objects.get(username="ada").has_usable_password()


@pytest.mark.parametrize("password", ["wrong", " ", PASSWORD.upper()])
def test_a_wrong_password_opens_nothing(people_server: LdapServer, password: str) -> None:
    people_server.add_person("ada")
    an_ldap_directory(people_server)
    assert refused("ada", password)
    assert not ExternalAccount.objects.exists()


@pytest.mark.parametrize("name", ["*", "a*", "ada)(uid=*", "(|(uid=*))"])
def test_a_name_is_no_filter(people_server: LdapServer, name: str) -> None:
    people_server.add_person("ada")
    an_ldap_directory(people_server)
    assert refused(name, PASSWORD)
    assert not ExternalAccount.objects.exists()


def test_who_is_disabled_stays_out_with_the_right_password(people_server: LdapServer) -> None:
    people_server.add_person("ada", userAccountControl="514")
    an_ldap_directory(people_server)
    assert refused("ada", PASSWORD) == "username_password_mismatch"


def test_whom_an_administrator_deactivated_no_directory_lets_in(people_server: LdapServer) -> None:
    people_server.add_person("ada")
    an_ldap_directory(people_server)
    json_of(sign_in(a_browser(), "ada", PASSWORD))
    User.objects.filter(username="ada").update(is_active=False)
    assert refused("ada", PASSWORD)


def test_a_local_account_of_that_name_is_somebody_else(people_server: LdapServer) -> None:
    people_server.add_person("root")
    glass = a_user("root", role="platform_admin", can_sign_in=True)
    an_ldap_directory(people_server)
    by_hand, by_directory = a_browser(), a_browser()

    json_of(sign_in(by_hand, "root"))
    json_of(sign_in(by_directory, "root", PASSWORD))

    assert json_of(by_hand.get(f"{API}/me"))["id"] == str(glass.pk)
    assert json_of(by_directory.get(f"{API}/me"))["username"] == "root-2"


def test_the_password_of_the_directory_confirms_who_is_signed_in(
    people_server: LdapServer,
) -> None:
    people_server.add_person("root")
    a_user("root", role="platform_admin", can_sign_in=True)
    an_ldap_directory(people_server)
    client = a_browser()
    json_of(sign_in(client, "root", PASSWORD))

    json_of(send(client, f"{AUTH}/reauthenticate", {"password": PASSWORD}))
    wrong = send(client, f"{AUTH}/reauthenticate", {"password": "wrong"})
    assert wrong.status_code == 400


def test_a_directory_that_is_away_is_no_wrong_password(people_server: LdapServer) -> None:
    an_ldap_directory(people_server, url="ldaps://localhost:1")
    assert refused("ada", PASSWORD) == "directory_unreachable"
    local = a_user(can_sign_in=True)
    json_of(sign_in(a_browser(), local.username))


def test_one_that_is_away_hides_no_other(people_server: LdapServer) -> None:
    people_server.add_person("ada")
    an_ldap_directory(people_server, url="ldaps://localhost:1")
    an_ldap_directory(people_server)
    json_of(sign_in(a_browser(), "ada", PASSWORD))


def test_guesses_are_counted(people_server: LdapServer) -> None:
    people_server.add_person("ada")
    an_ldap_directory(people_server)
    found = [refused("ada", "wrong") for _ in range(GUESSES_MAX)]
    assert set(found) == {"username_password_mismatch"}
    assert refused("ada", PASSWORD) == "too_many_login_attempts"


def test_the_page_says_which_directories_have_passwords(people_server: LdapServer) -> None:
    directory = an_ldap_directory(people_server)
    offered = json_of(stranger().get(f"{API}/config"))["sign_in"]
    assert offered == [{"name": directory.name, "title": directory.title, "kind": "ldap"}]
    problem = stranger().get(f"/sign-in/oidc/{directory.name}")
    assert problem.status_code == 404


def test_nobody_comes_in_by_a_directory_that_is_gone(people_server: LdapServer) -> None:
    people_server.add_person("ada")
    directory = an_ldap_directory(people_server)
    client = a_browser()
    json_of(sign_in(client, "ada", PASSWORD))
    directory.delete()
    assert refused("ada", PASSWORD)
    problem_of(a_browser().get(f"{API}/me"), 401, "not_authenticated")
