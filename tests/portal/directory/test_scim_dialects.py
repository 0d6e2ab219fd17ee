"""SCIM as Entra and as Okta speak it: each case is a request that their servers send."""

from typing import Any

import pytest

from portal.directory.mapping import Rule
from portal.directory.models import ExternalAccount
from portal.identity.models import User
from portal.tenancy.models import Membership
from tests.builders.directories import (
    ENTERPRISE_SCHEMA,
    GROUP_SCHEMA,
    USER_SCHEMA,
    ScimServer,
    a_directory,
)
from tests.builders.people import a_group, a_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def server() -> ScimServer:
    """Return the server of a directory without rules."""
    return ScimServer(a_directory())


def user_of(resource: Any) -> User:
    """Return the account of a person of a directory."""
    return ExternalAccount.objects.select_related("user").get(pk=resource["id"]).user


DEACTIVATIONS: list[dict[str, Any]] = [
    {"op": "Replace", "path": "active", "value": "False"},
    {"op": "Replace", "path": "active", "value": "false"},
    {"op": "Replace", "path": "active", "value": False},
    {"op": "Add", "path": "active", "value": "False"},
    {"op": "add", "path": "active", "value": False},
    {"op": "REPLACE", "path": "ACTIVE", "value": "FALSE"},
    {"op": "replace", "value": {"active": False}},
    {"op": "Replace", "value": {"active": "False"}},
    {"op": "replace", "path": f"{USER_SCHEMA}:active", "value": False},
]


@pytest.mark.parametrize("operation", DEACTIVATIONS, ids=str)
def test_a_deactivation_shuts_out_whoever_sends_it_how(
    server: ScimServer, operation: dict[str, Any]
) -> None:
    person = server.add_person()

    changed = server.patch(f"Users/{person['id']}", operation)

    assert changed["active"] is False
    assert server.send("GET", f"Users/{person['id']}")["active"] is False
    assert not user_of(person).is_active


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "Replace", "path": "active", "value": "True"},
        {"op": "Add", "path": "active", "value": True},
        {"op": "replace", "value": {"active": True}},
    ],
    ids=str,
)
def test_activation_of_who_is_active_is_no_error(
    server: ScimServer, operation: dict[str, Any]
) -> None:
    person = server.add_person()

    for _ in range(2):
        assert server.patch(f"Users/{person['id']}", operation)["active"] is True

    server.patch(f"Users/{person['id']}", DEACTIVATIONS[0])
    assert server.patch(f"Users/{person['id']}", operation)["active"] is True
    assert user_of(person).is_active


def test_whom_an_administrator_shut_out_no_directory_brings_back(server: ScimServer) -> None:
    person = server.add_person()
    User.objects.filter(pk=user_of(person).pk).update(is_active=False)

    shown = server.patch(f"Users/{person['id']}", {"op": "Add", "path": "active", "value": "True"})

    assert shown["active"] is False
    assert not user_of(person).is_active


def test_a_person_comes_as_entra_sends_one(server: ScimServer) -> None:
    made = server.add_person(
        "Ada.Lovelace@corp.local",
        externalId="0a1b",
        displayName="Ada Lovelace",
        name={"formatted": "Ada Lovelace", "givenName": "Ada", "familyName": "Lovelace"},
        emails=[{"primary": True, "type": "work", "value": "Ada.Lovelace@corp.local"}],
        meta={"resourceType": "User"},
        **{ENTERPRISE_SCHEMA: {"department": "Analysis", "manager": "77"}},
    )

    user = user_of(made)
    assert (user.username, user.display_name) == ("ada.lovelace", "Ada Lovelace")
    assert user.email == "ada.lovelace@corp.local"
    assert not user.has_usable_password()
    assert made["userName"] == "Ada.Lovelace@corp.local"
    assert made["externalId"] == "0a1b"
    assert made["meta"]["location"].endswith(f"/scim/v2/Users/{made['id']}")


def test_a_person_comes_as_okta_sends_one(server: ScimServer) -> None:
    made = server.add_person(
        "grace@example.org",
        name={"givenName": "Grace", "familyName": "Hopper"},
        emails=[{"primary": True, "value": "grace@example.org", "type": "work"}],
        displayName="Grace Hopper",
        locale="en-US",
        externalId="00u1",
        groups=[],
        password="1mz050nq",
    )

    assert not user_of(made).has_usable_password()
    assert "password" not in made
    assert made["name"]["familyName"] == "Hopper"


