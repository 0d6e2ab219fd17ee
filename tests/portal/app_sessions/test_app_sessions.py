"""Web apps by a button: whose folder, where, how often, and how a session ends."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from django.db import transaction

from portal.app_sessions import services as app_sessions
from portal.app_sessions.services import APP_PORTS, APP_SESSIONS_MAX
from portal.apps.models import WebApp
from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.common.postgresql.column_lists import SEPARATOR
from portal.endpoints import services
from portal.endpoints.values import WorkAvailability
from portal.tenancy.models import Membership
from portal.volumes.models import Volume
from portal.workloads.models import Workload
from portal.workloads.snapshot.files import bind_to_files
from portal.workloads.sweep import run_sweep
from tests.builders.apps import an_app
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.builders.scripted_node import finished, running
from tests.builders.volumes import a_group_volume, a_home
from tests.rest import API, browser, json_of, pipeline, problem_of
from wire.facts import NodeFault
from wire.messages import ContainerSpec

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

SESSIONS = f"{API}/app-sessions"


@pytest.fixture
def scene() -> Scene:
    return a_scene(slices=8)


@pytest.fixture
def app() -> WebApp:
    return an_app("tensorboard")


def a_job(scene: Scene, *, state: str = "succeeded", **asked: Any) -> Workload:
    """Save a job of the scene that has run on its first node, through every state of the way."""
    job = scene.work(name="night", slices=1, **asked)
    (held,) = scene.place(job, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    if state == "succeeded":
        scene.links[0].beat(finished=[finished(held)])
    job.refresh_from_db()
    assert job.state == state
    return job


def start(scene: Scene, job: Workload, **more: Any) -> Any:
    body = {"app": "tensorboard", "job": str(job.pk), **more}
    return browser(scene.owner).post(SESSIONS, body, format="json")


def run_session(scene: Scene, session_id: str) -> Workload:
    """Place a session and let its node report that it runs."""
    session = Workload.objects.get(pk=session_id)
    (held,) = scene.place(session, scene.placement())
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    session.refresh_from_db()
    assert session.state == "running"
    return session


def desired_of(scene: Scene, session: Workload) -> ContainerSpec:
    """Return what the node is sent for a session."""
    found = [item.spec for item in scene.links[0].beat().containers]
    return next(item for item in found if item.workload == str(session.pk))


def code_of(url: str) -> str:
    return parse_qs(urlsplit(url).query)["ticket"][0]


def test_button_starts_an_app_on_a_jobs_outputs_without_a_gpu(scene: Scene, app: WebApp) -> None:
    job = a_job(scene)

    shown = json_of(start(scene, job), 202)

    session = Workload.objects.get(pk=shown["id"])
    assert (shown["kind"], shown["app"]["name"], shown["app"]["icon"]) == (
        "app",
        "tensorboard",
        "app",
    )
    assert shown["shows"] == {"kind": "input", "id": str(job.pk), "path": ""}
    assert (session.gpus, session.slices, session.gpu_milli) == (0, 0, 0)
    assert (session.cpu_milli, session.memory_mib, session.time_limit_s) == (500, 512, 3600)
    assert (session.owner, session.group, session.image) == (scene.owner, job.group, app.image)
    assert session.name == "tensorboard-night"
    [port] = session.spec["ports"]
    assert port in APP_PORTS
    assert f"port={port}" in session.spec["script"]
    assert_sound()


def test_node_gets_the_folder_to_read_only_and_no_home(scene: Scene, app: WebApp) -> None:
    job = a_job(scene)
    session = Workload.objects.get(pk=json_of(start(scene, job), 202)["id"])
    scene.place(session, scene.placement())

    spec = desired_of(scene, session)

    [mount] = spec.inputs
    assert (mount.workload, mount.name) == (str(job.pk), "shown")
    assert (spec.home, spec.volumes, spec.kind) == (None, (), "training")
    assert '"$BERTH_INPUTS_DIR/shown"' in spec.script


def test_second_press_returns_the_session_that_runs(scene: Scene, app: WebApp) -> None:
    job = a_job(scene)
    first = json_of(start(scene, job), 202)
    assert json_of(start(scene, job), 202)["id"] == first["id"]
    below = json_of(start(scene, job, path="runs/a"), 202)
    assert (below["id"] != first["id"], below["shows"]["path"]) == (True, "runs/a")

    client = browser(scene.owner)
    json_of(client.post(f"{SESSIONS}/{first['id']}/close"), 202)
    again = json_of(start(scene, job), 202)

    assert again["id"] != first["id"]
    listed = json_of(client.get(f"{SESSIONS}?active=true"))["results"]
    assert {item["id"] for item in listed} == {below["id"], again["id"]}
    assert json_of(client.get(f"{API}/environments"))["results"] == []


def test_other_people_have_sessions_of_their_own(scene: Scene, app: WebApp) -> None:
    job = a_job(scene)
    mine = json_of(start(scene, job), 202)
    mate = browser(a_member(scene.group))
    body = {"app": "tensorboard", "job": str(job.pk)}

    theirs = json_of(mate.post(SESSIONS, body, format="json"), 202)

    assert theirs["id"] != mine["id"]
    problem_of(mate.post(f"{SESSIONS}/{mine['id']}/tickets"), 403, "denied")
    problem_of(mate.post(f"{SESSIONS}/{mine['id']}/close"), 403, "denied")
    viewer = browser(a_member(scene.group, role="viewer"))
    problem_of(viewer.post(SESSIONS, body, format="json"), 403, "denied")
    stranger = browser(a_member(a_group()))
    problem_of(stranger.post(SESSIONS, body, format="json"), 404, "not_found")
    problem_of(stranger.get(f"{SESSIONS}/{mine['id']}"), 404, "not_found")
    administrator = browser(a_user(role="platform_admin"))
    problem_of(administrator.post(f"{SESSIONS}/{mine['id']}/tickets"), 403, "denied")
    robot = pipeline(scene.owner, "workload.view")
    problem_of(robot.post(SESSIONS, body, format="json"), 403, "scope_missing")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"app": "rstudio"}, 404, "not_found"),
        ({"path": "../../etc"}, 400, "invalid_input"),
        ({"path": "a//b"}, 400, "invalid_input"),
        ({"group": "x"}, 400, "invalid_input"),
        ({"home": True}, 400, "invalid_input"),
        ({"volume": "0190d3a0-0000-7000-8000-00000000000a"}, 400, "invalid_input"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    scene: Scene, app: WebApp, body: dict[str, Any], status: int, code: str
) -> None:
    problem_of(start(scene, a_job(scene), **body), status, code)


def test_job_that_never_started_has_nothing_to_show(scene: Scene, app: WebApp) -> None:
    problem_of(start(scene, scene.work(slices=1)), 409, "no_outputs_yet")


def test_withdrawn_app_is_not_started(scene: Scene) -> None:
    an_app("tensorboard", is_active=False)
    problem_of(start(scene, a_job(scene)), 404, "not_found")


def test_person_has_a_few_sessions_at_a_time(scene: Scene, app: WebApp) -> None:
    job = a_job(scene)
    for number in range(APP_SESSIONS_MAX):
        json_of(start(scene, job, path=f"runs/{number}"), 202)
    problem_of(start(scene, job, path="runs/last"), 409, "too_many_app_sessions")
    assert Workload.objects.filter(kind="app").count() == APP_SESSIONS_MAX
    ports = {item.spec["ports"][0] for item in Workload.objects.filter(kind="app")}
    assert len(ports) == APP_SESSIONS_MAX


def test_home_and_volumes_are_shown_to_read(scene: Scene, app: WebApp) -> None:
    client = browser(scene.owner)
    home, volume = a_home(scene.owner), a_group_volume(scene.group)
    body = {"app": "tensorboard", "group": scene.group.name, "path": "runs"}

    mine = json_of(client.post(SESSIONS, {**body, "home": True}, format="json"), 202)
    ours = json_of(client.post(SESSIONS, {**body, "volume": str(volume.pk)}, format="json"), 202)

    assert mine["shows"] == {"kind": "home", "id": str(scene.owner.pk), "path": "runs"}
    assert ours["shows"] == {"kind": "volume", "id": str(volume.pk), "path": "runs"}
    for shown, mounted in ((mine, home), (ours, volume)):
        session = Workload.objects.get(pk=shown["id"])
        scene.place(session, scene.placement())
        spec = desired_of(scene, session)
        [mount] = spec.volumes
        assert (mount.volume, mount.name, mount.is_read_only) == (str(mounted.pk), "shown", True)
        assert spec.home is None
        assert '"$BERTH_VOLUMES_DIR/shown"/runs' in spec.script


def test_home_of_another_person_is_not_shown(scene: Scene, app: WebApp) -> None:
    theirs = a_home(a_member(scene.group))
    body = {"app": "tensorboard", "group": scene.group.name, "volume": str(theirs.pk)}
    answer = browser(scene.owner).post(SESSIONS, body, format="json")
    problem_of(answer, 404, "not_found")


def test_volume_is_not_shown_as_work_of_a_group_that_may_not_read_it(
    scene: Scene, app: WebApp
) -> None:
    volume, other = a_group_volume(scene.group), a_group()
    Membership.objects.create(user=scene.owner, group=other, role="developer")
    body = {"app": "tensorboard", "group": other.name, "volume": str(volume.pk)}
    answer = browser(scene.owner).post(SESSIONS, body, format="json")
    problem = problem_of(answer, 422, "unknown_volume")
    assert problem["params"] == {"volume": volume.name}
    assert [fault["pointer"] for fault in problem["errors"]] == ["/volume"]


def test_grant_of_one_person_opens_no_session_of_another(scene: Scene, app: WebApp) -> None:
    job, mate = a_job(scene), browser(a_member(scene.group))
    mine = json_of(start(scene, job), 202)
    body = {"app": "tensorboard", "job": str(job.pk)}
    theirs = json_of(mate.post(SESSIONS, body, format="json"), 202)
    run_session(scene, mine["id"])
    ticket = json_of(mate.post(f"{SESSIONS}/{theirs['id']}/tickets"), 201)
    secret, _ = services.redeem_ticket(code_of(ticket["url"]))
    assert services.authorise_grant(secret, UUID(mine["id"])) is None
    assert services.describe_closed(secret, UUID(mine["id"])) is None


def test_outputs_on_one_node_are_shown_on_that_node(app: WebApp) -> None:
    scene = a_scene(nodes=2, slices=8)
    local = NodeFault(code="storage_local", is_blocking=False)
    for link in scene.links:
        link.faults = (local,)
    job = a_job(scene)
    a_pool("a-first-one", slices=2)  # where it would run if the nodes shared their storage

    session = Workload.objects.get(pk=json_of(start(scene, job), 202)["id"])

    assert session.pool == scene.pool
    [binding] = bind_to_files([SEPARATOR.join(session.files)]).values()
    assert binding.nodes == {str(scene.nodes[0].pk)}


def test_volume_on_one_node_is_shown_in_the_pool_of_that_node(scene: Scene, app: WebApp) -> None:
    volume = a_group_volume(scene.group, location=Volume.Location.NODE, node=scene.nodes[0])
    other = a_pool("a-first-one", slices=2)
    body = {"app": "tensorboard", "group": scene.group.name, "volume": str(volume.pk)}
    shown = json_of(browser(scene.owner).post(SESSIONS, body, format="json"), 202)
    assert shown["pool"]["name"] == scene.pool.name != other.name


def test_ticket_opens_a_session_before_it_runs_and_its_port_afterwards(
    scene: Scene, app: WebApp
) -> None:
    client, job = browser(scene.owner), a_job(scene)
    shown = json_of(start(scene, job), 202)
    ticket = json_of(client.post(f"{SESSIONS}/{shown['id']}/tickets"), 201)
    secret, session_id = services.redeem_ticket(code_of(ticket["url"]))
    [port] = shown["spec"]["ports"]
    assert f"&port={port}" in ticket["url"]
    assert services.authorise_grant(secret, session_id) is None
    waiting = services.describe_closed(secret, session_id)
    assert waiting is not None
    assert (waiting.kind, waiting.availability) == ("app", WorkAvailability.STARTING)

    run_session(scene, shown["id"])

    endpoint = services.authorise_grant(secret, session_id)
    assert endpoint is not None
    assert (endpoint.kind, endpoint.backends[0].port) == ("app", None)
    assert endpoint.ports == frozenset({port})
    assert "app.open" in AuditEvent.objects.values_list("action", flat=True)


def test_rights_that_are_taken_away_close_the_way_in(scene: Scene, app: WebApp) -> None:
    client, job = browser(scene.owner), a_job(scene)
    shown = json_of(start(scene, job), 202)
    ticket = json_of(client.post(f"{SESSIONS}/{shown['id']}/tickets"), 201)
    secret, session_id = services.redeem_ticket(code_of(ticket["url"]))
    run_session(scene, shown["id"])
    assert services.authorise_grant(secret, session_id) is not None

    Membership.objects.filter(user=scene.owner).delete()

    assert services.authorise_grant(secret, session_id) is None
    assert services.describe_closed(secret, session_id) is None


def sweep_at(moment: Any, scene: Scene, session: Workload) -> str:
    """Let the node report and the sweep look at a moment; return the state of the session."""
    (held,) = scene.held(session)
    with freeze(moment):
        scene.links[0].beat(containers=[running(held)])
        run_sweep(heartbeat=timedelta(seconds=5))
    session.refresh_from_db()
    return session.state


def sweep_until(end: Any, scene: Scene, session: Workload, *, since: Any) -> str:
    """Let the sweep look every two minutes; return the state of the session in the end."""
    moment = since + timedelta(minutes=2)
    while moment < end:
        assert sweep_at(moment, scene, session) == "running"
        moment += timedelta(minutes=2)
    return sweep_at(end, scene, session)


def test_session_that_nobody_uses_ends_and_use_postpones_that(scene: Scene, app: WebApp) -> None:
    job = a_job(scene)
    session = run_session(scene, json_of(start(scene, job), 202)["id"])
    began = now()
    used = began + timedelta(minutes=9)
    assert sweep_until(used, scene, session, since=began) == "running"
    with freeze(used):
        services.record_input(session.pk)
    late = began + timedelta(minutes=18)
    assert sweep_until(late, scene, session, since=used) == "running"

    assert sweep_at(began + timedelta(minutes=20), scene, session) == "stopping"

    assert (session.outcome, session.cause) == ("expired", "app_unused")
    assert session.cause_params == {"idle_min": 10}
    ticket = browser(scene.owner).post(f"{SESSIONS}/{session.pk}/tickets")
    problem_of(ticket, 409, "not_ready")


def test_time_without_the_portal_does_not_count_as_unused(scene: Scene, app: WebApp) -> None:
    session = run_session(scene, json_of(start(scene, a_job(scene)), 202)["id"])
    began = now()
    services.record_input(session.pk)
    back = began + timedelta(minutes=40)

    assert sweep_at(back, scene, session) == "running"

    end = back + timedelta(minutes=9)
    assert sweep_until(end, scene, session, since=back) == "running"
    assert sweep_at(back + timedelta(minutes=11), scene, session) == "stopping"
    assert session.cause == "app_unused"


def test_session_in_use_ends_at_its_time_limit(scene: Scene, app: WebApp) -> None:
    session = run_session(scene, json_of(start(scene, a_job(scene)), 202)["id"])
    late = now() + timedelta(seconds=app.time_limit_s + 1)
    with freeze(late):
        services.record_input(session.pk)
    assert sweep_at(late, scene, session) == "stopping"
    assert (session.outcome, session.cause) == ("expired", "time_limit")


def test_image_without_the_program_ends_the_session_and_refuses_the_next(
    scene: Scene, app: WebApp
) -> None:
    job = a_job(scene)
    session = run_session(scene, json_of(start(scene, job), 202)["id"])
    (held,) = scene.held(session)
    scene.links[0].beat(finished=[finished(held, 127)])
    session.refresh_from_db()
    assert (session.state, session.exit_code) == ("failed", 127)
    assert "tensorboard" in problem_of(start(scene, job), 409, "image_lacks_program")["detail"]
    with transaction.atomic():
        WebApp.objects.filter(pk=app.pk).update(command=["python3", "-m", "tensorboard.main"])
        json_of(start(scene, job), 202)  # an administrator has mended it meanwhile
        transaction.set_rollback(True)
    with freeze(now() + app_sessions.PROGRAM_MISSING_FOR + timedelta(seconds=1)):
        json_of(start(scene, job), 202)


def test_closing_is_audited_and_leaves_the_job_alone(scene: Scene, app: WebApp) -> None:
    job = a_job(scene)
    session = run_session(scene, json_of(start(scene, job), 202)["id"])
    app_sessions.close_session(actor=an_actor(scene.owner), workload_id=session.pk)
    session.refresh_from_db()
    job.refresh_from_db()
    assert (session.state, session.outcome, job.state) == ("stopping", "cancelled", "succeeded")
    assert "app.close" in AuditEvent.objects.values_list("action", flat=True)
