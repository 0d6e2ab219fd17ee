"""The catalogue of web apps over REST."""

from typing import Any

import pytest

from portal.audit.models import AuditEvent
from tests.builders.apps import an_app
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def a_body(**changes: Any) -> dict[str, Any]:
    return {
        "name": "tensorboard",
        "title_en": "TensorBoard",
        "title_zh": "TensorBoard",
        "image": str(an_image().pk),
        "command": ["tensorboard", "--logdir={folder}", "--port={port}"],
        **changes,
    }


def test_administrators_add_change_and_withdraw_apps_and_each_act_is_audited() -> None:
    admin = browser(a_user(role="platform_admin"))
    body = a_body(icon="chart")

    made = json_of(admin.post(f"{API}/apps", body, format="json"), 201)
    problem_of(admin.post(f"{API}/apps", body, format="json"), 409, "app_name_taken")
    address = f"{API}/apps/{made['id']}"
    changed = json_of(admin.patch(address, {"idle_s": 600, "is_active": False}, format="json"))

    assert (made["icon"], made["idle_s"], made["image"]["id"]) == ("chart", 1800, body["image"])
    assert (changed["idle_s"], changed["is_active"]) == (600, False)
    assert len(json_of(admin.get(f"{API}/apps"))["results"]) == 1
    assert json_of(browser(a_user()).get(f"{API}/apps"))["results"] == []
    acts = list(AuditEvent.objects.order_by("id").values_list("action", flat=True))
    assert acts == ["web_app.create", "web_app.change"]


def test_everybody_sees_apps_and_only_administrators_their_commands() -> None:
    app = an_app("tensorboard")
    group_admin = a_member(a_group(), role="group_admin")
    [shown] = json_of(browser(group_admin).get(f"{API}/apps"))["results"]
    assert (shown["name"], shown["command"]) == ("tensorboard", [])
    refused = browser(group_admin).post(f"{API}/apps", a_body(name="x"), format="json")
    problem_of(refused, 403, "denied")
    address = f"{API}/apps/{app.pk}"
    problem_of(browser(group_admin).patch(address, {}, format="json"), 403, "denied")
    [full] = json_of(browser(a_user(role="platform_admin")).get(f"{API}/apps"))["results"]
    assert full["command"] == app.command


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"command": ["tensorboard"]}, "/command"),
        ({"command": []}, "/command"),
        ({"command": ["a b", "{port}"]}, "/command"),
        ({"command": ["x", "{port}" + "x" * 500]}, "/command"),
        ({"icon": "rocket"}, "/icon"),
        ({"served_at": "elsewhere"}, "/served_at"),
        ({"idle_s": 1}, "/idle_s"),
    ],
)
def test_app_that_could_not_run_is_refused(changes: dict[str, Any], pointer: str) -> None:
    admin = browser(a_user(role="platform_admin"))
    refused = admin.post(f"{API}/apps", a_body(**changes), format="json")
    faults = problem_of(refused, 400, "invalid_input")["errors"]
    assert faults[0]["pointer"].startswith(pointer)


def test_app_needs_an_image_in_use() -> None:
    admin = browser(a_user(role="platform_admin"))
    old = an_image("old")
    old.is_active = False
    old.save()
    refused = admin.post(f"{API}/apps", a_body(image=str(old.pk)), format="json")
    problem_of(refused, 422, "unknown_image")


def test_app_needs_an_image_of_the_platform() -> None:
    """A saved image is for its owner and a group, an app for everyone."""
    admin_user = a_user(role="platform_admin")
    saved = an_image("saved")
    saved.owner = admin_user
    saved.save()
    refused = browser(admin_user).post(f"{API}/apps", a_body(image=str(saved.pk)), format="json")
    problem_of(refused, 422, "unknown_image")


def test_a_preset_and_an_image_are_an_app() -> None:
    admin = browser(a_user(role="platform_admin"))
    presets = json_of(admin.get(f"{API}/app-presets"))["presets"]
    assert [preset["name"] for preset in presets] == [
        "tensorboard",
        "mlflow",
        "aim",
        "optuna-dashboard",
        "code-server",
        "rserver",
    ]
    assert [preset["name"] for preset in presets if preset["writes"]] == ["code-server", "rserver"]
    ways = {preset["name"]: preset["served_at"] for preset in presets}
    assert (ways["tensorboard"], ways["aim"]) == ("path", "base_path")
    assert ways["optuna-dashboard"] == "host"
    for preset in presets:
        made = admin.post(f"{API}/apps", {**preset, "image": str(an_image().pk)}, format="json")
        shown = json_of(made, 201)
        assert {name: shown[name] for name in preset} == preset


def test_presets_are_for_administrators() -> None:
    for role in ("group_admin", "developer"):
        answer = browser(a_member(a_group(), role=role)).get(f"{API}/app-presets")
        problem_of(answer, 403, "denied")
