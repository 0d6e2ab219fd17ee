"""How good learned run times are: judged by what was known when a run began, never by the future."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from portal.common.ids import new_id
from portal.workloads.models import Workload
from portal.workloads.run_time_accuracy import EndedRun, evaluate_predictions
from scheduler.core.reservation.run_times import JobTraits
from tests.builders.machines import a_pool
from tests.builders.people import a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of

NOON = datetime(2030, 5, 16, 12, tzinfo=UTC)
POOL = new_id()


def a_run(begins: int, minutes: int, *, command: str = "train", pool: UUID = POOL) -> EndedRun:
    """Return a run of so many minutes that begins so many minutes after noon."""
    began = NOON + timedelta(minutes=begins)
    traits = JobTraits("group", "user", 1000, "image", command)
    return EndedRun(pool, traits, began, began + timedelta(minutes=minutes))


def test_a_run_is_judged_by_those_that_had_ended_when_it_began() -> None:
    first, same, longer = a_run(0, 10), a_run(20, 10), a_run(40, 40)
    found = evaluate_predictions([longer, same, first])[POOL]

    assert (found.runs, found.since) == (3, NOON)
    assert found.accuracy.runs == 2  # nothing was known before the first
    assert found.accuracy.within_factor_two_percent == 50
    assert (found.accuracy.over_percent, found.accuracy.under_percent) == (0, 50)
    assert found.accuracy.median_error_percent == 0


def test_what_had_not_ended_yet_teaches_nothing() -> None:
    found = evaluate_predictions([a_run(0, 60), a_run(30, 60)])[POOL]
    assert (found.runs, found.accuracy.runs) == (2, 0)


def test_pools_are_judged_apart_and_learn_together() -> None:
    other = new_id()
    found = evaluate_predictions([a_run(0, 10), a_run(20, 10, pool=other)])
    assert (found[POOL].accuracy.runs, found[other].accuracy.runs) == (0, 1)


def ended(scene: Scene, run: EndedRun) -> None:
    work = scene.work(gpus=1, state="succeeded")
    Workload.objects.filter(pk=work.pk).update(started_at=run.began, finished_at=run.ended)


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
def test_staff_sees_it_and_others_do_not() -> None:
    scene, quiet = a_scene(), a_pool()
    for run in (a_run(0, 10), a_run(20, 10), a_run(40, 40)):
        ended(scene, run)
    staff = browser(a_user(role="auditor"))
    address = f"{API}/pools/{scene.pool.pk}/run-times"

    assert json_of(staff.get(address)) == {
        "runs": 3,
        "since": "2030-05-16T12:00:00Z",
        "predicted": 2,
        "within_factor_two_percent": 50,
        "too_long_percent": 0,
        "too_short_percent": 50,
        "median_error_percent": 0,
    }
    assert json_of(staff.get(f"{API}/pools/{quiet.pk}/run-times"))["runs"] == 0
    problem_of(staff.get(f"{API}/pools/{new_id()}/run-times"), 404, "not_found")
    problem_of(browser(scene.owner).get(address), 403, "denied")
