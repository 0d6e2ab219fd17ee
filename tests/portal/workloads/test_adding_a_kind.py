"""A kind of work that is a row of the table and nothing else is submitted, placed, run, stopped and started."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from portal.common.clock import freeze, now, to_millis
from portal.common.work_kinds import KINDS, WebEndpoint, WorkAction, WorkTerms
from portal.inventory.models import Pool
from portal.workloads import services
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state.commit import commit_placements
from portal.workloads.submission.admission import Submission
from portal.workloads.sweep import run_sweep
from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis, Request
from scheduler.core.model.states import WorkloadState
from scheduler.core.model.work_traits import WorkTraits
from tests.builders.machines import an_image
from tests.builders.people import an_actor
from tests.builders.scenes import Scene, a_scene, assert_sound, passed
from tests.builders.scripted_node import finished, running
from tests.rest import API, browser, json_of
from wire.words import Probe

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

SERVICE = WorkTerms(
    kind="service",
    plural="services",
    page="services",
    purpose="development",
    images="for_training",
    stop=WorkAction.STOP,
    actions=(WorkAction.STOP, WorkAction.START),
    after_stop=WorkloadState.SUSPENDED,
    after_end=WorkloadState.SUSPENDED,
    over_time=WorkloadState.SUSPENDED,
    traits=WorkTraits(),
    container="training",
    endpoint=WebEndpoint.PORT,
    probe=Probe("/health", 8000),
    open_act="service.open",
)


@pytest.fixture(autouse=True)
def _row() -> Iterator[None]:
    KINDS[SERVICE.kind] = SERVICE
    yield
    del KINDS[SERVICE.kind]


@pytest.fixture
def scene() -> Scene:
    an_image("server", environments=False)
    scene = a_scene()
    Pool.objects.filter(pk=scene.pool.pk).update(purpose=SERVICE.purpose)
    return scene


def submitted(scene: Scene) -> Workload:
    """Return new work of the kind; which pool serves it, its row says."""
    submission = Submission(
        kind=SERVICE.kind,
        group=scene.group.name,
        name="answers",
        image="server",
        request=Request(cpu_milli=1000, memory_mib=1024, gpus=1),
    )
    return services.submit_workload(actor=an_actor(scene.owner), submission=submission)


def placed(scene: Scene) -> Workload:
    """Return new work that a pass of the scheduler has started, running."""
    work = submitted(scene)
    plan = run_cycle(load_snapshot(), Millis(to_millis(now())))
    assert commit_placements(plan.starts) == {}
    (held,) = scene.held(work)
    (container,) = scene.links[0].beat().containers
    assert (container.spec.kind, container.spec.probe) == (SERVICE.container, SERVICE.probe)
    scene.links[0].beat(containers=[running(held)])
    work.refresh_from_db()
    return work


def actions_of(scene: Scene) -> list[str]:
    (row,) = json_of(browser(scene.owner).get(f"{API}/workloads"))["results"]
    actions: list[str] = row["actions"]
    return actions


def test_it_is_submitted_to_the_pool_that_serves_it(scene: Scene) -> None:
    work = submitted(scene)

    assert (work.pool, work.state) == (scene.pool, "queued")
    assert actions_of(scene) == ["stop"]


def test_its_row_says_how_it_is_asked_whether_it_is_ready(scene: Scene) -> None:
    work = submitted(scene)
    commit_placements(run_cycle(load_snapshot(), Millis(to_millis(now()))).starts)
    (held,) = scene.held(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held).model_copy(update={"ready": False})])
    work.refresh_from_db()
    assert work.state == "starting"

    scene.links[0].beat(containers=[running(held).model_copy(update={"ready": True})])

    assert passed(work) == ["queued", "placing", "starting", "running"]


def test_its_row_says_what_follows_its_end(scene: Scene) -> None:
    work = placed(scene)
    (held,) = scene.held(work)

    scene.links[0].beat(finished=[finished(held)])

    assert passed(work) == ["queued", "placing", "starting", "running", "suspended"]
    assert actions_of(scene) == ["start"]
    assert_sound()


def test_its_row_says_what_follows_its_time_limit(scene: Scene) -> None:
    work = placed(scene)
    (held,) = scene.held(work)
    over = now() + timedelta(seconds=(work.time_limit_s or 0) + 1)

    with freeze(over):
        scene.links[0].beat(containers=[running(held)])
        run_sweep(heartbeat=timedelta(seconds=5))

    work.refresh_from_db()
    assert (work.state, work.outcome, work.cause) == ("stopping", "suspended", "time_limit")


def test_it_is_stopped_and_started_again(scene: Scene) -> None:
    work, actor = placed(scene), an_actor(scene.owner)
    (held,) = scene.held(work)

    services.end_workload(
        actor=actor,
        workload_id=work.pk,
        kind=work.kind,
        outcome=work.terms.after_stop,
        action="service.stop",
    )
    scene.links[0].beat(finished=[finished(held)])
    again = services.restart_workload(actor=actor, workload_id=work.pk, kind=work.kind)

    assert again.state == "queued"
