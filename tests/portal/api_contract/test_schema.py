"""The OpenAPI document is complete and free of warnings."""

from pathlib import Path

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from portal.config.live_routes import LIVE_ENDPOINTS
from tests.portal.api_contract.routes import operations
from tests.rest import openapi

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_document_is_valid_and_made_without_guesses(tmp_path: Path) -> None:
    call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "api.yaml"))


def test_document_is_openapi_3_1_and_lists_every_operation() -> None:
    document = openapi()
    assert document["openapi"].startswith("3.1")
    described = {
        (path.strip("/").count("/"), method.upper())
        for path, methods in document["paths"].items()
        for method in methods
    }
    for route, method in operations():
        assert (route.pattern.count("/"), method) in described, route.pattern


def test_operation_ids_are_unique_and_refusals_are_described() -> None:
    found = [operation for methods in openapi()["paths"].values() for operation in methods.values()]
    ids = [operation["operationId"] for operation in found]
    assert len(set(ids)) == len(ids)
    for status in ("414", "429", "431"):
        assert all(status in operation["responses"] for operation in found), status
    of_live = {each.id for endpoint in LIVE_ENDPOINTS for each in endpoint.operations.values()}
    of_web = [operation for operation in found if operation["operationId"] not in of_live]
    for status in ("406", "502"):
        assert all(status in operation["responses"] for operation in of_web), status


def test_the_pages_of_the_document_need_no_inline_script() -> None:
    page = APIClient().get("/api/docs", HTTP_ACCEPT="text/html")
    assert page.status_code == 200
    assert b"<script>" not in page.content
    assert "script-src 'self';" in page["Content-Security-Policy"]
