"""Readings of a real directory by LDAP: people, groups within groups, and leavers."""

from collections.abc import Iterator

import pytest

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.directory import services
from portal.directory.ldap.client import PAGE_SIZE, open_client
from portal.directory.ldap.settings import LdapSettings
from portal.directory.ldap.sync import LEAVERS_FREE, sync, sync_due
from portal.directory.mapping import Rule
from portal.directory.models import Directory, ExternalAccount, ExternalGroup
from portal.identity.models import User
from portal.tenancy.models import Membership
from tests.builders.directories import an_ldap_directory
from tests.builders.people import a_group, a_user
from tests.ldap_server import PEOPLE, READER_PASSWORD, LdapServer, ldap_server
from tests.portal.directory.doors import open_doors
from tests.rest import API, browser, json_of, problem_of

pytestmark = [
    pytest.mark.docker,
    pytest.mark.django_db,
    pytest.mark.usefixtures("redis_url"),
]
SYSTEM = Actor.system("test")


@pytest.fixture(scope="module")
def plain_server() -> Iterator[LdapServer]:
    """Start a directory that has no TLS."""
    with ldap_server(has_tls=False) as server:
        yield server


def read(directory: Directory) -> Directory:
    """Read a directory; return it as it is then."""
    sync(Directory.objects.get(pk=directory.pk))
    return Directory.objects.get(pk=directory.pk)


def fault_of(directory: Directory) -> str:
    """Return why a directory could not be read."""
    return str((read(directory).sync_fault or {}).get("code", ""))


def active() -> dict[str, bool]:
    """Return all people of directories, and whether they may come in."""
    rows = ExternalAccount.objects.values_list("user__username", "user__is_active")
    return dict(rows)


def test_people_come_with_their_groups_and_what_these_mean(people_server: LdapServer) -> None:
    vision = a_group("vision")
    ada, bo = people_server.add_person("ada"), people_server.add_person("bo")
    inner = people_server.add_group("inner", ada)
    people_server.add_group("outer", inner, bo)
    people_server.add_group("empty")
    rules = Rule("outer", group="vision", role="developer"), Rule("inner", platform_role="auditor")
    directory = an_ldap_directory(people_server, *rules)

    found = read(directory)

    assert (found.sync_fault, found.synced_at is not None) == (None, True)
    assert active() == {"ada": True, "bo": True}
    roles = dict(Membership.objects.filter(group=vision).values_list("user__username", "role"))
    assert roles == {"ada": "developer", "bo": "developer"}
    person = User.objects.get(username="ada")
    assert (person.platform_role, person.display_name) == ("auditor", "Ada")
    assert (person.email, person.has_usable_password()) == ("ada@example.org", False)
    members = {row.display_name: row.members.count() for row in ExternalGroup.objects.all()}
    assert members == {"inner": 1, "outer": 2, "empty": 0}


def test_a_second_reading_changes_nothing(people_server: LdapServer) -> None:
    people_server.add_group("all", people_server.add_person("ada"))
    directory = an_ldap_directory(people_server, Rule("all", platform_role="auditor"))
    read(directory)
    before = AuditEvent.objects.count()
    changed = set(ExternalAccount.objects.values_list("changed_at", flat=True))

    read(directory)

    assert AuditEvent.objects.count() == before
    assert set(ExternalAccount.objects.values_list("changed_at", flat=True)) == changed


def test_who_left_or_was_disabled_is_out_and_comes_back(people_server: LdapServer) -> None:
    vision = a_group("vision")
    ada, bo = people_server.add_person("ada"), people_server.add_person("bo")
    people_server.add_person("chen")
    directory = an_ldap_directory(people_server, Rule("*", group="vision", role="viewer"))
    read(directory)

    people_server.remove(ada)
    people_server.change(bo, userAccountControl=["514"])
    read(directory)

    assert active() == {"ada": False, "bo": False, "chen": True}
    holders = Membership.objects.filter(group=vision).values_list("user__username", flat=True)
    assert set(holders) == {"bo", "chen"}
    people_server.change(bo, userAccountControl=["512"])
    read(directory)
    assert active()["bo"]


