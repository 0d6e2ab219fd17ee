"""An app on a host of its own: what is there, what is not, and what pages of other hosts can do to it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession, WSServerHandshakeError
from yarl import URL

from portal.apps.commands import ServedAt
from portal.common.errors import NotFoundError
from portal.common.origins import HostPattern, Origin
from portal.endpoints.values import (
    Access,
    ClosedWork,
    ContainerAddress,
    Endpoint,
    WorkAvailability,
)
from portal.gateway.activity import ActivityRecorder
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.notebook_proxy import NotebookProxy
from tests.builders.endpoints import an_endpoint
from tests.portal.gateway.upstreams import FakeUpstream, fake_upstream
from tests.serving import free_socket, port_of, serving, silent_port, url_of
from tests.waiting import PATIENCE_S, wait_until_async

APP = UUID("0190d3a0-0000-7000-8000-00000000000a")
OTHER = UUID("0190d3a0-0000-7000-8000-00000000000b")
NOTEBOOK = UUID("0190d3a0-0000-7000-8000-00000000000c")
COLLEAGUE = UUID("0190d3a0-0000-7000-8000-00000000000d")
PORTAL = "https://portal.example.org"
HOST, OTHER_HOST = f"{APP}.apps.test:8001", f"{OTHER}.apps.test:8001"
OWN, SIBLING = f"http://{HOST}", f"http://{OTHER_HOST}"


@dataclass
class Front:
    """The gateway with two apps on hosts and a notebook on the apps origin, and what opens them."""

    url: str
    upstream: FakeUpstream
    client: ClientSession
    opens: dict[tuple[str, UUID], Endpoint]
    closed: ClosedWork | None = None
    used: list[UUID] = field(default_factory=list)
    tickets: dict[str, UUID] = field(default_factory=lambda: {"ticket-1": APP})

    def redeem(self, code: str, host_of: UUID | None) -> tuple[str, UUID]:
        """Exchange tickets of apps on hosts only there, as the service does."""
        if self.tickets.get(code) != host_of or host_of is None:
            raise NotFoundError("ticket")
        return "secret", self.tickets.pop(code)

    def request(self, method: str, target: str, host: str = HOST, **headers: str) -> Any:
        sent = {"Cookie": f"berth-app-{APP}=secret", "Host": host, "Accept-Language": "en"}
        url = URL(f"{self.url}{target}", encoded=True)
        return self.client.request(method, url, headers=sent | headers, allow_redirects=False)

    def get(self, target: str, host: str = HOST, **headers: str) -> Any:
        return self.request("GET", target, host, **headers)

    def socket(self, origin: str, **headers: str) -> Any:
        sent = {"Cookie": f"berth-app-{APP}=secret", "Host": HOST, "Origin": origin, **headers}
        return self.client.ws_connect(f"{self.url}/socket", headers=sent)

    def share(self, *, is_full: bool) -> None:
        own = self.opens["secret", APP]
        self.opens["secret", APP] = replace(own, access=Access(COLLEAGUE, is_view_only=not is_full))


def an_app(port: int, served_at: ServedAt = ServedAt.HOST) -> Endpoint:
    return an_endpoint(None, "", port, served_at=served_at, kind="app", name="sweep")


@pytest.fixture
async def front() -> AsyncIterator[Front]:
    listener = free_socket()
    async with fake_upstream() as upstream, create_http_client() as client:

        async def client_of(_: ContainerAddress, __: int) -> ClientSession:
            return client

        opens = {
            ("secret", APP): an_app(upstream.port),
            ("other", OTHER): an_app(upstream.port),
            ("lab", NOTEBOOK): an_endpoint(upstream.port, "token"),
        }
        found = Front(url_of(listener), upstream, client, opens)
        gateway = NotebookProxy(
            client=client,
            get_port_client=client_of,
            apps=Origin.parse(url_of(listener)),
            portal=Origin.parse(PORTAL),
            redeem_ticket=found.redeem,
            grants=GrantCache(lambda *key: found.opens.get(key), cache_s=0.05, recheck_s=0.05),
            describe_closed=lambda *_: found.closed,
            hosts=HostPattern.parse("http://*.apps.test:8001"),
            activity=ActivityRecorder(found.used.append),
        )
        async with serving(gateway, listener):
            yield found


async def test_an_app_has_its_whole_host(front: Front) -> None:
    async with front.get("/dashboard/studies?x=%2F") as response:
        echo = await response.json()
    assert echo["target"] == "/dashboard/studies?x=%2F"
    got = {name.lower(): value for name, value in echo["headers"]}
    assert (got["host"], got["x-forwarded-host"], got["x-forwarded-proto"]) == (HOST, HOST, "http")
    assert "x-forwarded-prefix" not in got
    assert "cookie" not in got
    await wait_until_async(lambda: front.used == [APP])


async def test_a_ticket_is_exchanged_on_the_host_of_its_app(front: Front) -> None:
    async with front.get("/open?ticket=ticket-1&lang=zh-CN") as response:
        grant, language = response.headers.getall("Set-Cookie")
    assert (response.status, response.headers["Location"]) == (303, "/")
    assert grant == f"berth-app-{APP}=secret; Path=/; HttpOnly; SameSite=Lax"
    assert language.startswith("berth-language=zh-CN; Path=/; ")
    async with front.get("/open?ticket=ticket-1") as again:
        assert again.status == 401


async def test_a_ticket_is_exchanged_nowhere_else(front: Front) -> None:
    for host in (OTHER_HOST, front.url.removeprefix("http://")):
        async with front.get("/open?ticket=ticket-1", host) as response:
            assert (response.status, "Set-Cookie" in response.headers) == (401, False), host
    assert front.tickets


async def test_an_app_may_have_a_page_open_of_its_own(front: Front) -> None:
    async with front.get("/open?file=a.csv") as response:
        assert (await response.json())["target"] == "/open?file=a.csv"
    async with front.get("/open?file=a.csv", Cookie="") as response:
        assert response.status == 401


@pytest.mark.parametrize(
    "host",
    [
        HOST.upper(),
        f"{APP}.apps.test.:8001",
        f"{APP}.apps.test",
        f"{APP}.apps.test:80",
        f"x.{APP}.apps.test:8001",
        "sweep.apps.test:8001",
        "apps.test:8001",
        f"{APP}.evil.test:8001",
    ],
)
async def test_other_hosts_do_not_exist(front: Front, host: str) -> None:
    for target in ("/", "/open?ticket=ticket-1", f"/e/{NOTEBOOK}/lab"):
        async with front.get(target, host) as response:
            assert response.status == 404
    assert (front.upstream.served, bool(front.tickets)) == (0, True)


@pytest.mark.parametrize("second", [HOST, OTHER_HOST, "portal.example.org"])
async def test_two_hosts_in_one_request_are_none(front: Front, second: str) -> None:
    port = int(front.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = ["GET / HTTP/1.1", f"Host: {HOST}", f"Host: {second}", "Connection: close"]
    writer.write("\r\n".join([*lines, f"Cookie: berth-app-{APP}=secret", "", ""]).encode())
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    assert answer.split(b" ", 2)[1] in {b"400", b"404"}
    assert front.upstream.served == 0


async def test_grants_open_one_host_each(front: Front) -> None:
    stolen = f"berth-app-{APP}=other; berth-app-{OTHER}=other; berth-app-{OTHER}=secret"
    for cookie in ("", stolen, f"berth-app-{NOTEBOOK}=lab"):
        async with front.get("/", Cookie=cookie) as response:
            assert response.status == 401, cookie
    assert front.upstream.served == 0


async def test_work_has_one_address_and_not_two(front: Front) -> None:
    """An app of a host is not on the apps origin, and what is there is on no host."""
    apps, port = front.url.removeprefix("http://"), front.upstream.port
    for path in ("", "lab", f"port/{port}/"):
        async with front.get(f"/e/{APP}/{path}", apps) as response:
            assert response.status == 404
    cookies = {"Cookie": f"berth-app-{NOTEBOOK}=lab"}
    for path in ("/", f"/e/{NOTEBOOK}/lab", f"/e/{NOTEBOOK}/berth/status"):
        async with front.get(path, f"{NOTEBOOK}.apps.test:8001", **cookies) as response:
            assert response.status == 404
    front.opens["secret", APP] = an_app(port, ServedAt.PATH)
    await wait_until_async(lambda: _is_gone(front))


async def _is_gone(front: Front) -> bool:
    async with front.get("/") as response:
        return bool(response.status == 404)


async def test_the_path_of_other_work_is_the_apps_own_path(front: Front) -> None:
    target = f"/e/{NOTEBOOK}/lab"
    async with front.get(target, Cookie=f"berth-app-{APP}=secret; berth-app-{NOTEBOOK}=lab") as got:
        echo = await got.json()
    assert echo["target"] == target
    names = {name.lower() for name, _ in echo["headers"]}
    assert names.isdisjoint({"cookie", "authorization"})


@pytest.mark.parametrize("origin", ["", "null", SIBLING, PORTAL, OWN.upper(), f"{OWN}.evil.test"])
async def test_other_pages_cannot_act(front: Front, origin: str) -> None:
    headers = {"Origin": origin} if origin else {}
    for method in ("POST", "PUT", "DELETE"):
        async with front.request(method, "/api", **headers) as response:
            assert response.status == 403
    with pytest.raises(WSServerHandshakeError) as refusal:
        await front.socket(origin)
    assert (refusal.value.status, front.upstream.served) == (403, 0)


async def test_own_pages_act_and_talk(front: Front) -> None:
    async with front.request("POST", "/api", Origin=OWN) as response:
        assert (await response.json())["method"] == "POST"
    async with front.socket(OWN) as socket:
        await socket.send_str("headers")
        seen = await socket.receive_json()
    assert (seen["Host"], seen["Origin"], "Cookie" in seen) == (HOST, OWN, False)


@pytest.mark.parametrize(
    ("site", "mode", "status"),
    [
        ("cross-site", "navigate", 200),
        ("same-site", "navigate", 200),
        ("same-site", "no-cors", 403),
        ("cross-site", "cors", 403),
        ("same-origin", "cors", 200),
        ("none", "navigate", 200),
    ],
)
async def test_other_pages_may_link_and_not_embed(
    front: Front, site: str, mode: str, status: int
) -> None:
    """Cookies of hosts that are one site to browsers go along with requests of each other's pages."""
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
    async with front.get("/api/delete?study=1", **headers) as response:
        assert response.status == status
    if status == 200:
        assert response.headers.getall("Cross-Origin-Resource-Policy") == ["same-origin"]


