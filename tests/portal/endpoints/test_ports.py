"""Ports that a notebook's owner asks for: checked, told to the node, and led to by its grant."""

from urllib.parse import parse_qs, urlsplit

import pytest

from portal.endpoints import services
from portal.endpoints.selectors import endpoint_for_system
from portal.endpoints.values import ContainerAddress
from portal.notebooks.services import stop_notebook
from portal.workloads.models import Workload
from tests.builders.people import an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import running
from tests.rest import browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene(slices=8)


def asked(scene: Scene, ports: object) -> dict[str, object]:
    return {
        "name": "lab",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": scene.work().image.name,
        "slices": 1,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "ports": ports,
    }


def test_ports_are_kept_once_and_shown(scene: Scene) -> None:
    body = asked(scene, [8080, 6006, 8080])
    made = browser(scene.owner).post("/api/v1/environments", body, format="json")
    assert made.status_code == 202, made.content
    assert made.json()["spec"]["ports"] == [6006, 8080]


def test_ports_have_the_names_that_their_owner_gives_them(scene: Scene) -> None:
    client = browser(scene.owner)
    body = asked(scene, [8501, 6006]) | {"port_names": {"8501": "My board", "9000": "left out"}}

    made = json_of(client.post("/api/v1/environments", body, format="json"), 202)

    assert made["spec"]["port_names"] == {"8501": "My board"}
    manifest = json_of(client.get(f"/api/v1/environments/{made['id']}/manifest"))
    assert manifest["port_names"] == {"8501": "My board"}
    wrong = body | {"name": "other", "port_names": {"ssh": "x"}}
    problem_of(client.post("/api/v1/environments", wrong, format="json"), 400, "invalid_input")


@pytest.mark.parametrize("ports", [[0], [65536], ["6006"], [1.5], list(range(1, 10)), 6006])
def test_what_is_no_port_is_refused(scene: Scene, ports: object) -> None:
    refused = browser(scene.owner).post("/api/v1/environments", asked(scene, ports), format="json")
    faults = problem_of(refused, 400, "invalid_input")["errors"]
    assert faults[0]["pointer"].startswith("/ports")


def test_grant_leads_to_the_container_and_its_ports(scene: Scene) -> None:
    notebook = scene.work(kind="environment", slices=1)
    Workload.objects.filter(pk=notebook.pk).update(spec={"ports": [6006]})
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=8899)])
    notebook.refresh_from_db()
    endpoint = endpoint_for_system(notebook)
    assert endpoint is not None
    assert endpoint.ports == frozenset({6006})
    (backend,) = endpoint.backends
    assert backend.container == ContainerAddress(scene.nodes[0].pk, held.wire_name, held.epoch)
    stop_notebook(actor=an_actor(scene.owner), workload_id=notebook.pk)
    notebook.refresh_from_db()
    assert endpoint_for_system(notebook) is None


def test_owner_of_a_job_is_led_to_a_port_of_its_first_rank(scene: Scene) -> None:
    client = browser(scene.owner)
    job = scene.work(slices=1, replicas=2)
    Workload.objects.filter(pk=job.pk).update(spec={"ports": [6006]})
    address = f"/api/v1/jobs/{job.pk}/tickets"
    early = client.post(address, {"port": 6006}, format="json")
    first, second = scene.place(
        job,
        scene.placement(cards=(0,), slots=(0,)),
        scene.placement(cards=(0,), slots=(1,)),
    )
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(second), running(first)])

    ticket = json_of(client.post(address, {"port": 6006}, format="json"), 201)
    secret, led_to = services.redeem_ticket(code_of(ticket["url"]))
    endpoint = services.authorise_grant(secret, job.pk)

    problem_of(early, 409, "not_ready")
    problem_of(client.post(address, {"port": 22}, format="json"), 422, "unknown_port")
    problem_of(client.post(address, {}, format="json"), 400, "invalid_input")
    assert "&port=6006" in ticket["url"]
    assert led_to == job.pk
    assert endpoint is not None
    assert (endpoint.policy.token, endpoint.ports) == ("", frozenset({6006}))
    (backend,) = endpoint.backends
    assert (backend.port, backend.container.allocation) == (None, first.wire_name)


def test_notebooks_ticket_leads_to_a_port_that_was_asked_for(scene: Scene) -> None:
    client, notebook = browser(scene.owner), scene.work(kind="environment", slices=1)
    Workload.objects.filter(pk=notebook.pk).update(spec={"ports": [6006]})
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=8899)])
    address = f"/api/v1/environments/{notebook.pk}/tickets"

    ticket = json_of(client.post(address, {"port": 6006}, format="json"), 201)

    assert "&port=6006" in ticket["url"]
    problem_of(client.post(address, {"port": 6007}, format="json"), 422, "unknown_port")


def code_of(url: str) -> str:
    """Return the one-time code in a ticket's address."""
    return parse_qs(urlsplit(url).query)["ticket"][0]
