"""Reverse proxy to work: below paths of the apps origin, or on hosts of its own, each behind its own grant.

A one-time ticket of the portal is exchanged for a cookie of that path or host. Every request and upgrade is
checked against the grant of the cookie, and goes to the address in the allocation row, never to one
that a client names.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from uuid import UUID

from aiohttp import ClientResponse, ClientSession
from django.db import DatabaseError
from yarl import URL

from portal.apps.commands import ServedAt
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.types import (
    Header,
    Receive,
    Scope,
    Send,
    get_header,
    raw_path,
    send_response,
)
from portal.common.concurrency import run_in_thread
from portal.common.errors import DomainError
from portal.common.origins import HostPattern, Origin
from portal.common.work_kinds import KINDS, IdleRule, WebEndpoint
from portal.endpoints.values import ClosedWork, ContainerAddress, Endpoint
from portal.gateway.activity import ActivityRecorder
from portal.gateway.addresses import Address, TicketQuery, WorkOrigin, find_origin, find_ticket
from portal.gateway.cookies import (
    build_grant_cookie,
    build_language_cookie,
    filter_cookies,
    find_secrets,
)
from portal.gateway.destinations import Destination
from portal.gateway.error_pages import (
    ErrorPage,
    PageSubject,
    page_of_closed,
    send_error_page,
)
from portal.gateway.grants import GrantCache
from portal.gateway.http_relay import HttpRelay, RelayOutcome, UpstreamRequest
from portal.gateway.lab_desk import LabDesk
from portal.gateway.mounts import PortMount
from portal.gateway.visits import SAFE, installs_service_worker, is_read
from portal.gateway.web_proxy import build_upstream_url
from portal.gateway.websocket_relay import REVOKED, UpgradeRefusedError, relay_websocket

BODY_MAX: Final = 4 * 1024**3
"""Bytes of one request to a notebook, uploads included."""
SOCKETS_MAX: Final = 64
"""WebSockets of one notebook for its owner, and for each colleague with whom it is shared."""
REQUESTS_MAX: Final = 256
"""Requests to one notebook at a time, of its owner and of each colleague."""

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
_OWN_REFUSALS: Final = frozenset({400, 401, 403, 426, 429})
"""Statuses of work that is well, and does not let this client in."""
RedeemTicket = Callable[[str, UUID | None], tuple[str, UUID]]
"""Exchanges a ticket on the apps origin, or on the host of this work alone."""
DescribeClosed = Callable[[str, UUID], ClosedWork | None]
"""Returns why a grant opens nothing; None is a grant that is not valid."""
GetPortClient = Callable[[ContainerAddress, int], Awaitable[ClientSession]]
"""Returns a client whose every connection ends at a port inside the container."""


@dataclass(frozen=True, slots=True)
class NotebookProxy:
    """The ASGI application of the apps origin, and of the hosts that single work has."""

    client: ClientSession
    get_port_client: GetPortClient
    apps: Origin
    portal: Origin
    redeem_ticket: RedeemTicket
    grants: GrantCache
    describe_closed: DescribeClosed
    hosts: HostPattern | None = None
    """None: no work has a host of its own."""
    activity: ActivityRecorder = field(default_factory=ActivityRecorder)
    desk: LabDesk = field(default_factory=LabDesk)
    _sockets: ConnectionLimiter = field(default_factory=lambda: ConnectionLimiter(SOCKETS_MAX))
    _requests: ConnectionLimiter = field(default_factory=lambda: ConnectionLimiter(REQUESTS_MAX))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve `/open` and the work that the address names; anything else does not exist here."""
        origin = find_origin(get_header(scope, b"host"), self.apps, self.hosts)
        ticket = find_ticket(scope)
        address = origin.find(raw_path(scope)) if origin else None
        if origin and ticket:
            await self._open(origin, ticket, scope, send)
        elif address:
            await self._serve(address, (scope, receive, send))
        else:
            is_open = origin is not None and raw_path(scope) == "/open"
            await self._show(scope, send, ErrorPage.NOT_OPEN if is_open else ErrorPage.NOT_FOUND)

    async def _open(
        self, origin: WorkOrigin, ticket: TicketQuery, scope: Scope, send: Send
    ) -> None:
        """Exchange a one-time ticket for the cookie of one notebook, and redirect to it."""
        try:
            secret, workload_id = await run_in_thread(
                self.redeem_ticket, ticket.code, origin.host_of
            )
        except DomainError:
            await self._show(scope, send, ErrorPage.NOT_OPEN)
            return
        except (DatabaseError, TimeoutError):
            await self._show(scope, send, ErrorPage.BUSY)
            return
        address = origin.locate(workload_id)
        cookies = [build_grant_cookie(address, secret)]
        if ticket.language:
            cookies.append(build_language_cookie(ticket.language, is_secure=address.is_secure))
        headers = [
            (b"location", address.first_page(ticket.port).encode()),
            *((b"set-cookie", cookie.encode()) for cookie in cookies),
            (b"cache-control", b"no-store"),
            (b"referrer-policy", b"no-referrer"),
        ]
        await send_response(scope, send, 303, headers)

    async def _serve(self, address: Address, ends: tuple[Scope, Receive, Send]) -> None:
        scope, _, send = ends
        workload_id = address.workload_id
        if not address.admits(scope):
            await self._show(scope, send, ErrorPage.WRONG_ORIGIN)
            return
        try:
            secret, endpoint = await self.grants.choose(find_secrets(scope, address), workload_id)
        except (DatabaseError, TimeoutError):
            await self._show(scope, send, ErrorPage.BUSY)
            return
        if endpoint is None:
            await self._show_closed(address, secret, scope, send)
        elif not address.is_of(endpoint):
            await self._show(scope, send, ErrorPage.NOT_FOUND)
        elif self.desk.is_for(workload_id, endpoint, scope):
            await self.desk.answer(workload_id, secret, endpoint, ends)
        else:
            await self._forward(address, secret, endpoint, ends)

    async def _forward(
        self, address: Address, secret: str, endpoint: Endpoint, ends: tuple[Scope, Receive, Send]
    ) -> None:
        scope, _, send = ends
        destination = await self._route(address, secret, endpoint, scope)
        is_worker = installs_service_worker(scope)
        if destination is None:
            await self._show(scope, send, ErrorPage.NOT_FOUND)
        elif endpoint.access.is_view_only and not is_read(scope):
            await self._show(scope, send, ErrorPage.VIEW_ONLY, destination.subject)
        elif is_worker and (endpoint.access.visitor or not address.may_hold_worker):
            await self._show(scope, send, ErrorPage.NOT_FOUND)
        else:
            await self._relay(destination, ends)

    async def _relay(self, destination: Destination, ends: tuple[Scope, Receive, Send]) -> None:
        scope, _, send = ends
        workload_id, endpoint = destination.address.workload_id, destination.endpoint
        is_socket = scope["type"] == "websocket"
        limiter = self._sockets if is_socket else self._requests
        with limiter.acquire((workload_id, endpoint.access.visitor)) as is_acquired:
            if not is_acquired:
                await self._show(scope, send, ErrorPage.TOO_MANY, destination.subject)
            elif is_socket:
                await self._relay_socket(destination, ends)
            else:
                if scope["method"] not in SAFE or KINDS[endpoint.kind].idle_rule is IdleRule.APP:
                    self.activity.record(workload_id)
                await self._relay_request(destination, ends)

    async def _route(
        self, address: Address, secret: str, endpoint: Endpoint, scope: Scope
    ) -> Destination | None:
        """Return where a request goes: to the notebook, or to a port that its owner asked for.

        A job has nothing but ports.
        """
        backend, served_at = endpoint.choose(secret), endpoint.policy.served_at
        if address.port is None and not address.has_own_host:
            if backend.port is None:
                return None
            url = build_upstream_url(f"http://{_authority(backend.host, backend.port)}", scope)
            return Destination(address, secret, endpoint, self.client, url, address.base)
        port = address.choose_port(endpoint.ports)
        if port is None:
            return None
        path, query = address.path_seen(served_at), scope["query_string"].decode("ascii")
        url = URL(f"http://localhost:{port}{path}{f'?{query}' if query else ''}", encoded=True)
        client = await self.get_port_client(backend.container, port)
        base, is_removed = address.base_of_port(port), served_at is ServedAt.PATH
        mount = PortMount(address.origin, base, port, is_removed=is_removed)
        return Destination(address, secret, endpoint, client, url, base, mount)

    async def _relay_request(
        self, destination: Destination, ends: tuple[Scope, Receive, Send]
    ) -> None:
        scope, receive, send = ends

        sent_cookies = filter_cookies(scope)

        def rewrite(response: ClientResponse) -> list[Header]:
            return destination.response_headers(response, self.portal, sent_cookies)

        # JupyterLab writes its token into its page, where its owner's browser may have it.
        relay = HttpRelay(scope, receive, send, body_max=BODY_MAX, hidden=destination.hidden_token)
        request = UpstreamRequest(
            scope["method"], destination.url, destination.request_headers(scope)
        )
        outcome = await relay.run(
            destination.client, request, rewrite, self._request_revoked(destination, scope)
        )
        pages = _ERROR_PAGES if destination.port is None else _PORT_PAGES
        if KINDS[destination.endpoint.kind].endpoint is WebEndpoint.PORT:
            pages = _APP_PAGES
        page = pages.get(outcome)
        if page and not relay.has_answered:
            await self._show(scope, send, page, destination.subject)

    async def _relay_socket(
        self, destination: Destination, ends: tuple[Scope, Receive, Send]
    ) -> None:
        scope, receive, send = ends
        is_port = destination.port is not None
        receive = self.activity.wrap_receive(
            destination.address.workload_id, receive, is_port=is_port
        )
        url, headers = destination.url, destination.request_headers(scope)
        revoked = partial(self._socket_revoked, destination)
        try:
            await relay_websocket(destination.client, url, headers, (scope, receive, send), revoked)
        except UpgradeRefusedError as refusal:
            if refusal.status in _OWN_REFUSALS:
                await send_response(scope, send, refusal.status, [])
                return
            page = {404: ErrorPage.NOT_FOUND, 504: ErrorPage.SLOW}.get(
                refusal.status, ErrorPage.DOWN
            )
            await self._show(scope, send, page, destination.subject)

    async def _request_revoked(self, destination: Destination, scope: Scope) -> RelayOutcome:
        await self.grants.until_revoked(
            destination.secret, destination.address.workload_id, may_change=not is_read(scope)
        )
        return RelayOutcome.REVOKED

    async def _socket_revoked(self, destination: Destination) -> int:
        await self.grants.until_revoked(
            destination.secret, destination.address.workload_id, may_change=True
        )
        return REVOKED

    async def _show_closed(self, address: Address, secret: str, scope: Scope, send: Send) -> None:
        """Say why this work cannot be opened: to the holder of a grant what it is doing."""
        closed, workload_id = None, address.workload_id
        if secret and "text/html" in get_header(scope, b"accept"):
            with suppress(DatabaseError, TimeoutError):
                closed = await run_in_thread(self.describe_closed, secret, workload_id)
        await self._show(scope, send, *page_of_closed(workload_id, closed, address.port))

    async def _show(
        self, scope: Scope, send: Send, page: ErrorPage, subject: PageSubject | None = None
    ) -> None:
        await send_error_page(scope, send, page, str(self.portal), subject)


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
