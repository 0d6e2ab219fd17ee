"""Secrets: values go in, out to the node that starts the work, and nowhere else."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from portal.agentlink import enrolment
from portal.audit.models import AuditEvent
from portal.identity.models import User
from portal.inventory.models import Node
from portal.secrets import services
from portal.secrets.models import Secret
from portal.workloads.models import Allocation, Workload
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from tests.rest import API, browser, json_of, pipeline, problem_of
from tests.site_config import override_site_config
from wire.secrets import SECRET_BYTES_MAX

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

SECRETS = f"{API}/secrets"
CANARY = "canary-5e9a71"
FILE = {"name": "key", "as": "file", "target": "key.pem"}
VARIABLE = {"name": "hub", "as": "env", "target": "HUB_TOKEN"}


def keep(client: APIClient, name: str, value: str = CANARY, **more: object) -> str:
    body = {"name": name, "value": value, **more}
    return str(json_of(client.post(SECRETS, body, format="json"), 201)["id"])


def a_job(scene: Scene, **more: object) -> dict[str, object]:
    return {
        "name": "train",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "image": "python",
        "command": ["true"],
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "gpus": 1,
        **more,
    }


def submit(client: APIClient, scene: Scene, *uses: object) -> Workload:
    answer = client.post(f"{API}/jobs", a_job(scene, secrets=uses), format="json")
    return Workload.objects.get(pk=json_of(answer, 202)["id"])


def placed(scene: Scene, work: Workload) -> Allocation:
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    return held


def key_of(node: Node) -> str:
    return enrolment._new_key(node)


def ask(node: Node, held: Allocation, *, epoch: int | None = None) -> object:
    """Ask for the secrets of a start, as the agent of a node does."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key_of(node)}")
    body = {"allocation": held.wire_name, "epoch": epoch or held.epoch}
    return client.post("/node/v1/secrets", body, format="json")


@pytest.fixture
def scene() -> Scene:
    an_image("python")
    return a_scene(nodes=2)


@pytest.fixture
def owner(scene: Scene) -> APIClient:
    return browser(scene.owner)


def test_a_value_is_stored_encrypted_and_shown_by_no_answer(owner: APIClient) -> None:
    secret = keep(owner, "hub")
    listed = owner.get(SECRETS)
    changed = owner.put(f"{SECRETS}/{secret}", {"value": f"{CANARY}2"}, format="json")

    row = Secret.objects.get(pk=secret)
    assert row.encrypted_value.startswith("gAAAA")
    assert (row.value_bytes, row.last_used_at) == (len(CANARY) + 1, None)
    (shown,) = json_of(listed)["results"]
    assert (shown["name"], shown["group"], shown["may_change"]) == ("hub", None, True)
    acts = AuditEvent.objects.filter(object_type="secret").order_by("id")
    assert [act.action for act in acts] == ["secret.create", "secret.change"]
    said = f"{listed.content!r} {changed.content!r} {[act.params for act in acts]} {vars(row)}"
    assert CANARY not in said


def test_only_its_owner_sees_and_changes_a_secret_of_a_user(scene: Scene, owner: APIClient) -> None:
    secret = keep(owner, "hub")
    others = [
        a_member(scene.group, "group_admin"),
        a_user(role="platform_admin"),
        a_user(role="auditor"),
    ]
    for client in map(browser, others):
        assert json_of(client.get(SECRETS))["results"] == []
        answer = client.put(f"{SECRETS}/{secret}", {"value": "x"}, format="json")
        problem_of(answer, 404, "not_found")
        problem_of(client.delete(f"{SECRETS}/{secret}"), 404, "not_found")


@pytest.mark.parametrize(
    ("role", "may_see", "may_change"),
    [("group_admin", True, True), ("developer", True, False), ("viewer", False, False)],
)
def test_a_secret_of_a_group_is_used_by_developers_and_changed_by_admins(
    scene: Scene, role: str, may_see: bool, may_change: bool
) -> None:
    admin = browser(a_member(scene.group, "group_admin"))
    secret = keep(admin, "hub", group=str(scene.group.pk))
    client = browser(a_member(scene.group, role))

    shown = json_of(client.get(SECRETS))["results"]
    assert [row["may_change"] for row in shown] == ([may_change] if may_see else [])
    answer = client.put(f"{SECRETS}/{secret}", {"value": "new"}, format="json")
    if may_change:
        json_of(answer)
        assert client.delete(f"{SECRETS}/{secret}").status_code == 204
    else:
        assert answer.status_code == (403 if may_see else 404)
        make = {"name": "other", "value": "x", "group": str(scene.group.pk)}
        problem_of(client.post(SECRETS, make, format="json"), 403, "denied")