def test_a_second_person_of_one_name_is_refused(server: ScimServer) -> None:
    server.add_person("ada@example.org")

    again = server.send(
        "POST", "Users", {"schemas": [USER_SCHEMA], "userName": "ADA@example.org"}, 409
    )

    assert (again["scimType"], again["status"]) == ("uniqueness", "409")


def test_an_account_that_is_there_is_nobody_elses(server: ScimServer) -> None:
    admin = a_user("ada", role="platform_admin")

    made = server.add_person("ada@example.org")

    assert user_of(made).username == "ada-2"
    assert user_of(made) != admin


def test_an_account_is_linked_only_where_that_was_chosen_and_without_a_platform_role() -> None:
    linking = ScimServer(a_directory(links_existing=True))
    plain, admin = a_user("bo"), a_user("chen", role="platform_admin")

    assert user_of(linking.add_person("bo@example.org")) == plain
    assert user_of(linking.add_person("chen@example.org")) != admin


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('userName eq "ada@example.org"', True),
        ('userName eq "ADA@EXAMPLE.ORG"', True),
        ('username Eq "ada@example.org"', True),
        ('externalId eq "x1"', True),
        ('externalId eq "X1"', False),
        ('userName eq "nobody@example.org"', False),
        ('emails[type eq "work"].value eq "ada@example.org"', True),
        ('emails[type eq "work" and value eq "ada@example.org"]', True),
        ('userName sw "ada" and active eq true', True),
        ('name.familyName co "love"', True),
        ("not (userName pr)", False),
    ],
)
def test_people_are_found_by_filters(server: ScimServer, query: str, found: bool) -> None:
    server.add_person(
        "ada@example.org",
        externalId="x1",
        name={"familyName": "Lovelace"},
        emails=[{"type": "work", "value": "ada@example.org"}],
    )
    server.add_person("bo@example.org", active=False)

    body = server.client.get("/scim/v2/Users", {"filter": query}).json()
    assert body["totalResults"] == (1 if found else 0)
    assert [row["userName"] for row in body["Resources"]] == ["ada@example.org"] * found


def test_lists_have_pages(server: ScimServer) -> None:
    for number in range(5):
        server.add_person(f"p{number}@example.org")

    page = server.send("GET", "Users?startIndex=2&count=2")
    assert (page["totalResults"], page["startIndex"], page["itemsPerPage"]) == (5, 2, 2)
    assert [row["userName"] for row in page["Resources"]] == ["p1@example.org", "p2@example.org"]
    assert server.send("GET", "Users?startIndex=-3&count=0")["Resources"] == []
    assert server.send("GET", "Users?startIndex=9&count=10")["Resources"] == []


ATTRIBUTES: list[tuple[dict[str, Any], str, str]] = [
    ({"op": "Replace", "path": "displayName", "value": "Ada L."}, "display_name", "Ada L."),
    ({"op": "replace", "value": {"displayName": "Ada K."}}, "display_name", "Ada K."),
    (
        {"op": "Add", "path": 'emails[type eq "work"].value', "value": "New@example.org"},
        "email",
        "new@example.org",
    ),
    (
        {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "b@example.org"},
        "email",
        "b@example.org",
    ),
    (
        {"op": "replace", "value": {"emails": [{"value": "c@example.org", "primary": True}]}},
        "email",
        "c@example.org",
    ),
    (
        {"op": "Replace", "value": {"name.givenName": "Augusta", "displayName": "Augusta"}},
        "display_name",
        "Augusta",
    ),
    ({"op": "Add", "path": f"{ENTERPRISE_SCHEMA}:manager", "value": "77"}, "username", "ada"),
    (
        {"op": "Add", "path": f"{ENTERPRISE_SCHEMA}:department", "value": "x"},
        "username",
        "ada",
    ),
    ({"op": "replace", "value": {"id": "00u9", "displayName": "D"}}, "display_name", "D"),
    ({"op": "Replace", "path": "userName", "value": "else@example.org"}, "username", "ada"),
]


