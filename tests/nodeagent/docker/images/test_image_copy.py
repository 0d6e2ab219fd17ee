"""What is reported of an image, from what an engine's inspection says."""

import pytest

from nodeagent.docker.images.image_copy import describe_copy

A, B = f"sha256:{64 * 'a'}", f"sha256:{64 * 'b'}"


@pytest.mark.parametrize(
    ("reference", "digest"),
    [
        ("hub:5000/a/python:3", A),
        (f"hub:5000/a/python@{A}", A),
        ("hub:5000/a/python", A),
        ("other.example.org/python:3", B),
        ("python:3", ""),
    ],
)
def test_the_digest_is_the_one_of_the_registry_in_the_reference(
    reference: str, digest: str
) -> None:
    attrs = {"RepoDigests": [f"hub:5000/a/python@{A}", f"other.example.org/python@{B}"]}
    assert describe_copy(reference, attrs, 0, 0).digest == digest


@pytest.mark.parametrize(
    ("tagged", "since"),
    [
        ("2026-01-01T00:00:00.123456789Z", 1_767_225_600_123),
        ("2026-01-01T01:00:00.5+01:00", 1_767_225_600_500),
        ("0001-01-01T00:00:00Z", 0),
        ("soon", 0),
        ("", 0),
    ],
)
def test_the_time_is_that_of_the_tag_where_the_engine_knows_it(tagged: str, since: int) -> None:
    attrs = {"Metadata": {"LastTagTime": tagged}, "Size": 7, "RootFS": {"Layers": ["x", "y"]}}
    copy = describe_copy("python:3", attrs, 0, 5)
    assert copy.since == since
    assert (copy.size_bytes, copy.layers, copy.used_at) == (7, 2, 5)


def test_what_the_agent_has_noted_goes_before_the_time_of_the_tag() -> None:
    attrs = {"Metadata": {"LastTagTime": "2026-01-01T00:00:00Z"}}
    assert describe_copy("python:3", attrs, 7, 0).since == 7


def test_an_engine_that_says_little_is_no_fault() -> None:
    copy = describe_copy("python:3", {"RepoDigests": None, "Metadata": None, "RootFS": None}, 0, 0)
    assert (copy.digest, copy.size_bytes, copy.layers, copy.since) == ("", 0, 0, 0)
