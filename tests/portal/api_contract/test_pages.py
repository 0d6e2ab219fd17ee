"""The single-page application and the rules that every answer carries."""

from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path

import pytest
from pytest_django import Settings

from portal.common.middleware import build_content_policy
from portal.common.site_config import get_site_config
from tests.builders.people import a_user
from tests.rest import API, browser, problem_of, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def built(settings: Settings, tmp_path: Path) -> None:
    """Let there be a built application."""
    (tmp_path / "index.html").write_text("<!doctype html><title>Berth</title>")
    settings.FRONTEND_DIR = tmp_path


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("address", ["/", "/jobs", "/notebooks/new", "/zh/whatever?x=1"])
def test_every_address_of_the_application_is_the_document(address: str) -> None:
    answer = stranger().get(address)
    assert answer.status_code == 200
    assert b"<title>Berth</title>" in answer.content
    assert answer["Cache-Control"] == "no-cache"


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("address", ["/api/v1/nothing", "/api/", "/assets/old-1234.js", "/node/x"])
def test_other_addresses_are_not_the_document(address: str) -> None:
    problem_of(stranger().get(address), 404, "not_found")


@pytest.mark.usefixtures("built")
def test_pages_are_only_read() -> None:
    assert stranger().post("/jobs").status_code in (403, 405)


def test_without_a_build_the_answer_says_so(settings: Settings, tmp_path: Path) -> None:
    settings.FRONTEND_DIR = tmp_path
    problem_of(stranger().get("/"), 503, "pages_not_built")


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("address", ["/", "/api/v1/config", "/api/v1/me", "/livez"])
def test_every_answer_tells_browsers_the_rules(address: str) -> None:
    answer = stranger().get(address)
    policy = answer["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "connect-src 'self' ws://127.0.0.1:8000 http://127.0.0.1:8003;" in policy
    assert "frame-ancestors 'none'" in policy
    site = get_site_config()
    assert policy == build_content_policy(site.portal_url, site.inference_url)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"


def test_answers_to_callers_stay_out_of_caches() -> None:
    """A new token or password must not remain on the disk of a browser or a proxy."""
    caller = a_user()
    for answer in (
        browser(caller).get(f"{API}/me"),
        browser(caller).post(f"{API}/tokens", {"name": "ci", "scopes": ["me.view"]}, "json"),
        stranger().get(f"{API}/me"),
    ):
        assert "no-store" in answer["Cache-Control"]


def test_only_our_own_hosts_are_answered() -> None:
    assert stranger().get("/api/v1/config", HTTP_HOST="evil.example").status_code == 400


def test_the_clients_address_is_taken_from_the_live_process_only() -> None:
    answer = stranger().get("/livez", HTTP_X_FORWARDED_FOR="6.6.6.6, 10.0.0.7")
    assert answer.wsgi_request.META["REMOTE_ADDR"] == "10.0.0.7"
    direct = stranger().get("/livez", HTTP_X_FORWARDED_FOR="6.6.6.6", REMOTE_ADDR="192.0.2.1")
    assert direct.wsgi_request.META["REMOTE_ADDR"] == "192.0.2.1"


def test_a_live_process_on_another_machine_is_trusted_when_it_is_named(
    set_site: Callable[..., None],
) -> None:
    set_site(trusted_proxies=(ip_network("192.0.2.0/24"),))
    told = "6.6.6.6, 10.0.0.7"
    through = stranger().get("/livez", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=told)
    assert through.wsgi_request.META["REMOTE_ADDR"] == "10.0.0.7"
    direct = stranger().get("/livez", REMOTE_ADDR="192.0.3.1", HTTP_X_FORWARDED_FOR=told)
    assert direct.wsgi_request.META["REMOTE_ADDR"] == "192.0.3.1"
