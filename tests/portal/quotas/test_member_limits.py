"""Limits of single members: who sets them, within what, and what they do to work."""

from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.identity.models import User
from portal.quotas.models import GroupLimit, MemberCeiling, MemberLimit, Quota
from portal.workloads.errors import PlacementRefusedError
from scheduler.runtime.loop import run_once
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def put(user: User, scene: Scene, member: User, **limits: object) -> Any:
    body = {"group": str(scene.group.pk), "user": str(member.pk), **limits}
    return browser(user).put(f"{API}/member-limits", body, format="json")


def of_quota(quota: Quota, ceiling: int) -> list[dict[str, object]]:
    return [{"quota": str(quota.pk), "ceiling": ceiling}]


def a_job(scene: Scene, **changes: object) -> dict[str, object]:
    return {
        "name": "train",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": an_image().name,
        "command": ["true"],
        "gpus": 1,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        **changes,
    }


def post(user: User, body: dict[str, object], path: str = "jobs") -> Any:
    return browser(user).post(f"{API}/{path}", body, format="json")


def test_a_group_admin_limits_a_member_and_everyone_of_the_group_sees_it() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    quota = a_quota(scene.group, ceiling=6000)

    shown = json_of(
        put(
            head,
            scene,
            scene.owner,
            running_max=2,
            priority_max="low",
            ceilings=of_quota(quota, 2000),
        )
    )

    assert (shown["running_max"], shown["priority_max"], shown["time_limit_s_max"]) == (
        2,
        "low",
        None,
    )
    said = AuditEvent.objects.get(action="member_limit.set").params
    assert said["user"] == scene.owner.username
    assert said["ceilings"] == [{"resource": "gpu", "pool": "", "model": "", "ceiling": 2000}]
    (ceiling,) = shown["ceilings"]
    assert (ceiling["resource"], ceiling["ceiling"], ceiling["pool"]) == ("gpu", 2000, None)
    (seen,) = json_of(browser(scene.owner).get(f"{API}/member-limits"))
    assert seen == shown
    assert AuditEvent.objects.filter(action="member_limit.set").count() == 1


def test_the_limits_of_a_member_are_replaced_and_removed_as_a_whole() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    quota = a_quota(scene.group, ceiling=6000)
    json_of(put(head, scene, scene.owner, ceilings=of_quota(quota, 2000)))

    shown = json_of(put(head, scene, scene.owner, pending_max=3))

    assert (shown["pending_max"], shown["ceilings"]) == (3, [])
    json_of(put(head, scene, scene.owner, ceilings=of_quota(quota, 1000)))
    answer = browser(head).delete(f"{API}/member-limits/{MemberLimit.objects.get().pk}")
    assert answer.status_code == 204
    assert not MemberLimit.objects.exists()
    assert not MemberCeiling.objects.exists()


@pytest.mark.parametrize("role", ["viewer", "developer"])
def test_others_of_the_group_set_no_limits(role: str) -> None:
    scene = a_scene()
    row = MemberLimit.objects.create(group=scene.group, user=scene.owner, running_max=1)
    user = a_member(scene.group, role)

    problem_of(put(user, scene, scene.owner, running_max=2), 403, "denied")
    problem_of(browser(user).delete(f"{API}/member-limits/{row.pk}"), 403, "denied")


@pytest.mark.parametrize("role", ["operator", "auditor"])
def test_platform_roles_without_that_right_set_none(role: str) -> None:
    scene = a_scene()

    problem_of(put(a_user(role=role), scene, scene.owner, running_max=2), 403, "denied")


def test_group_admins_of_other_groups_see_nothing() -> None:
    scene = a_scene()
    row = MemberLimit.objects.create(group=scene.group, user=scene.owner, running_max=1)
    stranger = a_member(a_group(), "group_admin")

    problem_of(put(stranger, scene, scene.owner, running_max=2), 404, "not_found")
    problem_of(browser(stranger).delete(f"{API}/member-limits/{row.pk}"), 404, "not_found")
    assert json_of(browser(stranger).get(f"{API}/member-limits")) == []


def test_a_group_admin_above_may_too_and_the_platform() -> None:
    scene = a_scene()

    json_of(put(a_member(a_root(), "group_admin"), scene, scene.owner, running_max=2))
    json_of(put(a_user(role="platform_admin"), scene, scene.owner, running_max=3))


def test_nobody_sets_limits_of_their_own() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    json_of(put(a_member(a_root(), "group_admin"), scene, head, running_max=2))

    problem_of(put(head, scene, head, running_max=5), 403, "own_limit")
    row = MemberLimit.objects.get()
    problem_of(browser(head).delete(f"{API}/member-limits/{row.pk}"), 403, "own_limit")


