"""The curves of the day: held, used and waiting at each quarter of an hour, of all or of own groups."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from django.db import connection

from portal.common.clock import freeze
from portal.telemetry.services import maintain_partitions
from tests.builders.people import a_member, a_user
from tests.builders.scenes import a_scene
from tests.builders.scripted_node import finished
from tests.portal.overview.scene import another, overview, run_at
from tests.rest import API, browser, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

NOON: Final = datetime(2030, 5, 15, 12, 7, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
PER_HOUR: Final = 4


def day(user: Any) -> Any:
    with freeze(NOON):
        return overview(user, "/day")


def test_each_point_has_what_was_held_used_and_asked_for_at_its_moment() -> None:
    scene = a_scene(cards=8)
    ended = run_at(scene, NOON - 3 * HOUR, cards=(0, 1))
    with freeze(NOON - HOUR):
        scene.links[0].beat(finished=[finished(ended)])
    run_at(another(scene), NOON - 2 * HOUR, cards=(2,))
    with freeze(NOON - HOUR / 2):
        scene.work(gpus=4, submitted_at=NOON - HOUR / 2, queued_at=NOON - HOUR / 2)
    with freeze(NOON):
        maintain_partitions()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO telemetry_pool_minute (series, at, last_at, cards, utilisation_pct)"
            " SELECT %s, minute, minute, 8, 25"
            " FROM generate_series(%s::timestamptz, %s::timestamptz, '1 minute') minute",
            [scene.pool.pk, NOON - HOUR, NOON],
        )

    shown = day(a_user(role="operator"))

    def at(hours_ago: float, name: str) -> Any:
        return shown[name][-1 - round(hours_ago * PER_HOUR)]

    assert {len(column) for column in shown.values()} == {97}
    assert shown["times"][-1] == "2030-05-15T12:07:00Z"
    assert [at(ago, "held_milli") for ago in (4, 2.5, 1.5, 0.5)] == [0, 2000, 3000, 1000]
    assert [at(ago, "used_milli") for ago in (4, 0.25)] == [None, 2000]
    # Each had waited for an hour when it started.
    assert [at(ago, "waiting") for ago in (4.5, 3.5, 2.5, 1.5, 0.25)] == [0, 1, 1, 0, 1]
    assert at(0.25, "waiting_milli") == 4000


def test_a_group_admin_sees_the_own_groups_and_a_member_nothing() -> None:
    scene = a_scene(cards=8)
    head, other = a_member(scene.group, role="group_admin"), another(scene)
    run_at(scene, NOON - 2 * HOUR, cards=(0,))
    run_at(other, NOON - 2 * HOUR, cards=(1, 2))
    shown = day(head)
    assert shown["held_milli"][-1] == 1000
    assert set(shown["used_milli"]) == {None}
    assert day(a_user(role="auditor"))["held_milli"][-1] == 3000
    problem_of(browser(scene.owner).get(f"{API}/overview/day"), 403, "denied")
