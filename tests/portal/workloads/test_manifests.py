"""Work as YAML: down from what was submitted, and up again to the same."""

from typing import Any

import pytest
import yaml
from rest_framework.test import APIClient

from portal.tenancy.models import Group
from portal.workloads.models import Workload
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

JOB = """\
apiVersion: berth/v1
kind: Job
name: train
group: vision
image: python
script: |
  echo hello
  python train.py
cpu_milli: 1000
memory_mib: 1024
gpus: 1
env:
  ANSWER: no
  AT: 22:30
"""
RICH = {
    "name": "train",
    "group": "vision",
    "image": "python",
    "command": ["python", "-c", "print('no')\n", "22:30", "1.0", "~"],
    "cpu_milli": 1500,
    "memory_mib": 1024,
    "time_limit_s": 3600,
    "gpus": 2,
    "gpu_memory_min_mib": 1024,
    "replicas": 2,
    "launcher": "torchrun",
    "priority": "high",
    "preemptible": True,
    "retries_max": 2,
    "restart": {"rule": "on_failure", "pause_s": 60, "final_codes": [2]},
    "ports": [6006],
    "home": False,
    "silence": "replace",
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


def send(client: APIClient, text: str, path: str = "jobs") -> Any:
    return client.post(f"{API}/{path}", text, content_type="application/yaml")


def down(client: APIClient, work: str, path: str = "jobs") -> str:
    answer = client.get(f"{API}/{path}/{work}/manifest?format=yaml")
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"].startswith("application/yaml")
    assert work in answer["Content-Disposition"]
    return str(answer.content.decode())


def meant(work: str) -> dict[str, Any]:
    row = Workload.objects.get(pk=work)
    names = ("pool_id", "image_id", "gpus", "slices", "replicas", "cpu_milli", "memory_mib")
    more = ("time_limit_s", "priority", "preemptible", "retries_max", "restart", "spec", "silence")
    return {name: getattr(row, name) for name in (*names, *more, "gpu_memory_min_mib")}


def test_a_document_is_submitted_as_it_reads(owner: APIClient) -> None:
    shown = json_of(send(owner, JOB), 202)

    assert shown["spec"]["script"] == "echo hello\npython train.py\n"
    assert shown["spec"]["env"] == {"ANSWER": "no", "AT": "22:30"}


def test_what_comes_down_submits_the_same_again(owner: APIClient) -> None:
    rich = {**RICH, "env": {"EPOCHS": "3", "TITLE": "値: 'x' #1"}}
    first = json_of(owner.post(f"{API}/jobs", rich, format="json"), 202)["id"]

    text = down(owner, first)
    second = json_of(send(owner, text), 202)["id"]

    assert meant(second) == meant(first)
    assert down(owner, second) == text
    assert list(yaml.safe_load(text))[:3] == ["apiVersion", "kind", "name"]


def test_work_without_a_gpu_says_so(owner: APIClient) -> None:
    bare = {"name": "sort", "group": "vision", "image": "python", "command": ["true"]}
    asked = {**bare, "cpu_milli": 500, "memory_mib": 256}
    made = json_of(owner.post(f"{API}/jobs", asked, format="json"), 202)["id"]

    document = yaml.safe_load(down(owner, made))

    assert (document["gpus"], document["memory_mib"]) == (0, 256)
    assert "slices" not in document


@pytest.mark.django_db(transaction=True)
def test_a_notebook_comes_down_with_its_schedule(owner: APIClient) -> None:
    times = {"days": [0, 4], "start_minute": 480, "stop_minute": None}
    body = {
        "name": "desk",
        "group": "vision",
        "image": "python",
        "slices": 1,
        "cpu_milli": 500,
        "memory_mib": 512,
    }
    asked = {**body, "schedule": times}
    made = json_of(owner.post(f"{API}/environments", asked, format="json"), 202)["id"]

    text = down(owner, made, "environments")
    again = json_of(send(owner, text, "environments"), 202)["id"]

    assert meant(again) == meant(made)
    schedule = json_of(owner.get(f"{API}/environments/{again}/schedule"))
    assert {name: schedule[name] for name in times} == times
    document = json_of(owner.get(f"{API}/environments/{made}/manifest"))
    assert (document["kind"], document["name"]) == ("Environment", "desk")


def test_values_of_variables_are_for_the_owner(owner: APIClient, group: Group) -> None:
    made = json_of(send(owner, JOB), 202)["id"]

    text = down(browser(a_member(group, "viewer")), made)

    assert yaml.safe_load(text)["env"] == {"ANSWER": "", "AT": ""}
    answer = browser(a_member(a_group("speech"))).get(f"{API}/jobs/{made}/manifest?format=yaml")
    problem_of(answer, 404, "not_found")


def test_an_array_is_submitted_as_one(owner: APIClient) -> None:
    text = JOB.replace("kind: Job", "kind: JobArray") + "array: 0-2\n"

    assert json_of(send(owner, text, "job-arrays"), 202)["indexes"] == "0-2"


@pytest.mark.parametrize(
    ("old", "new", "pointer", "line"),
    [
        ("gpus: 1", "gpus: many", "/gpus", 11),
        ("gpus: 1", "gpu: 1", "/gpu", 11),
        ("ANSWER: no", "ANSWER: 1", "/env/ANSWER", 13),
        ("kind: Job", "kind: Environment", "/kind", 2),
        ("berth/v1", "berth/v9", "/apiVersion", 1),
        ("image: python", "image: nowhere", "/image", 5),
        ("memory_mib: 1024\n", "", "/memory_mib", None),
    ],
)
def test_a_wrong_field_is_named_with_its_line(
    owner: APIClient, old: str, new: str, pointer: str, line: int | None
) -> None:
    problem = send(owner, JOB.replace(old, new)).json()

    assert problem["status"] in (400, 422), problem
    (fault,) = problem["errors"]
    assert (fault["pointer"], fault.get("line")) == (pointer, line)
    assert fault["detail"]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("name: [", "body_not_yaml", 2),
        ("name: a\n\tb: 1", "body_not_yaml", 2),
        ("name: a\nname: b", "body_duplicate_key", 2),
        ("a: &x [1]\nb: *x", "yaml_reference", 1),
        ("a: !!python/name:os.system x", "yaml_tag", 1),
        ("a: 1\n---\nb: 1", "yaml_many_documents", 2),
        ("[" * 40, "body_too_deep", None),
        ("- a", "body_not_object", None),
        ('a: "\\0"', "body_has_nul", None),
    ],
)
def test_what_is_no_plain_document_is_refused(
    owner: APIClient, text: str, code: str, line: int | None
) -> None:
    problem = problem_of(send(owner, text), 400, code)

    assert problem["params"].get("line") == line
    assert "{" not in problem["detail"]


def test_a_document_has_a_largest_size(owner: APIClient) -> None:
    problem_of(send(owner, "a: " + "x" * 600_000), 413, "body_too_large")


def test_a_form_that_is_none_is_refused(owner: APIClient) -> None:
    made = json_of(send(owner, JOB), 202)["id"]

    answer = owner.get(f"{API}/jobs/{made}/manifest?format=")
    assert pointers_of(problem_of(answer, 400, "invalid_input")) == ["/format"]
    assert json_of(owner.get(f"{API}/jobs/{made}/manifest?format=json"))["kind"] == "Job"


def pointers_of(problem: dict[str, Any]) -> list[str]:
    return [item["pointer"] for item in problem["errors"]]
