from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.inventory.models import Pool
from portal.quotas.models import GroupLimit
from portal.workloads.models import Workload, WorkloadEvent
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user
from tests.rest import browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def site() -> dict[str, Any]:
    pool = a_pool("training")
    a_node(pool)
    group = a_group("vision")
    return {
        "pool": pool,
        "group": group,
        "image": an_image("python"),
        "owner": a_member(group, username="li.wei"),
    }


def a_job(**changes: object) -> dict[str, object]:
    body: dict[str, object] = {
        "name": "train",
        "group": "vision",
        "image": "python",
        "command": ["python", "train.py"],
        "gpus": 1,
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }
    body.update(changes)
    return {name: value for name, value in body.items() if value is not ...}


def post(client: APIClient, body: object, path: str = "/api/v1/jobs", **extra: Any) -> Any:
    return client.post(path, body, format="json", **extra)


def test_submission_is_accepted_and_shown(site: dict[str, Any]) -> None:
    client = browser(site["owner"])

    answer = post(client, a_job(priority="high", env={"EPOCHS": "3"}))

    assert answer.status_code == 202, answer.json()
    shown = answer.json()
    assert answer["Location"] == f"/api/v1/jobs/{shown['id']}"
    assert (shown["state"], shown["priority"], shown["pool"]["name"]) == (
        "queued",
        "high",
        "training",
    )
    assert shown["spec"] == {
        "command": ["python", "train.py"],
        "script": "",
        "env": {"EPOCHS": "3"},
        "hidden_env": [],
        "launcher": "plain",
        "notice_signal": "SIGTERM",
        "datasets": [],
        "home": True,
        "volumes": [],
        "template": None,
        "inputs": [],
        "ports": [],
        "port_names": {},
        "secrets": [],
    }
    assert shown["restart"]["rule"] == "on_infrastructure"
    assert [step["step"] for step in shown["timeline"]] == ["queued"]
    assert client.get(answer["Location"]).json()["id"] == shown["id"]
    assert client.get("/api/v1/jobs").json()["results"][0]["id"] == shown["id"]
    assert WorkloadEvent.objects.filter(workload=shown["id"]).count() == 1
    audit = AuditEvent.objects.get(action="workload.submit")
    assert (audit.object_id, audit.actor_name) == (shown["id"], "li.wei")


@pytest.mark.parametrize("reader", ["developer", "viewer", "group_admin", "platform_admin"])
def test_values_of_the_environment_are_shown_to_the_owner_only(
    site: dict[str, Any], reader: str
) -> None:
    owner = browser(site["owner"])
    is_staff = reader == "platform_admin"
    other = a_user(role=reader) if is_staff else a_member(site["group"], role=reader)
    address = post(owner, a_job(env={"SECRET": "s3cret-value", "EPOCHS": "3"}))["Location"]

    answer = browser(other).get(address)

    spec = answer.json()["spec"]
    assert (spec["env"], spec["hidden_env"]) == ({}, ["EPOCHS", "SECRET"])
    assert b"s3cret-value" not in answer.content
    mine = owner.get(address).json()["spec"]
    assert (mine["env"]["SECRET"], mine["hidden_env"]) == ("s3cret-value", [])


def test_who_stops_work_of_another_does_not_get_its_environment_either(
    site: dict[str, Any],
) -> None:
    admin = a_member(site["group"], role="group_admin")
    address = post(browser(site["owner"]), a_job(env={"SECRET": "s3cret-value"}))["Location"]

    answer = post(browser(admin), {}, f"{address}/cancel")

    assert answer.status_code == 202, answer.json()
    assert b"s3cret-value" not in answer.content


def test_how_it_stands_in_the_queue_is_kept(site: dict[str, Any]) -> None:
    until = now() + timedelta(days=3)
    body = a_job(priority="high", priority_until=until.isoformat(), preemptible=True)

    shown = post(browser(site["owner"]), body).json()

    assert (shown["preemptible"], shown["evictions"]) == (True, 0)
    work = Workload.objects.get(pk=shown["id"])
    assert (work.priority, work.priority_until, work.preemptible) == (100, until, True)


def test_how_it_starts_again_is_kept_and_shown(site: dict[str, Any]) -> None:
    asked = {
        "rule": "on_failure",
        "pause_s": 30,
        "final_codes": [2],
        "free_codes": [75],
        "after_out_of_memory": True,
    }
    body = a_job(retries_max=3, restart=asked, launcher="torchrun", notice_signal="none")

    shown = post(browser(site["owner"]), body).json()

    assert (shown["restart"], shown["retries_max"], shown["retry_at"]) == (asked, 3, None)
    assert (shown["spec"]["launcher"], shown["spec"]["notice_signal"]) == ("torchrun", "none")


