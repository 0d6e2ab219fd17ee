"""C10: what a notebook's page can do to the portal of its visitor, whatever it was made to run.

How the apps origin treats cookies, headers and sockets is `tests/portal/gateway`.
"""

import pytest
from pytest_django import Settings

from portal.common.site_config import get_site_config
from tests.portal.api_contract.routes import api_routes, named, operations
from tests.portal.identity.browsers import a_signed_in_browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

SAFE = {"GET", "HEAD"}
OWN_HOST = "http://0190d3a0-0000-7000-8000-000000000001.localhost:8001"
"""Of an app, beside the apps origin."""
ELSEWHERE = "/_allauth/browser/v1/auth/session"


def test_c10_no_call_that_changes_anything_is_taken_from_the_apps_origin() -> None:
    """Even with the visitor's session and the right token, which such a page cannot read."""
    client, _ = a_signed_in_browser()
    token = client.cookies["berth-csrf"].value
    calls = [(route.address(), method) for route, method in operations() if method not in SAFE]
    taken = [
        f"{method} {address}"
        for address, method in (*calls, (ELSEWHERE, "DELETE"))
        for origin in (get_site_config().apps_url, OWN_HOST, "null")
        if client.generic(
            method, address, "{}", headers={"X-CSRFToken": token, "Origin": origin}
        ).status_code
        != 403
    ]
    assert len(calls) > 20
    assert taken == []


def test_c10_no_answer_may_be_read_by_the_apps_origin() -> None:
    client, _ = a_signed_in_browser()
    headers = {"Origin": get_site_config().apps_url}
    readable = [
        named((route, "GET"))
        for route in api_routes()
        if any(
            name.lower().startswith("access-control-")
            for name in client.get(route.address(), headers=headers).headers
        )
    ]
    assert readable == []
    preflight = client.options(
        "/api/v1/jobs", headers={**headers, "Access-Control-Request-Method": "POST"}
    )
    assert "Access-Control-Allow-Origin" not in preflight.headers


def test_c10_pages_of_the_portal_load_nothing_from_the_apps_origin_and_are_not_framed(
    settings: Settings,
) -> None:
    policy = a_signed_in_browser()[0].get("/api/v1/me")["Content-Security-Policy"]
    assert get_site_config().apps_url not in policy
    assert "frame-ancestors 'none'" in policy
    assert get_site_config().apps_url not in settings.CSRF_TRUSTED_ORIGINS
