"""Standing in fair share: one's own group in full, other groups as a number."""

from datetime import timedelta

import pytest
from rest_framework.test import APIClient

from portal.common.clock import now
from portal.identity.models import User
from portal.quotas.models import Quota
from portal.tenancy.models import Group
from portal.workloads.models import DecayedGpuUse
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url", "noon")]

HOUR = 3600
PER_SECOND = 1_000_000


def used(user: User, group: Group, gpu_hours: int, *, days_ago: int = 0) -> None:
    DecayedGpuUse.objects.create(
        group=group,
        user=user,
        gpu_milli_ms=gpu_hours * HOUR * PER_SECOND,
        at=now() - timedelta(days=days_ago),
    )


def standings(client: APIClient, **query: str) -> dict[str, dict[str, object]]:
    shown = json_of(client.get(f"{API}/fair-share", query))
    return {row["group"]["name"]: row for row in shown["groups"]}


@pytest.fixture
def scene(noon: None) -> Scene:
    """A group that has used 8 GPU-hours and deserves 4 GPUs, another with 2 of 2, and 8 GPUs."""
    scene = a_scene()
    other = a_group("other")
    for group, deserved in ((scene.group, 4000), (other, 2000)):
        Quota.objects.create(group=group, pool=None, resource="gpu", deserved=deserved)
    used(scene.owner, scene.group, 6)
    used(a_member(scene.group, username="wang.fang"), scene.group, 2)
    used(a_member(other), other, 2)
    return scene


def test_a_member_sees_the_group_its_members_and_how_many_go_first(scene: Scene) -> None:
    shown = standings(browser(scene.owner))

    assert list(shown) == [scene.group.name]
    own = shown[scene.group.name]
    assert own["used_gpu_s"] == 8 * HOUR
    # Eight cards: what it deserves, and its part of the two that nobody deserves.
    assert own["entitled_gpu_milli"] == 5000
    assert (own["position"], own["siblings"], own["is_below_guarantee"]) == (2, 2, False)
    assert [
        (row["user"]["username"], row["used_gpu_s"], row["position"], row["members"])
        for row in own["members"]  # type: ignore[attr-defined]
    ] == [("wang.fang", 2 * HOUR, 1, 2), (scene.owner.username, 6 * HOUR, 2, 2)]


def test_staff_sees_all_groups_and_the_organisation_over_them(scene: Scene) -> None:
    shown = standings(browser(a_user(role="auditor")))

    assert shown["other"]["position"] == 1
    assert shown["org"]["used_gpu_s"] == 10 * HOUR
    assert (shown["org"]["siblings"], shown["org"]["members"]) == (1, [])


def test_one_group_is_asked_for_by_its_id(scene: Scene) -> None:
    other = Group.objects.get(name="other")

    assert list(standings(browser(a_user(role="auditor")), group=str(other.pk))) == ["other"]
    assert standings(browser(scene.owner), group=str(other.pk)) == {}


def test_of_many_members_those_who_go_first_are_shown_and_who_asks(scene: Scene) -> None:
    for number in range(6):
        used(a_member(scene.group, username=f"light{number}"), scene.group, 1)

    def shown(**query: str) -> list[tuple[int, int]]:
        members = standings(browser(scene.owner), **query)[scene.group.name]["members"]
        return [(row["position"], row["members"]) for row in members]  # type: ignore[attr-defined]

    assert shown() == [(1, 8), (1, 8), (1, 8), (1, 8), (1, 8), (8, 8)]
    assert shown(group=str(scene.group.pk)) == [(1, 8)] * 6 + [(7, 8), (8, 8)]


def test_use_decays_by_the_half_life_of_the_site(scene: Scene) -> None:
    late = a_member(scene.group, username="late")
    used(late, scene.group, 8, days_ago=7)
    admin = browser(a_user(role="platform_admin"))
    by_week = standings(browser(scene.owner))[scene.group.name]
    admin.patch(f"{API}/site-settings", {"half_life_s": 7 * 24 * HOUR // 2}, format="json")
    faster = standings(browser(scene.owner))[scene.group.name]

    assert by_week["used_gpu_s"] == (8 + 4) * HOUR
    assert faster["used_gpu_s"] == (8 + 2) * HOUR


def test_a_start_counts_at_once(scene: Scene) -> None:
    work = scene.work(gpus=2)
    scene.place(work, scene.placement(cards=(0, 1)))

    shown = standings(browser(scene.owner))[scene.group.name]

    assert shown["used_gpu_s"] == 8 * HOUR + 2 * HOUR
    assert shown["charged_gpu_s"] == 2 * HOUR
    charged = {
        row["user"]["username"]: row["charged_gpu_s"]
        for row in shown["members"]  # type: ignore[attr-defined]
    }
    assert charged == {scene.owner.username: 2 * HOUR, "wang.fang": 0}
