"""Directories set up by administrators: rules tried before they count, followed afterwards, and kept apart from hands."""

from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.directory import services
from portal.directory.application import apply_due
from portal.directory.mapping import Rule
from portal.directory.models import Directory, ExternalAccount
from portal.identity.models import User
from portal.tenancy.models import Membership
from tests.builders.directories import ScimServer, a_directory
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

DIRECTORIES = f"{API}/directories"


def an_admin() -> Any:
    """Return the browser of a platform administrator."""
    return browser(a_user(role="platform_admin"))


def an_address(directory: Directory) -> str:
    """Return where a directory is in the API."""
    return f"{DIRECTORIES}/{directory.pk}"


def roles_in(group: Any) -> dict[str, str]:
    """Return who has which role in a group."""
    rows = Membership.objects.filter(group=group)
    return dict(rows.values_list("user__username", "role"))


def test_a_directory_is_set_up_and_its_token_shown_once() -> None:
    admin = an_admin()
    wish = {"name": "entra", "title": "Entra ID"}

    made = json_of(admin.post(DIRECTORIES, wish, format="json"), 201)

    assert (made["rules"], made["has_token"], made["people"]) == ([], False, 0)
    assert made["scim_url"].endswith("/scim/v2")
    problem_of(admin.post(DIRECTORIES, wish, format="json"), 409, "name_taken")
    token = json_of(admin.post(f"{DIRECTORIES}/{made['id']}/token"))["token"]
    shown = json_of(admin.get(f"{DIRECTORIES}/{made['id']}"))
    assert shown["has_token"]
    assert token not in str(shown)
    assert not AuditEvent.objects.filter(params__contains=token).exists()
    found = services.find_by_token(token)
    assert found is not None
    assert str(found.pk) == made["id"]
    again = json_of(admin.post(f"{DIRECTORIES}/{made['id']}/token"))["token"]
    assert services.find_by_token(token) is None
    assert admin.delete(f"{DIRECTORIES}/{made['id']}/token").status_code == 204
    assert services.find_by_token(again) is None


@pytest.mark.parametrize("role", ["", "operator", "auditor"])
def test_nobody_else_sets_directories_up(role: str) -> None:
    directory = a_directory()
    client = browser(a_user(role=role) if role else a_member(a_group(), "group_admin"))
    problem_of(client.get(DIRECTORIES), 403, "denied")
    problem_of(client.post(f"{an_address(directory)}/token"), 403, "denied")
    problem_of(client.post(f"{an_address(directory)}/plan", {}, format="json"), 403, "denied")


@pytest.mark.parametrize(
    "rule",
    [
        {"external_group": "red"},
        {"external_group": "red", "group": "vision"},
        {"external_group": "red", "role": "viewer"},
        {"external_group": "red", "group": "v", "role": "viewer", "platform_role": "auditor"},
        {"external_group": "red", "platform_role": ""},
        {"external_group": "", "platform_role": "auditor"},
    ],
)
def test_a_rule_means_one_thing(rule: dict[str, str]) -> None:
    answer = an_admin().patch(an_address(a_directory()), {"rules": [rule]}, format="json")
    problem_of(answer, 400, "invalid_input")


