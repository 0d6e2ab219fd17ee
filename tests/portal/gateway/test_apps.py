"""A web app behind the apps origin: its one port, its use, and what is shown until it answers."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from portal.apps.commands import ServedAt
from portal.gateway.error_pages import ErrorPage, PageSubject, send_error_page
from tests.portal.gateway.app_site import APP, AppSite, app_site
from tests.serving import silent_port
from tests.waiting import wait_until_async

WITHOUT_AN_APP = {ErrorPage.NOT_FOUND, ErrorPage.STOPPED, ErrorPage.PORT_SILENT}
"""Pages that are never about an app."""


@pytest.fixture
async def site() -> AsyncIterator[AppSite]:
    async with app_site() as served:
        yield served


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


async def test_app_gets_its_own_cookies_and_none_of_ours(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    foreign = {"X-Forwarded-Prefix": "/e/other"}
    cookies = "; berth-session=portal; __Host-berth-csrf=x; theme=dark"
    async with site.get(f"{pages}api", cookies=cookies, **foreign) as response:
        echo = await response.json()
    got = [(name.lower(), value) for name, value in echo["headers"]]
    assert [value for name, value in got if name == "cookie"] == ["theme=dark"]
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
