"""Logins of other registries: administrators give them, nodes that pull from there get them, nobody else."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from portal.agentlink import enrolment
from portal.audit.models import AuditEvent
from portal.catalog.models import Image
from portal.common.site_config import get_site_config
from portal.images.models import RegistryCredential
from portal.inventory.models import Node
from portal.workloads.models import Workload
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.saving import REGISTRY, SavingScene, a_saving_scene
from tests.rest import API, browser, json_of, problem_of
from tests.site_config import override_site_config
from wire.images import LOGIN_HOSTS_MAX, registry_host

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
LIST = f"{API}/registries"
HOST = "hub.example.org:5443"
CANARY = "canary-token-7f2c"
BODY = {"host": HOST, "username": "puller", "password": CANARY}


@pytest.fixture
def admin() -> APIClient:
    return browser(a_user(role="platform_admin"))


def an_image_from(host: str) -> Image:
    image = an_image()
    image.reference = f"{host}/ml/torch:2"
    image.save(update_fields=["reference"])
    return image


def ask(node: Node, host: str) -> Any:
    """Ask for a login as the agent of a node does."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {enrolment._new_key(node)}")
    return client.post("/node/v1/registry", {"host": host}, format="json")


# --- What administrators do --------------------------------------------------------------------------


def test_a_login_is_added_replaced_and_removed(admin: APIClient) -> None:
    made = json_of(admin.post(LIST, BODY, format="json"), 201)
    assert (made["host"], made["username"], made["last_used_at"]) == (HOST, "puller", None)
    one = f"{LIST}/{made['id']}"
    login = {"username": "other", "password": "new"}
    assert json_of(admin.put(one, login, format="json"))["username"] == "other"
    (listed,) = json_of(admin.get(LIST))["results"]
    assert listed["username"] == "other"
    assert admin.delete(one).status_code == 204
    problem_of(admin.delete(one), 404, "not_found")
    acts = AuditEvent.objects.filter(object_type="registry").order_by("id")
    assert [act.action for act in acts] == [
        "registry.create",
        "registry.change",
        "registry.remove",
    ]


def test_the_password_is_nowhere_to_be_read(admin: APIClient) -> None:
    said = [
        admin.post(LIST, BODY, format="json").content.decode(),
        admin.post(LIST, BODY, format="json").content.decode(),
        admin.get(LIST).content.decode(),
        str(list(AuditEvent.objects.values())),
        str(list(RegistryCredential.objects.values())),
    ]
    assert not [text for text in said if CANARY in text]


def test_there_is_one_login_for_a_registry_and_none_for_the_platforms_own(admin: APIClient) -> None:
    json_of(admin.post(LIST, BODY, format="json"), 201)
    problem_of(admin.post(LIST, BODY, format="json"), 409, "registry_taken")
    with override_site_config(registry=REGISTRY):
        own = admin.post(LIST, BODY | {"host": REGISTRY.host}, format="json")
    refused = problem_of(own, 422, "registry_is_own")
    assert refused["errors"][0]["pointer"] == "/host"


def test_there_are_so_many_at_most(admin: APIClient) -> None:
    for number in range(LOGIN_HOSTS_MAX):
        json_of(admin.post(LIST, BODY | {"host": f"hub-{number}.example.org"}, format="json"), 201)
    problem_of(admin.post(LIST, BODY, format="json"), 409, "too_many_registries")


@pytest.mark.parametrize(
    "host",
    ["hub", "https://hub.example.org", "hub.example.org/ml", "Hub.Example.org", "hub.-x", ""],
)
def test_what_no_reference_could_begin_with_is_refused(admin: APIClient, host: str) -> None:
    problem_of(admin.post(LIST, BODY | {"host": host}, format="json"), 400, "invalid_input")


def test_only_who_manages_images_sees_that_there_are_any(admin: APIClient) -> None:
    made = json_of(admin.post(LIST, BODY, format="json"), 201)
    group = a_group()
    for other in (a_member(group, "group_admin"), a_user(role="operator"), a_user(role="auditor")):
        client = browser(other)
        problem_of(client.get(LIST), 403, "denied")
        problem_of(client.post(LIST, BODY, format="json"), 403, "denied")
        problem_of(client.delete(f"{LIST}/{made['id']}"), 403, "denied")


# --- What nodes get ----------------------------------------------------------------------------------


def test_a_node_is_told_which_registries_have_a_login_and_not_what_it_is(admin: APIClient) -> None:
    saving = a_saving_scene()
    json_of(admin.post(LIST, BODY, format="json"), 201)
    json_of(admin.post(LIST, BODY | {"host": "unused.example.org"}, format="json"), 201)
    assert saving.beat().login_hosts == ()
    an_image_from(HOST)
    reply = saving.beat()
    assert reply.login_hosts == (HOST,)
    assert CANARY not in reply.model_dump_json()


def test_a_node_gets_a_login_for_an_image_that_it_fetches_ahead(admin: APIClient) -> None:
    saving = a_saving_scene()
    json_of(admin.post(LIST, BODY, format="json"), 201)
    problem_of(ask(saving.scene.nodes[0], HOST), 404, "not_found")
    image = an_image_from(HOST)
    answer = ask(saving.scene.nodes[0], HOST)
    assert json_of(answer) == BODY
    assert answer["Cache-Control"] == "no-store"
    assert RegistryCredential.objects.get().last_used_at is not None
    problem_of(ask(saving.scene.nodes[0], "other.example.org"), 404, "not_found")
    Image.objects.filter(pk=image.pk).update(is_active=False)
    problem_of(ask(saving.scene.nodes[0], HOST), 404, "not_found")


def run_withdrawn(saving: SavingScene, image: Image) -> None:
    """Let the notebook run an image that nobody else may use any more."""
    Image.objects.filter(pk=image.pk).update(is_active=False)
    Workload.objects.filter(pk=saving.notebook.pk).update(image=image)


def test_a_node_gets_a_login_for_work_that_it_runs_and_no_other_node_does(
    admin: APIClient,
) -> None:
    saving, other = a_saving_scene(), a_saving_scene()
    json_of(admin.post(LIST, BODY, format="json"), 201)
    run_withdrawn(saving, an_image_from(HOST))
    assert saving.beat().login_hosts == (HOST,)
    json_of(ask(saving.scene.nodes[0], HOST))
    assert other.beat().login_hosts == ()
    problem_of(ask(other.scene.nodes[0], HOST), 404, "not_found")


def test_a_new_key_reads_old_passwords_and_an_unknown_key_none(admin: APIClient) -> None:
    saving = a_saving_scene()
    json_of(admin.post(LIST, BODY, format="json"), 201)
    an_image_from(HOST)
    old = get_site_config().encryption_keys
    with override_site_config(encryption_keys=("a-new-key", *old)):
        call_command("encrypt_again", stdout=StringIO())
    with override_site_config(encryption_keys=("a-new-key",)):
        assert json_of(ask(saving.scene.nodes[0], HOST))["password"] == CANARY
    with override_site_config(encryption_keys=("another",)):
        problem_of(ask(saving.scene.nodes[0], HOST), 404, "not_found")


@pytest.mark.parametrize(
    ("reference", "host"),
    [
        ("python:3", "docker.io"),
        ("library/python", "docker.io"),
        ("index.docker.io/library/python", "docker.io"),
        ("localhost/python", "localhost"),
        ("hub:5000/python@sha256:aa", "hub:5000"),
        ("hub.example.org/a/b:1", "hub.example.org"),
    ],
)
def test_the_registry_of_a_reference_is_the_one_that_engines_ask(reference: str, host: str) -> None:
    assert registry_host(reference) == host
