"""Which headers a proxy forwards: end-to-end ones, without those that it sets itself."""

import re
from base64 import b64decode
from collections.abc import Collection, Iterable
from typing import Final

from portal.common.asgi.types import Header, Scope
from portal.common.origins import Origin

HOP_BY_HOP: Final = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
"""Headers about one connection (RFC 9110, section 7.6.1), besides those `Connection` lists."""

_SET_BY_PROXY: Final = frozenset(
    {
        b"host",
        b"expect",
        b"forwarded",
        b"x-forwarded",
        b"x-real-ip",
        b"x-client-ip",
        b"x-scheme",
        b"x-script-name",
        b"x-original-url",
        b"x-original-host",
        b"x-rewrite-url",
        b"front-end-https",
        b"proxy",  # a variable of CGI programs by which they reach the network
    }
)
"""Headers by which proxies tell where a request comes from and what it was for; a client's say nothing."""
_OURS: Final = re.compile(r"(?<![\w-])berth(node|join)?_")
"""The beginning of every token of the portal."""
_SET_BY_SERVER: Final = frozenset({b"date", b"server"})


def build_request_headers(
    scope: Scope, site: Origin, *, without: Collection[bytes] = ()
) -> list[tuple[str, str]]:
    """Return the headers for an upstream: the client's, with `Host` and `X-Forwarded-*` of ours.

    Names with an underscore are dropped, since WSGI cannot tell them from those with a hyphen.
    """
    kept = [
        (name.decode("ascii"), value.decode("utf-8", "replace"))
        for name, value in drop_hop_by_hop(scope["headers"])
        if name not in _SET_BY_PROXY
        and name not in without
        and not name.startswith((b"x-forwarded-", b"sec-websocket-"))
        and b"_" not in name
    ]
    client = scope.get("client")
    address = client[0] if client else "unknown"
    written = f'"[{address}]"' if ":" in address else address
    return [
        *kept,
        ("host", site.host),
        ("forwarded", f'for={written};host="{site.host}";proto={site.scheme}'),
        ("x-forwarded-for", address),
        ("x-forwarded-host", site.host),
        ("x-forwarded-proto", site.scheme),
    ]


def filter_response_headers(
    raw: Iterable[Header], *, without: Collection[bytes] = ()
) -> list[Header]:
    """Return the headers of an upstream's response that the client gets."""
    return [
        (name, value)
        for name, value in drop_hop_by_hop((name.lower(), value) for name, value in raw)
        if name not in _SET_BY_SERVER and name not in without
    ]


def drop_hop_by_hop(headers: Iterable[Header]) -> list[Header]:
    """Return the headers that are not about one connection; names are in lower case."""
    given = list(headers)
    listed = {
        token.strip().lower()
        for name, value in given
        if name == b"connection"
        for token in value.split(b",")
    }
    dropped = HOP_BY_HOP | listed
    return [(name, value) for name, value in given if name not in dropped]


def is_credential(authorization: bytes, *tokens: str) -> bool:
    """Return whether an `Authorization` header has a token of the portal in it, or one of these, in any scheme."""
    _, _, encoded = authorization.partition(b" ")
    try:
        decoded = b64decode(encoded, validate=True)
    except ValueError:
        decoded = b""
    texts = [part.decode("latin-1") for part in (authorization, decoded)]
    return any(
        _OURS.search(text) or any(token and token in text for token in tokens) for text in texts
    )


def security_headers(portal: Origin) -> tuple[Header, ...]:
    """Let notebooks frame their own pages, as JupyterLab does for HTML files, and none of others."""
    return (
        (b"content-security-policy", f"frame-ancestors 'self' {portal}".encode()),
        (b"referrer-policy", b"same-origin"),
        (b"x-content-type-options", b"nosniff"),
    )
