"""Saved views over REST: one's own on every browser, and those of a group."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.common.ids import new_id
from portal.identity.models import User
from portal.saved_views.models import OpeningView, SavedView
from portal.saved_views.services import VIEWS_PER_LIST_MAX
from portal.tenancy.models import Membership
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
VIEWS = f"{API}/saved-views"
WAITING = {"list": "jobs", "name": "排队 1", "search": {"state": "queued", "sort": "-name"}}


def save(client: APIClient, **fields: Any) -> Any:
    return json_of(client.post(VIEWS, WAITING | fields, format="json"), 201)


def views_of(user: User, list_name: str = "jobs") -> list[Any]:
    found = json_of(browser(user).get(VIEWS, {"list": list_name}))["results"]
    assert isinstance(found, list)
    return found


def opens(client: APIClient, view: str | None, list_name: str = "jobs") -> Any:
    return client.put(f"{VIEWS}/opening", {"list": list_name, "view": view}, format="json")


def test_a_view_is_there_in_every_browser_of_its_owner_only() -> None:
    group = a_group()
    owner, colleague = a_member(group), a_member(group)
    made = save(browser(owner), hidden=["owner"], shown=["cost"])
    (seen,) = views_of(owner)
    assert seen == made
    assert (seen["search"], seen["hidden"]) == (WAITING["search"], ["owner"])
    assert seen["shown"] == ["cost"]
    assert (seen["may_change"], seen["may_remove"], seen["is_opening"]) == (True, True, False)
    assert views_of(owner, "audit") == []
    assert views_of(colleague) == []
    problem_of(browser(colleague).get(f"{VIEWS}/{made['id']}"), 404, "not_found")


def test_a_shared_view_is_used_by_the_group_and_those_below_and_changed_by_its_owner() -> None:
    group = a_group()
    owner, colleague, below = (
        a_member(group),
        a_member(group, "viewer"),
        a_member(a_group(parent=group)),
    )
    stranger, admin = a_member(a_group()), a_user(role="platform_admin")
    made = save(browser(owner), group=str(group.pk))
    address = f"{VIEWS}/{made['id']}"
    for user in (colleague, below):
        (seen,) = views_of(user)
        assert (seen["name"], seen["owner"]["username"]) == (WAITING["name"], owner.username)
        assert (seen["may_change"], seen["may_remove"]) == (False, False)
    assert views_of(stranger) == views_of(admin) == []
    problem_of(browser(colleague).patch(address, {"name": "mine"}, format="json"), 403, "denied")
    problem_of(browser(colleague).delete(address), 403, "denied")
    changed = browser(owner).patch(address, {"name": "all", "group": None}, format="json")
    assert (json_of(changed)["name"], json_of(changed)["group"]) == ("all", None)
    assert views_of(colleague) == []


def test_the_head_of_a_group_removes_what_is_shared_with_it() -> None:
    group = a_group()
    owner, head = a_member(group), a_member(group, "group_admin")
    made = save(browser(owner), group=str(group.pk))
    (seen,) = views_of(head)
    assert (seen["may_change"], seen["may_remove"]) == (False, True)
    assert browser(head).delete(f"{VIEWS}/{made['id']}").status_code == 204
    assert views_of(owner) == []


def test_views_are_shared_with_ones_own_groups_only() -> None:
    group = a_group()
    admin, member = a_user(role="platform_admin"), a_member(a_group())
    for user in (admin, member):
        answer = browser(user).post(VIEWS, WAITING | {"group": str(group.pk)}, format="json")
        problem_of(answer, 404, "not_found")
    made = save(browser(member))
    moved = browser(member).patch(f"{VIEWS}/{made['id']}", {"group": str(group.pk)}, format="json")
    problem_of(moved, 404, "not_found")


def test_a_list_opens_with_one_view_until_it_goes() -> None:
    group = a_group()
    owner, colleague = a_member(group), a_member(group)
    own, shared = save(browser(colleague)), save(browser(owner), group=str(group.pk))
    client = browser(colleague)
    for view in (own["id"], shared["id"]):
        assert opens(client, view).status_code == 204
    assert {row["id"] for row in views_of(colleague) if row["is_opening"]} == {shared["id"]}
    assert not views_of(owner)[0]["is_opening"]
    browser(owner).patch(f"{VIEWS}/{shared['id']}", {"group": None}, format="json")
    assert not OpeningView.objects.exists()
    opens(client, own["id"])
    assert opens(client, None).status_code == 204
    assert not OpeningView.objects.exists()
    problem_of(opens(client, shared["id"]), 404, "not_found")
    problem_of(opens(client, own["id"], "audit"), 404, "not_found")
    problem_of(opens(client, str(new_id())), 404, "not_found")


def test_names_are_taken_once_and_views_are_bounded() -> None:
    owner = a_member(a_group())
    client = browser(owner)
    save(client)
    body = problem_of(client.post(VIEWS, WAITING, format="json"), 409, "view_name_taken")
    assert WAITING["name"] in body["detail"]
    save(client, list="audit")
    other = save(client, name="other")
    renamed = client.patch(f"{VIEWS}/{other['id']}", {"name": WAITING["name"]}, format="json")
    problem_of(renamed, 409, "view_name_taken")
    for number in range(VIEWS_PER_LIST_MAX - 2):
        save(client, name=f"v{number}")
    full = client.post(VIEWS, WAITING | {"name": "one more"}, format="json")
    assert problem_of(full, 409, "too_many_views")["params"] == {"limit": VIEWS_PER_LIST_MAX}


@pytest.mark.parametrize(
    "bad",
    [
        {"list": "ships"},
        {"name": ""},
        {"search": []},
        {"search": {"state": {"a": 1}}},
        {"search": {"view": "x"}},
        {"search": {"q": "a\tb"}},
        {"search": {"a b": 1}},
        {"search": {"q": "x" * 5000}},
        {"hidden": ["a b"]},
        {"shown": ["a b"]},
        {"colour": "red"},
    ],
)
def test_bad_views_are_refused_at_their_fields(bad: dict[str, Any]) -> None:
    answer = browser(a_member(a_group())).post(VIEWS, WAITING | bad, format="json")
    (fault,) = problem_of(answer, 400, "invalid_input")["errors"]
    assert fault["pointer"].startswith(f"/{next(iter(bad))}")
    assert fault["detail"]


def test_tokens_need_the_scope_to_write() -> None:
    user = a_member(a_group())
    reader = pipeline(user, "template.view")
    assert json_of(reader.get(VIEWS))["results"] == []
    problem_of(reader.post(VIEWS, WAITING, format="json"), 403, "scope_missing")
    writer = pipeline(user, "template.view", "template.manage")
    assert save(writer)["may_change"] is True


def test_who_leaves_the_group_loses_its_views() -> None:
    group = a_group()
    owner, colleague = a_member(group), a_member(group)
    shared = save(browser(owner), group=str(group.pk))
    opens(browser(colleague), shared["id"])
    Membership.objects.filter(user=colleague).delete()
    assert views_of(colleague) == []
    Membership.objects.filter(group=group).delete()
    group.delete()
    assert SavedView.objects.get().group is None
