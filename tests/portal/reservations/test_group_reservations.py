"""Advance reservations by admins of groups: their own within limits, all others by request."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from portal.approvals.models import ApprovalRequest
from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.identity.models import User
from portal.quotas.models import Quota
from portal.reservations.models import AdvanceReservation
from portal.site.services import change_settings
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
URL = f"{API}/reservations"
START = datetime.fromisoformat("2026-11-24T01:00:00+00:00")
HOUR = timedelta(hours=1)


@pytest.fixture
def scene() -> Scene:
    """Eight GPUs, of which the group deserves four, and the day before the reservations."""
    found = a_scene(cards=8)
    Quota.objects.create(group=found.group, resource="gpu", deserved=4000)
    return found


@pytest.fixture
def head(scene: Scene) -> User:
    return a_member(scene.group, "group_admin")


def body_of(scene: Scene, **changes: Any) -> dict[str, Any]:
    """Return a reservation of four GPUs for three hours."""
    return {
        "name": "Course",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "gpus": 4,
        "starts_at": START.isoformat(),
        "ends_at": (START + 3 * HOUR).isoformat(),
    } | changes


def reserve(user: User, scene: Scene, **changes: Any) -> Any:
    with freeze(START - 24 * HOUR):
        return browser(user).post(URL, body_of(scene, **changes), format="json")


def ask(user: User, scene: Scene, comment: str = "", **changes: Any) -> Any:
    body = {
        "kind": "reservation",
        "reservation": body_of(scene, **changes),
        "comment": comment,
    }
    with freeze(START - 24 * HOUR):
        return browser(user).post(f"{API}/approvals", body, format="json")


def decide(user: User, request: Any, verb: str = "approve") -> Any:
    with freeze(START - 24 * HOUR):
        return browser(user).post(f"{API}/approvals/{request['id']}/{verb}", {}, format="json")


def test_the_head_reserves_what_the_group_deserves_and_cancels_it(scene: Scene, head: User) -> None:
    made = json_of(reserve(head, scene, users=[str(scene.owner.pk)]), 201)

    assert (made["gpus"], made["may_cancel"]) == (4, True)
    with freeze(START - 24 * HOUR):
        (seen,) = json_of(browser(scene.owner).get(URL))["results"]
        assert (seen["name"], seen["may_cancel"]) == ("Course", False)
        problem_of(browser(scene.owner).delete(f"{URL}/{made['id']}"), 403, "denied")
        outsider = a_member(a_group(), "group_admin")
        problem_of(browser(outsider).delete(f"{URL}/{made['id']}"), 404, "not_found")
        assert browser(head).delete(f"{URL}/{made['id']}").status_code == 204
    acts = AuditEvent.objects.filter(outcome="ok").order_by("id")
    assert [(act.action, act.actor_name) for act in acts] == [
        ("reservation.create", head.username),
        ("reservation.cancel", head.username),
    ]


def test_what_is_reserved_at_the_same_time_counts_with_the_groups_below(
    scene: Scene, head: User
) -> None:
    below = a_group(parent=scene.group)
    json_of(reserve(head, scene, gpus=3, group=str(below.pk)), 201)

    refused = problem_of(reserve(head, scene, gpus=2), 422, "reservation_above_share")
    assert (refused["params"]["max"], refused["params"]["requested"]) == ("4", "2")
    assert all(word in refused["detail"] for word in ("deserves 4 GPUs", "3 of them"))
    json_of(reserve(head, scene, gpus=1), 201)
    later = {
        "starts_at": (START + 3 * HOUR).isoformat(),
        "ends_at": (START + 4 * HOUR).isoformat(),
    }
    json_of(reserve(head, scene, **later), 201)


BEYOND = {
    "too many GPUs": ({"gpus": 5}, "reservation_above_share"),
    "too long": ({"ends_at": "2026-11-28T01:00:00Z"}, "reservation_too_long_for_group"),
    "too early": (
        {"starts_at": "2026-12-30T01:00:00Z", "ends_at": "2026-12-30T02:00:00Z"},
        "reservation_too_far_for_group",
    ),
    "too many weeks": (
        {"weekly_until": "2026-12-30T01:00:00Z"},
        "reservation_too_far_for_group",
    ),
}


@pytest.mark.parametrize("row", BEYOND.values(), ids=BEYOND)
def test_what_is_beyond_the_limits_is_refused_and_granted_by_request(
    row: tuple[dict[str, Any], str], scene: Scene, head: User
) -> None:
    changes, code = row
    problem_of(reserve(head, scene, **changes), 422, code)
    admin = a_user(role="platform_admin")

    made = json_of(ask(head, scene, comment="finals", **changes), 201)

    assert (made["decider"], made["may_decide"]) == ("platform_admin", False)
    assert [who["username"] for who in made["deciders"]] == [admin.username]
    assert (made["asked"]["name"], made["comment"]) == ("Course", "finals")
    problem_of(decide(head, made), 403, "own_request")
    assert AdvanceReservation.objects.count() == 0
    assert json_of(decide(admin, made))["state"] == "approved"
    granted = AdvanceReservation.objects.get()
    assert (granted.group, granted.gpus) == (scene.group, changes.get("gpus", 4))


def test_the_limits_are_those_of_the_site(scene: Scene, head: User) -> None:
    limits = {"group_reservation_s_max": 2 * 3600, "group_reservation_ahead_days": 1}
    change_settings(actor=Actor.system("test"), changes=limits)
    refused = problem_of(reserve(head, scene), 422, "reservation_too_long_for_group")
    assert "2 h" in refused["detail"]
    change_settings(actor=Actor.system("test"), changes={"group_reservation_s_max": 0})
    problem_of(reserve(head, scene), 422, "reservation_by_request_only")
    json_of(reserve(a_user(role="operator"), scene, gpus=8), 201)


def test_a_group_without_a_share_only_asks(scene: Scene, head: User) -> None:
    Quota.objects.update(deserved=0)
    problem_of(reserve(head, scene, gpus=1), 422, "reservation_above_share")
    json_of(ask(head, scene, gpus=1), 201)


def test_what_the_head_may_do_needs_no_request_and_one_of_a_kind_waits(
    scene: Scene, head: User
) -> None:
    problem_of(ask(head, scene), 422, "request_not_needed")
    made = json_of(ask(head, scene, gpus=5), 201)
    problem_of(ask(head, scene, gpus=6), 409, "request_exists")
    row = ApprovalRequest.objects.get()
    assert row.expires_at == START
    with freeze(START + HOUR):
        answer = browser(a_user(role="platform_admin")).post(
            f"{API}/approvals/{made['id']}/approve", {}, format="json"
        )
    problem_of(answer, 409, "request_decided")


def test_nobody_else_reserves_or_asks_for_the_group(scene: Scene, head: User) -> None:
    strangers = {
        a_member(scene.group): (403, "denied"),
        a_member(scene.group, "viewer"): (403, "denied"),
        a_user(role="auditor"): (403, "denied"),
        a_member(a_group(), "group_admin"): (404, "not_found"),
    }
    for user, (status, code) in strangers.items():
        problem_of(reserve(user, scene), status, code)
        assert ask(user, scene, gpus=8).status_code == status
    # Whoever looks after a group above may, and nobody is named who does not belong there.
    above = a_member(a_root(), "group_admin")
    json_of(reserve(above, scene, gpus=1), 201)
    stranger = str(a_user().pk)
    problem_of(reserve(head, scene, gpus=1, users=[stranger]), 422, "reservation_unknown_user")


def test_a_reservation_granted_too_late_is_refused_and_the_request_keeps_waiting(
    scene: Scene, head: User
) -> None:
    made = json_of(ask(head, scene, gpus=8), 201)
    json_of(reserve(a_user(role="operator"), scene, gpus=8), 201)

    problem_of(decide(a_user(role="platform_admin"), made), 409, "reservation_refused")

    assert ApprovalRequest.objects.get().state == "pending"
