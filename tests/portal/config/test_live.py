"""The whole live process: two origins on two sockets, routed by host and path, stopped politely."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, WSServerHandshakeError

from tests.processes import Live, live_process
from tests.serving import port_of
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def live(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, _redis_server: str
) -> Iterator[Live]:
    """Run one process for the tests that leave it as it was."""
    with live_process(tmp_path_factory.mktemp("live")) as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[ClientSession]:
    async with ClientSession() as session:
        yield session


async def status(client: ClientSession, url: str, **headers: str) -> int:
    async with client.get(url, headers=headers, allow_redirects=False) as response:
        return response.status


async def refusal(client: ClientSession, url: str, **headers: str) -> int:
    with pytest.raises(WSServerHandshakeError) as refused:
        await client.ws_connect(url, headers=headers)
    return refused.value.status


async def test_each_request_finds_its_route(live: Live, client: ClientSession) -> None:
    work = "0190d3a0-0000-7000-8000-000000000001"
    assert await status(client, f"{live.portal}/api/v1/jobs?x=1") == 502
    assert (
        await status(client, f"{live.portal}/e/{work}/lab") == 502
    )  # for the web process to refuse
    assert await status(client, f"{live.portal}/api/v1/jobs/{work}/wait") == 401
    assert await status(client, f"{live.portal}/api/v1/environments/{work}/logs?follow=1") == 401
    assert await status(client, f"{live.apps}/e/{work}/lab") == 401
    assert await status(client, f"{live.apps}/open?ticket={'x' * 43}") == 401
    assert await status(client, f"{live.apps}/api/v1/jobs") == 404
    assert await refusal(client, f"{live.portal}/ws") == 403
    assert await refusal(client, f"{live.portal}/node/v1/link") == 401
    assert await refusal(client, f"{live.portal}/elsewhere") == 404
    assert await refusal(client, f"{live.apps}/ws", Origin=live.portal) == 404
    async with client.ws_connect(f"{live.portal}/ws", headers={"Origin": live.portal}) as page:
        await page.receive(timeout=PATIENCE_S)
        assert page.close_code == 4401


async def test_c10_sockets_of_the_portal_are_closed_to_pages_of_the_apps_origin(
    live: Live, client: ClientSession
) -> None:
    work = "0190d3a0-0000-7000-8000-000000000001"
    for address in ("/ws", f"/api/v1/environments/{work}/terminal"):
        assert await refusal(client, f"{live.portal}{address}", Origin=live.apps) == 403
        assert await refusal(client, f"{live.portal}{address}", Origin="null") == 403


async def test_an_app_has_a_host_of_its_own_on_either_port(
    live: Live, client: ClientSession
) -> None:
    work = "0190d3a0-0000-7000-8000-000000000001"
    own = f"{work}.{live.apps[7:]}"
    for url in (live.apps, live.portal):
        assert await status(client, f"{url}/dashboard", Host=own) == 401
        assert await status(client, f"{url}/api/v1/jobs", Host=own) == 401
        assert await refusal(client, f"{url}/ws", Host=own, Origin=live.portal) == 403
        assert await refusal(client, f"{url}/node/v1/link", Host=own) == 403
    for host in (own.upper(), f"{own}.", f"x.{live.apps[7:]}", own.partition(":")[0]):
        assert await status(client, f"{live.apps}/dashboard", Host=host) == 421, host
    assert await refusal(client, f"{live.portal}/ws", Origin=f"http://{own}") == 403


async def test_the_host_must_be_exactly_ours(live: Live, client: ClientSession) -> None:
    port = live.portal.rpartition(":")[2]
    for host in ("evil.example", "127.0.0.1", f"localhost:{port}", f"127.0.0.1:{port}.evil", ""):
        assert await status(client, f"{live.portal}/livez", Host=host) == 421, host
    work = "0190d3a0-0000-7000-8000-000000000001"
    by_other_port = live.apps.replace(live.apps.rpartition(":")[2], port)
    assert await status(client, f"{by_other_port}/e/{work}/lab", Host=live.apps[7:]) == 401


async def test_sigterm_ends_sockets_and_the_process_politely(
    client: ClientSession, tmp_path: Path, redis_url: str
) -> None:
    with live_process(tmp_path) as live:
        headers = {"Origin": live.portal}
        async with client.ws_connect(f"{live.portal}/ws", headers=headers):
            live.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(live.process.wait, PATIENCE_S) == 0


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(port_of(taken))
        finished: Any = subprocess.run(
            [sys.executable, "-m", "portal.config.live", "--portal-port", port, "--apps-port", "0"],
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "portal.config.settings.test"},
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert finished.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in finished.stderr.decode()
