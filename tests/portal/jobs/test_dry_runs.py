"""A dry run of a whole submission says what the submission would say."""

from typing import Any

import pytest
import yaml
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.common.ids import new_id
from portal.quotas.models import GroupLimit
from portal.tenancy.models import Group
from portal.workloads.models import JobArray, Workload
from tests.builders.apps import an_app
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
DRY_RUN = f"{API}/workloads/dry-run"
KINDS = {
    "jobs": "training",
    "job-arrays": "training",
    "environments": "environment",
    "app-sessions": "app",
}
REQUESTED: dict[str, object] = {
    "name": "first",
    "group": "vision",
    "image": "python",
    "gpus": 1,
    "cpu_milli": 1000,
    "memory_mib": 1024,
}
JOB = {**REQUESTED, "pool": "training", "command": ["true"]}
ARRAY = {**JOB, "array": "0-4%2"}
NOTEBOOK = {**REQUESTED, "pool": "training"}
LATE = "2027-03-01T09:00:00"


@pytest.fixture
def client() -> APIClient:
    a_node(a_pool("training"))
    group = a_group("vision")
    an_image("python")
    return browser(a_member(group, username="li.wei"))


def said(answer: Any) -> tuple[int, Any]:
    """Return status, code and faults of an answer: all that does not differ from request to request."""
    body = answer.json()
    faults = [
        (fault["pointer"], fault["code"], fault["detail"]) for fault in body.get("errors", ())
    ]
    return answer.status_code, (body.get("code"), body.get("detail"), faults)


def compare(client: APIClient, path: str, body: dict[str, Any]) -> Any:
    """Send a body to the dry run, then to its list; return the answer to the dry run."""
    before = (Workload.objects.count(), JobArray.objects.count(), AuditEvent.objects.count())
    dry = client.post(DRY_RUN, {**body, "kind": KINDS[path]}, format="json")
    after = (Workload.objects.count(), JobArray.objects.count(), AuditEvent.objects.count())
    assert after == before
    real = client.post(f"{API}/{path}", body, format="json")
    if real.status_code == 202:
        assert dry.status_code == 200, dry.json()
    else:
        assert said(dry) == said(real)
    return dry


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("jobs", JOB),
        ("jobs", {**JOB, "script": "true\n", "command": []}),
        ("jobs", {**JOB, "held": True, "priority": "low", "env": {"A": "1"}, "retries_max": 2}),
        ("jobs", {**JOB, "restart": {"rule": "never"}, "home": False, "ports": [6006]}),
        ("job-arrays", ARRAY),
        ("environments", NOTEBOOK),
        ("environments", {**NOTEBOOK, "schedule": {"days": [0], "start_minute": 540}}),
    ],
)
def test_what_is_accepted_has_a_verdict(client: APIClient, path: str, body: dict[str, Any]) -> None:
    answer = compare(client, path, body)
    waits = "waits" if body.get("held") else "starts_now"
    assert answer.json()["verdict"] == waits


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("jobs", {**JOB, "command": []}),
        ("jobs", {**JOB, "name": "=1+1"}),
        ("jobs", {name: value for name, value in JOB.items() if name != "name"}),
        ("jobs", {name: value for name, value in JOB.items() if name != "image"}),
        ("jobs", {**JOB, "comand": ["true"]}),
        ("jobs", {**JOB, "schedule": {}}),
        ("jobs", {**JOB, "image": "nowhere"}),
        ("jobs", {**JOB, "group": "nowhere"}),
        ("jobs", {**JOB, "pool": "nowhere"}),
        ("jobs", {**JOB, "volumes": ["nowhere"]}),
        ("jobs", {**JOB, "datasets": ["nowhere"]}),
        ("jobs", {**JOB, "secrets": [{"name": "nowhere", "env": "TOKEN"}]}),
        ("jobs", {**JOB, "template": str(new_id())}),
        ("jobs", {**JOB, "dependencies": [{"type": "after", "id": str(new_id())}]}),
        ("jobs", {**JOB, "not_before": LATE}),
        ("jobs", {**JOB, "restart": {"rule": "never"}, "retries_max": 1}),
        ("jobs", {**JOB, "time_limit_s": 10**9}),
        ("job-arrays", {**ARRAY, "array": "5-1"}),
        ("job-arrays", {**ARRAY, "array": "0-99999"}),
        ("environments", {**NOTEBOOK, "command": ["true"]}),
        ("environments", {**NOTEBOOK, "schedule": {"days": [0]}}),
        ("app-sessions", {"app": "nowhere", "home": True, "group": "vision"}),
        ("app-sessions", {"app": "board", "home": True}),
        ("app-sessions", {"app": "board", "job": str(new_id())}),
    ],
)
def test_what_is_refused_is_refused_alike(
    client: APIClient, path: str, body: dict[str, Any]
) -> None:
    an_app("board")
    assert compare(client, path, body).status_code in (400, 404, 422)


def test_a_session_of_an_app_has_a_verdict(client: APIClient) -> None:
    an_app("board")
    compare(client, "app-sessions", {"app": "board", "home": True, "group": "vision"})


def test_limits_on_what_is_queued_count_each_task(client: APIClient) -> None:
    GroupLimit.objects.create(group=Group.objects.get(name="vision"), pending_per_user_max=4)
    assert compare(client, "job-arrays", {**ARRAY, "array": "0-3"}).status_code == 200
    assert compare(client, "jobs", JOB).status_code == 409


def test_what_it_waits_for_is_said(client: APIClient) -> None:
    first = json_of(client.post(f"{API}/jobs", JOB, format="json"), 202)
    asked = {**JOB, "dependencies": [{"type": "after_ok", "id": first["id"]}], "kind": "training"}
    answer = json_of(client.post(DRY_RUN, asked, format="json"))
    assert answer["verdict"] == "waits"
    assert [reason["code"] for reason in answer["reasons"]] == ["dependency_not_succeeded"]


def test_what_could_never_start_has_its_reason(client: APIClient) -> None:
    asked = {**JOB, "gpus": 64, "kind": "training"}
    answer = json_of(client.post(DRY_RUN, asked, format="json"))
    assert answer["verdict"] not in ("starts_now", "waits")
    real = client.post(f"{API}/jobs", {**JOB, "gpus": 64}, format="json")
    assert real.json()["code"] in [reason["code"] for reason in answer["reasons"]]


@pytest.mark.parametrize(
    ("kind", "body"), [("Job", JOB), ("JobArray", ARRAY), ("Environment", NOTEBOOK)]
)
def test_a_manifest_is_taken_as_it_is(client: APIClient, kind: str, body: dict[str, Any]) -> None:
    document = yaml.safe_dump({"apiVersion": "berth/v1", "kind": kind, **body})
    answer = client.post(DRY_RUN, document, content_type="application/yaml")
    assert json_of(answer)["verdict"] == "starts_now"
    wrong = client.post(
        DRY_RUN, document.replace("image:", "imag:"), content_type="application/yaml"
    )
    faults = {fault["pointer"]: fault.get("line") for fault in wrong.json()["errors"]}
    assert wrong.status_code == 400
    assert faults["/imag"]


def test_resources_alone_are_enough_as_before(client: APIClient) -> None:
    asked = {"kind": "training", "group": "vision", "gpus": 1, "cpu_milli": 1000, "memory_mib": 1}
    answer = client.post(DRY_RUN, {**asked, "memory_mib": 1024, "ways_out": True}, format="json")
    assert json_of(answer)["verdict"] == "starts_now"
    assert Workload.objects.count() == 0
