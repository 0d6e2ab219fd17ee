"""What the rows of a list of work held: nodes, GPU time, mean use and cost, on real PostgreSQL."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.common.clock import freeze
from portal.common.ids import new_id
from portal.quotas.models import GpuPrice
from portal.telemetry.services import maintain_partitions
from portal.workloads.models import Allocation, Workload
from tests.builders.people import a_user
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished
from tests.portal.metering.test_meter import HOUR, NOON, placed
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

MIDNIGHT = NOON + 4 * HOUR
"""At the site, in Shanghai."""


def uses(scene: Scene, *works: Workload, reader: Any = None) -> list[dict[str, Any]]:
    ids = ",".join(str(work.pk) for work in works)
    answer = browser(reader or scene.owner).get(f"{API}/usage/workloads?ids={ids}")
    found: list[dict[str, Any]] = json_of(answer)["uses"]
    return found


def priced(model: str, *prices: tuple[date, int, str]) -> None:
    for day, hourly_micros, currency in prices:
        GpuPrice.objects.create(
            model=model, valid_from=day, hourly_micros=hourly_micros, currency=currency
        )


def sampled(held: Allocation, table: str, *pcts: int, step: timedelta = HOUR) -> None:
    with freeze(NOON):
        maintain_partitions()
    with connection.cursor() as cursor:
        for number, pct in enumerate(pcts):
            at = NOON + number * step
            cursor.execute(
                f"INSERT INTO telemetry_work_{table} (series, at, last_at, gpu_utilisation_pct)"
                " VALUES (%s, %s, %s, %s)",
                [held.pk, at, at, pct],
            )


def on_card(scene: Scene, card: int) -> tuple[Workload, Allocation]:
    with freeze(NOON):
        work = scene.work(gpus=1)
        (held,) = scene.place(work, scene.placement(cards=(card,)))
    return work, held


def test_every_hour_costs_what_it_did_on_its_day() -> None:
    scene = a_scene()
    work, held = placed(scene, gpus=2)
    (model,) = {card.model for card in scene.nodes[0].accelerators.all()}
    priced(
        model,
        (date(2030, 1, 1), 1_000_000, "CNY"),
        (date(2030, 5, 16), 3_000_000, "EUR"),
    )
    with freeze(MIDNIGHT + HOUR):
        scene.links[0].beat(finished=[finished(held)])

    with freeze(MIDNIGHT + 5 * HOUR):
        (found,) = uses(scene, work)

    assert found["gpu_milli_s"] == 2 * 5 * 3_600_000
    assert found["costs"] == [
        {"currency": "CNY", "amount": "8.00"},
        {"currency": "EUR", "amount": "6.00"},
    ]
    assert found["nodes"] == [scene.nodes[0].name]


def test_the_mean_use_is_of_the_hours_and_of_the_minutes_of_what_is_younger() -> None:
    scene = a_scene(cards=4)
    (long, held), (short, younger), (unknown, _) = (on_card(scene, card) for card in range(3))
    sampled(held, "hour", 80, 40)
    sampled(held, "minute", 1, 1, step=HOUR / 60)
    sampled(younger, "minute", 10, 30, step=HOUR / 60)

    with freeze(NOON + 2 * HOUR):
        found = {row["workload"]: row["use_pct"] for row in uses(scene, long, short, unknown)}

    assert found == {str(long.pk): 60, str(short.pk): 20, str(unknown.pk): None}


def test_work_that_never_started_held_nothing() -> None:
    scene = a_scene()
    (found,) = uses(scene, scene.work(gpus=1))
    assert (found["nodes"], found["gpu_milli_s"], found["costs"]) == ([], 0, [])


def test_others_learn_nothing_and_no_more_is_asked_for_many_than_for_one() -> None:
    scene = a_scene(cards=4)
    works = [on_card(scene, card)[0] for card in range(3)]
    assert uses(scene, *works, reader=a_user()) == []

    def asked(*rows: Workload) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert len(uses(scene, *rows)) == len(rows)
        return len(queries)

    asked(works[0])
    assert asked(*works) == asked(works[0])
    ids = ",".join(str(new_id()) for _ in range(51))
    problem_of(browser(scene.owner).get(f"{API}/usage/workloads?ids={ids}"), 400, "invalid_input")
