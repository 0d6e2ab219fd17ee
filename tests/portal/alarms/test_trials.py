"""A trial over a recorded past counts what the rule has fired in it, run each minute."""

from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection

from portal.alarms.kinds import AlarmKind
from portal.alarms.models import Alarm
from portal.common.clock import freeze
from portal.telemetry.services import maintain_partitions
from portal.workloads.models import Allocation, Workload
from tests.builders.people import a_user
from tests.builders.scenes import Scene, a_scene
from tests.portal.alarms.scenes import MINUTE, NOON, evaluate_at, heat, only_rule, running
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
BEGIN = NOON - timedelta(minutes=70)


def record(table: str, series: Any, at: datetime, column: str, value: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (series, at, last_at, {column}) VALUES (%s, %s, %s, %s)",
            [series, at, at, value],
        )


def tried(kind: AlarmKind, threshold: int, duration: timedelta) -> int:
    """Return how often a rule would have fired, as the page says it at noon."""
    asked = {
        "name": "tried",
        "kind": kind.value,
        "threshold": threshold,
        "duration_s": duration // timedelta(seconds=1),
        "severity": "warning",
    }
    with freeze(NOON):
        answer = browser(a_user(role="platform_admin")).post(
            f"{API}/alarm-rules/trial", asked, "json"
        )
    return int(json_of(answer)["past"]["count"])


def fired() -> int:
    return Alarm.objects.filter(fired_at__isnull=False).count()


def course(rng: Random, low: int, high: int) -> list[int]:
    """Return a value for each minute of an hour, in spells of some minutes."""
    values: list[int] = []
    while len(values) < 60:
        values += [rng.choice((low, high))] * rng.randint(1, 14)
    return values[:60]


def ran(scene: Scene, ranks: int) -> list[Allocation]:
    """Return what work holds that has run since the recorded past began."""
    work = running(scene, gpus=ranks)
    Workload.objects.filter(pk=work.pk).update(started_at=BEGIN)
    Allocation.objects.filter(workload=work).update(
        created_at=BEGIN, started_at=BEGIN, gpus_since=BEGIN
    )
    return list(Allocation.objects.filter(workload=work).order_by("rank"))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("minutes", [0, 5])
def test_gpus_held_idle(seed: int, minutes: int) -> None:
    scene, rng = a_scene(cards=2), Random(seed)
    only_rule(AlarmKind.GPU_IDLE, threshold=5, duration_s=minutes * 60)
    with freeze(NOON):
        maintain_partitions()
    works = [ran(scene, 1)]
    uses = {held.pk: course(rng, 0, 60) for work in works for held in work}
    for number in range(60):
        at = BEGIN + number * MINUTE
        for series, values in uses.items():
            record("telemetry_work_minute", series, at, "gpu_utilisation_pct", values[number])
            for second in (5, 35):
                moment = at + timedelta(seconds=second)
                record("telemetry_work_raw", series, moment, "gpu_utilisation_pct", values[number])
        evaluate_at(at + MINUTE)
    assert tried(AlarmKind.GPU_IDLE, 5, minutes * MINUTE) == fired()


def test_a_single_idle_minute_of_busy_work_is_nothing() -> None:
    scene = a_scene(cards=1)
    with freeze(NOON):
        maintain_partitions()
    (held,) = ran(scene, 1)
    for number in range(60):
        value = 0 if number in (3, 20, 45) else 90
        record(
            "telemetry_work_minute",
            held.pk,
            BEGIN + number * MINUTE,
            "gpu_utilisation_pct",
            value,
        )
    assert tried(AlarmKind.GPU_IDLE, 5, timedelta(0)) == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("minutes", [0, 4])
def test_hot_gpus(seed: int, minutes: int) -> None:
    scene, rng = a_scene(cards=1), Random(seed)
    only_rule(AlarmKind.GPU_HOT, threshold=88, duration_s=minutes * 60)
    with freeze(NOON):
        maintain_partitions()
    card = scene.nodes[0].accelerators.get()
    for number, value in enumerate(course(rng, 60, 95)):
        at = BEGIN + number * MINUTE
        record("telemetry_card_minute", card.pk, at, "temperature_c", value)
        heat(scene, value, at + MINUTE)
        evaluate_at(at + MINUTE)
    assert tried(AlarmKind.GPU_HOT, 88, minutes * MINUTE) == fired()


@pytest.mark.parametrize("length", [20, 84, 85, 86, 89, 90, 96, 100, 120])
@pytest.mark.parametrize("minutes", [0, 10])
def test_time_limits(length: int, minutes: int) -> None:
    scene = a_scene(cards=1)
    only_rule(AlarmKind.TIME_LIMIT_NEAR, threshold=30, duration_s=minutes * 60)
    began = NOON - timedelta(hours=3)
    work = running(scene)
    columns = {"started_at": began, "time_limit_s": 7200, "must_end_at": None}
    Workload.objects.filter(pk=work.pk).update(**columns)
    Allocation.objects.filter(workload=work).update(created_at=began, started_at=began)
    for number in range(length):
        evaluate_at(began + number * MINUTE)
    ended = began + (length - 1) * MINUTE
    Allocation.objects.filter(workload=work).update(finished_at=ended)
    assert tried(AlarmKind.TIME_LIMIT_NEAR, 30, minutes * MINUTE) == fired()


@pytest.mark.parametrize("length", [10, 59, 60, 61, 80])
@pytest.mark.parametrize("minutes", [0, 70])
def test_waits(length: int, minutes: int) -> None:
    scene = a_scene(cards=1)
    only_rule(AlarmKind.WORK_WAITING, threshold=60, duration_s=minutes * 60)
    work = scene.work(gpus=1)
    began = NOON - timedelta(hours=3)
    Workload.objects.filter(pk=work.pk).update(queued_at=began)
    for number in range(length + 1):
        evaluate_at(began + number * MINUTE)
    ended = began + length * MINUTE
    Workload.objects.filter(pk=work.pk).update(state="cancelled", finished_at=ended)
    assert tried(AlarmKind.WORK_WAITING, 60, minutes * MINUTE) == fired()