def test_another_group_has_its_own_names(scene: Scene, owner: APIClient) -> None:
    other = a_group()
    admin = browser(a_member(other, "group_admin"))
    keep(admin, "hub", group=str(other.pk))

    assert json_of(owner.get(SECRETS))["results"] == []
    refused = owner.post(
        f"{API}/jobs", a_job(scene, secrets=[{**VARIABLE, "scope": "group"}]), format="json"
    )
    problem_of(refused, 422, "unknown_secret")
    make = {"name": "hub", "value": "x", "group": str(scene.group.pk)}
    problem_of(admin.post(SECRETS, make, format="json"), 404, "not_found")


def test_a_token_needs_the_scope(scene: Scene) -> None:
    narrow = pipeline(scene.owner, "workload.submit", "secret.view")

    json_of(narrow.get(SECRETS))
    answer = narrow.post(SECRETS, {"name": "hub", "value": "x"}, format="json")
    problem_of(answer, 403, "scope_missing")


def test_names_sizes_and_numbers_are_bounded(
    owner: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(owner, "hub")
    problem_of(owner.post(SECRETS, {"name": "hub", "value": "x"}, format="json"), 409,
               "secret_name_taken")  # fmt: skip
    for body in (
        {"name": "../hub", "value": "x"},
        {"name": "", "value": "x"},
        {"name": "long", "value": "x" * (SECRET_BYTES_MAX + 1)},
        {"name": "empty", "value": ""},
    ):
        problem_of(owner.post(SECRETS, body, format="json"), 400, "invalid_input")
    wide = {"name": "wide", "value": "密" * (SECRET_BYTES_MAX // 2)}
    problem_of(owner.post(SECRETS, wide, format="json"), 422, "secret_size")
    monkeypatch.setattr(services, "SECRETS_PER_USER_MAX", 1)
    more = owner.post(SECRETS, {"name": "second", "value": "x"}, format="json")
    problem_of(more, 409, "too_many_secrets")


@pytest.mark.parametrize(
    ("use", "code"),
    [
        ({"name": "hub", "as": "env", "target": "1ST"}, "env_name_malformed"),
        ({"name": "hub", "as": "env", "target": "LD_PRELOAD"}, "env_name_reserved"),
        ({"name": "hub", "as": "env", "target": "PATH"}, "env_name_reserved"),
        ({"name": "hub", "as": "file", "target": "../etc"}, "secret_file_name"),
        ({"name": "hub", "as": "file", "target": ".env"}, "secret_file_name"),
        ({"name": "hub", "as": "argument", "target": "x"}, "invalid_choice"),
        ({"name": "hub", "scope": "site", "as": "file", "target": "x"}, "invalid_choice"),
        ({"name": "hub", "as": "file"}, "required"),
    ],
)
def test_a_target_is_a_plain_name(
    scene: Scene, owner: APIClient, use: dict[str, str], code: str
) -> None:
    keep(owner, "hub")

    answer = owner.post(f"{API}/jobs", a_job(scene, secrets=[use]), format="json")

    assert code in json.dumps(problem_of(answer, 400, "invalid_input")["errors"])


def test_two_secrets_do_not_share_a_target(scene: Scene, owner: APIClient) -> None:
    keep(owner, "hub")
    twice = [{**FILE, "name": "hub"}, {**FILE, "name": "hub"}]

    answer = owner.post(f"{API}/jobs", a_job(scene, secrets=twice), format="json")

    assert "secret_target_twice" in json.dumps(problem_of(answer, 400, "invalid_input"))


def test_the_node_that_starts_the_work_gets_the_values(scene: Scene, owner: APIClient) -> None:
    admin = browser(a_member(scene.group, "group_admin"))
    keep(owner, "hub", f"{CANARY} own")
    keep(admin, "hub", f"{CANARY} shared", group=str(scene.group.pk))
    work = submit(owner, scene, VARIABLE, {**FILE, "name": "hub", "scope": "group"})
    held = placed(scene, work)

    answer = ask(scene.nodes[0], held)

    assert json_of(answer)["secrets"] == [
        {"kind": "env", "target": "HUB_TOKEN", "value": f"{CANARY} own"},
        {"kind": "file", "target": "key.pem", "value": f"{CANARY} shared"},
    ]
    assert answer["Cache-Control"] == "no-store"  # type: ignore[index]
    assert not Secret.objects.filter(last_used_at=None).exists()
    uses = AuditEvent.objects.filter(action="secret.use")
    assert [(use.actor_kind, use.params["workload"]) for use in uses] == [
        ("system", str(work.pk))
    ] * 2
    assert CANARY not in str([use.params for use in uses])


def test_the_desired_state_and_the_work_say_that_there_are_secrets_not_which(
    scene: Scene, owner: APIClient
) -> None:
    keep(owner, "hub")
    work = submit(owner, scene, VARIABLE)
    scene.place(work, scene.placement(cards=(0,)))

    (desired,) = scene.links[0].beat().containers

    assert desired.spec.has_secrets
    assert CANARY not in desired.model_dump_json()
    shown = json_of(owner.get(f"{API}/jobs/{work.pk}"))
    assert shown["spec"]["secrets"] == [{**VARIABLE, "scope": "user"}]
    assert CANARY not in json.dumps(shown)


def test_no_other_node_and_no_other_attempt_gets_them(scene: Scene, owner: APIClient) -> None:
    keep(owner, "hub")
    held = placed(scene, submit(owner, scene, VARIABLE))

    problem_of(ask(scene.nodes[1], held), 404, "not_found")
    problem_of(ask(scene.nodes[0], held, epoch=held.epoch + 1), 404, "not_found")
    stranger = APIClient().post(
        "/node/v1/secrets", {"allocation": held.wire_name, "epoch": held.epoch}, format="json"
    )
    problem_of(stranger, 401, "node_key_invalid")
    assert Secret.objects.get().last_used_at is None


def test_work_that_is_stopped_or_over_gets_none(scene: Scene, owner: APIClient) -> None:
    keep(owner, "hub")
    work = submit(owner, scene, VARIABLE)
    held = placed(scene, work)
    scene.links[0].beat(containers=[running(held)])
    json_of(owner.post(f"{API}/jobs/{work.pk}/cancel", {}, format="json"), 202)

    problem_of(ask(scene.nodes[0], held), 404, "not_found")
    scene.links[0].beat(finished=[finished(held)])
    problem_of(ask(scene.nodes[0], held), 404, "not_found")


def test_a_secret_in_use_is_deleted_only_on_purpose_and_then_missed(
    scene: Scene, owner: APIClient
) -> None:
    secret = keep(owner, "hub")
    work = submit(owner, scene, VARIABLE)
    held = placed(scene, work)

    problem = problem_of(owner.delete(f"{SECRETS}/{secret}"), 409, "secret_in_use")
    assert problem["params"] == {"name": "train", "count": 1}
    assert owner.delete(f"{SECRETS}/{secret}?force=true").status_code == 204
    missed = problem_of(ask(scene.nodes[0], held), 409, "secret_missing")
    assert missed["params"] == {"secret": "hub"}


def test_a_secret_of_the_same_name_elsewhere_is_not_in_use(scene: Scene, owner: APIClient) -> None:
    keep(owner, "hub")
    submit(owner, scene, VARIABLE)
    other = browser(a_member(scene.group))
    theirs = keep(other, "hub")

    assert other.delete(f"{SECRETS}/{theirs}").status_code == 204


def test_the_key_is_changed_and_no_value_is_lost(scene: Scene, owner: APIClient) -> None:
    keep(owner, "hub")
    held = placed(scene, submit(owner, scene, VARIABLE))
    with override_site_config() as config:
        old = config.encryption_keys
    with override_site_config(encryption_keys=("a-new-key", *old)):
        said = StringIO()
        call_command("encrypt_again", stdout=said)
    assert said.getvalue().startswith("1 ")
    with override_site_config(encryption_keys=("a-new-key",)):
        (given,) = json_of(ask(scene.nodes[0], held))["secrets"]
    assert given["value"] == CANARY
    with (
        override_site_config(encryption_keys=("another",)),
        pytest.raises(CommandError, match="nothing is changed"),
    ):
        call_command("encrypt_again")
    with override_site_config(encryption_keys=("another",)):
        problem_of(ask(scene.nodes[0], held), 409, "secret_missing")


def test_a_value_repeats_no_request(owner: APIClient) -> None:
    body = {"name": "hub", "value": CANARY}
    owner.post(SECRETS, body, format="json", HTTP_IDEMPOTENCY_KEY="once")
    again = owner.post(SECRETS, body, format="json", HTTP_IDEMPOTENCY_KEY="once")

    problem_of(again, 409, "secret_name_taken")


def test_robots_have_secrets_of_their_own(scene: Scene) -> None:
    robot = User.objects.create(username="ci", kind="robot")
    scene.group.memberships.create(user=robot, role="developer")
    client = pipeline(robot, "secret.manage", "secret.view", "workload.submit", "workload.view")

    keep(client, "hub")
    submit(client, scene, VARIABLE)
