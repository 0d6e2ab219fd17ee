"""Services from their creation to their end, on nodes that keep the protocol."""

from datetime import timedelta
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.identity.models import User
from portal.serving.models import Replica, Revision, ScalingStep, Service
from portal.serving.reconcile import REFUSED_FOR
from portal.serving.rollout import CRASHES_MAX, LONGEST_PAUSE_MS, STEADY_S
from portal.tenancy.models import Membership
from portal.workloads.models import Workload
from tests.builders.people import a_group, a_member
from tests.builders.scenes import a_quota, assert_sound
from tests.builders.serving import SERVICES, ServingSite, a_serving_site, ended
from tests.rest import API, browser, json_of, problem_of
from wire.words import ExitCause

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
READY = (1, "running", False)
LATER = timedelta(seconds=STEADY_S + 1)


@pytest.fixture
def site() -> ServingSite:
    return a_serving_site()


def running(site: ServingSite, count: int = 2, **more: object) -> Service:
    """Return a service with so many replicas that are ready and have stayed up."""
    service = site.create(replicas_min=count, replicas_max=max(count, 3), **more)
    site.settle(2)
    assert site.stages(service) == [READY] * count
    Workload.objects.update(started_at=now() - LATER)
    site.settle()
    service.refresh_from_db()
    assert service.stable_revision == 1
    return service


def test_a_new_service_gets_its_replicas_and_is_ready(site: ServingSite) -> None:
    service = site.create(replicas_min=2, replicas_max=4)
    assert site.show(service)["status"] == "starting"

    site.settle(2)

    shown = site.show(service)
    assert (shown["status"], shown["replicas"]["ready"], shown["path"]) == (
        "ready",
        2,
        f"/{site.scene.group.name}/chat",
    )
    assert site.stages(service) == [READY, READY]
    assert_sound()


def test_a_replica_is_told_its_port_and_how_it_is_asked(site: ServingSite) -> None:
    site.create(readiness_path="/up", start_deadline_s=77, env={"A": "b"})
    site.schedule()

    (container,) = site.scene.links[0].beat().containers

    (port,) = container.spec.ports
    assert container.spec.command == ("serve", f"--port={port}")
    assert container.spec.probe is not None
    assert (container.spec.probe.path, container.spec.probe.port) == ("/up", port)
    assert container.spec.probe.deadline_s == 77
    assert container.limit is None
    assert container.spec.env["PORT"] == str(port)
    assert container.spec.env["A"] == "b"


def test_replicas_without_a_port_of_their_service_have_one_each(site: ServingSite) -> None:
    service = running(site, 3)
    ports = {tuple(row.workload.spec["ports"]) for row in site.live(service)}
    assert len(ports) == 3


@pytest.mark.parametrize(
    ("quality", "target_ms", "preemptible"), [("latency", 500, False), ("throughput", None, True)]
)
def test_only_replicas_of_throughput_may_be_evicted(
    site: ServingSite, quality: str, target_ms: int | None, preemptible: bool
) -> None:
    service = site.create(quality=quality, target_ms=target_ms)
    site.settle()
    (replica,) = site.live(service)
    assert replica.workload.preemptible is preemptible


def test_a_change_of_what_runs_is_rolled_out_without_a_gap(site: ServingSite) -> None:
    service = running(site)

    shown = site.change(service, env={"MODEL": "b"})
    assert (shown["revision"], shown["status"]) == (2, "updating")
    moment = now()
    for number in range(12):
        serving = [row for row in site.stages(service) if row[1:] == ("running", False)]
        assert len(serving) >= 2
        with freeze(moment + timedelta(seconds=10 * number)):
            site.report(service, {})
            site.settle()

    assert site.stages(service) == [(2, "running", False)] * 2
    assert site.show(service)["status"] == "ready"
    assert_sound()


def test_a_change_of_the_promise_alone_is_no_revision(site: ServingSite) -> None:
    service = running(site)
    shown = site.change(service, target_ms=250, hold_max=5)
    assert (shown["revision"], shown["target_ms"], shown["hold_max"]) == (1, 250, 5)
    assert Revision.objects.filter(service=service).count() == 1


