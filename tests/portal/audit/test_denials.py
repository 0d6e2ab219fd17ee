"""Denied acts are in the audit log, and a storm of them does not fill it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from portal.access.services import resolve_target
from portal.audit import denials
from portal.audit.denials import STRANGERS_MAX, Denial
from portal.audit.models import AuditEvent, DenialCount
from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.common.errors import DeniedError
from tests.builders.machines import a_pool
from tests.builders.people import PASSWORD, a_group, a_member, a_user, an_actor
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

WISH = {"username": "somebody", "role": "viewer"}


def denied() -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(outcome="denied").order_by("id"))


def test_a_role_that_is_not_enough() -> None:
    group = a_group()
    developer = a_member(group)
    problem_of(
        browser(developer).post(f"{API}/groups/{group.pk}/members", WISH, format="json"),
        403,
        "denied",
    )
    [event] = denied()
    assert (event.actor_id, event.actor_name) == (str(developer.pk), developer.username)
    assert (event.action, event.object_type) == ("member.manage", "group")
    assert (event.object_id, event.group_id) == (str(group.pk), group.pk)
    assert (event.params, event.address) == ({"code": "denied"}, "127.0.0.1")
    assert event.request_id


def test_a_token_without_the_scope() -> None:
    problem_of(pipeline(a_user(), "me.view").get(f"{API}/pools"), 403, "scope_missing")
    [event] = denied()
    assert (event.action, event.params) == ("pool.view", {"code": "scope_missing"})


def test_a_session_without_the_csrf_token() -> None:
    user, client = a_user(can_sign_in=True), Client(enforce_csrf_checks=True)
    client.force_login(user)
    problem_of(client.post(f"{API}/tokens", {}, "application/json"), 403, "csrf_failed")
    client.logout()
    client.post("/_allauth/browser/v1/auth/login", {"username": "x", "password": PASSWORD})
    of_session, of_stranger = denied()
    assert (of_session.actor_name, of_session.action) == (user.username, "token.manage")
    assert (of_stranger.actor_id, of_stranger.address) == ("", "127.0.0.1")
    assert of_stranger.params == {"code": "csrf_failed"}


def test_a_terminal_in_another_persons_work() -> None:
    group = a_group()
    colleague, work = an_actor(a_member(group)), a_workload(a_member(group), group, a_pool())
    with pytest.raises(DeniedError):
        resolve_target(colleague, work.pk, None)
    [event] = denied()
    assert (event.action, event.object_id) == ("workload.open", str(work.pk))
    assert event.group_id == group.pk


def test_what_is_not_found_is_no_denial() -> None:
    stranger, foreign = a_member(a_group()), a_group()
    problem_of(browser(stranger).get(f"{API}/groups/{foreign.pk}/members"), 404, "not_found")
    assert denied() == []


def test_heads_see_what_was_denied_in_their_group() -> None:
    group = a_group()
    head, developer = a_member(group, "group_admin"), a_member(group)
    browser(developer).post(f"{API}/groups/{group.pk}/members", WISH, format="json")
    seen = json_of(browser(head).get(f"{API}/audit-events?outcome=denied"))["results"]
    assert [event["actor_name"] for event in seen] == [developer.username]


def knock(actor: Actor, times: int, **changes: Any) -> None:
    for _ in range(times):
        denials.record_denial(Denial(actor, "quota.edit", "quota", **changes))


def test_a_storm_is_one_event_and_its_sum() -> None:
    actor = an_actor(a_user())
    knock(actor, 50)
    knock(actor, 3, object_id="another", code="scope_missing")
    assert len(denied()) == 2
    assert denials.sum_up_repeats() == 0

    with freeze(now() + denials.SUMMED_UP_AFTER + timedelta(seconds=1)):
        assert denials.sum_up_repeats() == 2
        assert sorted(event.params.get("repeats", 0) for event in denied()) == [0, 0, 2, 49]
        knock(actor, 1)
        assert len(denied()) == 5


def test_actors_and_actions_are_counted_apart() -> None:
    for name in ("one", "two"):
        knock(an_actor(a_user(name)), 2)
    assert {event.actor_name for event in denied()} == {"one", "two"}


def test_addresses_without_end_take_rows_with_an_end() -> None:
    DenialCount.objects.bulk_create(
        DenialCount(key=f"{number}", action="a", object_type="b", code="c")
        for number in range(STRANGERS_MAX)
    )
    for number in range(5):
        knock(Actor(user_id=None, kind="person", name="", address=f"192.0.2.{number}"), 1)
    assert DenialCount.objects.count() == STRANGERS_MAX + 1
    assert len(denied()) == 1
