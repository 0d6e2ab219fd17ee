"""Environment variables of notebooks: the rules of jobs', and the way to the node."""

from typing import Any

import pytest
import yaml
from rest_framework.test import APIClient

from portal.workloads.models import Workload
from tests.builders.machines import an_image
from tests.builders.people import a_member
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

NOTEBOOKS = f"{API}/environments"
TEMPLATES = f"{API}/environment-templates"


@pytest.fixture
def scene() -> Scene:
    an_image("python")
    return a_scene(slices=8)


@pytest.fixture
def owner(scene: Scene) -> APIClient:
    return browser(scene.owner)


def asked(scene: Scene, **more: Any) -> dict[str, Any]:
    size = {"slices": 1, "cpu_milli": 500, "memory_mib": 512}
    places = {"group": scene.group.name, "pool": scene.pool.name, "image": "python"}
    return {"name": "desk", **places, **size, **more}


def test_values_are_shown_to_the_owner_only(owner: APIClient, scene: Scene) -> None:
    made = json_of(owner.post(NOTEBOOKS, asked(scene, env={"KEY": "s3cret"}), format="json"), 202)

    other = browser(a_member(scene.group))
    mine = json_of(owner.get(f"{NOTEBOOKS}/{made['id']}"))["spec"]
    theirs = json_of(other.get(f"{NOTEBOOKS}/{made['id']}"))["spec"]

    assert (mine["env"], mine["hidden_env"]) == ({"KEY": "s3cret"}, [])
    assert (theirs["env"], theirs["hidden_env"]) == ({}, ["KEY"])


@pytest.mark.parametrize(
    ("env", "pointer", "code"),
    [
        ({"JUPYTER_TOKEN": "x"}, "/env", "env_name_reserved"),
        ({"A=B": "x"}, "/env", "env_name_malformed"),
        ({"A": 1}, "/env/A", "not_a_string"),
        ({f"N{i}": "" for i in range(121)}, "/env", "too_large"),
        ({"A": "x" * 131_072}, "/env", "too_large"),
    ],
)
def test_the_rules_are_those_of_jobs(
    owner: APIClient, scene: Scene, env: Any, pointer: str, code: str
) -> None:
    answer = owner.post(NOTEBOOKS, asked(scene, env=env), format="json")

    (fault,) = problem_of(answer, 400, "invalid_input")["errors"]
    assert (fault["pointer"], fault["code"]) == (pointer, code)


def test_the_node_gets_them(owner: APIClient, scene: Scene) -> None:
    made = json_of(owner.post(NOTEBOOKS, asked(scene, env={"HF_HOME": "/x"}), format="json"), 202)
    scene.place(Workload.objects.get(pk=made["id"]), scene.placement(cards=(0,), slots=(0,)))

    (wanted,) = scene.links[0].beat().containers

    assert wanted.spec.kind == "environment"
    assert wanted.spec.env == {"HF_HOME": "/x"}


def test_a_template_gives_and_locks_them(owner: APIClient, scene: Scene) -> None:
    settings = {"image": "python", "env": {"HF_HOME": "/volumes/models"}}
    body = {"name": "Desk", "settings": settings, "locked": ["env"]}
    template = json_of(owner.post(TEMPLATES, body, format="json"), 201)
    given = asked(scene, template=template["id"])

    shown = json_of(owner.post(NOTEBOOKS, given, format="json"), 202)
    other = owner.post(NOTEBOOKS, {**given, "name": "two", "env": {"A": "1"}}, format="json")

    assert shown["spec"]["env"] == settings["env"]
    (fault,) = problem_of(other, 422, "template_refused")["errors"]
    assert fault["pointer"] == "/env"


def test_a_manifest_brings_them_down_and_up(owner: APIClient, scene: Scene) -> None:
    env = {"EPOCHS": "3", "TITLE": "値: 'x' #1"}
    made = json_of(owner.post(NOTEBOOKS, asked(scene, env=env), format="json"), 202)["id"]

    text = owner.get(f"{NOTEBOOKS}/{made}/manifest?format=yaml").content.decode()
    again = owner.post(NOTEBOOKS, text, content_type="application/yaml")

    assert yaml.safe_load(text)["env"] == env
    assert json_of(again, 202)["spec"]["env"] == env
