"""Which headers a proxy forwards: end-to-end ones, without those that it sets itself."""

from collections.abc import Collection, Iterable
from typing import Final

from portal.common.asgi import Header, Scope
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

_SET_BY_PROXY: Final = frozenset({b"host", b"expect", b"forwarded", b"x-real-ip"})
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
    return [
        *kept,
        ("host", site.host),
        ("x-forwarded-for", client[0] if client else "unknown"),
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


def security_headers(portal: Origin) -> tuple[Header, ...]:
    """Let notebooks frame their own pages, as JupyterLab does for HTML files, and none of others."""
    return (
        (b"content-security-policy", f"frame-ancestors 'self' {portal}".encode()),
        (b"referrer-policy", b"same-origin"),
        (b"x-content-type-options", b"nosniff"),
    )
