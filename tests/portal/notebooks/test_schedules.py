"""Notebooks that start and stop by themselves, at times of the week on the site's clock."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from portal.common.clock import freeze
from portal.identity.models import User
from portal.notebooks import schedules
from portal.notebooks.models import NotebookSchedule
from portal.notebooks.schedule_times import JITTER_S, find_next_time, spread_start
from portal.site.days import SiteDays
from portal.tenancy.models import Membership
from portal.workloads.models import Workload
from tests.builders.machines import an_image
from tests.builders.people import a_member
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
"""Midnight in UTC; eight in the morning on the site's clock."""
WEEKDAYS = [0, 1, 2, 3, 4]
NINE, SEVEN_PM = 9 * 60, 19 * 60
SITE = SiteDays("Asia/Shanghai")

TIMES: dict[str, tuple[list[int], int, datetime, datetime]] = {
    "later today": (WEEKDAYS, NINE, MONDAY, MONDAY + timedelta(hours=1)),
    "tomorrow, once it is past": (
        *(WEEKDAYS, NINE, MONDAY + timedelta(hours=1)),
        MONDAY + timedelta(hours=25),
    ),
    "over the weekend": (
        *(WEEKDAYS, NINE, MONDAY + timedelta(days=4, hours=2)),
        MONDAY + timedelta(days=7, hours=1),
    ),
    "a day of the site that is the day before in UTC": (
        *([1], 60, MONDAY),
        MONDAY + timedelta(hours=17),
    ),
}


@pytest.mark.parametrize("row", TIMES.values(), ids=TIMES)
def test_the_next_time_is_found_on_the_sites_clock(
    row: tuple[list[int], int, datetime, datetime],
) -> None:
    days, minute, after, expected = row

    assert find_next_time(days, minute, after, SITE) == expected


def test_starts_of_one_moment_are_spread() -> None:
    spreads = {spread_start(UUID(int=number * 7919)) for number in range(50)}

    assert len(spreads) > 40
    assert max(spreads) < timedelta(seconds=JITTER_S)


def scheduled(scene: Scene, state: str) -> tuple[Workload, str]:
    """Return a notebook of the scene's owner with a schedule, and its address."""
    notebook = a_workload(scene.owner, scene.group, scene.pool, kind="environment", state=state)
    url = f"{API}/environments/{notebook.pk}/schedule"
    body: dict[str, Any] = {"days": WEEKDAYS, "start_minute": NINE, "stop_minute": SEVEN_PM}
    with freeze(MONDAY):
        json_of(browser(scene.owner).put(url, body, format="json"))
    return notebook, url


def test_a_schedule_is_set_shown_and_removed_by_the_owner() -> None:
    scene = a_scene()
    notebook, url = scheduled(scene, "suspended")
    owner, other = browser(scene.owner), browser(a_member(scene.group))

    shown = json_of(owner.get(url))
    assert shown["next_stop_at"] == "2026-11-23T11:00:00Z"
    assert shown["next_start_at"] >= "2026-11-23T01:00:00Z"
    assert json_of(other.get(url)) == shown
    problem_of(other.put(url, {"days": [0], "start_minute": 1}, format="json"), 403, "denied")
    nothing = owner.put(url, {"days": [0]}, format="json")
    problem_of(nothing, 422, "schedule_without_times")
    assert owner.delete(url).status_code == 204
    assert json_of(owner.get(url))["days"] == []
    problem_of(owner.delete(url), 404, "not_found")
    assert NotebookSchedule.objects.filter(workload=notebook).count() == 0


def test_it_starts_once_in_the_morning_and_queues() -> None:
    notebook, _ = scheduled(a_scene(), "suspended")
    with freeze(MONDAY + timedelta(minutes=59)):
        schedules.run_schedules()
    notebook.refresh_from_db()
    assert notebook.state == "suspended"
    with freeze(MONDAY + timedelta(minutes=66)):
        schedules.run_schedules()
        schedules.run_schedules()
    notebook.refresh_from_db()
    assert (notebook.state, notebook.cause) == ("queued", "schedule")
    assert notebook.events.filter(cause="schedule").count() == 1
    row = NotebookSchedule.objects.get(workload=notebook)
    assert row.next_start_at is not None
    assert row.next_start_at > MONDAY + timedelta(days=1)


