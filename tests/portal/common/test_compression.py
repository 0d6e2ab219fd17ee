"""JSON travels compressed, files as they are."""

import gzip

import pytest
from rest_framework.test import APIClient

from tests.builders.people import a_user
from tests.rest import browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def client() -> APIClient:
    return browser(a_user())


def test_a_long_json_answer_is_compressed_for_who_accepts_it(client: APIClient) -> None:
    plain = client.get("/api/schema")
    packed = client.get("/api/schema", headers={"Accept-Encoding": "gzip"})

    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 5


def test_a_short_answer_stays_as_it_is(client: APIClient) -> None:
    answer = client.get("/api/v1/jobs", headers={"Accept-Encoding": "gzip"})

    assert "Content-Encoding" not in answer
