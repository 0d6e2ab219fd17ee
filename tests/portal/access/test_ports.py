"""Extra ports of a notebook by the gateway, through a tunnel into a real container."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession, WSServerHandshakeError
from yarl import URL

from portal.access.tunnels import open_tunnels
from portal.common.concurrency import run_in_thread
from portal.common.origins import Origin
from portal.endpoints.values import ContainerAddress, Endpoint, base_path
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.notebook_proxy import NotebookProxy
from tests.builders.endpoints import an_endpoint
from tests.portal.access.site import Site, a_site, some_work
from tests.serving import free_socket, serving, silent_port, url_of
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "grant-secret"
SERVER = """
import asyncio
from aiohttp import web

async def show(request):
    shown = {"path": request.path_qs, "headers": {name.lower(): value for name, value in request.headers.items()}}
    answer = web.json_response(shown)
    answer.set_cookie("own", "1", path="/")
    return answer

async def go(request):
    raise web.HTTPFound("/there?x=1")

async def large(request):
    return web.Response(body=bytes(3_000_000))

async def talk(request):
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        await socket.send_str(message.data + "!")
    return socket

async def main():
    app = web.Application()
    app.router.add_get("/go", go)
    app.router.add_get("/large", large)
    app.router.add_get("/talk", talk)
    app.router.add_route("*", "/{rest:.*}", show)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@dataclass
class Gate:
    """The apps origin before the work of a site, and its owner's browser."""

    url: str
    site: Site
    port: int
    closed: int
    """Asked for, and nobody listens on it."""
    grants: set[str]
    client: ClientSession
    has_application: bool = True

    @property
    def base(self) -> str:
        return f"{base_path(self.site.work.row.pk)}port/{self.port}/"

    def get(self, target: str, **headers: str) -> Any:
        url = URL(f"{self.url}{target}", encoded=True)
        sent = {**self._cookie, **headers}
        return self.client.get(url, headers=sent, allow_redirects=False)

    def socket(self) -> Any:
        headers = {**self._cookie, "Origin": self.url}
        return self.client.ws_connect(f"{self.url}{self.base}talk", headers=headers)

    @property
    def _cookie(self) -> dict[str, str]:
        return {"Cookie": f"berth-app-{self.site.work.row.pk}={SECRET}; berth-session=s; mine=2"}


@pytest.fixture
async def gate(tmp_path: Path) -> AsyncIterator[Gate]:
    work = await run_in_thread(some_work, kind="environment")
    grants = {SECRET}
    command = (sys.executable, "-c", SERVER)
    with ExitStack() as stack:
        closed = stack.enter_context(silent_port())
        async with (
            a_site(work, tmp_path, command) as site,
            open_tunnels(site.sessions.streams) as tunnels,
            create_http_client() as client,
        ):
            port = int(await site.said())
            container = ContainerAddress(work.node.pk, work.held.wire_name, work.held.epoch)
            ports = (port, closed)
            notebook = an_endpoint(closed, "token-of-the-lab", *ports, container=container)
            job = an_endpoint(None, "", *ports, container=container)

            def authorise(secret: str, workload_id: UUID) -> Endpoint | None:
                if secret not in grants or workload_id != work.row.pk:
                    return None
                return notebook if opened.has_application else job

            listener = free_socket()
            gateway = NotebookProxy(
                client=client,
                get_port_client=tunnels.get_client,
                apps=Origin.parse(url_of(listener)),
                portal=Origin.parse("http://portal.example.org"),
                redeem_ticket=lambda *_: (SECRET, work.row.pk),
                grants=GrantCache(authorise),
                describe_closed=lambda _secret, _workload_id: None,
            )
            async with serving(gateway, listener):
                opened = Gate(url_of(listener), site, port, closed, grants, site.client)
                yield opened


async def test_work_without_a_web_application_has_nothing_but_its_ports(gate: Gate) -> None:
    gate.has_application = False
    async with gate.get(f"{gate.base}page") as answer:
        assert answer.status == 200
    async with gate.get(f"{base_path(gate.site.work.row.pk)}lab") as answer:
        assert answer.status == 404


async def test_port_is_served_below_its_path_and_learns_no_secret(gate: Gate) -> None:
    async with gate.get(
        f"{gate.base}page?a=1%2F2", Authorization="token token-of-the-lab"
    ) as answer:
        shown = json.loads(await answer.text())
        assert shown["path"] == "/page?a=1%2F2"
        assert shown["headers"]["x-forwarded-prefix"] == gate.base.rstrip("/")
        assert shown["headers"]["cookie"] == "mine=2"
        assert "token" not in json.dumps(shown)
        assert f"Path={gate.base}" in answer.headers["Set-Cookie"]
    async with gate.get(gate.base.rstrip("/")) as answer:
        assert json.loads(await answer.text())["path"] == "/"


async def test_redirects_stay_below_and_large_answers_are_whole(gate: Gate) -> None:
    async with gate.get(f"{gate.base}go") as answer:
        assert (answer.status, answer.headers["Location"]) == (302, f"{gate.base}there?x=1")
    async with gate.get(f"{gate.base}large") as answer:
        assert len(await answer.read()) == 3_000_000


async def test_sockets_pass(gate: Gate) -> None:
    async with gate.socket() as socket:
        await socket.send_str("hello")
        assert await socket.receive_str(timeout=PATIENCE_S) == "hello!"


async def test_ticket_leads_to_the_port(gate: Gate) -> None:
    async with gate.get(f"/open?ticket={'x' * 43}&port={gate.port}") as answer:
        assert (answer.status, answer.headers["Location"]) == (303, gate.base)


async def test_port_that_was_not_asked_for_does_not_exist(gate: Gate) -> None:
    base = base_path(gate.site.work.row.pk)
    for port in (22, 5432, 70000, gate.port + 1):
        async with gate.get(f"{base}port/{port}/") as answer:
            assert answer.status == 404
    assert gate.site.node.told == []


async def test_port_at_which_nobody_listens_says_so(gate: Gate) -> None:
    async with gate.get(f"{base_path(gate.site.work.row.pk)}port/{gate.closed}/") as answer:
        page = await answer.text()
    assert answer.status == 502
    assert f"Nothing answers on port {gate.closed}" in page
    assert f'href="http://portal.example.org/notebooks/{gate.site.work.row.pk}"' in page


async def test_grant_is_asked_for_each_request(gate: Gate) -> None:
    gate.grants.clear()
    async with gate.get(gate.base) as answer:
        assert answer.status == 401
    with pytest.raises(WSServerHandshakeError) as refused:
        await gate.socket()
    assert refused.value.status == 401
