"""What the demo shows besides its past is there, valid, and can be used."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from portal.alarms.models import Alarm
from portal.approvals.models import ApprovalRequest
from portal.common.clock import now
from portal.common.work_kinds import JOB
from portal.demo import examples, organisation
from portal.demo.contents import write_contents
from portal.demo.past_notices import write_notices
from portal.demo.removal import remove_simulated
from portal.demo.services import SEED
from portal.identity.models import User
from portal.inventory.models import Node, Pool
from portal.quotas.models import Budget
from portal.reservations.models import ReservationWindow
from portal.saved_views.models import SavedView
from portal.serving.models import Replica
from portal.serving.reconcile import reconcile_services
from portal.studies.models import Study
from portal.templates.models import SubmissionTemplate
from portal.tenancy.models import Group
from tests.builders.machines import a_node
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of
from tests.site_config import override_site_config

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture(autouse=True)
def contents(tmp_path: Path) -> Iterator[None]:
    with override_site_config(is_demo=True, storage_dir=tmp_path / "storage"):
        seeded = {"output": tmp_path / "demo.json", "services": True}
        call_command("seed_demo", **seeded, stdout=StringIO())
        a_node(Pool.objects.get(name="development"), "gpu-dev-2")
        for name in ("gpu-train-1", "gpu-train-2"):
            a_node(Pool.objects.get(name="training"), name)
        write_contents(SEED)
        yield


def test_every_template_can_be_submitted_as_it_is() -> None:
    client = browser(User.objects.get(username="song.yu"))
    assert SubmissionTemplate.objects.count() == len(examples.TEMPLATES)
    for template in SubmissionTemplate.objects.all():
        body = {"name": "tried", "group": "speech", "template": str(template.pk)}
        path = "jobs" if template.kind == "training" else "environments"
        answer = client.post(f"{API}/{path}", body, format="json")
        assert answer.status_code == 202, (template.name, answer.json())


def test_requests_wait_for_a_head_and_for_the_administrator() -> None:
    heads = [team.people[0] for team in organisation.TEAMS[:2]]
    for name, wanted in ((examples.HEAD, 1), ("admin", 1), (heads[1], 0)):
        client = browser(User.objects.get(username=name))
        found = json_of(client.get(f"{API}/approvals?side=to_decide&state=pending"))["results"]
        assert len(found) >= wanted
    assert ApprovalRequest.objects.filter(state="approved").count() == 1


def test_alarms_are_over_and_tell_nobody() -> None:
    alarms = Alarm.objects.all()
    assert len(alarms) == len(examples.ALARMS)
    assert all(alarm.resolved_at is not None and alarm.notified_at is not None for alarm in alarms)
    admin = browser(User.objects.get(username="admin"))
    assert len(json_of(admin.get(f"{API}/alarms?state=resolved"))["results"]) == len(alarms)


def test_reservation_budget_views_and_studies_are_there() -> None:
    (window,) = ReservationWindow.objects.all()
    assert window.starts_at > now()
    assert Budget.objects.filter(group__name=examples.BUDGET_GROUP).count() == 1
    assert SavedView.objects.count() == len(examples.VIEWS)
    assert set(Study.objects.values_list("scenario", flat=True)) == {"aistation", ""}


def test_a_node_is_in_maintenance_until_the_demo_is_removed() -> None:
    admin = browser(User.objects.get(username="admin"))
    nodes = {node["name"]: node for node in json_of(admin.get(f"{API}/nodes"))["results"]}
    node = nodes[examples.MAINTENANCE_NODE]
    assert (node["state"], node["hold"]) == ("drained", "drain")
    assert len(node["accelerators"]) == len(nodes[examples.STUDY_NODE]["accelerators"]) > 0
    assert node["silent_since"] is None
    remove_simulated(now())
    names = set(Node.objects.values_list("name", flat=True))
    assert names == nodes.keys() - {examples.MAINTENANCE_NODE}


def test_people_were_notified_of_what_failed_until_the_demo_is_removed() -> None:
    owner = User.objects.get(username="song.yu")
    moment = now()
    for name, age in (("today", 1), ("last-week", 5), ("long-ago", 20)):
        a_workload(
            owner,
            Group.objects.get(name="speech"),
            Pool.objects.get(name="training"),
            kind=JOB.kind,
            name=name,
            state="failed",
            cause="exited",
            exit_code=3,
            finished_at=moment - timedelta(days=age),
            simulated=True,
        )
    write_notices(moment)
    inbox = json_of(browser(owner).get(f"{API}/inbox"))
    assert inbox["unread"] == 1
    texts = [notice["text"] for notice in inbox["notices"]]
    assert [name in text for name, text in zip(("today", "last-week"), texts, strict=True)] == [
        True,
        True,
    ]
    remove_simulated(moment)
    assert json_of(browser(owner).get(f"{API}/inbox"))["notices"] == []


def test_there_is_a_service_to_try_whose_replica_waits_for_a_node_of_its_pool() -> None:
    reconcile_services()
    client = browser(User.objects.get(username=examples.SERVICE_OWNER))
    (shown,) = json_of(client.get(f"{API}/services"))["results"]
    assert (shown["name"], shown["status"], shown["replicas"]["waiting"]) == ("chat", "starting", 1)
    (replica,) = Replica.objects.all()
    assert replica.workload.pool.name == organisation.SERVICES


def test_a_demo_with_a_model_server_has_a_service_for_it_once(tmp_path: Path) -> None:
    owner = User.objects.get(username=examples.SERVICE_OWNER)
    seed = {"output": tmp_path / "demo.json", "services": True, "model": "/models/small.gguf"}
    for _ in range(2):
        call_command("seed_demo", **seed, stdout=StringIO())

    client = browser(owner)
    shown = {each["name"]: each for each in json_of(client.get(f"{API}/services"))["results"]}
    assert set(shown) == {"chat", "smollm2"}
    detail = json_of(client.get(f"{API}/services/{shown['smollm2']['id']}"))
    spec = detail["current"]["spec"]
    assert (spec["preset"], spec["model"]) == ("llama-cpp", "/models/small.gguf")
    assert (spec["readiness_path"], spec["command"]) == ("/health", [])

    assert client.delete(f"{API}/services/{detail['id']}").status_code == 204
    call_command("seed_demo", **seed, stdout=StringIO())
    assert len(json_of(client.get(f"{API}/services"))["results"]) == 1
