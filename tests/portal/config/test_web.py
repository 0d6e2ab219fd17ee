"""gunicorn as it is configured: what the live process lets through, it takes."""

import os
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit, urlunsplit

import pytest
from aiohttp import ClientSession
from django.db import connection

from deploy.onebox.options import find_free_port
from portal.common.origins import Origin
from portal.config import web
from portal.gateway.client import IDLE_S, create_http_client
from portal.gateway.server_protocol import HEAD_MAX, HEADERS_MAX, TARGET_MAX
from portal.gateway.web_proxy import WebProxy
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S, wait_until


def test_the_live_process_closes_idle_connections_first_and_refuses_heads_first() -> None:
    assert web.keepalive >= 30 * IDLE_S
    assert web.limit_request_line > TARGET_MAX + len("OPTIONS  HTTP/1.1\r\n")
    assert web.limit_request_fields > HEADERS_MAX
    assert web.limit_request_field_size > HEAD_MAX


@pytest.fixture
def upstream(db: None, redis_url: str) -> Iterator[str]:
    """Run gunicorn as the product does."""
    database = urlsplit(os.environ["BERTH_DATABASE_URL"])._replace(
        path=connection.settings_dict["NAME"]
    )
    url = f"http://127.0.0.1:{find_free_port()}"
    command = [sys.executable, "-m", "gunicorn", "-c", "python:portal.config.web"]
    process = subprocess.Popen(
        [*command, "--bind", url.removeprefix("http://")],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "portal.config.settings.test",
            "BERTH_DATABASE_URL": urlunsplit(database),
            "BERTH_REDIS_URL": redis_url,
        },
    )
    try:
        wait_until(lambda: _is_served(url), within_s=2 * PATIENCE_S)
        yield url
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@pytest.fixture
async def portal(upstream: str) -> AsyncIterator[str]:
    """Serve gunicorn through the proxy of the live process."""
    listener = free_socket()
    async with create_http_client() as client:
        proxy = WebProxy(client, Origin.parse("http://127.0.0.1:8000"), upstream)
        async with serving(proxy, listener):
            yield url_of(listener)


def _is_served(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/livez", timeout=5):
            return True
    except OSError:
        return False


async def test_every_head_that_passes_the_live_process_is_answered_by_the_portal(
    portal: str,
) -> None:
    """A server of its own mind would send pages of HTML for long addresses and large cookies."""
    heads: tuple[tuple[str, dict[str, str]], ...] = (
        ("/api/" + "x" * (TARGET_MAX - 5), {}),
        ("/api/v1/nothing", {"Cookie": "a=" + "x" * (HEAD_MAX // 2)}),
        ("/api/v1/nothing", {f"X-Own-{number}": "x" for number in range(HEADERS_MAX - 8)}),
    )
    async with ClientSession() as session:
        for target, headers in heads:
            async with session.get(f"{portal}{target}", headers=headers) as answer:
                assert answer.content_type == "application/problem+json", await answer.text()
                assert answer.status == 404


@pytest.mark.parametrize("entry", ["wsgi", "asgi"])
def test_what_a_process_has_loaded_is_left_to_no_collection(entry: str) -> None:
    """One answer in fifteen took 65 ms more before: it met a collection of all loaded modules."""
    program = (
        f"import gc, portal.config.{entry}; print(gc.get_freeze_count(), len(gc.get_objects()))"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "portal.config.settings.test"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    frozen, left = map(int, done.stdout.split()[-2:])
    assert frozen > 20 * left
