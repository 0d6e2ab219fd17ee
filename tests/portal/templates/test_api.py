"""Templates through the API: who sees and changes them, and what they mean for a submission."""

from collections.abc import Mapping
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.templates import services
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

TEMPLATES = f"{API}/job-templates"
SETTINGS = {
    "image": "python",
    "script": "echo hello",
    "gpus": 1,
    "cpu_milli": 1000,
    "memory_mib": 1024,
    "env": {"EPOCHS": "3"},
}


@pytest.fixture
def group() -> Group:
    a_node(a_pool("training"))
    a_node(a_pool("development", slices=8))
    an_image("python")
    return a_group("vision")


@pytest.fixture
def owner(group: Group) -> APIClient:
    return browser(a_member(group))


def keep(client: APIClient, **more: object) -> dict[str, Any]:
    body = {"name": "Small run", "settings": SETTINGS, **more}
    shown: dict[str, Any] = json_of(client.post(TEMPLATES, body, format="json"), 201)
    return shown


def submit(client: APIClient, template: Mapping[str, Any], **given: object) -> Any:
    body = {"name": "train", "group": "vision", "template": template["id"], **given}
    return client.post(f"{API}/jobs", body, format="json")


def names_of(client: APIClient) -> list[str]:
    return [row["name"] for row in json_of(client.get(TEMPLATES))["results"]]


def pointers_of(problem: Mapping[str, Any]) -> dict[str, str]:
    return {item["pointer"]: item["code"] for item in problem["errors"]}


def test_what_is_left_out_comes_from_the_template(owner: APIClient) -> None:
    answer = submit(owner, keep(owner), gpus=2)

    shown = json_of(answer, 202)
    assert (shown["gpus"], shown["cpu_milli"], shown["image"]["name"]) == (2, 1000, "python")
    assert shown["spec"]["script"] == "echo hello"
    assert shown["spec"]["env"] == {"EPOCHS": "3"}
    assert shown["spec"]["template"]["name"] == "Small run"
    assert shown["spec"]["template"]["version"] == 1


def test_null_takes_a_default_away_and_a_command_replaces_the_script(owner: APIClient) -> None:
    shown = json_of(submit(owner, keep(owner), env=None, command=["true"]), 202)

    assert shown["spec"]["env"] == {}
    assert (shown["spec"]["script"], shown["spec"]["command"]) == ("", ["true"])


def test_another_value_of_a_locked_field_is_refused_with_its_pointer(owner: APIClient) -> None:
    template = keep(owner, locked=["image", "gpus"], ranges={"cpu_milli": {"max": 2000}})

    answer = submit(owner, template, gpus=2, cpu_milli=4000)
    problem = problem_of(answer, 422, "template_refused")
    assert pointers_of(problem) == {"/gpus": "template_locked", "/cpu_milli": "too_large"}
    assert all(item["detail"] for item in problem["errors"])
    assert not Workload.objects.exists()
    shown = json_of(submit(owner, template, gpus=1, image="python", cpu_milli=2000), 202)
    assert shown["cpu_milli"] == 2000


@pytest.mark.parametrize("given", [{"gpus": None}, {"slices": 2}, {"gpu_milli": 500}])
def test_no_other_way_to_request_gpus_goes_around_a_lock(
    owner: APIClient, given: dict[str, Any]
) -> None:
    template = keep(owner, locked=["gpus"])

    assert submit(owner, template, **given).status_code in (400, 422)
    assert not Workload.objects.exists()


def test_job_arrays_are_checked_too(owner: APIClient) -> None:
    template = keep(owner, locked=["gpus"])
    body = {"name": "train", "group": "vision", "template": template["id"], "array": "0-1"}

    refused = owner.post(f"{API}/job-arrays", {**body, "gpus": 2}, format="json")
    problem_of(refused, 422, "template_refused")
    assert owner.post(f"{API}/job-arrays", body, format="json").status_code == 202


@pytest.mark.django_db(transaction=True)
def test_notebooks_have_templates_of_their_own(owner: APIClient) -> None:
    times = {"days": [0], "start_minute": 480, "stop_minute": 1080}
    size = {"slices": 1, "cpu_milli": 1000, "memory_mib": 1024}
    settings = {"image": "python", **size, "schedule": times}
    body = {"name": "Desk", "settings": settings, "locked": ["schedule"]}
    made = json_of(owner.post(f"{API}/environment-templates", body, format="json"), 201)

    asked = {"name": "desk", "group": "vision", "template": made["id"]}
    answer = owner.post(f"{API}/environments", asked, format="json")
    problem_of(submit(owner, made), 422, "unknown_template")
    notebook = json_of(answer, 202)["id"]
    schedule = json_of(owner.get(f"{API}/environments/{notebook}/schedule"))
    assert (schedule["days"], schedule["stop_minute"]) == ([0], 1080)


