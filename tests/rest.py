"""REST clients for tests: one for a signed-in person, one for a token."""

import json
from functools import cache
from typing import Any

from rest_framework.test import APIClient

from portal.identity.models import User
from tests.builders.people import a_token

API = "/api/v1"


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document as it is served."""
    document: dict[str, Any] = json.loads(_served_openapi())
    return document


@cache
def _served_openapi() -> bytes:
    """Return its bytes: the same for everybody, and a matter of seconds each time."""
    answer = stranger().get("/api/schema", HTTP_ACCEPT="application/json")
    assert answer.status_code == 200
    return bytes(answer.content)


def browser(user: User) -> APIClient:
    """Return a client with a live session of this user; CSRF is not checked."""
    client = APIClient()
    client.force_login(user)
    return client


def pipeline(user: User, *scopes: str) -> APIClient:
    """Return a client that sends a bearer token of this user."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {a_token(user, *scopes)}")
    return client


def stranger() -> APIClient:
    """Return a client without credentials."""
    return APIClient()


def json_of(response: Any, status: int = 200) -> Any:
    """Return the body of an answer that has the expected status."""
    assert response.status_code == status, (response.status_code, response.content[:2000])
    return response.json()


def problem_of(response: Any, status: int, code: str) -> Any:
    """Return the problem document of a refusal with the expected status and code."""
    body = json_of(response, status)
    assert response["Content-Type"] == "application/problem+json"
    assert body["code"] == code, body
    assert body["request_id"] == response["X-Request-Id"]
    return body
