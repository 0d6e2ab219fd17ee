"""Nasty values in every field of every body: refused with words, never a fault of ours.

The bodies come from the OpenAPI document, so that a new endpoint is covered by being there. Fields that
stand beside each other get one quarter of the values each: four in a row get them all.
`test_conformance` sends what merely breaks the document; here is what somebody with bad intent sends.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import pytest
from django.db import connection
from rest_framework.test import APIClient

from portal.common.ids import new_id
from portal.common.redis_client import get_redis_client
from portal.identity.models import ApiToken, User
from portal.inventory.models import JoinToken
from portal.workloads.models import Workload
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member
from tests.rest import browser, openapi

NASTY: tuple[Any, ...] = (
    None,
    True,
    0,
    2**63,
    -(2**70),
    1.5,
    -0.0,
    "",
    " ",
    "1",
    "../../etc/passwd",
    "a\x1b[31mb",
    "\u202egnp.exe",
    "x" * 70_000,
    "$(id)",
    [],
    ["x"] * 1000,
    [[[[]]]],
    {},
    {"LD_PRELOAD": "x", "A=B": "y", "": "z"},
)
RAW: tuple[bytes, ...] = (
    b"",
    b"null",
    b"[]",
    b"{",
    b'{"name": "a", "name": "b"}',
    b"\xff\xfe",
    b'{"name": "\\ud800"}',
    b'{"name": NaN}',
    b"[" * 5000,
    b'{"a":"' + b"x" * 300_000 + b'"}',
)
QUARTERS: Final = 4
PARTS: Final = 2
"""The bodies are tried in so many tests, which run side by side."""
QUERIES = (
    "page_size=-1",
    "cursor=%00",
    "state=%00",
    "search=%00",
    "search=" + "(" * 2000,
    "group=1%20or%201=1",
    "kind=x&kind=y",
    "active=maybe",
    "owner=%F0%9F%98%80",
    "ordering=user__password",
)


def bodies() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, path and the properties of every operation that takes a body."""
    schema = openapi()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
            if shape := schema["components"]["schemas"].get(reference.rpartition("/")[2]):
                yield method.upper(), path, shape.get("properties", {})


def lists() -> list[str]:
    """Return the path of every operation that pages."""
    schema = openapi()
    return [
        path
        for path, methods in schema["paths"].items()
        if any(p["name"] == "page_size" for p in methods.get("get", {}).get("parameters", []))
    ]


@pytest.fixture
def client() -> APIClient:
    """Return a group admin's client in a small cluster."""
    a_node(a_pool("pool", slices=8))
    an_image("image")
    return browser(a_member(a_group("group"), "group_admin"))


def sensible(name: str, shape: dict[str, Any]) -> Any:
    """Return an ordinary value for a field."""
    known = {
        "name": "ok",
        "group": "group",
        "pool": "pool",
        "image": "image",
        "kind": "training",
        "priority": "normal",
        "slices": 1,
        "gpus": 0,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "time_limit_s": 3600,
        "script": "",
        "command": ["true"],
        "scopes": ["me.view"],
        "preemptible": False,
        "priority_until": None,
    }
    if name in known:
        return known[name]
    return {"integer": 1, "array": [], "object": {}}.get(str(shape.get("type")), str(new_id()))


def rows() -> int:
    """Return how many things there are that a request may create."""
    return sum(kind.objects.count() for kind in (Workload, ApiToken, JoinToken, User))


def send(client: APIClient, method: str, address: str, body: bytes = b"") -> Any:
    """Send one request and check what holds for every answer."""
    answer: Any = client.generic(method, address, body, "application/json")  # type: ignore[arg-type]  # bytes are taken as they are
    what = (method, address, body[:300], answer.status_code, answer.content[:500])
    assert answer.status_code < 500, what
    assert answer.status_code != 429, what
    if answer.status_code >= 400:
        assert answer["Content-Type"] == "application/problem+json", what
        assert answer.json()["detail"], what
    return answer


@pytest.mark.django_db
class TestBadInput:
    """Counters are emptied between the rounds, so that no limit ends the attack early."""

    @pytest.fixture(autouse=True)
    def _limits(self, redis_url: str) -> None:
        self.redis = get_redis_client()

    @pytest.mark.timeout(900)  # thousands of requests, on a busy machine too
    @pytest.mark.parametrize("part", range(PARTS))
    def test_every_field_of_every_body(self, client: APIClient, part: int) -> None:
        statuses: Counter[int] = Counter()
        for method, path, shapes in islice(bodies(), part, None, PARTS):
            good = {name: sensible(name, shape) for name, shape in shapes.items()}
            for number, name in enumerate(good):
                self.redis.flushdb()
                before, answers = rows(), Counter[int]()
                for value in NASTY if len(good) == 1 else NASTY[number % QUARTERS :: QUARTERS]:
                    body = json.dumps({**good, name: value}).encode()
                    answers[send(client, method, _filled(path), body).status_code] += 1
                assert rows() - before <= answers[201] + answers[202], (method, path, name)
                statuses += answers
        assert statuses[400] > 300
        connection.check_constraints()

    def test_every_raw_body(self, client: APIClient) -> None:
        for method, path, _ in bodies():
            self.redis.flushdb()
            for raw in RAW:
                assert send(client, method, _filled(path), raw).status_code >= 400

    def test_no_compressed_body_is_read(self, client: APIClient) -> None:
        self.redis.flushdb()
        for method, path, _ in bodies():
            answer: Any = client.generic(
                method,
                _filled(path),
                gzip.compress(b"{}").decode("latin-1"),
                "application/json",
                headers={"Content-Encoding": "gzip"},
            )
            refused = (answer.status_code, answer.json()["code"])
            assert refused == (415, "encoding_unsupported") or answer.status_code in (403, 404), (
                path
            )
            if answer.status_code == 415:
                assert answer["Accept-Encoding"] == "identity"

    def test_every_query(self, client: APIClient) -> None:
        assert len(lists()) >= 6
        for path in lists():
            self.redis.flushdb()
            for query in QUERIES:
                send(client, "GET", f"{_filled(path)}?{query}")


def _filled(path: str) -> str:
    parts = [str(new_id()) if part.startswith("{") else part for part in path.split("/")]
    return "/".join(parts)
