"""Submission rules through the API: who sets them, and what they mean for each way to submit work."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.inventory.models import Pool
from portal.submission_rules.models import SubmissionRules
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

JOB = {
    "name": "train",
    "group": "vision",
    "image": "python",
    "script": "echo hello",
    "gpus": 1,
    "cpu_milli": 1000,
    "memory_mib": 1024,
}
NOTEBOOK = {
    "name": "lab",
    "group": "vision",
    "image": "python",
    "slices": 1,
    "cpu_milli": 1000,
    "memory_mib": 1024,
}


@pytest.fixture
def pool() -> Pool:
    pool = a_pool("training")
    a_node(pool)
    a_node(a_pool("development", slices=8))
    an_image("python")
    an_image("pytorch")
    return pool


@pytest.fixture
def group(pool: Pool) -> Group:
    return a_group("vision", parent=a_group("lab"))


@pytest.fixture
def client(group: Group) -> APIClient:
    return browser(a_member(group))


@pytest.fixture
def admin(group: Group) -> APIClient:
    return browser(a_user("root", role="platform_admin"))


def rule(
    client: APIClient, owner: Group | Pool, *, status: int = 200, kind: str = "job", **says: object
) -> Any:
    of = "groups" if isinstance(owner, Group) else "pools"
    answer = client.put(f"{API}/{kind}-rules/{of}/{owner.pk}", says, format="json")
    return json_of(answer, status) if status == 200 else answer


def submit(client: APIClient, **given: object) -> Any:
    body = {name: value for name, value in {**JOB, **given}.items() if value != "left out"}
    return client.post(f"{API}/jobs", body, format="json")


def faults_of(answer: Any) -> dict[str, tuple[str, Any]]:
    problem = problem_of(answer, 422, "submission_rules_refused")
    return {
        item["pointer"]: (item["code"], item["params"].get("owner")) for item in problem["errors"]
    }


def test_defaults_stand_where_a_submission_leaves_fields_out(
    client: APIClient, admin: APIClient, group: Group, pool: Pool
) -> None:
    rule(admin, pool, defaults={"cpu_milli": 2000, "memory_mib": 2048, "priority": "low"})
    rule(admin, group, defaults={"cpu_milli": 3000})

    shown = json_of(submit(client, cpu_milli="left out", memory_mib="left out"), 202)
    assert (shown["cpu_milli"], shown["memory_mib"], shown["priority"]) == (3000, 2048, "low")
    assert json_of(submit(client, cpu_milli=500), 202)["cpu_milli"] == 500


def test_a_default_that_a_stricter_range_cuts_off_goes_to_the_range(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    rule(admin, group, defaults={"cpu_milli": 8000})
    assert group.parent is not None
    rule(admin, group.parent, ranges={"cpu_milli": {"max": 4000}})

    assert json_of(submit(client, cpu_milli="left out"), 202)["cpu_milli"] == 4000


def test_the_strictest_of_pool_and_groups_holds_and_is_named(
    client: APIClient, admin: APIClient, group: Group, pool: Pool
) -> None:
    assert group.parent is not None
    rule(admin, pool, ranges={"gpus": {"max": 4}, "replicas": {"max": 1}})
    rule(admin, group.parent, ranges={"gpus": {"max": 2}}, choices={"image": ["python"]})
    rule(admin, group, ranges={"gpus": {"max": 3}, "cpu_milli": {"min": 2000}})

    answer = submit(client, gpus=3, image="pytorch", replicas=2)
    assert faults_of(answer) == {
        "/gpus": ("rule_too_large", "lab"),
        "/image": ("rule_not_offered", "lab"),
        "/replicas": ("rule_too_large", "training"),
        "/cpu_milli": ("rule_too_small", "vision"),
    }
    assert not Workload.objects.exists()


def test_a_refusal_says_in_both_languages_whose_rule_it_is(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    rule(admin, group, ranges={"gpus": {"max": 1}})

    english = problem_of(submit(client, gpus=2), 422, "submission_rules_refused")
    assert english["errors"][0]["detail"] == "At most 1: set by group vision."
    body = {**JOB, "gpus": 2}
    answer = client.post(f"{API}/jobs", body, format="json", headers={"Accept-Language": "zh-CN"})
    assert answer.json()["errors"][0]["detail"] == "不得大于 1，由用户组 vision 规定。"


def test_what_is_locked_above_holds_below_whatever_is_said_there(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    assert group.parent is not None
    rule(admin, group.parent, defaults={"launcher": "torchrun"}, locked=["launcher"])
    rule(admin, group, defaults={"launcher": "mpi"}, locked=["launcher"])

    assert faults_of(submit(client, launcher="mpi")) == {"/launcher": ("rule_locked", "lab")}
    assert json_of(submit(client), 202)["spec"]["launcher"] == "torchrun"


@pytest.mark.parametrize("given", [{"gpus": 2}, {"gpus": None}, {"gpus": "left out", "slices": 2}])
def test_no_other_way_to_request_gpus_goes_around_a_lock(
    client: APIClient, admin: APIClient, pool: Pool, given: dict[str, Any]
) -> None:
    rule(admin, pool, defaults={"gpus": 1}, locked=["gpus"])

    assert submit(client, **given).status_code in (400, 422)
    assert not Workload.objects.exists()
    assert submit(client, gpus="left out").status_code == 202


def test_required_fields_must_be_filled_in(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    rule(admin, group, required=["time_limit_s", "env"])

    assert faults_of(submit(client, env={})) == {
        "/time_limit_s": ("rule_required", "vision"),
        "/env": ("rule_required", "vision"),
    }
    assert submit(client, time_limit_s=3600, env={"A": "1"}).status_code == 202


def test_a_time_limit_that_is_left_out_keeps_to_the_range(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    rule(admin, group, ranges={"time_limit_s": {"max": 600}})

    assert json_of(submit(client), 202)["time_limit_s"] == 600
    assert faults_of(submit(client, time_limit_s=601)) == {
        "/time_limit_s": ("rule_too_large", "vision")
    }


def test_notebooks_have_rules_of_their_own(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    rule(admin, group, ranges={"cpu_milli": {"max": 500}})
    rule(admin, group, kind="environment", ranges={"slices": {"max": 2}})

    url = f"{API}/environments"
    assert client.post(url, NOTEBOOK, format="json").status_code == 202
    refused = client.post(url, {**NOTEBOOK, "slices": 3}, format="json")
    assert faults_of(refused) == {"/slices": ("rule_too_large", "vision")}


def test_arrays_yaml_and_dry_runs_are_held_to_them_too(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    rule(admin, group, ranges={"gpus": {"max": 1}})
    expected = {"/gpus": ("rule_too_large", "vision")}

    array = client.post(f"{API}/job-arrays", {**JOB, "gpus": 2, "array": "0-1"}, format="json")
    assert faults_of(array) == expected
    manifest = "apiVersion: berth/v1\nkind: Job\n" + "".join(
        f"{name}: {value}\n" for name, value in {**JOB, "gpus": 2}.items()
    )
    answer = client.generic("POST", f"{API}/jobs", manifest, content_type="application/yaml")
    assert faults_of(answer) == expected
    assert answer.json()["errors"][0]["line"] == 7
    asked = {name: JOB[name] for name in ("group", "cpu_milli", "memory_mib")}
    dry = {**asked, "kind": "training", "gpus": 2}
    assert faults_of(client.post(f"{API}/workloads/dry-run", dry, format="json")) == expected


def test_what_exists_is_untouched_and_what_changes_is_held_to_them(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    shown = json_of(submit(client, gpus=2, time_limit_s=1800), 202)
    rule(admin, group, ranges={"gpus": {"max": 1}, "time_limit_s": {"max": 3600}})
    url = f"{API}/jobs/{shown['id']}"

    assert json_of(client.get(url))["gpus"] == 2
    assert json_of(client.patch(url, {"priority": "low"}, format="json"))["gpus"] == 2
    more = client.patch(url, {"cpu_milli": 2000}, format="json")
    assert faults_of(more) == {"/gpus": ("rule_too_large", "vision")}
    longer = client.patch(url, {"time_limit_s": 4000}, format="json")
    problem_of(longer, 422, "time_limit_too_long")
    assert json_of(client.patch(url, {"gpus": 1}, format="json"))["gpus"] == 1


def test_a_template_fills_in_before_the_rules_and_cannot_get_around_them(
    client: APIClient, admin: APIClient, group: Group
) -> None:
    rule(admin, group, defaults={"cpu_milli": 2000}, ranges={"gpus": {"max": 1}})
    settings = {"cpu_milli": 500, "gpus": 2}
    kept = {"name": "Big", "settings": settings}
    template = json_of(client.post(f"{API}/job-templates", kept, format="json"), 201)["id"]

    mine = {"template": template, "cpu_milli": "left out"}
    assert json_of(submit(client, **mine), 202)["cpu_milli"] == 500
    assert faults_of(submit(client, **mine, gpus="left out")) == {
        "/gpus": ("rule_too_large", "vision")
    }


def test_group_admins_set_those_of_their_groups_and_others_none(
    client: APIClient, group: Group, pool: Pool
) -> None:
    head = browser(a_member(group, username="head", role="group_admin"))
    says: dict[str, Any] = {"ranges": {"gpus": {"max": 1}}}
    assert group.parent is not None

    assert rule(head, group, **says)["may_change"] is True
    for who, owner, status in (
        (client, group, 403),
        (head, pool, 403),
        (head, group.parent, 404),
        (head, a_group("other"), 404),
    ):
        assert rule(who, owner, status=status, **says).status_code == status
    shown = json_of(client.get(f"{API}/job-rules/groups/{group.pk}"))
    assert (shown["ranges"], shown["may_change"]) == ({"gpus": {"max": 1}}, False)


def test_the_log_keeps_what_was_said_before(admin: APIClient, group: Group) -> None:
    rule(admin, group, ranges={"gpus": {"max": 2}})
    rule(admin, group, ranges={"gpus": {"max": 1}}, version=1)
    stale = rule(admin, group, status=409, ranges={"gpus": {"max": 4}}, version=1)
    problem_of(stale, 409, "changed_by_another")
    rule(admin, group)

    events = AuditEvent.objects.filter(action="submission_rules.change").order_by("pk")
    ends = [(e.params["before"]["ranges"], e.params["after"]["ranges"]) for e in events]
    two, one = {"gpus": {"max": 2}}, {"gpus": {"max": 1}}
    assert ends == [({}, two), (two, one), (one, {})]
    assert not SubmissionRules.objects.exists()


@pytest.mark.parametrize(
    ("says", "pointer", "code"),
    [
        ({"defaults": {"name": "x"}}, "/defaults/name", "rule_field"),
        ({"defaults": {"gpus": -1}}, "/defaults/gpus", "too_small"),
        ({"locked": ["gpus"]}, "/locked", "rule_lock_without_default"),
        ({"required": ["name"]}, "/required", "rule_required_field"),
        ({"ranges": {"image": {"min": 1}}}, "/ranges/image", "rule_not_number"),
        ({"ranges": {"gpus": {}}}, "/ranges/gpus", "rule_range_empty"),
        ({"ranges": {"gpus": {"min": 2, "max": 1}}}, "/ranges/gpus", "rule_range_reversed"),
        ({"choices": {"gpus": ["1"]}}, "/choices/gpus", "rule_not_word"),
        ({"choices": {"launcher": ["srun"]}}, "/choices/launcher", "invalid_choice"),
        ({"choices": {"image": []}}, "/choices/image", "rule_choices_empty"),
        (
            {"defaults": {"gpus": 3}, "ranges": {"gpus": {"max": 2}}},
            "/defaults/gpus",
            "rule_default_refused",
        ),
    ],
)
def test_rules_that_nothing_could_keep_are_refused(
    admin: APIClient, group: Group, says: dict[str, Any], pointer: str, code: str
) -> None:
    problem = problem_of(rule(admin, group, status=400, **says), 400, "invalid_input")
    assert [(item["pointer"], item["code"]) for item in problem["errors"]] == [(pointer, code)]
    assert problem["errors"][0]["detail"]


def test_the_form_learns_what_holds_for_a_group_in_a_pool(
    client: APIClient, admin: APIClient, group: Group, pool: Pool
) -> None:
    rule(admin, pool, defaults={"gpus": 1}, ranges={"gpus": {"max": 4}})
    rule(admin, group, ranges={"gpus": {"min": 1, "max": 2}}, required=["gpus"])

    found = json_of(client.get(f"{API}/job-rules?group=vision&pool=training"))
    (gpus,) = found
    sources = [(by["scope"], by["name"]) for by in gpus["sources"]]
    assert sources == [("pool", "training"), ("group", "vision")]
    assert gpus == {
        "field": "gpus",
        "default": 1,
        "is_locked": False,
        "is_required": True,
        "min": 1,
        "max": 2,
        "choices": None,
        "sources": gpus["sources"],
    }
    assert json_of(client.get(f"{API}/job-rules?group=vision")) == found
    stranger = browser(a_member(a_group("other"), username="eve"))
    assert json_of(stranger.get(f"{API}/job-rules?group=vision")) == []


def test_a_token_needs_the_scope_to_change_rules(group: Group) -> None:
    head = a_member(group, username="head", role="group_admin")
    url = f"{API}/job-rules/groups/{group.pk}"

    assert pipeline(head, "group.view").get(url).status_code == 200
    assert pipeline(head, "group.view").put(url, {}, format="json").status_code == 403
    writer = pipeline(head, "submission_rules.edit")
    assert writer.put(url, {"required": ["gpus"]}, format="json").status_code == 200