def test_a_scale_in_drains_and_waits_for_open_requests(site: ServingSite) -> None:
    service = running(site, 2, drain_s=600)
    busy, idle = (row.pk for row in site.live(service))
    site.report(service, {busy: 3, idle: 1})

    site.act(service, "scale", replicas_min=1, replicas=1)
    site.settle()
    assert [(row.pk, row.draining_since is not None) for row in site.live(service)] == [
        (busy, False),
        (idle, True),
    ]
    with freeze(now() + timedelta(seconds=10)):
        site.report(service, {busy: 3, idle: 1})
        site.settle()
        assert len(site.live(service)) == 2
    with freeze(now() + timedelta(seconds=12)):
        site.report(service, {busy: 3})
        site.settle(2)
        assert [row.pk for row in site.live(service)] == [busy]
    assert Workload.objects.get(pk=idle).cause == "service_needs_fewer"


def test_a_drain_ends_with_its_bound_whatever_is_open(site: ServingSite) -> None:
    service = running(site, 1, drain_s=60)
    (replica,) = site.live(service)
    site.act(service, "stop")
    site.settle()

    with freeze(now() + timedelta(seconds=61)):
        site.report(service, {replica.pk: 9})
        site.settle(2)

    assert site.live(service) == []
    assert site.show(service)["status"] == "stopped"


def test_a_stopped_service_starts_again(site: ServingSite) -> None:
    service = running(site, 1, drain_s=0)
    site.act(service, "stop")
    site.settle(3)
    assert site.show(service)["status"] == "stopped"

    site.act(service, "start")
    site.settle(2)

    assert site.show(service)["status"] == "ready"


def test_a_deleted_service_ends_its_replicas_and_frees_its_name(site: ServingSite) -> None:
    service = running(site, 1, drain_s=0)

    assert site.client.delete(f"{SERVICES}/{service.pk}").status_code == 204
    site.settle(3)

    problem_of(site.client.get(f"{SERVICES}/{service.pk}"), 404, "not_found")
    assert site.live(service) == []
    assert site.create().pk != service.pk


def test_a_replica_that_ends_is_replaced_after_a_pause(site: ServingSite) -> None:
    service = running(site, 1)
    site.crash(service)
    site.settle()
    assert site.stages(service) == [READY]  # it had stayed up, and is replaced at once

    site.crash(service)
    site.settle()
    assert site.stages(service) == []
    with freeze(now() + timedelta(milliseconds=LONGEST_PAUSE_MS)):
        site.settle(2)
        assert site.stages(service) == [READY]


def test_a_revision_that_never_starts_is_given_up_and_the_last_one_goes_on(
    site: ServingSite,
) -> None:
    service = running(site, 1)
    site.change(service, command=["broken", "--port={port}"])
    site.settle(comes_up=False)
    assert (2, "starting", False) in site.stages(service)

    for node in site.nodes:
        for report in [each for each in node.running.values() if each.phase == "starting"]:
            del node.running[report.allocation]
            node.ended.append(ended(report, ExitCause.START_FAILED, "not_ready: no answer"))
        node.exchange()
    site.settle(2)

    shown = site.show(service)
    assert site.stages(service) == [READY]
    assert shown["current"]["failure"]["code"] == "start_failed"
    assert shown["current"]["failed_at"] is not None
    step = ScalingStep.objects.get(service=service, code="revision_given_up")
    assert step.params["revision"] == 2


def test_a_first_revision_that_crashes_again_and_again_has_failed_until_it_is_started_anew(
    site: ServingSite,
) -> None:
    service = site.create()
    moment = now()
    for number in range(CRASHES_MAX):
        with freeze(moment + timedelta(milliseconds=(number + 1) * LONGEST_PAUSE_MS)):
            site.settle(2)
            assert len(site.live(service)) == 1
            site.crash(service)
            site.settle()
    with freeze(moment + timedelta(hours=3)):
        site.settle(2)
        assert site.stages(service) == []
        assert site.show(service)["status"] == "failed"
        site.act(service, "start")
        site.settle(2)
        assert site.stages(service) == [READY]


def test_the_loss_of_a_node_costs_no_second_replica(site: ServingSite) -> None:
    service = running(site, 1)
    site.crash(service, ExitCause.NODE_FAULT)
    site.settle(comes_up=False)
    assert Replica.objects.filter(service=service).count() == 1


