"""The apps origin: tickets, grants, and what a notebook may see and send."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession, WSMsgType, WSServerHandshakeError
from yarl import URL

from portal.common.errors import NotFoundError
from portal.common.origins import Origin
from portal.endpoints.values import ClosedWork, Endpoint, WorkAvailability
from portal.gateway.client import create_http_client
from portal.gateway.grants import CACHE_S, RECHECK_S, GrantCache
from portal.gateway.notebook_proxy import SOCKETS_MAX, NotebookProxy
from tests.builders.endpoints import an_endpoint
from tests.portal.gateway.upstreams import FakeUpstream, fake_upstream, no_ports
from tests.serving import free_socket, serving, silent_port, url_of
from tests.waiting import PATIENCE_S, wait_until_async

NOTEBOOK = UUID("0190d3a0-0000-7000-8000-000000000001")
OTHER = UUID("0190d3a0-0000-7000-8000-000000000002")
BASE = f"/e/{NOTEBOOK}/"
SECRET = "grant-secret"
PORTAL = "https://portal.example.org"


@dataclass
class Rights:
    """Who may open what, as the database would say it."""

    endpoint: Endpoint
    tickets: set[str] = field(default_factory=lambda: {"ticket-1"})
    grants: set[tuple[str, UUID]] = field(default_factory=lambda: {(SECRET, NOTEBOOK)})
    questions: int = 0
    closed: ClosedWork | None = None
    """Why a known grant opens nothing."""

    def redeem(self, code: str, _host_of: UUID | None) -> tuple[str, UUID]:
        if code not in self.tickets:
            raise NotFoundError("ticket")
        self.tickets.remove(code)
        return SECRET, NOTEBOOK

    def authorise(self, secret: str, workload_id: UUID) -> Endpoint | None:
        self.questions += 1
        return self.endpoint if (secret, workload_id) in self.grants else None

    def describe_closed(self, secret: str, workload_id: UUID) -> ClosedWork | None:
        return self.closed if (secret, workload_id) == (SECRET, NOTEBOOK) else None


@dataclass
class Site:
    """The apps origin, its rights, the notebook behind it, and a browser."""

    url: str
    rights: Rights
    upstream: FakeUpstream
    client: ClientSession
    cookie: str = f"berth-app-{NOTEBOOK}={SECRET}"

    def get(self, target: str, **headers: str) -> Any:
        return self.request("GET", target, **headers)

    def request(self, method: str, target: str, data: Any = None, **headers: str) -> Any:
        sent = {"Cookie": self.cookie, **headers}
        return self.client.request(
            method,
            URL(f"{self.url}{target}", encoded=True),
            headers=sent,
            data=data,
            allow_redirects=False,
        )

    def socket(self, **options: Any) -> Any:
        headers = {"Cookie": self.cookie, "Origin": self.url, **options.pop("headers", {})}
        return self.client.ws_connect(f"{self.url}{BASE}socket", headers=headers, **options)


@pytest.fixture
def cache_s() -> float:
    return CACHE_S


@pytest.fixture
def recheck_s() -> float:
    return RECHECK_S


@pytest.fixture
async def site(cache_s: float, recheck_s: float) -> AsyncIterator[Site]:
    listener = free_socket()
    async with fake_upstream() as upstream, create_http_client() as client:
        rights = Rights(an_endpoint(upstream.port, "app-token"))
        gateway = NotebookProxy(
            client=client,
            get_port_client=no_ports,
            apps=Origin.parse(url_of(listener)),
            portal=Origin.parse(PORTAL),
            redeem_ticket=rights.redeem,
            grants=GrantCache(rights.authorise, cache_s=cache_s, recheck_s=recheck_s),
            describe_closed=rights.describe_closed,
        )
        async with serving(gateway, listener):
            yield Site(url_of(listener), rights, upstream, client)


def values(echo: Any, name: str) -> list[str]:
    return [value for key, value in echo["headers"] if key.lower() == name]


async def test_a_ticket_buys_a_cookie_for_its_notebook_once(site: Site) -> None:
    async with site.get("/open?ticket=ticket-1") as first:
        assert first.status == 303
        assert first.headers["Location"] == f"{BASE}lab"
        cookie = first.headers["Set-Cookie"]
    assert cookie == f"berth-app-{NOTEBOOK}={SECRET}; Path={BASE}; HttpOnly; SameSite=Lax"
    async with site.get("/open?ticket=ticket-1") as second:
        assert second.status == 401


@pytest.mark.parametrize(
    "target", ["/open", "/open?ticket=", "/open?ticket=<script>", "/open?" + "a=1&" * 9]
)
async def test_a_bad_ticket_gets_a_page_that_repeats_nothing(site: Site, target: str) -> None:
    async with site.get(target) as response:
        page = await response.text()
    assert response.status in {400, 401}
    assert "<script" not in page
    assert "portal" in page


@pytest.mark.parametrize(
    "cookie",
    ["", f"berth-app-{NOTEBOOK}=wrong", f"berth-app-{OTHER}={SECRET}", f"berth-app-{NOTEBOOK}="],
)
async def test_without_a_grant_nothing_reaches_the_notebook(site: Site, cookie: str) -> None:
    site.cookie = cookie
    async with site.get(f"{BASE}lab") as response:
        assert response.status == 401
        assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
    with pytest.raises(WSServerHandshakeError) as refusal:
        await site.socket()
    assert refusal.value.status == 401


@pytest.mark.parametrize(
    "target", ["/", "/e/", "/e/not-a-uuid/", f"/e/{NOTEBOOK}", "/api/v1/me", "/ws"]
)
async def test_other_addresses_do_not_exist(site: Site, target: str) -> None:
    async with site.get(target) as response:
        assert response.status == 404


async def test_c10_a_notebook_sees_its_own_cookies_and_our_token_only(site: Site) -> None:
    site.cookie += "; berth-session=portal; __Host-berth-csrf=x; _xsrf=own; username-1=me"
    async with site.get(f"{BASE}api?x=%2F", Authorization="token stolen", X_A="1") as response:
        echo = await response.json()
    assert echo["target"] == f"{BASE}api?x=%2F"
    assert values(echo, "cookie") == ["_xsrf=own; username-1=me"]
    assert values(echo, "authorization") == ["token app-token"]
    assert values(echo, "host") == [site.url.removeprefix("http://")]


async def test_c10_a_notebook_sets_only_its_own_cookies(site: Site) -> None:
    async with site.get(f"{BASE}cookies") as response:
        cookies = response.headers.getall("Set-Cookie")
        headers = response.headers
    assert cookies == [
        f"_xsrf=abc; Secure; Path={BASE}",
        f"username-8888=me; HttpOnly; Path={BASE}",
    ]
    assert "Clear-Site-Data" not in headers
    assert "Service-Worker-Allowed" not in headers
    assert "Access-Control-Allow-Origin" not in headers
    assert headers["X-Own"] == "kept"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == f"frame-ancestors 'self' {PORTAL}"


@pytest.mark.parametrize("origin", ["", "null", PORTAL, "http://127.0.0.1:1", "{url}.evil.example"])
async def test_foreign_pages_cannot_act(site: Site, origin: str) -> None:
    headers = {"Origin": origin.format(url=site.url)} if origin else {}
    async with site.request("POST", f"{BASE}api", **headers) as response:
        assert response.status == 403
    with pytest.raises(WSServerHandshakeError) as refusal:
        await site.socket(headers={"Origin": headers.get("Origin", "")})
    assert refusal.value.status == 403


async def test_own_pages_can_act(site: Site) -> None:
    body = BytesIO(b"x" * 8 * 1024 * 1024)
    async with site.request("PUT", f"{BASE}upload", body, Origin=site.url) as response:
        assert await response.json() == {"size": 8 * 1024 * 1024}


async def test_messages_and_sub_protocol_pass_both_ways(site: Site) -> None:
    protocols = ("other", "v1.kernel.websocket.jupyter.org")
    async with site.socket(protocols=protocols, max_msg_size=0) as socket:
        assert socket.protocol == "v1.kernel.websocket.jupyter.org"
        await socket.send_str("42 ✓")
        assert await socket.receive_str() == "42 ✓"
        large = b"\x00\xff" * 4 * 1024 * 1024
        await socket.send_bytes(large)
        assert await socket.receive_bytes() == large
        await socket.send_str("headers")
        seen = await socket.receive_json()
    assert seen["Authorization"] == "token app-token"
    assert "Cookie" not in seen


async def test_close_codes_pass_both_ways(site: Site) -> None:
    async with site.socket() as socket:
        await socket.send_str("close")
        assert (await socket.receive()).type is WSMsgType.CLOSE
        assert socket.close_code == 4321
    async with site.socket() as socket:
        await wait_until_async(lambda: len(site.upstream.sockets) == 2)
        await socket.close(code=4999)
        await wait_until_async(lambda: site.upstream.sockets[1].close_code == 4999)


@pytest.mark.parametrize(("cache_s", "recheck_s"), [(0.05, 0.05)], ids=["hasty"])
async def test_revocation_ends_sockets_and_streams(site: Site) -> None:
    assert CACHE_S + RECHECK_S < 5
    async with site.socket() as socket, site.get(f"{BASE}slow") as response:
        assert await response.content.readany() == b"first"
        site.rights.grants.clear()
        async with asyncio.timeout(PATIENCE_S):
            message = await socket.receive()
            await wait_until_async(site.upstream.has_lost_client.is_set)
    assert (message.type, socket.close_code) == (WSMsgType.CLOSE, 4401)


@pytest.mark.parametrize("cache_s", [PATIENCE_S], ids=["patient"])
async def test_many_requests_ask_for_rights_once(site: Site) -> None:
    async def one() -> int:
        async with site.get(f"{BASE}api") as response:
            return int(response.status)

    assert set(await asyncio.gather(*(one() for _ in range(20)))) == {200}
    assert site.rights.questions == 1


async def test_sockets_of_one_notebook_are_counted(site: Site) -> None:
    opened = [await site.socket() for _ in range(SOCKETS_MAX)]
    with pytest.raises(WSServerHandshakeError) as refusal:
        await site.socket()
    assert refusal.value.status == 429
    await asyncio.gather(*(socket.close() for socket in opened))


async def test_a_notebook_that_is_away_gets_a_page(site: Site) -> None:
    with silent_port() as port:
        site.rights.endpoint = an_endpoint(port, "t", name="sam")
        async with site.get(f"{BASE}lab", **{"Accept-Language": "en"}) as response:
            page = await response.text()
        assert response.status == 502
        assert "sam does not answer" in page
        assert f'href="{PORTAL}/notebooks/{NOTEBOOK}"' in page
        with pytest.raises(WSServerHandshakeError) as refusal:
            await site.socket()
        assert refusal.value.status == 502


@pytest.mark.parametrize(("path", "start"), [("lab", "lab"), ("port/6006/x", "6006")])
@pytest.mark.parametrize("cookie", ["", f"berth-app-{NOTEBOOK}=ended"])
async def test_page_without_a_grant_leads_to_that_very_work_and_names_no_kind(
    site: Site, cookie: str, path: str, start: str
) -> None:
    site.rights.grants.clear()
    site.cookie = cookie
    async with site.get(f"{BASE}{path}", **HTML, **{"Accept-Language": "en"}) as response:
        page = await response.text()
    assert (response.status, "otebook" in page) == (401, False)
    assert f'<a href="{PORTAL}/work/{NOTEBOOK}?start={start}">Go to its page' in page
    assert page.count("<a ") == 1


async def test_page_of_a_used_ticket_leads_to_the_portal(site: Site) -> None:
    async with site.get("/open?ticket=used", **HTML) as response:
        assert response.status == 401
        assert f'<a href="{PORTAL}">' in await response.text()


HTML = {"Accept": "text/html,application/xhtml+xml"}
ENGLISH, CHINESE = "en-GB,en;q=0.9", "zh-CN,zh;q=0.9,en;q=0.8"


@pytest.mark.parametrize(
    ("language", "cookie", "title", "start"),
    [
        (ENGLISH, "", "sam &lt;1&gt; is stopped", "Start"),
        (CHINESE, "", "sam &lt;1&gt; 已停止", "启动"),
        (ENGLISH, "; berth-language=zh-CN", "sam &lt;1&gt; 已停止", "启动"),
        (CHINESE, "; berth-language=en", "sam &lt;1&gt; is stopped", "Start"),
        (CHINESE, "; berth-language=%0d", "sam &lt;1&gt; 已停止", "启动"),
    ],
)
async def test_page_of_a_stopped_notebook_offers_its_start_in_one_language(
    site: Site, language: str, cookie: str, title: str, start: str
) -> None:
    site.rights.grants.clear()
    site.rights.closed = ClosedWork("environment", WorkAvailability.STOPPED, "sam <1>")
    site.cookie += cookie
    async with site.get(f"{BASE}lab", **HTML, **{"Accept-Language": language}) as response:
        page = await response.text()
    assert response.status == 424
    assert f"<h1>{title}</h1>" in page
    assert f'class="start" href="{PORTAL}/notebooks/{NOTEBOOK}?start=lab">{start}</a>' in page
    assert page.count("<h1>") == 1
    assert ("Your files are kept" in page) == title.endswith("stopped")
    assert response.headers["Content-Language"] == ("en" if "stopped" in title else "zh-CN")


async def test_start_from_a_ports_page_leads_back_to_the_port(site: Site) -> None:
    site.rights.grants.clear()
    site.rights.closed = ClosedWork("environment", WorkAvailability.STOPPED, "sam")
    async with site.get(f"{BASE}port/6006/x", **HTML) as response:
        assert f"{PORTAL}/notebooks/{NOTEBOOK}?start=6006" in await response.text()


@pytest.mark.parametrize(
    ("availability", "status", "title", "reloads"),
    [
        (WorkAvailability.STARTING, 503, "sam is starting", True),
        (WorkAvailability.STOPPING, 502, "sam does not answer", True),
        (WorkAvailability.ENDED, 410, "sam has ended", False),
    ],
)
async def test_page_says_what_work_is_doing(
    site: Site, availability: WorkAvailability, status: int, title: str, reloads: bool
) -> None:
    site.rights.grants.clear()
    site.rights.closed = ClosedWork("training", availability, "sam")
    async with site.get(f"{BASE}lab", **HTML) as response:
        page = await response.text()
    assert response.status == status
    assert title in page
    assert ("http-equiv" in page) == reloads
    assert f'href="{PORTAL}/jobs/{NOTEBOOK}"' in page
    assert "?start=" not in page


@pytest.mark.parametrize(
    ("availability", "status", "title", "label"),
    [
        (WorkAvailability.STARTING, 503, "tensorboard-night is starting", "Go to the app"),
        (WorkAvailability.STOPPING, 410, "tensorboard-night has ended", "Start again"),
        (WorkAvailability.ENDED, 410, "tensorboard-night has ended", "Start again"),
    ],
)
async def test_page_of_an_app_that_is_closed_leads_to_its_own_page(
    site: Site, availability: WorkAvailability, status: int, title: str, label: str
) -> None:
    site.rights.grants.clear()
    site.rights.closed = ClosedWork("app", availability, "tensorboard-night")
    async with site.get(f"{BASE}port/30001/", **HTML, **{"Accept-Language": "en"}) as response:
        page = await response.text()
    assert response.status == status
    assert title in page
    assert f'href="{PORTAL}/apps/{NOTEBOOK}">{label}' in page


async def test_requests_of_programs_are_not_looked_up(site: Site) -> None:
    """An open JupyterLab polls; only a page that a person sees is worth a query."""
    site.rights.grants.clear()
    site.rights.closed = ClosedWork("environment", WorkAvailability.STOPPED, "sam")
    async with site.get(f"{BASE}api/kernels", Accept="application/json") as response:
        assert response.status == 401


async def test_ticket_brings_the_language_of_the_portal(site: Site) -> None:
    async with site.get("/open?ticket=ticket-1&lang=zh-CN") as response:
        _, language = response.headers.getall("Set-Cookie")
    assert language.startswith("berth-language=zh-CN; Path=/; ")
    async with site.get("/open?ticket=ticket-1&lang=fr") as response:
        assert response.status == 401
