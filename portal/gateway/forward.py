"""Everything of the portal's origin that is not live: passed on to the web process.

Bodies of requests are small and collected first: the web process has few threads, and none of
them shall wait for a slow client. Answers are streamed.
"""

from typing import Final

from aiohttp import ClientResponse, ClientSession
from yarl import URL

from portal.common.asgi import Header, Receive, Scope, Send, path
from portal.common.asgi_problems import answer_problem
from portal.common.origins import Origin
from portal.common.problems import Problem
from portal.gateway.headers import request_headers, response_headers
from portal.gateway.http_relay import HttpRelay, Outcome, UpstreamRequest

BODY_MAX: Final = 1024 * 1024
"""Bytes of a request to the portal: forms and JSON, no uploads."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_PROBLEMS: Final = {
    Outcome.BODY_TOO_LARGE: Problem(413, "body_too_large", {}),
    Outcome.CLIENT_SLOW: Problem(408, "request_too_slow", {}),
    Outcome.UPSTREAM_DOWN: Problem(502, "web_unavailable", {}, headers=(("Retry-After", "2"),)),
    Outcome.UPSTREAM_SLOW: Problem(504, "web_slow", {}, headers=(("Retry-After", "2"),)),
}


class Forward:
    """Reverse proxy to the web process, and the only one whose forwarding headers it may trust."""

    def __init__(self, client: ClientSession, portal: Origin, web_upstream: str) -> None:
        """Remember where the web process listens."""
        self._client = client
        self._portal = portal
        self._web_upstream = web_upstream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on; a problem document takes the place of a missing answer."""
        if scope["method"] not in METHODS:
            await answer_problem(scope, send, Problem(405, "method_not_allowed", {}))
            return
        relay = HttpRelay(scope, receive, send, body_max=BODY_MAX, collects_body=True)
        outcome = await relay.run(self._client, self._request(scope), _rewrite)
        problem = _PROBLEMS.get(outcome)
        if problem and not relay.has_answered:
            await answer_problem(scope, send, problem)

    def _request(self, scope: Scope) -> UpstreamRequest:
        return UpstreamRequest(
            method=scope["method"],
            url=upstream_url(self._web_upstream, scope),
            headers=request_headers(scope, self._portal),
        )


def upstream_url(base: str, scope: Scope) -> URL:
    """Return path and query exactly as they came, below another scheme, host and port."""
    query = scope["query_string"].decode("ascii")
    return URL(f"{base}{path(scope)}{f'?{query}' if query else ''}", encoded=True)


def _rewrite(response: ClientResponse) -> list[Header]:
    return response_headers(response.raw_headers)
