from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.quotas.models import Quota
from portal.workloads.errors import PlacementRefusedError
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene()


def change(user: Any, quota: Quota, **body: object) -> Any:
    return browser(user).patch(f"{API}/quotas/{quota.pk}", body, format="json")


def test_quotas_of_own_groups_with_own_use(scene: Scene) -> None:
    a_quota(scene.group, ceiling=6000)
    a_quota(scene.group, "cpu", ceiling=None, user_ceiling=9000, pool=scene.pool)
    a_quota(a_group(), ceiling=1)
    mate = a_member(scene.group)
    scene.place(scene.work(gpus=2), scene.placement(cards=(0, 1)))

    mine = json_of(browser(scene.owner).get(f"{API}/quotas"))
    theirs = json_of(browser(mate).get(f"{API}/quotas?group={scene.group.pk}"))

    def shown(rows: list[Any]) -> list[tuple[Any, ...]]:
        return [
            (row["resource"], row["pool"] and row["pool"]["name"], row["used"], row["my_used"])
            for row in rows
        ]

    assert shown(mine) == [("gpu", None, 2000, 2000), ("cpu", scene.pool.name, 1000, 1000)]
    assert shown(theirs) == [("gpu", None, 2000, 0), ("cpu", scene.pool.name, 1000, 0)]


def test_only_the_platform_admin_changes_limits_and_it_is_written_down(scene: Scene) -> None:
    quota = a_quota(scene.group, ceiling=6000)

    problem_of(change(scene.owner, quota, ceiling=1), 403, "denied")
    problem_of(change(a_member(scene.group, "group_admin"), quota, ceiling=1), 403, "denied")
    problem_of(change(a_member(a_group()), quota, ceiling=1), 404, "not_found")
    problem_of(change(a_user(role="operator"), quota, ceiling=1), 403, "denied")
    answer = json_of(change(a_user(role="platform_admin"), quota, ceiling=8000, deserved=500))

    assert (answer["ceiling"], answer["deserved"]) == (8000, 500)
    event = AuditEvent.objects.get(action="quota.change")
    assert event.params["before"] == {"ceiling": 6000, "deserved": 0}
    assert event.params["after"] == {"ceiling": 8000, "deserved": 500}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"ceiling": -1}, 400),
        ({"ceiling": True}, 400),
        ({"ceiling": 1.5}, 400),
        ({"ceiling": "6"}, 400),
        ({"ceiling": 2**53 + 1}, 400),
        ({"guarantee": None}, 400),
        ({"used": 0}, 400),
        ({"deserved": 7000}, 422),
        ({"guarantee": 1}, 422),
    ],
)
def test_limits_out_of_order_change_nothing(
    scene: Scene, body: dict[str, object], status: int
) -> None:
    quota = a_quota(scene.group, ceiling=6000)

    assert change(a_user(role="platform_admin"), quota, **body).status_code == status

    quota.refresh_from_db()
    assert (quota.ceiling, quota.deserved, quota.guarantee) == (6000, 0, 0)


def test_cut_below_use_stops_new_starts_only(scene: Scene) -> None:
    quota = a_quota(scene.group, ceiling=6000)
    work = scene.work(gpus=2)
    scene.place(work, scene.placement(cards=(0, 1)))

    json_of(change(a_user(role="platform_admin"), quota, ceiling=1000))

    work.refresh_from_db()
    quota.refresh_from_db()
    assert (work.state, quota.used) == ("placing", 2000)


def test_a_new_quota_counts_what_is_held_already(scene: Scene) -> None:
    scene.place(scene.work(gpus=2), scene.placement(cards=(0, 1)))
    admin = browser(a_user(role="platform_admin"))
    body = {"group": str(scene.group.pk), "resource": "gpu", "ceiling": 3000, "deserved": 1000}

    made = json_of(admin.post(f"{API}/quotas", body, format="json"), 201)

    assert (made["used"], made["ceiling"], made["pool"]) == (2000, 3000, None)
    assert_sound()
    problem_of(admin.post(f"{API}/quotas", body, format="json"), 409, "quota_exists")
    with pytest.raises(PlacementRefusedError, match="quota_ceiling"):
        scene.place(scene.work(gpus=2), scene.placement(cards=(2, 3)))
    assert admin.delete(f"{API}/quotas/{made['id']}").status_code == 204
    scene.place(scene.work(gpus=2), scene.placement(cards=(2, 3)))
    actions = AuditEvent.objects.filter(action__startswith="quota.").values_list(
        "action", flat=True
    )
    assert sorted(actions) == ["quota.add", "quota.remove"]


def test_only_the_platform_admin_adds_and_removes_quotas(scene: Scene) -> None:
    quota = a_quota(scene.group, ceiling=6000)
    body = {"group": str(scene.group.pk), "resource": "cpu", "ceiling": 1000}
    stranger, mine = browser(a_member(a_group())), browser(scene.owner)

    problem_of(mine.post(f"{API}/quotas", body, format="json"), 403, "denied")
    problem_of(stranger.post(f"{API}/quotas", body, format="json"), 404, "not_found")
    problem_of(mine.delete(f"{API}/quotas/{quota.pk}"), 403, "denied")
    problem_of(stranger.delete(f"{API}/quotas/{quota.pk}"), 404, "not_found")

    assert Quota.objects.get() == quota


@pytest.mark.parametrize(
    "wrong",
    [
        {"resource": "gold"},
        {"resource": None},
        {"ceiling": -1},
        {"guarantee": 2000, "deserved": 1000},
        {"deserved": 4000, "ceiling": 1000},
        {"pool": "0190a000-0000-7000-8000-000000000000"},
    ],
)
def test_a_senseless_quota_is_refused(scene: Scene, wrong: dict[str, object]) -> None:
    admin = browser(a_user(role="platform_admin"))
    body = {"group": str(scene.group.pk), "resource": "gpu", "ceiling": 3000, **wrong}

    assert admin.post(f"{API}/quotas", body, format="json").status_code in (400, 404, 422)
    assert not Quota.objects.exists()
