"""Cookies of the origins of work: a notebook or app sees and sets only its own."""

import re
from typing import Final

from portal.common.asgi.types import Scope, list_cookies
from portal.gateway.addresses import Address

_RESERVED: Final = re.compile(r"(__(Host-Http|Host|Http|Secure)-)?berth-", re.IGNORECASE)
"""Names of the portal's session and CSRF cookies and of our grants."""
_OF_NOTEBOOKS: Final = re.compile(r"_xsrf|username-.*")
"""Cookies that Jupyter sets for all of a notebook's path, its ports included."""
_OF_PLACE: Final = frozenset({"path", "domain"})
_OF_ROOT: Final = "__Host-"
_MOVED: Final = "__Secure-"
"""Before the name of a cookie that browsers would take for the root alone: it needs TLS, as that does."""
LANGUAGE_COOKIE: Final = "berth-language"
"""The language that its user reads the portal in, for the gateway's own pages."""
_LANGUAGE_KEPT_S: Final = 365 * 86_400
COOKIE_MAX: Final = 4096
"""Characters of one cookie that a notebook sets."""


def grant_cookie_name(address: Address) -> str:
    """Return the name of the cookie that opens work.

    Over TLS it is one that scripts cannot set, in browsers that know `__Http-`, and on a host of its own one that
    no other host can set.
    """
    prefix = ""
    if address.is_secure:
        prefix = "__Host-Http-" if address.has_own_host else "__Http-"
    return f"{prefix}berth-app-{address.workload_id}"


def find_secrets(scope: Scope, address: Address) -> list[str]:
    """Return what a request's cookies say of its grant: all of that name, as scripts may have added some."""
    name = grant_cookie_name(address)
    values = (value for key, value in list_cookies(scope) if key == name and value)
    return list(dict.fromkeys(values))


def build_grant_cookie(address: Address, secret: str) -> str:
    """Return the `Set-Cookie` value of a grant, hidden from scripts and from other work.

    `Lax`, because the notebook is opened by a link from the portal, which is another site.
    """
    value = f"{grant_cookie_name(address)}={secret}; Path={address.base}"
    return f"{value}; HttpOnly; SameSite=Lax{'; Secure' if address.is_secure else ''}"


def build_language_cookie(language: str, *, is_secure: bool) -> str:
    """Return the `Set-Cookie` value of a language, for all notebooks of this browser."""
    value = f"{LANGUAGE_COOKIE}={language}; Path=/; Max-Age={_LANGUAGE_KEPT_S}"
    return f"{value}; HttpOnly; SameSite=Lax{'; Secure' if is_secure else ''}"


def filter_cookies(scope: Scope) -> str:
    """Return the request's `Cookie` header as work gets it: without the portal's cookies and grants.

    Of those that a notebook and the server at one of its ports both have, only the nearer is passed, which browsers
    send first.
    """
    parts = (
        re.sub(f"^{_MOVED}(?={_OF_ROOT})", "", part.strip())
        for name, value in scope["headers"]
        if name == b"cookie"
        for part in value.decode("utf-8", "replace").split(";")
    )
    kept: dict[str, str] = {}
    for part in parts:
        if part and not _RESERVED.match(part):
            name = part.partition("=")[0]
            kept.setdefault(name if _OF_NOTEBOOKS.fullmatch(name) else part, part)
    return "; ".join(kept.values())


def confine_cookie(
    set_cookie: bytes, base: str, page: str = "", *, is_removed: bool = False
) -> bytes | None:
    """Return the `Set-Cookie` of work bound to its own path and host, or None if it is not allowed.

    Where `base` is the root it has the host alone, and may choose paths itself. `page` is the path that was
    requested; work that does not see `base`, because it `is_removed`, names paths below it.
    """
    pair, *attributes = (part.strip() for part in set_cookie.decode("utf-8", "replace").split(";"))
    if len(set_cookie) > COOKIE_MAX or "=" not in pair or _RESERVED.match(pair):
        return None
    if base == "/":
        return "; ".join([pair, *(each for each in attributes if _key(each) != "domain")]).encode()
    named = [each.partition("=")[2].strip() for each in attributes if _key(each) == "path"]
    kept = [each for each in attributes if _key(each) not in _OF_PLACE]
    path = _path_below(base, named[-1] if named else "", page, is_removed=is_removed)
    moved = _MOVED if pair.startswith(_OF_ROOT) else ""
    return "; ".join([f"{moved}{pair}", *kept, f"Path={path}"]).encode()


def _path_below(base: str, named: str, page: str, *, is_removed: bool) -> str:
    """Return the path for which a browser keeps a cookie that was set for another one, or for none."""
    if not named.startswith("/"):  # the folder of the page (RFC 6265, section 5.1.4)
        named = page.rpartition("/")[0]
    elif is_removed and not named.startswith("/e/"):  # where all work is, and no server of its own
        named = f"{base}{named[1:]}"
    return named if named.startswith(base) else base


def _key(attribute: str) -> str:
    return attribute.partition("=")[0].strip().lower()