def test_a_limit_keeps_within_what_the_group_has() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    quota = a_quota(scene.group, ceiling=6000, user_ceiling=4000)
    foreign = a_quota(a_group(), ceiling=6000)
    GroupLimit.objects.create(group=scene.group, running_per_user_max=3)

    refused = problem_of(put(head, scene, scene.owner, running_max=4), 422, "above_group_limit")
    assert refused["params"] == {"max": 3}
    answer = put(head, scene, scene.owner, ceilings=of_quota(quota, 5000))
    assert problem_of(answer, 422, "above_group_limit")["params"] == {"max": 4000}
    answer = put(head, scene, scene.owner, ceilings=of_quota(foreign, 1000))
    problem_of(answer, 422, "unknown_quota")
    problem_of(put(head, scene, scene.owner), 422, "nothing_limited")
    problem_of(put(head, scene, a_member(a_group()), running_max=1), 422, "not_a_member")


def test_a_members_ceiling_holds_in_the_plan_and_at_the_commit() -> None:
    scene = a_scene()
    quota = a_quota(scene.group, ceiling=8000)
    MemberCeiling.objects.create(quota=quota, user=scene.owner, ceiling=2000)
    other = Scene(scene.pool, scene.nodes, scene.group, a_member(scene.group), scene.links)
    mine, more = scene.work(gpus=2), scene.work(gpus=1)
    theirs = other.work(gpus=4)

    run_once()

    states = {}
    for work in (mine, more, theirs):
        work.refresh_from_db()
        states[work] = work.state
    assert states == {mine: "placing", more: "queued", theirs: "placing"}
    (reason,) = json_of(browser(scene.owner).get(f"{API}/jobs/{more.pk}"))["reasons"]
    assert (reason["code"], reason["params"]["limit"]) == ("quota_user_ceiling", 2000)
    with pytest.raises(PlacementRefusedError, match="quota_user_ceiling"):
        scene.place(more, scene.placement(cards=(7,)))
    assert_sound()


def test_work_that_a_member_could_never_start_is_refused() -> None:
    scene = a_scene()
    quota = a_quota(scene.group, ceiling=6000)
    MemberCeiling.objects.create(quota=quota, user=scene.owner, ceiling=2000)

    problem_of(post(scene.owner, a_job(scene, gpus=3)), 422, "quota_user_ceiling")
    answer = post(a_member(scene.group), a_job(scene, gpus=3))
    assert answer.status_code == 202


def test_counted_limits_of_a_member_hold() -> None:
    scene = a_scene()
    MemberLimit.objects.create(
        group=scene.group, user=scene.owner, running_max=1, pending_max=2, environments_max=0
    )
    assert post(scene.owner, a_job(scene)).status_code == 202
    assert post(scene.owner, a_job(scene)).status_code == 202

    refused = problem_of(post(scene.owner, a_job(scene)), 409, "user_counter")
    assert refused["params"]["counter"] == "pending"
    run_once()
    jobs = json_of(browser(scene.owner).get(f"{API}/jobs"))["results"]
    assert sorted(job["state"] for job in jobs) == ["placing", "queued"]
    (waiting,) = (job for job in jobs if job["state"] == "queued")
    assert [item["code"] for item in waiting["reasons"]] == ["user_counter"]
    body = a_job(scene)
    body.pop("command")
    refused = problem_of(post(scene.owner, body, "environments"), 409, "user_counter")
    assert refused["params"]["counter"] == "environments"
    assert_sound()


def test_the_form_is_told_the_highest_priority_that_one_may_give() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    admin = browser(a_user(role="platform_admin"))
    address = f"{API}/groups/{scene.group.pk}/limits"

    json_of(admin.patch(address, {"developer_priority_max": "normal"}, format="json"))

    def most(user: User) -> str:
        return str(json_of(browser(user).get(address))["my_priority_max"])

    assert (most(scene.owner), most(head)) == ("normal", "high")
    problem_of(post(scene.owner, a_job(scene, priority="high")), 422, "priority_too_high")
    assert post(head, a_job(scene, priority="high")).status_code == 202
    MemberLimit.objects.create(group=scene.group, user=head, priority_max=-100)
    assert most(head) == "low"
    (row,) = json_of(browser(scene.owner).get(f"{API}/group-limits"))
    assert (row["my_priority_max"], row["developer_priority_max"]) == ("normal", "normal")
