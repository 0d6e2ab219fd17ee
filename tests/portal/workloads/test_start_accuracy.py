"""What expected starts were worth: noted once, judged by the real start, said where enough is known."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from portal.common.clock import freeze, now, to_millis
from portal.workloads.models import ExpectedStart, StartHistory, Workload
from portal.workloads.start_accuracy import judge_expected_starts
from scheduler.core.reservation.start_accuracy import (
    ESTIMATES_NEEDED,
    JudgedStart,
    bucket_of,
    find_spreads,
    with_judged,
)
from scheduler.runtime.loop import run_once
from tests.builders.scenes import Scene, a_scene, cancel
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
MINUTE = 60_000
HALF_AN_HOUR = timedelta(minutes=30)


@pytest.fixture
def scene() -> Scene:
    """One GPU, held by work of the member that may run for an hour."""
    made = a_scene(cards=1)
    made.place(made.work(gpus=1, name="holder"), made.placement(cards=(0,)))
    return made


@pytest.fixture
def waiting(scene: Scene) -> Workload:
    """Work that waits for the GPU, and has been told when it will start."""
    work = scene.work(gpus=1)
    run_once()
    return work


def frees(scene: Scene) -> None:
    cancel(Workload.objects.get(pool=scene.pool, name="holder"))


def later(span: timedelta) -> datetime:
    return now() + span


def counts_of(scene: Scene) -> dict[str, dict[str, int]]:
    """Return what was counted this week."""
    history = StartHistory.objects.get(pool=scene.pool)
    (week,) = history.counts.values()
    found: dict[str, dict[str, int]] = week
    return found


def test_only_the_first_expected_start_of_a_wait_counts(scene: Scene, waiting: Workload) -> None:
    first = ExpectedStart.objects.values().get(workload=waiting)
    with freeze(later(HALF_AN_HOUR)):
        run_once()
        assert judge_expected_starts() == 0

    assert ExpectedStart.objects.values().get(workload=waiting) == first
    assert first["basis"] == "limits"
    assert first["counted_from"] + timedelta(minutes=60) <= first["latest"]
    assert first["latest"].second == 0


def test_a_start_counts_by_its_part_of_what_was_expected(scene: Scene, waiting: Workload) -> None:
    said = ExpectedStart.objects.get(workload=waiting)
    with freeze(said.counted_from + HALF_AN_HOUR):
        frees(scene)
        run_once()
        assert judge_expected_starts() == 1

    wait_ms = to_millis(said.latest) - to_millis(said.counted_from)
    assert counts_of(scene) == {"limits:1": {str(bucket_of(wait_ms, 30 * MINUTE)): 1}}
    assert not ExpectedStart.objects.exists()
    assert judge_expected_starts() == 0


def test_a_begin_time_is_no_part_of_the_wait(scene: Scene) -> None:
    begins = later(timedelta(days=1))
    work = scene.work(gpus=1, not_before=begins)
    run_once()

    said = ExpectedStart.objects.get(workload=work)
    assert abs(said.counted_from - begins) < timedelta(seconds=1)


def test_what_is_cancelled_held_or_changed_is_not_judged(scene: Scene, waiting: Workload) -> None:
    held, changed = scene.work(gpus=1), scene.work(gpus=1)
    run_once()
    assert ExpectedStart.objects.count() == 3
    client = browser(scene.owner)
    cancel(waiting)
    json_of(client.post(f"{API}/jobs/{held.pk}/hold", {}, format="json"), 202)
    json_of(client.patch(f"{API}/jobs/{changed.pk}", {"time_limit_s": 60}, format="json"))
    assert not ExpectedStart.objects.filter(workload=changed).exists()

    run_once()
    assert judge_expected_starts() == 0

    assert not ExpectedStart.objects.filter(workload__in=[waiting.pk, held.pk]).exists()
    assert not StartHistory.objects.exists()


def expected_of(scene: Scene, work: Workload) -> dict[str, Any]:
    found: dict[str, Any] = json_of(browser(scene.owner).get(f"{API}/jobs/{work.pk}"))[
        "expected_start"
    ]
    return found


def learn(scene: Scene, estimates: int, *, waited_ms: int) -> None:
    """Remember so many starts that were expected within an hour by limits."""
    judged = [JudgedStart("limits", 60 * MINUTE, waited_ms, to_millis(now()))] * estimates
    counts = with_judged({}, judged, to_millis(now()))
    StartHistory.objects.create(pool=scene.pool, counts=counts, spreads=find_spreads(counts))


def test_with_too_little_history_nothing_is_said(scene: Scene, waiting: Workload) -> None:
    learn(scene, ESTIMATES_NEEDED - 1, waited_ms=30 * MINUTE)

    expected = expected_of(scene, waiting)

    assert (expected["sure_percent"], expected["estimates"]) == (None, 0)
    assert expected["basis"] == "limits"


def test_the_range_is_the_one_that_such_estimates_came_true_in(
    scene: Scene, waiting: Workload
) -> None:
    """It is promised a start in an hour; such work has always started after half of that."""
    learn(scene, 99, waited_ms=30 * MINUTE)
    with freeze(now()):
        expected = expected_of(scene, waiting)
        minutes = {
            name: (datetime.fromisoformat(expected[name]) - now()) // timedelta(minutes=1)
            for name in ("earliest", "latest")
        }

    assert (expected["sure_percent"], expected["estimates"]) == (99, 99)
    assert minutes["earliest"] in range(27, 30)
    assert minutes["latest"] in range(29, 32)


def test_every_answer_about_the_wait_says_the_same(scene: Scene, waiting: Workload) -> None:
    learn(scene, 99, waited_ms=30 * MINUTE)
    client = browser(scene.owner)
    body = {"kind": "training", "group": scene.group.name, "pool": scene.pool.name, "gpus": 1}

    answers = [
        expected_of(scene, waiting),
        json_of(client.get(f"{API}/workloads/{waiting.pk}/waiting"))["expected_start"],
        json_of(client.get(f"{API}/pools/{scene.pool.pk}/queue"))["waiting"][0]["expected_start"],
        json_of(
            client.post(
                f"{API}/workloads/dry-run",
                {**body, "cpu_milli": 100, "memory_mib": 64},
                format="json",
            )
        )["expected_start"],
    ]

    assert [answer["sure_percent"] for answer in answers] == [99] * 4
    assert {len(answer) for answer in answers} == {5}
