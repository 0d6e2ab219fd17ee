"""What the live process answers itself is in the OpenAPI document, and what is there it answers."""

import re
from typing import Any

import pytest

from portal.common.asgi.types import Receive, Scope, Send
from portal.common.rest.live_endpoints import LiveEndpoint, LiveOperation
from portal.common.rest.live_schema import path_of
from portal.config.live_routes import LIVE_ENDPOINTS, PortalApps, build_routes
from portal.config.routing import EndpointsRoute, Route
from portal.live.frames import PageCloseCode
from tests.portal.api_contract.routes import operations
from tests.rest import openapi

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


async def nobody(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise AssertionError


ROUTES = build_routes(PortalApps(nobody, nobody, nobody, nobody, nobody, nobody, nobody))


def described() -> dict[tuple[str, str], Any]:
    return {
        (path, method.upper()): operation
        for path, methods in openapi()["paths"].items()
        for method, operation in methods.items()
    }


def scope_of(path: str, kind: str) -> Scope:
    return {"type": kind, "raw_path": path.encode(), "headers": []}


def test_every_route_of_the_live_process_is_described_but_those_of_nodes_and_of_web() -> None:
    *others, web = [route for route in ROUTES if isinstance(route, Route)]
    assert web.path is None
    assert all(route.path and route.path.pattern.startswith("/node/") for route in others)
    routed = [
        (path_of(endpoint), method, operation.id)
        for route in ROUTES
        if isinstance(route, EndpointsRoute)
        for endpoint in route.endpoints
        for method, operation in endpoint.operations.items()
    ]
    assert len(routed) >= 20
    known = described()
    assert [known[path, method]["operationId"] for path, method, _ in routed] == [
        named for *_, named in routed
    ]


def test_every_operation_of_the_document_is_served_by_web_or_the_live_process() -> None:
    by_web = {
        ("/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route.pattern), method)
        for route, method in operations()
    }
    shown = {(path, method) for path, method in described() if path.startswith("/api/v1")}
    by_live = {
        (path_of(endpoint), method)
        for endpoint in LIVE_ENDPOINTS
        for method in endpoint.operations
        if endpoint.route.startswith("api/v1")
    }
    assert by_web | by_live == shown
    assert not by_web & by_live


@pytest.mark.parametrize("endpoint", LIVE_ENDPOINTS, ids=path_of)
def test_a_described_endpoint_is_found_before_web(endpoint: LiveEndpoint[Any]) -> None:
    named = "0190d3a0-0000-7000-8000-000000000001"
    path = path_of(endpoint).replace("{path}", "a/b%20c")
    for each in ("volume_id", "upload_id", "workload_id"):
        path = path.replace(f"{{{each}}}", named)
    kinds = {True: "websocket", False: "http"}
    found = next(
        route for route in ROUTES if route.matches(scope_of(path, kinds[endpoint.is_socket]))
    )
    assert isinstance(found, EndpointsRoute)
    assert endpoint in found.endpoints
    other = next(
        (route for route in ROUTES if route.matches(scope_of(path, kinds[not endpoint.is_socket]))),
        None,
    )
    assert other is None or isinstance(other, Route)


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/jobs/0190d3a0-0000-7000-8000-000000000001/outputs",
        "/api/v1/jobs/0190D3A0-0000-7000-8000-000000000001/wait",
        "/api/v1/jobs/0190d3a0-0000-7000-8000-000000000001/wait/",
        "/api/v1/jobs/%2e%2e/wait",
        "/api/v1/volumes/0190d3a0-0000-7000-8000-000000000001/uploads/",
        "//ws",
        "/wsx",
    ],
)
def test_other_addresses_are_left_to_web(path: str) -> None:
    found = [route for route in ROUTES if route.matches(scope_of(path, "http"))]
    assert [type(route) for route in found] == [Route]


def test_an_endpoint_without_a_description_cannot_be() -> None:
    with pytest.raises(ValueError, match="nothing"):
        LiveEndpoint("nothing", {})
    with pytest.raises(TypeError):
        LiveOperation(serve=None)  # type: ignore[call-arg]


def test_sockets_say_what_passes_through_them() -> None:
    document = openapi()
    pages = document["paths"]["/ws"]["get"]
    assert "101" in pages["responses"]
    frames = pages["x-websocket"]
    for side in ("fromClient", "toClient"):
        for each in frames[side]["oneOf"]:
            shape = document["components"]["schemas"][each["$ref"].rpartition("/")[2]]
            assert shape["properties"]["op"]["const"]
            assert "op" in shape["required"]
    assert set(frames["closeCodes"]) == {str(int(code)) for code in PageCloseCode}
    terminal = document["paths"]["/api/v1/jobs/{workload_id}/terminal"]["get"]
    assert terminal["x-websocket"]["binary"]
