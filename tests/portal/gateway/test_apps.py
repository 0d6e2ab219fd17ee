"""A web app behind the apps origin: its one port, its use, and what is shown until it answers."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession

from portal.catalog.app_commands import ServedAt
from portal.common.errors import NotFoundError
from portal.common.origins import Origin
from portal.environments.app_access import ClosedWork, ContainerEndpoint, Upstream
from portal.gateway.activity import ActivityRecorder
from portal.gateway.client import create_http_client
from portal.gateway.error_pages import ErrorPage, PageSubject, send_error_page
from portal.gateway.grants import GrantCache
from portal.gateway.notebook_proxy import NotebookProxy
from tests.portal.gateway.upstreams import FakeUpstream, fake_upstream
from tests.serving import free_socket, serving, silent_port, url_of
from tests.waiting import wait_until_async

APP = UUID("0190d3a0-0000-7000-8000-00000000000a")
WITHOUT_AN_APP = {ErrorPage.NOT_FOUND, ErrorPage.STOPPED, ErrorPage.PORT_SILENT}
"""Pages that are never about an app."""
ENGLISH = {"Accept": "text/html", "Accept-Language": "en"}


@dataclass
class AppSite:
    """The apps origin with one app, and the uses of it that were recorded."""

    url: str
    upstream: FakeUpstream
    client: ClientSession
    used: list[UUID]
    served: Upstream

    def serve(self, port: int, served_at: ServedAt = ServedAt.PATH) -> str:
        """Let the app listen on a port; return the address of its pages."""
        container = ContainerEndpoint(APP, "a", 1, frozenset({port}), served_at)
        self.served = Upstream("127.0.0.1", None, "", container, kind="app", name="tb-night")
        return f"{self.url}/e/{APP}/port/{port}/"

    def get(self, url: str, *, cookies: str = "", **headers: str) -> Any:
        sent = {**ENGLISH, "Cookie": f"berth-app-{APP}=secret{cookies}", **headers}
        return self.client.get(url, headers=sent, allow_redirects=False)


def no_ticket(_code: str, _host_of: UUID | None) -> tuple[str, UUID]:
    raise NotFoundError("ticket")


def nothing_closed(*_: object) -> ClosedWork | None:
    return None


@pytest.fixture
async def site() -> AsyncIterator[AppSite]:
    listener = free_socket()
    used: list[UUID] = []
    async with fake_upstream() as upstream, create_http_client() as client:

        async def client_of(_: ContainerEndpoint, __: int) -> ClientSession:
            return client

        found = AppSite(url_of(listener), upstream, client, used, Upstream("", None, ""))
        gateway = NotebookProxy(
            client=client,
            get_port_client=client_of,
            apps=Origin.parse(url_of(listener)),
            portal=Origin.parse("https://portal.example.org"),
            redeem_ticket=no_ticket,
            grants=GrantCache(lambda *_: found.served),
            describe_closed=nothing_closed,
            activity=ActivityRecorder(used.append),
        )
        async with serving(gateway, listener):
            yield found


async def test_reading_an_app_counts_as_use_and_its_prefix_is_removed(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    async with site.get(f"{pages}api?x=1") as response:
        echo = await response.json()
    assert echo["target"] == "/api?x=1"
    await wait_until_async(lambda: site.used == [APP])


async def test_app_that_serves_below_its_prefix_gets_the_whole_path(site: AppSite) -> None:
    pages = site.serve(site.upstream.port, ServedAt.BASE_PATH)
    async with site.get(f"{pages}api") as response:
        echo = await response.json()
    assert echo["target"] == f"/e/{APP}/port/{site.upstream.port}/api"


async def test_app_gets_its_own_cookies_and_no_credentials(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    foreign = {"Authorization": "token stolen", "X-Forwarded-Prefix": "/e/other"}
    cookies = "; berth-session=portal; __Host-berth-csrf=x; theme=dark"
    async with site.get(f"{pages}api", cookies=cookies, **foreign) as response:
        echo = await response.json()
    got = [(name.lower(), value) for name, value in echo["headers"]]
    assert [value for name, value in got if name == "cookie"] == ["theme=dark"]
    assert "authorization" not in dict(got)
    prefixes = [value for name, value in got if name == "x-forwarded-prefix"]
    assert prefixes == [f"/e/{APP}/port/{site.upstream.port}"]


@pytest.mark.parametrize("served_at", [ServedAt.PATH, ServedAt.BASE_PATH])
async def test_cookies_and_redirects_of_an_app_stay_below_its_address(
    site: AppSite, served_at: ServedAt
) -> None:
    pages = site.serve(site.upstream.port, served_at)
    base = f"/e/{APP}/port/{site.upstream.port}/"
    async with site.get(f"{pages}cookies") as response:
        cookies = response.headers.getall("Set-Cookie")
        headers = response.headers
    assert cookies
    assert all(cookie.endswith(f"Path={base}") for cookie in cookies)
    assert "Clear-Site-Data" not in headers
    assert "Service-Worker-Allowed" not in headers


async def test_app_that_does_not_listen_yet_is_starting(site: AppSite) -> None:
    with silent_port() as port:
        async with site.get(site.serve(port)) as response:
            page = await response.text()
    assert response.status == 503
    assert "tb-night is starting" in page
    assert "http-equiv" in page
    assert f'href="https://portal.example.org/apps/{APP}"' in page


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("page", sorted(set(ErrorPage) - WITHOUT_AN_APP, key=str), ids=str)
async def test_pages_about_an_app_do_not_call_it_a_notebook(page: ErrorPage, language: str) -> None:
    sent: list[Any] = []

    async def send(event: Any) -> None:
        sent.append(event)

    scope = {"type": "http", "headers": [(b"accept-language", language.encode())]}
    subject = PageSubject(APP, "app", "tb-night", 6006)
    await send_error_page(scope, send, page, "https://portal.example.org", subject)
    shown = b"".join(event.get("body", b"") for event in sent).decode()
    assert "otebook" not in shown
    assert "{" not in shown.partition("<main>")[2]
    assert f'href="https://portal.example.org/apps/{APP}"' in shown


async def test_app_has_no_other_address(site: AppSite) -> None:
    site.serve(site.upstream.port)
    for path in ("lab", "port/22/"):
        async with site.get(f"{site.url}/e/{APP}/{path}") as response:
            assert response.status == 404
