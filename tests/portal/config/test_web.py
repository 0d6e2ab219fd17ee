"""gunicorn as it is configured: what the live process lets through, it takes."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import pytest
from aiohttp import ClientSession

from portal.common.origins import Origin
from portal.config import web
from portal.gateway.client import IDLE_S, create_http_client
from portal.gateway.server_protocol import HEAD_MAX, HEADERS_MAX, TARGET_MAX
from portal.gateway.web_proxy import BODY_MAX, WebProxy
from tests.processes import Web, web_process
from tests.serving import free_socket, serving, url_of

PIECE = 20_000
"""Bytes of a chunk of a body without a length."""
REFUSED_SIZES = (0, 1, 60_000, 65_536, 65_537, 100_000, 200_000, 300_000, 1_048_576)
"""Bytes of bodies of which web reads nothing before it refuses them."""


def test_the_live_process_closes_idle_connections_first_and_refuses_heads_first() -> None:
    assert web.keepalive >= 30 * IDLE_S
    assert web.limit_request_line > TARGET_MAX + len("OPTIONS  HTTP/1.1\r\n")
    assert web.limit_request_fields > HEADERS_MAX
    assert web.limit_request_field_size > HEAD_MAX
    assert web.UNREAD_MAX >= BODY_MAX


@pytest.fixture
def upstream(db: None, redis_url: str) -> Iterator[Web]:
    """Run gunicorn as the product does."""
    with web_process(redis_url) as running:
        yield running


@pytest.fixture
async def portal(upstream: Web) -> AsyncIterator[str]:
    """Serve gunicorn through the proxy of the live process."""
    listener = free_socket()
    async with create_http_client() as client:
        proxy = WebProxy(client, Origin.parse("http://127.0.0.1:8000"), upstream.url)
        async with serving(proxy, listener):
            yield url_of(listener)


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


async def _post(session: ClientSession, url: str, size: int, *, is_chunked: bool) -> int:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, size, PIECE):
            yield b"x" * min(PIECE, size - start)

    data: AsyncIterator[bytes] | bytes = pieces() if is_chunked else b"x" * size
    async with session.post(f"{url}/api/v1/jobs", data=data) as answer:
        await answer.read()
        return answer.status


async def test_a_body_that_web_refuses_unread_costs_nobody_an_answer(portal: str) -> None:
    """gunicorn closed the kept connection behind such an answer, in the middle of the next request."""

    async def send_bodies(number: int) -> list[int]:
        async with ClientSession() as session:
            return [
                await _post(session, portal, size, is_chunked=bool((number + turn) % 2))
                for turn in range(4)
                for size in REFUSED_SIZES
            ]

    async def send_plain() -> list[int]:
        async with ClientSession() as session:
            return [await _post(session, portal, 16, is_chunked=False) for _ in range(150)]

    answers = await asyncio.gather(*(send_bodies(n) for n in range(4)), send_plain(), send_plain())
    assert {status for each in answers for status in each} == {401}


async def test_new_workers_of_web_cost_nobody_an_answer(upstream: Web, portal: str) -> None:
    old = upstream.master.children()
    answers = []
    async with ClientSession() as session:
        upstream.master.send_signal(signal.SIGHUP)
        while any(worker.is_running() for worker in old):
            answers.append(await _post(session, portal, 16, is_chunked=False))
    assert set(answers) == {401}
