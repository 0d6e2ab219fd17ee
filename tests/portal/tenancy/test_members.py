"""Who belongs to a group: changed by its heads and by the platform's administrators."""

import json
from typing import Any

import pytest
from redis.client import PubSub

from portal.audit.models import AuditEvent
from portal.common.notifications import CHANNEL
from portal.common.redis_client import get_redis_client, own_channel
from portal.identity.models import User, UserKind
from portal.identity.services import update_person
from portal.tenancy.actors import load_roles
from portal.tenancy.models import Membership
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, problem_of
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_a_head_of_a_group_adds_changes_and_removes_its_members() -> None:
    group = a_group()
    head = browser(a_member(group, "group_admin"))
    person = a_user("chen")
    address = f"{API}/groups/{group.pk}/members"

    made = json_of(head.post(address, {"username": "chen", "role": "viewer"}, format="json"), 201)
    assert (made["user"]["username"], made["role"], made["is_own"]) == ("chen", "viewer", True)
    again = head.post(address, {"username": "chen", "role": "viewer"}, format="json")
    problem_of(again, 409, "already_member")
    changed = json_of(head.patch(f"{address}/{person.pk}", {"role": "developer"}, format="json"))
    assert changed["role"] == "developer"
    assert load_roles(person.pk) == {group.pk: "developer"}
    assert head.delete(f"{address}/{person.pk}").status_code == 204
    assert load_roles(person.pk) == {}

    acts = AuditEvent.objects.filter(group_id=group.pk).order_by("id")
    assert list(acts.values_list("action", flat=True)) == [
        "member.add",
        "member.change",
        "member.remove",
    ]


@pytest.mark.django_db(transaction=True)
def test_pages_learn_that_a_member_and_its_rights_have_changed() -> None:
    group = a_group()
    head, person = browser(a_member(group, "group_admin")), a_user("chen")
    address = f"{API}/groups/{group.pk}/members"
    with PubSub(get_redis_client().connection_pool) as subscriber:
        subscriber.subscribe(own_channel(get_redis_client(), CHANNEL))
        subscriber.get_message(timeout=PATIENCE_S)
        head.post(address, {"username": "chen", "role": "viewer"}, format="json")
        head.patch(f"{address}/{person.pk}", {"role": "developer"}, format="json")
        head.delete(f"{address}/{person.pk}")
        update_person(person, ["is_active"])
        topics = [json.loads(each["data"])["topics"] for each in _messages(subscriber, 10)]
    told = [f"rights:{person.pk}"]
    change = [told, ["changed:group"], ["changed:user", "changed:audit"]]
    assert topics == change * 3 + [told]


def _messages(subscriber: PubSub, count: int) -> list[Any]:
    return [subscriber.get_message(timeout=PATIENCE_S) for _ in range(count)]


def test_members_of_a_group_above_are_shown_and_changed_there() -> None:
    top = a_group()
    leaf = a_group(parent=top)
    head = a_member(top, "group_admin")
    client = browser(head)

    [shown] = json_of(client.get(f"{API}/groups/{leaf.pk}/members"))
    assert (shown["role"], shown["is_own"]) == ("group_admin", False)
    gone = client.delete(f"{API}/groups/{leaf.pk}/members/{head.pk}")
    problem_of(gone, 404, "not_found")


def test_only_people_who_may_sign_in_become_members_and_robots_stay_where_they_are() -> None:
    group = a_group()
    head = browser(a_member(group, "group_admin"))
    address = f"{API}/groups/{group.pk}/members"
    robot = User.objects.create(username="bot", kind=UserKind.ROBOT)
    Membership.objects.create(user=robot, group=group, role="developer")
    gone = a_user("gone")
    User.objects.filter(pk=gone.pk).update(is_active=False)

    for name in ("nobody", "bot", "gone"):
        answer = head.post(address, {"username": name, "role": "viewer"}, format="json")
        problem_of(answer, 422, "unknown_person")
    problem_of(head.delete(f"{address}/{robot.pk}"), 404, "not_found")
    kinds = {member["user"]["username"]: member["kind"] for member in json_of(head.get(address))}
    assert kinds["bot"] == "robot"


def test_developers_and_strangers_change_nobody() -> None:
    group = a_group()
    address = f"{API}/groups/{group.pk}/members"
    body = {"username": a_user().username, "role": "viewer"}

    problem_of(browser(a_member(group)).post(address, body, format="json"), 403, "denied")
    stranger = browser(a_member(a_group(), "group_admin"))
    problem_of(stranger.post(address, body, format="json"), 404, "not_found")
