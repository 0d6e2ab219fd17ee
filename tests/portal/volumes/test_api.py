"""Volumes over the API: each caller sees its own, and what it may do with them."""

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.tenancy.models import Group
from portal.volumes.models import Volume
from portal.workloads.models import Workload
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import a_scene
from tests.builders.volumes import a_group_volume, a_home
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
VOLUMES = f"{API}/volumes"


def a_body(group: Group, **more: object) -> dict[str, object]:
    return {"group": str(group.pk), "name": "shared", "quota_mib": 1024, **more}


def listed(client: APIClient, query: str = "") -> dict[str, dict[str, object]]:
    return {item["id"]: item for item in json_of(client.get(f"{VOLUMES}{query}"))["results"]}


def test_everybody_has_a_home_that_nobody_else_sees() -> None:
    owner, other = browser(a_member(a_group())), browser(a_member(a_group()))

    home = json_of(owner.post(f"{VOLUMES}/home"))
    again = json_of(owner.post(f"{VOLUMES}/home"))

    assert (home["id"], home["kind"], home["mount_path"]) == (again["id"], "home", "/home/berth")
    assert (home["access"], home["may_manage"]) == ("write", False)
    assert home["id"] in listed(owner)
    assert home["id"] not in listed(other)
    problem_of(other.get(f"{VOLUMES}/{home['id']}"), 404, "not_found")


def test_group_admins_make_volumes_that_members_see() -> None:
    group = a_group()
    admin, member = browser(a_member(group, "group_admin")), browser(a_member(group, "viewer"))

    made = json_of(admin.post(VOLUMES, a_body(group), format="json"), 201)
    problem_of(admin.post(VOLUMES, a_body(group), format="json"), 409, "volume_name_taken")
    problem_of(member.post(VOLUMES, a_body(group, name="mine"), format="json"), 403, "denied")

    seen = listed(member)[made["id"]]
    assert (made["may_manage"], made["access"], seen["access"]) == (True, "write", "read")
    assert (seen["mount_path"], seen["quota_mib"]) == ("/volumes/shared", 1024)
    assert made["id"] not in listed(browser(a_member(a_group())))


@pytest.mark.parametrize("name", ["论文", "Papers", "-papers", "my papers"])
def test_name_that_is_no_part_of_a_path_is_refused_with_what_may_be_in_it(name: str) -> None:
    group = a_group()
    admin = browser(a_member(group, "group_admin"))
    refused = admin.post(VOLUMES, a_body(group, name=name), format="json")
    (fault,) = problem_of(refused, 400, "invalid_input")["errors"]
    assert (fault["pointer"], fault["code"]) == ("/name", "path_name_not_allowed")
    assert "lower-case letters, digits and . _ -" in fault["detail"]


def test_a_volume_is_changed_by_those_who_manage_it() -> None:
    group = a_group()
    address = f"{VOLUMES}/{a_group_volume(group).pk}"
    admin = browser(a_member(group, "group_admin"))
    change = {"quota_mib": 5, "writers": "group_admin", "is_writable_below": True}

    shown = json_of(admin.patch(address, change, format="json"))
    problem_of(browser(a_member(group)).patch(address, change, format="json"), 403, "denied")
    problem_of(admin.patch(address, {"quota_mib": 0}, format="json"), 422, "volume_quota")

    assert {name: shown[name] for name in change} == change


def test_a_volume_in_use_is_not_put_into_the_trash() -> None:
    scene = a_scene()
    volume = a_group_volume(scene.group)
    work = scene.work(name="train")
    Workload.objects.filter(pk=work.pk).update(files=[f"volume:{volume.pk}"])
    admin = browser(a_member(scene.group, "group_admin"))
    address = f"{VOLUMES}/{volume.pk}"

    problem = problem_of(admin.post(f"{address}/trash"), 409, "volume_in_use")
    assert problem["params"] == {"name": "train", "count": 1}
    assert listed(admin)[str(volume.pk)]["uses"] == 1
    (user,) = json_of(admin.get(f"{address}/users"))
    assert (user["id"], user["name"]) == (str(work.pk), "train")

    Workload.objects.filter(pk=work.pk).update(state="cancelled")
    shown = json_of(admin.post(f"{address}/trash"))
    assert (shown["state"], shown["access"], shown["removed_at"] is None) == (
        *("trashed", "none", False),
    )
    assert listed(admin, "?state=active") == {}
    assert json_of(admin.post(f"{address}/restore"))["state"] == "active"
    actions = AuditEvent.objects.filter(object_id=str(volume.pk)).values_list("action", flat=True)
    assert {"volume.trash", "volume.restore"} <= set(actions)


def test_users_of_a_volume_are_named_as_far_as_the_caller_sees_them() -> None:
    top = a_group()
    scene = a_scene()
    Group.objects.filter(pk=scene.group.pk).update(parent=top)
    volume = a_group_volume(top)
    work = scene.work()
    Workload.objects.filter(pk=work.pk).update(files=[f"volume:{volume.pk}"])
    elsewhere = browser(a_member(a_group(parent=top)))

    assert listed(elsewhere)[str(volume.pk)]["uses"] == 1
    assert json_of(elsewhere.get(f"{VOLUMES}/{volume.pk}/users")) == []


def test_a_home_in_use_is_not_put_into_the_trash() -> None:
    scene = a_scene()
    home = a_home(scene.owner)
    work = scene.work()
    Workload.objects.filter(pk=work.pk).update(files=[f"home:{scene.owner.pk}"])

    boss = browser(a_user(role="platform_admin"))
    problem_of(boss.post(f"{VOLUMES}/{home.pk}/trash"), 409, "volume_in_use")


def test_a_token_needs_the_scope_of_each_act() -> None:
    group = a_group()
    admin = a_member(group, "group_admin")
    narrow = pipeline(admin, "volume.view")

    assert narrow.get(VOLUMES).status_code == 200
    problem_of(narrow.post(VOLUMES, a_body(group), format="json"), 403, "scope_missing")
    assert not Volume.objects.exists()
