"""People: made and changed by administrators, signed out at once, never deleted."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.identity import ssh_keys
from portal.identity.models import User, UserKind
from portal.tenancy import services as tenancy
from tests.builders.people import a_group, a_member, a_user
from tests.portal.identity.browsers import a_browser, a_signed_in_browser, sign_in
from tests.rest import API, browser, json_of, pipeline, problem_of
from tests.ssh_keys import a_key

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

USERS = f"{API}/users"


def test_an_administrator_adds_a_person_who_can_sign_in_with_the_password_of_the_answer() -> None:
    admin = browser(a_user(role="platform_admin"))
    body = {"username": "li.na", "display_name": "李娜"}

    made = json_of(admin.post(USERS, body, format="json"), 201)

    person = User.objects.get(username="li.na")
    assert person.check_password(made["password"])
    assert (made["platform_role"], made["is_active"], made["memberships"]) == ("", True, [])
    assert "password" not in json_of(admin.get(f"{USERS}/{person.pk}"))
    problem_of(admin.post(USERS, body, format="json"), 409, "name_taken")
    event = AuditEvent.objects.get(action="user.create", object_id=str(person.pk))
    assert made["password"] not in str(event.params)


def test_people_are_found_by_part_of_a_name_with_their_groups() -> None:
    group = a_group()
    member = a_member(group, "group_admin", "wang.fang")
    a_user("zhao")
    admin = browser(a_user(role="platform_admin"))

    [found] = json_of(admin.get(f"{USERS}?search=FANG"))["results"]

    assert found["id"] == str(member.pk)
    assert [(row["group"]["name"], row["role"]) for row in found["memberships"]] == [
        (group.name, "group_admin")
    ]


@pytest.mark.parametrize("role", ["", "operator", "auditor"])
def test_nobody_else_manages_people(role: str) -> None:
    client = browser(a_user(role=role) if role else a_member(a_group(), "group_admin"))
    somebody = a_user()
    problem_of(client.get(USERS), 403, "denied")
    problem_of(
        client.post(USERS, {"username": "x", "display_name": "x"}, format="json"), 403, "denied"
    )
    problem_of(
        client.patch(f"{USERS}/{somebody.pk}", {"is_active": False}, format="json"), 403, "denied"
    )
    problem_of(client.post(f"{USERS}/{somebody.pk}/password"), 403, "denied")


def test_who_is_no_longer_active_is_signed_out_at_once() -> None:
    theirs, person = a_signed_in_browser()
    assert theirs.get(f"{API}/me").status_code == 200

    admin = browser(a_user(role="platform_admin"))
    changed = json_of(admin.patch(f"{USERS}/{person.pk}", {"is_active": False}, format="json"))

    assert changed["is_active"] is False
    problem_of(theirs.get(f"{API}/me"), 401, "not_authenticated")
    assert AuditEvent.objects.get(action="user.change").params["is_active"] is False


@pytest.mark.parametrize("kind", ["person", "robot"])
def test_activation_brings_back_nothing_that_was_open(kind: str) -> None:
    admin = browser(a_user(role="platform_admin"))
    browsers = []
    if kind == "robot":
        group = a_group()
        somebody = tenancy.create_robot(actor=Actor.system("tests"), group_id=group.pk, name="ci")
        address = f"{API}/robots/{somebody.pk}"
    else:
        signed_in, somebody = a_signed_in_browser()
        browsers = [signed_in, browser(somebody)]
        address = f"{USERS}/{somebody.pk}"
    line, fingerprint = a_key()
    key = {"name": "laptop", "public_key": line}
    json_of(browser(somebody).post(f"{API}/ssh-keys", key, format="json"), 201)
    program = pipeline(somebody, "me.view")
    json_of(program.get(f"{API}/me"))

    for is_active in (False, True):
        json_of(admin.patch(address, {"is_active": is_active}, format="json"))

    for each in browsers:
        problem_of(each.get(f"{API}/me"), 401, "not_authenticated")
    problem_of(program.get(f"{API}/me"), 401, "credentials_refused")
    assert ssh_keys.authenticate_key(fingerprint) is None
    acts = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"token.revoke", "ssh_key.delete"} <= acts
    json_of(pipeline(somebody, "me.view").get(f"{API}/me"))
    if kind == "person":
        json_of(sign_in(a_browser(), somebody.username))


def test_a_deactivated_robot_gets_no_token() -> None:
    group = a_group()
    robot = tenancy.create_robot(actor=Actor.system("tests"), group_id=group.pk, name="ci")
    head = browser(a_member(group, "group_admin"))
    json_of(head.patch(f"{API}/robots/{robot.pk}", {"is_active": False}, format="json"))
    wish = {"name": "n", "scopes": ["me.view"], "expires_in_days": 1, "robot": str(robot.pk)}
    problem_of(head.post(f"{API}/tokens", wish, format="json"), 409, "account_inactive")


def test_a_new_password_ends_the_old_one_and_what_was_opened_with_it() -> None:
    theirs, person = a_signed_in_browser()
    before = person.password
    admin = browser(a_user(role="platform_admin"))

    made = json_of(admin.post(f"{USERS}/{person.pk}/password"))

    person.refresh_from_db()
    assert person.password != before
    assert person.check_password(made["password"])
    problem_of(theirs.get(f"{API}/me"), 401, "not_authenticated")


@pytest.mark.parametrize("change", [{"is_active": False}, {"platform_role": "operator"}])
def test_the_last_administrator_stays_one(change: dict[str, object]) -> None:
    last = a_user(role="platform_admin")
    client = browser(last)
    problem_of(client.patch(f"{USERS}/{last.pk}", change, format="json"), 409, "last_admin")

    a_user(role="platform_admin")
    assert client.patch(f"{USERS}/{last.pk}", change, format="json").status_code == 200


def test_robots_are_not_people() -> None:
    robot = User.objects.create(username="robot", kind=UserKind.ROBOT)
    admin = browser(a_user(role="platform_admin"))
    problem_of(admin.post(f"{USERS}/{robot.pk}/password"), 404, "not_found")


def test_the_first_administrator_comes_from_the_command_line() -> None:
    said = StringIO()
    call_command("create_admin", "root.admin", stdout=said)

    person = User.objects.get(username="root.admin")
    assert person.platform_role == "platform_admin"
    assert person.check_password(said.getvalue().strip())
    with pytest.raises(CommandError, match=r"root\.admin cannot be added"):
        call_command("create_admin", "root.admin", stdout=StringIO())


@pytest.mark.parametrize(
    "name", ["Róisín O'Grady", "Róisín O\u2019Grady", "Anne-Marie", "買買提·艾力"]
)
def test_people_and_groups_are_called_as_people_are(name: str) -> None:
    admin = browser(a_user(role="platform_admin"))
    person = {"username": "somebody", "display_name": name}
    made = json_of(admin.post(USERS, person, format="json"), 201)
    assert made["display_name"] == name
    changed = admin.patch(f"{USERS}/{made['id']}", {"display_name": f"{name} 2"}, format="json")
    assert json_of(changed)["display_name"] == f"{name} 2"
    group = {
        "name": "lab",
        "title_en": f"{name}'s lab",
        "title_zh": f"{name}\u2019s",
        "parent": None,
    }
    assert (
        json_of(admin.post(f"{API}/groups", group, format="json"), 201)["title_en"]
        == f"{name}'s lab"
    )


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "lower-case letters, digits and . _ -"), ("zh-CN", "小写字母、数字和 . _ -")],
)
@pytest.mark.parametrize(
    "username", ["Li.Wei", "li wei", "li/wei", "li@wei", "李伟", "-li", "li\u202ewei"]
)
def test_a_refused_account_name_says_what_is_allowed(
    username: str, language: str, words: str
) -> None:
    admin = browser(a_user(role="platform_admin"))
    person = {"username": username, "display_name": "Li Wei"}
    answer = admin.post(USERS, person, format="json", HTTP_ACCEPT_LANGUAGE=language)
    found = problem_of(answer, 400, "invalid_input")
    (fault,) = found["errors"]
    assert (fault["pointer"], fault["code"]) == ("/username", "path_name_not_allowed")
    assert words in fault["detail"]


def test_a_refused_name_of_a_person_says_what_is_allowed() -> None:
    admin = browser(a_user(role="platform_admin"))
    for name in ("=1+1", "+x", "-x", "@x", "a/b"):
        person = {"username": "somebody", "display_name": name}
        found = problem_of(admin.post(USERS, person, format="json"), 400, "invalid_input")
        assert "apostrophes" in found["errors"][0]["detail"]
