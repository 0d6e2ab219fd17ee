"""How large the cookies of work may become: a request that brings too many is refused by every server.

Scripts of any page on an origin can set cookies for the paths of other work there, and so shut out its reader.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from portal.common.origins import Origin

COOKIES_MAX: Final = 32 * 1024
"""Characters of the cookies that work sets in a browser, those of its scripts included."""
_REFUSED_ABOVE: Final = 7 * 1024
"""Fewer characters of cookies are refused by no web server; many refuse 8 KiB."""
_REFUSALS: Final = frozenset({400, 431, 494})
"""Statuses of servers that find the cookies too large; 494 is nginx's."""
_FORGOTTEN_MAX: Final = 64 * 1024
"""Bytes of one answer that take cookies away; the next takes more."""


def limit_cookies(set_cookies: Iterable[bytes], sent: str) -> list[bytes]:
    """Return the `Set-Cookie` values that fit beside the cookies that the browser has sent.

    What changes or removes a cookie always fits.
    """
    known, left = set(_names(sent)), COOKIES_MAX - len(sent)
    kept = []
    for set_cookie in set_cookies:
        name, _, value = set_cookie.partition(b";")[0].decode().partition("=")
        if value and name not in known:
            left -= len(f"; {name}={value}")
        if left >= 0 or name in known or not value:
            kept.append(set_cookie)
    return kept


def forget_cookies(status: int, sent: str, path: str, origin: Origin) -> list[bytes]:
    """Return `Set-Cookie` values that remove what a browser has sent, if its size is why it was refused.

    They name every path and domain for which the cookies may have been set, as far as they fit.
    """
    if status not in _REFUSALS or len(sent) <= _REFUSED_ABOVE:
        return []
    secure = "; Secure" if origin.scheme == "https" else ""
    places = [
        f"; Path={place}{domain}{secure}"
        for domain in _domains(origin.host)
        for place in _paths_above(path)
    ]
    values: list[bytes] = []
    left = _FORGOTTEN_MAX
    for name in dict.fromkeys(_names(sent)):
        for place in places:
            value = f"{name}=; Max-Age=0{place}".encode()
            left -= len(value)
            if left < 0:
                return values
            values.append(value)
    return values


def _names(cookies: str) -> Iterator[str]:
    pairs = (part.strip().partition("=") for part in cookies.split(";"))
    return (name for name, separator, _ in pairs if separator)


def _paths_above(path: str) -> list[str]:
    """Return the paths whose cookies are sent with a request for this one."""
    steps = path.split("/")
    parts = ["/".join(steps[:count]) for count in range(1, len(steps) + 1)]
    return list(dict.fromkeys(place for part in parts for place in (part, f"{part}/") if place))


def _domains(host: str) -> list[str]:
    """Return the attributes for the host itself, and for the domains that it is in."""
    labels = host.partition(":")[0].split(".")
    domains = [".".join(labels[count:]) for count in range(len(labels) - 1)]
    return ["", *(f"; Domain={domain}" for domain in domains)]
