"""Reverse proxy to the web process, for all that the live process does not serve itself.

Request bodies are small and read completely first: the web process has few threads, and none of
them should wait for a slow client. Responses are streamed.
"""

from typing import Final

from aiohttp import ClientResponse, ClientSession
from yarl import URL

from portal.common.asgi import Header, Receive, Scope, Send, raw_path
from portal.common.asgi_problems import send_problem
from portal.common.origins import Origin
from portal.common.problems import Problem
from portal.gateway.headers import build_request_headers, filter_response_headers
from portal.gateway.http_relay import HttpRelay, RelayOutcome, UpstreamRequest

BODY_MAX: Final = 1024 * 1024
"""Bytes of a request to the portal: forms and JSON, no uploads."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_PROBLEMS: Final = {
    RelayOutcome.BODY_TOO_LARGE: Problem(413, "body_too_large", {}),
    RelayOutcome.CLIENT_SLOW: Problem(408, "request_too_slow", {}),
    RelayOutcome.UPSTREAM_DOWN: Problem(
        502, "web_unavailable", {}, headers=(("Retry-After", "2"),)
    ),
    RelayOutcome.UPSTREAM_SLOW: Problem(504, "web_slow", {}, headers=(("Retry-After", "2"),)),
}


class WebProxy:
    """ASGI application that forwards to the web process, which trusts its `X-Forwarded-*` headers."""

    def __init__(self, client: ClientSession, portal: Origin, web_upstream: str) -> None:
        """Forward to the web process at `web_upstream`."""
        self._client = client
        self._portal = portal
        self._web_upstream = web_upstream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward one request; answer with a problem document where the web process does not."""
        if scope["method"] not in METHODS:
            await send_problem(scope, send, Problem(405, "method_not_allowed", {}))
            return
        relay = HttpRelay(scope, receive, send, body_max=BODY_MAX, collects_body=True)
        outcome = await relay.run(self._client, self._request(scope), _rewrite)
        problem = _PROBLEMS.get(outcome)
        if problem and not relay.has_answered:
            await send_problem(scope, send, problem)

    def _request(self, scope: Scope) -> UpstreamRequest:
        return UpstreamRequest(
            method=scope["method"],
            url=build_upstream_url(self._web_upstream, scope),
            headers=build_request_headers(scope, self._portal),
        )


def build_upstream_url(base: str, scope: Scope) -> URL:
    """Return a URL below `base` with path and query exactly as they were sent."""
    query = scope["query_string"].decode("ascii")
    return URL(f"{base}{raw_path(scope)}{f'?{query}' if query else ''}", encoded=True)


def _rewrite(response: ClientResponse) -> list[Header]:
    return filter_response_headers(response.raw_headers)
