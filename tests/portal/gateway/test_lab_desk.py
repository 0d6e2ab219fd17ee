"""What the gateway itself answers below a notebook's path, to whom, and that the container never sees it."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession, WSServerHandshakeError
from django.db import OperationalError

from portal.common.errors import ConflictError, DomainError
from portal.common.origins import Origin
from portal.endpoints.values import Access, Endpoint
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.lab_desk import REQUESTS_MAX, LabDesk
from portal.gateway.notebook_proxy import NotebookProxy
from tests.builders.endpoints import an_endpoint
from tests.portal.gateway.upstreams import FakeUpstream, fake_upstream, no_ports
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S, wait_until_async

NOTEBOOK = UUID("0190d3a0-0000-7000-8000-000000000001")
COLLEAGUE = UUID("0190d3a0-0000-7000-8000-000000000003")
BASE = f"/e/{NOTEBOOK}/"
TOKEN = "0123456789abcdef" * 3


@dataclass
class Site:
    """The gateway before one notebook, opened by its owner and by a colleague who may use it in full."""

    url: str
    upstream: FakeUpstream
    client: ClientSession
    kind: str = "environment"
    kept: list[str] = field(default_factory=list)
    fault: Exception | None = None
    released: threading.Event = field(default_factory=threading.Event)
    reading: int = 0

    def authorise(self, secret: str, workload_id: UUID) -> Endpoint | None:
        visitors = {"owner": None, "colleague": COLLEAGUE}
        if workload_id != NOTEBOOK or secret not in visitors:
            return None
        access = Access(visitors[secret])
        return an_endpoint(self.upstream.port, TOKEN, kind=self.kind, access=access)

    def read_status(self, secret: str, workload_id: UUID, language: str) -> dict[str, Any] | None:
        self.reading += 1
        if not self.released.wait(PATIENCE_S) or self.fault:
            raise self.fault or TimeoutError
        return {"is_own": secret == "owner", "language": language}

    def keep(self, secret: str, workload_id: UUID) -> None:
        if self.fault:
            raise self.fault
        self.kept.append(secret)

    def ask(self, method: str, what: str, who: str = "owner", **headers: str) -> Any:
        sent = {"Cookie": f"berth-app-{NOTEBOOK}={who}", "Origin": self.url, **headers}
        return self.client.request(method, f"{self.url}{BASE}berth/{what}", headers=sent)

    def keep_it(self, who: str = "owner", token: str = TOKEN, **headers: str) -> Any:
        return self.ask("POST", "keep", who, **{"Authorization": f"token {token}", **headers})


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    listener = free_socket()
    async with fake_upstream() as upstream, create_http_client() as client:
        found = Site(url_of(listener), upstream, client)
        found.released.set()
        gateway = NotebookProxy(
            client=client,
            get_port_client=no_ports,
            apps=Origin.parse(found.url),
            portal=Origin.parse("https://portal.example.org"),
            redeem_ticket=lambda *_: ("", NOTEBOOK),
            grants=GrantCache(found.authorise),
            describe_closed=lambda _secret, _workload_id: None,
            desk=LabDesk(found.read_status, found.keep),
        )
        async with serving(gateway, listener):
            yield found


async def test_holder_of_a_grant_reads_the_status_in_the_portals_language(site: Site) -> None:
    for who in ("owner", "colleague"):
        cookies = f"berth-app-{NOTEBOOK}={who}; berth-language=zh-CN"
        async with site.ask("GET", "status", who, Cookie=cookies) as answer:
            shown = await answer.json()
        assert shown == {"is_own": who == "owner", "language": "zh-CN"}
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in answer.headers
    assert site.upstream.served == 0


async def test_owners_own_page_keeps_the_notebook(site: Site) -> None:
    async with site.keep_it() as answer:
        assert (await answer.json())["is_own"]
    assert (site.kept, site.upstream.served) == (["owner"], 0)


@pytest.mark.parametrize(
    ("who", "headers", "status"),
    [
        ("stranger", {}, 401),
        ("colleague", {}, 403),
        # A page of other work on the same origin: the browser sends the cookie, it has another token.
        ("owner", {"Authorization": "token another"}, 403),
        ("owner", {"Authorization": ""}, 403),
        # A page of another site, that of the portal included.
        ("owner", {"Origin": "https://evil.example.org"}, 403),
        ("owner", {"Origin": "https://portal.example.org"}, 403),
    ],
)
async def test_nobody_else_keeps_it(
    site: Site, who: str, headers: dict[str, str], status: int
) -> None:
    async with site.keep_it(who, **headers) as answer:
        assert answer.status == status
    assert (site.kept, site.upstream.served) == ([], 0)


async def test_stranger_reads_nothing(site: Site) -> None:
    async with site.ask("GET", "status", "stranger") as answer:
        assert answer.status == 401
    assert site.reading == 0


async def test_nothing_of_the_place_reaches_the_container(site: Site) -> None:
    asked = (("GET", "keep"), ("POST", "status"), ("GET", ""), ("DELETE", "keep"), ("GET", "x/y"))
    for method, what in asked:
        async with site.ask(method, what) as answer:
            assert answer.status == 404
    with pytest.raises(WSServerHandshakeError) as refusal:
        await site.client.ws_connect(
            f"{site.url}{BASE}berth/status",
            headers={"Cookie": f"berth-app-{NOTEBOOK}=owner", "Origin": site.url},
        )
    assert refusal.value.status == 404
    assert (site.kept, site.upstream.served, site.upstream.sockets) == ([], 0, [])


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (ConflictError("kept_too_often", most=4), 409),
        (OperationalError("the database is away"), 503),
        (TimeoutError(), 503),
    ],
)
async def test_refusal_says_why(site: Site, fault: DomainError, status: int) -> None:
    site.fault = fault
    async with site.keep_it() as answer:
        problem = await answer.json()
    assert (answer.status, problem["status"], bool(problem["detail"])) == (status, status, True)


async def test_one_notebook_cannot_take_every_thread(site: Site) -> None:
    site.released.clear()
    tasks = [asyncio.create_task(read(site)) for _ in range(REQUESTS_MAX)]
    await wait_until_async(lambda: site.reading == REQUESTS_MAX)
    assert await read(site) == 429
    site.released.set()
    assert await asyncio.gather(*tasks) == [200] * REQUESTS_MAX


async def read(site: Site) -> int:
    async with site.ask("GET", "status") as answer:
        return int(answer.status)


async def test_path_of_other_kinds_of_work_is_their_own(site: Site) -> None:
    site.kind = "app"
    async with site.ask("GET", "status") as answer:
        assert answer.status == 200
    assert (site.reading, site.upstream.served) == (0, 1)