def test_rules_are_tried_before_they_count_and_followed_by_the_next_run() -> None:
    admin = an_admin()
    vision = a_group("vision")
    directory = a_directory()
    server = ScimServer(directory)
    ada, bo = server.add_person("ada"), server.add_person("bo")
    server.add_group("Vision team", ada, externalId="g-1")
    json_of(
        admin.post(
            f"{API}/groups/{vision.pk}/members", {"username": "bo", "role": "viewer"}, format="json"
        ),
        201,
    )
    rules = [
        {"external_group": "g-1", "group": "vision", "role": "developer"},
        {"external_group": "*", "group": "vision", "role": "group_admin"},
        {"external_group": "*", "group": "gone", "role": "viewer"},
        {"external_group": "Vision team", "platform_role": "auditor"},
    ]

    plan = json_of(admin.post(f"{an_address(directory)}/plan", {"rules": rules}, format="json"))

    assert [
        (each["kind"], each["username"], each["group"], each["before"], each["after"])
        for each in plan["changes"]
    ] == [
        ("give_role", "ada", "vision", "", "group_admin"),
        ("platform_role", "ada", "", "", "auditor"),
    ]
    assert [(each["username"], each["before"]) for each in plan["kept"]] == [("bo", "viewer")]
    assert (plan["changes_total"], plan["unknown_groups"]) == (2, ["gone"])
    assert roles_in(vision) == {"bo": "viewer"}
    changed = json_of(admin.patch(an_address(directory), {"rules": rules}, format="json"))
    assert (changed["rules"], changed["people"], changed["external_groups"]) == (rules, 2, 1)

    assert apply_due() == 1

    assert roles_in(vision) == {"ada": "group_admin", "bo": "viewer"}
    assert User.objects.get(username="ada").platform_role == "auditor"
    after = json_of(admin.post(f"{an_address(directory)}/plan", {}, format="json"))
    assert after["changes"] == []
    assert apply_due() == 0
    assert bo["active"]


def test_two_who_change_a_directory_do_not_overwrite_each_other() -> None:
    admin, directory = an_admin(), a_directory()
    seen = json_of(admin.get(an_address(directory)))["version"]
    change = {"title": "Mine", "version": seen}
    json_of(admin.patch(an_address(directory), change, format="json"))
    answer = admin.patch(an_address(directory), {**change, "title": "Theirs"}, format="json")
    problem_of(answer, 409, "changed_by_another")


def test_what_a_directory_gave_only_the_directory_changes() -> None:
    admin = an_admin()
    vision = a_group("vision")
    directory = a_directory(Rule("*", group="vision", role="developer"), name="entra")
    ScimServer(directory).add_person("ada")
    member = f"{API}/groups/{vision.pk}/members/{User.objects.get(username='ada').pk}"

    problem_of(admin.patch(member, {"role": "viewer"}, format="json"), 409, "given_by_directory")
    problem_of(admin.delete(member), 409, "given_by_directory")

    [shown] = json_of(admin.get(f"{API}/groups/{vision.pk}/members"))
    assert shown["directory"] == "entra"
    assert admin.delete(an_address(directory)).status_code == 204
    assert not ExternalAccount.objects.exists()
    json_of(admin.patch(member, {"role": "viewer"}, format="json"))


def test_the_last_administrator_stays_whatever_a_directory_says() -> None:
    directory = a_directory(Rule("*", platform_role="platform_admin"))
    server = ScimServer(directory)
    person = server.add_person("ada")
    assert User.objects.get(username="ada").platform_role == "platform_admin"

    refused = server.patch(
        f"Users/{person['id']}", {"op": "replace", "path": "active", "value": False}, status=409
    )

    assert "last platform admin" in refused["detail"]
    services.change_directory(
        actor=Actor.system("test"), directory_id=directory.pk, changes={"rules": []}
    )
    assert apply_due() == 1
    assert User.objects.get(username="ada").platform_role == "platform_admin"
    assert AuditEvent.objects.filter(action="directory.apply", outcome="failed").exists()


def test_local_administrators_are_out_of_reach_of_directories() -> None:
    glass = a_user("root", role="platform_admin", can_sign_in=True)
    server = ScimServer(a_directory(Rule("*", platform_role="auditor"), links_existing=True))

    server.send("DELETE", f"Users/{server.add_person('root')['id']}", status=204)

    glass.refresh_from_db()
    assert (glass.is_active, glass.platform_role) == (True, "platform_admin")
    assert glass.has_usable_password()


def test_there_is_no_end_of_directories_but_the_limit() -> None:
    for _ in range(services.DIRECTORIES_MAX):
        a_directory()
    wish = {"name": "one-more", "title": "One more"}
    problem_of(an_admin().post(DIRECTORIES, wish, format="json"), 409, "too_many_directories")
