"""Who gets which answer from every route to work: the matrix of callers and doors."""

from typing import Any

import pytest

from portal.identity.models import User
from portal.workloads.models import Workload
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

READ, STOP, START, OPEN, SUBMIT = "read", "stop", "start", "open", "submit"

DOORS = [
    ("get", "/jobs/{job}", READ),
    ("get", "/jobs/{job}/outputs", READ),
    ("get", "/workloads/{job}", READ),
    ("get", "/workloads/{job}/events", READ),
    ("get", "/environments/{notebook}", READ),
    ("get", "/workloads/{notebook}", READ),
    ("get", "/workloads/{notebook}/events", READ),
    ("post", "/jobs/{job}/cancel", STOP),
    ("post", "/environments/{notebook}/stop", STOP),
    ("delete", "/environments/{notebook}", STOP),
    ("post", "/environments/{notebook}/start", START),
    ("post", "/environments/{notebook}/tickets", OPEN),
    ("post", "/jobs/{job}/tickets", OPEN),
    ("post", "/jobs", SUBMIT),
    ("post", "/environments", SUBMIT),
    ("post", "/workloads/dry-run", SUBMIT),
]

ALLOWED = {
    "owner": {READ, STOP, START, OPEN, SUBMIT},
    "group_admin": {READ, STOP, START, SUBMIT},
    "developer": {READ, SUBMIT},
    "viewer": {READ},
    "auditor": {READ},
    "operator": {READ, STOP},
    "platform_admin": {READ, STOP, START, SUBMIT},
}
GROUP_ROLES = ("group_admin", "developer", "viewer")


@pytest.fixture
def scene() -> Scene:
    return a_scene()


def caller(scene: Scene, role: str) -> User:
    if role == "owner":
        return scene.owner
    if role in GROUP_ROLES:
        return a_member(scene.group, role)
    return a_user(role=role)


def body_for(scene: Scene, path: str) -> dict[str, Any]:
    body: dict[str, Any] = {"group": scene.group.name, "cpu_milli": 1000, "memory_mib": 1024}
    if path == "/workloads/dry-run":
        return {**body, "kind": "training"}
    body |= {"name": "new", "image": an_image().name, "pool": scene.pool.name}
    return {**body, "command": ["true"]} if path == "/jobs" else body


def job_port(path: str) -> bool:
    """Tell whether this door leads to a port of a job, which has to be named."""
    return path == "/jobs/{job}/tickets"


def knock(scene: Scene, client: Any, method: str, path: str, action: str) -> int:
    job, notebook = scene.work(), scene.work(kind="environment", state="suspended")
    url = API + path.format(job=job.pk, notebook=notebook.pk)
    Workload.objects.filter(pk=job.pk).update(spec={"ports": [6006]})
    body = body_for(scene, path) if action == SUBMIT else {"port": 6006} if job_port(path) else None
    return int(getattr(client, method)(url, body, format="json").status_code)


@pytest.mark.parametrize(("method", "path", "action"), DOORS)
@pytest.mark.parametrize("role", ALLOWED)
def test_known_caller(scene: Scene, role: str, method: str, path: str, action: str) -> None:
    status = knock(scene, browser(caller(scene, role)), method, path, action)

    if action not in ALLOWED[role]:
        assert status == 403
    else:
        # A notebook that does not run cannot be opened, not even by its owner.
        assert status == 409 if action == OPEN else status in {200, 202}


@pytest.mark.parametrize(("method", "path", "action"), DOORS)
def test_outsiders_find_nothing(scene: Scene, method: str, path: str, action: str) -> None:
    outsider = browser(a_member(a_group(), "group_admin"))

    assert knock(scene, outsider, method, path, action) == 404
    assert Workload.objects.filter(group=scene.group).count() == 2


@pytest.mark.parametrize(("method", "path", "action"), DOORS)
def test_strangers_are_asked_to_sign_in(scene: Scene, method: str, path: str, action: str) -> None:
    assert knock(scene, stranger(), method, path, action) == 401
