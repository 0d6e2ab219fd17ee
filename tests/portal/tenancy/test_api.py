"""The caller's account, groups, robots and tokens over REST."""

import pytest
from pytest_django import DjangoAssertNumQueries

from portal.audit.models import AuditEvent
from portal.common.ids import new_id
from portal.identity.models import ApiToken, User
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, pipeline, problem_of, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

A_TOKEN = {"name": "ci", "scopes": ["workload.view"], "expires_in_days": 30}


def test_me_shows_memberships() -> None:
    group = a_group("vision")
    user = a_member(group, "group_admin", "li.wei")
    shown = json_of(browser(user).get(f"{API}/me"))
    assert shown["username"] == "li.wei"
    assert shown["memberships"] == [
        {
            "group": {
                "id": str(group.pk),
                "name": "vision",
                "title_en": "Vision",
                "title_zh": "Vision",
            },
            "role": "group_admin",
        }
    ]


def test_groups_show_the_callers_role_and_nobody_elses_groups() -> None:
    mine = a_group()
    a_group()
    [shown] = json_of(browser(a_member(mine)).get(f"{API}/groups"))["results"]
    assert shown["id"] == str(mine.pk)
    assert shown["role"] == "developer"
    assert shown["parent"] == str(mine.parent_id)


def test_group_list_takes_constant_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    auditor = browser(a_user(role="auditor"))
    for _ in range(20):
        a_group()
    with django_assert_max_num_queries(5):
        assert len(json_of(auditor.get(f"{API}/groups"))["results"]) == 21


def test_token_is_shown_once_works_and_ends_when_revoked() -> None:
    user = a_member(a_group())
    client = browser(user)
    made = json_of(client.post(f"{API}/tokens", {**A_TOKEN, "scopes": ["me.view"]}, "json"), 201)
    bearer = stranger()
    bearer.credentials(HTTP_AUTHORIZATION=f"Bearer {made['token']}")
    assert json_of(bearer.get(f"{API}/me"))["username"] == user.username
    [listed] = json_of(client.get(f"{API}/tokens"))["results"]
    assert "token" not in listed
    assert made["token"] not in ApiToken.objects.get().digest
    assert client.delete(f"{API}/tokens/{made['id']}").status_code == 204
    assert client.delete(f"{API}/tokens/{made['id']}").status_code == 204
    problem_of(bearer.get(f"{API}/me"), 401, "credentials_refused")
    acts = AuditEvent.objects.values_list("action", flat=True)
    assert [act for act in acts if act.startswith("token.")] == ["token.create", "token.revoke"]


def test_token_may_not_grant_more_than_its_maker_has() -> None:
    user = a_member(a_group())
    narrow = pipeline(user, "token.manage")
    refused = problem_of(narrow.post(f"{API}/tokens", A_TOKEN, "json"), 422, "scopes_beyond_own")
    assert refused["errors"][0]["pointer"] == "/scopes"


def test_missing_scope_is_named() -> None:
    client = pipeline(a_member(a_group()), "workload.view")
    shown = problem_of(client.get(f"{API}/pools"), 403, "scope_missing")
    assert shown["params"] == {"action": "pool.view"}


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("name", "", "blank"),
        ("name", "a/b", "name_not_allowed"),
        ("name", "x" * 101, "max_length"),
        ("name", 7, "not_a_string"),
        ("name", "evil\u202ename", "name_not_allowed"),
        ("scopes", [], "min_length"),
        ("scopes", ["root"], "invalid_choice"),
        ("scopes", "me.view", "not_a_list"),
        ("expires_in_days", 0, "too_small"),
        ("expires_in_days", 366, "too_large"),
        ("expires_in_days", "30", "not_an_integer"),
        ("expires_in_days", 1.0, "not_an_integer"),
        ("expires_in_days", True, "not_an_integer"),
        ("expires_in_days", 2**70, "too_large"),
        ("robot", "no-uuid", "not_an_id"),
        ("user", "x", "unknown_field"),
        ("digest", "x", "unknown_field"),
    ],
)
def test_bad_fields_are_named_and_nothing_is_created(field: str, value: object, code: str) -> None:
    client = browser(a_member(a_group()))
    answer = client.post(f"{API}/tokens", {**A_TOKEN, field: value}, "json")
    shown = problem_of(answer, 400, "invalid_input")
    [fault] = shown["errors"]
    assert fault["pointer"].startswith(f"/{field}")
    assert fault["code"] == code
    assert fault["detail"]
    assert not ApiToken.objects.exists()


def test_group_admin_makes_a_robot_and_its_token() -> None:
    group = a_group("vision")
    admin = browser(a_member(group, "group_admin"))
    wish = {"group": str(group.pk), "name": "ci-vision"}
    robot = json_of(admin.post(f"{API}/robots", wish, "json"), 201)
    assert robot["group"]["name"] == "vision"
    made = json_of(admin.post(f"{API}/tokens", {**A_TOKEN, "robot": robot["id"]}, "json"), 201)
    assert made["user"]["username"] == "ci-vision"
    assert json_of(admin.get(f"{API}/tokens"))["results"][0]["id"] == made["id"]
    problem_of(admin.post(f"{API}/robots", wish, "json"), 409, "name_taken")
    assert not User.objects.get(username="ci-vision").has_usable_password()


def test_robots_are_out_of_reach_for_developers_and_for_other_groups() -> None:
    group, other = a_group(), a_group()
    robot = json_of(
        browser(a_member(group, "group_admin")).post(
            f"{API}/robots", {"group": str(group.pk), "name": "ci"}, "json"
        ),
        201,
    )
    wish = {**A_TOKEN, "robot": robot["id"]}
    developer, foreign = browser(a_member(group)), browser(a_member(other, "group_admin"))
    problem_of(developer.post(f"{API}/tokens", wish, "json"), 403, "denied")
    problem_of(foreign.post(f"{API}/tokens", wish, "json"), 404, "not_found")
    problem_of(
        foreign.post(f"{API}/tokens", {**A_TOKEN, "robot": str(new_id())}, "json"), 404, "not_found"
    )
    problem_of(
        foreign.post(f"{API}/robots", {"group": str(group.pk), "name": "x"}, "json"),
        404,
        "not_found",
    )
    assert json_of(foreign.get(f"{API}/robots"))["results"] == []


def test_another_persons_token_cannot_be_seen_or_revoked() -> None:
    group = a_group()
    theirs = json_of(browser(a_member(group)).post(f"{API}/tokens", A_TOKEN, "json"), 201)
    me = browser(a_member(group, "group_admin"))
    assert json_of(me.get(f"{API}/tokens"))["results"] == []
    problem_of(me.delete(f"{API}/tokens/{theirs['id']}"), 404, "not_found")