@pytest.mark.parametrize(("operation", "column", "value"), ATTRIBUTES, ids=str)
def test_an_account_follows_what_is_said_of_its_person(
    server: ScimServer, operation: dict[str, Any], column: str, value: str
) -> None:
    person = server.add_person("ada@example.org", displayName="Ada")

    server.patch(f"Users/{person['id']}", operation)

    assert getattr(user_of(person), column) == value


def test_okta_replaces_a_person_whole(server: ScimServer) -> None:
    person = server.add_person("ada@example.org", displayName="Ada", title="Countess")
    body = {"schemas": [USER_SCHEMA], "id": person["id"], "userName": "ada@example.org"}

    changed = server.send("PUT", f"Users/{person['id']}", {**body, "active": False})

    assert (changed["active"], "title" in changed) == (False, False)
    assert not user_of(person).is_active
    assert server.send("PUT", f"Users/{person['id']}", {**body, "active": True})["active"] is True


def test_who_was_removed_is_gone_and_the_same_account_again_later(server: ScimServer) -> None:
    person = server.add_person("ada@example.org", externalId="x1")
    before = user_of(person)

    server.send("DELETE", f"Users/{person['id']}", status=204)

    gone = server.send("GET", f"Users/{person['id']}", status=404)
    assert gone["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]
    server.send("DELETE", f"Users/{person['id']}", status=404)
    assert server.send("GET", "Users")["totalResults"] == 0
    before.refresh_from_db()
    assert not before.is_active
    again = user_of(server.add_person("ada.k@example.org", externalId="x1"))
    assert (again, again.is_active) == (before, True)


MEMBERS: list[tuple[dict[str, Any], str]] = [
    ({"op": "Add", "path": "members", "value": [{"value": "{bo}"}]}, "ada bo"),
    ({"op": "add", "path": "members", "value": [{"value": "{bo}", "$ref": None}]}, "ada bo"),
    ({"op": "add", "value": {"members": [{"value": "{bo}", "display": "bo"}]}}, "ada bo"),
    ({"op": "Add", "path": "members", "value": [{"value": "{ada}"}]}, "ada"),
    ({"op": "Remove", "path": "members", "value": [{"value": "{ada}"}]}, ""),
    ({"op": "remove", "path": 'members[value eq "{ada}"]'}, ""),
    ({"op": "Remove", "path": "members", "value": [{"value": "{bo}"}]}, "ada"),
    ({"op": "remove", "path": 'members[value eq "{bo}"]'}, "ada"),
    ({"op": "replace", "path": "members", "value": [{"value": "{bo}"}]}, "bo"),
    ({"op": "remove", "path": "members"}, ""),
]


@pytest.mark.parametrize(("operation", "expected"), MEMBERS, ids=str)
def test_members_have_what_the_group_means(operation: dict[str, Any], expected: str) -> None:
    vision = a_group("vision")
    server = ScimServer(a_directory(Rule("Vision team", group="vision", role="developer")))
    ada, bo = server.add_person("ada"), server.add_person("bo")
    group = server.add_group("Vision team", ada)

    server.patch(f"Groups/{group['id']}", _naming(operation, ada=ada["id"], bo=bo["id"]))

    held = Membership.objects.filter(group=vision, role="developer")
    assert set(held.values_list("user__username", flat=True)) == set(expected.split())
    shown = server.send("GET", f"Groups/{group['id']}").get("members", [])
    ids = {"ada": ada["id"], "bo": bo["id"]}
    assert {row["value"] for row in shown} == {ids[name] for name in expected.split()}


def _naming(operation: dict[str, Any], **ids: str) -> dict[str, Any]:
    """Return an operation with the ids of people in the place of their names."""

    def named(value: Any) -> Any:
        if isinstance(value, str):
            for name, key in ids.items():
                value = value.replace(f"{{{name}}}", key)
            return value
        if isinstance(value, list):
            return [named(each) for each in value]
        if isinstance(value, dict):
            return {name: named(each) for name, each in value.items()}
        return value

    return {name: named(value) for name, value in operation.items()}


def test_entra_reads_a_group_without_its_members(server: ScimServer) -> None:
    group = server.add_group("Vision", server.add_person(), externalId="g1")

    query = "Groups?excludedAttributes=members&filter=externalId%20eq%20%22g1%22"
    [found] = server.send("GET", query)["Resources"]
    assert (found["id"], "members" in found) == (group["id"], False)
    alone = server.send("GET", f"Groups/{group['id']}?excludedAttributes=members")
    assert "members" not in alone


def test_entra_asks_whether_somebody_is_in_a_group(server: ScimServer) -> None:
    ada, bo = server.add_person(), server.add_person()
    group = server.add_group("Vision", ada)
    for person, total in ((ada, 1), (bo, 0)):
        query = f'id eq "{group["id"]}" and members eq "{person["id"]}"'
        found = server.client.get(
            "/scim/v2/Groups", {"filter": query, "excludedAttributes": "members"}
        )
        assert found.json()["totalResults"] == total


def test_okta_renames_a_group_by_its_id_and_replaces_it(server: ScimServer) -> None:
    ada = server.add_person()
    group = server.add_group("Old", ada)
    path = f"Groups/{group['id']}"

    value = {"id": group["id"], "displayName": "New"}
    assert server.patch(path, {"op": "replace", "value": value})["displayName"] == "New"
    body = {"schemas": [GROUP_SCHEMA], "displayName": "Newest", "members": []}
    assert server.send("PUT", path, body)["displayName"] == "Newest"
    assert "members" not in server.send("GET", path)
    server.send("DELETE", path, status=204)
    server.send("GET", path, status=404)


def test_a_group_that_is_renamed_means_something_else_at_once() -> None:
    vision = a_group("vision")
    server = ScimServer(a_directory(Rule("New", group="vision", role="viewer")))
    ada = server.add_person("ada")
    group = server.add_group("Old", ada)
    assert not Membership.objects.filter(group=vision).exists()

    server.patch(f"Groups/{group['id']}", {"op": "Replace", "path": "displayName", "value": "New"})

    assert Membership.objects.get(group=vision).user == user_of(ada)
    server.send("DELETE", f"Groups/{group['id']}", status=204)
    assert not Membership.objects.filter(group=vision).exists()


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "scim_type"),
    [
        ("POST", "Users", {"schemas": [USER_SCHEMA]}, 400, "invalidValue"),
        ("POST", "Users", {"schemas": [USER_SCHEMA], "userName": " "}, 400, "invalidValue"),
        ("POST", "Users", {"schemas": [USER_SCHEMA], "userName": "a" * 256}, 400, "invalidValue"),
        ("POST", "Groups", {"schemas": [GROUP_SCHEMA]}, 400, "invalidValue"),
        (
            "POST",
            "Groups",
            {"schemas": [GROUP_SCHEMA], "displayName": "g", "members": [{"value": "nobody"}]},
            400,
            "invalidValue",
        ),
        ("GET", "Users?filter=userName%20is%20x", None, 400, "invalidFilter"),
        ("GET", "Users/nobody", None, 404, None),
        ("PATCH", "Users/nobody", {"Operations": []}, 400, None),
        ("POST", "Bulk", {}, 501, None),
        ("POST", "Users", [], 400, None),
        ("DELETE", "Users", None, 405, None),
    ],
)
def test_what_cannot_be_done_is_refused_in_scim(
    server: ScimServer, method: str, path: str, body: Any, status: int, scim_type: str | None
) -> None:
    refused = server.send(method, path, body, status)

    assert refused["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]
    assert refused["status"] == str(status)
    if scim_type:
        assert refused["scimType"] == scim_type


@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer berth_x", "Basic YTpi"])
def test_nobody_comes_in_without_the_token(server: ScimServer, token: str) -> None:
    headers = {"Authorization": token} if token else {}
    for path in ("Users", "ServiceProviderConfig", "anything"):
        refused = server.client.get(f"/scim/v2/{path}", headers=headers or {"Authorization": ""})
        assert refused.status_code == 401
        assert refused["WWW-Authenticate"].startswith("Bearer")


def test_one_directory_does_not_see_the_people_of_another(server: ScimServer) -> None:
    other = ScimServer(a_directory())
    person = other.add_person("ada@example.org")

    server.send("GET", f"Users/{person['id']}", status=404)
    server.patch(f"Users/{person['id']}", DEACTIVATIONS[0], status=404)
    assert server.send("GET", "Users")["totalResults"] == 0
    assert user_of(person).is_active
    assert server.add_person("ada@example.org")["id"] != person["id"]
