"""Requests and approvals: who asks for what, who decides, and what is in force afterwards."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.approvals.models import ApprovalRequest
from portal.approvals.services import PENDING_MAX, REQUEST_LIFE, expire_requests
from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.identity.models import User
from portal.quotas.models import GroupLimit, MemberCeiling, MemberLimit, Quota, QuotaChange
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from portal.workloads.sweep import run_sweep
from scheduler.runtime.loop import run_once
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

HOUR = 3600


def ask(user: User, **given: object) -> Any:
    return browser(user).post(f"{API}/approvals", given, format="json")


def ask_for_time(user: User, work: Workload, hours: int = 3, **more: object) -> Any:
    asked = {"kind": "time_limit", "workload": str(work.pk), "time_limit_s": hours * HOUR}
    return ask(user, **asked, **more)


def act(user: User, request: Any, verb: str, **body: object) -> Any:
    return browser(user).post(f"{API}/approvals/{request['id']}/{verb}", body, format="json")


def listed(user: User, **filters: str) -> list[Any]:
    found: list[Any] = json_of(browser(user).get(f"{API}/approvals", filters))["results"]
    return found


def counts(user: User) -> tuple[int, int]:
    found = json_of(browser(user).get(f"{API}/approvals/counts"))
    return found["to_decide"], found["mine"]


@pytest.fixture
def scene() -> Scene:
    """A group whose members may run for an hour, and whose admins may let them for four."""
    found = a_scene()
    GroupLimit.objects.create(group=found.group, time_limit_s_max=HOUR, extension_s_max=3 * HOUR)
    return found


@pytest.fixture
def head(scene: Scene) -> User:
    return a_member(scene.group, "group_admin")


@pytest.fixture
def work(scene: Scene) -> Workload:
    found = scene.work(gpus=1)
    (held,) = scene.place(found, scene.placement(cards=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    found.refresh_from_db()
    return found


def test_an_approved_time_limit_is_in_force_for_running_work(
    scene: Scene, head: User, work: Workload
) -> None:
    path = f"{API}/jobs/{work.pk}"
    answer = browser(scene.owner).patch(path, {"time_limit_s": 3 * HOUR}, format="json")
    problem_of(answer, 422, "time_limit_too_long")
    made = json_of(ask_for_time(scene.owner, work, comment="one more epoch"), 201)
    assert (made["state"], made["decider"], made["before"]) == (
        *("pending", "group_admin"),
        {"time_limit_s": HOUR},
    )
    assert [who["username"] for who in made["deciders"]] == [head.username]
    assert (counts(head), counts(scene.owner)) == ((1, 0), (0, 1))
    (shown,) = listed(head, side="to_decide")
    assert (shown["comment"], shown["may_decide"], shown["may_withdraw"]) == (
        *("one more epoch", True, False),
    )

    decided = json_of(act(head, made, "approve", comment="fine"))

    assert (decided["state"], decided["decided_by"]["username"]) == ("approved", head.username)
    assert decided["deciders"] == []
    assert (counts(head), counts(scene.owner)) == ((0, 0), (0, 0))
    work.refresh_from_db()
    assert work.time_limit_s == 3 * HOUR
    assert work.started_at is not None
    with freeze(work.started_at + timedelta(seconds=2 * HOUR)):
        scene.links[0].beat(containers=[running(scene.held(work)[0])])
        run_sweep(heartbeat=timedelta(seconds=5))
    work.refresh_from_db()
    assert work.state == "running"
    acts = AuditEvent.objects.order_by("id").values_list("action", "actor_name")
    assert list(acts) == [
        ("request.make", scene.owner.username),
        ("workload.change", head.username),
        ("request.approve", head.username),
    ]
    problem_of(act(head, made, "approve"), 409, "request_decided")


def test_a_decided_request_is_no_news_to_those_who_decide(
    scene: Scene, head: User, work: Workload
) -> None:
    other = scene.work(gpus=1)
    first = json_of(ask_for_time(scene.owner, work), 201)
    json_of(ask_for_time(scene.owner, other), 201)
    assert json_of(browser(head).get(f"{API}/inbox"))["unread"] == 2

    json_of(act(head, first, "decline"))

    notices = json_of(browser(head).get(f"{API}/inbox"))["notices"]
    assert [notice["read_at"] is None for notice in notices] == [True, False]


def test_a_declined_request_changes_nothing_and_says_why(
    scene: Scene, head: User, work: Workload
) -> None:
    made = json_of(ask_for_time(scene.owner, work), 201)

    json_of(act(head, made, "decline", comment="the pool is needed tonight"))

    (mine,) = listed(scene.owner, side="mine")
    assert (mine["state"], mine["decision_comment"]) == (
        *("declined", "the pool is needed tonight"),
    )
    work.refresh_from_db()
    assert work.time_limit_s == HOUR


def test_a_request_is_withdrawn_by_its_requester_only(
    scene: Scene, head: User, work: Workload
) -> None:
    made = json_of(ask_for_time(scene.owner, work), 201)

    problem_of(act(head, made, "withdraw"), 403, "denied")
    json_of(act(scene.owner, made, "withdraw"))
    problem_of(act(head, made, "approve"), 409, "request_decided")
    json_of(ask_for_time(scene.owner, work), 201)


def test_who_decides(scene: Scene, head: User, work: Workload) -> None:
    made = json_of(ask_for_time(scene.owner, work), 201)
    outside = [a_member(a_group(), "group_admin")]
    inside = [a_member(scene.group), a_member(scene.group, "viewer")]

    for user in [*outside, *inside]:
        assert act(user, made, "approve").status_code in (403, 404)
        assert listed(user) == []
    assert act(scene.owner, made, "approve").status_code == 403
    assert act(a_user(role="operator"), made, "approve").status_code == 403
    assert [row["id"] for row in listed(a_user(role="auditor"))] == [made["id"]]
    assert act(a_user(role="auditor"), made, "decline").status_code == 403
    json_of(act(a_user(role="platform_admin"), made, "approve"))


def test_nobody_decides_on_own_requests(scene: Scene, head: User, work: Workload) -> None:
    Workload.objects.filter(pk=work.pk).update(owner=head)
    made = json_of(ask_for_time(head, work), 201)

    problem_of(act(head, made, "approve"), 403, "own_request")
    assert counts(head) == (0, 1)
    json_of(act(a_member(scene.group, "group_admin"), made, "approve"))


def test_what_is_beyond_the_group_goes_to_the_platform(
    scene: Scene, head: User, work: Workload
) -> None:
    made = json_of(ask_for_time(scene.owner, work, hours=9), 201)

    assert made["decider"] == "platform_admin"
    assert counts(head) == (0, 0)
    assert listed(head, side="to_decide") == []
    (seen,) = listed(head)
    assert (seen["id"], seen["decider"], seen["may_decide"]) == (
        made["id"],
        "platform_admin",
        False,
    )
    for verb in ("approve", "decline"):
        problem_of(act(head, made, verb), 403, "denied")
    json_of(act(a_user(role="platform_admin"), made, "approve"))
    assert [row["state"] for row in listed(head)] == ["approved"]
    work.refresh_from_db()
    assert work.time_limit_s == 9 * HOUR


def test_those_who_decide_are_named_for_a_whole_list_at_once(
    scene: Scene, head: User, work: Workload
) -> None:
    admin = a_user(role="platform_admin")
    for hours in (3, 9):
        json_of(ask_for_time(scene.owner, scene.work(gpus=1), hours=hours), 201)
    json_of(ask_for_time(head, scene.work(gpus=1), hours=9), 201)
    above = a_member(a_root(), "group_admin")
    of_head = scene.work(gpus=1)
    Workload.objects.filter(pk=of_head.pk).update(owner=head)
    json_of(ask_for_time(head, of_head), 201)

    def count() -> int:
        with CaptureQueriesContext(connection) as asked:
            listed(head)
        return len(asked)

    named = {
        (row["requester"]["username"], row["decider"]): [who["id"] for who in row["deciders"]]
        for row in listed(head)
    }
    assert named == {
        (scene.owner.username, "group_admin"): [str(head.pk)],
        (scene.owner.username, "platform_admin"): [str(admin.pk)],
        (head.username, "platform_admin"): [str(admin.pk)],
        (head.username, "group_admin"): [str(above.pk)],
    }
    before = count()
    json_of(ask_for_time(scene.owner, scene.work(gpus=1)), 201)
    assert count() == before


def test_a_promise_made_since_is_checked_at_the_approval(
    scene: Scene, head: User, work: Workload
) -> None:
    made = json_of(ask_for_time(scene.owner, work), 201)
    stranger = a_group()
    Scene(scene.pool, scene.nodes, stranger, a_member(stranger)).work(gpus=8)
    run_once()

    problem_of(act(head, made, "approve"), 409, "would_delay_reservation")

    assert counts(head) == (1, 0)
    json_of(act(a_user(role="platform_admin"), made, "approve"))


def test_what_needs_no_request_is_refused(scene: Scene, head: User, work: Workload) -> None:
    MemberLimit.objects.create(group=scene.group, user=scene.owner, running_max=2)

    for answer in (
        ask(scene.owner, kind="time_limit", workload=str(work.pk), time_limit_s=1800),
        ask_for_time(head, work, hours=3),
        ask(head, kind="member_limit", group=str(scene.group.pk), limits={"running_max": 9}),
    ):
        problem_of(answer, 422, "request_not_needed")
    less = ask(
        scene.owner, kind="member_limit", group=str(scene.group.pk), limits={"running_max": 1}
    )
    problem_of(less, 422, "request_asks_no_more")
    Workload.objects.filter(pk=work.pk).update(state="stopping")
    problem_of(ask_for_time(scene.owner, work), 409, "not_changeable")
    problem_of(ask_for_time(a_member(scene.group), work), 403, "denied")
    problem_of(ask_for_time(a_member(a_group()), work), 404, "not_found")


@pytest.mark.parametrize("own", [{}, {"priority_max": -100}])
def test_a_priority_above_that_of_the_role_is_refused_for_the_role(
    scene: Scene, own: dict[str, int]
) -> None:
    """Whether or not the member has a lower limit of its own: raising that would change nothing."""
    GroupLimit.objects.filter(group=scene.group).update(developer_priority_max=0)
    MemberLimit.objects.create(group=scene.group, user=scene.owner, **own)

    asked = {"group": str(scene.group.pk), "limits": {"priority_max": "high"}}
    refused = problem_of(ask(scene.owner, kind="member_limit", **asked), 422, "priority_of_role")

    assert refused["params"]["priority"] == "normal"
    assert [fault["pointer"] for fault in refused["errors"]] == ["/limits/priority_max"]
    assert not ApprovalRequest.objects.exists()


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"running_max": 4}, "limit_of_group"),
        ({"running_max": None}, "limit_of_group"),
        ({"running_max": 3}, "request_not_needed"),
        ({"environments_max": 6}, "limit_of_group"),
        ({"time_limit_s_max": 2 * HOUR}, "limit_of_group"),
    ],
)
def test_a_limit_of_all_members_is_not_said_to_be_none(
    scene: Scene, limits: dict[str, int | None], code: str
) -> None:
    GroupLimit.objects.filter(group=scene.group).update(running_per_user_max=3)

    answer = ask(scene.owner, kind="member_limit", group=str(scene.group.pk), limits=limits)

    problem_of(answer, 422, code)


def test_a_part_of_a_quota_that_all_members_have_is_not_said_to_be_unlimited(scene: Scene) -> None:
    quota = a_quota(scene.group, ceiling=4000, user_ceiling=1000)
    limits = {"ceilings": [{"quota": str(quota.pk), "ceiling": 2000}]}

    answer = ask(scene.owner, kind="member_limit", group=str(scene.group.pk), limits=limits)

    problem_of(answer, 422, "limit_of_group")


def test_the_same_is_requested_once_and_the_number_is_limited(scene: Scene, work: Workload) -> None:
    made = json_of(ask_for_time(scene.owner, work), 201)
    problem_of(ask_for_time(scene.owner, work, hours=4), 409, "request_exists")
    row = ApprovalRequest.objects.get(pk=made["id"])
    for _ in range(PENDING_MAX - 1):
        row.pk, row.workload = None, scene.work()
        row._state.adding = True
        ApprovalRequest(
            **{
                field.attname: getattr(row, field.attname)
                for field in row._meta.concrete_fields
                if field.name != "id"
            }
        ).save()

    refused = problem_of(ask_for_time(scene.owner, scene.work()), 409, "requests_waiting")
    assert refused["params"]["limit"] == PENDING_MAX


def test_a_key_makes_one_request(scene: Scene, work: Workload) -> None:
    client = browser(scene.owner)
    client.credentials(HTTP_IDEMPOTENCY_KEY="once")
    body = {"kind": "time_limit", "workload": str(work.pk), "time_limit_s": 3 * HOUR}

    first = json_of(client.post(f"{API}/approvals", body, format="json"), 201)
    second = json_of(client.post(f"{API}/approvals", body, format="json"), 201)

    assert first["id"] == second["id"]


def test_requests_expire_by_time_and_with_their_work(
    scene: Scene, head: User, work: Workload
) -> None:
    other = scene.work()
    made = json_of(ask_for_time(scene.owner, work), 201)
    json_of(ask_for_time(scene.owner, other), 201)
    Workload.objects.filter(pk=other.pk).update(state="cancelled")

    assert expire_requests() == 1
    with freeze(now() + REQUEST_LIFE + timedelta(seconds=1)):
        problem_of(act(head, made, "approve"), 409, "request_decided")
        assert expire_requests() == 1

    states = ApprovalRequest.objects.values_list("state", flat=True)
    assert list(states) == ["expired", "expired"]
    assert AuditEvent.objects.filter(action="request.expire").count() == 2


def test_a_member_gets_more_of_its_own_limits(scene: Scene, head: User) -> None:
    quota = a_quota(scene.group, ceiling=8000)
    MemberLimit.objects.create(group=scene.group, user=scene.owner, running_max=2, pending_max=5)
    MemberCeiling.objects.create(quota=quota, user=scene.owner, ceiling=1000)
    limits = {"running_max": None, "ceilings": [{"quota": str(quota.pk), "ceiling": 4000}]}

    made = json_of(
        ask(scene.owner, kind="member_limit", group=str(scene.group.pk), limits=limits), 201
    )

    assert made["before"] == {"running_max": 2, "ceilings": {str(quota.pk): 1000}}
    json_of(act(head, made, "approve"))
    row = MemberLimit.objects.get()
    assert (row.running_max, row.pending_max) == (None, 5)
    assert MemberCeiling.objects.get().ceiling == 4000


def test_more_than_the_group_has_is_refused_at_the_approval(scene: Scene, head: User) -> None:
    quota = a_quota(scene.group, ceiling=4000)
    MemberLimit.objects.create(group=scene.group, user=scene.owner)
    MemberCeiling.objects.create(quota=quota, user=scene.owner, ceiling=1000)
    limits = {"ceilings": [{"quota": str(quota.pk), "ceiling": 6000}]}
    made = json_of(
        ask(scene.owner, kind="member_limit", group=str(scene.group.pk), limits=limits), 201
    )

    problem_of(act(head, made, "approve"), 422, "above_group_limit")

    assert counts(head) == (1, 0)
    assert MemberCeiling.objects.get().ceiling == 1000


def a_family() -> tuple[Group, Group, Quota, Quota]:
    """Save a department with a quota of eight GPUs, and a team below it with two."""
    above = a_group()
    below = a_group(parent=above)
    return above, below, a_quota(above, ceiling=8000), a_quota(below, ceiling=2000)


def test_a_group_asks_the_group_above_for_more_quota() -> None:
    above, below, _, quota = a_family()
    head, parent = a_member(below, "group_admin"), a_member(above, "group_admin")

    problem_of(
        ask(head, kind="quota", quota=str(quota.pk), ceiling=2000), 422, "request_asks_no_more"
    )
    made = json_of(ask(head, kind="quota", quota=str(quota.pk), ceiling=6000, comment="more"), 201)

    assert (made["decider"], made["before"]) == ("parent_admin", {"ceiling": 2000})
    assert (counts(head), counts(parent)) == ((0, 1), (1, 0))
    problem_of(act(a_member(below, "group_admin"), made, "approve"), 403, "denied")
    json_of(act(parent, made, "approve"))
    quota.refresh_from_db()
    assert quota.ceiling == 6000
    (change,) = AuditEvent.objects.filter(action="quota.change")
    assert change.params["before"] == {"ceiling": 2000}
    assert QuotaChange.objects.get().reason == f"{head.username}: more"


def test_more_than_the_group_above_has_is_the_platforms_to_grant() -> None:
    above, below, mine, quota = a_family()
    head, parent = a_member(below, "group_admin"), a_member(above, "group_admin")

    made = json_of(ask(head, kind="quota", quota=str(quota.pk), ceiling=9000), 201)

    assert made["decider"] == "platform_admin"
    assert counts(parent) == (0, 0)
    json_of(act(head, made, "withdraw"))
    made = json_of(ask(head, kind="quota", quota=str(quota.pk), ceiling=8000), 201)
    Quota.objects.filter(pk=mine.pk).update(ceiling=4000)
    problem_of(act(parent, made, "approve"), 422, "above_group_limit")
    json_of(act(a_user(role="platform_admin"), made, "approve"))


def test_developers_ask_for_no_quota_of_their_group() -> None:
    _, below, _, quota = a_family()

    problem_of(ask(a_member(below), kind="quota", quota=str(quota.pk), ceiling=6000), 403, "denied")
    problem_of(
        ask(a_member(a_root(), "viewer"), kind="quota", quota=str(quota.pk), ceiling=6000),
        403,
        "denied",
    )


def test_each_kind_has_its_own_fields(scene: Scene, work: Workload) -> None:
    answer = ask(scene.owner, kind="time_limit", workload=str(work.pk), ceiling=1)
    body = problem_of(answer, 400, "invalid_input")
    named = {fault["pointer"] for fault in body["errors"]}
    assert named == {"/ceiling", "/time_limit_s"}
    long = ask_for_time(scene.owner, work, comment="x" * 501)
    assert long.status_code == 400


def test_requests_go_with_their_group_and_stay_in_the_audit_log() -> None:
    group = a_group()
    member = a_member(group)
    admin = browser(a_user(role="platform_admin"))
    MemberLimit.objects.create(group=group, user=member, running_max=1)
    asked = {"kind": "member_limit", "group": str(group.pk), "limits": {"running_max": 2}}
    decided = json_of(ask(member, **asked), 201)
    head = a_member(group, "group_admin")
    json_of(act(head, decided, "decline"))
    json_of(ask(member, **asked), 201)

    assert admin.delete(f"{API}/groups/{group.pk}").status_code == 204

    assert not ApprovalRequest.objects.exists()
    acts = AuditEvent.objects.filter(group_id=group.pk, action__startswith="request.")
    assert [event.action for event in acts.order_by("id")] == [
        "request.make",
        "request.decline",
        "request.make",
        "request.expire",
    ]