def test_a_person_who_is_renamed_keeps_the_account(people_server: LdapServer) -> None:
    ada = people_server.add_person("ada")
    directory = an_ldap_directory(people_server)
    read(directory)
    account = ExternalAccount.objects.get()

    people_server.connection.modify_dn(ada, "uid=ada.king")
    people_server.change(f"uid=ada.king,{PEOPLE}", displayName=["Ada King"])
    read(directory)

    again = ExternalAccount.objects.get()
    assert (again.user_id, again.user_name) == (account.user_id, "ada.king")
    assert again.user.display_name == "Ada King"


def test_groups_are_followed_when_they_are_renamed_emptied_and_removed(
    people_server: LdapServer,
) -> None:
    vision = a_group("vision")
    ada = people_server.add_person("ada")
    group = people_server.add_group("red", ada)
    directory = an_ldap_directory(people_server, Rule("blue", group="vision", role="viewer"))
    read(directory)
    assert not Membership.objects.filter(group=vision).exists()

    people_server.connection.modify_dn(group, "cn=blue")
    read(directory)
    assert Membership.objects.filter(group=vision).exists()

    people_server.remove("cn=blue,ou=groups,dc=example,dc=org")
    read(directory)
    assert not Membership.objects.filter(group=vision).exists()
    assert not ExternalGroup.objects.exists()


def test_who_is_disabled_and_was_never_here_gets_no_account(people_server: LdapServer) -> None:
    people_server.add_person("ada", userAccountControl="514")
    read(an_ldap_directory(people_server))
    assert active() == {}


def test_more_people_than_a_page_are_read(people_server: LdapServer) -> None:
    count = PAGE_SIZE + 3
    for number in range(count):
        people_server.add_person(f"p{number}")
    directory = an_ldap_directory(people_server)
    settings = LdapSettings.read(directory.ldap)

    with open_client(settings, READER_PASSWORD) as client:
        assert len(client.people()) == count


def test_referrals_are_not_followed(people_server: LdapServer) -> None:
    people_server.add_person("ada")
    people_server.add_referral("elsewhere", "ldap://localhost:1/ou=people,dc=example,dc=org")
    assert fault_of(an_ldap_directory(people_server)) == ""
    assert active() == {"ada": True}


def test_a_wrong_filter_shuts_nobody_out_unless_somebody_says_so(
    people_server: LdapServer,
) -> None:
    for number in range(LEAVERS_FREE + 2):
        people_server.add_person(f"p{number}")
    directory = an_ldap_directory(people_server)
    read(directory)
    everybody = active()
    settings = LdapSettings.read(directory.ldap)
    changed = {**settings.write(), "people_filter": "(uid=p0)"}
    services.change_directory(
        actor=SYSTEM, directory_id=directory.pk, changes={"ldap": LdapSettings(**changed)}
    )

    found = read(directory)

    assert found.sync_fault == {
        "code": "ldap_too_many_leave",
        "params": {"leavers": LEAVERS_FREE + 1, "people": LEAVERS_FREE + 2},
    }
    assert active() == everybody
    assert AuditEvent.objects.filter(action="directory.sync", outcome="failed").count() == 1
    services.ask_for_sync(actor=SYSTEM, directory_id=directory.pk, accepts_leavers=True)
    assert sync_due() == 1
    assert sum(active().values()) == 1
    assert not Directory.objects.get().accepts_leavers


def test_an_empty_answer_shuts_nobody_out(people_server: LdapServer) -> None:
    ada = people_server.add_person("ada")
    directory = an_ldap_directory(people_server)
    read(directory)
    people_server.remove(ada)
    assert fault_of(directory) == "ldap_nobody_found"
    assert active() == {"ada": True}


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"url": "ldaps://localhost:1"}, "ldap_unreachable"),
        ({"ca_certificate": ""}, "ldap_tls_failed"),
        ({"bind_dn": f"uid=stranger,{PEOPLE}"}, "ldap_bind_refused"),
        ({"people_base": "ou=gone,dc=example,dc=org"}, "ldap_search_refused"),
    ],
)
def test_what_is_wrong_stands_on_the_page(
    people_server: LdapServer, settings: dict[str, str], fault: str
) -> None:
    people_server.add_person("ada")
    directory = an_ldap_directory(people_server, **settings)

    assert fault_of(directory) == fault

    admin = browser(a_user(role="platform_admin"))
    shown = json_of(admin.get(f"{API}/directories/{directory.pk}"))
    assert (shown["sync_fault"]["code"], shown["synced_at"]) == (fault, None)


