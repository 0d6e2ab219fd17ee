"""Tags of answers: nobody is sent again what they have, or writes over what they have not read."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.alarms.kinds import AlarmKind
from portal.common.rest.etags import TAGGED_BYTES_MAX, matches, tag_of
from portal.inventory.models import Pool
from portal.templates.models import SubmissionTemplate
from portal.tenancy.models import Group
from tests.builders.apps import an_app
from tests.builders.machines import a_pool, an_image
from tests.builders.people import a_group, a_user
from tests.builders.workloads import a_workload
from tests.portal.alarms.scenes import only_rule
from tests.rest import API, browser, json_of, openapi, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

Seen = tuple[str, int]
"""Address and version of what is changed."""


@pytest.fixture
def admin() -> APIClient:
    return browser(a_user("me", role="platform_admin"))


@pytest.fixture
def other() -> APIClient:
    return browser(a_user("li.wei", role="platform_admin"))


def test_what_the_client_has_is_not_sent_again(admin: APIClient, other: APIClient) -> None:
    first = admin.get(f"{API}/site-settings")
    again = admin.get(f"{API}/site-settings", headers={"If-None-Match": first["ETag"]})
    listed = admin.get(f"{API}/site-settings", headers={"If-None-Match": f'"x", {first["ETag"]}'})
    anything = admin.get(f"{API}/site-settings", headers={"If-None-Match": "*"})

    for answer in (again, listed, anything):
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer["ETag"] == first["ETag"]
        assert answer["Cache-Control"] == "private, no-cache"
        assert "Content-Type" not in answer

    json_of(other.patch(f"{API}/site-settings", {"currency": "EUR"}, "json"))
    changed = admin.get(f"{API}/site-settings", headers={"If-None-Match": first["ETag"]})
    assert json_of(changed)["currency"] == "EUR"
    assert changed["ETag"] != first["ETag"]


def test_the_tag_is_of_the_content_also_where_it_is_compressed(admin: APIClient) -> None:
    work = a_workload(a_user(), a_group(), a_pool())
    path = f"{API}/jobs/{work.pk}"
    plain, packed = admin.get(path), admin.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert packed["ETag"] == plain["ETag"]
    same = admin.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": plain["ETag"]})
    assert same.status_code == 304


def test_lists_refusals_and_large_answers_have_none(
    admin: APIClient, set_site: Callable[..., None]
) -> None:
    a_pool()
    for path in ("pools", "volumes", "jobs/01a22000-0000-7000-8000-000000000000"):
        assert "ETag" not in admin.get(f"{API}/{path}"), path
    assert "ETag" not in admin.patch(f"{API}/site-settings", {"currency": "EUR"}, "json")


def test_what_is_no_setting_of_all_stays_out_of_caches_and_has_a_tag(admin: APIClient) -> None:
    me = admin.get(f"{API}/me")
    assert me["Cache-Control"] == "no-store"
    assert admin.get(f"{API}/me", headers={"If-None-Match": me["ETag"]}).status_code == 304


def pool(_admin: APIClient) -> Seen:
    return f"pools/{a_pool('one').pk}", 0


def image(_admin: APIClient) -> Seen:
    return f"images/{an_image('python').pk}", 0


def web_app(_admin: APIClient) -> Seen:
    return f"apps/{an_app('viewer').pk}", 0


def alarm_rule(_admin: APIClient) -> Seen:
    return f"alarm-rules/{only_rule(AlarmKind.GPU_IDLE).pk}", 0


def site(_admin: APIClient) -> Seen:
    return "site-settings", 0


@pytest.mark.parametrize(
    ("make", "mine", "theirs"),
    [
        (pool, {"title_en": "Mine"}, {"title_en": "Theirs"}),
        (image, {"title_en": "Mine"}, {"for_training": False}),
        (web_app, {"title_en": "Mine"}, {"idle_s": 3600}),
        (alarm_rule, {"severity": "info"}, {"severity": "critical"}),
        (site, {"currency": "CNY"}, {"currency": "EUR"}),
    ],
)
def test_a_write_of_what_another_has_changed_since_is_refused(
    admin: APIClient,
    other: APIClient,
    make: Callable[[APIClient], Seen],
    mine: dict[str, Any],
    theirs: dict[str, Any],
) -> None:
    path = f"{API}/{make(admin)[0]}"
    first = json_of(admin.patch(path, mine, "json"))["version"]
    second = json_of(other.patch(path, theirs, "json"))["version"]
    assert second > first

    refused = admin.patch(path, mine, "json", headers={"If-Match": f'"{first}"'})
    problem = problem_of(refused, 412, "changed_by_another")
    assert problem["params"]["who"] == "li.wei"
    assert problem["title"] == "A condition of the request does not hold"

    tag = f'W/"{second}-0123456789abcdef"'
    saved = json_of(admin.patch(path, mine, "json", headers={"If-Match": tag}))
    assert {name: saved[name] for name in mine} == mine


def test_the_tag_of_an_answer_is_what_a_write_takes(admin: APIClient, other: APIClient) -> None:
    path = f"{API}/pools/{a_pool('one').pk}/policy"
    seen = admin.get(path)
    put = json_of(seen)["policy"]
    theirs = {**put, "grace_s": put["grace_s"] + 1}
    json_of(other.put(path, theirs, "json", headers={"If-Match": seen["ETag"]}))
    stale = admin.put(path, put, "json", headers={"If-Match": seen["ETag"]})
    problem_of(stale, 412, "changed_by_another")
    fresh = admin.get(path)["ETag"]
    json_of(admin.put(path, put, "json", headers={"If-Match": fresh}))


def test_templates_and_rules_count_their_own_versions(admin: APIClient) -> None:
    group = a_group("vision")
    rules = f"{API}/job-rules/groups/{group.pk}"
    first = admin.get(rules)["ETag"]
    says = {"ranges": {"gpus": {"max": 1}}}
    json_of(admin.put(rules, says, "json", headers={"If-Match": first}))
    stale = admin.put(rules, says, "json", headers={"If-Match": first})
    problem_of(stale, 412, "changed_by_another")

    settings = {"image": "python", "command": ["true"], "gpus": 1}
    an_image("python")
    made = json_of(
        admin.post(f"{API}/job-templates", {"name": "Run", "settings": settings}, "json"), 201
    )
    own = f"{API}/job-templates/{made['id']}"
    tag = admin.get(own)["ETag"]
    change = {"name": "Other", "settings": settings}
    json_of(admin.put(own, change, "json", headers={"If-Match": tag}))
    problem_of(admin.put(own, change, "json", headers={"If-Match": tag}), 412, "changed_by_another")
    assert SubmissionTemplate.objects.get().version == 2


def test_the_version_in_the_header_counts_and_not_the_one_in_the_body(
    admin: APIClient, other: APIClient
) -> None:
    path = f"{API}/site-settings"
    seen = json_of(admin.get(path))["version"]
    now = json_of(other.patch(path, {"currency": "EUR"}, "json"))["version"]
    body = {"currency": "CNY", "version": now}
    refused = admin.patch(path, body, "json", headers={"If-Match": f'"{seen}"'})
    problem_of(refused, 412, "changed_by_another")
    old = {"currency": "CNY", "version": seen}
    assert json_of(admin.patch(path, old, "json", headers={"If-Match": f'"{now}"'}))
    problem_of(admin.patch(path, old, "json"), 409, "changed_by_another")


@pytest.mark.parametrize("tag", ["12", '"a"', 'W/"0123456789abcdef0123"', '"1", "2"', '""', "w/1"])
def test_a_tag_of_another_kind_saves_nothing(admin: APIClient, tag: str) -> None:
    made = a_pool("one")
    before = Pool.objects.get().title_en
    answer = admin.patch(
        f"{API}/pools/{made.pk}", {"title_en": "Mine"}, "json", headers={"If-Match": tag}
    )
    problem_of(answer, 412, "if_match_unknown")
    assert Pool.objects.get().title_en == before


def test_a_condition_that_cannot_be_checked_is_not_passed_over(admin: APIClient) -> None:
    group = a_group("vision")
    path = f"{API}/groups/{group.pk}"
    for method in (admin.delete, admin.post):
        answer = method(path, headers={"If-Match": '"1"'})
        assert answer.status_code in (405, 412), answer.content
    assert Group.objects.filter(pk=group.pk).exists()
    anything = admin.delete(f"{API}/pools/{a_pool('gone').pk}", headers={"If-Match": "*"})
    assert anything.status_code == 204


def test_every_body_with_a_version_also_takes_the_header() -> None:
    document = openapi()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            name = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
            shape = document["components"]["schemas"].get(name, {})
            about = shape.get("properties", {}).get("version", {}).get("description", "")
            headers = {each["name"] for each in operation.get("parameters", ())}
            if method != "get":
                takes = "The version that was read" in about
                assert takes == ("If-Match" in headers), (path, method)


def test_tags_are_compared_as_weak_ones() -> None:
    tag = tag_of(b"{}", 7)
    assert tag.startswith('W/"7-')
    assert matches(tag, tag)
    assert matches(tag.removeprefix("W/"), tag)
    assert matches(f'"other",{tag}', tag)
    assert matches("*", tag)
    assert not matches("", tag)
    assert not matches(tag_of(b"{ }", 7), tag)
    assert not matches(tag_of(b"{}", None), tag)
    assert TAGGED_BYTES_MAX >= 1024
