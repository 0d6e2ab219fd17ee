"""What the volumes of a group, and of the groups below, may have together: exact, also under a race."""

from typing import Any

import pytest

from portal.common.errors import ExhaustedError
from portal.common.site_config import get_site_config
from portal.identity.models import User
from portal.quotas.models import GroupLimit
from portal.tenancy.models import Group
from portal.volumes import services as volumes
from portal.volumes.models import Volume
from tests.builders.at_once import at_once
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.volumes import a_group_volume
from tests.rest import API, browser, json_of, problem_of

VOLUMES = f"{API}/volumes"
MOST = 1000

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def limited() -> tuple[Group, Group]:
    """Save a group whose volumes are limited together, and one below it."""
    above = a_group()
    GroupLimit.objects.create(group=above, volumes_mib_max=MOST)
    return above, a_group(parent=above)


def create(admin: User, group: Group, quota_mib: int, name: str = "new") -> Any:
    body = {"group": str(group.pk), "name": name, "quota_mib": quota_mib}
    return browser(admin).post(VOLUMES, body, format="json")


def shown(admin: User, group: Group) -> tuple[int, int | None]:
    row = json_of(browser(admin).get(f"{API}/groups/{group.pk}/limits"))
    return row["volumes_mib"], row["volumes_mib_max"]


def test_volumes_of_a_group_and_those_below_share_its_space() -> None:
    above, below = limited()
    boss, head = a_user(role="platform_admin"), a_member(below, "group_admin")
    json_of(create(boss, above, 600), 201)
    json_of(create(head, below, 300), 201)

    refused = problem_of(create(head, below, 101, "more"), 409, "group_volumes_full")
    assert refused["params"] == {"name": above.name, "limit_mib": MOST, "used_mib": 900}
    json_of(create(head, below, 100, "fits"), 201)
    problem_of(create(boss, above, 1, "none-left"), 409, "group_volumes_full")
    json_of(create(boss, a_group(), 5000), 201)

    assert shown(boss, above) == (1000, MOST)
    assert shown(head, below) == (400, None)
    assert not Volume.objects.filter(name__in=("more", "none-left")).exists()


def test_a_larger_quota_needs_room_and_a_smaller_one_none() -> None:
    above, below = limited()
    head = a_member(below, "group_admin")
    first = a_group_volume(below, quota_mib=900)
    second = a_group_volume(below, quota_mib=100)
    address = f"{VOLUMES}/{first.pk}"

    for quota_mib in (901, 0):
        answer = browser(a_user(role="platform_admin")).patch(
            address, {"quota_mib": quota_mib}, format="json"
        )
        code = "group_volumes_full" if quota_mib else "volume_needs_quota"
        problem_of(answer, 409 if quota_mib else 422, code)
    assert Volume.objects.get(pk=first.pk).quota_mib == 900
    GroupLimit.objects.filter(group=above).update(volumes_mib_max=10)
    json_of(browser(head).patch(address, {"quota_mib": 800}, format="json"))
    json_of(browser(head).patch(address, {"description": "about"}, format="json"))

    json_of(browser(head).post(f"{VOLUMES}/{second.pk}/trash"))
    problem_of(browser(head).post(f"{VOLUMES}/{second.pk}/restore"), 409, "group_volumes_full")
    GroupLimit.objects.filter(group=above).update(volumes_mib_max=900)
    assert json_of(browser(head).post(f"{VOLUMES}/{second.pk}/restore"))["state"] == "active"


def test_what_had_no_quota_may_get_one_whatever_is_left() -> None:
    above, _ = limited()
    boss = a_user(role="platform_admin")
    old = a_group_volume(above, quota_mib=0)
    json_of(browser(boss).patch(f"{VOLUMES}/{old.pk}", {"quota_mib": 2000}, format="json"))

    assert shown(boss, above) == (2000, MOST)


def test_only_administrators_of_the_platform_limit_the_space() -> None:
    group = a_group()
    address, body = f"{API}/groups/{group.pk}/limits", {"volumes_mib_max": 5}
    head = browser(a_member(group, "group_admin"))
    problem_of(head.patch(address, body, format="json"), 403, "denied")

    boss = browser(a_user(role="platform_admin"))
    assert json_of(boss.patch(address, body, format="json"))["volumes_mib_max"] == 5
    body["volumes_mib_max"] = -1
    problem_of(boss.patch(address, body, format="json"), 400, "invalid_input")
    cleared = boss.patch(address, {"volumes_mib_max": None}, format="json")
    assert json_of(cleared)["volumes_mib_max"] is None


def test_volumes_that_are_made_at_once_do_not_share_the_last_room() -> None:
    above, below = limited()
    actors = [an_actor(a_member(group, "group_admin")) for group in (above, below)]

    def make(number: int) -> bool:
        columns = {"name": f"volume-{number}", "quota_mib": 300}
        group = (above, below)[number % 2]
        try:
            volumes.create_volume(
                actor=actors[number % 2],
                group_id=group.pk,
                columns=columns,
                site=get_site_config(),
            )
        except ExhaustedError:
            return False
        return True

    assert sum(at_once(8, make)) == 3
    assert Volume.objects.filter(kind="group").count() == 3