def test_a_certificate_of_another_host_is_refused(people_server: LdapServer) -> None:
    url = f"ldaps://127.0.0.1:{people_server.tls_port}"
    assert fault_of(an_ldap_directory(people_server, url=url)) == "ldap_tls_failed"


def test_start_tls_is_demanded_where_tls_is_not_there_from_the_start(
    people_server: LdapServer, plain_server: LdapServer
) -> None:
    people_server.add_person("ada")
    assert fault_of(an_ldap_directory(people_server, url=people_server.url)) == ""
    assert active() == {"ada": True}
    without = an_ldap_directory(plain_server, url=plain_server.url)
    assert fault_of(without) == "ldap_tls_failed"
    said = an_ldap_directory(plain_server, url=plain_server.url, is_plain=True)
    assert fault_of(said) == ""


def test_a_directory_is_read_when_it_is_due_and_by_one_process(people_server: LdapServer) -> None:
    people_server.add_person("ada")
    directory = an_ldap_directory(people_server)
    assert sync_due() == 1
    assert sync_due() == 0
    services.ask_for_sync(actor=SYSTEM, directory_id=directory.pk, accepts_leavers=False)
    assert sync_due() == 1


def test_the_password_is_kept_encrypted_and_ends_with_its_server(people_server: LdapServer) -> None:
    admin = browser(a_user(role="platform_admin"))
    address = f"{API}/directories/{an_ldap_directory(people_server).pk}"
    shown = json_of(admin.get(address))
    assert shown["has_bind_password"]
    assert READER_PASSWORD not in str(shown)
    assert READER_PASSWORD not in Directory.objects.get().encrypted_bind_password
    assert not AuditEvent.objects.filter(params__icontains=READER_PASSWORD).exists()
    assert services.encrypt_again() == 1
    moved = {**shown["ldap"], "url": "ldaps://else.example.org"}
    changed = json_of(admin.patch(address, {"ldap": moved}, format="json"))
    assert (changed["has_bind_password"], changed["ldap"]["url"]) == (False, moved["url"])


def test_a_directory_that_is_read_has_no_other_way(people_server: LdapServer) -> None:
    admin = browser(a_user(role="platform_admin"))
    address = f"{API}/directories/{an_ldap_directory(people_server).pk}"
    problem_of(admin.post(f"{address}/token"), 409, "ldap_is_alone")
    change = {"issuer": "https://login.example.org"}
    problem_of(admin.patch(address, change, format="json"), 422, "ldap_is_alone")
    json_of(admin.patch(address, {"ldap": None}, format="json"))
    problem_of(admin.post(f"{address}/sync", {}, format="json"), 409, "not_by_ldap")
    json_of(admin.post(f"{address}/token"))


@pytest.mark.parametrize("way", ["removed", "disabled"])
def test_a_leaver_finds_every_door_shut_after_the_next_reading(
    people_server: LdapServer, way: str
) -> None:
    doors = open_doors()
    dn = people_server.add_person(doors.owner.username)
    people_server.add_person("somebody-else")
    directory = an_ldap_directory(people_server)
    link(directory)
    read(directory)
    doors.are_open()

    if way == "removed":
        people_server.remove(dn)
    else:
        people_server.change(dn, userAccountControl=["514"])
    read(directory)

    doors.are_shut()


def link(directory: Directory) -> None:
    """Let a directory take over accounts of its names."""
    services.change_directory(
        actor=SYSTEM, directory_id=directory.pk, changes={"links_existing": True}
    )
