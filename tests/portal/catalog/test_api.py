"""Images over REST."""

import pytest
from pytest_django import DjangoAssertNumQueries

from portal.audit.models import AuditEvent
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_only_active_images_are_offered_and_references_stay_inside() -> None:
    an_image("python")
    old = an_image("old")
    old.is_active = False
    old.save()
    [shown] = json_of(browser(a_user()).get(f"{API}/images"))["results"]
    assert shown["name"] == "python"
    assert shown["reference"] is None


def test_image_list_takes_constant_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    client = browser(a_user())
    for _ in range(20):
        an_image()
    with django_assert_max_num_queries(5):
        assert len(json_of(client.get(f"{API}/images"))["results"]) == 20


def test_administrators_allow_change_and_withdraw_images_and_each_act_is_audited() -> None:
    admin = browser(a_user(role="platform_admin"))
    body = {
        "name": "torch-2.9",
        "title_en": "PyTorch 2.9",
        "title_zh": "PyTorch 2.9",
        "reference": "registry.example.org/ml/torch:2.9@sha256:" + 64 * "a",
        "for_training": True,
    }

    made = json_of(admin.post(f"{API}/images", body, format="json"), 201)
    problem_of(admin.post(f"{API}/images", body, format="json"), 409, "image_name_taken")
    address = f"{API}/images/{made['id']}"
    changed = json_of(admin.patch(address, {"is_active": False}, format="json"))

    assert (made["is_active"], made["for_environments"]) == (True, False)
    assert (changed["is_active"], changed["reference"]) == (False, body["reference"])
    assert [item["name"] for item in json_of(admin.get(f"{API}/images"))["results"]] == [
        "torch-2.9"
    ]
    assert json_of(browser(a_user()).get(f"{API}/images"))["results"] == []
    acts = list(AuditEvent.objects.order_by("id").values_list("action", flat=True))
    assert acts == ["image.create", "image.change"]


def test_nobody_else_says_what_may_run() -> None:
    image = an_image()
    for user in (a_user(role="operator"), a_member(a_group(), "group_admin")):
        client = browser(user)
        body = {"name": "x", "title_en": "X", "title_zh": "X", "reference": "x"}
        problem_of(client.post(f"{API}/images", body, format="json"), 403, "denied")
        problem_of(client.patch(f"{API}/images/{image.pk}", {}, format="json"), 403, "denied")


@pytest.mark.parametrize("reference", ["", "-v", "a b", "$(x)", "x" * 301, "a\nb"])
def test_what_no_engine_could_name_is_refused(reference: str) -> None:
    admin = browser(a_user(role="platform_admin"))
    answer = admin.patch(f"{API}/images/{an_image().pk}", {"reference": reference}, format="json")
    assert answer.status_code in (400, 422)
    assert {fault["pointer"] for fault in answer.json()["errors"]} == {"/reference"}


@pytest.mark.parametrize("name", [1, 1.5, True])
def test_a_name_is_a_string_not_what_could_be_one(name: object) -> None:
    admin = browser(a_user(role="platform_admin"))
    body = {"name": name, "title_en": "A", "title_zh": "A", "reference": "a"}
    refused = problem_of(admin.post(f"{API}/images", body, format="json"), 400, "invalid_input")
    [fault] = refused["errors"]
    assert (fault["pointer"], fault["code"]) == ("/name", "not_a_string")