def test_a_roll_back_serves_with_the_revision_of_before(site: ServingSite) -> None:
    service = running(site, 1, drain_s=0)
    site.change(service, env={"MODEL": "b"})
    site.settle(comes_up=False)

    shown = site.act(service, "roll-back")
    site.settle(2)

    assert shown["revision"] == 1
    assert site.stages(service) == [READY]
    assert site.act(service, "roll-back", 409)["code"] == "nothing_to_roll_back_to"


def test_a_canary_gets_its_part_and_is_taken_or_dropped(site: ServingSite) -> None:
    service = running(site, 2, drain_s=0)
    shown = site.change(service, env={"MODEL": "b"}, canary_pct=20)
    assert (shown["revision"], shown["canary"]) == (1, {"revision": 2, "percent": 20})
    site.settle(4)
    assert sorted(site.stages(service)) == [READY, (2, "running", False)]

    dropped = site.client.delete(f"{SERVICES}/{service.pk}/canary")
    assert json_of(dropped, 202)["canary"] is None
    site.settle(4)
    assert site.stages(service) == [READY, READY]

    canary = {"revision": 2, "percent": 50}
    json_of(site.client.put(f"{SERVICES}/{service.pk}/canary", canary, format="json"), 202)
    site.settle(4)
    taken = site.client.delete(f"{SERVICES}/{service.pk}/canary?taken=true")
    assert json_of(taken, 202)["revision"] == 2
    site.settle(8)
    assert site.stages(service) == [(2, "running", False)] * 2


def test_replicas_beyond_the_quota_wait_in_the_queue(site: ServingSite) -> None:
    a_quota(site.scene.group, ceiling=2000)
    service = site.create(replicas_min=3, replicas_max=3)
    site.settle(3)

    shown = site.show(service)

    assert (shown["replicas"]["ready"], shown["replicas"]["waiting"]) == (2, 1)
    assert shown["status"] == "degraded"
    assert_sound()


def test_why_no_replica_can_be_queued_is_shown_and_tried_again(site: ServingSite) -> None:
    service = site.create(replicas_max=3)
    Membership.objects.filter(user=site.scene.owner).update(role="viewer")
    site.settle()
    shown = json_of(browser(a_member(site.scene.group)).get(f"{SERVICES}/{service.pk}"))
    assert shown["refusal"]["code"] == "denied"

    Membership.objects.filter(user=site.scene.owner).update(role="developer")
    with freeze(now() + REFUSED_FOR):
        site.settle(2)
    assert site.stages(service) == [READY]
    assert site.show(service)["refusal"] is None


def test_a_stopped_replica_is_replaced(site: ServingSite) -> None:
    service = running(site, 1)
    (replica,) = site.live(service)

    json_of(site.client.post(f"{API}/replicas/{replica.pk}/stop"), 202)
    site.settle(2)
    old, other = site.live(service)
    assert (old.pk, old.draining_since is None) == (replica.pk, False)
    assert (other.workload.state, other.draining_since) == ("running", None)
    site.report(service, {old.pk: 1})
    with freeze(now() + timedelta(seconds=20)):
        site.report(service, {})
        site.settle(2)

    assert [row.pk for row in site.live(service)] == [other.pk]
    replica.workload.refresh_from_db()
    assert (replica.workload.state, replica.workload.cause) == ("cancelled", "requested")
    address = f"{SERVICES}/{service.pk}/replicas"
    listed = {
        query: [row["id"] for row in json_of(site.client.get(f"{address}{query}"))["results"]]
        for query in ("", "?ended=false", "?ended=true")
    }
    present, past = str(other.pk), str(replica.pk)
    assert listed == {"": [present, past], "?ended=false": [present], "?ended=true": [past]}


def test_a_replica_that_is_stopped_twice_ends_at_once(site: ServingSite) -> None:
    service = running(site, 1)
    (replica,) = site.live(service)

    for _ in range(2):
        json_of(site.client.post(f"{API}/replicas/{replica.pk}/stop"), 202)
    replica.workload.refresh_from_db()
    assert replica.workload.state == "stopping"
    site.settle(3)

    (other,) = site.live(service)
    assert other.pk != replica.pk
    problem_of(stop_as_a_stranger(site, other), 404, "not_found")


def stop_as_a_stranger(site: ServingSite, replica: Replica) -> Any:
    stranger = browser(a_member(a_group("elsewhere")))
    return stranger.post(f"{API}/replicas/{replica.pk}/stop")