def test_a_change_makes_a_new_version_and_changes_no_work(owner: APIClient) -> None:
    template = keep(owner)
    work = json_of(submit(owner, template), 202)
    change = {"name": "Small run", "settings": {**SETTINGS, "gpus": 2}, "version": 1}

    changed = json_of(owner.put(f"{TEMPLATES}/{template['id']}", change, format="json"))
    again = owner.put(f"{TEMPLATES}/{template['id']}", change, format="json")

    assert changed["version"] == 2
    problem_of(again, 409, "changed_by_another")
    assert json_of(owner.get(f"{API}/jobs/{work['id']}"))["gpus"] == 1
    assert owner.delete(f"{TEMPLATES}/{template['id']}").status_code == 204
    shown = json_of(owner.get(f"{API}/jobs/{work['id']}"))
    assert shown["spec"]["template"] == {"id": template["id"], "name": "Small run", "version": 1}
    acts = AuditEvent.objects.filter(object_type="template").order_by("id")
    assert [act.action for act in acts] == ["template.create", "template.change", "template.delete"]


def test_only_its_owner_sees_a_template_of_a_user(group: Group, owner: APIClient) -> None:
    template = keep(owner)
    for user in (a_member(group, "group_admin"), a_user(role="platform_admin"), a_user()):
        client = browser(user)
        assert names_of(client) == []
        problem_of(client.get(f"{TEMPLATES}/{template['id']}"), 404, "not_found")
        problem_of(client.delete(f"{TEMPLATES}/{template['id']}"), 404, "not_found")
    problem_of(submit(browser(a_member(group)), template), 422, "unknown_template")


@pytest.mark.parametrize(
    ("role", "may_change"), [("group_admin", True), ("developer", False), ("viewer", False)]
)
def test_a_template_of_a_group_is_used_by_members_and_changed_by_its_admins(
    group: Group, role: str, may_change: bool
) -> None:
    owned = {"scope": "group", "group": str(group.pk)}
    template = keep(browser(a_member(group, "group_admin")), **owned)
    client = browser(a_member(group, role))

    (shown,) = json_of(client.get(TEMPLATES))["results"]
    assert (shown["scope"], shown["may_change"]) == ("group", may_change)
    body = {"name": "Other", "settings": SETTINGS}
    changed = client.put(f"{TEMPLATES}/{template['id']}", body, format="json")
    made = client.post(TEMPLATES, {**body, "name": "Third", **owned}, format="json")
    assert (changed.status_code, made.status_code) == ((200, 201) if may_change else (403, 403))


def test_groups_below_use_it_and_other_groups_do_not(group: Group) -> None:
    below = a_group("vision-video", parent=group)
    keep(browser(a_member(group, "group_admin")), scope="group", group=str(group.pk))

    assert names_of(browser(a_member(below))) == ["Small run"]
    assert names_of(browser(a_member(a_group("speech")))) == []


def test_templates_of_the_platform_are_for_everyone(group: Group, owner: APIClient) -> None:
    admin = browser(a_user(role="platform_admin"))
    template = keep(admin, scope="platform", locked=["image"])

    assert names_of(owner) == ["Small run"]
    assert submit(owner, template).status_code == 202
    body = {"name": "Mine", "settings": SETTINGS}
    problem_of(owner.put(f"{TEMPLATES}/{template['id']}", body, format="json"), 403, "denied")
    made = {**body, "scope": "platform"}
    for client in (owner, browser(a_user(role="operator"))):
        problem_of(client.post(TEMPLATES, made, format="json"), 403, "denied")


