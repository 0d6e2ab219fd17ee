"""A real JupyterLab as a colleague sees it, under the policy that confines its page."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from portal.endpoints.values import Access, Endpoint, base_path
from tests.builders.endpoints import an_endpoint
from tests.e2e.hostile_site import GRANTS, READER, SHARED, HostileSite, hostile_site
from tests.e2e.story import make_notebook, run_in
from tests.portal.gateway.lab import running_lab

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
TOKEN: Final = "0123456789abcdef" * 3
CELL: Final = """\
from base64 import b64decode
from IPython.display import HTML, Image, display
display(HTML("<b id=shown>21 * 2</b><script>shown.textContent = eval(shown.textContent)</script>"))
display(Image(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")))"""
BLOCKED: Final = "Content Security Policy"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    with running_lab(SHARED, tmp_path_factory.mktemp("lab"), TOKEN) as running:
        yield an_endpoint(running.port, TOKEN, name="lab")


@pytest.fixture(scope="module")
def site() -> Iterator[HostileSite]:
    with hostile_site() as served:
        yield served


@pytest.fixture
def context(site: HostileSite, chromium: Browser) -> Iterator[BrowserContext]:
    seated = site.seat(chromium)
    yield seated
    seated.close()


def open_lab(site: HostileSite, context: BrowserContext) -> tuple[Page, list[str]]:
    """Open it; return its page, and what the browser blocks, as it goes on."""
    page, blocked = context.new_page(), list[str]()
    page.on("console", lambda said: blocked.append(said.text) if BLOCKED in said.text else None)
    page.goto(f"{site.url}{base_path(SHARED)}lab")
    expect(page.locator(".jp-DirListing-content").first).to_be_visible()
    return page, blocked


def status_at_the_port(lab: Endpoint, site: HostileSite, context: BrowserContext) -> int:
    """Return how the server itself answers who brings what the browser was given, as if from the gateway."""
    kept = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in context.cookies())
    headers = {"Cookie": kept, "Host": site.url.removeprefix("http://")}
    url = f"http://127.0.0.1:{lab.backends[0].port}{base_path(SHARED)}api/contents"
    try:
        with urlopen(Request(url, headers=headers)) as answer:
            return int(answer.status)
    except HTTPError as refused:
        return refused.code


def test_colleague_with_full_access_runs_cells(
    site: HostileSite, context: BrowserContext, lab: Endpoint
) -> None:
    site.opens["reader"] = replace(lab, access=Access(READER))
    page, blocked = open_lab(site, context)
    run_in(make_notebook(page), CELL)
    expect(page.locator("#shown")).to_have_text("42")
    expect(page.locator(".jp-OutputArea img")).to_be_visible()
    assert blocked == []


@pytest.mark.parametrize("access", ["view", "full"])
def test_colleague_is_handed_nothing_that_opens_the_server_itself(
    site: HostileSite, context: BrowserContext, lab: Endpoint, access: str
) -> None:
    site.opens["reader"] = replace(lab, access=Access(READER, is_view_only=access == "view"))
    _, blocked = open_lab(site, context)
    assert {cookie["name"] for cookie in context.cookies()} == GRANTS
    assert (status_at_the_port(lab, site, context), blocked) == (403, [])


def test_owner_is_signed_in_at_the_server_as_before(
    site: HostileSite, context: BrowserContext, lab: Endpoint
) -> None:
    site.opens["reader"] = lab
    open_lab(site, context)
    assert status_at_the_port(lab, site, context) == 200
