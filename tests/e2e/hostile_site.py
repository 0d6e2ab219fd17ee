"""The apps origin as one browser sees it: a colleague's shared page, and a notebook of the reader's own."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from aiohttp import ClientSession, web
from aiohttp.typedefs import Handler
from playwright.sync_api import Browser, BrowserContext, Page

from portal.common.origins import Origin
from portal.endpoints.values import Access, ContainerAddress, Endpoint, base_path
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.lab_desk import LabDesk
from portal.gateway.notebook_proxy import NotebookProxy
from portal.gateway.sealed_answers import SealedAnswers
from tests.builders.endpoints import an_endpoint
from tests.e2e.in_background import in_background
from tests.serving import free_socket, port_of, serving, url_of

SHARED: Final = UUID("0190d3a0-0000-7000-8000-000000000001")
OWN: Final = UUID("0190d3a0-0000-7000-8000-000000000002")
READER: Final = UUID("0190d3a0-0000-7000-8000-000000000003")
GRANTS: Final = {f"berth-app-{SHARED}", f"berth-app-{OWN}"}
"""Names of the reader's cookies."""
_PNG: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360f8ffff3f0005fe02fea7d6059b0000000049454e44ae426082"
)
_FILES: Final = {
    "png": ("image/png", _PNG),
    "css": ("text/css", b"body { --secret: 1 }"),
    "js": ("text/javascript", b"globalThis.secret = 1;"),
    "json": ("application/json", b'{"secret": 1}'),
    "svg": ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg" id="s"/>'),
    "vtt": ("text/vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\nsecret\n"),
    "html": ("text/html", b"<!doctype html><title>page</title><body>secret"),
    "txt": ("text/plain", b"secret"),
}


@dataclass
class HostileSite:
    """Where the pages are, and what browsers have asked for."""

    url: str
    port: int = 0
    opens: dict[str, Endpoint] = field(default_factory=dict)
    """What each grant opens now."""
    asked: set[str] = field(default_factory=set)
    """Probes that reached the reader's notebook."""
    answered: set[str] = field(default_factory=set)
    """Probes that reached the colleague's page itself."""

    @property
    def shared(self) -> str:
        """The address of the colleague's page."""
        return f"{self.url}{base_path(SHARED)}port/{self.port}/"

    @property
    def own(self) -> str:
        """The address of the reader's own notebook."""
        return f"{self.url}{base_path(OWN)}"

    def share(self, access: str) -> None:
        """Let the reader open the page by `view` or `full` access, or as if it were the reader's `own`."""
        work = an_endpoint(self.port, "token", self.port, name="page")
        self.opens["owner"] = work
        if access != "own":
            work = replace(work, access=Access(READER, is_view_only=access == "view"))
        self.opens["reader"] = work

    def seat(self, browser: Browser) -> BrowserContext:
        """Seat the reader at a browser with grants for both."""
        context = browser.new_context()
        for work, secret in ((SHARED, "reader"), (OWN, "mine")):
            context.add_cookies(
                [
                    {
                        "name": f"berth-app-{work}",
                        "value": secret,
                        "url": f"{self.url}{base_path(work)}",
                        "httpOnly": True,
                        "sameSite": "Lax",
                    }
                ]
            )
        return context

    def open(self, context: BrowserContext, query: str = "") -> Page:
        """Open the colleague's page in a new tab."""
        page = context.new_page()
        answer = page.goto(f"{self.shared}page.html{query}")
        assert answer is not None
        assert answer.ok
        return page

    async def serve_own(self, request: web.Request) -> web.StreamResponse:
        """Answer for the reader's notebook, and note who asks."""
        self.asked.add(request.query.get("probe", ""))
        return _file(request)

    async def serve_shared(self, request: web.Request) -> web.StreamResponse:
        """Answer for the colleague, who sends any header that helps."""
        self.answered.add(request.query.get("probe", ""))
        response = _file(request)
        for name, value in request.query.items():
            if name != "probe":
                response.headers.add(name, value)
        return response


@contextmanager
def hostile_site() -> Iterator[HostileSite]:
    """Serve both for the length of the block."""
    with in_background(_serving()) as site:
        yield site


@asynccontextmanager
async def _serving() -> AsyncIterator[HostileSite]:
    listener = free_socket()
    site = HostileSite(url_of(listener))
    async with (
        create_http_client() as client,
        _running(site.serve_own) as own,
        _running(site.serve_shared) as site.port,
    ):
        site.opens["mine"] = an_endpoint(own, "token", name="mine")

        async def client_of(_: ContainerAddress, __: int) -> ClientSession:
            return client

        def authorise(secret: str, workload_id: UUID) -> Endpoint | None:
            return site.opens.get(secret) if (secret == "mine") == (workload_id == OWN) else None

        gateway = NotebookProxy(
            client=client,
            get_port_client=client_of,
            apps=Origin.parse(site.url),
            portal=Origin.parse("http://portal.example.org"),
            redeem_ticket=lambda *_: ("", OWN),
            grants=GrantCache(authorise, cache_s=0),
            describe_closed=lambda *_: None,
            desk=LabDesk(lambda *_: {"name": "page"}),
        )
        async with serving(SealedAnswers(gateway), listener):
            yield site


@asynccontextmanager
async def _running(handler: Handler) -> AsyncIterator[int]:
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    listener = free_socket()
    await web.SockSite(runner, listener).start()
    try:
        yield port_of(listener)
    finally:
        await runner.cleanup()


def _file(request: web.Request) -> web.Response:
    content_type, body = _FILES.get(request.path.rpartition(".")[2], _FILES["txt"])
    return web.Response(body=body, content_type=content_type)