def test_term_of_silence_may_be_tightened_and_never_loosened(site: dict[str, Any]) -> None:
    client = browser(site["owner"])
    made = post(client, a_job(silence="replace"))
    assert made.json()["silence"] == "replace"
    assert post(client, a_job(silence="keep")).status_code == 202
    Pool.objects.update(policy={"silence": "replace"})
    refused = post(client, a_job(silence="keep"))
    assert (refused.status_code, refused.json()["code"]) == (422, "silence_looser_than_pool")
    assert post(client, a_job(silence="never")).status_code == 400
    assert post(client, a_job()).json()["silence"] == ""


def test_what_must_not_run_twice_is_not_interrupted_for_others(site: dict[str, Any]) -> None:
    shown = post(browser(site["owner"]), a_job(restart={"rule": "never"})).json()

    assert (shown["restart"]["rule"], shown["preemptible"]) == ("never", False)


BAD = [
    ({"priority_until": "2020-01-01T00:00:00Z"}, "/priority_until", "in_the_past"),
    ({"preemptible": "yes"}, "/preemptible", "not_a_boolean"),
    ({"name": ...}, "/name", "required"),
    ({"name": ""}, "/name", "blank"),
    ({"name": "../etc"}, "/name", "name_not_allowed"),
    ({"name": "a" * 64}, "/name", "max_length"),
    ({"name": 5}, "/name", "not_a_string"),
    ({"gpus": True}, "/gpus", "not_an_integer"),
    ({"gpus": 1.0}, "/gpus", "not_an_integer"),
    ({"gpus": "1"}, "/gpus", "not_an_integer"),
    ({"gpus": -1}, "/gpus", "too_small"),
    ({"gpus": 65}, "/gpus", "too_large"),
    ({"gpus": 2**70}, "/gpus", "too_large"),
    ({"slices": 11}, "/slices", "too_large"),
    ({"replicas": 0}, "/replicas", "too_small"),
    ({"replicas": 65}, "/replicas", "too_large"),
    ({"cpu_milli": 99}, "/cpu_milli", "too_small"),
    ({"cpu_milli": 1_000_001}, "/cpu_milli", "too_large"),
    ({"memory_mib": 63}, "/memory_mib", "too_small"),
    ({"memory_mib": None}, "/memory_mib", "null"),
    ({"time_limit_s": 59}, "/time_limit_s", "too_small"),
    ({"priority": "urgent"}, "/priority", "invalid_choice"),
    ({"priority": ["low"]}, "/priority", "not_a_string"),
    ({"retries_max": 11}, "/retries_max", "too_large"),
    ({"retries_max": 1, "restart": {"rule": "never"}}, "/retries_max", "retries_without_rule"),
    (
        {"preemptible": True, "restart": {"rule": "never"}},
        "/preemptible",
        "never_and_preemptible",
    ),
    ({"restart": {"rule": "always"}}, "/restart/rule", "invalid_choice"),
    ({"restart": {"pause_s": 3601}}, "/restart/pause_s", "too_large"),
    ({"restart": {"final_codes": [0]}}, "/restart/final_codes/0", "too_small"),
    ({"restart": {"free_codes": [256]}}, "/restart/free_codes/0", "too_large"),
    ({"restart": {"free_codes": [3], "final_codes": [3]}}, "/restart/free_codes", "code_twice"),
    ({"restart": {"when": "never"}}, "/restart/when", "unknown_field"),
    ({"launcher": "slurm"}, "/launcher", "invalid_choice"),
    ({"notice_signal": "SIGKILL"}, "/notice_signal", "invalid_choice"),
    (
        {"launcher": "torchrun", "notice_signal": "SIGUSR1"},
        "/notice_signal",
        "signal_ends_launcher",
    ),
    ({"command": "python"}, "/command", "not_a_list"),
    ({"command": [1]}, "/command/0", "not_a_string"),
    ({"command": ["x"] * 257}, "/command", "max_length"),
    ({"command": ...}, "/command", "command_or_script"),
    ({"script": "print()"}, "/command", "command_or_script"),
    ({"command": ..., "script": "x" * 65537}, "/script", "script_too_long"),
    ({"env": {"LD_PRELOAD": "x"}}, "/env", "env_name_reserved"),
    ({"env": {"Berth_Rank": "x"}}, "/env", "env_name_reserved"),
    ({"env": {"A=B": "x"}}, "/env", "env_name_malformed"),
    ({"env": {"": "x"}}, "/env", "env_name_malformed"),
    ({"env": {"A": 1}}, "/env/A", "not_a_string"),
    ({"env": {f"N{i}": "" for i in range(129)}}, "/env", "too_large"),
    ({"env": []}, "/env", "not_a_dict"),
    ({"owner": "root"}, "/owner", "unknown_field"),
    ({"state": "running"}, "/state", "unknown_field"),
]


@pytest.mark.parametrize(("change", "pointer", "code"), BAD)
def test_bad_field_is_named_and_nothing_is_kept(
    site: dict[str, Any], change: dict[str, object], pointer: str, code: str
) -> None:
    answer = post(browser(site["owner"]), a_job(**change))

    assert answer.status_code == 400, answer.json()
    assert (pointer, code) in {(e["pointer"], e["code"]) for e in answer.json()["errors"]}
    assert not Workload.objects.exists()


