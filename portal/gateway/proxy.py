"""The apps origin: notebooks under `/e/<workload>/`, each behind its own grant.

A ticket from the portal buys a cookie of that path; every request and upgrade is checked against
the grant behind it, and goes to the address in the allocation row, never to one a client names.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from aiohttp import ClientResponse, ClientSession
from django.db import DatabaseError
from yarl import URL

from portal.common.asgi import Header, Receive, Scope, Send, answer, cookies, header, path
from portal.common.errors import DomainError
from portal.common.origins import Origin
from portal.common.seats import Seats
from portal.common.threads import in_thread
from portal.environments.access import Inside, Upstream, base_path
from portal.gateway.cookies import (
    confined,
    grant_cookie,
    grant_cookie_name,
    notebook_cookies,
)
from portal.gateway.forward import METHODS, upstream_url
from portal.gateway.grants import Grants
from portal.gateway.headers import request_headers, response_headers
from portal.gateway.http_relay import HttpRelay, Outcome, UpstreamRequest
from portal.gateway.pages import Page, show
from portal.gateway.websocket_relay import REVOKED, UpgradeRefusedError, relay_websocket

BODY_MAX: Final = 4 * 1024**3
"""Bytes of one request to a notebook, uploads included."""
SOCKETS_MAX: Final = 64
"""WebSockets of one notebook; it has one user, so this is a limit per user too."""
REQUESTS_MAX: Final = 256
"""Requests to one notebook at a time."""

_NOTEBOOK: Final = re.compile(r"/e/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/")
_PORT: Final = re.compile(r"port/(\d{1,5})(?=/|$)")
"""Below a notebook's path: another port of its container, such as TensorBoard's."""
_TICKET: Final = re.compile(rb"ticket=([\w-]{1,128})(?:&port=(\d{1,5}))?")
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_KEPT_FROM_NOTEBOOK: Final = frozenset({b"cookie", b"authorization"})
_KEPT_FROM_BROWSER: Final = frozenset(
    {
        b"set-cookie",
        b"clear-site-data",  # one notebook must not empty the origin that all share
        b"service-worker-allowed",  # nor answer for paths outside its own
        b"strict-transport-security",
        b"public-key-pins",
        b"alt-svc",
        b"access-control-allow-origin",
        b"access-control-allow-credentials",
        b"referrer-policy",
        b"x-content-type-options",
    }
)
_PAGES: Final = {
    Outcome.BODY_TOO_LARGE: Page.TOO_LARGE,
    Outcome.UPSTREAM_DOWN: Page.DOWN,
    Outcome.UPSTREAM_SLOW: Page.SLOW,
    Outcome.REVOKED: Page.NOT_OPEN,
}

Redeem = Callable[[str], tuple[str, UUID]]
Dial = Callable[[Inside, int], Awaitable[ClientSession]]
"""Returns a client whose every connection ends at a port inside the container."""


@dataclass(frozen=True, slots=True)
class _Visit:
    """One authorised request: which notebook, by which grant, and where it listens."""

    workload_id: UUID
    secret: str
    client: ClientSession
    url: URL
    base: str
    """Path under which the browser sees it; cookies and redirects stay below."""
    authorization: str = ""
    """What the upstream expects of us."""


class NotebookGateway:
    """The ASGI application of the apps origin."""

    def __init__(
        self,
        *,
        client: ClientSession,
        dial: Dial,
        apps: Origin,
        portal: Origin,
        redeem: Redeem,
        grants: Grants,
    ) -> None:
        """Start with no open connections."""
        self._client = client
        self._dial = dial
        self._apps = apps
        self._portal = portal
        self._redeem = redeem
        self._grants = grants
        self._uses = grants.uses
        self._sockets = Seats(SOCKETS_MAX)
        self._requests = Seats(REQUESTS_MAX)
        self._security = _security_headers(portal)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve `/open` and the notebooks; anything else does not exist here."""
        notebook = _NOTEBOOK.match(path(scope))
        if notebook:
            await self._serve(UUID(notebook[1]), (scope, receive, send))
        elif path(scope) == "/open" and scope.get("method") == "GET":
            await self._open(scope, send)
        else:
            await self._show(scope, send, Page.NOT_FOUND)

    async def _open(self, scope: Scope, send: Send) -> None:
        """Swap a one-time ticket for the cookie of one notebook, and lead into it."""
        ticket = _TICKET.fullmatch(scope["query_string"])
        code = ticket[1].decode() if ticket else ""
        try:
            secret, workload_id = await in_thread(self._redeem, code)
        except DomainError:
            await self._show(scope, send, Page.NOT_OPEN)
            return
        except (DatabaseError, TimeoutError):
            await self._show(scope, send, Page.BUSY)
            return
        cookie = grant_cookie(workload_id, secret, is_secure=self._apps.scheme == "https")
        place = f"port/{int(ticket[2])}/" if ticket and ticket[2] else "lab"
        headers = [
            (b"location", f"{base_path(workload_id)}{place}".encode()),
            (b"set-cookie", cookie.encode()),
            (b"cache-control", b"no-store"),
            (b"referrer-policy", b"no-referrer"),
        ]
        await answer(scope, send, 303, headers)

    async def _serve(self, workload_id: UUID, ends: tuple[Scope, Receive, Send]) -> None:
        scope, _, send = ends
        if not self._is_from_own_pages(scope):
            await self._show(scope, send, Page.WRONG_ORIGIN)
            return
        secret = cookies(scope).get(grant_cookie_name(workload_id), "")
        try:
            upstream = await self._grants.upstream(secret, workload_id) if secret else None
        except (DatabaseError, TimeoutError):
            await self._show(scope, send, Page.BUSY)
            return
        if upstream is None:
            await self._show(scope, send, Page.NOT_OPEN)
            return
        visit = await self._visit(workload_id, secret, upstream, scope)
        if visit is None:
            await self._show(scope, send, Page.NOT_FOUND)
            return
        is_socket = scope["type"] == "websocket"
        with (self._sockets if is_socket else self._requests).take(workload_id) as has_place:
            if not has_place:
                await self._show(scope, send, Page.TOO_MANY)
            elif is_socket:
                await self._relay_socket(visit, ends)
            else:
                if scope["method"] not in _SAFE:
                    self._uses.note(workload_id)
                await self._relay_request(visit, ends)

    async def _visit(
        self, workload_id: UUID, secret: str, upstream: Upstream, scope: Scope
    ) -> _Visit | None:
        """Return where a request goes: to the notebook, or to a port that its owner asked for.

        A job has nothing but ports.
        """
        base = base_path(workload_id)
        named = _PORT.match(path(scope), len(base))
        if named is None:
            if upstream.port is None:
                return None
            url = upstream_url(f"http://{_authority(upstream.host, upstream.port)}", scope)
            return _Visit(workload_id, secret, self._client, url, base, f"token {upstream.token}")
        port, inside = int(named[1]), upstream.inside
        if inside is None or port not in inside.ports:
            return None
        # The port's own server knows nothing of our path: it is taken off, as others do it.
        rest = path(scope)[named.end() :] or "/"
        query = scope["query_string"].decode("ascii")
        url = URL(f"http://localhost:{port}{rest}{f'?{query}' if query else ''}", encoded=True)
        client = await self._dial(inside, port)
        return _Visit(workload_id, secret, client, url, f"{base}port/{port}/")

    async def _relay_request(self, visit: _Visit, ends: tuple[Scope, Receive, Send]) -> None:
        scope, receive, send = ends

        def rewrite(response: ClientResponse) -> list[Header]:
            return self._response_headers(response, visit.base)

        relay = HttpRelay(scope, receive, send, body_max=BODY_MAX)
        request = UpstreamRequest(scope["method"], visit.url, self._request_headers(visit, scope))
        outcome = await relay.run(visit.client, request, rewrite, self._request_revoked(visit))
        page = _PAGES.get(outcome)
        if page and not relay.has_answered:
            await self._show(scope, send, page)

    async def _relay_socket(self, visit: _Visit, ends: tuple[Scope, Receive, Send]) -> None:
        scope, receive, send = ends
        is_port = not visit.authorization
        heard = self._uses.hearing(visit.workload_id, receive, is_port=is_port)
        url, headers = visit.url, self._request_headers(visit, scope)
        revoked = partial(self._socket_revoked, visit)
        try:
            await relay_websocket(visit.client, url, headers, (scope, heard, send), revoked)
        except UpgradeRefusedError as refusal:
            page = {404: Page.NOT_FOUND, 504: Page.SLOW}.get(refusal.status, Page.DOWN)
            await self._show(scope, send, page)

    async def _request_revoked(self, visit: _Visit) -> Outcome:
        await self._grants.revoked(visit.secret, visit.workload_id)
        return Outcome.REVOKED

    async def _socket_revoked(self, visit: _Visit) -> int:
        await self._grants.revoked(visit.secret, visit.workload_id)
        return REVOKED

    def _is_from_own_pages(self, scope: Scope) -> bool:
        """Demand the exact origin wherever a foreign page could make the browser act."""
        if scope["type"] == "http" and scope["method"] in _SAFE:
            return True
        is_known = scope["type"] == "websocket" or scope["method"] in METHODS
        return is_known and self._apps.is_origin(header(scope, b"origin"))

    def _request_headers(self, visit: _Visit, scope: Scope) -> list[tuple[str, str]]:
        headers = request_headers(scope, self._apps, without=_KEPT_FROM_NOTEBOOK)
        if visit.authorization:
            headers.append(("authorization", visit.authorization))
        else:
            headers.append(("x-forwarded-prefix", visit.base.rstrip("/")))
        if own := notebook_cookies(scope):
            headers.append(("cookie", own))
        return headers

    def _response_headers(self, response: ClientResponse, base: str) -> list[Header]:
        own_cookies = (
            confined(value, base)
            for name, value in response.raw_headers
            if name.lower() == b"set-cookie"
        )
        passed = response_headers(response.raw_headers, without=_KEPT_FROM_BROWSER)
        return [
            *((name, _led_back(name, value, base)) for name, value in passed),
            *((b"set-cookie", cookie) for cookie in own_cookies if cookie),
            *self._security,
        ]

    async def _show(self, scope: Scope, send: Send, page: Page) -> None:
        await show(scope, send, page, str(self._portal))


def _led_back(name: bytes, value: bytes, base: str) -> bytes:
    """Return a header's value; a redirect to the server's own root stays below its path."""
    is_of_port = "/port/" in base
    is_rooted = value.startswith(b"/") and not value.startswith((b"//", base.encode()))
    if name == b"location" and is_of_port and is_rooted:
        return base.rstrip("/").encode() + value
    return value


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _security_headers(portal: Origin) -> tuple[Header, ...]:
    """A notebook may frame its own pages, as JupyterLab does for HTML files; others may not."""
    return (
        (b"content-security-policy", f"frame-ancestors 'self' {portal}".encode()),
        (b"referrer-policy", b"same-origin"),
        (b"x-content-type-options", b"nosniff"),
    )