def test_what_was_done_is_in_the_audit_log(site: ServingSite) -> None:
    service = running(site, 1)
    site.act(service, "scale", replicas=2)
    acts = AuditEvent.objects.filter(object_id=str(service.pk)).order_by("id")
    assert list(acts.values_list("action", flat=True)) == ["service.create", "service.scale"]
    (step,) = json_of(site.client.get(f"{SERVICES}/{service.pk}/steps"))["results"]
    assert (step["code"], step["before"], step["after"]) == ("by_hand", 1, 2)


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"target_ms": None}, "/target_ms", "required"),
        ({"quality": "throughput"}, "/target_ms", "target_of_other_quality"),
        ({"rate_milli": 5}, "/rate_milli", "target_of_other_quality"),
        ({"replicas_min": 2, "replicas_max": 1}, "/replicas_max", "replicas_reversed"),
        ({"name": "Not-a-name"}, "/name", "service_name_malformed"),
        ({"command": None}, "/command", "required"),
        ({"preset": "vllm", "command": None}, "/model", "required"),
        ({"readiness_path": "no-slash"}, "/readiness_path", "probe_path_malformed"),
        ({"time_limit_s": 60}, "/time_limit_s", "unknown_field"),
    ],
)
def test_what_makes_no_service_is_refused_with_its_place(
    site: ServingSite, body: dict[str, object], pointer: str, code: str
) -> None:
    answer = site.client.post(SERVICES, site.body(**body), format="json")
    problem = json_of(answer, 400)
    assert (pointer, code) in {(each["pointer"], each["code"]) for each in problem["errors"]}


def test_a_service_that_could_never_start_is_refused(site: ServingSite) -> None:
    answer = site.client.post(SERVICES, site.body(gpus=9), format="json")
    problem_of(answer, 422, "never_fits")
    assert not Service.objects.exists()


def test_names_are_unique_in_a_group(site: ServingSite) -> None:
    site.create()
    problem_of(site.client.post(SERVICES, site.body(), format="json"), 409, "service_name_taken")


def test_a_preset_fills_in_what_it_knows(site: ServingSite) -> None:
    service = site.create(preset="llama-cpp", command=None, model="/volumes/m/a.gguf")
    site.schedule()
    (container,) = site.scene.links[0].beat().containers
    assert container.spec.command[:3] == ("llama-server", "--model", "/volumes/m/a.gguf")
    assert "--metrics" in container.spec.command
    shown = site.show(service)
    assert shown["current"]["spec"]["readiness_path"] == "/health"
    assert shown["drain_s"] == 600


def test_a_manifest_makes_a_service(site: ServingSite) -> None:
    lines = [f"{name}: {value}" for name, value in site.body(command=None).items()]
    manifest = "\n".join(
        ["apiVersion: berth/v1", "kind: Service", *lines, 'command: [serve, "{port}"]']
    )
    answer = site.client.post(SERVICES, manifest, content_type="application/yaml")
    assert json_of(answer, 202)["name"] == "chat"


def test_a_dry_run_says_whether_a_replica_would_start(site: ServingSite) -> None:
    body = {"kind": "replica", **site.body()}
    answer = site.client.post(f"{API}/workloads/dry-run", body, format="json")
    assert json_of(answer)["verdict"] == "starts_now"
    assert not Service.objects.exists()


def test_who_may_see_and_change_a_service(site: ServingSite) -> None:
    service = site.create(env={"SECRET": "x"})
    address = f"{SERVICES}/{service.pk}"

    def codes(user: User) -> tuple[int, int, int]:
        client = browser(user)
        return (
            client.get(address).status_code,
            client.patch(address, {"hold_max": 3}, format="json").status_code,
            client.post(f"{address}/keys", {"name": "k"}, format="json").status_code,
        )

    group = site.scene.group
    assert codes(a_member(a_group())) == (404, 404, 404)
    assert codes(a_member(group, "viewer")) == (200, 403, 403)
    assert codes(a_member(group, "developer")) == (200, 403, 403)
    assert codes(a_member(group, "group_admin")) == (200, 202, 201)
    assert codes(site.scene.owner) == (200, 202, 201)
    other = json_of(browser(a_member(group, "viewer")).get(address))
    assert other["current"]["spec"]["env"] == {"SECRET": ""}


def test_a_change_by_somebody_else_meanwhile_is_refused(site: ServingSite) -> None:
    service = site.create()
    site.change(service, hold_max=3)
    site.change(service, 409, hold_max=4, version=0)
