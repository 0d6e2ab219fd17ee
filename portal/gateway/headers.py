"""Which headers cross the gateway: end-to-end ones, minus what either side must not learn or set."""

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
"""About one connection only (RFC 9110, section 7.6.1), with the names that `Connection` lists."""

_SET_BY_US: Final = frozenset({b"host", b"expect", b"forwarded", b"x-real-ip"})
_SET_BY_SERVER: Final = frozenset({b"date", b"server"})


def request_headers(
    scope: Scope, site: Origin, *, without: Collection[bytes] = ()
) -> list[tuple[str, str]]:
    """Return what an upstream gets: the client's own words, and our word for who and where it is.

    Names with an underscore are dropped, since WSGI cannot tell them from those with a hyphen.
    """
    kept = [
        (name.decode("ascii"), value.decode("utf-8", "replace"))
        for name, value in end_to_end(scope["headers"])
        if name not in _SET_BY_US
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


def response_headers(raw: Iterable[Header], *, without: Collection[bytes] = ()) -> list[Header]:
    """Return what the client gets of an upstream's headers."""
    return [
        (name, value)
        for name, value in end_to_end((name.lower(), value) for name, value in raw)
        if name not in _SET_BY_SERVER and name not in without
    ]


def end_to_end(headers: Iterable[Header]) -> list[Header]:
    """Leave out everything that is about one connection; names are in lower case."""
    given = list(headers)
    listed = {
        token.strip().lower()
        for name, value in given
        if name == b"connection"
        for token in value.split(b",")
    }
    dropped = HOP_BY_HOP | listed
    return [(name, value) for name, value in given if name not in dropped]
