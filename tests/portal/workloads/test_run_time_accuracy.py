"""How good learned run times are: judged by what was known when a run began, never by the future."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache

from portal.common.ids import new_id
from portal.workloads.models import Workload
from portal.workloads.run_time_accuracy import (
    EndedRun,
    accuracy_of_pool_for_system,
    evaluate_predictions,
)
from scheduler.core.reservation.run_times import JobTraits
from tests.builders.machines import a_pool
from tests.builders.people import a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of

NOON = datetime(2030, 5, 16, 12, tzinfo=UTC)
POOL, OTHER = str(new_id()), str(new_id())
SECOND = 1_000_000


def a_run(begins: int, minutes: int, *, command: str = "train", pool: str = POOL) -> EndedRun:
    """Return a run of so many minutes that begins so many minutes after noon."""
    began = (int(NOON.timestamp()) + begins * 60) * SECOND
    traits = JobTraits("group", "user", 1000, "image", command)
    return EndedRun(pool, began, began + minutes * 60 * SECOND, traits)


def test_a_run_is_judged_by_those_that_had_ended_when_it_began() -> None:
    first, same, longer = a_run(0, 10), a_run(20, 10), a_run(40, 40)
    found = evaluate_predictions([longer, same, first], POOL)

    assert (found.runs, found.since) == (3, NOON)
    assert found.accuracy.runs == 2  # nothing was known before the first
    assert found.accuracy.within_factor_two_percent == 50
    assert (found.accuracy.over_percent, found.accuracy.under_percent) == (0, 50)
    assert found.accuracy.median_error_percent == 0


def test_what_had_not_ended_yet_teaches_nothing() -> None:
    found = evaluate_predictions([a_run(0, 60), a_run(30, 60)], POOL)
    assert (found.runs, found.accuracy.runs) == (2, 0)


def test_pools_are_judged_apart_and_learn_together() -> None:
    runs = [a_run(0, 10), a_run(20, 10, pool=OTHER)]
    found = {pool: evaluate_predictions(runs, pool) for pool in (POOL, OTHER)}
    assert {pool: (each.runs, each.accuracy.runs) for pool, each in found.items()} == {
        POOL: (1, 0),
        OTHER: (1, 1),
    }


@pytest.mark.parametrize(
    ("microseconds", "seconds"), [(0, 1), (1, 1), (SECOND, 1), (SECOND + 1, 2), (10 * SECOND, 10)]
)
def test_run_times_are_rounded_up_to_seconds(microseconds: int, seconds: int) -> None:
    run = a_run(0, 0)
    assert run._replace(ended=run.began + microseconds).seconds == seconds


def ended(scene: Scene, begins: int, minutes: int) -> None:
    """Write down a run as `a_run` has it, which began a few microseconds later."""
    work = scene.work(gpus=1, state="succeeded")
    began = NOON + timedelta(minutes=begins, microseconds=7)
    Workload.objects.filter(pk=work.pk).update(
        started_at=began, finished_at=began + timedelta(minutes=minutes)
    )


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
def test_staff_sees_it_and_others_do_not() -> None:
    scene, quiet = a_scene(), a_pool()
    for begins, minutes in ((0, 10), (20, 10), (40, 40)):
        ended(scene, begins, minutes)
    staff = browser(a_user(role="auditor"))
    address = f"{API}/pools/{scene.pool.pk}/run-times"

    assert json_of(staff.get(address)) == {
        "runs": 3,
        "since": "2030-05-16T12:00:00.000007Z",
        "predicted": 2,
        "within_factor_two_percent": 50,
        "too_long_percent": 0,
        "too_short_percent": 50,
        "median_error_percent": 0,
    }
    assert json_of(staff.get(f"{API}/pools/{quiet.pk}/run-times"))["runs"] == 0
    problem_of(staff.get(f"{API}/pools/{new_id()}/run-times"), 404, "not_found")
    problem_of(browser(scene.owner).get(address), 403, "denied")


@pytest.mark.django_db
def test_answer_is_kept_for_a_while_for_each_pool() -> None:
    scene, other = a_scene(), a_scene()
    ended(scene, 0, 10)
    assert accuracy_of_pool_for_system(scene.pool.pk).runs == 1
    ended(scene, 20, 10)
    ended(other, 20, 10)
    assert accuracy_of_pool_for_system(scene.pool.pk).runs == 1
    assert accuracy_of_pool_for_system(other.pool.pk).runs == 1
    cache.clear()
    assert accuracy_of_pool_for_system(scene.pool.pk).runs == 2
