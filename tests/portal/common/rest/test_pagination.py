"""Pages by cursor."""

import pytest

from tests.builders.machines import an_image
from tests.builders.people import a_user
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_pages_run_newest_first_there_and_back_and_never_shift() -> None:
    names = [an_image().name for _ in range(5)][::-1]
    client = browser(a_user())
    first = json_of(client.get(f"{API}/images?page_size=2"))
    an_image("newer")
    second = json_of(client.get(first["next"]))
    third = json_of(client.get(second["next"]))
    shown = [row["name"] for page in (first, second, third) for row in page["results"]]
    assert shown == names
    assert first["previous"] is None
    assert third["next"] is None
    back = json_of(client.get(third["previous"]))
    assert back["results"] == second["results"]
    assert json_of(client.get(back["previous"]))["results"] == first["results"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("page_size=0", "bad_page_size"),
        ("page_size=201", "bad_page_size"),
        ("page_size=-1", "bad_page_size"),
        ("page_size=1e9", "bad_page_size"),
        ("page_size=٣", "bad_page_size"),
        ("cursor=", "bad_cursor"),
        ("cursor=%00", "bad_cursor"),
        ("cursor=abc", "bad_cursor"),
        ("cursor=YWZ0ZXI6bm8tdXVpZA==", "bad_cursor"),
        ("cursor=bmV4dDox", "bad_cursor"),
        ("cursor=" + "x" * 10_000, "bad_cursor"),
    ],
)
def test_other_pages_than_ours_are_refused(query: str, code: str) -> None:
    problem_of(browser(a_user()).get(f"{API}/images?{query}"), 400, code)


def test_the_largest_page_is_allowed() -> None:
    assert json_of(browser(a_user()).get(f"{API}/images?page_size=200"))["results"] == []
