"""Docstrings, comments and pages name what is there."""

from typing import Final

import pytest

from tests.architecture.prose import known
from tests.architecture.prose.spans import Span, spans

OTHERS: Final = {
    "api.pull",  # the Docker SDK
    "daemon.json",  # of Docker
    "deepspeed.initialize",
    "gpustack_runtime.detector.Device",
    "libvgpu.so",  # of HAMi
    "li.wei",  # a person of the demo
    "name.value",  # a pattern
    "object.verb",  # a pattern
    "pg_trigger.tgtype",  # of PostgreSQL
    "v1.kernel.websocket.jupyter.org",
    "websocket.connect",  # of ASGI
    "week.png",  # written for the caller
    "week.svg",  # written for the caller
    "what.workload",  # a key of a catalogue of sentences
}
"""Names of other software, and files that come to be elsewhere."""


def _gone(kind: str) -> list[str]:
    found = (span for span in spans() if span.kind == kind and span.text not in OTHERS)
    return sorted(str(span) for span in found if not _is_there(span))


def _is_there(span: Span) -> bool:
    is_dotted = span.kind == "dotted"
    return known.has_dotted(span.text, span.path) if is_dotted else known.has_path(span.text)


def test_every_dotted_name_is_something() -> None:
    assert _gone("dotted") == []


def test_every_path_is_there() -> None:
    assert _gone("path") == []


def test_every_test_that_is_named_is_there() -> None:
    named = [span for span in spans() if span.kind == "test"]

    assert [str(span) for span in named if span.text not in known.tests()] == []


def test_list_of_other_names_is_no_longer_than_it_must_be() -> None:
    assert {span.text for span in spans()} >= OTHERS


@pytest.mark.parametrize(
    ("name", "near", "is_there"),
    [
        ("portal.workloads.models.Workload.state", "README.md", True),
        ("portal.workloads.models.Workload.mood", "README.md", False),
        ("portal.workloads.serializers", "README.md", False),
        ("api.serializers", "portal/catalog/services.py", True),
        ("api.serializers", "portal/audit/services.py", True),
        ("models.User", "portal/identity/services.py", True),
        ("models.Pool", "portal/identity/services.py", False),
        ("workload.state", "docs/glossary.md", True),
        ("workload.submit", "docs/glossary.md", True),
        ("workload.mood", "docs/glossary.md", False),
        ("manage.py", "README.md", True),
    ],
)
def test_dotted_name_is_looked_for_near_its_place_first(
    name: str, near: str, *, is_there: bool
) -> None:
    assert known.has_dotted(name, near) is is_there


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("portal/workloads/models/usage.py", True),
        ("portal/workloads/api", True),
        ("workloads/models", True),
        ("portal/*/models.py", True),
        ("portal/workloads/moods.py", False),
        ("docs/adr/0025", True),
        ("docs/adr/0999", False),
        ("tests/architecture/test_prose.py::test_every_path_is_there", True),
        ("tests/architecture/test_prose.py::test_nothing", False),
        ("logs/<id>", True),
    ],
)
def test_path_is_looked_for_when_its_folder_is_ours(name: str, *, is_there: bool) -> None:
    assert known.has_path(name) is is_there
