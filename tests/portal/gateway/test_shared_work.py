"""What the gateway lets a colleague do with work that is shared, and what it keeps from them."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession, WSMsgType, WSServerHandshakeError
from yarl import URL

from portal.common.origins import Origin
from portal.endpoints.values import Access, ClosedWork, Endpoint, WorkAvailability
from portal.gateway.client import create_http_client
from portal.gateway.grants import TRIED_MAX, GrantCache
from portal.gateway.notebook_proxy import SOCKETS_MAX, NotebookProxy
from portal.gateway.visits import SecretMask
from tests.builders.endpoints import an_endpoint
from tests.portal.gateway.upstreams import FakeUpstream, fake_upstream, no_ports
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S

NOTEBOOK = UUID("0190d3a0-0000-7000-8000-000000000001")
OTHER = UUID("0190d3a0-0000-7000-8000-000000000002")
COLLEAGUE = UUID("0190d3a0-0000-7000-8000-000000000003")
BASE = f"/e/{NOTEBOOK}/"
TOKEN = "0123456789abcdef" * 3
HASTE_S = 0.05
POLICY = "Content-Security-Policy"
OWNERS = f"berth-app-{NOTEBOOK}=owner"
PART = {"Sec-Fetch-Mode": "no-cors"}


@dataclass
class Site:
    """The gateway, the notebook behind it, and what each grant opens now."""

    url: str
    upstream: FakeUpstream
    client: ClientSession
    opens: dict[str, Endpoint]
    closed: ClosedWork | None = None

    def authorise(self, secret: str, workload_id: UUID) -> Endpoint | None:
        return self.opens.get(secret) if workload_id == NOTEBOOK else None

    def describe_closed(self, secret: str, workload_id: UUID) -> ClosedWork | None:
        return self.closed

    def share(self, *, is_full: bool) -> None:
        access = Access(COLLEAGUE, is_view_only=not is_full)
        port = self.upstream.port
        self.opens["colleague"] = an_endpoint(port, TOKEN, name="sam", access=access)

    def request(self, method: str, target: str, who: str = "colleague", **headers: str) -> Any:
        sent = {"Cookie": f"berth-app-{NOTEBOOK}={who}", "Origin": self.url, **headers}
        url = URL(f"{self.url}{target}", encoded=True)
        return self.client.request(method, url, headers=sent, allow_redirects=False)

    def socket(self, who: str = "colleague", **headers: str) -> Any:
        sent = {"Cookie": f"berth-app-{NOTEBOOK}={who}", "Origin": self.url, **headers}
        return self.client.ws_connect(f"{self.url}{BASE}socket", headers=sent)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    listener = free_socket()
    async with fake_upstream() as upstream, create_http_client() as client:
        owner = an_endpoint(upstream.port, TOKEN, name="sam")
        found = Site(url_of(listener), upstream, client, {"owner": owner})
        gateway = NotebookProxy(
            client=client,
            get_port_client=no_ports,
            apps=Origin.parse(found.url),
            portal=Origin.parse("https://portal.example.org"),
            redeem_ticket=lambda *_: ("", NOTEBOOK),
            grants=GrantCache(found.authorise, cache_s=HASTE_S, recheck_s=HASTE_S),
            describe_closed=found.describe_closed,
        )
        async with serving(gateway, listener):
            yield found


@pytest.mark.parametrize(
    ("language", "title"), [("en", "You may only view sam"), ("zh-CN", "您只能查看 sam")]
)
async def test_view_only_reads_and_neither_writes_nor_upgrades(
    site: Site, language: str, title: str
) -> None:
    site.share(is_full=False)
    for method in ("GET", "HEAD", "OPTIONS"):
        async with site.request(method, f"{BASE}api/contents") as response:
            assert response.status == 200
    served = site.upstream.served
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        async with site.request(method, f"{BASE}api", **{"Accept-Language": language}) as response:
            page = await response.text()
        assert (response.status, f"<h1>{title}</h1>" in page) == (403, True)
    with pytest.raises(WSServerHandshakeError) as refusal:
        await site.socket()
    assert refusal.value.status == 403
    assert (site.upstream.served, site.upstream.sockets) == (served, [])


async def test_view_only_request_cannot_pass_for_another_method(site: Site) -> None:
    site.share(is_full=False)
    disguise = {"X-HTTP-Method-Override": "DELETE", "Range": "bytes=0-9", "X-Own": "kept"}
    async with site.request("GET", f"{BASE}api", **disguise) as response:
        seen = {name.lower() for name, _ in (await response.json())["headers"]}
    assert "x-own" in seen
    assert seen.isdisjoint({"x-http-method-override", "range", "accept-encoding"})


async def test_view_only_page_does_not_show_the_notebooks_token(site: Site) -> None:
    site.share(is_full=False)
    async with site.request("GET", f"{BASE}api") as response:
        shown = await response.text()
    async with site.request("GET", f"{BASE}api", "owner") as response:
        own = await response.text()
    assert (TOKEN in shown, TOKEN in own) == (False, True)
    assert "token " + "0" * len(TOKEN) in shown


async def test_full_access_writes_and_upgrades(site: Site) -> None:
    site.share(is_full=True)
    async with site.request("POST", f"{BASE}api") as response:
        assert response.status == 200
    async with site.socket() as socket:
        await socket.send_str("42")
        assert await socket.receive_str() == "42"


@pytest.mark.parametrize("becomes", ["revoked", "view only"])
async def test_socket_ends_when_full_access_ends(site: Site, becomes: str) -> None:
    site.share(is_full=True)
    async with site.socket() as socket, site.socket("owner") as own:
        if becomes == "revoked":
            del site.opens["colleague"]
        else:
            site.share(is_full=False)
        async with asyncio.timeout(PATIENCE_S):
            message = await socket.receive()
        assert (message.type, socket.close_code) == (WSMsgType.CLOSE, 4401)
        await own.send_str("still here")
        assert await own.receive_str() == "still here"


async def test_colleagues_sockets_leave_the_owner_theirs(site: Site) -> None:
    site.share(is_full=True)
    held = [await site.socket() for _ in range(SOCKETS_MAX)]
    with pytest.raises(WSServerHandshakeError) as refusal:
        await site.socket()
    assert refusal.value.status == 429
    async with site.socket("owner") as own:
        await own.send_str("mine")
        assert await own.receive_str() == "mine"
    await asyncio.gather(*(socket.close() for socket in held))


@pytest.mark.parametrize("place", ["first", "last"])
async def test_grant_counts_whatever_else_has_its_name(site: Site, place: str) -> None:
    site.share(is_full=False)
    planted = [f"berth-app-{NOTEBOOK}={value}" for value in ("x", "", "y=z", "x" * 3_000)]
    own = [f"berth-app-{NOTEBOOK}=colleague"]
    cookies = "; ".join([*own, *planted] if place == "first" else [*planted, *own])
    async with site.request("GET", f"{BASE}api", Cookie=cookies) as response:
        assert response.status == 200


@pytest.mark.parametrize("order", [("owner", "colleague"), ("colleague", "owner")])
async def test_of_two_grants_the_one_that_confines_counts(
    site: Site, order: tuple[str, str]
) -> None:
    site.share(is_full=False)
    cookies = "; ".join(f"berth-app-{NOTEBOOK}={who}" for who in order)
    async with site.request("GET", f"{BASE}lab", Cookie=cookies) as response:
        assert any("sandbox" in each for each in response.headers.getall(POLICY))
    async with site.request("POST", f"{BASE}api", Cookie=cookies) as response:
        assert response.status == 403


async def test_only_so_many_grants_are_tried(site: Site) -> None:
    cookies = "; ".join(f"berth-app-{NOTEBOOK}={number}" for number in range(TRIED_MAX))
    async with site.request("GET", BASE, Cookie=f"{cookies}; {OWNERS}") as response:
        assert response.status == 401
    async with site.request("GET", BASE, Cookie=f"{OWNERS}; {cookies}") as response:
        assert response.status == 200


async def test_view_only_headers_do_not_show_the_notebooks_token(site: Site) -> None:
    site.share(is_full=False)
    query = URL.build(query={"to": f"{BASE}lab?token={TOKEN}"}).raw_query_string
    async with site.request("GET", f"{BASE}redirect?{query}") as response:
        assert response.headers["Location"] == f"{BASE}lab?token={'0' * len(TOKEN)}"
    async with site.request("GET", f"{BASE}redirect?{query}", "owner") as response:
        assert response.headers["Location"].endswith(TOKEN)


@pytest.mark.parametrize("is_full", [False, True])
async def test_colleague_gets_no_cookie_of_the_notebooks_server(site: Site, is_full: bool) -> None:
    site.share(is_full=is_full)
    async with site.request("GET", f"{BASE}cookies") as response:
        assert (response.status, "Set-Cookie" in response.headers) == (200, False)
    async with site.request("GET", f"{BASE}cookies", "owner") as response:
        assert len(response.headers.getall("Set-Cookie")) == 2


@pytest.mark.parametrize("sec_purpose", ["prefetch", "prefetch;prerender"])
async def test_nobody_is_ahead_of_the_reader(site: Site, sec_purpose: str) -> None:
    ahead = {"Sec-Purpose": sec_purpose, "Sec-Fetch-Mode": "navigate"}
    async with site.request("GET", f"{BASE}lab", "owner", **ahead) as response:
        assert response.status == 403
    async with site.request("GET", f"{BASE}x.js", "owner", **(ahead | PART)) as response:
        assert response.status == 200


@pytest.mark.parametrize("is_full", [False, True])
async def test_colleagues_page_is_confined_to_its_own_path(site: Site, is_full: bool) -> None:
    site.share(is_full=is_full)
    async with site.request("GET", f"{BASE}lab") as response:
        policies = response.headers.getall("Content-Security-Policy")
    (policy,) = (each for each in policies if each.startswith("sandbox"))
    own, sockets = f"{site.url}{BASE}", f"{site.url.replace('http', 'ws')}{BASE}"
    assert f"default-src {own} data: blob: 'unsafe-inline' 'unsafe-eval';" in policy
    assert f"connect-src {own} {sockets} data: blob:;" in policy
    assert f"frame-src {own} data: blob:;" in policy
    assert "popups" not in policy
    async with site.request("GET", f"{BASE}lab", "owner") as response:
        assert "sandbox" not in response.headers["Content-Security-Policy"]
    async with site.request("GET", f"{BASE}sw.js", **{"Service-Worker": "script"}) as response:
        assert response.status == 404


@pytest.mark.parametrize(
    ("location", "is_followed"),
    [
        (f"{BASE}lab", True),
        ("tree?a=1", True),
        ("{url}" + f"{BASE}lab", True),
        (f"/e/{OTHER}/api/contents", False),
        (f"{BASE}../{OTHER}/lab", False),
        (f"{BASE}%2e%2E/{OTHER}/lab", False),
        (f"/e\\{OTHER}/lab", False),
        ("{url}" + f"/e/{OTHER}/lab", False),
        ("//{host}" + f"/e/{OTHER}/lab", False),
        ("https://elsewhere.example.org/", False),
        ("http://[", False),
        ("//[x]/", False),
    ],
)
async def test_colleagues_page_is_not_redirected_to_other_work(
    site: Site, location: str, is_followed: bool
) -> None:
    site.share(is_full=True)
    given = location.format(url=site.url, host=site.url.removeprefix("http://"))
    target = f"{BASE}redirect?to={URL.build(query={'to': given}).raw_query_string[3:]}"
    async with site.request("GET", target) as response:
        assert response.headers.get("Location") == (given if is_followed else None)
    async with site.request("GET", target, "owner") as response:
        assert response.headers["Location"] == given


@pytest.mark.parametrize(
    ("language", "words"), [("en", "only its owner can start it"), ("zh-CN", "只有所有者可以启动")]
)
async def test_colleague_of_a_stopped_notebook_is_offered_no_start(
    site: Site, language: str, words: str
) -> None:
    site.closed = ClosedWork("environment", WorkAvailability.STOPPED, "sam", is_own=False)
    headers = {"Accept": "text/html", "Accept-Language": language}
    async with site.request("GET", f"{BASE}lab", **headers) as response:
        page = await response.text()
    assert (response.status, words in page, 'class="start"' in page) == (424, True, False)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_secret_is_hidden_however_the_body_is_cut(size: int) -> None:
    body = b"aab<aaab>aaabaaabaa" * 3 + b"aaa"
    mask = SecretMask("aaab")
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    shown = b"".join([*(mask.feed(piece) for piece in pieces), mask.end()])
    assert shown == body.replace(b"aaab", b"0000")
