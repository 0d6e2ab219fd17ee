"""The apps origin with one app behind it, and a browser that may open it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from aiohttp import ClientSession
from yarl import URL

from portal.apps.commands import ServedAt
from portal.common.errors import NotFoundError
from portal.common.origins import Origin
from portal.endpoints.values import Access, ClosedWork, ContainerAddress, Endpoint
from portal.gateway.activity import ActivityRecorder
from portal.gateway.client import create_http_client
from portal.gateway.grants import GrantCache
from portal.gateway.notebook_proxy import NotebookProxy
from tests.builders.endpoints import an_endpoint
from tests.portal.gateway.upstreams import FakeUpstream, fake_upstream
from tests.serving import free_socket, serving, url_of

APP: Final = UUID("0190d3a0-0000-7000-8000-00000000000a")
COLLEAGUE: Final = UUID("0190d3a0-0000-7000-8000-00000000000b")
TOKEN: Final = "token-of-the-notebook"
ENGLISH: Final = {"Accept": "text/html", "Accept-Language": "en"}


@dataclass
class AppSite:
    """The apps origin with one app, and the uses of it that were recorded."""

    url: str
    upstream: FakeUpstream
    client: ClientSession
    used: list[UUID]
    served: Endpoint

    def serve(self, port: int, served_at: ServedAt = ServedAt.PATH) -> str:
        """Let the app listen on a port; return the address of its pages."""
        self.served = an_endpoint(
            None, TOKEN, port, served_at=served_at, kind="app", name="tb-night"
        )
        return f"{self.url}/e/{APP}/port/{port}/"

    def share(self) -> None:
        """Let a colleague come in place of the owner."""
        self.served = replace(self.served, access=Access(COLLEAGUE))

    def get(self, url: str, *, cookies: str = "", **headers: str) -> Any:
        return self.request("GET", url, cookies=cookies, **headers)

    def request(self, method: str, url: str, *, cookies: str = "", **headers: str) -> Any:
        sent = {**ENGLISH, "Cookie": f"berth-app-{APP}=secret{cookies}", **headers}
        return self.client.request(
            method, URL(url, encoded=True), headers=sent, allow_redirects=False
        )

    def socket(self, url: str, **headers: str) -> Any:
        sent = {"Cookie": f"berth-app-{APP}=secret", "Origin": self.url, **headers}
        return self.client.ws_connect(url, headers=sent)


@asynccontextmanager
async def app_site() -> AsyncIterator[AppSite]:
    """Serve it for the length of the block."""
    listener = free_socket()
    used: list[UUID] = []
    async with fake_upstream() as upstream, create_http_client() as client:

        async def client_of(_: ContainerAddress, __: int) -> ClientSession:
            return client

        found = AppSite(url_of(listener), upstream, client, used, an_endpoint())
        gateway = NotebookProxy(
            client=client,
            get_port_client=client_of,
            apps=Origin.parse(url_of(listener)),
            portal=Origin.parse("https://portal.example.org"),
            redeem_ticket=no_ticket,
            grants=GrantCache(lambda *_: found.served, cache_s=0),
            describe_closed=nothing_closed,
            activity=ActivityRecorder(used.append),
        )
        async with serving(gateway, listener):
            yield found


def no_ticket(_code: str, _host_of: UUID | None) -> tuple[str, UUID]:
    raise NotFoundError("ticket")


def nothing_closed(*_: object) -> ClosedWork | None:
    return None