async def test_cookies_stay_on_the_host_and_answers_allow_no_other(front: Front) -> None:
    async with front.get("/cookies", Cookie=f"berth-app-{APP}=secret; berth-session=x; a=1") as got:
        cookies, headers = got.headers.getall("Set-Cookie"), got.headers
    assert cookies == ["_xsrf=abc; Path=/; Secure", "username-8888=me; HttpOnly; Path=/e/other/"]
    for name in ("Clear-Site-Data", "Service-Worker-Allowed", "Access-Control-Allow-Origin"):
        assert name not in headers
    assert headers["Content-Security-Policy"] == f"frame-ancestors 'self' {PORTAL}"
    async with front.get("/api", Cookie=f"berth-app-{APP}=secret; berth-session=x; a=1") as got:
        seen = [value for name, value in (await got.json())["headers"] if name.lower() == "cookie"]
    assert seen == ["a=1"]


@pytest.mark.parametrize("to", ["/dashboard", "studies", "//elsewhere.example.org/"])
async def test_redirects_of_the_owners_app_pass_as_they_are(front: Front, to: str) -> None:
    async with front.get(f"/redirect?to={to}") as response:
        assert response.headers["Location"] == to


async def test_a_service_worker_cannot_reach_tickets(front: Front) -> None:
    worker = {"Service-Worker": "script"}
    async with front.get("/sw.js", **worker) as response:
        assert response.status == 404
    async with front.get("/static/sw.js", **worker) as response:
        assert response.status == 200


