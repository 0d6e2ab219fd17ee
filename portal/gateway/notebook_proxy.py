"""Reverse proxy of the apps origin: notebooks under `/e/<workload>/`, each behind its own grant.

A one-time ticket of the portal is exchanged for a cookie of that path. Every request and upgrade is
checked against the grant of the cookie, and goes to the address in the allocation row, never to one
that a client names.
"""

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from uuid import UUID

from aiohttp import ClientResponse, ClientSession
from django.db import DatabaseError
from yarl import URL

from portal.common.asgi import (
    Header,
    Receive,
    Scope,
    Send,
    get_header,
    parse_cookies,
    raw_path,
    send_response,
)
from portal.common.concurrency import run_in_thread
from portal.common.connection_limiter import ConnectionLimiter
from portal.common.errors import DomainError
from portal.common.origins import Origin
from portal.environments.app_access import (
    ClosedWork,
    ContainerEndpoint,
    Upstream,
    base_path,
)
from portal.gateway.activity import ActivityRecorder
from portal.gateway.cookies import (
    build_grant_cookie,
    build_language_cookie,
    confine_cookie,
    filter_cookies,
    grant_cookie_name,
)
from portal.gateway.error_pages import (
    ErrorPage,
    PageSubject,
    page_of_closed,
    send_error_page,
)
from portal.gateway.grants import GrantCache
from portal.gateway.headers import (
    build_request_headers,
    filter_response_headers,
    security_headers,
)
from portal.gateway.http_relay import HttpRelay, RelayOutcome, UpstreamRequest
from portal.gateway.lab_desk import LabDesk
from portal.gateway.visits import (
    HIDDEN_FROM_VIEWED,
    SAFE,
    confine_answer,
    installs_service_worker,
    is_read,
)
from portal.gateway.web_proxy import METHODS, build_upstream_url
from portal.gateway.websocket_relay import REVOKED, UpgradeRefusedError, relay_websocket

BODY_MAX: Final = 4 * 1024**3
"""Bytes of one request to a notebook, uploads included."""
SOCKETS_MAX: Final = 64
"""WebSockets of one notebook for its owner, and for each colleague with whom it is shared."""
REQUESTS_MAX: Final = 256
"""Requests to one notebook at a time, of its owner and of each colleague."""

_NOTEBOOK: Final = re.compile(r"/e/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/")
_PORT: Final = re.compile(r"port/(\d{1,5})(?=/|$)")
"""Below a notebook's path: another port of its container, such as that of TensorBoard."""
_TICKET: Final = re.compile(rb"ticket=([\w-]{1,128})(?:&port=(\d{1,5}))?(?:&lang=(en|zh-CN))?")
_HIDDEN_FROM_NOTEBOOK: Final = frozenset({b"cookie", b"authorization"})
_HIDDEN_FROM_BROWSER: Final = frozenset(
    {
        b"set-cookie",
        b"clear-site-data",  # one notebook must not empty the origin that all share
        b"service-worker-allowed",  # nor serve paths outside its own
        b"strict-transport-security",
        b"public-key-pins",
        b"alt-svc",
        b"access-control-allow-origin",
        b"access-control-allow-credentials",
        b"referrer-policy",
        b"x-content-type-options",
    }
)
_ERROR_PAGES: Final = {
    RelayOutcome.BODY_TOO_LARGE: ErrorPage.TOO_LARGE,
    RelayOutcome.UPSTREAM_AWAY: ErrorPage.DOWN,
    RelayOutcome.UPSTREAM_DOWN: ErrorPage.DOWN,
    RelayOutcome.UPSTREAM_SLOW: ErrorPage.SLOW,
    RelayOutcome.REVOKED: ErrorPage.NOT_OPEN,
}
_PORT_PAGES: Final = {
    **_ERROR_PAGES,
    # The notebook itself is well: whether it is was decided before the tunnel was used.
    RelayOutcome.UPSTREAM_AWAY: ErrorPage.PORT_SILENT,
    RelayOutcome.UPSTREAM_DOWN: ErrorPage.PORT_SILENT,
}
_APP_PAGES: Final = {
    **_ERROR_PAGES,
    # Its one server has not begun to listen: the work itself runs.
    RelayOutcome.UPSTREAM_AWAY: ErrorPage.STARTING,
    RelayOutcome.UPSTREAM_DOWN: ErrorPage.STARTING,
}
RedeemTicket = Callable[[str], tuple[str, UUID]]
DescribeClosed = Callable[[str, UUID], ClosedWork | None]
"""Returns why a grant opens nothing; None is a grant that is not valid."""
GetPortClient = Callable[[ContainerEndpoint, int], Awaitable[ClientSession]]
"""Returns a client whose every connection ends at a port inside the container."""