IMPOSSIBLE = [
    ({"image": "nothing"}, "unknown_image"),
    ({"image": "notebook-only"}, "image_not_for_kind"),
    ({"pool": "nowhere"}, "unknown_pool"),
    ({"gpus": 9}, "never_fits"),
    ({"gpus": 64, "replicas": 64}, "never_fits"),
    ({"memory_mib": 1024 * 1024}, "never_fits"),
    ({"gpus": 0, "slices": 1}, "pool_gives_gpus"),
    ({"slices": 1}, "gpus_or_slices"),
    ({"time_limit_s": 8 * 24 * 3600}, "time_limit_too_long"),
]


@pytest.mark.parametrize(("change", "code"), IMPOSSIBLE)
def test_what_can_never_run_is_refused_with_numbers(
    site: dict[str, Any], change: dict[str, object], code: str
) -> None:
    an_image("notebook-only", training=False)

    answer = post(browser(site["owner"]), a_job(**change))

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    if code == "never_fits":
        assert {"requested", "most"} <= answer.json()["params"].keys()
    assert not Workload.objects.exists()


def test_limits_themselves_are_accepted(site: dict[str, Any]) -> None:
    env = {f"N{i}": "v" for i in range(120)}
    body = a_job(gpus=8, command=["x"] * 256, env=env, time_limit_s=60, name="训练 1")

    assert post(browser(site["owner"]), body).status_code == 202


def test_cancel_in_the_queue_and_again(site: dict[str, Any]) -> None:
    client = browser(site["owner"])
    job = post(client, a_job()).json()["id"]

    first = post(client, {}, f"/api/v1/jobs/{job}/cancel")
    second = post(client, {}, f"/api/v1/jobs/{job}/cancel")

    assert [first.status_code, second.status_code] == [202, 202]
    assert second.json()["state"] == "cancelled"
    assert second.json()["cause"] == "requested"
    assert AuditEvent.objects.filter(action="job.cancel").count() == 1


def test_cancel_of_ended_work_is_a_conflict(site: dict[str, Any]) -> None:
    client = browser(site["owner"])
    job = post(client, a_job()).json()["id"]
    Workload.objects.filter(pk=job).update(state="failed")

    answer = post(client, {}, f"/api/v1/jobs/{job}/cancel")

    assert (answer.status_code, answer.json()["code"]) == (409, "already_ended")


def test_same_key_makes_one_job(site: dict[str, Any]) -> None:
    client = browser(site["owner"])
    key = {"HTTP_IDEMPOTENCY_KEY": "build-17"}

    first = post(client, a_job(), **key)
    second = post(client, a_job(), **key)
    other = post(client, a_job(name="other"), **key)

    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["id"] == second.json()["id"]
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    assert Workload.objects.count() == 1


def test_strangers_find_nothing_and_viewers_change_nothing(site: dict[str, Any]) -> None:
    owner = browser(site["owner"])
    job = post(owner, a_job()).json()["id"]
    outsider = browser(a_member(a_group("speech")))
    viewer = browser(a_member(site["group"], "viewer"))
    colleague = browser(a_member(site["group"]))

    for path in ("", "/outputs"):
        assert outsider.get(f"/api/v1/jobs/{job}{path}").status_code == 404
    assert outsider.get(f"/api/v1/workloads/{job}/events").status_code == 404
    assert post(outsider, {}, f"/api/v1/jobs/{job}/cancel").status_code == 404
    assert post(outsider, a_job()).status_code == 404
    assert outsider.get("/api/v1/workloads").json()["results"] == []
    assert viewer.get(f"/api/v1/jobs/{job}").status_code == 200
    assert post(viewer, a_job()).status_code == 403
    assert post(viewer, {}, f"/api/v1/jobs/{job}/cancel").status_code == 403
    assert post(colleague, {}, f"/api/v1/jobs/{job}/cancel").status_code == 403
    assert APIClient().get(f"/api/v1/jobs/{job}").status_code == 401
    admin = browser(a_member(site["group"], "group_admin"))
    assert post(admin, {}, f"/api/v1/jobs/{job}/cancel").status_code == 202


def test_platform_roles(site: dict[str, Any]) -> None:
    job = post(browser(site["owner"]), a_job()).json()["id"]
    auditor = browser(a_user(role="auditor"))
    operator = browser(a_user(role="operator"))

    assert auditor.get(f"/api/v1/jobs/{job}").status_code == 200
    assert post(auditor, {}, f"/api/v1/jobs/{job}/cancel").status_code == 403
    assert post(operator, {}, f"/api/v1/jobs/{job}/cancel").status_code == 202


def test_pending_work_of_one_user_is_bounded(site: dict[str, Any]) -> None:
    GroupLimit.objects.create(group=site["group"], pending_per_user_max=2)
    client = browser(site["owner"])

    answers = [post(client, a_job()) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [202, 202, 409]
    assert answers[2].json()["code"] == "user_counter"
    assert answers[2].json()["params"] == {"counter": "pending", "limit": 2, "used": 2}
