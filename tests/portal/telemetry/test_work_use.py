"""How much running work used its GPUs in the last hour, for the small curves of a list."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from django.db import connection

from portal.common.clock import freeze
from portal.telemetry.services import maintain_partitions
from tests.builders.people import a_group, a_member
from tests.builders.scenes import a_scene
from tests.rest import API, browser, json_of, problem_of

pytestmark = pytest.mark.django_db

NOON: Final = datetime(2030, 5, 15, 12, tzinfo=UTC)
MINUTE: Final = timedelta(minutes=1)


def test_each_has_its_last_hour_as_means_of_two_minutes_and_gaps() -> None:
    scene = a_scene(cards=2)
    with freeze(NOON - 60 * MINUTE):
        busy, quiet = scene.work(gpus=1), scene.work(gpus=1)
        (held,) = scene.place(busy, scene.placement(cards=(0,)))
        scene.place(quiet, scene.placement(cards=(1,)))
    with freeze(NOON):
        maintain_partitions()
        samples = [(50 * MINUTE, 10), (49 * MINUTE, 30), (MINUTE, 90)]
        with connection.cursor() as cursor:
            for before, pct in samples:
                cursor.execute(
                    "INSERT INTO telemetry_work_raw (series, at, last_at, gpu_utilisation_pct)"
                    " VALUES (%s, %s, %s, %s)",
                    [held.pk, NOON - before, NOON - before, pct],
                )
        ids = f"{busy.pk},{quiet.pk}"
        shown = json_of(browser(scene.owner).get(f"{API}/telemetry/work-use?ids={ids}"))
        uses: dict[str, Any] = {row["workload"]: row["use_pct"] for row in shown["uses"]}
        hidden = json_of(browser(a_member(a_group())).get(f"{API}/telemetry/work-use?ids={ids}"))
    assert len(uses[str(busy.pk)]) == 30
    assert {place: pct for place, pct in enumerate(uses[str(busy.pk)]) if pct is not None} == {
        5: 20, 29: 90,
    }  # fmt: skip
    assert set(uses[str(quiet.pk)]) == {None}
    assert hidden == {"uses": []}


def test_it_asks_for_work_and_not_for_too_much_of_it() -> None:
    person = browser(a_member(a_group()))
    problem_of(person.get(f"{API}/telemetry/work-use"), 400, "invalid_input")
    many = ",".join(["00000000-0000-0000-0000-000000000000"] * 21)
    problem_of(person.get(f"{API}/telemetry/work-use?ids={many}"), 400, "invalid_input")