@dataclass(frozen=True, slots=True)
class _Destination:
    """Where one authorized request goes, and by which grant."""

    workload_id: UUID
    secret: str
    upstream: Upstream
    client: ClientSession
    url: URL
    base: str
    """Path under which the browser sees it; cookies and redirects stay below."""
    authorization: str = ""
    """The `Authorization` header that the upstream expects; ports expect none."""
    port: int | None = None
    """The port of its container; None is the notebook itself."""

    @property
    def subject(self) -> PageSubject:
        """What an error page is about."""
        return PageSubject(self.workload_id, self.upstream.kind, self.upstream.name, self.port)


@dataclass(frozen=True, slots=True)
class NotebookProxy:
    """The ASGI application of the apps origin."""

    client: ClientSession
    get_port_client: GetPortClient
    apps: Origin
    portal: Origin
    redeem_ticket: RedeemTicket
    grants: GrantCache
    describe_closed: DescribeClosed
    activity: ActivityRecorder = field(default_factory=ActivityRecorder)
    desk: LabDesk = field(default_factory=LabDesk)
    _sockets: ConnectionLimiter = field(default_factory=lambda: ConnectionLimiter(SOCKETS_MAX))
    _requests: ConnectionLimiter = field(default_factory=lambda: ConnectionLimiter(REQUESTS_MAX))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve `/open` and the notebooks; anything else does not exist here."""
        notebook = _NOTEBOOK.match(raw_path(scope))
        if notebook:
            await self._serve(UUID(notebook[1]), (scope, receive, send))
        elif raw_path(scope) == "/open" and scope.get("method") == "GET":
            await self._open(scope, send)
        else:
            await self._show(scope, send, ErrorPage.NOT_FOUND)

    async def _open(self, scope: Scope, send: Send) -> None:
        """Exchange a one-time ticket for the cookie of one notebook, and redirect to it."""
        ticket = _TICKET.fullmatch(scope["query_string"])
        code = ticket[1].decode() if ticket else ""
        try:
            secret, workload_id = await run_in_thread(self.redeem_ticket, code)
        except DomainError:
            await self._show(scope, send, ErrorPage.NOT_OPEN)
            return
        except (DatabaseError, TimeoutError):
            await self._show(scope, send, ErrorPage.BUSY)
            return
        is_secure = self.apps.scheme == "https"
        cookies = [build_grant_cookie(workload_id, secret, is_secure=is_secure)]
        if ticket and ticket[3]:
            cookies.append(build_language_cookie(ticket[3].decode(), is_secure=is_secure))
        page = f"port/{int(ticket[2])}/" if ticket and ticket[2] else "lab"
        headers = [
            (b"location", f"{base_path(workload_id)}{page}".encode()),
            *((b"set-cookie", cookie.encode()) for cookie in cookies),
            (b"cache-control", b"no-store"),
            (b"referrer-policy", b"no-referrer"),
        ]
        await send_response(scope, send, 303, headers)

    async def _serve(self, workload_id: UUID, ends: tuple[Scope, Receive, Send]) -> None:
        scope, _, send = ends
        if not self._is_from_own_pages(scope):
            await self._show(scope, send, ErrorPage.WRONG_ORIGIN)
            return
        secret = parse_cookies(scope).get(grant_cookie_name(workload_id), "")
        try:
            upstream = await self.grants.resolve(secret, workload_id) if secret else None
        except (DatabaseError, TimeoutError):
            await self._show(scope, send, ErrorPage.BUSY)
            return
        if upstream is None:
            await self._show_closed(workload_id, secret, scope, send)
            return
        if self.desk.is_for(workload_id, upstream, scope):
            await self.desk.answer(workload_id, secret, upstream, ends)
            return
        destination = await self._route(workload_id, secret, upstream, scope)
        if destination is None:
            await self._show(scope, send, ErrorPage.NOT_FOUND)
            return
        if upstream.is_view_only and not is_read(scope):
            await self._show(scope, send, ErrorPage.VIEW_ONLY, destination.subject)
        elif upstream.visitor and installs_service_worker(scope):
            await self._show(scope, send, ErrorPage.NOT_FOUND)
        else:
            await self._relay(destination, ends)

    async def _relay(self, destination: _Destination, ends: tuple[Scope, Receive, Send]) -> None:
        scope, _, send = ends
        workload_id, upstream = destination.workload_id, destination.upstream
        is_socket = scope["type"] == "websocket"
        limiter = self._sockets if is_socket else self._requests
        with limiter.acquire((workload_id, upstream.visitor)) as is_acquired:
            if not is_acquired:
                await self._show(scope, send, ErrorPage.TOO_MANY, destination.subject)
            elif is_socket:
                await self._relay_socket(destination, ends)
            else:
                if scope["method"] not in SAFE or upstream.kind == "app":
                    self.activity.record(workload_id)
                await self._relay_request(destination, ends)

    async def _route(
        self, workload_id: UUID, secret: str, upstream: Upstream, scope: Scope
    ) -> _Destination | None:
        """Return where a request goes: to the notebook, or to a port that its owner asked for.

        A job has nothing but ports.
        """
        base = base_path(workload_id)
        named = _PORT.match(raw_path(scope), len(base))
        if named is None:
            if upstream.port is None:
                return None
            url = build_upstream_url(f"http://{_authority(upstream.host, upstream.port)}", scope)
            return _Destination(
                workload_id,
                secret,
                upstream,
                self.client,
                url,
                base,
                f"token {upstream.token}",
            )
        port, container = int(named[1]), upstream.container
        if container is None or port not in container.ports:
            return None
        # The server behind a port expects paths from its own root, as behind other proxies.
        rest = raw_path(scope)[0 if container.keeps_prefix else named.end() :] or "/"
        query = scope["query_string"].decode("ascii")
        url = URL(f"http://localhost:{port}{rest}{f'?{query}' if query else ''}", encoded=True)
        client = await self.get_port_client(container, port)
        own = f"{base}port/{port}/"
        return _Destination(workload_id, secret, upstream, client, url, own, port=port)

    async def _relay_request(
        self, destination: _Destination, ends: tuple[Scope, Receive, Send]
    ) -> None:
        scope, receive, send = ends

        def rewrite(response: ClientResponse) -> list[Header]:
            return self._response_headers(response, destination, scope)

        # JupyterLab writes it into its page, where its owner's browser may have it.
        hidden = destination.upstream.token if destination.upstream.is_view_only else ""
        relay = HttpRelay(scope, receive, send, body_max=BODY_MAX, hidden=hidden)
        request = UpstreamRequest(
            scope["method"], destination.url, self._request_headers(destination, scope)
        )
        outcome = await relay.run(
            destination.client, request, rewrite, self._request_revoked(destination, scope)
        )
        pages = _ERROR_PAGES if destination.port is None else _PORT_PAGES
        if destination.upstream.kind == "app":
            pages = _APP_PAGES
        page = pages.get(outcome)
        if page and not relay.has_answered:
            await self._show(scope, send, page, destination.subject)

    async def _relay_socket(
        self, destination: _Destination, ends: tuple[Scope, Receive, Send]
    ) -> None:
        scope, receive, send = ends
        is_port = destination.port is not None
        receive = self.activity.wrap_receive(destination.workload_id, receive, is_port=is_port)
        url, headers = destination.url, self._request_headers(destination, scope)
        revoked = partial(self._socket_revoked, destination)
        try:
            await relay_websocket(destination.client, url, headers, (scope, receive, send), revoked)
        except UpgradeRefusedError as refusal:
            page = {404: ErrorPage.NOT_FOUND, 504: ErrorPage.SLOW}.get(
                refusal.status, ErrorPage.DOWN
            )
            await self._show(scope, send, page, destination.subject)

    async def _request_revoked(self, destination: _Destination, scope: Scope) -> RelayOutcome:
        await self.grants.until_revoked(
            destination.secret, destination.workload_id, may_change=not is_read(scope)
        )
        return RelayOutcome.REVOKED

    async def _socket_revoked(self, destination: _Destination) -> int:
        await self.grants.until_revoked(
            destination.secret, destination.workload_id, may_change=True
        )
        return REVOKED

    def _is_from_own_pages(self, scope: Scope) -> bool:
        """Return whether the request may be served by its `Origin`.

        Reads may come from anywhere; whatever could change something must come from our origin.
        """
        if scope["type"] == "http" and scope["method"] in SAFE:
            return True
        is_known = scope["type"] == "websocket" or scope["method"] in METHODS
        return is_known and self.apps.is_origin(get_header(scope, b"origin"))

    def _request_headers(self, destination: _Destination, scope: Scope) -> list[tuple[str, str]]:
        hidden = _HIDDEN_FROM_NOTEBOOK
        if destination.upstream.is_view_only:
            hidden |= HIDDEN_FROM_VIEWED
        headers = build_request_headers(scope, self.apps, without=hidden)
        if destination.authorization:
            headers.append(("authorization", destination.authorization))
        else:
            headers.append(("x-forwarded-prefix", destination.base.rstrip("/")))
        if own := filter_cookies(scope):
            headers.append(("cookie", own))
        return headers

    def _response_headers(
        self, response: ClientResponse, destination: _Destination, scope: Scope
    ) -> list[Header]:
        base = destination.base
        own_cookies = (
            confine_cookie(value, base)
            for name, value in response.raw_headers
            if name.lower() == b"set-cookie"
        )
        passed = filter_response_headers(response.raw_headers, without=_HIDDEN_FROM_BROWSER)
        headers = [
            *((name, _confine_redirect(name, value, base)) for name, value in passed),
            *((b"set-cookie", cookie) for cookie in own_cookies if cookie),
            *security_headers(self.portal),
        ]
        if destination.upstream.visitor is None:
            return headers
        return confine_answer(
            headers, raw_path(scope), self.apps, base_path(destination.workload_id)
        )

    async def _show_closed(self, workload_id: UUID, secret: str, scope: Scope, send: Send) -> None:
        """Say why this work cannot be opened: to the holder of a grant what it is doing."""
        closed = None
        if secret and "text/html" in get_header(scope, b"accept"):
            with suppress(DatabaseError, TimeoutError):
                closed = await run_in_thread(self.describe_closed, secret, workload_id)
        named = _PORT.match(raw_path(scope), len(base_path(workload_id)))
        port = int(named[1]) if named else None
        await self._show(scope, send, *page_of_closed(workload_id, closed, port))

    async def _show(
        self, scope: Scope, send: Send, page: ErrorPage, subject: PageSubject | None = None
    ) -> None:
        await send_error_page(scope, send, page, str(self.portal), subject)


def _confine_redirect(name: bytes, value: bytes, base: str) -> bytes:
    """Return a header's value; a port's redirect to its own root is moved below its path."""
    is_of_port = "/port/" in base
    is_rooted = value.startswith(b"/") and not value.startswith((b"//", base.encode()))
    if name == b"location" and is_of_port and is_rooted:
        return base.rstrip("/").encode() + value
    return value


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
