"""The list of people in the order that was asked for."""

import pytest

from tests.builders.people import a_user
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_people_are_sorted_by_user_name_across_pages() -> None:
    admin = a_user(role="platform_admin")
    for _ in range(4):
        a_user()
    client, seen = browser(admin), []
    url: str | None = f"{API}/users?ordering=username&page_size=2"
    while url:
        page = json_of(client.get(url))
        seen += [row["username"] for row in page["results"]]
        url = page["next"]
    assert len(seen) == 5
    assert seen == sorted(seen)
    last = json_of(client.get(f"{API}/users?ordering=-username&page_size=1"))["results"]
    assert [row["username"] for row in last] == seen[-1:]
    problem_of(client.get(f"{API}/users?ordering=password"), 400, "invalid_input")