async def test_view_only_and_the_policy_of_a_colleague_are_about_the_host(front: Front) -> None:
    front.share(is_full=False)
    async with front.get("/dashboard") as response:
        policies = response.headers.getall("Content-Security-Policy")
    (policy,) = (each for each in policies if each.startswith("sandbox"))
    assert f"connect-src {OWN}/ ws://{HOST}/ data: blob:;" in policy
    assert f"form-action {OWN}/;" in policy
    async with front.request("POST", "/api", Origin=OWN) as response:
        assert "You may only view sweep" in await response.text()
    with pytest.raises(WSServerHandshakeError):
        await front.socket(OWN)
    async with front.get("/static/sw.js", **{"Service-Worker": "script"}) as response:
        assert response.status == 404


@pytest.mark.parametrize(
    ("to", "is_followed"),
    [
        ("/dashboard", True),
        (f"{OWN}/x", True),
        (f"{SIBLING}/x", False),
        (f"//{OTHER_HOST}/", False),
    ],
)
async def test_a_colleagues_page_is_not_redirected_off_the_host(
    front: Front, to: str, is_followed: bool
) -> None:
    front.share(is_full=True)
    query = URL.build(query={"to": to}).raw_query_string
    async with front.get(f"/redirect?{query}") as response:
        assert response.headers.get("Location") == (to if is_followed else None)


async def test_revocation_ends_what_is_open(front: Front) -> None:
    async with front.socket(OWN) as socket, front.get("/slow") as response:
        assert await response.content.readany() == b"first"
        front.opens.clear()
        async with asyncio.timeout(PATIENCE_S):
            await socket.receive()
            await wait_until_async(front.upstream.has_lost_client.is_set)
        assert socket.close_code == 4401
    front.closed = ClosedWork("app", WorkAvailability.ENDED, "sweep")
    async with front.get("/", Accept="text/html") as ended:
        assert (ended.status, f'href="{PORTAL}/apps/{APP}"' in await ended.text()) == (410, True)


async def test_an_app_that_does_not_listen_yet_is_starting(front: Front) -> None:
    with silent_port() as port:
        front.opens["secret", APP] = an_app(port)
        async with front.get("/") as response:
            assert (response.status, "sweep is starting" in await response.text()) == (503, True)


async def test_without_a_pattern_there_are_no_such_hosts(front: Front) -> None:
    listener = free_socket()
    gateway = NotebookProxy(
        client=front.client,
        get_port_client=lambda *_: pytest.fail("nothing is connected to"),
        apps=Origin.parse(url_of(listener)),
        portal=Origin.parse(PORTAL),
        redeem_ticket=front.redeem,
        grants=GrantCache(lambda *key: front.opens.get(key)),
        describe_closed=lambda *_: None,
    )
    async with serving(gateway, listener):
        front.url = f"http://127.0.0.1:{port_of(listener)}"
        async with front.get("/") as response:
            assert response.status == 404
