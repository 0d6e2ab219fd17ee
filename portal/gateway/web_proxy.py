"""Reverse proxy to the web process, for all that the live process does not serve itself.

Request bodies are small and read completely first: the web process has few threads, and none of
them should wait for a slow client. Responses are streamed.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from aiohttp import ClientResponse, ClientSession
from yarl import URL

from portal.common.asgi.problems import send_problem
from portal.common.asgi.types import Header, Receive, Scope, Send, get_header, raw_path
from portal.common.origins import Origin
from portal.common.rest.idempotency import HEADER
from portal.common.rest.problems import Problem
from portal.gateway.headers import build_request_headers, filter_response_headers
from portal.gateway.http_relay import HttpRelay, RelayOutcome, UpstreamRequest
from portal.gateway.visits import METHODS

BODY_MAX: Final = 1024 * 1024
"""Bytes of a request to the portal: forms and JSON, no uploads."""
IDEMPOTENCY_KEY: Final = HEADER.lower().encode()

AWAY_S: Final = 5.0
"""How long a web process without an answer to a connection is tried after the others."""

_UNAVAILABLE: Final = Problem(502, "web_unavailable", {}, headers=(("Retry-After", "2"),))
_PROBLEMS: Final = {
    RelayOutcome.BODY_TOO_LARGE: Problem(413, "body_too_large", {}),
    RelayOutcome.CLIENT_SLOW: Problem(408, "request_too_slow", {}),
    RelayOutcome.UPSTREAM_AWAY: _UNAVAILABLE,
    RelayOutcome.UPSTREAM_DOWN: _UNAVAILABLE,
    RelayOutcome.UPSTREAM_SLOW: Problem(504, "web_slow", {}, headers=(("Retry-After", "2"),)),
}


class Upstreams:
    """Addresses of web processes: each in turn, those that were away last."""

    def __init__(self, urls: Sequence[str]) -> None:
        """Start with all of them present."""
        self._away_until = dict.fromkeys(urls, 0.0)
        self._turn = 0

    def order(self) -> list[str]:
        """Return them in the order in which to try them now."""
        urls, now = list(self._away_until), asyncio.get_running_loop().time()
        self._turn = (self._turn + 1) % len(urls)
        rotated = urls[self._turn :] + urls[: self._turn]
        return sorted(rotated, key=lambda url: self._away_until[url] > now)

    def note_away(self, url: str) -> None:
        """Try the others first for a while."""
        self._away_until[url] = asyncio.get_running_loop().time() + AWAY_S


class WebProxy:
    """ASGI application that forwards to web processes, which trust its `X-Forwarded-*` headers."""

    def __init__(self, client: ClientSession, portal: Origin, *web_upstreams: str) -> None:
        """Forward to the web processes at `web_upstreams`."""
        self._client = client
        self._portal = portal
        self._upstreams = Upstreams(web_upstreams)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward one request; answer with a problem document where the web process does not."""
        if scope["method"] not in METHODS:
            await send_problem(scope, send, Problem(405, "method_not_allowed", {}))
            return
        relay = HttpRelay(scope, receive, send, body_max=BODY_MAX, collects_body=True)
        outcome = RelayOutcome.UPSTREAM_AWAY
        for upstream in self._upstreams.order():
            outcome = await relay.run(self._client, self._request(scope, upstream), _rewrite)
            if outcome is not RelayOutcome.UPSTREAM_AWAY:
                break
            self._upstreams.note_away(upstream)
        problem = _PROBLEMS.get(outcome)
        if problem and not relay.has_answered:
            await send_problem(scope, send, problem)

    def _request(self, scope: Scope, upstream: str) -> UpstreamRequest:
        return UpstreamRequest(
            method=scope["method"],
            url=build_upstream_url(upstream, scope),
            headers=build_request_headers(scope, self._portal),
            is_repeatable=bool(get_header(scope, IDEMPOTENCY_KEY)),
        )


def build_upstream_url(base: str, scope: Scope) -> URL:
    """Return a URL below `base` with path and query exactly as they were sent."""
    query = scope["query_string"].decode("ascii")
    return URL(f"{base}{raw_path(scope)}{f'?{query}' if query else ''}", encoded=True)


def _rewrite(response: ClientResponse) -> list[Header]:
    return filter_response_headers(response.raw_headers)