def test_a_start_that_is_hours_late_is_left_out() -> None:
    notebook, _ = scheduled(a_scene(), "suspended")
    with freeze(MONDAY + timedelta(hours=3)):
        schedules.run_schedules()
    notebook.refresh_from_db()
    assert notebook.state == "suspended"


@pytest.mark.parametrize("way", ["removed", "deactivated", "a viewer"])
def test_a_notebook_whose_owner_may_not_submit_any_more_is_not_started(way: str) -> None:
    scene = a_scene()
    notebook, _ = scheduled(scene, "suspended")
    if way == "deactivated":
        User.objects.filter(pk=scene.owner.pk).update(is_active=False)
    elif way == "removed":
        Membership.objects.filter(user=scene.owner).delete()
    else:
        Membership.objects.filter(user=scene.owner).update(role="viewer")
    with freeze(MONDAY + timedelta(minutes=66)):
        schedules.run_schedules()
    notebook.refresh_from_db()
    assert notebook.state == "suspended"
    (note,) = notebook.events.filter(cause="schedule_not_started")
    assert note.params == {"code": "owner_may_not_start"}


def test_a_stop_is_announced_once_and_then_happens() -> None:
    scene = a_scene()
    notebook, _ = scheduled(scene, "queued")
    scene.place(notebook)
    for state in ("starting", "running"):
        Workload.objects.filter(pk=notebook.pk).update(state=state, started_at=MONDAY)
    with freeze(MONDAY + timedelta(hours=10, minutes=40)):
        schedules.run_schedules()
        schedules.run_schedules()
    assert notebook.events.filter(cause="schedule_stop_soon").count() == 1
    with freeze(MONDAY + timedelta(hours=11, seconds=1)):
        schedules.run_schedules()
    notebook.refresh_from_db()
    assert (notebook.state, notebook.cause) == ("suspended", "schedule")


def test_keep_today_skips_one_stop() -> None:
    scene = a_scene()
    notebook, url = scheduled(scene, "queued")
    scene.place(notebook)
    with freeze(MONDAY + timedelta(hours=10, minutes=45)):
        json_of(browser(scene.owner).post(f"{url}/keep", format="json"), 202)
    with freeze(MONDAY + timedelta(hours=11, seconds=1)):
        schedules.run_schedules()
    notebook.refresh_from_db()
    assert notebook.state == "placing"
    shown = json_of(browser(scene.owner).get(url))
    assert shown["next_stop_at"] == "2026-11-24T11:00:00Z"
    assert_sound()


def notebook_body(scene: Scene) -> dict[str, Any]:
    return {
        "name": "works by day",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": an_image("jupyter").name,
        "slices": 1,
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }


def test_a_notebook_may_be_created_with_its_schedule() -> None:
    scene = a_scene(slices=8)
    client = browser(scene.owner)
    body = notebook_body(scene) | {
        "schedule": {"days": WEEKDAYS, "start_minute": NINE, "stop_minute": SEVEN_PM}
    }
    with freeze(MONDAY):
        made = json_of(client.post(f"{API}/environments", body, format="json"), 202)
        shown = json_of(client.get(f"{API}/environments/{made['id']}/schedule"))
    assert shown["days"] == WEEKDAYS
    assert shown["next_stop_at"] == "2026-11-23T11:00:00Z"


def test_a_notebook_is_not_created_with_a_schedule_that_means_nothing() -> None:
    scene = a_scene(slices=8)
    body = notebook_body(scene)
    for times, code, pointer in (
        ({}, "schedule_without_times", "/schedule/start_minute"),
        (
            {"start_minute": NINE, "stop_minute": NINE},
            "schedule_same_times",
            "/schedule/stop_minute",
        ),
    ):
        asked = body | {"schedule": {"days": [0], **times}}
        refused = browser(scene.owner).post(f"{API}/environments", asked, format="json")
        (fault,) = problem_of(refused, 422, code)["errors"]
        assert fault["pointer"] == pointer
    assert Workload.objects.count() == 0
