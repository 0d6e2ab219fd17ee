"""Work whose kind has an open end is submitted without a time limit, runs on, and ends when somebody ends it."""

from datetime import timedelta

import pytest

from portal.common.clock import freeze, now, to_millis
from portal.common.errors import InvalidError
from portal.common.work_kinds import REPLICA
from portal.inventory.models import Pool
from portal.quotas.models import Budget
from portal.workloads import services
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state.commit import commit_placements
from portal.workloads.submission.admission import Submission
from portal.workloads.sweep import run_sweep
from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis, Request
from tests.builders.machines import an_image
from tests.builders.people import an_actor
from tests.builders.scenes import Scene, a_scene, assert_sound, passed
from tests.builders.scripted_node import finished, running
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
A_YEAR = timedelta(days=366)


@pytest.fixture
def scene() -> Scene:
    an_image("server")
    scene = a_scene()
    Pool.objects.filter(pk=scene.pool.pk).update(purpose=Pool.Purpose.INFERENCE)
    return scene


def submitted(scene: Scene, **asked: object) -> Workload:
    submission = Submission(
        kind=REPLICA.kind,
        group=scene.group.name,
        name="answers",
        image="server",
        request=Request(cpu_milli=1000, memory_mib=1024, gpus=1),
        **asked,  # type: ignore[arg-type]
    )
    return services.submit_workload(actor=an_actor(scene.owner), submission=submission)


def placed(scene: Scene) -> Workload:
    work = submitted(scene)
    plan = run_cycle(load_snapshot(), Millis(to_millis(now())))
    assert commit_placements(plan.starts) == {}
    (held,) = scene.held(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    work.refresh_from_db()
    assert work.state == "running"
    return work


def test_it_has_no_limit_whatever_its_pool_says(scene: Scene) -> None:
    Pool.objects.update(default_time_limit_s=60, time_limit_s_max=60)

    work = submitted(scene, time_limit_s=30)

    assert (work.pool, work.time_limit_s) == (scene.pool, None)


def test_its_node_is_told_of_no_limit(scene: Scene) -> None:
    work = submitted(scene)
    commit_placements(run_cycle(load_snapshot(), Millis(to_millis(now()))).starts)

    (container,) = scene.links[0].beat().containers

    assert container.limit is None
    assert len(scene.held(work)) == 1


def test_it_runs_on_until_it_is_stopped(scene: Scene) -> None:
    work = placed(scene)
    (held,) = scene.held(work)

    with freeze(now() + A_YEAR):
        scene.links[0].beat(containers=[running(held)])
        run_sweep(heartbeat=timedelta(seconds=5))
        work.refresh_from_db()
        assert work.state == "running"
        services.end_workload(
            actor=an_actor(scene.owner),
            workload_id=work.pk,
            kind=work.kind,
            outcome=work.terms.after_stop,
            action="replica.stop",
        )
        scene.links[0].beat(finished=[finished(held)])

    assert passed(work)[-2:] == ["stopping", "cancelled"]
    assert_sound()


def test_the_scheduler_knows_that_its_end_is_open(scene: Scene) -> None:
    work = placed(scene)

    (seen,) = load_snapshot().running

    assert (seen.id, seen.is_open_ended, seen.ends_at) == (str(work.pk), True, None)


def test_answers_have_no_limit_and_no_end(scene: Scene) -> None:
    work = placed(scene)
    client = browser(scene.owner)

    shown = json_of(client.get(f"{API}/workloads/{work.pk}"))
    (listed,) = json_of(client.get(f"{API}/workloads"))["results"]

    assert (shown["time_limit_s"], shown["ends_at"]) == (None, None)
    assert (listed["time_limit_s"], listed["ends_at"]) == (None, None)


def test_nobody_can_ask_for_more_time(scene: Scene) -> None:
    work = placed(scene)
    asked = {"kind": "time_limit", "workload": str(work.pk), "time_limit_s": 7200}

    answer = browser(scene.owner).post(f"{API}/approvals", asked, format="json")

    problem_of(answer, 422, "request_not_needed")


def test_a_budget_must_last_for_its_whole_period(scene: Scene) -> None:
    Budget.objects.create(group=scene.group, period=Budget.Period.MONTH, gpu_hours=1)

    with pytest.raises(InvalidError) as refused:
        submitted(scene)

    assert refused.value.code == "never_fits_budget"
