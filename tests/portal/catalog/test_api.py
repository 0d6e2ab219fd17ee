"""Images over REST."""

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.builders.machines import an_image
from tests.builders.people import a_user
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_only_active_images_are_offered_and_references_stay_inside() -> None:
    an_image("python")
    old = an_image("old")
    old.is_active = False
    old.save()
    [shown] = json_of(browser(a_user()).get(f"{API}/images"))["results"]
    assert shown["name"] == "python"
    assert "reference" not in shown


def test_image_list_takes_constant_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    client = browser(a_user())
    for _ in range(20):
        an_image()
    with django_assert_max_num_queries(5):
        assert len(json_of(client.get(f"{API}/images"))["results"]) == 20
