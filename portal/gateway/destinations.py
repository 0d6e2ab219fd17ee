"""Where one authorized request goes, and which headers pass between its browser and the work."""

from dataclasses import dataclass
from typing import Final

from aiohttp import ClientResponse, ClientSession
from yarl import URL

from portal.common.asgi.types import Header, Scope
from portal.common.origins import Origin
from portal.endpoints.values import Endpoint
from portal.gateway.addresses import Address
from portal.gateway.cookie_sizes import forget_cookies, limit_cookies
from portal.gateway.cookies import confine_cookie, filter_cookies
from portal.gateway.error_pages import PageSubject
from portal.gateway.headers import (
    build_request_headers,
    filter_response_headers,
    is_credential,
    security_headers,
)
from portal.gateway.mounts import PortMount
from portal.gateway.visits import HIDDEN_FROM_VIEWED, confine_answer

_ADDRESSES: Final = frozenset({"referer", "destination"})
"""Headers of a request that name addresses of the server itself; the latter is WebDAV's."""
_RESOURCE_POLICY: Final = b"cross-origin-resource-policy"
_HIDDEN_FROM_BROWSER: Final = frozenset(
    {
        b"set-cookie",
        b"clear-site-data",  # one notebook must not empty the origin that all share, nor sites beside its own
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


@dataclass(frozen=True, slots=True)
class Destination:
    """Where one authorized request goes, and by which grant."""

    address: Address
    secret: str
    endpoint: Endpoint
    client: ClientSession
    url: URL
    base: str
    """Path under which the browser sees it; cookies and redirects stay below."""
    mount: PortMount | None = None
    """The place of the server at a port; None is the notebook itself, which knows its own path."""

    @property
    def subject(self) -> PageSubject:
        """What an error page is about."""
        endpoint = self.endpoint
        return PageSubject(self.address.workload_id, endpoint.kind, endpoint.name, self.port)

    @property
    def port(self) -> int | None:
        """The port of its container; None is the notebook itself."""
        return self.mount.port if self.mount else None

    @property
    def hidden_token(self) -> str:
        """The token that answers must not show: a person who runs code in a notebook finds it there anyway."""
        endpoint = self.endpoint
        return endpoint.policy.token if endpoint.access.is_view_only else ""

    def request_headers(self, scope: Scope) -> list[tuple[str, str]]:
        """Return the headers that the work gets: of its own cookies, and how its browser sees it."""
        hidden = {b"cookie", b"authorization"}
        if self.endpoint.access.is_view_only:
            hidden |= HIDDEN_FROM_VIEWED
        headers = build_request_headers(scope, self.address.origin, without=hidden)
        if own := filter_cookies(scope):
            headers.append(("cookie", own))
        mount, token = self.mount, self.endpoint.policy.token
        if mount is None:
            return [*headers, ("authorization", f"token {token}")]
        if mount.prefix:
            headers.append(("x-forwarded-prefix", mount.prefix))
        for name, value in scope["headers"]:
            if name == b"authorization" and not is_credential(value, token):
                headers.append(("authorization", value.decode("latin-1")))
        return [
            (name, mount.show(value) if name in _ADDRESSES else value) for name, value in headers
        ]

    def response_headers(
        self, response: ClientResponse, portal: Origin, sent_cookies: str
    ) -> list[Header]:
        """Return the headers of an answer that its browser gets, which keep it apart from all other work."""
        is_alone = self.address.has_own_host
        hidden = _HIDDEN_FROM_BROWSER | ({_RESOURCE_POLICY} if is_alone else set())
        passed = filter_response_headers(response.raw_headers, without=hidden)
        mount, page = self.mount, self.address.path
        if mount:
            passed = [(name, mount.move_header(name, value, page)) for name, value in passed]
        headers = [
            *passed,
            *((b"set-cookie", cookie) for cookie in self._cookies(response, sent_cookies)),
            *security_headers(portal),
            *([(_RESOURCE_POLICY, b"same-origin")] if is_alone else []),
        ]
        if self.endpoint.access.visitor is None:
            return headers
        address = self.address
        if token := self.hidden_token.encode():
            headers = [(name, value.replace(token, b"0" * len(token))) for name, value in headers]
        return confine_answer(headers, address.path, address.origin, address.base)

    def _cookies(self, response: ClientResponse, sent: str) -> list[bytes]:
        """Return the cookies of an answer that its browser keeps; those that the work refused are removed.

        A notebook's are its owner's sign-in, by which a colleague would be authorised at its own port, too.
        """
        is_sign_in = self.port is None and self.endpoint.access.visitor is not None
        address, is_removed = self.address, self.mount is not None and self.mount.is_removed
        own = (
            confine_cookie(value, self.base, address.path, is_removed=is_removed)
            for name, value in response.raw_headers
            if name.lower() == b"set-cookie" and not is_sign_in
        )
        refused = forget_cookies(response.status, sent, address.path, address.origin)
        return [*refused, *limit_cookies((cookie for cookie in own if cookie), sent)]