def test_a_token_needs_the_scope(group: Group) -> None:
    user = a_member(group)
    body = {"name": "Mine", "settings": SETTINGS}

    refused = pipeline(user, "template.view").post(TEMPLATES, body, format="json")
    problem_of(refused, 403, "scope_missing")
    made = pipeline(user, "template.manage").post(TEMPLATES, body, format="json")
    assert made.status_code == 201


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"settings": {"gpu": 1}}, "/settings/gpu", "unknown_field"),
        ({"settings": {"gpus": "1"}}, "/settings/gpus", "not_an_integer"),
        ({"settings": {"held": True}}, "/settings/held", "template_once"),
        ({"settings": {"env": {"HUB_TOKEN": "x"}}}, "/settings/env", "template_secret"),
        ({"settings": {"env": {"WANDB_API_KEY": "x"}}}, "/settings/env", "template_secret"),
        ({"settings": {}, "locked": ["gpus"]}, "/locked", "template_lock_without_value"),
        (
            {"settings": {}, "ranges": {"gpus": {"max": 1}}},
            "/ranges/gpus",
            "template_range_without_value",
        ),
        (
            {"settings": {"image": "a"}, "ranges": {"image": {"max": 1}}},
            "/ranges/image",
            "template_range_not_number",
        ),
        (
            {"settings": {"gpus": 2}, "ranges": {"gpus": {"max": 1}}},
            "/ranges/gpus",
            "template_outside_range",
        ),
        (
            {"settings": {"gpus": 2}, "ranges": {"gpus": {"min": 3, "max": 1}}},
            "/ranges/gpus",
            "template_range_reversed",
        ),
        ({"settings": {"gpus": 2}, "ranges": {"gpus": {}}}, "/ranges/gpus", "template_range_empty"),
        ({"settings": {}, "scope": "group"}, "/group", "required"),
    ],
)
def test_what_makes_no_sense_is_refused(
    owner: APIClient, body: dict[str, Any], pointer: str, code: str
) -> None:
    answer = owner.post(TEMPLATES, {"name": "Odd", **body}, format="json")

    assert pointers_of(problem_of(answer, 400, "invalid_input")) == {pointer: code}


def test_variables_that_only_sound_like_secrets_are_kept(owner: APIClient) -> None:
    env = {"TOKENIZERS_PARALLELISM": "false", "MAX_TOKENS": "4096", "KEYBOARD": "de"}

    assert keep(owner, settings={"env": env})["settings"] == {"env": env}


def test_names_and_numbers_of_templates_are_bounded(owner: APIClient, group: Group) -> None:
    keep(owner)
    again = owner.post(TEMPLATES, {"name": "Small run", "settings": {}}, format="json")
    problem_of(again, 409, "template_name_taken")
    keep(browser(a_member(group)))  # another owner's
    for number in range(services.TEMPLATES_PER_OWNER_MAX - 1):
        keep(owner, name=f"Run {number}", settings={})
    more = owner.post(TEMPLATES, {"name": "One more", "settings": {}}, format="json")
    problem_of(more, 409, "too_many_templates")


@pytest.mark.parametrize(
    ("given", "faults"),
    [
        ({"gpus": 0}, {"/gpus": "template_locked"}),
        ({"gpus": 0, "memory_mib": 2048}, {"/gpus": "template_locked"}),
        ({"image": "other"}, {"/image": "template_locked"}),
        ({"cpu_milli": 4000}, {"/cpu_milli": "too_large"}),
        ({"cpu_milli": 2000, "memory_mib": 4096}, {}),
        ({"image": "python", "gpus": 1}, {}),
    ],
)
@pytest.mark.parametrize("kind", ["jobs", "environments"])
def test_locks_hold_for_changes_of_the_owner(
    owner: APIClient, kind: str, given: dict[str, Any], faults: dict[str, str]
) -> None:
    an_image("other")
    settings = {name: value for name, value in SETTINGS.items() if name != "script"}
    path = f"{API}/{'job' if kind == 'jobs' else 'environment'}-templates"
    binding = {"locked": ["image", "gpus"], "ranges": {"cpu_milli": {"max": 2000}}}
    body = {"name": "Small run", "settings": settings, **binding}
    template = json_of(owner.post(path, body, format="json"), 201)
    asked = {"name": "train", "group": "vision", "pool": "training", "template": template["id"]}
    asked |= {"command": ["true"], "held": True} if kind == "jobs" else {}
    work = json_of(owner.post(f"{API}/{kind}", asked, format="json"), 202)
    # What becomes of the template changes nothing: the work keeps what bound it.
    assert owner.delete(f"{path}/{template['id']}").status_code == 204

    answer = owner.patch(f"{API}/{kind}/{work['id']}", given, format="json")

    if faults:
        assert pointers_of(problem_of(answer, 422, "template_refused")) == faults
    else:
        assert json_of(answer)["spec"]["template"]["name"] == "Small run"


def test_locks_bind_the_owner_alone(owner: APIClient, group: Group) -> None:
    template = keep(owner, locked=["gpus"])
    work = json_of(submit(owner, template, held=True), 202)
    head = browser(a_member(group, "group_admin"))
    changed = head.patch(f"{API}/jobs/{work['id']}", {"gpus": 0}, format="json")
    assert json_of(changed)["gpus"] == 0


def test_work_without_a_template_is_changed_freely(owner: APIClient) -> None:
    body = {"name": "train", "group": "vision", **SETTINGS, "held": True}
    work = json_of(owner.post(f"{API}/jobs", body, format="json"), 202)
    changed = owner.patch(f"{API}/jobs/{work['id']}", {"cpu_milli": 4000}, format="json")
    assert json_of(changed)["cpu_milli"] == 4000
