"""Scripts as editors of other systems write them, by every way in."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from scheduler.runtime.loop import run_once
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene
from tests.rest import browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
API = "/api/v1"
WRITTEN_HERE = "#!/usr/bin/env perl\nprint 1;\n\nprint 2;\n"
SPELLINGS = {
    "windows": WRITTEN_HERE.replace("\n", "\r\n"),
    "windows, converted twice": WRITTEN_HERE.replace("\n", "\r\r\n"),
    "old macs": WRITTEN_HERE.replace("\n", "\r"),
    "mark": f"\ufeff{WRITTEN_HERE}",
    "marks of two tools": "\ufeff\ufeff" + WRITTEN_HERE.replace("\n", "\r\n"),
    "here": WRITTEN_HERE,
}


@pytest.fixture
def scene() -> Scene:
    an_image("python")
    return a_scene()


@pytest.fixture
def client(scene: Scene) -> APIClient:
    return browser(scene.owner)


def body_with(scene: Scene, script: str) -> dict[str, Any]:
    named = {"name": "foreign", "group": str(scene.group.pk), "pool": scene.pool.name}
    return {**named, "image": "python", "cpu_milli": 100, "memory_mib": 64, "script": script}


def script_of_node(scene: Scene) -> str:
    """Let the work be placed, and return the script that its node is given."""
    run_once()
    (found, *_) = [each for link in scene.links for each in link.beat().containers]
    return found.spec.script


@pytest.mark.parametrize("script", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("content_type", ["application/json", "application/yaml"])
def test_script_runs_as_if_written_here(
    scene: Scene, client: APIClient, content_type: str, script: str
) -> None:
    kind = {} if content_type == "application/json" else {"apiVersion": "berth/v1", "kind": "Job"}
    body = json.dumps({**kind, **body_with(scene, script)})  # YAML as well, with its escapes
    answer = client.post(f"{API}/jobs", body, content_type=content_type)
    assert answer.status_code == 202, answer.json()
    assert answer.json()["spec"]["script"] == script
    assert script_of_node(scene) == WRITTEN_HERE


def test_manifest_of_a_job_keeps_its_script_as_it_was_sent(scene: Scene, client: APIClient) -> None:
    for script in SPELLINGS.values():
        made = client.post(f"{API}/jobs", body_with(scene, script), format="json").json()
        manifest = client.get(f"{API}/jobs/{made['id']}/manifest?format=yaml").content
        again = client.post(f"{API}/jobs", manifest, content_type="application/yaml").json()
        assert again["spec"]["script"] == script


def test_script_of_an_array_runs_as_if_written_here(scene: Scene, client: APIClient) -> None:
    body = {**body_with(scene, SPELLINGS["windows"]), "array": "0-1"}
    answer = client.post(f"{API}/job-arrays", body, format="json")
    assert answer.status_code == 202, answer.json()
    assert script_of_node(scene) == WRITTEN_HERE


def test_what_only_looks_like_a_line_end_stays(scene: Scene, client: APIClient) -> None:
    script = "printf '50%%\\r100%%\\r\\n'\necho '\ufeff'\n"
    answer = client.post(f"{API}/jobs", body_with(scene, script), format="json")
    assert answer.json()["spec"]["script"] == script


@pytest.mark.parametrize("script", ["\ufeff", "\r\n", "\ufeff\r\n \r\n"])
def test_script_of_marks_and_line_ends_alone_is_none(
    scene: Scene, client: APIClient, script: str
) -> None:
    answer = client.post(f"{API}/jobs", body_with(scene, script), format="json")
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["code"]) == (400, "command_or_script")


def test_limit_counts_what_is_sent(scene: Scene, client: APIClient) -> None:
    lines = "true\r\n" * 12_000  # 72,000 bytes as sent, 60,000 as run
    answer = client.post(f"{API}/jobs", body_with(scene, lines), format="json")
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["code"]) == (400, "script_too_long")
